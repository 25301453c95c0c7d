// From spans to places.
#include "embed/host/texts.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tessera::embed {
namespace {

Place place_of(std::string text, std::uint32_t begin, std::uint32_t end, std::uint32_t first_line = 1) {
  Texts texts;
  const base::SourceId source = texts.add("t", std::move(text), first_line);
  return place(texts, base::Span{source, begin, end});
}

TEST(Place, CountsCodePoints) {
  const Place here = place_of("a\nä = ßß + 1\n", 7, 11);
  EXPECT_EQ(here.line, 2U);
  EXPECT_EQ(here.column, 5U);
  EXPECT_EQ(here.length, 2U);
  EXPECT_EQ(here.line_text, "ä = ßß + 1");
}

TEST(Place, EndsWithItsFirstLine) {
  EXPECT_EQ(place_of("abc\ndef", 1, 6).length, 2U);
  EXPECT_EQ(place_of("abc\r\ndef", 1, 7).length, 2U);
}

TEST(Place, IsAtLeastOneLong) {
  const Place end = place_of("abc", 3, 3);
  EXPECT_EQ(end.column, 4U);
  EXPECT_EQ(end.length, 1U);
  EXPECT_EQ(place_of("", 0, 0).column, 1U);
  EXPECT_EQ(place_of("abc\n", 3, 4).length, 1U);
  EXPECT_EQ(place_of("abc\n", 4, 4).line, 2U);
}

TEST(Place, StandsPastAnythingThatIsNotThere) { EXPECT_EQ(place_of("abc", 77, 99).column, 4U); }

TEST(Place, CountsLinesFromTheTextsFirst) {
  EXPECT_EQ(place_of("a\nb", 2, 3, 41).line, 42U);
  Texts texts;
  const base::SourceId plain = texts.sources.add("defined elsewhere", "a\nb");
  EXPECT_EQ(place(texts, base::Span{plain, 2, 3}).line, 2U);
  const base::SourceId numbered = texts.add("t", "a", 7);
  EXPECT_EQ(place(texts, base::Span{numbered, 0, 1}).line, 7U);
  EXPECT_EQ(place(texts, base::Span{plain, 0, 1}).line, 1U);
}

TEST(Place, OfALongLineHoldsThePartAroundIt) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "ä";
  const Place here = place_of(text, 10'000, 10'004);
  EXPECT_EQ(here.column, 5'001U);
  EXPECT_EQ(here.length, 2U);
  EXPECT_EQ(here.line_text_column, 5'001U - 512U);
  EXPECT_EQ(here.line_text.size(), 1024U + 2048U);
  const Place begin = place_of(text, 0, 2);
  EXPECT_EQ(begin.line_text_column, 1U);
  EXPECT_EQ(begin.line_text.size(), 2048U);
}

}  // namespace
}  // namespace tessera::embed
