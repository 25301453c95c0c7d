#include "base/fixed_vector.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <vector>

namespace tessera::base {
namespace {

using Small = FixedVector<int, 4>;

std::vector<int> items_of(const Small& small) { return {small.begin(), small.end()}; }

TEST(FixedVector, StartsEmpty) {
  EXPECT_TRUE(Small().empty());
  EXPECT_EQ(Small().size(), 0U);
}

TEST(FixedVector, IsMadeFromItemsACountOrARange) {
  const std::array<int, 2> range = {7, 8};
  EXPECT_EQ(items_of(Small{1, 2}), (std::vector{1, 2}));
  EXPECT_EQ(items_of(Small(std::size_t{3}, 5)), (std::vector{5, 5, 5}));
  EXPECT_EQ(items_of(Small(range.begin(), range.end())), (std::vector{7, 8}));
}

TEST(FixedVector, InsertsAndErasesAnywhere) {
  Small small{1, 3};
  small.insert(1, 2);
  small.insert(0, 0);
  EXPECT_EQ(items_of(small), (std::vector{0, 1, 2, 3}));
  small.erase(0);
  small.erase(2);
  EXPECT_EQ(items_of(small), (std::vector{1, 2}));
  small.pop_back();
  EXPECT_EQ(small.back(), 1);
  small.clear();
  EXPECT_TRUE(small.empty());
}

TEST(FixedVector, PastItsEndsIsOurBug) {
  Small full{1, 2, 3, 4};
  EXPECT_THROW(full.push_back(5), InternalError);
  EXPECT_THROW((void)full[4], InternalError);
  EXPECT_THROW(full.erase(4), InternalError);
  EXPECT_THROW(Small().pop_back(), InternalError);
  EXPECT_THROW((void)Small().back(), InternalError);
}

RC_GTEST_PROP(FixedVectorProperty, ComparesAsItsItemsDo, (std::vector<int> a, std::vector<int> b)) {
  a.resize(a.size() % 5);
  b.resize(b.size() % 5);
  const Small small_a(a.begin(), a.end());
  const Small small_b(b.begin(), b.end());
  RC_ASSERT((small_a == small_b) == (a == b));
  RC_ASSERT((small_a < small_b) == (a < b));
}

}  // namespace
}  // namespace tessera::base
