#include "base/result.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>

namespace tessera::base {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return make(Kind::out_of_memory, fmt::format("halving {}", number));
  return number / 2;
}

Result<int> quarter(int number) {
  TESSERA_TRY(once, half(number));
  TESSERA_TRY(twice, half(once));
  return twice;
}

Status is_even(int number) {
  TESSERA_TRY_STATUS(half(number));
  return Done{};
}

TEST(Result, HoldsAValue) {
  const Result<int> result = half(8);
  EXPECT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(*result, 4);
  EXPECT_EQ(result.value(), 4);
}

TEST(Result, OrTheDiagnosticsThatSayWhyNot) {
  const Result<int> result = half(7);
  ASSERT_FALSE(result.ok());
  ASSERT_EQ(result.errors().size(), 1U);
  EXPECT_EQ(result.errors()[0].message, "out of memory while doing halving 7");
}

TEST(Result, AskingForTheOtherOneIsOurBug) {
  EXPECT_THROW((void)half(7).value(), InternalError);
  EXPECT_THROW((void)*half(7), InternalError);
  EXPECT_THROW((void)half(8).errors(), InternalError);
}

TEST(Result, AFailureWithoutADiagnosticIsOurBug) { EXPECT_THROW((void)Result<int>(Diagnostics{}), InternalError); }

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 3);
}

TEST(Try, GoesOnWithValuesAndStopsAtTheFirstFailure) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(7).errors()[0].message, "out of memory while doing halving 7");
  EXPECT_EQ(quarter(6).errors()[0].message, "out of memory while doing halving 3");
  EXPECT_TRUE(is_even(2).ok());
  EXPECT_FALSE(is_even(3).ok());
}

TEST(Guarded, PassesResultsThrough) {
  EXPECT_EQ(*guarded([] { return half(8); }), 4);
  EXPECT_FALSE(guarded([] { return half(7); }).ok());
}

TEST(Guarded, AFailedCheckBecomesAnInternalErrorThatNamesItsPlace) {
  const Result<int> result = guarded([]() -> Result<int> {
    TESSERA_CHECK(1 + 1 == 3, "sums are off");
    return 1;
  });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.errors()[0].kind, Kind::internal);
  const std::string& message = result.errors()[0].message;
  EXPECT_NE(message.find("sums are off (base/result_test.cpp:"), std::string::npos) << message;
  EXPECT_NE(message.find("1 + 1 == 3"), std::string::npos) << message;
}

TEST(Guarded, ExhaustedMemoryBecomesADiagnostic) {
  const Result<int> result = guarded([]() -> Result<int> { throw std::bad_alloc(); });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.errors()[0].kind, Kind::out_of_memory);
}

TEST(Guarded, AThreadThatCannotBeStartedIsExhaustedMemory) {
  const auto thrown = [](std::errc code) {
    return guarded([&]() -> Result<int> { throw std::system_error(std::make_error_code(code)); });
  };
  const Result<int> result = thrown(std::errc::resource_unavailable_try_again);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.errors()[0].kind, Kind::out_of_memory);
  EXPECT_THROW((void)thrown(std::errc::permission_denied), std::system_error);
}

}  // namespace
}  // namespace tessera::base
