#include "base/source.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "base/check.hpp"

namespace tessera::base {
namespace {

void expect_position(const Source& source, std::uint32_t offset, std::uint32_t line, std::uint32_t column) {
  const Position position = source.position(offset);
  EXPECT_EQ(position.line, line) << "offset " << offset;
  EXPECT_EQ(position.column, column) << "offset " << offset;
}

TEST(Source, LinesAndColumnsCountFromOne) {
  const Source source("demo.tess", "ab\nc\n");
  expect_position(source, 0, 1, 1);
  expect_position(source, 2, 1, 3);
  expect_position(source, 3, 2, 1);
  expect_position(source, 4, 2, 2);
  expect_position(source, 5, 3, 1);
}

TEST(Source, ColumnsCountCodePoints) {
  const Source source("demo.tess", "\xC3\xA4\xE2\x82\xACx");  // ä, €, x
  expect_position(source, 2, 1, 2);
  expect_position(source, 5, 1, 3);
  expect_position(source, 6, 1, 4);
}

TEST(Source, AnInvalidByteIsOneColumn) { expect_position(Source("demo.tess", "\xFF\xFFx"), 2, 1, 3); }

TEST(Source, AnOffsetPastTheEndIsTheEnd) { expect_position(Source("demo.tess", "ab"), 99, 1, 3); }

TEST(Source, EmptyTextHasOneEmptyLine) {
  const Source source("demo.tess", "");
  EXPECT_EQ(source.line_count(), 1U);
  EXPECT_EQ(source.line(1), "");
  expect_position(source, 0, 1, 1);
}

TEST(Source, ALineComesWithoutItsEnd) {
  const Source source("demo.tess", "one\ntwo\r\n\nfour");
  EXPECT_EQ(source.line_count(), 4U);
  EXPECT_EQ(source.line(1), "one");
  EXPECT_EQ(source.line(2), "two");
  EXPECT_EQ(source.line(3), "");
  EXPECT_EQ(source.line(4), "four");
}

TEST(Source, ALineThatIsNotThereIsOurBug) {
  const Source source("demo.tess", "one");
  EXPECT_THROW((void)source.line(0), InternalError);
  EXPECT_THROW((void)source.line(2), InternalError);
}

TEST(SourceMap, GivesTheTextOfASpan) {
  SourceMap sources;
  const SourceId first = sources.add("a", "let x = 1");
  const SourceId second = sources.add("b", "let y = 2");
  EXPECT_EQ(sources.size(), 2U);
  EXPECT_EQ(sources.text(Span{first, 4, 5}), "x");
  EXPECT_EQ(sources.text(Span{second, 4, 5}), "y");
  EXPECT_EQ(sources.text(Span{second, 4, 500}), "y = 2");
  EXPECT_EQ(sources[second].name(), "b");
}

TEST(SourceMap, ACopySharesTheTexts) {
  SourceMap sources;
  const SourceId id = sources.add("a", "text");
  const SourceMap copy = sources;
  EXPECT_EQ(copy[id].text().data(), sources[id].text().data());
}

TEST(SourceMap, AnIdFromElsewhereIsOurBug) {
  const SourceMap sources;
  EXPECT_THROW((void)sources[SourceId{0}], InternalError);
  EXPECT_THROW((void)sources[SourceId{}], InternalError);
}

TEST(Span, JoinCoversBoth) {
  const SourceId a{0};
  EXPECT_EQ(join(Span{a, 2, 4}, Span{a, 8, 9}), (Span{a, 2, 9}));
  EXPECT_EQ(join(Span{a, 8, 9}, Span{a, 2, 4}), (Span{a, 2, 9}));
  EXPECT_EQ(join(Span{}, Span{a, 2, 4}), (Span{a, 2, 4}));
  EXPECT_EQ(join(Span{a, 2, 4}, Span{}), (Span{a, 2, 4}));
  EXPECT_FALSE(join(Span{}, Span{}).known());
}

TEST(Span, JoinAcrossTextsKeepsTheFirst) {
  EXPECT_EQ(join(Span{SourceId{0}, 2, 4}, Span{SourceId{1}, 0, 9}), (Span{SourceId{0}, 2, 4}));
}

// A position names its place: the line it gives starts as many code points before.
RC_GTEST_PROP(SourceProperty, APositionLeadsBackToItsOffset, (const std::vector<bool>& breaks)) {
  std::string text;
  for (bool is_break : breaks) text.push_back(is_break ? '\n' : 'x');
  const Source source("property", text);
  for (std::uint32_t offset = 0; offset <= text.size(); ++offset) {
    const Position position = source.position(offset);
    const auto start = static_cast<std::size_t>(source.line(position.line).data() - source.text().data());
    RC_ASSERT(start + position.column - 1 == offset);
  }
}

}  // namespace
}  // namespace tessera::base
