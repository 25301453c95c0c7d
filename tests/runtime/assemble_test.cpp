// Slices, concatenations, paddings and updates.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "runtime/kinds.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using synth::Placement;
using testing::ElementsAre;

Placement at(std::int64_t add) { return Placement{add, -1, false, false, 0}; }

TEST(Assemble, ASliceOfASplitArray) {
  Builder builder("x:3");
  const RegisterId a = builder.input("i64[7@x]");
  builder.output(builder.apply(synth::Assemble{false, {{0, {at(-2)}}}}, {a}, "i64[4@x]"));
  const auto outcome =
      run_well(builder.program(), {value_of(counting<std::int64_t>(Shape{7}), "i64[7@x]", builder.mesh())});
  EXPECT_THAT(gathered<std::int64_t>(outcome.outputs[0]).values(), ElementsAre(2, 3, 4, 5));
  // Tiles of 7 over 3: 0 to 2, 2 to 4, 4 to 7; of the slice 2, 3 and 4 to 5. The first device receives 2, the second 3
  // from itself, the last nothing.
  EXPECT_EQ(outcome.statistics[0].received_bytes, 8);
}

TEST(Assemble, Concatenation) {
  Builder builder("x:2");
  const RegisterId a = builder.constant(Array<float>(Shape{3}, {1, 2, 3}), "f32[3@x]");
  const RegisterId b = builder.constant(Array<float>(Shape{2}, {8, 9}), "f32[2]");
  builder.output(builder.apply(synth::Assemble{false, {{0, {at(0)}}, {1, {at(3)}}}}, {a, b}, "f32[5@x]"));
  EXPECT_THAT(gathered<float>(run_well(builder.program()).outputs[0]).values(), ElementsAre(1, 2, 3, 8, 9));
}

TEST(Assemble, LaterPartsLieOverEarlierOnes) {
  Builder builder("x:2");
  const RegisterId base = builder.constant(counting<float>(Shape{2, 3}), "f32[2, 3@x]");
  const RegisterId part = builder.constant(Array<float>(Shape{1, 2}, {7, 8}), "f32[1, 2]");
  builder.output(
      builder.apply(synth::Assemble{true, {{1, {at(1), at(-1)}}, {1, {at(0), at(2)}}}}, {base, part}, "f32[2, 3@x]"));
  EXPECT_THAT(gathered<float>(run_well(builder.program()).outputs[0]).values(), ElementsAre(0, 1, 7, 8, 4, 5));
}

TEST(Assemble, ABaseThatIsNeededLaterIsNotOverwritten) {
  Builder builder("x:2");
  const RegisterId base = builder.constant(counting<float>(Shape{3}), "f32[3@x]");
  const RegisterId part = builder.constant(Array<float>(Shape{1}, {7}), "f32[1]");
  builder.output(builder.apply(synth::Assemble{true, {{1, {at(1)}}}}, {base, part}, "f32[3@x]"));
  builder.output(base);
  const auto outcome = run_well(builder.program());
  EXPECT_THAT(gathered<float>(outcome.outputs[0]).values(), ElementsAre(0, 7, 2));
  EXPECT_THAT(gathered<float>(outcome.outputs[1]).values(), ElementsAre(0, 1, 2));
}

// a[start] of n elements, as Python counts: negative positions are from the end.
Builder dynamic_slice(std::int64_t extent, std::int64_t length, std::int64_t start) {
  Builder builder("x:3");
  const RegisterId a = builder.apply(synth::Iota{}, {}, fmt::format("i64[{}@x]", extent));
  const RegisterId index = builder.number(start);
  const Placement placement{0, 1, true, true, extent};
  builder.output(
      builder.apply(synth::Assemble{false, {{0, {placement}}}}, {a, index}, fmt::format("i64[{}@x]", length)));
  return builder;
}

// A small part is copied without a plan, unless somebody watches: devices receive as much.
RC_GTEST_PROP(AssembleProperty, SmallPartsAreCountedAsPlansCountThem, ()) {
  const auto extent = *rc::gen::inRange<std::int64_t>(1, 20);
  const auto length = *rc::gen::inRange<std::int64_t>(1, extent + 1);
  const auto start = *rc::gen::inRange<std::int64_t>(0, extent - length + 1);
  Builder builder = dynamic_slice(extent, length, start);
  World world;
  world.trace = [](const TracedStep&) {};
  const auto planned = run(builder.program(), {}, world);
  RC_ASSERT(planned.ok());
  const Outcome little = run_well(builder.program());
  RC_ASSERT(planned->statistics.size() == little.statistics.size());
  for (std::size_t k = 0; k < little.statistics.size(); ++k) {
    RC_ASSERT(planned->statistics[k].received_bytes == little.statistics[k].received_bytes);
    RC_ASSERT(planned->statistics[k].steps == little.statistics[k].steps);
  }
  RC_ASSERT(gathered<std::int64_t>(planned->outputs[0]).values() == gathered<std::int64_t>(little.outputs[0]).values());
}

RC_GTEST_PROP(AssembleProperty, RunTimeStarts, ()) {
  const auto extent = *rc::gen::inRange<std::int64_t>(1, 10);
  const auto length = *rc::gen::inRange<std::int64_t>(1, extent + 1);
  const auto start = *rc::gen::inRange<std::int64_t>(-extent - 3, extent + 4);
  Builder builder = dynamic_slice(extent, length, start);
  const std::int64_t begin = start < 0 ? start + extent : start;
  if (begin < 0 || begin + length > extent) {
    RC_ASSERT(run_badly(builder.program()).kind == Kind::index_out_of_range);
    return;
  }
  const auto slice = gathered<std::int64_t>(run_well(builder.program()).outputs[0]);
  for (std::int64_t i = 0; i < length; ++i) RC_ASSERT(slice[i] == begin + i);
}

TEST(Assemble, OutOfRangeSaysWhatThereIs) {
  EXPECT_EQ(run_badly(dynamic_slice(8, 1, 9).program()).message, "index 9 is out of range: dimension 0 has 8 elements");
  EXPECT_EQ(run_badly(dynamic_slice(8, 4, 6).program()).message,
            "index 6 is out of range: 4 elements are wanted from there, and dimension 0 has 8 elements");
  EXPECT_EQ(run_badly(dynamic_slice(8, 1, std::numeric_limits<std::int64_t>::min()).program()).kind,
            Kind::index_out_of_range);
  EXPECT_EQ(run_badly(dynamic_slice(8, 1, std::numeric_limits<std::int64_t>::max()).program()).kind,
            Kind::index_out_of_range);
}

TEST(Assemble, PendingPartsStayPending) {
  Builder builder("x:2");
  const RegisterId rows = builder.input("i64[4@x, 3]");
  const RegisterId sums = builder.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {rows}, "i64[3]{+x}");
  builder.output(builder.apply(synth::Assemble{false, {{0, {at(-1)}}}}, {sums}, "i64[2]{+x}"));
  const Value value = value_of(counting<std::int64_t>(Shape{4, 3}), "i64[4@x, 3]", builder.mesh());
  EXPECT_THAT(gathered<std::int64_t>(run_well(builder.program(), {value}).outputs[0]).values(), ElementsAre(22, 26));
}

// One dimension of a part that is laid with steps.
Placement any_placement() {
  Placement placement = at(*rc::gen::inRange<std::int64_t>(-3, 5));
  placement.first = *rc::gen::inRange<std::int64_t>(-2, 7);
  placement.step = *rc::gen::element<std::int64_t>(-3, -2, -1, 1, 2, 3);
  placement.spread = *rc::gen::inRange<std::int64_t>(1, 4);
  return placement;
}

// The position in the part of what lies at a position of the result; -1 where nothing does.
std::int64_t part_position(const Placement& placement, std::int64_t length, std::int64_t index) {
  for (std::int64_t k = -20; k <= 20; ++k) {
    const std::int64_t p = placement.first + placement.step * k;
    if (placement.add + placement.spread * k == index && p >= 0 && p < length) return p;
  }
  return -1;
}

// Any part in any layout, laid over a base with steps and gaps, backwards too.
RC_GTEST_PROP(AssembleProperty, PartsWithStepsOverABase, ()) {
  const auto mesh = random_mesh();
  const Shape extents{*rc::gen::inRange(0, 9), *rc::gen::inRange(0, 9)};
  const Shape lengths{*rc::gen::inRange(0, 9), *rc::gen::inRange(0, 9)};
  const std::vector<Placement> placements = {any_placement(), any_placement()};
  Builder builder(synth::print(*mesh));
  const auto type = random_type(ElementType::i32, extents, builder.mesh());
  const RegisterId base = builder.constant(counting<std::int32_t>(extents), type);
  Array<std::int32_t> part = counting<std::int32_t>(lengths);
  for (std::int64_t i = 0; i < part.size(); ++i) part.data()[i] += 1000;
  const RegisterId over = builder.constant(part, random_type(ElementType::i32, lengths, builder.mesh()));
  builder.output(builder.apply(synth::Assemble{true, {{1, placements}}}, {base, over}, type));
  const auto result = gathered<std::int32_t>(run_well(builder.program()).outputs[0]);
  for_indices(extents, [&](const Shape& index) {
    const Shape p{part_position(placements[0], lengths[0], index[0]),
                  part_position(placements[1], lengths[1], index[1])};
    const std::int64_t i = position(extents, index);
    const bool is_laid = p[0] >= 0 && p[1] >= 0;
    RC_ASSERT(result[i] == (is_laid ? part[position(lengths, p)] : static_cast<std::int32_t>(i)));
  });
}

// Any part in any layout, clipped to a result in any layout, over a base.
RC_GTEST_PROP(AssembleProperty, PartsOverABase, ()) {
  const auto mesh = random_mesh();
  const Shape extents{*rc::gen::inRange(0, 7), *rc::gen::inRange(0, 7)};
  const Shape lengths{*rc::gen::inRange(0, 7), *rc::gen::inRange(0, 7)};
  const Shape shift{*rc::gen::inRange(-4, 6), *rc::gen::inRange(-4, 6)};
  Builder builder(synth::print(*mesh));
  const auto type = random_type(ElementType::i32, extents, builder.mesh());
  const RegisterId base = builder.constant(counting<std::int32_t>(extents), type);
  Array<std::int32_t> part = counting<std::int32_t>(lengths);
  for (std::int64_t i = 0; i < part.size(); ++i) part.data()[i] += 1000;
  const RegisterId over = builder.constant(part, random_type(ElementType::i32, lengths, builder.mesh()));
  builder.output(builder.apply(synth::Assemble{true, {{1, {at(shift[0]), at(shift[1])}}}}, {base, over}, type));
  const auto result = gathered<std::int32_t>(run_well(builder.program()).outputs[0]);
  for_indices(extents, [&](const Shape& index) {
    const Shape p{index[0] - shift[0], index[1] - shift[1]};
    const bool inside = p[0] >= 0 && p[0] < lengths[0] && p[1] >= 0 && p[1] < lengths[1];
    const std::int64_t i = position(extents, index);
    RC_ASSERT(result[i] == (inside ? part[position(lengths, p)] : static_cast<std::int32_t>(i)));
  });
}

// A box of any range by any step, of a part that lies as the result does or repeats.
RC_GTEST_PROP(LayProperty, PutsAPartWhereTheBoxIs, ()) {
  const auto mesh = random_mesh();
  Builder builder(synth::print(*mesh));
  const Shape extents{*rc::gen::inRange(1, 7), *rc::gen::inRange(1, 7)};
  const auto type = random_type(ElementType::i32, extents, builder.mesh());
  Shape own;
  std::vector<synth::AxisList> splits;
  synth::Lay lay;
  std::vector<std::int64_t> starts;
  for (std::size_t d = 0; d < 2; ++d) {
    const bool repeats = extents[d] > 1 && *rc::gen::inRange(0, 3) == 0;
    own.push_back(repeats ? 1 : extents[d]);
    splits.push_back(repeats ? synth::AxisList{} : type.layout().split(d));
    const auto length = *rc::gen::inRange<std::int64_t>(0, extents[d] + 1);
    starts.push_back(*rc::gen::inRange<std::int64_t>(0, extents[d] - length + 1));
    lay.ranges.push_back({starts[d], length, *rc::gen::inRange<std::int64_t>(1, 4)});
  }
  const RegisterId base = builder.constant(counting<std::int32_t>(extents), type);
  Array<std::int32_t> part = counting<std::int32_t>(own);
  for (std::int64_t i = 0; i < part.size(); ++i) part.data()[i] += 1000;
  const auto part_type =
      *synth::ArrayType::make(ElementType::i32, own, type.mesh_ref(), *synth::Layout::make(type.mesh(), splits));
  const RegisterId over = builder.constant(part, part_type);
  std::vector<RegisterId> operands = {base, over};
  for (std::size_t d = 0; d < 2; ++d) {
    if (*rc::gen::inRange(0, 2) == 0) continue;
    const bool wraps = starts[d] > 0 && *rc::gen::inRange(0, 2) == 0;
    lay.ranges[d] = {0, lay.ranges[d].length, lay.ranges[d].step, static_cast<std::int32_t>(operands.size()), wraps};
    operands.push_back(builder.number(wraps ? starts[d] - extents[d] : starts[d]));
  }
  builder.output(builder.apply(lay, operands, type));
  const auto result = gathered<std::int32_t>(run_well(builder.program()).outputs[0]);
  for_indices(extents, [&](const Shape& index) {
    bool inside = true;
    Shape p;
    for (std::size_t d = 0; d < 2; ++d) {
      const std::int64_t at = index[d] - starts[d];
      inside = inside && at >= 0 && at < lay.ranges[d].length && at % lay.ranges[d].step == 0;
      p.push_back(own[d] == 1 ? 0 : index[d]);
    }
    const std::int64_t i = position(extents, index);
    RC_ASSERT(result[i] == (inside ? part[position(own, p)] : static_cast<std::int32_t>(i)));
  });
}

TEST(Lay, ABoxThatLeavesTheArrayIsAMistake) {
  Builder builder("x:2");
  const RegisterId base = builder.apply(synth::Iota{}, {}, "i64[5@x]");
  const RegisterId part = builder.constant(Array<std::int64_t>(Shape{1}, {7}), "i64[1]");
  builder.output(builder.apply(synth::Lay{{{0, 3, 1, 2}}}, {base, part, builder.number(3)}, "i64[5@x]"));
  EXPECT_EQ(run_badly(builder.program()).message,
            "index 3 is out of range: 3 elements are wanted from there, and dimension 0 has 5 elements");
}

}  // namespace
}  // namespace tessera::runtime::test
