// The worked examples of the texts of kernels, each under its header's name, on this processor and without a launch.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "runtime/device/text/arg_reduce.hpp"
#include "runtime/device/text/product.hpp"
#include "runtime/device/text/radix.hpp"
#include "runtime/device/text/row_chain.hpp"
#include "runtime/device/text/scan.hpp"
#include "runtime/device/text/sort.hpp"
#include "runtime/device/text/take.hpp"
#include "runtime/device/text/term_sums.hpp"

namespace tessera::kernel {
namespace {

std::uint64_t place_of_data(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

template <class K>
void run_on_host(const typename K::Args& args, std::int64_t blocks) {
  emulate<K>(&args, blocks, 7);
}

template <int N>
Walk<N> walk_along(std::int64_t extent) {
  Walk<N> walk;
  walk.extents[0] = extent;
  for (auto& steps : walk.steps) steps[0] = 1;
  return walk;
}

TEST(ExampleOf, Sort) {
  using Order = SortOrder<float, false, false>;
  EXPECT_LT(Order::key_of(-1), Order::key_of(-0.0F));
  EXPECT_LT(Order::key_of(-0.0F), Order::key_of(0));
  EXPECT_LT(Order::key_of(3), Order::key_of(std::numeric_limits<float>::quiet_NaN()));
  using Places = SortOrder<float, true, false>;
  EXPECT_EQ(Places::key_of(-0.0F), Places::key_of(0));

  const std::array<float, 3> row = {3, 1, 2};
  std::array<std::int64_t, 3> positions = {};
  SortTile tile;
  tile.from = place_of_data(row.data());
  tile.out = place_of_data(positions.data());
  tile.rows = 1;
  tile.length = 3;
  tile.count = 3;
  tile.from_step = 1;
  tile.row_walk = walk_along<2>(1);
  run_on_host<SortRow<float, 4, true, false>>({place_of_data(&tile), 1}, 1);
  EXPECT_EQ(positions, (std::array<std::int64_t, 3>{1, 2, 0}));
}

TEST(ExampleOf, Radix) {
  std::array<std::uint32_t, 3> keys = {300, 5, 130};
  std::array<std::uint32_t, 3> positions = {0, 1, 2};
  std::array<std::uint32_t, 3> keys_to = {};
  std::array<std::uint32_t, 3> positions_to = {};
  std::vector<std::uint32_t> counts(2 * kDigits);
  RadixTile tile{place_of_data(keys.data()),
                 place_of_data(positions.data()),
                 place_of_data(keys_to.data()),
                 place_of_data(positions_to.data()),
                 place_of_data(counts.data()),
                 0,
                 3,
                 1};
  for (const std::int64_t shift : {0, kRadixBits}) {
    const RadixArgs args{place_of_data(&tile), 1, shift};
    run_on_host<CountDigits<std::uint32_t>>(args, 1);
    run_on_host<AddCounts>(args, kDigits);
    run_on_host<PlaceKeys<std::uint32_t>>(args, 1);
    if (shift == 0) {
      EXPECT_EQ(keys_to, (std::array<std::uint32_t, 3>{130, 5, 300}));
    }
    keys = keys_to;
    positions = positions_to;
  }
  EXPECT_EQ(keys, (std::array<std::uint32_t, 3>{5, 130, 300}));
  EXPECT_EQ(positions, (std::array<std::uint32_t, 3>{1, 2, 0}));
}

TEST(ExampleOf, Scan) {
  ScanTile tile;
  tile.lines = 2;
  tile.length = 258;
  tile.from_step = 2;
  tile.to_step = 2;
  tile.line_walk = walk_along<2>(2);
  EXPECT_EQ(blocks_of(tile), 2);
  const ScanRun third = run_of(tile, 2);
  EXPECT_EQ(third.from, 256 * 2);
  EXPECT_EQ(third.count, 2);
  EXPECT_EQ(run_of(tile, 1).from, 1);
  EXPECT_EQ(run_of(tile, 1).count, 256);
  EXPECT_EQ(run_of(tile, 4).count, 0);
}

TEST(ExampleOf, ArgReduce) {
  using Better = BetterCandidate<true, float>;
  const Candidate<float> third{2, 3};
  EXPECT_EQ(Better::combine({2, 5}, third).position, 3);
  EXPECT_EQ(Better::combine(third, {2, 5}).position, 3);
  EXPECT_EQ(Better::combine(third, {std::numeric_limits<float>::quiet_NaN(), 7}).position, 7);
  EXPECT_EQ(Better::combine({9, -1}, third).position, 3);
}

TEST(ExampleOf, Take) {
  const std::array<float, 4> first_rows = {10, 11, 20, 21};
  const std::array<float, 2> last_row = {30, 31};
  const std::array<RowSource, 2> sources = {RowSource{place_of_data(first_rows.data()), 0, 2, 2},
                                            RowSource{place_of_data(last_row.data()), 2, 1, 2}};
  const std::array<std::int64_t, 2> ids = {-1, 0};
  std::array<float, 4> taken = {};
  TakeTile tile;
  tile.out = place_of_data(taken.data());
  tile.sources = place_of_data(sources.data());
  tile.source_count = 2;
  tile.length = 2;
  tile.blocks = {divisor_of(2), 128, 1, 2};
  tile.ids = {place_of_data(ids.data()), 2, -3, 3, 3, 1, walk_along<1>(2)};
  tile.row = walk_along<1>(2);
  std::uint64_t fault = kNoFault;
  run_on_host<Take<float>>({place_of_data(&tile), 1, {place_of_data(&fault), 0}, 0}, 1);
  EXPECT_EQ(taken, (std::array<float, 4>{30, 31, 10, 11}));
  EXPECT_EQ(fault, kNoFault);
}

TEST(ExampleOf, Product) {
  using ByTerms = ProductSide<float, 64, Way::terms>;
  using ByLanes = ProductSide<float, 64, Way::lanes>;
  EXPECT_EQ(ByTerms::kItems, 8);
  EXPECT_EQ(ByTerms::place_of(0, 17).lane, 1);
  EXPECT_EQ(ByTerms::place_of(0, 17).term, 1);
  EXPECT_EQ(ByLanes::place_of(0, 17).lane, 17);
  EXPECT_EQ(ByLanes::place_of(0, 17).term, 0);
  EXPECT_EQ(ByLanes::place_of(1, 17).term, 2);
}

// In pairs: (1 + 1e8) + (-1e8 + 1) is 0 in f32; from left to right it would be 1.
TEST(ExampleOf, TermSums) {
  const std::array<float, 4> parts = {1, 1e8F, -1e8F, 1};
  float sum = -1;
  const PartsTile tile{place_of_data(parts.data()), place_of_data(&sum), 0, 1, 4};
  run_on_host<JoinParts<float>>({place_of_data(&tile), 1}, 1);
  EXPECT_EQ(sum, 0);
  EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), 0.0F), 1);
}

struct AddedFloats {
  static float identity() { return -0.0F; }
  static float combine(float a, float b) { return a + b; }
};

// (1 + 1e8) + (-1e8 + 1) is 0 in f32, and another 5 gives 5; from left to right it would be 6.
TEST(ExampleOf, RowChain) {
  EXPECT_EQ((RowPlace{0, 0, 0, 260}.blocks()), 3);
  const std::array<float, 5> values = {1, 1e8F, -1e8F, 1, 5};
  const auto value = [&](int i) { return values[static_cast<std::size_t>(i)]; };
  EXPECT_EQ((join_pairs<AddedFloats, float, 8>(5, value)), 5);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0.0F), 6);

  std::array<float, 17> pieces = {};
  pieces[0] = 1e8F;
  pieces[1] = 1;
  pieces[15] = -1e8F;
  pieces[16] = 7;
  float joined = -1;
  run_on_host<JoinPieces<AddedFloats, float>>({place_of_data(pieces.data()), place_of_data(&joined), 17}, 1);
  EXPECT_EQ(joined, 7);
}

}  // namespace
}  // namespace tessera::kernel
