#include "runtime/device/write/row_plan.hpp"

#include <algorithm>
#include <bit>

#include "runtime/device/text/staged_rows.hpp"
#include "runtime/device/write/expressions.hpp"

namespace tessera::device {

namespace {

constexpr std::int64_t kLanes = kernel::kReduceLanes;

// Values of elements that a level asks for: those that are reduced there, or at last those that are kept.
std::vector<std::size_t> targets(const Formula& formula, int level) {
  std::vector<std::size_t> all;
  for (std::size_t v = 0; v < formula.values.size(); ++v) {
    const Value& value = formula.values[v];
    if (value.kind == Value::Kind::reduce && value.level == level) all.push_back(value.operands[0]);
    if (level == formula.levels && value.kind != Value::Kind::array && value.is_side && value.is_kept) all.push_back(v);
  }
  return all;
}

class Levels {
 public:
  Levels(const Formula& formula, RowPlan& plan, bool keeps) : formula_(formula), plan_(plan) {
    plan_.taken.clear();
    plan_.known.clear();
    plan_.kept.clear();
    std::set<std::size_t> available;
    for (int level = 0; level <= formula.levels; ++level) {
      std::set<std::size_t> taken;
      std::set<std::size_t> known;
      for (const std::size_t target : targets(formula, level)) need(target, available, taken, known);
      plan_.taken.emplace_back(taken.begin(), taken.end());
      plan_.known.emplace_back(known.begin(), known.end());
      plan_.kept.insert(known.begin(), known.end());
      if (keeps) available.insert(taken.begin(), taken.end());
    }
  }

  // Bytes that a thread keeps at a time, at most, of so many groups of elements.
  std::int64_t bytes_kept(std::int64_t steps) const {
    std::int64_t most = 0;
    for (int border = 1; border <= formula_.levels; ++border) {
      std::int64_t bytes = 0;
      for (const std::size_t v : plan_.kept) {
        if (first_taken(v) < border && last_known(v) >= border) {
          bytes += synth::bytes_of(formula_.values[v].element) * plan_.side * steps;
        }
      }
      most = std::max(most, bytes);
    }
    return most;
  }

  // About the instructions that are written out.
  std::int64_t weight(std::int64_t steps) const {
    std::int64_t all = 0;
    for (const auto& level : plan_.taken) {
      for (const std::size_t v : level) all += weight_of(formula_.values[v]);
    }
    return all * plan_.side * steps;
  }

 private:
  void need(std::size_t v, const std::set<std::size_t>& available, std::set<std::size_t>& taken,
            std::set<std::size_t>& known) {
    const Value& value = formula_.values[v];
    if (!value.is_side) return;
    if (available.count(v) != 0) {
      known.insert(v);
      return;
    }
    if (!taken.insert(v).second) return;
    for (const std::size_t operand : value.operands) need(operand, available, taken, known);
  }
  static bool holds(const std::vector<std::size_t>& all, std::size_t v) {
    return std::find(all.begin(), all.end(), v) != all.end();
  }
  int first_taken(std::size_t v) const {
    int level = 0;
    while (!holds(plan_.taken[static_cast<std::size_t>(level)], v)) ++level;
    return level;
  }
  int last_known(std::size_t v) const {
    int level = formula_.levels;
    while (!holds(plan_.known[static_cast<std::size_t>(level)], v)) --level;
    return level;
  }

  const Formula& formula_;
  RowPlan& plan_;
};

std::int64_t power_above(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1))));
}

// Bytes that a level's reductions have on the stage, at most.
std::int64_t stage_bytes(const Formula& formula, const RowPlan& plan) {
  const auto longest = static_cast<int>(plan.steps * plan.of_row * plan.side);
  std::int64_t most = 0;
  for (int level = 0; level < formula.levels; ++level) {
    std::int64_t bytes = 0;
    for (const Value& value : formula.values) {
      if (value.kind == Value::Kind::reduce && value.level == level) bytes += staged_bytes(value.element, longest);
    }
    most = std::max(most, bytes);
  }
  return most * (plan.threads / plan.of_row);
}

// Neighbouring threads take neighbouring elements: 128 bytes a thread, in groups of sixteen.
bool stage_rows(const Formula& formula, std::int64_t longest, const Levels& kept, RowPlan& plan) {
  constexpr std::int64_t kStageMax = 40 * 1024;
  constexpr std::int64_t kThreadsMax = 512;
  constexpr std::int64_t kBytesKept = 256;
  constexpr std::int64_t kWrittenOut = 12'000;
  const std::int64_t groups = std::max<std::int64_t>(1, (longest + plan.side - 1) / plan.side);
  plan.of_row = std::max(power_above((groups + 7) / 8), std::min<std::int64_t>(8, power_above(groups)));
  plan.steps = (groups + plan.of_row - 1) / plan.of_row;
  if (kept.bytes_kept(plan.steps) > kBytesKept && plan.steps > 1) {
    plan.of_row *= 2;
    plan.steps = (groups + plan.of_row - 1) / plan.of_row;
  }
  plan.threads = std::max<std::int64_t>(plan.of_row, 128);
  return plan.of_row <= kThreadsMax && stage_bytes(formula, plan) <= kStageMax &&
         kept.bytes_kept(plan.steps) <= kBytesKept && kept.weight(plan.steps) <= kWrittenOut;
}

}  // namespace

std::int64_t staged_bytes(synth::ElementType element, int longest) {
  const std::int64_t bytes = synth::bytes_of(element);
  const int places = bytes == 8   ? kernel::staged_places<double>(longest)
                     : bytes == 4 ? kernel::staged_places<float>(longest)
                                  : kernel::staged_places<bool>(longest);
  return places * bytes;
}

RowPlan plan_rows(const Formula& formula, std::int64_t longest) {
  // 64 registers for a block's elements of a thread; twice as many where there are few threads.
  constexpr std::int64_t kBytesKept = 256;
  constexpr std::int64_t kWrittenOut = 12'000;
  RowPlan plan;
  for (const Value& value : formula.values) {
    if (value.is_side && synth::bytes_of(value.element) == 8) plan.side = 2;
  }
  const std::int64_t blocks = (longest + kernel::kReduceBlock - 1) / kernel::kReduceBlock;
  const std::int64_t parts = kLanes / plan.side;
  const std::int64_t wanted = power_above(std::max<std::int64_t>(blocks, 1) * parts);
  const Levels kept(formula, plan, true);
  plan.is_staged = plan.keeps = stage_rows(formula, longest, kept, plan);
  if (plan.is_staged) return plan;
  const std::int64_t threads_max = kept.bytes_kept(kernel::kReduceSteps) <= kBytesKept ? 512 : 256;
  plan.keeps = wanted <= threads_max && kept.bytes_kept(kernel::kReduceSteps) <= 2 * kBytesKept &&
               kept.weight(kernel::kReduceSteps) <= kWrittenOut;
  if (!plan.keeps) Levels(formula, plan, false);
  plan.of_row = plan.keeps ? wanted : std::clamp<std::int64_t>(wanted, 32, 256);
  plan.threads = plan.keeps ? std::max<std::int64_t>(wanted, 128) : plan.of_row;
  return plan;
}

std::int64_t shared_bytes(const Formula& formula, const RowPlan& plan) {
  if (plan.is_staged) return 0;  // they fit
  const std::int64_t parts = kLanes / plan.side;
  const std::int64_t rows = plan.threads / plan.of_row;
  const std::int64_t of_row = plan.keeps ? plan.of_row : parts * kernel::kBlocksMax;
  std::int64_t bytes = 0;
  for (const Value& value : formula.values) {
    if (value.kind != Value::Kind::reduce) continue;
    const std::int64_t groups = (of_row / parts + kernel::kJoined - 1) / kernel::kJoined;
    bytes += rows * (of_row + groups + kLanes) * synth::bytes_of(value.element) + 16;
  }
  return bytes;
}

}  // namespace tessera::device
