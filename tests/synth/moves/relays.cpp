#include "tests/synth/moves/relays.hpp"

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

RandomChange random_change_between(Random& random) {
  constexpr std::array<std::string_view, 3> kSources = {"x:2,y:4", "x:2,y:2,z:2", "x:3,y:2 work(3,1)"};
  constexpr std::array<std::string_view, 5> kTargets = {"a:2,b:4 on 8:16", "a:2,b:3 on 5:11", "a:4,b:2 on (12:16,2:6)",
                                                        "a:2,b:2,c:2", "a:2 work(3,1),b:2 on 4:8"};
  const bool steep = random.coin();
  Machine machine;
  machine.levels.push_back({"node", 4, steep ? 1e6 : 2e6, random.coin() ? 0 : 1e-6});
  machine.levels.push_back({"device", 4, steep ? 8e6 : 1e6, random.coin() ? 0 : 1e-6});
  const Shape shape{static_cast<std::int64_t>(8 + random.below(25)), static_cast<std::int64_t>(8 + random.below(25))};
  const auto any_type = [&](std::string_view text) {
    const MeshRef on = mesh(text);
    return *ArrayType::make(ElementType::f32, shape, on, any_layout(*on, shape.size(), false, random));
  };
  const ArrayType from = any_type(kSources[random.below(kSources.size())]);
  return RandomChange{from, any_type(kTargets[random.below(kTargets.size())]), machine};
}

Plan random_relay_plan(Random& random) {
  const RandomChange change = random_change(random);
  return planned(change.from, change.to, {}, change.machine);
}

}  // namespace tessera::synth::test
