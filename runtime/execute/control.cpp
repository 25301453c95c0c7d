// Loops and branches: which place a register has in which turn (memory/memory_plan.hpp).
#include <algorithm>
#include <span>

#include "runtime/execute/executor.hpp"
#include "runtime/execute/turns.hpp"
#include "runtime/kernels/map.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kinds.hpp"

namespace tessera::runtime {

namespace {

// Carried values then have been in each of their two places.
constexpr std::int64_t kTurnsOnPaper = 2;

base::Diagnostic too_many_turns(const synth::Step& step, std::int64_t count) {
  return base::make(Kind::too_many_turns, count, count == 1 ? "" : "s").from_step(step.origin);
}

}  // namespace

base::Status Executor::run_node(const synth::Step& step, const StepPlan& plan, const synth::Repeat& repeat) {
  TESSERA_TRY(count, storage_.scalar<std::int64_t>(repeat.count));
  TESSERA_TRY(begins, goes_on(repeat, repeat.initial));
  const std::int64_t turns = world_.on_paper ? kTurnsOnPaper : begins ? count : 0;
  if (begins && turns < 1 && repeat.is_limited) return too_many_turns(step, count);
  for (const SharedPlace& place : plan.shared) {
    for (const synth::RegisterId id : place.by) storage_.move_to(id, storage_.offset(place.result));
  }
  TESSERA_TRY(carried, begin_loop(repeat, turns));
  ++loops_;
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    if (repeat.body.empty() && world_.stop != nullptr && world_.stop->load(std::memory_order_relaxed)) {
      return base::make(base::Kind::interrupted).from_step(step.origin);
    }
    TESSERA_TRY_STATUS(begin_turn(repeat, carried, turn, turns));
    TESSERA_TRY_STATUS(run_body(repeat.body, plan.bodies[0]));
    TESSERA_TRY_STATUS(end_turn(repeat, carried, turn, turns));
    TESSERA_TRY_STATUS(storage_.engine().turn_ends());
    TESSERA_TRY(more, goes_on(repeat, repeat.next));
    if (world_.on_paper) continue;
    if (more && turn + 1 == turns && repeat.is_limited) return too_many_turns(step, count);
    if (more) continue;
    if (!writes_result_place(turn, turns)) TESSERA_TRY_STATUS(bring_to_results(repeat, carried));
    break;
  }
  --loops_;
  return base::Done{};
}

// Does the condition, if there is one, hold for the turn that takes these values?
base::Result<bool> Executor::goes_on(const synth::Repeat& repeat, const std::vector<synth::RegisterId>& values) {
  if (!repeat.condition) return true;
  return storage_.scalar<bool>(values[*repeat.condition]);
}

// A loop that ends before its count has its last values in the places that the next turn would have read.
base::Status Executor::bring_to_results(const synth::Repeat& repeat, const std::vector<Carried>& carried) {
  for (std::size_t k = 0; k < carried.size(); ++k) {
    storage_.move_to(repeat.parameters[k], carried[k].parameter_offset);
    TESSERA_TRY_STATUS(copy_to(repeat.parameters[k], repeat.results[k], carried[k].result_offset));
  }
  return base::Done{};
}

base::Result<std::vector<Executor::Carried>> Executor::begin_loop(const synth::Repeat& repeat, std::int64_t turns) {
  std::vector<Carried> carried;
  for (std::size_t k = 0; k < repeat.parameters.size(); ++k) {
    const synth::RegisterId parameter = repeat.parameters[k];
    const synth::RegisterId result = repeat.results[k];
    const RegisterPlan& place = plan_[parameter];
    const std::int64_t offset = place.shares.valid() ? storage_.offset(result) : place.offset;
    carried.push_back({offset, storage_.offset(result), plan_[repeat.next[k]].written_to == result});
    // Move the initial value away if the first turn would overwrite it. In a loop without turns it is the result.
    const bool moves = turns < 1 || (place.adopts && !writes_result_place(0, turns));
    if (moves) TESSERA_TRY_STATUS(copy_to(repeat.initial[k], result, carried.back().result_offset));
    if (moves)
      storage_.move_to(parameter, carried.back().result_offset);
    else
      storage_.alias(parameter, repeat.initial[k]);
  }
  return carried;
}

base::Status Executor::begin_turn(const synth::Repeat& repeat, const std::vector<Carried>& carried, std::int64_t turn,
                                  std::int64_t turns) {
  TESSERA_TRY_STATUS(write_index(repeat.index, turn));
  for (const synth::RegisterId index : repeat.indices_elsewhere) TESSERA_TRY_STATUS(write_index(index, turn));
  for (std::size_t k = 0; k < carried.size(); ++k) {
    const bool to_result = writes_result_place(turn, turns);
    const std::int64_t here = to_result ? carried[k].parameter_offset : carried[k].result_offset;
    const std::int64_t there = to_result ? carried[k].result_offset : carried[k].parameter_offset;
    if (turn > 0) storage_.move_to(repeat.parameters[k], here);
    if (carried[k].direct) storage_.move_to(repeat.next[k], there);
  }
  return base::Done{};
}

base::Status Executor::end_turn(const synth::Repeat& repeat, const std::vector<Carried>& carried, std::int64_t turn,
                                std::int64_t turns) {
  for (std::size_t k = 0; k < carried.size(); ++k) {
    if (carried[k].direct) continue;
    const bool to_result = writes_result_place(turn, turns);
    const std::int64_t there = to_result ? carried[k].result_offset : carried[k].parameter_offset;
    TESSERA_TRY_STATUS(copy_to(repeat.next[k], repeat.results[k], there));
  }
  return base::Done{};
}

base::Status Executor::run_node(const synth::Step&, const StepPlan& plan, const synth::Choose& choose) {
  TESSERA_TRY(then, storage_.scalar<bool>(choose.condition));
  if (world_.on_paper) TESSERA_TRY_STATUS(take_branch(plan, choose, !then));
  return take_branch(plan, choose, then);
}

base::Status Executor::take_branch(const StepPlan& plan, const synth::Choose& choose, bool then) {
  const std::vector<synth::RegisterId>& values = then ? choose.then_results : choose.else_results;
  const auto is_direct = [&](std::size_t k) { return plan_[values[k]].written_to == choose.results[k]; };
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (is_direct(k)) storage_.move_to(values[k], storage_.offset(choose.results[k]));
  }
  TESSERA_TRY_STATUS(run_body(then ? choose.then_body : choose.else_body, plan.bodies[then ? 0 : 1]));
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (is_direct(k)) continue;
    TESSERA_TRY_STATUS(copy_to(values[k], choose.results[k], storage_.offset(choose.results[k])));
  }
  return base::Done{};
}

// Copies the tiles of a register to another place.
base::Status Executor::copy_to(synth::RegisterId from, synth::RegisterId type_of, std::int64_t offset) {
  const TileMap& tiles = storage_.tiles(type_of);
  const Block mine = storage_.block(type_of);
  const std::int64_t grain = tiles.bytes_total <= 4 * kGrain ? mine.size() : 1;
  const auto move = [&](std::int64_t i) -> BoxMove {
    const auto device = static_cast<std::size_t>(mine.begin + i);
    const TileView source = storage_.view(from, device);
    if (is_empty(source.shape)) return no_move(source.element);
    std::byte* const target = storage_.room(type_of, device, offset);
    if (source.data == target) return no_move(source.element);
    return {source, {dense_strides(source.shape), target}};
  };
  return storage_.engine().copy({mine.size(), move}, {.grain = grain});
}

namespace {

// The tile without the part that begins there and has these extents, as boxes.
std::vector<synth::Box> boxes_around(const synth::Box& tile, const synth::Shape& begin, const synth::Shape& extents) {
  std::vector<synth::Box> boxes;
  synth::Box rest = tile;
  for (std::size_t d = 0; d < tile.size(); ++d) {
    const std::int64_t first = std::clamp(begin[d], rest[d].begin, rest[d].end);
    const std::int64_t end = std::clamp(begin[d] + extents[d], first, rest[d].end);
    for (const synth::Interval& beside : {synth::Interval{rest[d].begin, first}, synth::Interval{end, rest[d].end}}) {
      boxes.push_back(rest);
      boxes.back()[d] = beside;
    }
    rest[d] = {first, end};
  }
  std::erase_if(boxes, [](const synth::Box& box) { return synth::empty(box); });
  return boxes;
}

}  // namespace

// Copies the base around the part, where it does not lie there already.
base::Status Executor::lay_around_part(const BegunResult& begun) {
  const Block mine = storage_.block(begun.result);
  std::vector<BoxMove> moves;
  for (std::int64_t number = mine.begin; number < mine.end; ++number) {
    const auto device = static_cast<std::size_t>(number);
    const TileView base = storage_.view(begun.base, device);
    if (is_empty(base.shape) || base.data == storage_.out(begun.result, device).data) continue;
    const synth::Box& tile = storage_.tiles(begun.result).boxes[device];
    for (const synth::Box& box : boxes_around(tile, plan_[begun.part].begin, storage_.type(begun.part).shape()))
      moves.push_back(
          {part_of(base, begin_in(box, tile), synth::shape_of(box)), storage_.target(begun.result, device, box)});
  }
  const auto move = [&](std::int64_t i) { return moves[static_cast<std::size_t>(i)]; };
  return storage_.engine().copy({std::ssize(moves), move});
}

// A scalar that every rank knows, where others have all devices of its mesh.
void Executor::note_known(const synth::Step& step) {
  const auto* const apply = std::get_if<synth::Apply>(&step.node);
  if (apply == nullptr || apply->results.empty() || !storage_.knows_itself(apply->results[0])) return;
  const TileOut out = storage_.own_scalar(apply->results[0]);
  if (const auto* const constant = std::get_if<synth::Constant>(&apply->operation)) {
    const std::vector<std::byte>& bytes = program_.literals[constant->literal].bytes;
    std::copy(bytes.begin(), bytes.end(), out.data);
    return;
  }
  std::vector<TileView> operands;
  for (const synth::RegisterId operand : apply->operands) operands.push_back(dense_view(storage_.own_scalar(operand)));
  map(std::get<synth::Map>(apply->operation).op, operands, out);  // where it has no value, those who have it fail
}

base::Status Executor::write_index(synth::RegisterId index, std::int64_t turn) {
  if (storage_.knows_itself(index)) *typed<std::int64_t>(storage_.own_scalar(index)) = turn;
  const Block mine = storage_.block(index);
  const auto tile = [&](std::int64_t i) { return storage_.out(index, static_cast<std::size_t>(mine.begin + i)); };
  return storage_.engine().write_index({mine.size(), tile}, turn);
}

}  // namespace tessera::runtime
