// Could another line complete the text? The REPL asks before it reads one.
#include <gtest/gtest.h>

#include "frontend/parse.hpp"

namespace tessera::frontend {
namespace {

TEST(Incomplete, WhereABracketIsOpen) {
  for (const char* text :
       {"f(", "let a = [1, 2,\n", "fn f() {", "fn f() {\nlet a = 1", "fn f() {\nlet a = 1\n", "f({", "{"}) {
    EXPECT_TRUE(is_incomplete(text)) << text;
  }
}

TEST(Incomplete, AfterWhatWantsMore) {
  for (const char* text : {"a +", "a +\n", "a + # comment", "let a =", "print a,", "a as", "a as [8] within", "a with",
                           "a with [0] =", "a with [0] = 1,", "loop w = 1 while", "a ||\n\n", "if a { b } else",
                           "let a:", "fn f() ->", "loop a = 1 for"}) {
    EXPECT_TRUE(is_incomplete(text)) << text;
  }
}

TEST(Incomplete, WhereAnElseMustFollow) {
  EXPECT_TRUE(is_incomplete("if a { b }"));
  EXPECT_TRUE(is_incomplete("let x = if a { b } else if c { d }\n"));
}

TEST(Complete, OtherwiseRightOrWrong) {
  for (const char* text : {"",
                           "\n",
                           "if a { print b }",
                           "if a { f(b) }",
                           "{ if a { 1 }; 3 }",
                           "# comment",
                           "a",
                           "let a",
                           "a b",
                           "f(a))",
                           "f(a]",
                           "\"abc",
                           "if a { b } else { c }",
                           "$",
                           "f(\nlet a = 1",
                           "print \"abc(",
                           "a\x01(",
                           "\xFF(",
                           "let",
                           "a +; b"}) {
    EXPECT_FALSE(is_incomplete(text)) << text;
  }
}

}  // namespace
}  // namespace tessera::frontend
