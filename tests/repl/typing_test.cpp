// Typing: the text and its cursor, keys, rows on the screen, colours, pasted text, recalled text.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "repl/session/input.hpp"
#include "repl/typing/edited_text.hpp"
#include "repl/typing/highlight.hpp"
#include "repl/typing/keys.hpp"
#include "repl/typing/recall.hpp"
#include "repl/typing/shape.hpp"
#include "repl/typing/typed_view.hpp"

namespace tessera::repl {
namespace {

using Texts = std::vector<std::string>;

EditedText typed(const std::string& text) {
  EditedText edited;
  edited.insert(text);
  return edited;
}

TEST(EditedText, MovesByCharactersWordsAndLines) {
  EditedText edited = typed("let größe = 12\n  b");
  EXPECT_TRUE(edited.move(Motion::up));
  EXPECT_EQ(edited.before_cursor(), "let");
  EXPECT_TRUE(edited.move(Motion::word_right));
  EXPECT_EQ(edited.before_cursor(), "let größe");
  EXPECT_TRUE(edited.move(Motion::word_left));
  EXPECT_EQ(edited.before_cursor(), "let ");
  EXPECT_TRUE(edited.move(Motion::line_end));
  EXPECT_EQ(edited.before_cursor(), "let größe = 12");
  EXPECT_TRUE(edited.move(Motion::right));
  EXPECT_FALSE(edited.move(Motion::left) && edited.move(Motion::up));
  EXPECT_TRUE(edited.move(Motion::line_begin));
  EXPECT_FALSE(edited.move(Motion::left));
}

TEST(EditedText, ACharacterGoesWithTheMarksOverIt) {
  EditedText edited = typed("e\xCC\x81");  // e and a combining acute accent
  EXPECT_EQ(edited.erase(Motion::left), "e\xCC\x81");
  EXPECT_EQ(edited.text(), "");
}

TEST(EditedText, UpAndDownKeepTheColumnOfWideCharacters) {
  EditedText edited = typed("日本語\nabcd");
  EXPECT_TRUE(edited.move(Motion::up));
  EXPECT_EQ(edited.before_cursor(), "日本");
  EXPECT_TRUE(edited.move(Motion::down));
  EXPECT_TRUE(edited.is_at_end());
}

TEST(EditedText, ErasesWhereAMotionLeads) {
  EditedText edited = typed("a + foo.bar");
  EXPECT_EQ(edited.erase(Motion::word_left), "bar");
  EXPECT_EQ(edited.erase(Motion::blank_word_left), "foo.");
  EXPECT_EQ(edited.erase(Motion::line_begin), "a + ");
  EXPECT_EQ(edited.erase(Motion::left), "");
}

TEST(EditedText, UndoesRunsOfInsertionsAtOnce) {
  EditedText edited;
  for (const char* one : {"a", "b", "c"}) edited.insert(one);
  edited.erase(Motion::left);
  edited.insert("d");
  edited.undo();
  EXPECT_EQ(edited.text(), "ab");
  edited.undo();
  EXPECT_EQ(edited.text(), "abc");
  edited.undo();
  EXPECT_EQ(edited.text(), "");
  edited.undo();
  EXPECT_EQ(edited.text(), "");
}

TEST(EditedText, Transposes) {
  EditedText edited = typed("aé");
  edited.transpose();
  EXPECT_EQ(edited.text(), "éa");
  edited.set("x\n1");
  edited.transpose();
  EXPECT_EQ(edited.text(), "x\n1");
}

// The keys in some bytes, `text:` those with one.
Texts keys_in(const std::string& bytes) {
  std::size_t at = 0;
  const NextByte next = [&](int milliseconds) {
    if (at < bytes.size()) return static_cast<int>(static_cast<unsigned char>(bytes[at++]));
    return milliseconds < 0 ? kBytesEnded : kNoByteInTime;
  };
  Texts keys;
  while (true) {
    const Key key = next_key(next);
    if (key.stroke == Stroke::input_ended) return keys;
    keys.push_back(key.text.empty() ? std::to_string(static_cast<int>(key.stroke)) : key.text);
  }
}

std::string number(Stroke stroke) { return std::to_string(static_cast<int>(stroke)); }

TEST(Keys, AreToldByTheirBytes) {
  EXPECT_EQ(keys_in("aé\x1B[A\x1BOB\r"),
            (Texts{"a", "é", number(Stroke::up), number(Stroke::down), number(Stroke::enter)}));
  EXPECT_EQ(keys_in("\x1B[1;5C\x1B[3~\x1B"),
            (Texts{number(Stroke::word_right), number(Stroke::erase_right), number(Stroke::abort)}));
  EXPECT_EQ(keys_in("\x1B[99;99zx"), (Texts{number(Stroke::unknown), "x"}));
  EXPECT_EQ(keys_in("\xFF"
                    "1"),
            (Texts{"\xEF\xBF\xBD", "1"}));
}

TEST(Keys, WhatIsPastedIsOneText) {
  EXPECT_EQ(keys_in("\x1B[200~a\r\nb\rc\x1B[Ad\x1B[201~e"), (Texts{"a\nb\nc\xEF\xBF\xBD[Ad", "e"}));
}

std::vector<std::string> painted_rows(const ScreenRows& rows) {
  std::vector<std::string> result;
  for (const ScreenRow& row : rows.rows) result.push_back(row.painted);
  return result;
}

std::string numbered(std::size_t line) { return std::to_string(line + 1) + (line == 0 ? "> " : ". "); }

TEST(ScreenRows, OfTwoLinesOnANarrowTerminal) {
  const ScreenRows rows = rows_of({"let a = (1 +\n2)", 15, numbered}, 8);
  EXPECT_EQ(painted_rows(rows), (Texts{"1> let a", " = (1 +", "2. 2)"}));
  EXPECT_TRUE(rows.rows[0].goes_on);
  EXPECT_EQ(rows.cursor_row, 2U);
  EXPECT_EQ(rows.cursor_column, 5);
}

TEST(ScreenRows, TheCursorBehindAFullRowStandsInTheNext) {
  const ScreenRows rows = rows_of({"12345", 5, numbered}, 8);
  EXPECT_EQ(rows.cursor_row, 1U);
  EXPECT_EQ(rows.cursor_column, 0);
}

TEST(ScreenRows, WideCharactersAreNotCut) {
  EXPECT_EQ(painted_rows(rows_of({"abcd日", 0, numbered}, 8)), (Texts{"1> abcd", "日"}));
}

TEST(TypedView, OfAHighTextDrawsTheRowsAroundTheCursor) {
  std::string drawn;
  TypedView view([&](const std::string& bytes) { drawn = bytes; });
  view.draw({"a\nb\nc\nd", 7, numbered}, 20, 2);
  EXPECT_EQ(drawn, "\r\x1B[J3. c\r\n4. d");
  view.draw({"a\nb\nc\nd", 0, numbered}, 20, 2);
  EXPECT_EQ(drawn, "\x1B[1A\r\x1B[J1> a\r\n2. b\x1B[1A\x1B[1D");
}

std::string inks_text(const std::string& text) {
  std::string letters;
  for (const Ink ink : inks_of(text)) {
    letters += ink == Ink::keyword   ? 'k'
               : ink == Ink::axis    ? 'a'
               : ink == Ink::string  ? 's'
               : ink == Ink::comment ? 'c'
               : ink == Ink::bold    ? 'b'
                                     : '.';
  }
  return letters;
}

TEST(Inks, OfWords) {
  EXPECT_EQ(inks_text("let a: f32[8@x, 4@(y,z)]{+w}"), "kkk....kkk...a.....a.a....a.");
  EXPECT_EQ(inks_text("let a: f32[8]{*x}"), "kkk....kkk.....a.");
  EXPECT_EQ(inks_text("print \"a # b\" # c"), "kkkkk.sssssss.ccc");
  EXPECT_EQ(inks_text(":plan a @ b"), "bbbbb......");
  EXPECT_EQ(inks_text("\"open"), "sssss");
}

TEST(Pasted, PromptsAndAnswersAreTakenOff) {
  EXPECT_EQ(without_prompts("> let a = (1 +\n. 2)\na : i64\n> a * 2\n6\n", true), "let a = (1 +\n2)\na * 2");
  EXPECT_EQ(without_prompts("\n7> f(\n8. 1)\n1\n9> a\n", true), "f(\n1)\na");
  EXPECT_EQ(without_prompts(">>> let a = (1 +\n... 2)\n3\n>>> a\n", true), "let a = (1 +\n2)\na");
  EXPECT_EQ(without_prompts("12 > 3\n", true), "12 > 3");
  EXPECT_EQ(without_prompts("let a = 1\n> b\n", true), "let a = 1\n> b");
  EXPECT_EQ(without_prompts("a\nb\n", false), "a b");
}

TEST(Shape, IndentsBehindAnOpenBracket) {
  EXPECT_EQ(indentation_after("fn f() {"), "  ");
  EXPECT_EQ(indentation_after("fn f() {\n  a;"), "  ");
  EXPECT_EQ(indentation_after("a +"), "");
  EXPECT_EQ(blanks_before_closing("fn f() {\n  ", "}"), 2U);
  EXPECT_EQ(blanks_before_closing("  ", "}"), 0U);
  EXPECT_EQ(blanks_before_closing("fn f() {\n  a", "}"), 0U);
}

TEST(Recall, GoesBackAndForth) {
  Recall recall;
  for (const char* text : {"a = 1", "b", "b", "a = 2"}) recall.add(text);
  EXPECT_EQ(recall.earlier("new"), "a = 2");
  EXPECT_EQ(recall.earlier("ignored"), "b");
  EXPECT_EQ(recall.earlier(""), "a = 1");
  EXPECT_EQ(recall.earlier(""), std::nullopt);
  EXPECT_EQ(recall.later(), "b");
  EXPECT_EQ(recall.later(), "a = 2");
  EXPECT_EQ(recall.later(), "new");
  EXPECT_EQ(recall.later(), std::nullopt);
  EXPECT_EQ(recall.earlier_with("a ="), "a = 2");
  EXPECT_EQ(recall.earlier_with("a ="), "a = 1");
  EXPECT_EQ(recall.earlier_with("a ="), std::nullopt);
}

TEST(Inputs, AreCutAtCommands) {
  EXPECT_EQ(inputs_of("let a = 1\nlet b = 2\n:type a\na + b"), (Texts{"let a = 1\nlet b = 2", ":type a", "a + b"}));
  EXPECT_EQ(inputs_of("f(\n:x)"), Texts{"f(\n:x)"});
  EXPECT_EQ(inputs_of(":plan f(\n1)\n2"), (Texts{":plan f(\n1)", "2"}));
  EXPECT_TRUE(inputs_of("").empty());
  EXPECT_TRUE(is_complete(""));
  EXPECT_TRUE(is_complete(":mem"));
  EXPECT_FALSE(is_complete(":plan f("));
  EXPECT_FALSE(is_complete("let a = 1\nfn f() {"));
}

}  // namespace
}  // namespace tessera::repl
