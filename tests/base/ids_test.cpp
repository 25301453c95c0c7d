#include "base/ids.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tessera::base {
namespace {

using WordId = Id<struct WordTag>;

TEST(Ids, AnIdIsNotValidUntilAStoreGivesItOut) {
  Store<std::string, WordId> words;
  EXPECT_FALSE(WordId{}.valid());
  EXPECT_TRUE(words.add("one").valid());
}

TEST(Ids, AnIdFindsWhatWasAdded) {
  Store<std::string, WordId> words;
  const WordId one = words.add("one");
  const WordId two = words.add("two");
  words[one] += "!";
  EXPECT_EQ(words[one], "one!");
  EXPECT_EQ(words[two], "two");
  EXPECT_EQ(words.size(), 2U);
  EXPECT_LT(one, two);
}

TEST(Ids, AnIdOfAnotherStoreIsOurBug) {
  const Store<std::string, WordId> words;
  EXPECT_THROW((void)words[WordId{}], InternalError);
  EXPECT_THROW((void)words[WordId{0}], InternalError);
}

}  // namespace
}  // namespace tessera::base
