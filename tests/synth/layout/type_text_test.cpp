// Types as text and back.
#include "tests/synth/generators.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

TEST(TypeTextTest, PrintsBothWays) {
  const ArrayType array = type("f32[16@y,16,16@(x,z)]", "x:4,y:2,z:2");
  EXPECT_EQ(print(array), "f32[16@y, 16, 16@(x,z)]");
  EXPECT_EQ(print(array, Spacing::tight), "f32[16@y,16,16@(x,z)]");
}

TEST(TypeTextTest, ReadsWhatItPrints) {
  const MeshRef on = mesh("x:8,y:2,z:3");
  for (const char* text : {"f32", "bool", "i64[]", "f64[0]", "i32[7@(y,x)]{+z}", "f32[8]{max x,y}", "f32[8]{min z}",
                           "f32[8@x:(2)4, 8@x:(1)2]", "f32[9@(x:(2)2,y)]{+x:(1)2}", "f32{+x}"}) {
    const ArrayType once = type(text, on);
    EXPECT_EQ(type(print(once), on), once) << text;
    EXPECT_EQ(type(print(once, Spacing::tight), on), once) << text;
  }
  EXPECT_EQ(print(type("i64[]", on)), "i64");
  EXPECT_EQ(print(type(" f32 [ 8 @ ( x , y ) ] { + z } ", on)), "f32[8@(x,y)]{+z}");
  EXPECT_EQ(print(type("f32[8@(x:(1)2,x:(2)4)]", on)), "f32[8@x]");
}

TEST(TypeTextTest, SaysWhatIsWrong) {
  const MeshRef on = mesh("x:4,y:2");
  for (const char* text :
       {"", "f33[8]", "bf8[8]", "f32[", "f32[8", "f32[8@]", "f32[8@(x]", "f32[8]]", "f32[8]{x}", "f32[8]{+}",
        "f32[8]{+x", "f32[x]", "f32[8]{max}", "f32[8@x:2]", "f32[8@x:(1)]", "f32[8,]"}) {
    EXPECT_EQ(first_error(parse_array_type(text, on)), "bad-type-text") << text;
  }
  EXPECT_EQ(first_error(parse_array_type("f32[8@z]", on)), "unknown-axis");
  EXPECT_EQ(first_error(parse_array_type("bf16[8@x]{+y}", on)), "storage-pending");
  EXPECT_EQ(first_error(parse_array_type("f16[8]{max y}", on)), "storage-pending");
  EXPECT_EQ(first_error(parse_array_type("f32[-8]", on)), "negative-extent");
  EXPECT_EQ(first_error(parse_array_type("f32[8@x,8@x]", on)), "axis-used-twice");
  EXPECT_EQ(first_error(parse_array_type("f32[8@x:(3)2]", on)), "bad-axis-part");
  EXPECT_EQ(first_error(parse_array_type("f32[99999999999999999999]", on)), "size-too-large");
  EXPECT_EQ(first_error(parse_array_type("f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", on)), "rank-too-large");
}

TEST(TypeTextTest, OffersTheNearestAxis) {
  const auto wrong = parse_array_type("f32[8@modle]", mesh("model:4,data:2"));
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.errors()[0].help, "did you mean `model`?");
}

RC_GTEST_PROP(TypeTextProperty, ReadsBackWhatWasPrinted, ()) {
  const MeshRef on = any_mesh();
  const ArrayType array = any_type(on, any_shape(*rc::gen::inRange<std::size_t>(0, 5)), true);
  RC_ASSERT(*parse_array_type(print(array), on) == array);
  RC_ASSERT(*parse_array_type(print(array, Spacing::tight), on) == array);
  RC_ASSERT(**parse_mesh(print(*on)) == *on);
}

RC_GTEST_PROP(TypeTextProperty, NeverCrashesOnAnything, (const std::string& text)) {
  const MeshRef on = *parse_mesh("x:4,y:2");
  static_cast<void>(parse_array_type(text, on).ok());
  static_cast<void>(parse_mesh(text).ok());
}

}  // namespace
}  // namespace tessera::synth::test
