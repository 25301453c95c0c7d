#include "repl/session/expressions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "repl/process/interrupt.hpp"
#include "repl/render/units.hpp"
#include "repl/session/report.hpp"

namespace tessera::repl {

namespace {

constexpr std::string_view kOtherMachine = ":machine FILE gives others";

// The first line of a command as it was typed, not as it was checked. Columns are the same.
struct TypedLine {
  std::string file;
  std::uint32_t number;
  std::string text;

  explicit TypedLine(const CommandCall& call)
      : file(call.interpreter.name()), number(call.first_line), text(call.text.substr(0, call.text.find('\n'))) {}

  Diagnostic shown_in(Diagnostic diagnostic) const {
    for (Label& label : diagnostic.labels) {
      const Place& place = label.place;
      const bool is_first = place.file == file && place.line == number;
      if (is_first && place.line_text_column == 1) label.place.line_text = text;
    }
    return diagnostic;
  }
};

bool report(const CommandCall& call, Diagnostics why) {
  const TypedLine typed(call);
  for (Diagnostic& diagnostic : why) diagnostic = typed.shown_in(std::move(diagnostic));
  return call.interpreter.fail(why);
}

// The session as it is, for one command.
Session session_for(const CommandCall& call) {
  Config config = call.interpreter.state().session.config();
  if (config.log) {
    config.log = [log = std::move(config.log), typed = TypedLine(call)](const Diagnostic& note) {
      log(typed.shown_in(note));
    };
  }
  return call.interpreter.state().session.fork(std::move(config));
}

// The text from `begin` on where it stands, with blanks for what is before.
std::string in_place(const CommandCall& call, std::size_t begin) {
  return std::string(begin, ' ') + std::string(call.text.substr(begin));
}

// The data movement of the statement that bound the name, if the text from `begin` on is one.
std::optional<Movement> movement_that_made(const CommandCall& call, std::size_t begin) {
  const std::string_view name = call.argument.substr(begin - call.argument_at);
  const BoundBy* bound = call.interpreter.state().entries.bound_by(name);
  if (bound == nullptr) return std::nullopt;
  Movement movement = movement_of(bound->program, bound->statement);
  movement.changes = bound->program.redistributions_for(name);
  std::erase_if(movement.changes, [](const Redistribution& change) { return change.plan.steps().empty(); });
  movement.parts = bound->program.parts_moved_for(name);
  movement.machine = bound->machine;
  return movement;
}

// A field of a record that is bound to `it`, as `it.w`; empty for what is no field.
std::string_view field_of(const Binding& binding) {
  const std::string_view name = binding.name;
  const bool is_field = name.starts_with(kIt) && name.substr(kIt.size()).starts_with(".");
  return is_field ? name.substr(kIt.size() + 1) : std::string_view();
}

// An expression that stands alone: an array, or a record, whose fields are bound one by one.
std::optional<CheckedExpression> check_one(const CommandCall& call, std::size_t begin) {
  Session session = session_for(call);
  // A line break may follow `=`, so the expression keeps its line and columns.
  const std::string text = fmt::format("let {} =\n{}", kIt, in_place(call, begin));
  auto program = session.check(text, call.interpreter.name(), call.first_line - 1);
  if (!program) {
    report(call, program.diagnostics());
    return std::nullopt;
  }
  const std::vector<Binding>& bound = program->bindings();
  const bool is_record = std::ranges::all_of(bound, [](const Binding& one) { return !field_of(one).empty(); });
  if (bound.empty() || (bound.size() != 1 && !is_record) || !program->shown().empty()) {
    call.interpreter.complain(fmt::format("`{}` needs one expression", call.text.substr(0, call.text.find(' '))));
    return std::nullopt;
  }
  return CheckedExpression{std::move(session), std::move(*program)};
}

}  // namespace

std::optional<CheckedExpression> check_expression(const CommandCall& call, std::size_t begin) {
  auto checked = check_one(call, begin);
  if (!checked || field_of(checked->program.bindings().front()).empty()) return checked;
  call.interpreter.complain(fmt::format("`{}` needs an array, and this is a record: take a field of it",
                                        call.text.substr(0, call.text.find(' '))));
  return std::nullopt;
}

std::optional<Movement> movement_asked_about(const CommandCall& call, std::size_t begin) {
  if (auto known = movement_that_made(call, begin)) return known;
  const auto expression = check_one(call, begin);
  if (!expression) return std::nullopt;
  return movement_of(expression->program, expression->binding().statement);
}

std::optional<Array> value_of(const CommandCall& call, const CheckedExpression& expression) {
  Session session = expression.session.fork();
  const StoppableRun stoppable(session);
  const auto done = session.run(expression.program);
  if (!done) {
    report(call, done.diagnostics());
    return std::nullopt;
  }
  auto array = session.get(kIt);
  if (array) return std::move(*array);
  report(call, array.diagnostics());
  return std::nullopt;
}

bool run_as(const CommandCall& call, std::string_view statement) {
  std::string text = in_place(call, call.argument_at);
  const std::size_t wanted = statement.size() + 1;
  // A shortened command may leave too little room; columns are then a little off.
  if (call.argument_at < wanted) text.insert(0, wanted - call.argument_at, ' ');
  text.replace(std::max(call.argument_at, wanted) - wanted, statement.size(), statement);
  Session session = session_for(call);
  const auto done = run_stoppable(session, text, call.interpreter.name(), call.first_line);
  return done ? true : report(call, done.diagnostics());
}

bool run_type(const CommandCall& call) {
  const auto expression = check_one(call, call.argument_at);
  if (!expression) return false;
  for (const Binding& binding : expression->program.bindings()) {
    const Placement& placement = binding.placement;
    const std::string_view field = field_of(binding);
    std::string text =
        fmt::format("{}{}{}\n  {}", field, field.empty() ? "" : ": ", binding.type, placement_text(placement));
    if (placement.devices > 1) {
      text += fmt::format("; {} on {} devices", bytes_text(placement.total_bytes), placement.devices);
    }
    call.out(text + "\n");
  }
  return true;
}

bool run_layout(const CommandCall& call) { return run_as(call, "show"); }

namespace {

constexpr std::string_view kWithin = "--within ";

// `:plan --within SIZE EXPRESSION`: its changes of layout as `tessera plan --within` plans them, where the source is
// dead afterwards and an exchange may go in rounds.
bool plan_within(const CommandCall& call) {
  const std::size_t size_at =
      std::min(call.text.find_first_not_of(' ', call.argument_at + kWithin.size()), call.text.size());
  const std::size_t size_end = std::min(call.text.find(' ', size_at), call.text.size());
  const std::size_t begin = std::min(call.text.find_first_not_of(" \t\n", size_end), call.text.size());
  const auto bytes = parse_size(call.text.substr(size_at, size_end - size_at));
  if (!bytes) return call.interpreter.fail(bytes.diagnostics());
  if (begin == call.text.size()) return call.interpreter.complain("`:plan --within SIZE` needs an expression");
  const auto movement = movement_asked_about(call, begin);
  if (!movement) return false;
  if (movement->changes.empty()) call.out("nothing changes its layout\n");
  for (const Redistribution& change : movement->changes) {
    PlanRequest request{change.plan.mesh_text(), change.plan.from(), change.plan.to()};
    request.machine = call.interpreter.state().session.config().machine;
    request.to_mesh = change.plan.to_mesh_text();
    request.within_bytes = *bytes;
    const auto plan = make_plan(request);
    if (!plan) return call.interpreter.fail(plan.diagnostics());
    call.out(plan_text(*plan, call.interpreter.state().session.meshes()));
  }
  if (!movement->changes.empty()) say_what_is_modelled(call);
  return true;
}

}  // namespace

bool run_plan(const CommandCall& call) {
  if (call.argument.starts_with(kWithin)) return plan_within(call);
  const auto made = movement_that_made(call, call.argument_at);
  if (!made || made->empty()) {
    if (!run_as(call, "plan")) return false;
    // Without a machine file the statement has said it.
    if (call.interpreter.state().session.config().machine.levels.empty()) return true;
    const auto planned = movement_asked_about(call, call.argument_at);
    if (planned) say_what_is_modelled(call, *planned);
    return true;
  }
  const std::vector<NamedMesh> meshes = call.interpreter.state().session.meshes();
  for (const Redistribution& change : made->changes) {
    call.out(fmt::format("asked for by {} at line {}, column {}\n{}", change.who, change.place.line,
                         change.place.column, plan_text(change.plan, meshes)));
  }
  say_what_is_modelled(call, *made);
  for (const PartsMoved& part : made->parts) call.out(plan_text(part));
  return true;
}

void say_what_is_modelled(const CommandCall& call) {
  call.out(modelled_line(call.interpreter.state().session.config().machine, kOtherMachine));
}

void say_what_is_modelled(const CommandCall& call, const Movement& movement) {
  if (!movement.changes.empty()) say_what_is_modelled(call, movement.machine);
}

void say_what_is_modelled(const CommandCall& call, const std::optional<Machine>& machine) {
  if (!machine || *machine == call.interpreter.state().session.config().machine) return say_what_is_modelled(call);
  call.out(modelled_line(*machine, kOtherMachine) +
           "this ran before :machine; ask about the expression, not the name, to have it planned anew\n");
}

}  // namespace tessera::repl
