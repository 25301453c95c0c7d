// Meshes, layouts, tiles: their invariants and the equality of types.
#include <limits>
#include <set>

#include "tests/synth/generators.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

using ::testing::ElementsAre;

std::vector<std::int64_t> cut_points(std::int64_t extent, std::int64_t parts) {
  std::vector<std::int64_t> points;
  for (std::int64_t t = 0; t < parts; ++t) points.push_back(share(extent, parts, t).begin);
  points.push_back(share(extent, parts, parts - 1).end);
  return points;
}

TEST(MeshTest, NumbersDevicesRowMajor) {
  const MeshRef on = mesh("x:4,y:2");
  EXPECT_EQ(on->devices(), 8);
  EXPECT_EQ(on->coordinate(2, 0), 1);
  EXPECT_EQ(on->coordinate(2, 1), 0);
  EXPECT_EQ(on->stride(0), 2);
  EXPECT_EQ(on->find("y"), std::optional<std::size_t>(1));
  EXPECT_EQ(on->find("z"), std::nullopt);
}

TEST(MeshTest, MayHaveItsDevicesInAnyOrder) {
  const MeshRef on = *Mesh::ordered({{"x", 2}, {"y", 2}}, {3, 0, 2, 1});
  EXPECT_EQ(on->coordinate(0, 0), 0);
  EXPECT_EQ(on->coordinate(0, 1), 1);
  EXPECT_EQ(on->coordinate(1, 0), 1);
  const ArrayType split = type("i32[4@(x,y)]", on);
  EXPECT_EQ(tile(split, 3), (Box{{0, 1}}));
  EXPECT_EQ(tile(split, 2), (Box{{2, 3}}));
  EXPECT_FALSE(*on == *mesh("x:2,y:2"));
  EXPECT_TRUE(**Mesh::ordered({{"x", 2}, {"y", 2}}, {0, 1, 2, 3}) == *mesh("x:2,y:2"));
}

TEST(MeshTest, RefusesWhatIsNoOrderOfItsDevices) {
  EXPECT_EQ(first_error(Mesh::ordered({{"x", 2}}, {0, 0})), "internal");
  EXPECT_EQ(first_error(Mesh::ordered({{"x", 2}}, {0})), "internal");
}

TEST(MeshTest, OfNoAxesIsOneDevice) {
  EXPECT_EQ(Mesh::single_device()->devices(), 1);
  EXPECT_EQ(print(*Mesh::single_device()), "");
  EXPECT_EQ(*mesh(""), *Mesh::single_device());
}

TEST(MeshTest, RefusesWhatIsNoMesh) {
  EXPECT_EQ(first_error(parse_mesh("x:4,x:2")), "axis-repeated");
  EXPECT_EQ(first_error(parse_mesh("x:0")), "mesh-axis-size");
  EXPECT_EQ(first_error(parse_mesh("x:-3")), "mesh-axis-size");
  EXPECT_EQ(first_error(parse_mesh("x:300,y:300")), "mesh-too-large");
  EXPECT_EQ(first_error(parse_mesh("x:99999999999999999999")), "mesh-too-large");
  EXPECT_EQ(first_error(parse_mesh("a:1,b:1,c:1,d:1,e:1,f:1,g:1,h:1,i:1")), "mesh-axes-too-many");
  for (const char* text : {"x", "x:", "x:4,", ",", "x:4 y:2", "4:x", "x:4;", "x=4", "\xff:4"}) {
    EXPECT_EQ(first_error(parse_mesh(text)), "bad-mesh-text") << text;
  }
  EXPECT_EQ(mesh("x:256,y:256")->devices(), kDevicesMax);
}

TEST(LayoutTest, IsCanonical) {
  const MeshRef on = mesh("x:8,y:2,one:1");
  const AxisPart major{0, 1, 2};
  const AxisPart minor{0, 2, 4};
  const auto merged = Layout::make(*on, {{major, minor}, {whole_axis(*on, 2)}});
  const auto whole = Layout::make(*on, {{whole_axis(*on, 0)}, {}});
  EXPECT_EQ(*merged, *whole);
  const auto apart = Layout::make(*on, {{minor, major}, {}});
  EXPECT_NE(*apart, *whole);
  const auto pending = Layout::make(*on, {{}}, {whole_axis(*on, 1), whole_axis(*on, 0)}, ReduceOp::max);
  EXPECT_THAT(pending->pending(), ElementsAre(whole_axis(*on, 0), whole_axis(*on, 1)));
  const auto none = Layout::make(*on, {{}}, {whole_axis(*on, 2)}, ReduceOp::max);
  EXPECT_EQ(none->reduce(), ReduceOp::sum);
}

TEST(LayoutTest, RefusesAnAxisUsedTwice) {
  const MeshRef on = mesh("x:6,y:2");
  const AxisPart x = whole_axis(*on, 0);
  const auto two = Layout::make(*on, {{x}, {x}});
  EXPECT_EQ(first_error(two), "axis-used-twice");
  EXPECT_EQ(first_message(two), "mesh axis `x` splits two dimensions of one array");
  EXPECT_EQ(first_message(Layout::make(*on, {{x, x}})), "mesh axis `x` splits one dimension twice");
  EXPECT_EQ(first_message(Layout::make(*on, {{x}}, {x})), "mesh axis `x` splits a dimension and is pending as well");
  EXPECT_EQ(first_message(Layout::make(*on, {{}}, {x, x})), "mesh axis `x` is pending twice in one array");
  // 2*3 and 3*2 cannot co-exist.
  EXPECT_EQ(first_error(Layout::make(*on, {{AxisPart{0, 1, 2}}, {AxisPart{0, 3, 2}}})), "axis-used-twice");
  EXPECT_TRUE(Layout::make(*on, {{AxisPart{0, 1, 2}}, {AxisPart{0, 2, 3}}}).ok());
  EXPECT_EQ(first_error(Layout::make(*on, {{AxisPart{0, 1, 4}}})), "bad-axis-part");
  EXPECT_EQ(first_error(Layout::make(*on, {{AxisPart{7, 1, 2}}})), "unknown-axis");
}

TEST(CutTest, FollowsTheGlobalFormula) {
  EXPECT_THAT(cut_points(8, 6), ElementsAre(0, 1, 2, 4, 5, 6, 8));
  EXPECT_THAT(cut_points(2, 4), ElementsAre(0, 0, 1, 1, 2));
  EXPECT_THAT(cut_points(0, 3), ElementsAre(0, 0, 0, 0));
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(share(kHuge, 65'536, 65'535).end, kHuge);
}

// The lesson of 8 over 3, then 2: nested and flat cuts agree.
TEST(CutTest, NestedCutsAreTheGlobalOnes) {
  const ArrayType nested = type("f32[8@(x,y)]", "x:3,y:2");
  std::vector<std::int64_t> begins;
  for (std::int64_t device = 0; device < 6; ++device) begins.push_back(tile(nested, device)[0].begin);
  EXPECT_THAT(begins, ElementsAre(0, 1, 2, 4, 5, 6));
}

RC_GTEST_PROP(CutProperty, CoarseCutsAreAmongTheFineOnes, ()) {
  const auto extent = *rc::gen::inRange<std::int64_t>(0, 1000);
  const auto p = *rc::gen::inRange<std::int64_t>(1, 40);
  const auto q = *rc::gen::inRange<std::int64_t>(1, 40);
  const auto fine = cut_points(extent, p * q);
  const std::set<std::int64_t> known(fine.begin(), fine.end());
  for (const std::int64_t point : cut_points(extent, p)) RC_ASSERT(known.count(point) == 1U);
}

RC_GTEST_PROP(TileProperty, TilesPartitionTheArray, ()) {
  const MeshRef on = any_mesh();
  const ArrayType array = any_type(on, any_shape(*rc::gen::inRange<std::size_t>(0, 4), 9), true);
  std::int64_t total = 0;
  std::int64_t largest = 0;
  for (std::int64_t device = 0; device < on->devices(); ++device) {
    const Box box = tile(array, device);
    RC_ASSERT(contains(whole(array.shape()), box));
    total += elements(box);
    largest = std::max(largest, tile_bytes(array, device));
    for (std::int64_t other = 0; other < device; ++other) {
      const Box both = intersect(box, tile(array, other));
      RC_ASSERT(empty(both) || (both == box && both == tile(array, other)));
    }
  }
  const std::int64_t holders = copies(array) * shard_count(array.layout().pending());
  RC_ASSERT(total == elements(array.shape()) * holders);
  RC_ASSERT(largest == tile_bytes_max(array));
}

TEST(ArrayTypeTest, RefusesWhatCannotBe) {
  const MeshRef on = mesh("x:2");
  EXPECT_EQ(first_error(ArrayType::replicated(ElementType::f32, {-1}, on)), "negative-extent");
  constexpr std::int64_t kLarge = std::int64_t{1} << 31;
  EXPECT_EQ(first_error(ArrayType::replicated(ElementType::f32, {kLarge, kLarge}, on)), "size-too-large");
  EXPECT_EQ(first_error(ArrayType::replicated(ElementType::f32, {0, kLarge, kLarge}, on)), "size-too-large");
  EXPECT_TRUE(ArrayType::replicated(ElementType::boolean, {kLarge, kLarge}, on).ok());
  EXPECT_EQ(first_error(ArrayType::make(ElementType::f32, {4}, on, Layout::replicated(2))), "layout-rank");
}

TEST(ArrayTypeTest, CopiesCountReplicas) {
  EXPECT_EQ(copies(type("f32[64@x,48@y]", "x:4,y:2")), 1);
  EXPECT_EQ(copies(type("f32[64@y,48]", "x:4,y:2")), 4);
  EXPECT_EQ(copies(type("f32[8]{+x}", "x:4,y:2")), 2);
}

TEST(SameTypeTest, IsEqualityOfTileMaps) {
  const MeshRef on = mesh("x:2,y:2,one:1");
  EXPECT_TRUE(same_type(type("f32[8@(x,one)]", on), type("f32[8@x]", on)));
  EXPECT_FALSE(same_type(type("f32[8@(x,y)]", on), type("f32[8@(y,x)]", on)));
  // One element lies on the last device of either numbering.
  EXPECT_TRUE(same_type(type("f32[1@(x,y)]", on), type("f32[1@(y,x)]", on)));
  EXPECT_FALSE(same_type(type("f32[2@(x,y)]", on), type("f32[2@(y,x)]", on)));
  EXPECT_TRUE(same_type(type("f32[0@x]", on), type("f32[0]", on)));
  EXPECT_FALSE(same_type(type("f32[8]{+x}", on), type("f32[8]{max x}", on)));
  EXPECT_FALSE(same_type(type("f32[8]{+x}", on), type("f32[8]", on)));
  EXPECT_FALSE(same_type(type("f32[8]", on), type("i32[8]", on)));
  EXPECT_FALSE(same_type(type("f32[8@x]", "x:2,y:2"), type("f32[8@x]", "x:2,z:2")));
}

// Against the plain definition: every device has the same tile.
RC_GTEST_PROP(SameTypeProperty, AgreesWithAllTiles, ()) {
  const MeshRef on = any_mesh();
  const Shape shape = any_shape(2, 3);
  const ArrayType a = any_type(on, shape, false);
  const ArrayType b = any_type(on, shape, false);
  bool alike = true;
  for (std::int64_t device = 0; device < on->devices(); ++device) alike = alike && tile(a, device) == tile(b, device);
  RC_ASSERT(same_type(a, b) == alike);
}

}  // namespace
}  // namespace tessera::synth::test
