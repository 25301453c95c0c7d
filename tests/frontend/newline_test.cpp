// Which newlines end a statement.
#include <gtest/gtest.h>

#include "frontend/parse.hpp"
#include "tests/frontend/support.hpp"

namespace tessera::frontend::testing {
namespace {

// How many statements a text holds; 0 if it does not parse.
std::size_t statements(const std::string& text) {
  const Parsed parsed = parse_text(text);
  return parsed.result.ok() ? parsed.result->program.size() : 0;
}

TEST(Newlines, EndStatementsAsSemicolonsDo) {
  EXPECT_EQ(statements("a\nb"), 2U);
  EXPECT_EQ(statements("a;b"), 2U);
  EXPECT_EQ(statements("a;\n;\n\n;b;"), 2U);
  EXPECT_EQ(statements("\n;;\n"), 0U);
  EXPECT_EQ(statements("a\r\nb\r\n"), 2U);
  EXPECT_EQ(statements("a b"), 0U);
}

TEST(Newlines, AreNothingInParenthesesAndSquareBrackets) {
  EXPECT_EQ(statements("let a = (\n1\n+\n2\n)\n"), 1U);
  EXPECT_EQ(statements("let a = [\n1\n,\n2\n]\nlet b\n= 1"), 0U);
  EXPECT_EQ(statements("f\n(a)"), 2U);
  EXPECT_EQ(statements("f(\na\n)\n[0]"), 2U);
  EXPECT_EQ(statements("let a: f32[\n8\n@\nx\n] = b"), 1U);
}

TEST(Newlines, CountInBracesAlsoInsideOfParentheses) {
  EXPECT_EQ(statements("let a = ({\nlet b = 1\nb\n})"), 1U);
  EXPECT_EQ(statements("let a = ({ let b = 1 b })"), 0U);
  EXPECT_EQ(statements("let a = {\n(\nb\n)\n}"), 1U);
  EXPECT_EQ(statements("let a = { b\n\n\n }"), 1U);
  EXPECT_EQ(statements("let a = {\n\n\n b; }"), 1U);
}

TEST(Newlines, AreNothingInTheBracesOfRecords) {
  EXPECT_EQ(statements("let a = {\nw: b\n,\nc: d\n}"), 1U);
  EXPECT_EQ(statements("let a = {\n# a comment\nw\n: b}"), 1U);
  EXPECT_EQ(statements("let a = {\n..b,\nw: c,\n}"), 1U);
  EXPECT_EQ(statements("fn f(a: {\nw: f32\n}) -> {\nw: f32\n} {\na\n}"), 1U);
  EXPECT_EQ(statements("let a = {w: {\nlet b = 1\nb\n}\n}"), 1U);
  EXPECT_EQ(statements("let a = {\nw\n}\nb"), 2U);
}

TEST(Newlines, AreNothingAfterWhatWantsMore) {
  for (const char* op : {"+", "-", "*", "/", "%", "@", "**", "==", "!=", "<", "<=", ">", ">=", "&&", "||"}) {
    EXPECT_EQ(statements(std::string("let a = b ") + op + "\n\n c"), 1U) << op;
    EXPECT_NE(statements(std::string("let a = b\n") + op + " c"), 1U) << op;
  }
  EXPECT_EQ(statements("print a,\nb"), 1U);
  EXPECT_EQ(statements("let a =\nb"), 1U);
  EXPECT_EQ(statements("let a:\nf32 = b"), 1U);
  EXPECT_EQ(statements("fn f() ->\nf32 = b"), 1U);
  EXPECT_EQ(statements("fn f() {\nb }"), 1U);
  EXPECT_EQ(statements("let a = b as\n[8] within\n64MiB"), 1U);
  EXPECT_EQ(statements("let a: f32 on\nm = b"), 1U);
  EXPECT_EQ(statements("loop a = b for\ni < 3 { a }"), 1U);
  EXPECT_EQ(statements("if a { b } else\n{ c }"), 1U);
  EXPECT_EQ(statements("if a { b } else\nif c { d } else { e }"), 1U);
}

TEST(Newlines, AreNothingBeforeElse) {
  EXPECT_EQ(statements("if a { b }\n\n# comment\nelse { c }"), 1U);
  EXPECT_EQ(statements("let x = {\nif a { b }\nelse { c }\n}"), 1U);
  EXPECT_EQ(statements("if a { b };else { c }"), 0U);
}

TEST(Newlines, EndTheStatementAfterAnythingElse) {
  EXPECT_EQ(statements("let\na = b"), 0U);
  EXPECT_EQ(statements("let a\n= b"), 0U);
  EXPECT_EQ(statements("let x = !\na"), 0U);
  EXPECT_EQ(statements("fn f()\n{ b }"), 0U);
  EXPECT_EQ(statements("if a\n{ b } else { c }"), 0U);
  EXPECT_EQ(statements("loop\nw = 1 for i < 3 { w }"), 0U);
  EXPECT_EQ(statements("local\n{ a }"), 0U);
}

TEST(Newlines, AfterACommentAreWhatTheyAreWithoutIt) {
  EXPECT_EQ(statements("let a = b + # comment\n c"), 1U);
  EXPECT_EQ(statements("a # comment\nb"), 2U);
  EXPECT_EQ(statements("let a = [1, # comment\n2]"), 1U);
}

}  // namespace
}  // namespace tessera::frontend::testing
