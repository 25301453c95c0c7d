// Expressions in commands: checked and run as statements, on forks of the session. Mistakes in them are reported where
// they were typed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/session/commands.hpp"
#include "repl/session/interpreter.hpp"
#include "repl/session/report.hpp"

namespace tessera::repl {

// The name that the expression is bound to on the fork.
inline constexpr std::string_view kIt = "it";

struct CheckedExpression {
  Session session;  // as it was when the program was checked
  Program program;  // `let it = EXPRESSION`

  const Binding& binding() const { return program.bindings().front(); }
};

// The command's expression from byte `begin` of its text on; nothing where the mistake has been reported.
std::optional<CheckedExpression> check_expression(const CommandCall& call, std::size_t begin);
// The data movement that the text from `begin` on is about: that of the statement that bound a name or, where it is no
// such name, of the expression. Nothing where a mistake has been reported.
std::optional<Movement> movement_asked_about(const CommandCall& call, std::size_t begin);
// Runs it on a fork; nothing where it failed, which has been reported.
std::optional<Array> value_of(const CommandCall& call, const CheckedExpression& expression);
// Runs `STATEMENT EXPRESSION` on a fork.
bool run_as(const CommandCall& call, std::string_view statement);

// Prints the machine that the modelled times of a command belong to.
void say_what_is_modelled(const CommandCall& call);
// The same of what is told about a movement as it was planned: a name's statement may have run for another machine.
void say_what_is_modelled(const CommandCall& call, const Movement& movement);
void say_what_is_modelled(const CommandCall& call, const std::optional<Machine>& machine);

}  // namespace tessera::repl
