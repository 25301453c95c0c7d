// A reshape moves nothing: whatever layouts reshape_layouts picks, every device's tile holds the same elements before
// and after, in the same order.
#include "typeck/layouts/reshape_groups.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace tessera::typeck {
namespace {

using synth::ArrayType;
using synth::AxisList;
using synth::Box;
using synth::Layout;
using synth::MeshRef;
using synth::Shape;

// Row-major numbers of a box's elements, in row-major order of the box.
std::vector<std::int64_t> element_numbers(const Shape& shape, const Box& box) {
  std::vector<std::int64_t> numbers = {0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<std::int64_t> next;
    for (const std::int64_t number : numbers) {
      for (std::int64_t at = box[d].begin; at < box[d].end; ++at) next.push_back(number * shape[d] + at);
    }
    numbers = std::move(next);
  }
  return numbers;
}

ArrayType made(const Shape& shape, const MeshRef& mesh, std::vector<AxisList> splits) {
  auto layout = Layout::make(*mesh, std::move(splits));
  EXPECT_TRUE(layout.ok());
  auto type = ArrayType::make(synth::ElementType::f32, shape, mesh, *layout);
  EXPECT_TRUE(type.ok());
  return *type;
}

MeshRef test_mesh() { return *synth::Mesh::make({{"x", 2}, {"y", 3}, {"z", 2}}); }

ReshapeLayouts reshaped(const Shape& from, std::vector<AxisList> splits, const Shape& to) {
  return reshape_layouts(made(from, test_mesh(), std::move(splits)), to);
}

TEST(ExampleOf, ReshapeGroups) {
  const MeshRef mesh = *synth::Mesh::make({{"x", 4}, {"y", 2}});
  const AxisList x = {synth::whole_axis(*mesh, 0)};
  const AxisList xy = {synth::whole_axis(*mesh, 0), synth::whole_axis(*mesh, 1)};
  EXPECT_EQ(reshape_layouts(made({16, 4}, mesh, {x, {}}), {64}).after, (std::vector<AxisList>{x}));
  EXPECT_EQ(reshape_layouts(made({16}, mesh, {xy}), {4, 4}).after, (std::vector<AxisList>{x, {}}));
}

TEST(ExampleOf, LongerReshape) {
  const MeshRef mesh = *synth::Mesh::make({{"x", 4}});
  const AxisList x = {synth::whole_axis(*mesh, 0)};
  const auto longer = longer_reshape(made({7, 6}, mesh, {x, {}}), made({42}, mesh, {x}));
  ASSERT_TRUE(longer.has_value());
  EXPECT_EQ(longer->before, (Shape{8, 6}));
  EXPECT_EQ(longer->after, (Shape{48}));
  EXPECT_FALSE(longer_reshape(made({8, 6}, mesh, {x, {}}), made({48}, mesh, {x})).has_value());
}

TEST(ReshapeGroups, WhatWouldGetMoreThanTwiceAsLargeHasNoLongerReshape) {
  const MeshRef mesh = *synth::Mesh::make({{"x", 2}, {"y", 2}});
  const AxisList x = {synth::whole_axis(*mesh, 0)};
  const AxisList xy = {synth::whole_axis(*mesh, 0), synth::whole_axis(*mesh, 1)};
  // Tiles of whole rows of 7 and of 5 elements have 35: two of them are twice as much as 35, four of them four times.
  EXPECT_TRUE(longer_reshape(made({5, 7}, mesh, {x, {}}), made({7, 5}, mesh, {x, {}})).has_value());
  EXPECT_FALSE(longer_reshape(made({5, 7}, mesh, {xy, {}}), made({7, 5}, mesh, {xy, {}})).has_value());
}

TEST(ReshapeGroups, AKeptDimensionKeepsItsAxes) {
  const MeshRef mesh = test_mesh();
  const AxisList x = {synth::whole_axis(*mesh, 0)};
  const auto layouts = reshaped({4, 6}, {x, {}}, {4, 2, 3});
  EXPECT_EQ(layouts.after, (std::vector<AxisList>{x, {}, {}}));
}

TEST(ReshapeGroups, TheMajorFactorOfASplitKeepsTheAxesThatStillCut) {
  const MeshRef mesh = test_mesh();
  const AxisList x = {synth::whole_axis(*mesh, 0)};
  const AxisList xy = {synth::whole_axis(*mesh, 0), synth::whole_axis(*mesh, 1)};
  EXPECT_EQ(reshaped({12}, {xy}, {2, 6}).after, (std::vector<AxisList>{x, {}}));
  EXPECT_EQ(reshaped({12}, {xy}, {6, 2}).after, (std::vector<AxisList>{xy, {}}));
}

TEST(ReshapeGroups, AMinorFactorOfAMergeIsGivenUp) {
  const MeshRef mesh = test_mesh();
  const AxisList x = {synth::whole_axis(*mesh, 0)};
  const AxisList y = {synth::whole_axis(*mesh, 1)};
  const auto layouts = reshaped({4, 6}, {x, y}, {24});
  EXPECT_EQ(layouts.before, (std::vector<AxisList>{x, {}}));
  EXPECT_EQ(layouts.after, (std::vector<AxisList>{x}));
}

TEST(ReshapeGroups, UnevenCutsThatDoNotCoincideAreGivenUp) {
  const MeshRef mesh = test_mesh();
  const AxisList y = {synth::whole_axis(*mesh, 1)};
  // 4 rows of 2 on 3 devices are cut at 1 and 2 rows (elements 2, 4); 8 elements at 2 and 5.
  EXPECT_EQ(reshaped({4, 2}, {y, {}}, {8}).after, (std::vector<AxisList>{{}}));
}

TEST(ReshapeGroups, NoElementsKeepNoAxes) {
  const MeshRef mesh = test_mesh();
  const AxisList x = {synth::whole_axis(*mesh, 0)};
  EXPECT_EQ(reshaped({4, 0}, {x, {}}, {0, 7}).after, (std::vector<AxisList>{{}, {}}));
}

// Factors of one product, dealt into two shapes; axes dealt over the first.
struct Sample {
  Shape from;
  Shape to;
  std::vector<AxisList> splits;
};

Shape dealt(const std::vector<std::int64_t>& factors, const std::vector<bool>& breaks) {
  Shape shape = {1};
  for (std::size_t k = 0; k < factors.size(); ++k) {
    if (breaks[k]) shape.push_back(1);
    shape.back() *= factors[k];
  }
  return shape;
}

Sample random_sample() {
  const auto factors = *rc::gen::container<std::vector<std::int64_t>>(5, rc::gen::element<std::int64_t>(1, 2, 3, 4, 5));
  const auto breaks = [] { return *rc::gen::container<std::vector<bool>>(5, rc::gen::arbitrary<bool>()); };
  Sample sample{dealt(factors, breaks()), dealt(factors, breaks()), {}};
  sample.splits.resize(sample.from.size());
  const MeshRef mesh = test_mesh();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto where = *rc::gen::inRange<std::size_t>(0, sample.from.size() + 1);
    if (where < sample.from.size()) sample.splits[where].push_back(synth::whole_axis(*mesh, axis));
  }
  return sample;
}

void expect_same_elements(const Sample& sample, const ReshapeLayouts& layouts) {
  const MeshRef mesh = test_mesh();
  const ArrayType before = made(sample.from, mesh, layouts.before);
  const ArrayType after = made(sample.to, mesh, layouts.after);
  for (std::int64_t device = 0; device < mesh->devices(); ++device) {
    RC_ASSERT(element_numbers(sample.from, synth::tile(before, device)) ==
              element_numbers(sample.to, synth::tile(after, device)));
  }
}

RC_GTEST_PROP(ReshapeGroups, EveryTileHoldsTheSameElementsInTheSameOrder, ()) {
  const Sample sample = random_sample();
  const ArrayType from = made(sample.from, test_mesh(), sample.splits);
  expect_same_elements(sample, reshape_layouts(from, sample.to));
  for (const ReshapeLayouts& layouts : dealt_reshapes(from, sample.to)) {
    expect_same_elements(sample, layouts);
    const auto again = reshape_into(from, sample.to, layouts.after);
    RC_ASSERT(again.has_value() && again->before == layouts.before);
  }
}

RC_GTEST_PROP(ReshapeGroups, TilesOfLongerArraysHoldTheSameElements, ()) {
  const Sample sample = random_sample();
  const MeshRef mesh = test_mesh();
  for (const ReshapeLayouts& layouts : shifted_reshapes(made(sample.from, mesh, sample.splits), sample.to)) {
    const auto longer = longer_reshape(made(sample.from, mesh, layouts.before), made(sample.to, mesh, layouts.after));
    if (!longer.has_value()) continue;
    RC_ASSERT(synth::elements(longer->before) == synth::elements(longer->after));
    RC_ASSERT(synth::elements(longer->before) <= 2 * synth::elements(sample.from));
    for (std::size_t d = 0; d < sample.from.size(); ++d) RC_ASSERT(longer->before[d] >= sample.from[d]);
    for (std::size_t d = 0; d < sample.to.size(); ++d) RC_ASSERT(longer->after[d] >= sample.to[d]);
    expect_same_elements({longer->before, longer->after, {}}, layouts);
  }
}

TEST(ReshapeGroups, WhatIsGivenUpIsDealtWhereCutsCoincide) {
  const MeshRef mesh = *synth::Mesh::make({{"x", 4}, {"y", 2}});
  const AxisList x = {synth::whole_axis(*mesh, 0)};
  const AxisList y = {synth::whole_axis(*mesh, 1)};
  const AxisList xy = {x[0], y[0]};
  const auto dealt = [&](const Shape& from, std::vector<AxisList> splits, const Shape& to) {
    return dealt_reshapes(made(from, mesh, std::move(splits)), to);
  };
  ASSERT_EQ(dealt({8, 16}, {{}, x}, {128}).size(), 1U);
  EXPECT_EQ(dealt({8, 16}, {{}, x}, {128})[0].before, (std::vector<AxisList>{x, {}}));
  EXPECT_EQ(dealt({8, 16}, {x, y}, {128})[0].after, (std::vector<AxisList>{xy}));
  // Of two groups each may be the first to take an axis.
  EXPECT_EQ(dealt({8, 4, 16}, {{}, x, {}}, {32, 16}).size(), 2U);
  EXPECT_TRUE(dealt({3, 16}, {{}, x}, {48}).empty());  // three rows have no cuts for four devices
}

RC_GTEST_PROP(ReshapeGroups, AReshapeToTheSameShapeKeepsEveryAxisOfDimensionsAboveOne, ()) {
  const Sample sample = random_sample();
  const ReshapeLayouts layouts = reshape_layouts(made(sample.from, test_mesh(), sample.splits), sample.from);
  for (std::size_t d = 0; d < sample.from.size(); ++d) {
    if (sample.from[d] > 1) RC_ASSERT(layouts.after[d] == sample.splits[d]);
  }
}

}  // namespace
}  // namespace tessera::typeck
