// `:step`: a plan taken step by step, with the data drawn after each.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "repl/process/interrupt.hpp"
#include "repl/render/units.hpp"
#include "repl/session/expressions.hpp"
#include "repl/session/plan_data.hpp"
#include "repl/session/report.hpp"
#include "repl/session/traffic.hpp"

namespace tessera::repl {

namespace {

// Finds the last ` as ` outside of brackets, if there is one.
std::optional<std::size_t> last_as(std::string_view expression) {
  std::optional<std::size_t> found;
  int open = 0;
  for (std::size_t at = 0; at < expression.size(); ++at) {
    const char c = expression[at];
    if (c == '(' || c == '[' || c == '{') ++open;
    if (c == ')' || c == ']' || c == '}') --open;
    if (open == 0 && expression.substr(at).starts_with(" as ")) found = at;
  }
  return found;
}

// Runs the expression before the last `as`; nothing where that is no expression of its own.
std::optional<Array> operand_of(const CommandCall& call) {
  const auto end = last_as(call.argument);
  if (!end) return std::nullopt;
  Session session = call.interpreter.state().session.fork();
  const auto done = run_stoppable(session, fmt::format("let {} = {}", kIt, call.argument.substr(0, *end)), "operand");
  if (!done) return std::nullopt;
  auto array = session.get(kIt);
  return array ? std::optional(std::move(*array)) : std::nullopt;
}

// The walk through several redistributions, each of which may begin where the one before ended.
class Walk {
 public:
  explicit Walk(const CommandCall& call) : call_(call), session_(call.interpreter.state().session.fork()) {
    if (auto operand = operand_of(call)) current_ = std::move(*operand);
  }

  // False: it failed, which has been reported, or nobody wants to see more.
  bool take(const Redistribution& change) {
    const auto run = run_plan_of(change.plan);
    if (!run) return call_.interpreter.fail(run.diagnostics());
    call_.out(ends_text(change.plan, session_.meshes(), numbered_ ? ", with element numbers for data" : ""));
    draw(*current_);
    const auto steps = change.plan.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!goes_on()) return false;
      call_.out(head(steps[i], i, steps.size()));
      const auto traffic = traffic_of(change.plan, i);
      if (traffic) call_.out(hops_text(*traffic, "  "));
      if (traffic && traffic->slots.size() > 1) call_.out(slots_text(*traffic));
      draw(run->after[i]);
    }
    if (!run->after.empty()) current_ = run->after.back();
    return true;
  }

 private:
  // Runs the plan on what is there or, where that is another array, on numbered elements.
  Result<PlanRun> run_plan_of(const Plan& plan) {
    const StoppableRun stoppable(session_);
    numbered_ = false;
    if (current_) {
      auto run = session_.run(plan, *current_);
      if (run || run.diagnostics().front().slug != "bad-call") return run;
    }
    auto source = numbered_source(plan, call_.interpreter.nameless());
    if (!source) return source.diagnostics();
    numbered_ = true;
    current_ = std::move(*source);
    return session_.run(plan, *current_);
  }

  bool goes_on() const {
    const Screen& screen = call_.interpreter.screen();
    return !screen.ask || screen.ask("Enter: next step ");
  }

  // The array has no name to begin its picture with.
  void draw(const Array& array) const {
    const std::string picture = array.picture(call_.interpreter.screen().columns());
    call_.out(written(picture.substr(picture.find(": ") + 2), call_.interpreter.screen()));
  }

  static std::string head(const Plan::Step& step, std::size_t number, std::size_t count) {
    const std::string blank = step.detail.empty() ? "" : " ";
    return fmt::format("step {} of {}: {}{}{}, {} in all, {} at most on a device\n", number + 1, count, step.op, blank,
                       step.detail, bytes_text(step.received_bytes_total), bytes_text(step.received_bytes_max));
  }

  const CommandCall& call_;
  Session session_;
  std::optional<Array> current_;
  bool numbered_ = false;
};

}  // namespace

bool run_step(const CommandCall& call) {
  const auto movement = movement_asked_about(call, call.argument_at);
  if (!movement) return false;
  for (const PartsMoved& part : movement->parts) call.out(part_text(part));
  if (movement->empty()) call.out(fmt::format("nothing moves for {}\n", call.argument));
  if (!movement->changes.empty() && call.interpreter.screen().ask)
    call.out("Enter takes the next step; any other input ends the walk, and is run.\n");
  Walk walk(call);
  const bool failed_before = call.interpreter.any_failed();
  for (const Redistribution& change : movement->changes) {
    if (!walk.take(change)) return failed_before || !call.interpreter.any_failed();
  }
  return true;
}

}  // namespace tessera::repl
