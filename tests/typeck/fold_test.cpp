// What is computed while checking is what would be computed while running.
#include "typeck/elaborate/fold.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace tessera::typeck {
namespace {

using frontend::BinaryOp;

std::optional<std::int64_t> folded(BinaryOp op, std::int64_t a, std::int64_t b,
                                   ElementType element = ElementType::i64) {
  const auto result = fold_binary(op, a, b, element);
  if (!result.has_value()) return std::nullopt;
  return std::get<std::int64_t>(*result);
}

TEST(Fold, DivisionIsFloorDivisionAndTheRemainderHasTheDivisorsSign) {
  EXPECT_EQ(folded(BinaryOp::divide, 7, 2), 3);
  EXPECT_EQ(folded(BinaryOp::divide, -7, 2), -4);
  EXPECT_EQ(folded(BinaryOp::divide, 7, -2), -4);
  EXPECT_EQ(folded(BinaryOp::remainder, -7, 2), 1);
  EXPECT_EQ(folded(BinaryOp::remainder, 7, -2), -1);
}

TEST(Fold, WhatFailsAtRunTimeIsLeftToIt) {
  EXPECT_EQ(folded(BinaryOp::divide, 1, 0), std::nullopt);
  EXPECT_EQ(folded(BinaryOp::remainder, 1, 0), std::nullopt);
  EXPECT_EQ(folded(BinaryOp::power, 2, -1), std::nullopt);
}

TEST(Fold, OverflowWraps) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(folded(BinaryOp::add, kMost, 1), kLeast);
  EXPECT_EQ(folded(BinaryOp::divide, kLeast, -1), kLeast);
  EXPECT_EQ(folded(BinaryOp::remainder, kLeast, -1), 0);
  EXPECT_EQ(folded(BinaryOp::add, std::numeric_limits<std::int32_t>::max(), 1, ElementType::i32),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(folded(BinaryOp::power, 2, 64), 0);
}

TEST(Fold, BitsAreThoseOfTwosComplement) {
  EXPECT_EQ(folded(BinaryOp::bit_and, -2, 7), 6);
  EXPECT_EQ(folded(BinaryOp::bit_or, -8, 5), -3);
  EXPECT_EQ(folded(BinaryOp::bit_xor, -1, 5), -6);
  EXPECT_EQ(fold_unary(frontend::UnaryOp::bit_not, std::int64_t{5}, ElementType::i32), KnownScalar(std::int64_t{-6}));
}

TEST(Fold, ShiftsThatTakeAllBitsLeaveTheSign) {
  constexpr auto kLeastI32 = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(folded(BinaryOp::shift_left, 1, 31, ElementType::i32), kLeastI32);
  EXPECT_EQ(folded(BinaryOp::shift_left, 1, 32, ElementType::i32), 0);
  EXPECT_EQ(folded(BinaryOp::shift_left, 1, 32), std::int64_t{1} << 32);
  EXPECT_EQ(folded(BinaryOp::shift_left, 1, -1), 0);
  EXPECT_EQ(folded(BinaryOp::shift_right, kLeastI32, 31, ElementType::i32), -1);
  EXPECT_EQ(folded(BinaryOp::shift_right, -5, 64), -1);
  EXPECT_EQ(folded(BinaryOp::shift_right, 5, -1), 0);
}

RC_GTEST_PROP(Fold, QuotientAndRemainderMakeTheNumberAgain, (std::int64_t a, std::int64_t b)) {
  RC_PRE(b != 0 && !(b == -1 && a == std::numeric_limits<std::int64_t>::min()));
  const std::int64_t quotient = *folded(BinaryOp::divide, a, b);
  const std::int64_t remainder = *folded(BinaryOp::remainder, a, b);
  // A floor near the ends is beyond them: the product wraps, and comes back with the remainder.
  const auto again =
      static_cast<std::uint64_t>(quotient) * static_cast<std::uint64_t>(b) + static_cast<std::uint64_t>(remainder);
  RC_ASSERT(again == static_cast<std::uint64_t>(a));
  RC_ASSERT(remainder == 0 || (remainder < 0) == (b < 0));
}

TEST(Affine, ALengthIsKnownWhereTheScalarsCancel) {
  const Affine i{{{ValueId{7}, 1}}, 0};
  const Affine end = sum(i, Affine{{}, 8});
  EXPECT_EQ(difference(end, i), 8);
  EXPECT_EQ(difference(end, Affine{{}, 0}), std::nullopt);
  EXPECT_EQ(difference(scaled(end, 4), scaled(i, 4)), 32);
}

TEST(Affine, ProductsOfTwoRunTimeScalarsAreNotSums) {
  const std::optional<Affine> i = Affine{{{ValueId{7}, 1}}, 0};
  EXPECT_FALSE(combine(BinaryOp::multiply, i, i).has_value());
  EXPECT_TRUE(combine(BinaryOp::multiply, i, Affine{{}, 3}).has_value());
}

}  // namespace
}  // namespace tessera::typeck
