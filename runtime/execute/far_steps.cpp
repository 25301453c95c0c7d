// Steps where tiles lie in memory that only the engine can look into: those that only move elements are its copies, and
// those that it does not take are taken on copies in host memory.
#include <span>

#include "runtime/engine/laid_box.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/kernels/copy.hpp"
#include "synth/moves/collective/moves.hpp"

namespace tessera::runtime {

base::Status Executor::on_copies(Applies applies, const StepPlan& plan, const std::function<base::Status()>& f) {
  if (world_.on_paper || needed_room_ != nullptr) return base::Done{};
  host_copies_.forget();
  for (const synth::Apply* const apply : applies) {
    for (const synth::RegisterId id : apply->operands) host_copies_.reads(id);
    for (const synth::RegisterId id : apply->results) {
      if (plan_[id].where == RegisterPlan::Where::arena || plan_[id].edges != nullptr || storage_.is_part(id))
        host_copies_.writes(id);
    }
    if (!apply->results.empty()) ++host_steps_[synth::describe(apply->operation)];
  }
  if (plan.beside_bytes > 0) host_copies_.has_room(plan.beside_of, plan.beside_offset, plan.beside_bytes);
  TESSERA_TRY_STATUS(host_copies_.begin());
  TESSERA_TRY_STATUS(f());
  return host_copies_.end();
}

base::Status Executor::take_far(const LocalStep& step, const StepPlan& plan) {
  const synth::Operation& operation = step.apply.operation;
  if (const auto* const constant = std::get_if<synth::Constant>(&operation))
    return write_constant(step.apply, *constant);
  if (std::holds_alternative<synth::Transpose>(operation) || std::holds_alternative<synth::Reshape>(operation) ||
      std::holds_alternative<synth::Lay>(operation))
    return move_far(step);
  if (storage_.engine().takes(step)) return storage_.engine().take(step);
  return on_copies(std::array{&step.apply}, plan, [&] { return storage_.engine().take(step); });
}

base::Status Executor::move_far(const LocalStep& step) {
  const synth::RegisterId result = step.apply.results[0];
  const synth::RegisterId operand = step.apply.operands[0];
  const TileMap& map = storage_.tiles(result);
  const Block mine = storage_.block(result);
  const ListHints hints{1, writing_of(map.bytes_total)};
  const auto moved = [&](std::int64_t i) -> BoxMove {
    const auto device = static_cast<std::size_t>(mine.begin + i);
    TileView view = storage_.view(operand, device);
    const TileOut out = storage_.out(result, device);
    if (view.data == out.data) return no_move(view.element);  // a base that lies there already
    if (const auto* const transpose = std::get_if<synth::Transpose>(&step.apply.operation))
      view = transposed(view, transpose->permutation);
    return {view, {dense_strides(view.shape), out.data}};
  };
  TESSERA_TRY_STATUS(storage_.engine().copy({mine.size(), moved}, hints));
  const auto* const lay = std::get_if<synth::Lay>(&step.apply.operation);
  if (lay == nullptr) return base::Done{};
  const auto laid = [&](std::int64_t i) {
    const auto device = static_cast<std::size_t>(mine.begin + i);
    return laid_box(*lay, step.starts, storage_.view(step.apply.operands[1], device), map.boxes[device],
                    storage_.out(result, device));
  };
  return storage_.engine().copy({mine.size(), laid}, hints);
}

namespace {

// Registers whose places count: those that loops and branches move about, and the program's outputs.
class PlacedRegisters {
 public:
  explicit PlacedRegisters(const synth::Program& program) : placed_(program.registers.size()) {
    add(program.outputs);
    add(program.body);
  }
  std::vector<bool> take() && { return std::move(placed_); }

 private:
  void add(const std::vector<synth::RegisterId>& ids) {
    for (const synth::RegisterId id : ids) placed_[id.value] = true;
  }
  void add(const synth::Body& body) {
    for (const synth::Step& step : body) std::visit([&](const auto& node) { add(node); }, step.node);
  }
  void add(const synth::Apply& /*apply*/) {}
  void add(const synth::Repeat& repeat) {
    add(repeat.initial);
    add(repeat.next);
    add(repeat.body);
  }
  void add(const synth::Choose& choose) {
    add(choose.then_results);
    add(choose.else_results);
    add(choose.then_body);
    add(choose.else_body);
  }
  void add(const synth::Pipeline& pipeline) {
    add(pipeline.initial);
    add(pipeline.next);
    for (const synth::Body& visit : pipeline.visits) add(visit);
  }

  std::vector<bool> placed_;
};

}  // namespace

// A scalar that steps only read has its place with the engine, once for all turns: on the cores of this process that is
// the program's own.
base::Result<bool> Executor::keep_constant(synth::RegisterId result, const synth::Literal& literal) {
  if (!literal.shape.empty() || !storage_.type(result).layout().pending().empty()) return false;
  if (placed_.empty()) placed_ = PlacedRegisters(program_).take();
  // What lives from visit to visit of a pipeline is looked for in its places.
  if (placed_[result.value] || !plan_[result].microbatch_offsets.empty()) return false;
  if (storage_.engine().is_host()) {
    storage_.keep_at(result, literal.bytes.data());
    return true;
  }
  TESSERA_TRY(at, storage_.engine().constant(literal.bytes));
  if (at != nullptr) storage_.keep_at(result, at);
  return at != nullptr;
}

// In a pending array the device at position 0 along the pending axes holds the value, the others what changes nothing.
base::Status Executor::write_constant(const synth::Apply& apply, const synth::Constant& constant) {
  const synth::RegisterId result = apply.results[0];
  TESSERA_TRY(is_kept, keep_constant(result, program_.literals[constant.literal]));
  if (is_kept) return base::Done{};
  const synth::ArrayType& type = storage_.type(result);
  const synth::Literal& literal = program_.literals[constant.literal];
  const Block mine = storage_.block(result);
  const auto is_filled = [&](std::int64_t device) {
    return !synth::keeps_value(type, type.layout().pending(), device);
  };
  const auto out = [&](std::int64_t i, bool wanted) {
    TileOut tile = storage_.out(result, static_cast<std::size_t>(mine.begin + i));
    if (!wanted) tile.shape = {0};
    return tile;
  };
  const auto filled = [&](std::int64_t i) { return out(i, is_filled(mine.begin + i)); };
  const auto kept = [&](std::int64_t i) { return out(i, !is_filled(mine.begin + i)); };
  if (!type.layout().pending().empty())
    TESSERA_TRY_STATUS(storage_.engine().fill_identity(type.layout().reduce(), {mine.size(), filled}));
  if (literal.shape.empty()) return storage_.engine().fill({mine.size(), kept}, literal.bytes);
  const TileView all = dense_view(literal.element, literal.shape, literal.bytes.data());
  std::vector<std::byte> dense;
  for (std::int64_t device = mine.begin; device < mine.end; ++device) {
    const auto d = static_cast<std::size_t>(device);
    const TileOut tile = storage_.out(result, d);
    if (is_filled(device) || is_empty(tile.shape)) continue;
    dense.resize(static_cast<std::size_t>(storage_.tiles(result).bytes[d]));
    synth::Shape begin;
    for (const synth::Interval& interval : storage_.tiles(result).boxes[d]) begin.push_back(interval.begin);
    copy_elements(part_of(all, begin, tile.shape), TileOut{tile.element, tile.shape, dense.data()});
    TESSERA_TRY_STATUS(storage_.engine().write(dense_view(tile.element, tile.shape, dense.data()),
                                               {dense_strides(tile.shape), tile.data}));
  }
  return base::Done{};
}

}  // namespace tessera::runtime
