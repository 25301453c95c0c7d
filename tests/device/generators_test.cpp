// Constructors on a GPU give the bits of the host's kernels.
#include "runtime/device/steps/generators.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "runtime/device/steps/tile_table.hpp"
#include "runtime/kernels/copy.hpp"
#include "tests/device/host_launcher.hpp"
#include "tests/device/test_tiles.hpp"

namespace tessera::device {
namespace {

using synth::ElementType;

// Tiles of an array of this shape, cut at random.
std::vector<runtime::TilePlace> cut_places(Random& random, const synth::Shape& shape) {
  std::vector<runtime::TilePlace> places;
  for (int k = 0; k < 3; ++k) {
    synth::Box box;
    for (const std::int64_t extent : shape) {
      const std::int64_t begin = k == 0 ? 0 : chosen(random, 0, extent);
      box.push_back({begin, k == 0 ? extent : chosen(random, begin, extent)});
    }
    places.push_back({shape, box});
  }
  return places;
}

const std::vector<synth::Shape> kGeneratedShapes = {{},        {0},      {1},       {7},        {4099},
                                                    {3, 5, 7}, {70, 41}, {2, 0, 3}, {9, 1, 300}};

template <class Reference>
void compare_generated(Generated what, const std::vector<ElementType>& elements, Address value, const Reference& f) {
  Random random(7);
  for (const ElementType element : elements) {
    for (const synth::Shape& shape : kGeneratedShapes) {
      for (const std::uint64_t seed : {1U, 77U}) {
        HostLauncher launcher(seed);
        const auto places = cut_places(random, shape);
        std::vector<TestOut> wanted, got;
        std::vector<GeneratedPart> parts;
        for (std::size_t k = 0; k < places.size(); ++k) {
          const synth::Shape own = synth::shape_of(places[k].box);
          wanted.emplace_back(element, own);
          got.emplace_back(element, own, k == 1);
        }
        for (std::size_t k = 0; k < places.size(); ++k) {
          f(places[k], wanted[k].out());
          parts.push_back({got[k].out(), places[k], value, 0});
        }
        ASSERT_TRUE(generate(launcher, what, parts).ok());
        for (std::size_t k = 0; k < places.size(); ++k)
          ASSERT_EQ(got[k].difference(wanted[k]), -1) << synth::name(element) << " " << shape.size() << " " << k;
      }
    }
  }
}

TEST(Generators, Iota) {
  compare_generated(Generated::counted,
                    {ElementType::f32, ElementType::f64, ElementType::i32, ElementType::i64, ElementType::boolean}, 0,
                    [](const auto& place, const auto& out) { runtime::iota(place, out); });
}
TEST(Generators, Random) {
  const std::int64_t seed = -5;
  compare_generated(Generated::uniform, {ElementType::f32, ElementType::f64}, address_of(&seed),
                    [&](const auto& place, const auto& out) { runtime::random(seed, place, out); });
}
TEST(Generators, Normal) {
  const std::int64_t seed = 123456789012345;
  compare_generated(Generated::normal, {ElementType::f32, ElementType::f64}, address_of(&seed),
                    [&](const auto& place, const auto& out) { runtime::normal(seed, place, out); });
}
TEST(Generators, Fill) {
  const double value = -7.25;
  compare_generated(Generated::filled, {ElementType::f64}, address_of(&value), [&](const auto&, const auto& out) {
    runtime::fill(reinterpret_cast<const std::byte*>(&value), out);
  });
  const bool yes = true;
  compare_generated(Generated::filled, {ElementType::boolean}, address_of(&yes), [&](const auto&, const auto& out) {
    runtime::fill(reinterpret_cast<const std::byte*>(&yes), out);
  });
}

TEST(Generators, CopiesLiterals) {
  Random random(3);
  HostLauncher launcher(5);
  for (const ElementType element : {ElementType::f32, ElementType::i64, ElementType::boolean}) {
    const synth::Shape shape = {5, 6, 7};
    TestTile literal(random, element, shape);
    for (const runtime::TilePlace& place : cut_places(random, shape)) {
      const synth::Shape own = synth::shape_of(place.box);
      TestOut wanted(element, own);
      TestOut got(element, own);
      synth::Shape begin;
      for (const synth::Interval& interval : place.box) begin.push_back(interval.begin);
      runtime::copy_elements(runtime::part_of(literal.view(), begin, own), wanted.out());
      ASSERT_TRUE(generate(launcher, Generated::copied, {{got.out(), place, address_of(literal.view().data), 0}}).ok());
      ASSERT_EQ(got.difference(wanted), -1);
    }
  }
}

}  // namespace
}  // namespace tessera::device
