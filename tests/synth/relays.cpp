#include "tests/synth/relays.hpp"

#include <array>
#include <string_view>

#include "tests/synth/support.hpp"

namespace tessera::synth::test {

namespace {

struct MeshAndNodes {
  std::string_view mesh;
  std::vector<std::int64_t> counts;
};

const std::array<MeshAndNodes, 6> kMeshes = {{{"x:2,y:4", {2, 4}},
                                              {"x:2,y:2,z:2", {2, 4}},
                                              {"x:3,y:4", {3, 4}},
                                              {"x:2,y:2,z:3", {2, 2, 3}},
                                              {"x:4,y:4", {4, 4}},
                                              {"x:4 work(4,2,1,1),y:2 work(1,3)", {2, 4}}}};

}  // namespace

RandomChange random_change(Random& random) {
  const MeshAndNodes& chosen = kMeshes[random.below(kMeshes.size())];
  const MeshRef on = mesh(chosen.mesh);
  const bool steep = random.coin();
  Machine machine;
  double bandwidth = steep ? 1e6 : 2e6;
  for (const std::int64_t count : chosen.counts) {
    machine.levels.push_back({"level", count, bandwidth, random.coin() ? 0 : 1e-6});
    if (random.coin()) machine.levels.back().gap_seconds = 3e-7;
    bandwidth *= steep ? 8 : 0.5;
  }
  const auto any_type = [&](const Shape& shape) {
    return *ArrayType::make(ElementType::f32, shape, on, any_layout(*on, shape.size(), false, random));
  };
  const Shape shape{static_cast<std::int64_t>(8 + random.below(25)), static_cast<std::int64_t>(8 + random.below(25))};
  const ArrayType from = any_type(shape);
  return RandomChange{from, any_type(shape), machine};
}

Plan random_relay_plan(Random& random) {
  const RandomChange change = random_change(random);
  return planned(change.from, change.to, {}, change.machine);
}

}  // namespace tessera::synth::test
