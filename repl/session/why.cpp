// `:why`: who asked for each redistribution, because of what, and what else was weighed.
#include "repl/session/why.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "repl/render/snippet.hpp"
#include "repl/render/table.hpp"
#include "repl/render/units.hpp"
#include "repl/session/expressions.hpp"
#include "repl/session/report.hpp"
#include "repl/session/traffic.hpp"

namespace tessera::repl {

namespace {

constexpr std::string_view kMargin = "    ";
constexpr int kColumnsMin = 20;

// A line of the program with its labels below.
std::string lines_of(const std::vector<const Label*>& labels, const Screen& screen) {
  const int columns = screen.columns_to_fit();
  const int left = columns == 0 ? 0 : std::max(kColumnsMin, columns - static_cast<int>(kMargin.size()));
  const ShownLine shown = show_line(labels, left);
  std::string text = std::string(kMargin) + shown.text + "\n";
  for (const std::string& row : draw_marks(shown.marks, Ink::help, screen.out_colour, left)) {
    text += std::string(kMargin) + row + "\n";
  }
  return text;
}

// Says where the change was asked for and what it was compared with.
std::string places_text(const Redistribution& change, const Screen& screen) {
  const Label asked{change.place, "asked for here", true};
  if (!change.because) return lines_of({&asked}, screen);
  const Label because{*change.because, "because of this", false};
  const bool one_line = because.place.file == asked.place.file && because.place.line == asked.place.line &&
                        because.place.line_text_column == asked.place.line_text_column;
  if (!one_line) return lines_of({&asked}, screen) + lines_of({&because}, screen);
  if (because.place.column == asked.place.column) return lines_of({&asked}, screen);
  return lines_of({&asked, &because}, screen);
}

// A collective that was written out is one step, also where a plan of several is faster; elsewhere it is the plan.
std::string planned_text(const CommandCall& call, const Plan& plan) {
  if (plan.steps().size() != 1) return "";
  PlanRequest request;
  request.mesh = plan.mesh_text();
  request.from = plan.from();
  request.to = plan.to();
  request.to_mesh = plan.to_mesh_text();
  request.machine = call.interpreter.state().session.config().machine;
  const auto planned = make_plan(request);
  constexpr double kFaster = 1.01;
  if (!planned || planned->seconds() * kFaster >= plan.seconds()) return "";
  const auto steps = static_cast<std::int64_t>(planned->steps().size());
  return fmt::format("  one step, as it is written; `as {}` takes {} in {}\n", plan.to(),
                     seconds_text(planned->seconds()), counted(steps, "step", "steps"));
}

void say_why(const CommandCall& call, const Redistribution& change, const std::vector<NamedMesh>& meshes,
             const Screen& screen) {
  const Plan& plan = change.plan;
  call.out(ends_text(plan, meshes) + fmt::format("  {} by {} at line {}, column {}\n",
                                                 change.inserted ? "inserted: asked for" : "asked for", change.who,
                                                 change.place.line, change.place.column));
  call.out_as_it_is(places_text(change, screen));
  std::string text =
      fmt::format("  {}: {} in all, peak {} per device, {} by the machine model\n", steps_text({change}),
                  bytes_text(plan.received_bytes_total()), bytes_text(plan.peak_bytes()), seconds_text(plan.seconds()));
  const std::vector<Plan::Step> steps = plan.steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].program.empty()) continue;
    text += fmt::format("  {} by {}\n", steps[i].op, steps[i].program);
    if (const auto traffic = traffic_of(plan, i)) text += hops_text(*traffic, "    ");
  }
  call.out(text + links_text(plan) + planned_text(call, plan) + alternatives_text(change.compared));
}

// An operation that receives bytes by itself, with the place where it stands.
void say_why(const CommandCall& call, const PartsMoved& part, const Screen& screen) {
  const char* told = "takes parts that other devices hold";
  if (part.op == "carry") told = "needs of each line what stands in front of a tile";
  if (part.op == "fetch") told = "asks other devices for rows, once for each that a device's ids name";
  if (part.op == "deliver") told = "rows are added up on the devices that have their sums";
  const Label asked{part.place, told, true};
  call.out(part_text(part));
  call.out_as_it_is(lines_of({&asked}, screen));
  if (!part.compared.empty()) call.out(alternatives_text(part.compared));
}

// A local step, with the place where it stands and the device that everybody waits for.
void say_why(const CommandCall& call, const LocalWork& work, const Screen& screen) {
  const std::string_view waits = work.fastest_seconds < work.seconds ? "all others wait for it" : "all take as long";
  const Label asked{work.place,
                    fmt::format("device {} takes {} by the machine model", work.slowest, seconds_text(work.seconds)),
                    true};
  call.out(fmt::format("{}: {} on device {}, {} on the fastest; {}\n", work.step, seconds_text(work.seconds),
                       work.slowest, seconds_text(work.fastest_seconds), waits));
  call.out_as_it_is(lines_of({&asked}, screen));
}

}  // namespace

std::string alternatives_text(const std::vector<Redistribution::Alternative>& compared) {
  const auto costs = [](const Redistribution::Alternative& one) {
    return std::tuple(one.received_bytes, one.peak_bytes, one.seconds);
  };
  const bool differ = std::any_of(compared.begin(), compared.end(), [&](const Redistribution::Alternative& one) {
    return costs(one) != costs(compared.front());
  });
  if (!differ) return "";
  std::vector<Row> rows = {{"    priced", "received", "peak", "modelled", ""}};
  for (const Redistribution::Alternative& one : compared) {
    rows.push_back({"    " + one.description, bytes_text(one.received_bytes), bytes_text(one.peak_bytes),
                    seconds_text(one.seconds), one.chosen ? "chosen" : "rejected"});
  }
  return table(rows);
}

bool run_why(const CommandCall& call) {
  if (const auto told = why_in_chosen(call)) return *told;
  const auto movement = movement_asked_about(call, call.argument_at);
  if (!movement) return false;
  if (movement->empty())
    call.out(fmt::format("nothing moves for {}: every operand lies where it is wanted\n", call.argument));
  const Screen& screen = call.interpreter.screen();
  const std::vector<NamedMesh> meshes = call.interpreter.state().session.meshes();
  for (const Redistribution& change : movement->changes) say_why(call, change, meshes, screen);
  say_what_is_modelled(call, *movement);
  for (const PartsMoved& part : movement->parts) say_why(call, part, screen);
  for (const LocalWork& one : movement->work) say_why(call, one, screen);
  return true;
}

}  // namespace tessera::repl
