// Positions of greatest and least elements, emulated, beside those of the host.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/device/steps/arg_reductions.hpp"
#include "runtime/kernels/reduce.hpp"
#include "tests/device/host_launcher.hpp"
#include "tests/device/random_tiles.hpp"

namespace tessera::device {
namespace {

using runtime::TileOut;
using runtime::TileView;
using synth::ElementType;
using LineDimensions = std::vector<std::uint8_t>;

struct SearchedTile {
  ElementType element = ElementType::f32;
  synth::Shape shape, out_shape;
  Lying from;
  std::vector<std::int64_t> out, expected;

  TileView view() { return {element, shape, from.strides, from.begin(element)}; }
  TileOut tile(std::vector<std::int64_t>& memory) {
    return {ElementType::i64, out_shape, reinterpret_cast<std::byte*>(memory.data())};
  }
};

// Many elements are equal, so that the first of them has to be found.
SearchedTile searched(RandomTiles& random, bool max, ElementType element, const synth::Shape& shape,
                      const LineDimensions& dimensions, const LyingWays& ways) {
  SearchedTile result{element, shape, {}, lying(random, element, shape, ways), {}, {}};
  result.from.memory = random.numbers(element, result.from.memory.size());
  if (random.chance(50)) {
    synth::visit_element(element, [&](auto zero) {
      using T = decltype(zero);
      auto* const values = reinterpret_cast<T*>(result.from.memory.data());
      for (std::size_t i = 0; i < result.from.memory.size() / sizeof(T); ++i)
        values[i] = static_cast<T>(random.number(0, 3));
    });
  }
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (std::find(dimensions.begin(), dimensions.end(), d) == dimensions.end()) result.out_shape.push_back(shape[d]);
  }
  result.out.assign(static_cast<std::size_t>(runtime::count(result.out_shape)), -5);
  result.expected = result.out;
  runtime::arg_reduce(max, result.view(), dimensions, result.tile(result.expected));
  return result;
}

void expect_found(HostLauncher& launcher, bool max, const LineDimensions& dimensions, std::vector<SearchedTile>& all) {
  std::vector<ArgReducePart> parts;
  for (SearchedTile& one : all) parts.push_back({one.view(), one.tile(one.out)});
  const base::Status status = arg_reduce(launcher, max, dimensions, parts);
  ASSERT_TRUE(status.ok()) << status.errors()[0].message;
  for (const SearchedTile& one : all) ASSERT_EQ(one.out, one.expected);
  launcher.step_ends();
}

const std::vector<ElementType> kSearchedTypes{ElementType::f32, ElementType::f64, ElementType::i32,
                                              ElementType::boolean};

LineDimensions some_dimensions(RandomTiles& random, std::size_t rank) {
  LineDimensions dimensions;
  for (std::size_t d = 0; d < rank; ++d) {
    if (random.chance(50)) dimensions.push_back(static_cast<std::uint8_t>(d));
  }
  return dimensions;
}

TEST(DeviceArgReduce, EqualsTheHostsForRandomTiles) {
  RandomTiles random(1);
  HostLauncher launcher(1);
  for (int turn = 0; turn < 200; ++turn) {
    launcher.set_seed(static_cast<std::uint64_t>(turn) * 91);
    const bool max = random.chance(70);
    const ElementType element = max ? random.one_of(kSearchedTypes) : ElementType::f32;
    const auto rank = static_cast<std::size_t>(random.number(1, 4));
    const LineDimensions dimensions = some_dimensions(random, rank);
    const LyingWays ways =
        random.chance(70) ? LyingWays{false, false, false, false} : LyingWays{true, true, true, true};
    std::vector<SearchedTile> all;
    for (std::int64_t tile = random.number(1, 3); tile-- > 0;)
      all.push_back(searched(random, max, element, random.shape(rank, random.number(1, 20000)), dimensions, ways));
    expect_found(launcher, max, dimensions, all);
  }
}

TEST(DeviceArgReduce, LongLines) {
  RandomTiles random(2);
  HostLauncher launcher(7, 16);
  constexpr LyingWays kDense{false, false, false, false};
  std::vector<SearchedTile> rows;
  rows.push_back(searched(random, true, ElementType::f32, {3, 200000}, {1}, kDense));
  rows.push_back(searched(random, true, ElementType::f32, {1, 99999}, {1}, kDense));
  expect_found(launcher, true, {1}, rows);
  std::vector<SearchedTile> columns;
  columns.push_back(searched(random, true, ElementType::f32, {100000, 3}, {0}, kDense));
  columns.push_back(searched(random, true, ElementType::f32, {5000, 40}, {0}, kDense));
  expect_found(launcher, true, {0}, columns);
}

TEST(DeviceFind, EqualsTheHosts) {
  RandomTiles random(3);
  HostLauncher launcher(4);
  for (int turn = 0; turn < 60; ++turn) {
    const auto rank = static_cast<std::size_t>(random.number(1, 4));
    const LineDimensions dimensions = some_dimensions(random, rank);
    SearchedTile tile = searched(random, true, ElementType::f32, random.shape(rank, random.number(1, 5000)), dimensions,
                                 {random.chance(30), random.chance(30), false, false});
    std::vector<std::byte> wanted(tile.out.size() * sizeof(float));
    const TileOut best{ElementType::f32, tile.out_shape, wanted.data()};
    runtime::reduce(synth::ReduceKind::max, tile.view(), dimensions, best);
    for (float* value = reinterpret_cast<float*>(wanted.data());
         value != reinterpret_cast<float*>(wanted.data() + wanted.size()); ++value) {
      if (random.chance(30)) *value += 1;  // which is in another tile
    }
    runtime::LinePlace place;
    for (const std::uint8_t d : dimensions) {
      place.begins.push_back(random.number(0, 9));
      place.extents.push_back(place.begins.back() + tile.shape[d] + random.number(0, 9));
    }
    runtime::find(true, tile.view(), dense_view(best), dimensions, place, tile.tile(tile.expected));
    const std::vector<FindPart> parts{{tile.view(), dense_view(best), place, tile.tile(tile.out)}};
    const base::Status status = find(launcher, true, dimensions, parts);
    ASSERT_TRUE(status.ok()) << status.errors()[0].message;
    ASSERT_EQ(tile.out, tile.expected);
    launcher.step_ends();
  }
}

}  // namespace
}  // namespace tessera::device
