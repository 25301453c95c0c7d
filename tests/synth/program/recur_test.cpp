// `recur` in a device program: its text, its types, and how it goes along its result.
#include <gmock/gmock.h>

#include "synth/program/program.hpp"
#include "synth/program/running.hpp"
#include "synth/program/signature.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

using testing::HasSubstr;

Program one_step(const std::string& how, ElementType element, const std::string& a, const std::string& b,
                 const std::string& result) {
  const std::string name(synth::name(element));
  std::string text = "program\nmesh m0 x:4,y:2\n";
  const std::array types{a, b, result};
  for (std::size_t k = 0; k < types.size(); ++k) text += fmt::format("register r{} m0 {}{}\n", k, name, types[k]);
  text += fmt::format("inputs (r0, r1)\noutputs (r2)\nbody {{\n  r2 = recur (r0, r1) {} @0\n}}\n", how);
  auto program = read_program(text);
  EXPECT_TRUE(program.ok()) << text;
  EXPECT_EQ(print(*program), text);
  return std::move(*program);
}

std::string fault(const std::string& how, const std::string& a, const std::string& b, const std::string& result,
                  ElementType element = ElementType::f32) {
  const base::Status status = verify(one_step(how, element, a, b, result));
  return status.ok() ? "" : first_message(status);
}

TEST(Recur, OfTypesThatGoTogether) {
  EXPECT_EQ(fault("0", "[8@x, 6]", "[8@x, 6]", "[8@x, 6]"), "");
  EXPECT_EQ(fault("1 reverse", "[8@x, 6@y]", "[8@x, 6@y]", "[8@x, 6@y]"), "");
  EXPECT_EQ(fault("0", "", "[8@(y,x), 6]", "[8@(y,x), 6]"), "");
  EXPECT_EQ(fault("0", "[6@y]", "[8@x, 1]", "[8@x, 6@y]"), "");
  for (const ElementType element : {ElementType::f64, ElementType::i32, ElementType::i64, ElementType::c64})
    EXPECT_EQ(fault("0", "[8@x]", "[1]", "[8@x]", element), "");
  EXPECT_THAT(fault("0", "[8@x, 6]", "[8@x, 6]", "[8, 6@x]"), HasSubstr("its result is not cut as it should be"));
  EXPECT_THAT(fault("0", "[8, 6]", "[8@x, 6]", "[8@x, 6]"), HasSubstr("an index is not cut alike"));
  EXPECT_THAT(fault("0", "[8]{+x}", "[8]", "[8]{+x}"), HasSubstr("a pending operand may not pass through it"));
  EXPECT_THAT(fault("1", "[8]", "[8]", "[8]"), HasSubstr("its shapes do not fit"));
  EXPECT_THAT(fault("0", "[8, 1]", "[8]", "[8]"), HasSubstr("its shapes do not fit"));
  EXPECT_THAT(fault("0", "[7]", "[8]", "[8]"), HasSubstr("its shapes do not fit"));
  EXPECT_THAT(fault("0", "[8]", "[8]", "[8]", ElementType::boolean), HasSubstr("its element types do not fit"));
  EXPECT_THAT(fault("0", "[8]", "[8]", "[8]", ElementType::bf16), HasSubstr("its element types do not fit"));
}

// One value of a line and boundary, of any element type; none where the dimension is whole.
TEST(Recur, CarriesOneValueOfALine) {
  const auto running = running_of(Recur{0, true});
  ASSERT_TRUE(running.has_value());
  EXPECT_TRUE(running->reverse);
  for (const ElementType element : {ElementType::f32, ElementType::i64, ElementType::c128}) {
    const ArrayType whole = type(fmt::format("{}[1000@x, 6@y]", name(element)), "x:4,y:2");
    const auto hops = carry_hops(whole, running->dimension, running->reverse);
    EXPECT_EQ(hops.size(), 6);
    EXPECT_EQ(carried_bytes(hops, element, running->kind), 6 * 3 * bytes_of(element));
  }
  EXPECT_TRUE(carry_hops(type("f32[1000, 6@y]", "x:4,y:2"), 0, true).empty());
  EXPECT_FALSE(running_of(Sort{}).has_value());
}

}  // namespace
}  // namespace tessera::synth::test
