// How diagnostics look: goldens.
#include "repl/render/diagnostic.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "repl/render/json.hpp"
#include "repl/render/manual.hpp"
#include "repl/render/profile.hpp"
#include "repl/render/snippet.hpp"
#include "repl/render/table.hpp"

namespace tessera::repl {
namespace {

Label label(std::string line, std::uint32_t column, std::uint32_t length, std::string text, bool primary = false) {
  return Label{Place{"demo.tess", 2, column, length, std::move(line), 1}, std::move(text), primary};
}

Diagnostic diagnostic(std::string message, std::vector<Label> labels, std::string help = "") {
  Diagnostic result;
  result.slug = "some-slug";
  result.message = std::move(message);
  result.labels = std::move(labels);
  result.help = std::move(help);
  return result;
}

StatementProfile profiled(std::string text, std::uint32_t line, SecondsOverRanks computing, SecondsOverRanks moving) {
  return {Place{"demo.tess", line, 1, 3, std::move(text), 1}, line, computing, moving, {}};
}

TEST(Profile, ListsWhatTakesAHundredthOfTheTimeAndCountsTheRest) {
  const std::vector<StatementProfile> statements = {
      profiled("let a = iota(f32[8@x])", 2, {0.01, 0.02}, {}), profiled("let b = 1", 3, {1e-5, 1e-5}, {}),
      profiled("let c = loop b = a for i < 1000 { b * 0.5 }", 4, {0.5, 0.5}, {0.4, 0.48}),
      profiled("let d = 2", 5, {}, {})};
  EXPECT_EQ(profile_table(statements),
            "statement               line  time    computing         moving  waiting\n"
            "let a = iota(f32[8@x])     2    2%  10 to 20 ms            0 s      0 s\n"
            "let c = loop b = a ...     4   98%       500 ms  400 to 480 ms      0 s\n"
            "2 others                        0%\n");
  EXPECT_EQ(profile_table({statements.begin(), statements.begin() + 2}), "") << "the clock says little of 20 ms";
}

TEST(Manual, HasNoMarksOfMarkdown) {
  const std::string_view section =
      "## some-slug\n\nThe operand of `relu` is\npending.\n\n```tessera error[some-slug]\nprint 1 + 2 + 3 + 4 + "
      "5\n```\n"
      "\n```tessera\n\nprint 15\n```\n\nRepair: write `a as T`.\n";
  EXPECT_EQ(manual_text(section, 80, Colour::no),
            "some-slug\n\nThe operand of `relu` is\npending.\n\n    print 1 + 2 + 3 + 4 + 5\n\nRepaired:\n\n\n    "
            "print 15\n\n"
            "Repair: write `a as T`.\n");
  // Prose is filled as if the backticks stood there, code is bold on each of its lines, programs are not broken.
  EXPECT_EQ(manual_text(section, 16, Colour::yes),
            "\x1B[1msome-slug\x1B[0m\n\nThe operand of\n\x1B[1mrelu\x1B[0m is\npending.\n\n    print 1 + 2 + 3 + 4 + "
            "5\n\nRepaired:"
            "\n\n\n    print 15\n\nRepair: write \x1B[1ma\x1B[0m\n\x1B[1mas T\x1B[0m.\n");
  EXPECT_EQ(manual_text("one `", 80, Colour::yes), "one `");
  EXPECT_EQ(manual_text("```", 80, Colour::yes), "");
  EXPECT_EQ(manual_text("", 80, Colour::yes), "");
}

TEST(Render, TheExampleOfTheLanguageDescription) {
  const std::string line = "fn g(a: f32[8@x, 8@x]) = a";
  Diagnostic axis = diagnostic(
      "mesh axis `x` splits two dimensions of one array",
      {label(line, 20, 1, "dimension 1 uses it again", true), label(line, 15, 1, "dimension 0 uses it here")},
      "replicate one of them, or split it over `y`");
  axis.slug = "axis-used-twice";
  EXPECT_EQ(render(axis, Colour::no), R"(error[axis-used-twice]: mesh axis `x` splits two dimensions of one array
  demo.tess:2:20
   2 | fn g(a: f32[8@x, 8@x]) = a
     |               -    ^ dimension 1 uses it again
     |               |
     |               dimension 0 uses it here
  help: replicate one of them, or split it over `y`
)");
}

TEST(Render, WithoutAPlace) {
  EXPECT_EQ(render(diagnostic("the machine has 4 devices, the mesh 8", {}), Colour::no),
            "error[some-slug]: the machine has 4 devices, the mesh 8\n");
}

TEST(Render, SeveralLinesOfHelp) {
  EXPECT_EQ(render(diagnostic("what", {}, "first\nsecond"), Colour::no),
            "error[some-slug]: what\n  help: first\n        second\n");
}

TEST(Render, TheLeastBudgetIsALineOfItsOwn) {
  EXPECT_EQ(render(diagnostic("what", {}, "least budget: 4096 bytes"), Colour::no),
            "error[some-slug]: what\nleast budget: 4096 bytes\n");
}

TEST(Render, NotesAndWarningsSaySo) {
  Diagnostic note = diagnostic("nothing is redistributed here", {});
  note.severity = Severity::note;
  EXPECT_EQ(render(note, Colour::no), "note[some-slug]: nothing is redistributed here\n");
  note.severity = Severity::warning;
  EXPECT_EQ(render(note, Colour::no), "warning[some-slug]: nothing is redistributed here\n");
}

TEST(Render, TextsAreStackedFromRightToLeft) {
  const std::string line = "let c = alpha + beta + gamma";
  EXPECT_EQ(render(diagnostic("m", {label(line, 17, 4, "this is f64", true), label(line, 9, 5, "this is i32"),
                                    label(line, 24, 5, "this is bool"), label(line, 5, 1, "bound here")}),
                   Colour::no),
            R"(error[some-slug]: m
  demo.tess:2:17
   2 | let c = alpha + beta + gamma
     |     -   -----   ^^^^   ----- this is bool
     |     |   |       |
     |     |   |       this is f64
     |     |   this is i32
     |     bound here
)");
}

TEST(Render, LabelsInsideLabelsStayVisible) {
  const std::string line = "let c = f(alpha)";
  EXPECT_EQ(
      render(diagnostic("m", {label(line, 9, 8, "this call", true), label(line, 11, 5, "this argument")}), Colour::no),
      R"(error[some-slug]: m
  demo.tess:2:9
   2 | let c = f(alpha)
     |         ^^-----^ this call
     |           |
     |           this argument
)");
}

TEST(Render, TwoLabelsOfOnePlace) {
  const std::string line = "let c = a";
  EXPECT_EQ(
      render(diagnostic("m", {label(line, 9, 1, "one", true), label(line, 9, 1, "two"), label(line, 9, 1, "three")}),
             Colour::no),
      R"(error[some-slug]: m
  demo.tess:2:9
   2 | let c = a
     |         ^ one
     |         |
     |         two
     |         three
)");
}

TEST(Render, LabelsWithoutTextAreOnlyMarked) {
  const std::string line = "let c = a + b";
  EXPECT_EQ(render(diagnostic("m", {label(line, 9, 1, "", true), label(line, 13, 1, "")}), Colour::no),
            R"(error[some-slug]: m
  demo.tess:2:9
   2 | let c = a + b
     |         ^   -
)");
  EXPECT_EQ(render(diagnostic("m", {label(line, 9, 1, "here", true), label(line, 13, 1, "")}), Colour::no),
            R"(error[some-slug]: m
  demo.tess:2:9
   2 | let c = a + b
     |         ^   -
     |         |
     |         here
)");
}

TEST(Render, OtherLinesAndOtherTexts) {
  Label near = label("mesh m = [x: 4]", 11, 1, "the axis");
  near.place.line = 1;
  Label far = label("let far = 1", 5, 3, "bound here");
  far.place.line = 105;
  Label other = label("let q = 2", 5, 1, "and here");
  other.place.file = "lib.tess";
  EXPECT_EQ(render(diagnostic("m", {label("let c = a", 9, 1, "", true), other, far, near}), Colour::no),
            R"(error[some-slug]: m
  demo.tess:2:9
    1 | mesh m = [x: 4]
      |           - the axis
    2 | let c = a
      |         ^
  ...
  105 | let far = 1
      |     --- bound here
  lib.tess:2:5
    2 | let q = 2
      |     - and here
)");
}

TEST(Render, AtTheEndOfALine) {
  EXPECT_EQ(render(diagnostic("m", {label("let c =", 8, 1, "a value is missing", true)}), Colour::no),
            R"(error[some-slug]: m
  demo.tess:2:8
   2 | let c =
     |        ^ a value is missing
)");
  EXPECT_EQ(render(diagnostic("m", {label("", 1, 1, "nothing", true)}), Colour::no),
            "error[some-slug]: m\n  demo.tess:2:1\n   2 |\n     | ^ nothing\n");
}

TEST(Render, WideCharactersTabsAndCombiningMarks) {
  EXPECT_EQ(render(diagnostic("m", {label("let 数据 = ß + b", 5, 2, "two wide ones", true)}), Colour::no),
            "error[some-slug]: m\n  demo.tess:2:5\n   2 | let 数据 = ß + b\n     |     ^^^^ two wide ones\n");
  EXPECT_EQ(render(diagnostic("m", {label("let 数据 = ß + b", 10, 1, "after them", true)}), Colour::no),
            "error[some-slug]: m\n  demo.tess:2:10\n   2 | let 数据 = ß + b\n     |            ^ after them\n");
  EXPECT_EQ(render(diagnostic("m", {label("\tlet a = 1", 6, 1, "a", true)}), Colour::no),
            "error[some-slug]: m\n  demo.tess:2:6\n   2 |     let a = 1\n     |         ^ a\n");
  // e and a combining acute accent: two code points in one column.
  EXPECT_EQ(render(diagnostic("m", {label("e\xCC\x81 = 1", 6, 1, "one", true)}), Colour::no),
            "error[some-slug]: m\n  demo.tess:2:6\n   2 | e\xCC\x81 = 1\n     |     ^ one\n");
}

TEST(Render, NothingOfATextDisturbsTheTerminal) {
  Diagnostic hostile = diagnostic("it says \x1B[31m", {label("let \x1B[2J\xFF = 1", 5, 1, "\a", true)}, "\r");
  EXPECT_EQ(
      render(hostile, Colour::no),
      "error[some-slug]: it says \uFFFD[31m\n  demo.tess:2:5\n   2 | let \uFFFD[2J\uFFFD = 1\n     |     ^ \uFFFD\n"
      "  help: \uFFFD\n");
}

TEST(Render, LongLinesAreCutAroundTheLabel) {
  const std::string line = std::string(200, 'a') + "HERE" + std::string(200, 'b');
  EXPECT_EQ(render(diagnostic("m", {label(line, 201, 4, "this", true)}), Colour::no),
            "error[some-slug]: m\n  demo.tess:2:201\n   2 | ..." + std::string(48, 'a') + "HERE" +
                std::string(48, 'b') + "...\n     | " + std::string(51, ' ') + "^^^^ this\n");
  EXPECT_EQ(render(diagnostic("m", {label(line, 1, 2, "this", true)}), Colour::no),
            "error[some-slug]: m\n  demo.tess:2:1\n   2 | " + std::string(100, 'a') + "...\n     | ^^ this\n");
  EXPECT_EQ(render(diagnostic("m", {label(line, 405, 1, "end", true)}), Colour::no),
            "error[some-slug]: m\n  demo.tess:2:405\n   2 | ..." + std::string(100, 'b') + "\n     | " +
                std::string(103, ' ') + "^ end\n");
}

TEST(Render, LabelsOutsideTheCutPointAtIt) {
  const std::string line = std::string(400, 'a');
  EXPECT_EQ(render(diagnostic("m", {label(line, 1, 1, "this", true), label(line, 390, 3, "that")}), Colour::no),
            "error[some-slug]: m\n  demo.tess:2:1\n   2 | " + std::string(100, 'a') + "...\n     | ^" +
                std::string(101, ' ') + "- that\n     | |\n     | this\n");
}

TEST(Render, APlaceMayHoldOnlyPartOfItsLine) {
  Label part = label("part of a line", 1006, 2, "of", true);
  part.place.line_text_column = 1001;
  EXPECT_EQ(render(diagnostic("m", {part}), Colour::no),
            "error[some-slug]: m\n  demo.tess:2:1006\n   2 | ...part of a line\n     |         ^^ of\n");
}

TEST(Render, ColoursOnlyWhereAsked) {
  const std::string coloured =
      render(diagnostic("m", {label("ab", 1, 1, "p", true), label("ab", 2, 1, "s")}, "h"), Colour::yes);
  EXPECT_EQ(coloured,
            "\x1B[1;31merror[some-slug]\x1B[0m\x1B[1m: m\x1B[0m\n  demo.tess:2:1\n\x1B[34m   2 |\x1B[0m ab\n"
            "\x1B[34m     |\x1B[0m \x1B[1;31m^\x1B[0m\x1B[1;34m-\x1B[0m \x1B[1;34ms\x1B[0m\n"
            "\x1B[34m     |\x1B[0m \x1B[1;31m|\x1B[0m\n\x1B[34m     |\x1B[0m \x1B[1;31mp\x1B[0m\n"
            "  \x1B[1;32mhelp: \x1B[0mh\n");
}

TEST(Json, OfADiagnostic) {
  EXPECT_EQ(to_json(diagnostic("m", {label("let a = 1", 5, 1, "t", true)}, "h")),
            R"({"slug":"some-slug","severity":"error","message":"m","file":"demo.tess","line":2,"column":5,)"
            R"("labels":[{"line":2,"column":5,"length":1,"text":"t","primary":true}],"help":"h"})"
            "\n");
  EXPECT_EQ(to_json(diagnostic("\xFF", {})),
            R"({"slug":"some-slug","severity":"error","message":"�","file":null,"line":null,"column":null,)"
            R"("labels":[],"help":""})"
            "\n");
}

TEST(Json, OfABinding) {
  EXPECT_EQ(to_json(Binding{"a", "f32[8@x]", 3, 5}), R"({"name":"a","type":"f32[8@x]","line":3,"column":5})"
                                                     "\n");
}

TEST(Table, AlignsAndLetsRemarksRun) {
  EXPECT_EQ(table({{"planner", "steps", "bytes"}, {"ours", "2", "20480"}, {"xla", "unsupported: uneven extents"}}),
            "planner  steps  bytes\nours         2  20480\nxla      unsupported: uneven extents\n");
}

}  // namespace
}  // namespace tessera::repl
