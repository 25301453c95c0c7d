// The values of literals.
#include "frontend/literal.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "base/utf8.hpp"
#include "tests/frontend/support.hpp"

namespace tessera::frontend {
namespace {

constexpr base::Span kNowhere{};

template <class T>
std::string slug(const Worth<T>& worth) {
  const auto* why = std::get_if<base::Diagnostic>(&worth);
  return why == nullptr ? "" : std::string(why->kind.slug);
}

TEST(IntegerLiteral, IsDecimal) {
  EXPECT_EQ(std::get<0>(integer_value("0", kNowhere)), 0);
  EXPECT_EQ(std::get<0>(integer_value("1_000", kNowhere)), 1000);
  EXPECT_EQ(std::get<0>(integer_value("9223372036854775807", kNowhere)), 9223372036854775807);
  EXPECT_EQ(slug(integer_value("9223372036854775808", kNowhere)), "number-too-large");
  EXPECT_EQ(slug(integer_value("00", kNowhere)), "bad-number");
  EXPECT_EQ(slug(integer_value("0_7", kNowhere)), "bad-number");
}

TEST(RealLiteral, IsTheNearestDouble) {
  EXPECT_EQ(std::get<0>(real_value("0.1", kNowhere)), 0.1);
  EXPECT_EQ(std::get<0>(real_value("1_0.", kNowhere)), 10.0);
  EXPECT_EQ(std::get<0>(real_value("1.7976931348623157e308", kNowhere)), 1.7976931348623157e308);
  EXPECT_EQ(std::get<0>(real_value("5e-324", kNowhere)), 5e-324);
  EXPECT_EQ(std::get<0>(real_value("1e-400", kNowhere)), 0.0);
  EXPECT_EQ(std::get<0>(real_value("0." + std::string(400, '0') + "1", kNowhere)), 0.0);
  EXPECT_EQ(slug(real_value("1e309", kNowhere)), "number-too-large");
  EXPECT_EQ(slug(real_value(std::string(400, '9') + ".0", kNowhere)), "number-too-large");
}

std::string value(const std::string& text) { return std::get<0>(string_value(text, kNowhere)); }
// Slug and place of what is wrong with a string.
std::string wrong(const std::string& text) {
  const auto worth = string_value(text, {base::SourceId{0}, 10, 10 + static_cast<std::uint32_t>(text.size())});
  const auto& why = std::get<base::Diagnostic>(worth);
  const auto span = why.labels[0].span;
  return std::string(why.kind.slug) + " " + std::to_string(span.begin) + "-" + std::to_string(span.end);
}

TEST(StringLiteral, ResolvesEscapes) {
  EXPECT_EQ(value(R"("")"), "");
  EXPECT_EQ(value(R"("a\n\t\"\\b")"), "a\n\t\"\\b");
  EXPECT_EQ(value(R"("\u{e9}\u{1F600}\u{0}")"), std::string("\xC3\xA9\xF0\x9F\x98\x80\0", 7));
  EXPECT_EQ(value("\"é\""), "é");
}

TEST(StringLiteral, PointsAtTheEscapeThatIsNone) {
  EXPECT_EQ(wrong(R"("ab\q")"), "bad-escape 13-15");
  EXPECT_EQ(wrong("\"\\é\""), "bad-escape 11-14");
  EXPECT_EQ(wrong(R"("\u12")"), "bad-escape 11-13");
  EXPECT_EQ(wrong(R"("\u{}")"), "bad-escape 11-15");
  EXPECT_EQ(wrong(R"("\u{xy}")"), "bad-escape 11-17");
  EXPECT_EQ(wrong(R"("\u{d800}")"), "bad-escape 11-19");
  EXPECT_EQ(wrong(R"("\u{110000}")"), "bad-escape 11-21");
  EXPECT_EQ(wrong(R"("\u{fffffffffff}")"), "bad-escape 11-26");
  EXPECT_EQ(wrong(R"("\u{12")"), "bad-escape 11-13");
}

RC_GTEST_PROP(StringLiteral, PrintsAndReadsBack, (const std::vector<std::uint32_t>& numbers)) {
  std::string text;
  for (const std::uint32_t number : numbers) {
    const std::uint32_t code_point = number % 0x110000U;
    if (code_point < 0xD800U || code_point > 0xDFFFU) base::append_code_point(text, code_point);
  }
  RC_ASSERT(value(string_text(text)) == text);
}

RC_GTEST_PROP(SizeLiteral, PrintsAndReadsBack, (std::int64_t number)) {
  const auto bytes = static_cast<std::int64_t>(static_cast<std::uint64_t>(number) >> 1U);
  RC_ASSERT(std::get<0>(size_value(size_text(bytes), kNowhere)) == bytes);
}

TEST(SizeLiteral, PrintsInTheShortestWay) {
  EXPECT_EQ(size_text(0), "0");
  EXPECT_EQ(size_text(1024), "1KiB");
  EXPECT_EQ(size_text(64 * 1024 * 1024), "64MiB");
  EXPECT_EQ(size_text(1536), "1536");
  EXPECT_EQ(size_text(2000000), "2MB");
}

}  // namespace
}  // namespace tessera::frontend
