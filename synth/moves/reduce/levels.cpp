#include "synth/moves/reduce/levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "synth/layout/axis_parts.hpp"

namespace tessera::synth {

namespace {

// The digits that both parts of an axis have; size 1 if none, nothing if one cuts a digit of the other.
std::optional<AxisPart> common_digits(const AxisPart& a, const AxisPart& b) {
  const std::int64_t begin = std::max(a.before, b.before);
  const std::int64_t end = std::min(end_of(a), end_of(b));
  if (end <= begin) return AxisPart{a.axis, 1, 1};
  const bool divide =
      end % begin == 0 && begin % std::min(a.before, b.before) == 0 && std::max(end_of(a), end_of(b)) % end == 0;
  if (!divide) return std::nullopt;
  return AxisPart{a.axis, begin, end / begin};
}

std::optional<ReduceLevel> level_of(const PlaceMatrix& matrix, const AxisList& reduced, std::size_t level) {
  ReduceLevel found{1, level, {}};
  for (const AxisPart& part : reduced) {
    const auto& row = matrix.rows[part.axis];
    AxisPart cell{part.axis, 1, row[level]};
    for (std::size_t j = 0; j < level; ++j) cell.before *= row[j];
    const auto common = common_digits(part, cell);
    if (!common) return std::nullopt;
    if (common->size == 1) continue;
    found.factor *= common->size;
    found.axes.push_back(*common);
  }
  return found;
}

std::string_view short_name(ReduceStepKind kind) {
  switch (kind) {
    case ReduceStepKind::all_reduce: return "AR";
    case ReduceStepKind::reduce_scatter: return "RS";
    case ReduceStepKind::reduce: return "R";
    case ReduceStepKind::all_gather: return "AG";
    case ReduceStepKind::broadcast: return "B";
  }
  return "";
}

// Level by level; a direct step does not tell parts that continue each other from one.
AxisList axes_of(const ReduceLevels& levels, std::size_t begin, std::size_t end, ReduceForm form) {
  AxisList axes;
  for (std::size_t k = begin; k < end; ++k) axes.insert(axes.end(), levels[k].axes.begin(), levels[k].axes.end());
  return form == ReduceForm::halving ? axes : canonical(std::move(axes));
}

}  // namespace

std::optional<ReduceLevels> reduce_levels(const PlaceMatrix& matrix, const AxisList& reduced) {
  ReduceLevels levels;
  const std::size_t count = matrix.rows.empty() ? 0 : matrix.rows[0].size();
  for (std::size_t j = 0; j < count; ++j) {
    auto level = level_of(matrix, reduced, j);
    if (!level) return std::nullopt;
    if (level->factor > 1) levels.push_back(std::move(*level));
  }
  return levels;
}

std::string print(const LevelProgram& program) {
  std::string text;
  for (const LevelStep& step : program.steps) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", short_name(step.kind));
    for (std::size_t k = step.begin; k < step.end; ++k) text += fmt::format("{}", k);
    if (step.masters) text += 'm';
    if (step.form != ReduceForm::direct) text += fmt::format("/{}", name(step.form)[0]);
  }
  if (program.stretches != 1) text += fmt::format(" in {}", program.stretches);
  return text;
}

ReduceProgram program_of(const ReduceLevels& levels, const LevelProgram& program) {
  ReduceProgram made{{}, program.stretches};
  for (const LevelStep& step : program.steps) {
    AxisList first;
    if (step.masters) first = axes_of(levels, step.end, levels.size(), ReduceForm::direct);
    made.steps.push_back(
        ReduceStep{step.kind, axes_of(levels, step.begin, step.end, step.form), std::move(first), step.form});
  }
  return made;
}

}  // namespace tessera::synth
