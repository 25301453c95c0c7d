// Places in texts, and what an analysis knows.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "repl/language_server/document.hpp"
#include "repl/language_server/lines.hpp"

namespace tessera::repl {

namespace {

std::string some_text() {
  std::string text;
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("a", "é", "𝕏", "\n", "\r\n", " ", "let a = 1"));
  for (const std::string& piece : pieces) text += piece;
  return text;
}

}  // namespace

TEST(ExampleOf, Lines) {
  const std::string text = "a𝕏b";
  const Lines lines(text, Units::utf16);
  EXPECT_EQ(lines.offset(TextPosition{0, 3}), 5U);
  EXPECT_EQ(lines.position(5), (TextPosition{0, 3}));
}

RC_GTEST_PROP(LinesOfTexts, PositionsLeadBackToTheirOffsets, ()) {
  const std::string text = some_text();
  for (const Units units : {Units::utf8, Units::utf16}) {
    const Lines lines(text, units);
    for (std::uint32_t offset = 0; offset <= text.size(); ++offset) {
      const bool is_inside = offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xC0U) == 0x80U;
      const bool is_in_line_end = offset > 0 && text[offset - 1] == '\r';
      if (!is_inside && !is_in_line_end) RC_ASSERT(lines.offset(lines.position(offset)) == offset);
    }
  }
}

RC_GTEST_PROP(LinesOfTexts, PositionsAnywhereAreInTheText, (std::uint32_t line, std::uint32_t unit)) {
  const std::string text = some_text();
  const Lines lines(text, Units::utf16);
  RC_ASSERT(lines.offset(TextPosition{line, unit}) <= text.size());
  RC_ASSERT(lines.offset(TextPosition{line % 4, unit % 8}) <= text.size());
}

TEST(AnalysisOfTexts, KnowsNamesTypesAndMoves) {
  const std::string text = "mesh m = [x: 4]\nlet a = iota(f32[8@x])\nlet b = a as f32[8]\n";
  const auto analysis = Analyst().analyse(text, "text");
  ASSERT_TRUE(analysis);
  ASSERT_EQ(analysis->moves.size(), 1U);
  EXPECT_EQ(analysis->moves[0].redistribution.plan.received_bytes_total(), 96);
  const TextName* const use = name_at(*analysis, static_cast<std::uint32_t>(text.find("a as")));
  ASSERT_NE(use, nullptr);
  const TextName* const bound = definition_of(*analysis, *use);
  ASSERT_NE(bound, nullptr);
  EXPECT_EQ(bound->types, std::vector<std::string>{"f32[8@x]"});
}

// Names and what they stand for are known, though the check gives up before there is a graph.
TEST(AnalysisOfTexts, KnowsTheNamesOfWhatIsTooLarge) {
  Config config;
  config.memory_bytes_max = std::int64_t{64} << 20;
  const std::string text = "let a = 1\nlet b = loop v = a for const i < 1_000_000_000 { v }\n";
  const auto analysis = Analyst(config).analyse(text, "text");
  ASSERT_TRUE(analysis);
  ASSERT_EQ(analysis->diagnostics.size(), 1U);
  EXPECT_EQ(analysis->diagnostics.front().slug, "check-too-large");
  const TextName* const use = name_at(*analysis, static_cast<std::uint32_t>(text.find("a for")));
  ASSERT_NE(use, nullptr);
  EXPECT_NE(definition_of(*analysis, *use), nullptr);
}

TEST(AnalysisOfTexts, HasTheNotesOfWhatIsPlacedBySearch) {
  Config config;
  config.machine = Machine{{{"node", 2, 12.5e9, 5e-6}, {"gpu", 2, 100e9, 1e-6}}};
  const std::string text =
      "mesh m = [x: 2, y: 2] place auto\nlet a = iota(f32[8@x, 8])\nlet b = a as [8, 8]\nprint sum(b)\n";
  const auto analysis = Analyst(config).analyse(text, "text");
  ASSERT_TRUE(analysis);
  ASSERT_EQ(analysis->diagnostics.size(), 1U);
  EXPECT_EQ(analysis->diagnostics.front().slug, "placed");
}

TEST(AnalysisOfTexts, EndsWhenItIsStopped) {
  StopToken stop;
  stop.stop();
  const auto analysis = Analyst().analyse("mesh m = [x: 4]\nlet a = iota(f32[8@x])\n", "text", stop);
  ASSERT_FALSE(analysis);
  EXPECT_EQ(analysis.diagnostics().front().slug, "interrupted");
}

}  // namespace tessera::repl
