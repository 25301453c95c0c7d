// A text as an open program: shapes are known, and layouts are wishes.
#include "typeck/open/open.hpp"

#include <gtest/gtest.h>

#include "tests/typeck/elaborated.hpp"

namespace tessera::typeck {
namespace {

TEST(ExampleOf, Open) {
  const open::Program program = elaborated(
      "mesh m = [x: 4]\nlet a = iota(f32[8@x, 3])\nlet b = iota(f32[3, 4])\nlet c = a @ b\nprint c as [8@x, 4]\n");
  const open::ValueId c = program.statements.at(3).bound.at(0).value;
  EXPECT_EQ(program.type(c).shape(), (Shape{8, 4}));
  EXPECT_TRUE(std::holds_alternative<open::Product>(std::get<open::Compute>(program.nodes[c].body).operation));
  const auto& order = program.statements.at(4).region.order;
  ASSERT_EQ(order.size(), 3U);
  const auto& as = std::get<open::As>(program.nodes[order[0]].body);
  EXPECT_EQ(as.operand.value, c);
  EXPECT_EQ(as.layout.splits.at(0).size(), 1U);
  EXPECT_TRUE(std::holds_alternative<open::Finish>(std::get<open::Compute>(program.nodes[order[1]].body).operation));
}

TEST(Open, AFunctionIsElaboratedOnceForEachListOfShapes) {
  const open::Program program = elaborated(
      "mesh m = [x: 4]\nfn f(a: f32[N]?) = a + 1.0\nlet p = f(iota(f32[8@x]))\nlet q = f(iota(f32[8]))\nlet r = "
      "f(iota(f32[9]))\n");
  EXPECT_EQ(program.instances.size(), 2U);
}

TEST(Open, AWishGoesToTheOperationThatGivesTheValue) {
  const open::Program program =
      elaborated("mesh m = [x: 4]\nlet a = ones(f32[8])\nlet b: f32[8@x] = a + a\nlet c: f32[8@x] = a\n");
  const auto wish_of = [&](std::size_t statement) {
    const auto& as = std::get<open::As>(program.nodes[program.statements.at(statement).bound.at(0).value].body);
    return program.nodes[as.operand.value].wish.has_value();
  };
  EXPECT_TRUE(wish_of(2));
  EXPECT_FALSE(wish_of(3));  // a name has been made before
}

}  // namespace
}  // namespace tessera::typeck
