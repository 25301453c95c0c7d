// `:estimate`: what an expression, or the statement that bound a name, would take.
#include <fmt/format.h>

#include <optional>

#include "repl/estimate/estimate_text.hpp"
#include "repl/render/units.hpp"
#include "repl/session/expressions.hpp"

namespace tessera::repl {

namespace {

bool tell(const CommandCall& call, const Program& program, std::optional<std::uint32_t> statement,
          const std::optional<Machine>& machine) {
  const auto estimated = estimate(program, true);
  if (!estimated) return call.interpreter.fail(estimated.diagnostics());
  call.out(steps_text(*estimated, statement));
  say_what_is_modelled(call, machine);
  call.out(device_note(*estimated));
  return true;
}

}  // namespace

bool run_estimate(const CommandCall& call) {
  const BoundBy* bound = call.interpreter.state().entries.bound_by(call.argument);
  if (bound != nullptr) return tell(call, bound->program, bound->statement, bound->machine);
  const auto expression = check_expression(call, call.argument_at);
  if (!expression) return false;
  return tell(call, expression->program, expression->binding().statement, std::nullopt);
}

}  // namespace tessera::repl
