// Collectives on simulated devices.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "synth/moves/collective/moves.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using synth::CollectiveKind;
using testing::ElementsAre;

template <class T>
std::vector<T> tile_of(const Value& value, std::int64_t device) {
  const auto bytes = value.tile(device);
  std::vector<T> elements(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(elements.data(), bytes.data(), bytes.size());
  return elements;
}

// One collective from one type to another, on a counting array.
struct Moved {
  Value before;
  Outcome outcome;
  const Value& after() const { return outcome.outputs.at(0); }
};
Moved move(CollectiveKind kind, const synth::ArrayType& from, const synth::ArrayType& to) {
  Builder builder("");
  const RegisterId in = builder.input(from);
  builder.output(builder.collect(kind, in, to));
  const Value value = value_of(counting<float>(from.shape()), from);
  return {value, run_well(builder.program(), {value})};
}
Moved move(CollectiveKind kind, std::string_view mesh, std::string_view from, std::string_view to) {
  const auto grid = mesh_of(mesh);
  return move(kind, type_of(from, grid), type_of(to, grid));
}

void expect_same_array(const Moved& moved) { EXPECT_EQ(gather(moved.after())->bytes, gather(moved.before)->bytes); }

TEST(Collect, EachKindKeepsTheArray) {
  const char* mesh = "x:2,y:3";
  expect_same_array(move(CollectiveKind::slice, mesh, "f32[7@x, 5]", "f32[7@(x,y), 5]"));
  expect_same_array(move(CollectiveKind::slice, mesh, "f32[7@x, 5]", "f32[7@x, 5@y]"));
  expect_same_array(move(CollectiveKind::all_gather, mesh, "f32[7@(x,y), 5]", "f32[7@x, 5]"));
  expect_same_array(move(CollectiveKind::all_to_all, mesh, "f32[7@(x,y), 5]", "f32[7@x, 5@y]"));
  expect_same_array(move(CollectiveKind::permute, mesh, "f32[6@x, 6@y]", "f32[6@x, 6@y]"));
  expect_same_array(move(CollectiveKind::exchange, mesh, "f32[7@x, 5@y]", "f32[7@y, 5@x]"));
  expect_same_array(move(CollectiveKind::keep, mesh, "f32[7@x, 5]", "f32[7@x, 5]{+y}"));
}

TEST(Collect, SlicesAreViewsOfTheirSource) {
  const auto moved = move(CollectiveKind::slice, "x:4", "f32[8, 4]", "f32[8@x, 4]");
  EXPECT_EQ(moved.outcome.peak_bytes, 8 * 4 * 4);
  EXPECT_THAT(tile_of<float>(moved.after(), 3), ElementsAre(24, 25, 26, 27, 28, 29, 30, 31));
}

TEST(Collect, EmptyTilesMoveNothing) {
  expect_same_array(move(CollectiveKind::exchange, "x:5", "f32[3@x, 2]", "f32[3, 2@x]"));
  expect_same_array(move(CollectiveKind::exchange, "x:2", "f32[0@x, 2]", "f32[0, 2@x]"));
}

// Steps that outgrow the caches are cut and ordered by what they read.
TEST(Collect, OfLargeArraysKeepsTheArray) {
  expect_same_array(move(CollectiveKind::exchange, "x:3", "f32[1, 2600@x, 2601]", "f32[1, 2600, 2601@x]"));
  expect_same_array(move(CollectiveKind::exchange, "x:2,y:2", "f32[301@x, 151, 152@y]", "f32[301, 151@(y,x), 152]"));
  expect_same_array(move(CollectiveKind::all_gather, "x:3", "f32[1601@x, 1602]", "f32[1601, 1602]"));
}

// So many copies are not held at once.
TEST(Collect, BetweenManyDevicesKeepsTheArray) {
  expect_same_array(move(CollectiveKind::all_to_all, "x:130", "f32[131@x, 257]", "f32[131, 257@x]"));
  expect_same_array(move(CollectiveKind::exchange, "x:12,y:11", "f32[131@x, 257@y]", "f32[131@y, 257@x]"));
  const auto all = move(CollectiveKind::all_gather, "x:130", "f32[131@x]", "f32[131]");
  EXPECT_EQ(all.outcome.statistics.at(0).received_bytes, 4 * (130 * 131 - 131));
  expect_same_array(all);
}

TEST(Collect, CountsWhatDevicesReceive) {
  // The devices receive 20, 32, 40 and 32 bytes.
  const auto moved = move(CollectiveKind::exchange, "x:4", "f32[6@x, 7]", "f32[6, 7@x]");
  ASSERT_EQ(moved.outcome.statistics.size(), 1U);
  EXPECT_EQ(moved.outcome.statistics[0].received_bytes, 124);
  EXPECT_EQ(moved.outcome.statistics[0].steps, 1);
}

TEST(Collect, ExchangesBetweenMeshes) {
  const auto from = type_of("f32[6@x, 4]", mesh_of("x:4"));
  const auto to = type_of("f32[6@b, 4@a]", mesh_of("a:2,b:2"));
  expect_same_array(move(CollectiveKind::exchange, from, to));
}

RC_GTEST_PROP(CollectProperty, AnyExchangeKeepsTheArray, ()) {
  Shape shape;
  const auto rank = *rc::gen::inRange<std::size_t>(0, 4);
  for (std::size_t d = 0; d < rank; ++d) shape.push_back(*rc::gen::inRange(0, 9));
  const auto mesh = random_mesh();
  const auto moved = move(CollectiveKind::exchange, random_type(ElementType::f32, shape, mesh),
                          random_type(ElementType::f32, shape, mesh));
  RC_ASSERT(gather(moved.after())->bytes == gather(moved.before)->bytes);
  for (std::int64_t device = 0; device < mesh->devices(); ++device) {
    RC_ASSERT(static_cast<std::int64_t>(moved.after().tile(device).size()) ==
              synth::tile_bytes(moved.after().type(), device));
  }
}

// ---- Reductions
// ---------------------------------------------------------------------------------------------------------

// An array pending over x whose parts are made from the device's own tile: sums of rows that are split.
Builder row_sums(std::string_view mesh, std::string_view rows, std::string_view pending, CollectiveKind kind,
                 std::string_view to, synth::ReduceKind reduce = synth::ReduceKind::sum) {
  Builder builder(mesh);
  const RegisterId in = builder.input(rows);
  const RegisterId parts = builder.apply(synth::Reduce{reduce, {0}}, {in}, pending);
  builder.output(builder.collect(kind, parts, to));
  return builder;
}

template <class T>
Outcome run_on_counting(Builder& builder) {
  const auto& type = builder.program().registers[builder.program().inputs[0]];
  return run_well(builder.program(), {value_of(counting<T>(type.shape()), type)});
}

TEST(Reduction, AllReduceAndReduceScatter) {
  auto all = row_sums("x:3", "i64[5@x, 4]", "i64[4]{+x}", CollectiveKind::all_reduce, "i64[4]");
  const Outcome everywhere = run_on_counting<std::int64_t>(all);
  for (std::int64_t device = 0; device < 3; ++device) {
    EXPECT_THAT(tile_of<std::int64_t>(everywhere.outputs[0], device), ElementsAre(40, 45, 50, 55));
  }
  // all_reduce: 2 L (p - 1) in all; reduce_scatter: every device its part of the two others'.
  EXPECT_EQ(everywhere.statistics.back().received_bytes, 2 * 32 * 2);
  auto scattered = row_sums("x:3", "i64[5@x, 4]", "i64[4]{+x}", CollectiveKind::reduce_scatter, "i64[4@x]");
  const Outcome parts = run_on_counting<std::int64_t>(scattered);
  EXPECT_THAT(tile_of<std::int64_t>(parts.outputs[0], 0), ElementsAre(40));
  EXPECT_THAT(tile_of<std::int64_t>(parts.outputs[0], 2), ElementsAre(50, 55));
  EXPECT_EQ(parts.statistics.back().received_bytes, 32 * 2);
}

TEST(Reduction, MaximumAndMinimum) {
  auto max =
      row_sums("x:3", "f32[5@x, 2]", "f32[2]{max x}", CollectiveKind::all_reduce, "f32[2]", synth::ReduceKind::max);
  EXPECT_THAT(tile_of<float>(run_on_counting<float>(max).outputs[0], 1), ElementsAre(8, 9));
  auto min =
      row_sums("x:3", "f32[5@x, 2]", "f32[2]{min x}", CollectiveKind::all_reduce, "f32[2]", synth::ReduceKind::min);
  EXPECT_THAT(tile_of<float>(run_on_counting<float>(min).outputs[0], 2), ElementsAre(0, 1));
}

TEST(Reduction, ADeviceWithoutRowsAddsNothing) {
  auto sums = row_sums("x:4", "f32[2@x, 2]", "f32[2]{+x}", CollectiveKind::all_reduce, "f32[2]");
  EXPECT_THAT(tile_of<float>(run_on_counting<float>(sums).outputs[0], 3), ElementsAre(2, 4));
}

TEST(Reduction, NanWinsInAMaximum) {
  Builder builder =
      row_sums("x:2", "f32[2@x, 1]", "f32[1]{max x}", CollectiveKind::all_reduce, "f32[1]", synth::ReduceKind::max);
  const Array<float> array(Shape{2, 1}, {std::nanf(""), 3.0F});
  const Value value = value_of(array, "f32[2@x, 1]", builder.mesh());
  EXPECT_TRUE(std::isnan(tile_of<float>(run_well(builder.program(), {value}).outputs[0], 1)[0]));
}

// The contributors join left to right in ascending position, so that all_reduce, reduce_scatter and gather agree to the
// bit.
RC_GTEST_PROP(ReductionProperty, AllWaysToSumHaveTheSameBits, ()) {
  const auto n = *rc::gen::inRange<std::int64_t>(1, 9);
  const auto rows = *rc::gen::inRange<std::int64_t>(0, 9);
  Array<float> array(Shape{rows, n});
  for (std::int64_t i = 0; i < array.size(); ++i) array.data()[i] = std::exp(static_cast<float>((i * 37) % 40) - 20.0F);
  const std::string in = fmt::format("f32[{}@(y,x), {}]", rows, n);
  const std::string pending = fmt::format("f32[{}]{{+x,y}}", n);
  const auto result = [&](CollectiveKind kind, const std::string& to) {
    Builder builder = row_sums("x:2,y:3", in, pending, kind, to);
    const Value value = value_of(array, in, builder.mesh());
    return gather(run_well(builder.program(), {value}).outputs[0])->bytes;
  };
  Builder unresolved("x:2,y:3");
  const RegisterId rows_in = unresolved.input(in);
  unresolved.output(unresolved.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {rows_in}, pending));
  const Value value = value_of(array, in, unresolved.mesh());
  const auto all = result(CollectiveKind::all_reduce, fmt::format("f32[{}]", n));
  RC_ASSERT(gather(run_well(unresolved.program(), {value}).outputs[0])->bytes == all);
}

TEST(Keep, OthersHoldTheIdentity) {
  const auto sum = move(CollectiveKind::keep, "x:2", "f32[1]", "f32[1]{+x}");
  EXPECT_TRUE(std::signbit(tile_of<float>(sum.after(), 1)[0]));
  const auto max = move(CollectiveKind::keep, "x:2", "f32[1]", "f32[1]{max x}");
  EXPECT_EQ(tile_of<float>(max.after(), 1)[0], -std::numeric_limits<float>::infinity());
  const auto min = move(CollectiveKind::keep, "x:2", "f32[1]", "f32[1]{min x}");
  EXPECT_EQ(tile_of<float>(min.after(), 1)[0], std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace tessera::runtime::test
