#include "base/nearest.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace tessera::base {
namespace {

const std::vector<std::string>& operations() {
  static const std::vector<std::string> names = {"transpose", "reshape", "softmax", "sum", "all_gather"};
  return names;
}

TEST(Nearest, FindsOneEditOfEachKind) {
  EXPECT_EQ(nearest("transpos", operations()), "transpose");
  EXPECT_EQ(nearest("reshapee", operations()), "reshape");
  EXPECT_EQ(nearest("softnax", operations()), "softmax");
  EXPECT_EQ(nearest("smu", operations()), "sum");
}

TEST(Nearest, IsSilentWhereNothingIsNear) {
  EXPECT_EQ(nearest("zeros", operations()), std::nullopt);
  EXPECT_EQ(nearest("", operations()), std::nullopt);
  EXPECT_EQ(nearest("sum", {}), std::nullopt);
}

TEST(Nearest, AllowsAThirdOfTheLongerWord) {
  EXPECT_EQ(nearest("abcxyz", {"abcdez"}), "abcdez");  // 2 of 6
  EXPECT_EQ(nearest("abcxyz", {"abcdef"}), std::nullopt);
}

TEST(Nearest, ASingleLetterIsNeverMistakenForAnother) { EXPECT_EQ(nearest("x", {"y"}), std::nullopt); }

TEST(Nearest, TakesTheNearerAndOfEqualsTheFirst) {
  EXPECT_EQ(nearest("rows", {"cows_", "cows"}), "cows");
  EXPECT_EQ(nearest("row", {"cow", "low"}), "cow");
  EXPECT_EQ(nearest("row", {"low", "cow"}), "low");
}

TEST(Nearest, TheWordItselfIsNoSuggestion) { EXPECT_EQ(nearest("sum", {"sum", "sub"}), "sub"); }

TEST(Nearest, AVeryLongWordIsNoTypingMistake) {
  const std::string long_word(100'000, 'a');
  EXPECT_EQ(nearest(long_word, {"a"}), std::nullopt);
  EXPECT_EQ(nearest("a", {long_word}), std::nullopt);
}

RC_GTEST_PROP(NearestProperty, OneReplacedLetterIsFound, (std::string word)) {
  RC_PRE(word.size() >= 2 && word.size() <= 64);
  std::string wrong = word;
  const auto at = *rc::gen::inRange<std::size_t>(0, word.size());
  wrong[at] = static_cast<char>(wrong[at] == 'q' ? 'p' : 'q');
  RC_ASSERT(nearest(wrong, {word}) == word);
}

}  // namespace
}  // namespace tessera::base
