// `:estimate`: what an expression would take.
#include <fmt/format.h>

#include "repl/estimate/estimate_text.hpp"
#include "repl/interactive/expressions.hpp"
#include "repl/render/units.hpp"

namespace tessera::repl {

bool run_estimate(const CommandCall& call) {
  const auto expression = check_expression(call, call.argument_at);
  if (!expression) return false;
  const auto estimated = estimate(expression->program);
  if (!estimated) return call.interpreter.fail(estimated.diagnostics());
  call.out(estimate_text(*estimated, "", EstimateOptions::Order::lines) + device_note(*estimated));
  say_what_is_modelled(call);
  return true;
}

}  // namespace tessera::repl
