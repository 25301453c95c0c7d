// What steps need of an engine beside their arrays: those that it takes are gone through once, in both branches and in
// one turn of each loop, and the engine is asked. All that counts is what arrays are, not where loops move them.
#include <algorithm>

#include "runtime/execute/executor.hpp"
#include "runtime/execute/stopping.hpp"

namespace tessera::runtime {

namespace {

void note(const std::vector<Room>& rooms, std::uint32_t origin, std::vector<NeededRoom>& most) {
  for (std::size_t place = 0; place < rooms.size(); ++place) {
    NeededRoom& needed = most[place];
    const std::int64_t before = needed.room.of_step + needed.room.lasting;
    needed.room.of_step = std::max(needed.room.of_step, rooms[place].of_step);
    needed.room.lasting = std::max(needed.room.lasting, rooms[place].lasting);
    if (needed.room.of_step + needed.room.lasting > before) needed.origin = origin;
  }
}

}  // namespace

std::vector<NeededRoom> Executor::needed_room() {
  std::vector<NeededRoom> most(static_cast<std::size_t>(engine_.places()));
  needed_room_ = &most;
  count_room(program_.body, plan_.body);
  needed_room_ = nullptr;
  if (stop_asked(world_.stop)) most.clear();
  return most;
}

void Executor::count_room(const synth::Body& body, const BodyPlan& plan) {
  for (std::size_t i = 0; i < body.size() && !stop_asked(world_.stop); ++i) {
    const StepPlan& step = plan.steps[i];
    origin_ = body[i].origin;
    if (step.chain_end > 0) {
      static_cast<void>(take_chain(std::span(body).subspan(i, step.chain_end - i), step));
      i = step.chain_end - 1;
      continue;
    }
    if (const auto* const apply = std::get_if<synth::Apply>(&body[i].node)) count_room(*apply, step);
    if (const auto* const repeat = std::get_if<synth::Repeat>(&body[i].node)) count_room(repeat->body, step.bodies[0]);
    if (const auto* const choose = std::get_if<synth::Choose>(&body[i].node)) {
      count_room(choose->then_body, step.bodies[0]);
      count_room(choose->else_body, step.bodies[1]);
    }
    if (const auto* const pipeline = std::get_if<synth::Pipeline>(&body[i].node)) {
      for (std::size_t v = 0; v < pipeline->visits.size(); ++v) count_room(pipeline->visits[v], step.bodies[v]);
    }
  }
}

// Some are the host's where their arrays are dealt along the dimension that they work on.
void Executor::count_room(const synth::Apply& apply, const StepPlan& plan) {
  if (apply.results.empty() || is_view(apply)) return;
  if (const auto* const scan = std::get_if<synth::Scan>(&apply.operation))
    static_cast<void>(run_along(apply, *scan, plan));
  else if (const auto* const recur = std::get_if<synth::Recur>(&apply.operation))
    static_cast<void>(run_along(apply, *recur, plan));
  else if (const auto* const sort = std::get_if<synth::Sort>(&apply.operation))
    static_cast<void>(run_sort(apply, *sort, plan));
  else if (std::holds_alternative<synth::Take>(apply.operation))
    static_cast<void>(run_take(apply, plan));
  else if (std::holds_alternative<synth::ScatterAdd>(apply.operation))
    static_cast<void>(run_scatter_add(apply, plan));
  else
    static_cast<void>(take_local(apply, plan));
}

base::Status Executor::note_room(const LocalStep& step) {
  if (engine_.takes(step)) note(engine_.room_of(step), origin_, *needed_room_);
  return base::Done{};
}
base::Status Executor::note_room(std::span<const ChainStep> chains) {
  for (const ChainStep& chain : chains) note(engine_.room_of(chain), origin_, *needed_room_);
  return base::Done{};
}

}  // namespace tessera::runtime
