// Any tree: printed and parsed it is itself again, with and without comments.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "frontend/parse.hpp"
#include "frontend/print.hpp"
#include "frontend/verify.hpp"
#include "tests/frontend/support.hpp"
#include "tests/frontend/tree_maker.hpp"

namespace tessera::frontend::testing {
namespace {

Ast any_tree() {
  return TreeMaker([](std::uint32_t n) { return *rc::gen::inRange(std::uint32_t{0}, n); }).program();
}

RC_GTEST_PROP(AnyTree, IsWhatItsTextSays, ()) {
  const Ast tree = any_tree();
  RC_ASSERT(verify(tree).ok());
  const std::string text = print(tree);
  RC_LOG() << text;
  const Parsed parsed = parse_text(text);
  RC_ASSERT(parsed.result.ok());
  RC_ASSERT(equal(tree, *parsed.result));
  RC_ASSERT(print(*parsed.result, &parsed.sources) == text);
}

// The text with a comment at the end of some of its lines, and on some lines of their own.
std::string with_comments(const std::string& text) {
  std::string all;
  for (const char c : text) {
    const auto choice = c == '\n' ? *rc::gen::inRange(0, 6) : 0;
    if (choice == 1) all += " # end";
    all += c;
    if (choice == 2) all += "   # own\n";
    if (choice == 3) all += "\n\n# own\n\n";
  }
  return all;
}

RC_GTEST_PROP(AnyTree, KeepsItsComments, ()) {
  const Ast tree = any_tree();
  const std::string text = with_comments(print(tree));
  RC_LOG() << text;
  const Parsed parsed = parse_text(text);
  RC_ASSERT(parsed.result.ok());
  RC_ASSERT(equal(tree, *parsed.result));
  const std::string out = print(*parsed.result, &parsed.sources);
  const Parsed again = parse_text(out);
  RC_ASSERT(again.result.ok());
  RC_ASSERT(equal(tree, *again.result));
  RC_ASSERT(again.result->comments.size() == parsed.result->comments.size());
  RC_ASSERT(print(*again.result, &again.sources) == out);
}

}  // namespace
}  // namespace tessera::frontend::testing
