// Programs with something missing, doubled or put in: they parse, or say why not, in our words.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "frontend/parse.hpp"
#include "tests/frontend/support.hpp"

namespace tessera::frontend::testing {
namespace {

const std::string kProgram =
    "mesh m = [x: 4, y: 2]\n"
    "let a = iota(f32[16@y, (2*N), 16@x]{+z} on m)  # comment\n"
    "fn f(a: f32[N, K]?, b: f32) -> (f32, bool[8]) {\n"
    "  let t: i64 = -a ** 2 + b[0:8, :, i:] @ c % 3\n"
    "  assert t < 3 && !(a == b), \"text\\n\"\n"
    "  if t >= 3 { (1, 2.5) } else if u { g(t, dim=0) } else { local { [1, 2] } }\n"
    "}\n"
    "let (p, q) = loop w = 1, v = true for i < 100 { (w as [16, 16@(x,y)] within 64MiB, f64(v)) }\n"
    "print \"sum\", p; save(q, \"p.npy\")\n";

const std::vector<std::string> kInserts = {"(",  ")", "[", "]", "{",  "}",    ",",      ";",     "\n",   "=",
                                           "==", "<", "+", "-", "!",  "@",    "as",     " let ", " f32", "\"",
                                           "#",  "$", "é", ".", "3x", " if ", " else ", "_",     "?"};

// Words of the parser generator, and what its own messages are made of.
void expect_our_words(const base::Diagnostic& diagnostic) {
  const auto words = diagnostic.message + diagnostic.help;
  for (const char* theirs : {"NEWLINE", "EOF", "viable", "extraneous", "mismatched", "missing '", "token recognition",
                             "LEFT_", "RIGHT_", "NAME", "END"}) {
    EXPECT_EQ(words.find(theirs), std::string::npos) << words;
  }
}

void check(const std::string& text) {
  const Parsed parsed = parse_text(text);
  (void)is_incomplete(text);
  if (parsed.result.ok()) return expect_fixed_point(text);
  EXPECT_EQ(brief(parsed).size(), parsed.result.errors().size());
  for (const auto& diagnostic : parsed.result.errors()) {
    EXPECT_NE(diagnostic.kind.blame, base::Blame::us) << text << diagnostic.message;
    EXPECT_FALSE(diagnostic.message.empty());
    EXPECT_EQ(diagnostic.message.find("something else"), std::string::npos) << text << "\n" << diagnostic.message;
    expect_our_words(diagnostic);
  }
}

TEST(Mutation, EveryPrefix) {
  for (std::size_t length = 0; length < kProgram.size(); ++length) check(kProgram.substr(0, length));
}

TEST(Mutation, EveryCharacterLeftOut) {
  for (std::size_t i = 0; i < kProgram.size(); ++i) check(kProgram.substr(0, i) + kProgram.substr(i + 1));
}

RC_GTEST_PROP(Mutation, SomethingPutInSomewhere, ()) {
  std::string text = kProgram;
  const int changes = *rc::gen::inRange(1, 4);
  for (int i = 0; i < changes; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    text.insert(at, *rc::gen::elementOf(kInserts));
  }
  RC_LOG() << text;
  check(text);
}

RC_GTEST_PROP(Mutation, WordsInAnyOrder, ()) {
  const std::string text = *rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kInserts)),
                                         [](const std::vector<std::string>& words) {
                                           std::string all = "let a = ";
                                           for (const auto& word : words) all += word + " a ";
                                           return all;
                                         });
  RC_LOG() << text;
  check(text);
}

}  // namespace
}  // namespace tessera::frontend::testing
