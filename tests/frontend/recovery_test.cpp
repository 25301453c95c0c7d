// One mistake hides no other.
#include <gtest/gtest.h>

#include "tests/frontend/support.hpp"

namespace tessera::frontend::testing {
namespace {

struct Recovered {
  std::string text;
  std::vector<std::string> errors;
};

const std::vector<Recovered> kRecovered = {
    {"let a 1\nlet b = 2\nlet c 3; let d 4", {"1:7 syntax-error", "3:7 syntax-error", "3:16 syntax-error"}},
    // In a block, each statement after the error is looked at.
    {"fn f() {\n  let a 1\n  let b = 2\n  let c 3\n  a +\n}",
     {"2:9 syntax-error", "4:9 syntax-error", "5:6 syntax-error"}},
    {"fn f() {\n  let a = { let b 1; b }\n  let c 3\n  c\n}\nlet d 4",
     {"2:19 syntax-error", "3:9 syntax-error", "6:7 syntax-error"}},
    {"let x = if a { let b 1\n b } else { let c 2\n c }", {"1:22 syntax-error"}},
    {"let x = { let a = 1e999\n let b = 2e999\n a }", {"1:19 number-too-large", "2:10 number-too-large"}},
    // A bracket that is never closed ends where a statement begins that it cannot hold.
    {"let a = f(1\nlet b 2\nlet c = 3", {"1:10 unclosed-bracket", "2:7 syntax-error"}},
    {"fn f() {\n  let a = g(1\n  let b = 2\n  b\n}\nlet c 3", {"2:12 unclosed-bracket", "6:7 syntax-error"}},
    {"fn f() {\n  let a = 1\n  a\nprint f()\nlet c 3", {"1:8 unclosed-bracket", "5:7 syntax-error"}},
    {"let a = [1, (2, 3]\nlet c 3", {"1:13 unclosed-bracket", "2:7 syntax-error"}},
    {"let a = f(1]\nlet c 3", {"1:12 unmatched-bracket", "2:7 syntax-error"}},
    {"let a = 1)\nlet c 3", {"1:10 unmatched-bracket", "2:7 syntax-error"}},
    {"}\n}\nlet c 3", {"1:1 unmatched-bracket", "2:1 unmatched-bracket", "3:7 syntax-error"}},
    // A string that is not closed swallows the brackets behind it, and is itself the mistake.
    {"print f(\"abc)\nlet c 3", {"1:9 open-string", "2:7 syntax-error"}},
    {"let a = f(1 $ 2\nlet c 3", {"1:13 unknown-character", "2:7 syntax-error"}},
};

TEST(Recovery, FindsTheNextMistake) {
  for (const auto& [text, errors] : kRecovered) EXPECT_EQ(brief(parse_text(text)), errors) << text;
}

}  // namespace
}  // namespace tessera::frontend::testing
