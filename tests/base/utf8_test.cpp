#include "base/utf8.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "base/check.hpp"

namespace tessera::base {
namespace {

bool is_scalar_value(std::uint32_t code_point) {
  return code_point <= 0x10FFFFU && (code_point < 0xD800U || code_point > 0xDFFFU);
}

std::string encoded(std::uint32_t code_point) {
  std::string out;
  append_code_point(out, code_point);
  return out;
}

std::uint32_t byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

// The bytes of a sequence of at most four as one number, which names a place in a table.
std::uint32_t packed(std::string_view sequence) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < sequence.size(); ++i) number = number << 8U | byte_at(sequence, i);
  return number;
}

// Which sequences of `length` bytes, at most three, encode a scalar value.
std::vector<bool> valid_sequences(std::size_t length) {
  std::vector<bool> valid(std::size_t{1} << (8 * length));
  for (std::uint32_t code_point = 0; code_point < 0x10000U; ++code_point) {
    if (!is_scalar_value(code_point)) continue;
    const std::string text = encoded(code_point);
    if (text.size() == length) valid[packed(text)] = true;
  }
  return valid;
}

// Counts disagreements, for a failed expectation in each of 16 million rounds would cost more than the rounds.
std::size_t disagreements(std::size_t length) {
  const std::vector<bool> valid = valid_sequences(length);
  std::string text(length, '\0');
  std::size_t count = 0;
  for (std::size_t number = 0; number < valid.size(); ++number) {
    for (std::size_t i = 0; i < length; ++i) text[length - 1 - i] = static_cast<char>(number >> (8 * i) & 0xFFU);
    if ((valid_sequence_length(text) == length) != valid[number]) ++count;
  }
  return count;
}

TEST(Utf8, EncodesTheExamplesOfTheStandard) {
  EXPECT_EQ(encoded(0x24), "\x24");
  EXPECT_EQ(encoded(0xA3), "\xC2\xA3");
  EXPECT_EQ(encoded(0x20AC), "\xE2\x82\xAC");
  EXPECT_EQ(encoded(0x10348), "\xF0\x90\x8D\x88");
}

TEST(Utf8, EverySequenceOfOneByte) { EXPECT_EQ(disagreements(1), 0U); }
TEST(Utf8, EverySequenceOfTwoBytes) { EXPECT_EQ(disagreements(2), 0U); }
TEST(Utf8, EverySequenceOfThreeBytes) { EXPECT_EQ(disagreements(3), 0U); }

// Every lead and second byte that matters, and the edges of the ranges for the last two.
TEST(Utf8, SequencesOfFourBytes) {
  constexpr std::array<std::uint32_t, 6> kEdges = {0x00, 0x7F, 0x80, 0xBF, 0xC0, 0xFF};
  for (std::uint32_t lead = 0xEF; lead <= 0xFF; ++lead) {
    for (std::uint32_t second = 0; second <= 0xFF; ++second) {
      for (std::uint32_t third : kEdges) {
        for (std::uint32_t fourth : kEdges) {
          const std::string text = {static_cast<char>(lead), static_cast<char>(second), static_cast<char>(third),
                                    static_cast<char>(fourth)};
          const std::uint32_t code_point =
              (lead & 7U) << 18U | (second & 63U) << 12U | (third & 63U) << 6U | (fourth & 63U);
          const bool valid = lead >= 0xF0 && lead < 0xF8 && code_point >= 0x10000U && is_scalar_value(code_point) &&
                             encoded(code_point) == text;
          ASSERT_EQ(valid_sequence_length(text) == 4, valid) << packed(text);
        }
      }
    }
  }
}

TEST(Utf8, EveryScalarValueIsOneCodePointAndACutOneIsInvalid) {
  for (std::uint32_t code_point = 0; code_point <= 0x10FFFFU; ++code_point) {
    if (!is_scalar_value(code_point)) continue;
    const std::string text = encoded(code_point);
    ASSERT_EQ(valid_sequence_length(text), text.size()) << code_point;
    ASSERT_EQ(valid_sequence_length(std::string_view(text).substr(0, text.size() - 1)), 0U) << code_point;
  }
}

TEST(Utf8, EmptyTextHoldsNothing) {
  EXPECT_EQ(valid_sequence_length(""), 0U);
  EXPECT_EQ(count_code_points(""), 0U);
  EXPECT_EQ(first_invalid_byte(""), std::nullopt);
}

TEST(Utf8, InvalidBytesCountAsOneEach) {
  EXPECT_EQ(count_code_points("a\x80\xFF"
                              "b"),
            4U);
  EXPECT_EQ(count_code_points("\xE2\x82"), 2U);
}

TEST(Utf8, TheFirstInvalidByteIsFound) {
  EXPECT_EQ(first_invalid_byte("a\xC3\xA4z"), std::nullopt);
  EXPECT_EQ(first_invalid_byte("a\xC3\xA4\xC3"), 3U);
}

TEST(Utf8, ANumberBeyondUnicodeIsOurBug) {
  std::string out;
  EXPECT_THROW(append_code_point(out, 0x110000U), InternalError);
}

RC_GTEST_PROP(Utf8Property, TextMadeOfCodePointsIsValidAndCountsThem, (const std::vector<std::uint32_t>& numbers)) {
  std::string text;
  std::size_t count = 0;
  for (std::uint32_t number : numbers) {
    const std::uint32_t code_point = number % 0x110000U;
    if (!is_scalar_value(code_point)) continue;
    append_code_point(text, code_point);
    ++count;
  }
  RC_ASSERT(count_code_points(text) == count);
  RC_ASSERT(!first_invalid_byte(text).has_value());
}

}  // namespace
}  // namespace tessera::base
