#include "runtime/memory/chains.hpp"

#include <algorithm>

#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/stream.hpp"
#include "runtime/kernels/tile.hpp"

namespace tessera::runtime {

namespace {

using synth::RegisterId;

// Integers may have no quotient and no power.
bool may_fail(synth::MapOp op, synth::ElementType element) {
  const bool partial = op == synth::MapOp::divide || op == synth::MapOp::remainder || op == synth::MapOp::power;
  return partial && !synth::is_rounded(element);
}

// Elements of a row: what a block has of the dimensions that it is not cut along. More do not stay in a core's cache.
constexpr std::int64_t kRowMax = std::int64_t{1} << 16U;
// Rows longer than a task's usual share are taken only if there are enough of them for many cores.
constexpr std::int64_t kManyRows = 16;

// The chain that begins with a step, as far as it goes.
class Growth {
 public:
  Growth(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan)
      : program_(program), tiles_(tiles), plan_(plan) {}

  // False: the chain ends before this step.
  bool take(const synth::Step& step) {
    const auto* apply = std::get_if<synth::Apply>(&step.node);
    if (apply == nullptr || is_flat_) return false;
    if (const auto* map = std::get_if<synth::Map>(&apply->operation)) return take_map(*apply, *map);
    if (const auto* reduce = std::get_if<synth::Reduce>(&apply->operation)) return take_reduce(*apply, *reduce);
    if (std::holds_alternative<synth::Reshape>(apply->operation)) return take_reshape(*apply);
    if (!apply->results.empty() && plan_[apply->results[0]].where == RegisterPlan::Where::nowhere) return true;
    if (std::holds_alternative<synth::Assemble>(apply->operation)) return take_window(*apply);
    return std::holds_alternative<synth::Constant>(apply->operation);
  }
  std::size_t lead() const { return is_flat_ ? 0 : lead_; }
  std::size_t computed() const { return computed_; }
  // Only chains can read a window of which other devices have a part, and write a part of another array.
  bool needs_chain() const { return needs_chain_; }
  RegisterId first_result() const { return results_.front(); }

 private:
  const std::vector<synth::Box>& boxes(RegisterId id) const { return tiles_[id].boxes; }
  std::size_t rank(RegisterId id) const { return program_.registers[id].rank(); }
  // Steps that are taken together are taken by the same devices.
  bool is_on_mesh(RegisterId id) const {
    return results_.empty() || program_.registers[id].mesh() == program_.registers[results_.front()].mesh();
  }
  bool made_here(RegisterId id) const { return std::find(results_.begin(), results_.end(), id) != results_.end(); }

  bool take_map(const synth::Apply& apply, const synth::Map& map) {
    const RegisterId result = apply.results[0];
    if (may_fail(map.op, program_.registers[result].element()) || !is_on_mesh(result)) return false;
    if (results_.empty()) lead_ = rank(result);
    if (!results_.empty() && !(reduces_ ? map_by_rows(apply) : boxes(result) == boxes(results_.front()))) return false;
    operands_.insert(operands_.end(), apply.operands.begin(), apply.operands.end());
    return add(apply);
  }
  // The chain's own values are read row by row, so they must not be aligned with other dimensions.
  bool map_by_rows(const synth::Apply& apply) const {
    const RegisterId result = apply.results[0];
    return agrees(result, lead_) && has_short_rows(result, lead_) &&
           std::all_of(apply.operands.begin(), apply.operands.end(),
                       [&](RegisterId id) { return !made_here(id) || rank(id) == rank(result); });
  }

  bool take_reduce(const synth::Apply& apply, const synth::Reduce& reduce) {
    const RegisterId operand = apply.operands[0];
    const synth::Shape& shape = program_.registers[operand].shape();
    if (reduce.dimensions.empty() || is_empty(shape)) return false;  // a sum of nothing has rules of its own
    if (!is_on_mesh(operand) || synth::is_complex(program_.registers[operand].element())) return false;
    const std::size_t first = reduce.dimensions.front();
    const std::size_t lead = results_.empty() ? first : std::min(first, lead_);
    if (lead == 0) return take_flat(apply, reduce);
    if (results_.empty()) results_.push_back(operand);  // to compare with, until there is a result
    const bool fits =
        agrees(operand, lead) && agrees(apply.results[0], lead) && has_short_rows(operand, lead) &&
        std::all_of(results_.begin(), results_.end(), [&](RegisterId id) { return has_short_rows(id, lead); });
    if (computed_ == 0) results_.clear();
    if (!fits) return false;
    lead_ = lead;
    reduces_ = true;
    return add(apply);
  }

  // To a scalar, of what the chain has made; all that it reads is of the same shape, or a scalar, too.
  bool take_flat(const synth::Apply& apply, const synth::Reduce& reduce) {
    const RegisterId operand = apply.operands[0];
    if (reduces_ || !made_here(operand) || reduce.dimensions.size() != rank(operand)) return false;
    const bool all_flat = std::all_of(operands_.begin(), operands_.end(), [&](RegisterId id) {
      const auto& registered = program_.registers[id];
      const bool is_scalar = std::all_of(registered.shape().begin(), registered.shape().end(),
                                         [](std::int64_t extent) { return extent == 1; });
      return is_scalar || (plan_[id].dense && boxes(id) == boxes(operand));
    });
    if (!all_flat) return false;
    is_flat_ = true;
    return add(apply);
  }

  bool take_reshape(const synth::Apply& apply) {
    const RegisterId result = apply.results[0];
    if (plan_[result].where != RegisterPlan::Where::reshape) return false;
    if (!made_here(apply.operands[0])) return true;  // nothing to do: an array from before under another shape
    if (!agrees(result, lead_)) return false;
    results_.push_back(result);
    return true;
  }

  // A window of an array from before: nothing to do.
  bool take_window(const synth::Apply& apply) const {
    const RegisterPlan& window = plan_[apply.results[0]];
    return window.where == RegisterPlan::Where::slice && !made_here(window.source) && !made_here(window.root) &&
           std::ranges::none_of(apply.operands, [&](RegisterId id) { return made_here(id); });
  }

  bool add(const synth::Apply& apply) {
    results_.push_back(apply.results[0]);
    ++computed_;
    needs_chain_ |= plan_[apply.results[0]].where == RegisterPlan::Where::part;
    for (const RegisterId id : apply.operands) needs_chain_ |= plan_[id].edges != nullptr;
    return true;
  }

  // Has the register the chain's tiles in the first `lead` dimensions, on every device?
  bool agrees(RegisterId id, std::size_t lead) const {
    const auto& mine = boxes(id);
    const auto& others = boxes(results_.front());
    if (rank(id) < lead || rank(results_.front()) < lead || mine.size() != others.size()) return false;
    for (std::size_t device = 0; device < mine.size(); ++device) {
      if (!std::equal(mine[device].begin(), mine[device].begin() + static_cast<std::ptrdiff_t>(lead),
                      others[device].begin()))
        return false;
    }
    return true;
  }
  bool has_short_rows(RegisterId id, std::size_t lead) const {
    std::int64_t longest = 1;
    std::int64_t rows = 0;
    for (const synth::Box& box : boxes(id)) {
      std::int64_t all = 1;
      std::int64_t row = 1;
      for (std::size_t d = 0; d < box.size(); ++d) (d < lead ? all : row) *= box[d].length();
      longest = std::max(longest, row);
      rows += all;
    }
    return longest <= kRowMax && (longest <= kGrain || rows >= kManyRows);
  }

  const synth::Program& program_;
  const TileMaps& tiles_;
  const MemoryPlan& plan_;
  std::vector<RegisterId> results_;   // of the chain's steps, views included
  std::vector<RegisterId> operands_;  // of its elementwise ones
  std::size_t lead_ = 0;
  std::size_t computed_ = 0;
  bool reduces_ = false;
  bool is_flat_ = false;
  bool needs_chain_ = false;
};

}  // namespace

bool is_computed(const synth::Apply& apply) {
  return std::holds_alternative<synth::Map>(apply.operation) || std::holds_alternative<synth::Reduce>(apply.operation);
}

namespace {

const synth::Apply* apply_at(const synth::Body& body, std::size_t i) {
  return i < body.size() ? std::get_if<synth::Apply>(&body[i].node) : nullptr;
}

// The chain ends before a sum of all that its last step makes, which nothing else reads, of arrays that lie in memory
// anyway: that step is better taken with the sum, which then reads them again, and its result is never written.
bool leaves_last_to_sum(const synth::Program& program, const synth::Body& body, const MemoryPlan& plan,
                        std::size_t begin, std::size_t end) {
  const synth::Apply* const sum = apply_at(body, end);
  const auto* const reduce = sum == nullptr ? nullptr : std::get_if<synth::Reduce>(&sum->operation);
  const auto* const last = apply_at(body, end - 1);
  if (reduce == nullptr || last == nullptr || !std::holds_alternative<synth::Map>(last->operation)) return false;
  const RegisterId made = last->results[0];
  if (sum->operands[0] != made || reduce->dimensions.size() != program.registers[made].rank()) return false;
  const auto is_read_after = [&](RegisterId id) {
    return std::any_of(body.begin() + static_cast<std::ptrdiff_t>(end) + 1, body.end(), [&](const synth::Step& step) {
      const auto* const apply = std::get_if<synth::Apply>(&step.node);
      return apply != nullptr && std::find(apply->operands.begin(), apply->operands.end(), id) != apply->operands.end();
    });
  };
  const auto is_made_before = [&](RegisterId id) {
    for (std::size_t i = begin; i + 1 < end; ++i) {
      const auto& results = std::get<synth::Apply>(body[i].node).results;
      if (std::find(results.begin(), results.end(), id) != results.end()) return false;
    }
    return true;
  };
  return !is_read_after(made) && std::ranges::all_of(last->operands, [&](RegisterId id) {
    return program.registers[id].shape() == program.registers[made].shape() && plan[id].dense &&
           (is_made_before(id) || is_read_after(id));
  });
}

}  // namespace

std::vector<ChainSteps> find_chains(const synth::Program& program, const synth::Body& body, const TileMaps& tiles,
                                    const MemoryPlan& plan) {
  const auto computes = [](const synth::Step& step) {
    const auto* apply = std::get_if<synth::Apply>(&step.node);
    return apply != nullptr && is_computed(*apply);
  };
  std::vector<ChainSteps> chains;
  for (std::size_t begin = 0; begin < body.size();) {
    if (!computes(body[begin])) {
      ++begin;
      continue;
    }
    Growth growth(program, tiles, plan);
    std::size_t end = begin;
    // Constants and views at its end are left out.
    for (std::size_t i = begin; i < body.size() && growth.take(body[i]); ++i) {
      if (computes(body[i])) end = i + 1;
    }
    if (growth.computed() > 1 && growth.lead() > 0 && leaves_last_to_sum(program, body, plan, begin, end)) --end;
    // A lone step gains only where its result outgrows the cache.
    const bool is_lone_map = growth.computed() == 1 &&
                             std::holds_alternative<synth::Map>(std::get<synth::Apply>(body[begin].node).operation);
    const bool is_worth_it = growth.computed() > 1 || growth.needs_chain() ||
                             (is_lone_map && tiles[growth.first_result()].bytes_total > kStreamBytes);
    if (is_worth_it) chains.push_back({begin, end, growth.lead()});
    begin = std::max(end, begin + 1);
  }
  return chains;
}

bool reads_by_blocks(const synth::Program& program, const synth::Body& body, const ChainSteps& chain,
                     const MemoryPlan& plan, RegisterId id) {
  for (std::size_t i = chain.begin; i < chain.end; ++i) {
    const auto& apply = std::get<synth::Apply>(body[i].node);
    // Aligned at its last dimension with a result of more, an operand is read whole by every block.
    const bool is_aligned = !std::holds_alternative<synth::Map>(apply.operation) ||
                            program.registers[apply.results[0]].rank() == program.registers[id].rank();
    for (const RegisterId operand : apply.operands) {
      if (plan[operand].root == id && (operand != id || !is_aligned)) return false;
    }
  }
  return true;
}

bool stays_inside(const ChainSteps& chain, const RegisterPlan& plan, const Lifetime& life) {
  return plan.where == RegisterPlan::Where::arena && !plan.written_to.valid() && life.last_use < chain.end;
}

}  // namespace tessera::runtime
