#include "tests/cases/variants.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace tessera::cases {
namespace {

const std::string kProgram =
    "mesh m = [x: 4, y: 1]\n"
    "let a = iota(f32[8@x])\n"
    "show a\n"
    "print sum(a)\n";

RunRecord record(std::string output, std::vector<float> values) {
  RunRecord made;
  made.output = std::move(output);
  BoundArray array{Element::f32, {static_cast<std::int64_t>(values.size())}, {}};
  const auto* bytes = reinterpret_cast<const std::byte*>(values.data());
  array.bytes.assign(bytes, bytes + values.size() * sizeof(float));
  made.values["a"] = array;
  return made;
}

TEST(Variants, MeshesAreResizedAndWhatShowsThemIsLeftOut) {
  EXPECT_EQ(on_other_devices(kProgram, one_device),
            "mesh m = [x: 1, y: 1]\nlet a = iota(f32[8@x])\nprint \"\"\nprint sum(a)\n");
  EXPECT_EQ(on_other_devices(kProgram, other_size),
            "mesh m = [x: 3, y: 2]\nlet a = iota(f32[8@x])\nprint \"\"\nprint sum(a)\n");
  EXPECT_EQ(on_other_devices(kProgram, same_size),
            "mesh m = [x: 4, y: 1]\nlet a = iota(f32[8@x])\nprint \"\"\nprint sum(a)\n");
}

TEST(Variants, ASizeThatIsAnExpressionIsResizedToo) {
  const std::string text = "let n = 2\nmesh m = [x: n * 2]\nlet a = 1\n";
  EXPECT_EQ(on_other_devices(text, one_device), "let n = 2\nmesh m = [x: 1]\nlet a = 1\n");
  EXPECT_EQ(on_other_devices(text, same_size), text);
}

TEST(Variants, AProgramWithoutAMeshHasNone) { EXPECT_EQ(on_other_devices("let a = 1\n", one_device), std::nullopt); }

TEST(Differences, EqualRunsHaveNone) {
  EXPECT_TRUE(differences(record("1.0\n", {1, 2}), record("1.0\n", {1, 2}), std::nullopt).empty());
}

TEST(Differences, WithoutAToleranceEveryBitCounts) {
  EXPECT_EQ(differences(record("1.0\n", {1, 2}), record("1.1\n", {1, 2}), std::nullopt).size(), 1U);
  EXPECT_EQ(differences(record("", {0.0F}), record("", {-0.0F}), std::nullopt).size(), 1U);
  EXPECT_EQ(differences(record("", {1, 2}), record("", {1, 2.000001F}), std::nullopt).size(), 1U);
}

TEST(Differences, WithOneFloatsMayDifferByIt) {
  EXPECT_TRUE(differences(record("[1.0 2.0]\n", {1, 2}), record("[1.0\n 2.000001]\n", {1, 2.000001F}), 1e-5).empty());
  EXPECT_EQ(differences(record("[1.0 2.0]\n", {1, 2}), record("[1.0 2.1]\n", {1, 2.1F}), 1e-5).size(), 2U);
  EXPECT_EQ(differences(record("sum 1.0\n", {}), record("mean 1.0\n", {}), 1e-5).size(), 1U);
  EXPECT_EQ(differences(record("1.0 2.0\n", {}), record("1.0\n", {}), 1e-5).size(), 1U);
}

TEST(Differences, AnotherShapeOrAMissingNameIsOne) {
  EXPECT_EQ(differences(record("", {1, 2}), record("", {1, 2, 3}), 1.0).size(), 1U);
  EXPECT_EQ(differences(record("", {1, 2}), RunRecord{}, 1.0).size(), 1U);
}

TEST(Differences, FailingInAnotherWayIsOne) {
  RunRecord failed;
  failed.diagnostics.push_back(
      Diagnostic{.slug = "index-out-of-range", .message = "so it is", .labels = {}, .help = ""});
  EXPECT_TRUE(differences(failed, failed, std::nullopt).empty());
  EXPECT_EQ(differences(RunRecord{}, failed, std::nullopt).size(), 1U);
}

}  // namespace
}  // namespace tessera::cases
