// `:choice`: what was chosen for a function of the session, and what other layouts would take.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "repl/process/interrupt.hpp"
#include "repl/render/choices.hpp"
#include "repl/session/commands.hpp"
#include "repl/session/interpreter.hpp"
#include "repl/session/why.hpp"
#include "tessera/choice.hpp"

namespace tessera::repl {

namespace {

// The last program of the session that calls a function whose layouts are chosen, with its first call there.
struct ChosenCall {
  Program program;
  Choice choice;
};

template <class F>
std::optional<ChosenCall> last_call(const State& state, const F& is_wanted) {
  const std::vector<const Entry*> entries = state.entries.in_order();
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    for (const auto& [name, by] : (*entry)->bound) {
      const auto choices = choices_of(by.program);
      if (!choices) continue;
      for (const Choice& one : *choices) {
        if (is_wanted(one)) return ChosenCall{by.program, one};
      }
    }
  }
  return std::nullopt;
}

bool explain_in(const CommandCall& call, const ChosenCall& chosen, const std::string& name, const StopToken& stop) {
  const auto value = explain_value(chosen.program, chosen.choice.function, name, stop);
  if (!value) return call.interpreter.fail(value.diagnostics());
  call.out(explained_text(*value, chosen.choice.function));
  return true;
}

// The functions that `:choice` can tell of, in alphabetical order.
std::set<std::string> functions_called(const State& state) {
  std::set<std::string> names;
  last_call(state, [&](const Choice& one) {
    names.insert(one.function);
    return false;
  });
  return names;
}

bool complain_of_function(const CommandCall& call, const std::string& function) {
  const std::set<std::string> others = functions_called(call.interpreter.state());
  if (!others.empty())
    return call.interpreter.complain(
        fmt::format("{}\n  help: there is `:choice {}`",
                    function.empty() ? "`:choice` needs the name of a function"
                                     : fmt::format("no call of an `auto fn {}` has bound a name here", function),
                    fmt::join(others, "`, `:choice ")));
  return call.interpreter.complain(
      fmt::format("no call of an `auto fn{0}` has bound a name here\n  help: layouts are chosen for a call: `let r = "
                  "{1}(...)`, then `:choice {1}`",
                  function.empty() ? "" : " " + function, function.empty() ? "f" : function));
}

bool is_bound(const State& state, const std::string& name) {
  const std::vector<Binding> names = state.session.names();
  return std::any_of(names.begin(), names.end(), [&](const Binding& own) { return own.name == name; });
}

}  // namespace

bool run_choice(const CommandCall& call) {
  StopToken stop;
  const StoppableRun stoppable(stop);
  const std::string words(call.argument);
  const std::size_t blank = words.find(' ');
  const std::string function = words.substr(0, blank);
  const auto found = last_call(call.interpreter.state(), [&](const Choice& one) { return one.function == function; });
  if (!found) return complain_of_function(call, function);
  if (blank == std::string::npos) {
    call.out(choice_text(found->choice, call.interpreter.state().session.config().machine));
    return true;
  }
  return explain_in(call, *found, words.substr(words.find_first_not_of(' ', blank)), stop);
}

std::optional<bool> why_in_chosen(const CommandCall& call) {
  const std::string name(call.argument);
  if (is_bound(call.interpreter.state(), name)) return std::nullopt;
  StopToken stop;
  const StoppableRun stoppable(stop);
  const auto found = last_call(call.interpreter.state(), [&](const Choice& one) {
    return std::any_of(one.values.begin(), one.values.end(),
                       [&](const Choice::Value& value) { return value.name == name; });
  });
  if (!found) return std::nullopt;
  return explain_in(call, *found, name, stop);
}

}  // namespace tessera::repl
