#include "runtime/values/value.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::ElementsAre;

std::vector<std::int32_t> tile_of(const Value& value, std::int64_t device) {
  const auto bytes = value.tile(device);
  std::vector<std::int32_t> elements(bytes.size() / sizeof(std::int32_t));
  if (!bytes.empty()) std::memcpy(elements.data(), bytes.data(), bytes.size());
  return elements;
}

TEST(Value, TilesAreCutByTheGlobalFormula) {
  const Value value = value_of(counting<std::int32_t>(Shape{8}), "i32[8@(x,y)]", mesh_of("x:3,y:2"));
  EXPECT_THAT(tile_of(value, 0), ElementsAre(0));
  EXPECT_THAT(tile_of(value, 1), ElementsAre(1));
  EXPECT_THAT(tile_of(value, 2), ElementsAre(2, 3));
  EXPECT_THAT(tile_of(value, 5), ElementsAre(6, 7));
}

TEST(Value, TilesAreAligned) {
  const Value value = value_of(counting<std::int32_t>(Shape{7, 3}), "i32[7@x, 3]", mesh_of("x:3"));
  for (std::int64_t device = 0; device < 3; ++device) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(value.tile(device).data()) % 64, 0U);
  }
}

TEST(Value, APendingArrayIsKeptByTheFirst) {
  const Value value = value_of(counting<std::int32_t>(Shape{2}), "i32[2]{+x}", mesh_of("x:2"));
  EXPECT_THAT(tile_of(value, 0), ElementsAre(0, 1));
  EXPECT_THAT(tile_of(value, 1), ElementsAre(0, 0));
  EXPECT_THAT(gathered<std::int32_t>(value).values(), ElementsAre(0, 1));
}

RC_GTEST_PROP(ValueProperty, GatherUndoesScatter, ()) {
  Shape shape;
  const auto rank = *rc::gen::inRange<std::size_t>(0, 4);
  for (std::size_t d = 0; d < rank; ++d) shape.push_back(*rc::gen::inRange(0, 8));
  const auto type = random_type(ElementType::f32, shape, random_mesh(), Pending::perhaps);
  const auto array = counting<float>(shape);
  RC_ASSERT(gathered<float>(value_of(array, type)).bytes == array.bytes);
}

}  // namespace
}  // namespace tessera::runtime::test
