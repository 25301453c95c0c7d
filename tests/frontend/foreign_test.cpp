// What is told to those who type a function of another system can be typed.
#include <gmock/gmock.h>

#include <regex>
#include <set>
#include <string>

#include "frontend/foreign_operations.hpp"
#include "tests/frontend/support.hpp"

namespace tessera::frontend::testing {
namespace {

// A value, or a statement; dots, and what stands between them in a body, are for anything.
bool is_written_so(const std::string& code) {
  std::string text = std::regex_replace(code, std::regex(R"(\{ \.\.\. .*\})"), "{ w }");
  text = std::regex_replace(text, std::regex(R"(\.\.\.)"), "w");
  return parse_text("let q = " + text).result.ok() || parse_text(text).result.ok();
}

TEST(ForeignOperations, AreAnsweredWithWhatCanBeTyped) {
  // Words of a sentence: a command of the session, a keyword, an operator, the name of an argument, NumPy's function.
  const std::regex other(R"(:.*|local|@|dim=|np\..*)");
  const std::regex marked("`([^`]+)`");
  std::size_t checked = 0;
  for (const auto words : foreign_operations()) {
    for (const auto& [word, help] : words) {
      const std::string text(help);
      for (std::sregex_iterator at(text.begin(), text.end(), marked), end; at != end; ++at) {
        const std::string code = (*at)[1];
        if (std::regex_match(code, other)) continue;
        EXPECT_TRUE(is_written_so(code)) << word << ": " << code;
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 200U);
}

TEST(ForeignOperations, HaveOneAnswerEach) {
  std::set<std::string_view> seen;
  for (const auto words : foreign_operations()) {
    for (const auto& [word, help] : words) EXPECT_TRUE(seen.insert(word).second) << word;
  }
}

}  // namespace
}  // namespace tessera::frontend::testing
