// Offsets for registers of several meshes: the lowest that fits, as a plain search finds it, and in what time.
#include "runtime/memory/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include "runtime/memory/bytes.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

struct Devices {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// A register on each of the meshes `x:N on begin:end`.
synth::Program on_meshes(const std::vector<Devices>& meshes) {
  synth::Program program;
  for (const Devices& one : meshes) {
    const synth::MeshRef mesh = *synth::parse_mesh("x:" + std::to_string(one.end - one.begin) + " on " +
                                                   std::to_string(one.begin) + ":" + std::to_string(one.end));
    program.registers.add(*synth::ArrayType::replicated(ElementType::f32, Shape{4}, mesh));
  }
  return program;
}

// Looks at all that is taken, every time.
class PlainPlaces {
 public:
  explicit PlainPlaces(std::vector<Devices> meshes) : meshes_(std::move(meshes)) {}

  std::int64_t take(std::size_t mesh, std::int64_t bytes) {
    const std::int64_t size = aligned(bytes);
    std::vector<Taken> in_the_way;
    for (const Taken& one : taken_) {
      const bool shares = meshes_[one.mesh].begin < meshes_[mesh].end && meshes_[mesh].begin < meshes_[one.mesh].end;
      if (shares) in_the_way.push_back(one);
    }
    std::sort(in_the_way.begin(), in_the_way.end(), [](const Taken& a, const Taken& b) { return a.begin < b.begin; });
    std::int64_t begin = 0;
    for (const Taken& one : in_the_way) {
      if (one.begin >= begin + size) break;
      begin = std::max(begin, one.end);
    }
    if (size > 0) taken_.push_back({begin, begin + size, mesh});
    return begin;
  }
  void give_back(std::size_t mesh, std::int64_t begin) {
    std::erase_if(taken_, [&](const Taken& one) { return one.mesh == mesh && one.begin == begin; });
  }

 private:
  struct Taken {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::size_t mesh = 0;
  };
  std::vector<Devices> meshes_;
  std::vector<Taken> taken_;
};

TEST(Places, AreTheLowestThatFit) {
  std::mt19937 random(11);
  const auto up_to = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(random); };
  for (int round = 0; round < 200; ++round) {
    std::vector<Devices> meshes;
    for (std::int64_t m = 2 + up_to(4); m > 0; --m) {
      const std::int64_t begin = up_to(6);
      meshes.push_back({begin, begin + 1 + up_to(4)});
    }
    const synth::Program program = on_meshes(meshes);
    const TileMaps tiles(program);
    Places places(tiles, program);
    PlainPlaces plain(meshes);
    struct Held {
      std::size_t mesh = 0;
      std::int64_t begin = 0;
      std::int64_t bytes = 0;
    };
    std::vector<Held> held;
    for (int step = 0; step < 150; ++step) {
      if (!held.empty() && up_to(9) < 4) {
        const auto at = held.begin() + up_to(std::ssize(held) - 1);
        places.give_back(RegisterId{static_cast<std::uint32_t>(at->mesh)}, at->begin, at->bytes);
        plain.give_back(at->mesh, at->begin);
        held.erase(at);
        continue;
      }
      const auto mesh = static_cast<std::size_t>(up_to(std::ssize(meshes) - 1));
      const std::int64_t bytes = up_to(3) == 0 ? 0 : 1 + up_to(500);
      const std::int64_t begin = places.take(RegisterId{static_cast<std::uint32_t>(mesh)}, bytes);
      ASSERT_EQ(begin, plain.take(mesh, bytes)) << "round " << round << ", step " << step;
      if (bytes > 0) held.push_back({mesh, begin, bytes});
    }
  }
}

// A pipeline that takes all microbatches forward first has a place for each.
TEST(Places, OfManyMicrobatchesTakeLittleTime) {
  const synth::Program program = on_meshes({{0, 1}, {1, 2}, {0, 2}});
  const TileMaps tiles(program);
  Places places(tiles, program);
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < 100'000; ++k) EXPECT_EQ(places.take(RegisterId{0}, 64), std::int64_t{64} * k);
  for (int k = 0; k < 100'000; ++k) EXPECT_EQ(places.take(RegisterId{1}, 256), std::int64_t{256} * k);
  EXPECT_EQ(places.take(RegisterId{2}, 64), std::int64_t{256} * 100'000);
  for (int k = 0; k < 100'000; ++k) places.give_back(RegisterId{0}, std::int64_t{64} * k, 64);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

}  // namespace
}  // namespace tessera::runtime::test
