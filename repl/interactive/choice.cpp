// `:choice`: what was chosen for a function of the session, and what other layouts would take.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "repl/interactive/commands.hpp"
#include "repl/interactive/interpreter.hpp"
#include "repl/render/choices.hpp"
#include "tessera/choice.hpp"

namespace tessera::repl {

namespace {

// The last program of the session that calls the function, with what was chosen for its first call there.
struct ChosenCall {
  Program program;
  Choice choice;
};

std::optional<ChosenCall> last_call(const State& state, const std::string& function) {
  const std::vector<const Entry*> entries = state.entries.in_order();
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    for (const auto& [name, by] : (*entry)->bound) {
      const auto choices = choices_of(by.program);
      if (!choices) continue;
      for (const Choice& one : *choices) {
        if (one.function == function) return ChosenCall{by.program, one};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

bool run_choice(const CommandCall& call) {
  const std::string words(call.argument);
  const std::size_t blank = words.find(' ');
  const std::string function = words.substr(0, blank);
  const auto found = last_call(call.interpreter.state(), function);
  if (!found)
    return call.interpreter.complain(fmt::format(
        "no call of an `auto fn {0}` has bound a name here\n  help: layouts are chosen for a call: `let r = "
        "{0}(...)`, then `:choice {0}`",
        function));
  if (blank == std::string::npos) {
    call.out(choice_text(found->choice, call.interpreter.state().session.config().machine));
    return true;
  }
  const std::string name = words.substr(words.find_first_not_of(' ', blank));
  const auto prices = layout_prices(found->program, function, name);
  if (!prices) return call.interpreter.fail(prices.diagnostics());
  call.out(prices_text(*prices));
  return true;
}

}  // namespace tessera::repl
