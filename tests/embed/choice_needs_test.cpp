// What no result and no effect needs costs nothing, and what can fail stays.
#include <gtest/gtest.h>
#include <tessera/choice.hpp>
#include <tessera/tessera.hpp>

#include <string>

namespace tessera {
namespace {

ChosenProgram chosen_of(const std::string& text) {
  auto chosen = choose_layouts(text, "t.tess", Config{}, {"", 60, false, false, true, 0});
  EXPECT_TRUE(chosen) << text << (chosen ? "" : chosen.diagnostics().front().message);
  return chosen ? std::move(chosen).value() : ChosenProgram{};
}

// Some lines of a function, before its result.
std::string function(const std::string& lines) {
  return "mesh m = [d: 4]\nfn noted(a: f32[N, N]?) {\n  print sum(a)\n  a * 2.0\n}\n"
         "auto fn f(a: f32[N, N] auto, b: f32[N, N] auto, k: i64) -> f32[N, N] {\n" +
         lines + "  relu(a @ b)\n}\nlet c = f(ones(f32[64, 64]), ones(f32[64, 64]), 3)\n";
}

TEST(Choice, WhatNobodyNeedsCostsNothing) {
  const ChosenProgram alone = chosen_of(function(""));
  for (const std::string lines :
       {"  let n = b @ a\n  let o = n * 2.0\n", "  let (n, o) = if k > 2 { (a @ a, b) } else { (b @ b, a) }\n",
        "  let n = loop s = a for i < 9 { s @ b }\n", "  let n = again { transpose(a) @ b }\n"}) {
    const ChosenProgram more = chosen_of(function(lines));
    EXPECT_EQ(more.choices.at(0).seconds, alone.choices.at(0).seconds) << lines;
    EXPECT_EQ(more.choices[0].peak_bytes, alone.choices[0].peak_bytes) << lines;
    EXPECT_EQ(more.closed, alone.closed) << lines;
    EXPECT_TRUE(more.choices[0].verified);
  }
}

std::string printed_by(const std::string& text) {
  std::string output;
  Config config;
  config.output = [&](std::string_view own) { output += own; };
  Session session(config);
  const auto run = session.run(text);
  return run ? output : output + run.diagnostics().front().slug;
}

// The closed form says so, too.
TEST(Choice, WhatMayFailOrIsSeenStays) {
  for (const auto& [lines, expected] : {std::pair<std::string, std::string>{"  let n = noted(a)\n", "4096.0\n"},
                                        {"  let n = 7 / (k - 3)\n", "division-by-zero"},
                                        {"  let n = loop s = a for i < 2 {\n    print k\n    s + a\n  }\n", "3\n3\n"},
                                        {"  let n = if k > 2 { noted(b) } else { a }\n", "4096.0\n"}}) {
    const std::string text = function(lines);
    EXPECT_EQ(printed_by(text), expected);
    EXPECT_EQ(printed_by(chosen_of(text).closed), expected);
  }
}

}  // namespace
}  // namespace tessera
