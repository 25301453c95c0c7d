// Reading any text ends soon, in a tree or in a diagnostic.
#include <gtest/gtest.h>

#include <random>

#include "base/utf8.hpp"
#include "frontend/parse.hpp"
#include "frontend/print.hpp"
#include "frontend/verify.hpp"
#include "tests/frontend/support.hpp"

namespace tessera::frontend::testing {
namespace {

std::string first_error(const std::string& text) {
  const auto errors = brief(parse_text(text));
  return errors.empty() ? "" : errors[0];
}

struct Nest {
  std::string open;
  std::string close;
};

// Every way to put one thing into another without end.
const std::vector<Nest> kNests = {
    {"(", ")"},
    {"[", "]"},
    {"{", "}"},
    {"-", ""},
    {"!", ""},
    {"f(", ")"},
    {"f32(", ")"},
    {"f(f32[(", ")])"},
    {"a[", "]"},
    {"{ let a = ", "\na }"},
    {"local { ", " }"},
    {"if a { ", " } else { b }"},
    {"if a { b } else { ", " }"},
    {"if a { b } else if ", " { c } else { d }"},
    {"if ", " { b } else { c }"},
    {"loop w = ", " for i < n { w }"},
    {"loop w = 1, v = ", " for i < n { w }"},
    {"loop w = 1 for i < ", " { w }"},
    {"loop w = 1 for i < n { ", " }"},
    {"a + ", ""},
    {"a ** ", ""},
    {"a && ", ""},
    {"a < (", ")"},
    {"(", ", b)"},
    {"(b, ", ")"},
};
// The same to the left.
const std::vector<std::string> kTails = {" + a", " @ a", " || a", "[0]", " as f32", "**a"};

std::string nested(const Nest& nest, std::size_t depth) {
  return "let x = " + repeat(nest.open, depth) + "a" + repeat(nest.close, depth);
}

TEST(Limits, WhatIsNestedWithinThemIsWalkedToTheEnd) {
  const auto walk = [](const std::string& text) {
    const Parsed parsed = parse_text(text);
    ASSERT_TRUE(parsed.result.ok()) << text.substr(0, 60) << ::testing::PrintToString(brief(parsed));
    EXPECT_TRUE(verify(*parsed.result).ok()) << text.substr(0, 60);
    expect_fixed_point(text);
  };
  for (const Nest& nest : kNests) walk(nested(nest, kNestingMax / 4));
  for (const std::string& tail : kTails) walk("let x = a" + repeat(tail, kNestingMax));
  walk(nested(kNests[0], kNestingMax));
}

TEST(Limits, WhatIsNestedDeeperIsRefused) {
  for (const Nest& nest : kNests) {
    const std::size_t depth = nest.open.size() == 1 ? 100000 : 2000;
    EXPECT_NE(first_error(nested(nest, depth)).find("nested-too-deeply"), std::string::npos) << nest.open;
    EXPECT_NE(first_error(nested(nest, kNestingMax + 1)).find("nested-too-deeply"), std::string::npos) << nest.open;
    EXPECT_FALSE(parse_text("let x = " + repeat(nest.open, depth)).result.ok()) << nest.open;
  }
  for (const std::string& tail : kTails) {
    EXPECT_NE(first_error("let x = a" + repeat(tail, 100000)).find("nested-too-deeply"), std::string::npos) << tail;
  }
  EXPECT_EQ(first_error("let x = " + repeat("(", 300) + "a" + repeat(")", 300)), "1:265 nested-too-deeply");
}

TEST(Limits, ThingsSideBySideAreNotNested) {
  expect_fixed_point("let x = [" + repeat("a + b * c, ", 1000) + "d]");
  expect_fixed_point("let x = f(" + repeat("if a { b } else { c }, ", 300) + "d)");
  expect_fixed_point("let x = [" + repeat("loop w = 1, v = 2 for i < 3 { w }, ", 300) + "d]");
  expect_fixed_point("let x = [" + repeat("[1, 2], ", 300) + "d[0]]");
  expect_fixed_point("let x = {\n" + repeat("let a = b + c\n", 300) + "a }");
  expect_fixed_point(repeat("let a = b + c\n", 300));
}

TEST(Limits, UnclosedBracketsAreReportedOnceForEachStatement) {
  EXPECT_EQ(brief(parse_text("let x = " + repeat("(", 200))), std::vector<std::string>{"1:208 unclosed-bracket"});
  const std::string text = repeat("fn f() {\n", 20000);
  EXPECT_LE(parse_text(text).result.errors().size(), kSyntaxErrorsMax + 1);
}

TEST(Limits, OnSize) {
  const std::string text = "a" + std::string(kSourceBytesMax, ' ');
  const auto errors = brief(parse_text(text));
  EXPECT_EQ(errors, std::vector<std::string>{"1:" + std::to_string(kSourceBytesMax + 1) + " source-too-large"});
}

TEST(Limits, OnSyntaxErrors) {
  EXPECT_EQ(parse_text(repeat("let = 1\n", kSyntaxErrorsMax)).result.errors().size(), kSyntaxErrorsMax);
  const Parsed more = parse_text(repeat("let = 1\n", kSyntaxErrorsMax + 10));
  EXPECT_EQ(more.result.errors().size(), kSyntaxErrorsMax + 1);
  EXPECT_EQ(brief(more).back(), std::to_string(kSyntaxErrorsMax + 1) + ":5 too-many-syntax-errors");
}

TEST(Limits, LongWordsAreCutInMessages) {
  for (const std::string& text :
       {"let a " + std::string(100000, 'b'), "let a = " + std::string(100000, '9'),
        "let a = 1" + std::string(100000, 'b'), "let a \"" + std::string(100000, 'b') + "\"",
        "let a = b as [8] within 1" + std::string(100000, 'b'), "let a = \"\\u{" + std::string(100000, '1') + "}\"",
        "let a: " + std::string(100000, 'b') + " = c", "a" + repeat(" as f32", 200) + " + a"}) {
    const Parsed parsed = parse_text(text);
    ASSERT_FALSE(parsed.result.ok());
    EXPECT_LT(parsed.result.errors()[0].message.size() + parsed.result.errors()[0].help.size(), 500U);
  }
}

TEST(Limits, GarbageIsRefused) {
  std::mt19937 random(20240607);
  const auto make = [&](auto&& put) {
    std::string text;
    while (text.size() < (1U << 20U)) put(text);
    EXPECT_FALSE(parse_text(std::move(text)).result.ok());
  };
  make([&](std::string& text) { text += static_cast<char>(random()); });
  make([&](std::string& text) { text += static_cast<char>(32 + random() % 95); });
  make([&](std::string& text) {
    base::append_code_point(text, static_cast<std::uint32_t>(0x3000U + random() % 0x9000U));
  });
  make([&](std::string& text) { text += "()[]{}\n"[random() % 7]; });
  make([&](std::string& text) {
    constexpr std::array<std::string_view, 18> kWords = {"let ",  "fn ", "a ",    "= ",  "(",  ")",
                                                         "[",     "]",   "{",     "}",   "+ ", "as ",
                                                         "if a ", "\n",  "else ", "f32", "8 ", ", "};
    text += kWords[random() % kWords.size()];
  });
}

TEST(Limits, TextsMustBeVisible) {
  EXPECT_EQ(first_error(std::string("let a\0= 1", 9)), "1:6 control-character");
  EXPECT_EQ(first_error("a\n\x1B[1m"), "2:1 control-character");
  EXPECT_EQ(first_error("a\rb"), "1:2 control-character");
  EXPECT_EQ(first_error("# \xE2\x80\xAE"), "1:3 control-character");
  EXPECT_EQ(first_error("print \"\x7F\""), "1:8 control-character");
  EXPECT_EQ(first_error("\xC2\x85"), "1:1 control-character");
  EXPECT_EQ(first_error("é\xFF"), "1:2 invalid-utf8");
  EXPECT_EQ(first_error("# \xED\xA0\x80"), "1:3 invalid-utf8");
  EXPECT_EQ(first_error("a\xC3"), "1:2 invalid-utf8");
}

}  // namespace
}  // namespace tessera::frontend::testing
