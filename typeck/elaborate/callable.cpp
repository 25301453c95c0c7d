// Which function a call means, and what to type instead where it means none.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/nearest.hpp"
#include "frontend/foreign.hpp"
#include "typeck/elaborate/calls.hpp"
#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/table.hpp"

namespace tessera::typeck {

// The function that a name means here.
const Function* Calls::callable(const frontend::Name& callee, std::span<const frontend::Argument> arguments) {
  const Seen seen = elaborator_.seen();
  const bool calls_itself = std::any_of(calls_.begin(), calls_.end(), [&](const Function* function) {
    return function == elaborator_.frame().function && function->definition().name.text == callee.text;
  });
  if (calls_itself) {
    elaborator_.report(base::make(Kind::recursion, callee.text).at(callee.span).suggest("use `loop`"));
    return nullptr;
  }
  const Function* const function = elaborator_.environment().function(callee.text, seen);
  if (function == nullptr) report_unknown_function(callee, arguments, seen);
  return function;
}

// Is there a function of that name at the top level of this text?
bool Calls::declares_later(std::string_view name) const {
  return std::any_of(elaborator_.ast().program.begin(), elaborator_.ast().program.end(), [&](frontend::StatementId id) {
    const auto* function = std::get_if<frontend::Fn>(&elaborator_.ast()[id].node);
    return function != nullptr && function->name.text == name;
  });
}

namespace {

std::string_view library_text_with(const Elaborator& elaborator, std::string_view function) {
  const auto of = elaborator.options().library_of;
  return of == nullptr ? std::string_view() : of(function);
}

}  // namespace

void Calls::report_unknown_function(const frontend::Name& callee, std::span<const frontend::Argument> arguments,
                                    const Seen& seen) {
  if (elaborator_.names().is_poisoned(callee.text) || elaborator_.statements().used_files().lacks_some()) return;
  std::vector<std::string> names = elaborator_.environment().function_names(seen);
  for (std::string& operation : operation_names()) names.push_back(std::move(operation));
  std::string help;
  if (declares_later(callee.text)) {
    help = "it is declared further below: a function stands before its use";
  } else if (const std::string_view text = library_text_with(elaborator_, callee.text); !text.empty()) {
    help = fmt::format("the library has it: write `use \"{}\"` before", text);
  } else if (callee.text == "astype" && arguments.size() == 2) {
    help = frontend::help_for_member({std::string(elaborator_.text(arguments[0].span)), callee.text,
                                      std::string(elaborator_.text(arguments[1].span))});
  } else if (const auto foreign =
                 frontend::help_for_call(callee.text, arguments.empty() ? "" : elaborator_.text(arguments[0].span))) {
    help = *foreign;
  } else if (const auto near = base::nearest(callee.text, names)) {
    help = fmt::format("did you mean `{}`?", *near);
  } else if (elaborator_.environment().variable(callee.text, seen) != nullptr) {
    help = fmt::format("`{}` is an array: index it with brackets", callee.text);
  }
  elaborator_.report(base::make(Kind::unknown_function, callee.text).at(callee.span).suggest(std::move(help)));
}

}  // namespace tessera::typeck
