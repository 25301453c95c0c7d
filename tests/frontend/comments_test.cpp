// Comments are never lost, and stay where they can.
#include <gtest/gtest.h>

#include "tests/frontend/support.hpp"

namespace tessera::frontend::testing {
namespace {

struct Commented {
  std::string text;
  std::string layout;
};

const std::vector<Commented> kCommented = {
    {"#only", "#only\n"},
    {"\n\n  # a  \n\n\n# b\n", "# a\n\n# b\n"},
    {"a# at the end", "a  # at the end\n"},
    {"a # one\n\n# two\nb", "a  # one\n\n# two\nb\n"},
    {"a; b # of b", "a\nb  # of b\n"},
    {"let a = # one\n  b", "let a = b  # one\n"},
    {"let a = b + # one\n  c # two", "# one\nlet a = b + c  # two\n"},
    {"let a = b +\n  # one\n  c", "# one\nlet a = b + c\n"},
    {"a\n\nlet b = c + # one\n\n\n d + # two\n e", "a\n\n# one\n# two\nlet b = c + d + e\n"},
    {"let a = [1, # one\n2, 3 # three\n]", "let a = [\n  1,  # one\n  2, 3  # three\n]\n"},
    {"f( # open\n)", "f(\n  # open\n)\n"},
    {"f(a # a\n, # comma\n b)", "f(\n  a,  # a\n  # comma\n  b\n)\n"},
    {"f(g(a # inner\n), b)", "f(\n  g(\n    a  # inner\n  ),\n  b\n)\n"},
    {"f(a + # inner\n b, c)", "f(\n  a + b,  # inner\n  c\n)\n"},
    {"mesh m = [x: 4, # x\n y: 2]", "mesh m = [\n  x: 4,  # x\n  y: 2\n]\n"},
    {"mesh m = [x: 4] place [[2, 2], [1, 4 # of a level\n]]",
     "mesh m = [x: 4] place [\n  [2, 2],\n  [\n    1,\n    4  # of a level\n  ]\n]\n"},
    {"fn f(a: f32, # a\n b: f32 # b\n) = a", "fn f(\n  a: f32,  # a\n  b: f32  # b\n) = a\n"},
    {"fn f() = # body\n a", "fn f() = a  # body\n"},
    {"fn f(a: f32) = # body\n a", "fn f(a: f32) = a  # body\n"},
    {"let a = { # open\n b }", "let a = {\n  # open\n  b\n}\n"},
    {"let a = {\n b # b\n # last\n}", "let a = {\n  b  # b\n  # last\n}\n"},
    {"let a = { b } # after", "let a = { b }  # after\n"},
    {"if a { # then\n b } else { c }", "if a {\n  # then\n  b\n} else {\n  c\n}\n"},
    {"if a { b }\n# between\nelse { c }", "# between\nif a { b } else { c }\n"},
    {"if a { b } else { # why\n if c { d } else { e } }",
     "if a {\n  b\n} else {\n  # why\n  if c { d } else { e }\n}\n"},
    {"let a: f32[8, # eight\n 9] = b", "let a: f32[\n  8,  # eight\n  9\n] = b\n"},
    {"let a = b[ # zero\n 0]", "let a = b[\n  # zero\n  0\n]\n"},
    {"let a = (b # b\n)", "let a = b  # b\n"},
    {"save(a, # path\n \"p\")", "save(\n  a,  # path\n  \"p\"\n)\n"},
    {"print \"# no comment\" # one", "print \"# no comment\"  # one\n"},
};

TEST(Comments, StayWhereTheyCan) {
  for (const auto& [text, layout] : kCommented) {
    EXPECT_EQ(printed(text), layout) << text;
    expect_fixed_point(text);
  }
}

// A comment after every token but those inside of which a line end would matter.
TEST(Comments, SurviveAfterEveryToken) {
  const std::vector<std::string> words = {
      "mesh m = [", "x",    ":",          "4",   ",",       "y",       ":",   "2",   "]\n", "fn f(",  "a",
      ":",          "f32[", "8",          "@",   "(",       "x",       ",",   "y",   ")",   ",",      "(",
      "2",          "*",    "N",          ")",   "]{+x}",   ",",       "b",   ":",   "f32", ") ->",   "(",
      "f32",        ",",    "f32[8]",     ") {", "let t =", "a +",     "b[",  "0",   ":",   "1",      ",",
      "i",          "]\n",  "assert t <", "3,",  "\"s\"\n", "if t ==", "3 {", "1\n", "}",   "else {", "loop w =",
      "1,",         "v =",  "2 for",      "i <", "3 {",     "(",       "w",   ",",   "v",   ")",      "}",
      "}\n",        "}\n",  "let (",      "a",   ",",       "b",       ") =", "f(",  "c",   ",",      "dim",
      "=",          "0",    ",",          "[",   "1",       ",",       "2",   "]",   ",",   "f32[8]", ")\n"};
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string text;
    for (std::size_t j = 0; j < words.size(); ++j) {
      const bool ends_line = words[j].back() == '\n';
      if (i != j) {
        text += words[j] + (ends_line ? "" : " ");
        continue;
      }
      text += ends_line ? words[j].substr(0, words[j].size() - 1) + " # here\n" : words[j] + " # here\n";
    }
    if (!parse_text(text).result.ok()) continue;  // the line end did matter
    expect_fixed_point(text);
  }
}

}  // namespace
}  // namespace tessera::frontend::testing
