#include "synth/moves/transfer/reduce_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "synth/layout/cursor.hpp"
#include "synth/layout/part_text.hpp"

namespace tessera::synth {

namespace {

#define NAME(identifier) std::string_view(#identifier),
constexpr std::array kStepNames{TESSERA_REDUCE_STEPS(NAME)};
constexpr std::array kFormNames{TESSERA_REDUCE_FORMS(NAME)};
#undef NAME

template <class Enum, std::size_t kSize>
std::optional<Enum> member_by_name(const std::array<std::string_view, kSize>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

std::optional<std::int64_t> positive(Cursor& cursor) {
  const auto value = integer_value(cursor.digits());
  return value && *value >= 1 && *value <= kDevicesMax ? value : std::nullopt;
}

bool read_rates(Cursor& cursor, std::vector<std::int64_t>& rates) {
  do {
    const auto rate = positive(cursor);
    if (!rate || std::ssize(rates) == kDevicesMax) return false;
    rates.push_back(*rate);
  } while (cursor.accept(','));
  return true;
}

// The words after a step's axes: `first AXES`, a form, `in`, or nothing. Gives the word that it did not take.
struct StepEnd {
  bool is_last = false;  // the word was `in`
};
std::optional<StepEnd> read_step_end(const Mesh& mesh, Cursor& cursor, ReduceStep& step) {
  std::string_view word = cursor.name();
  if (word == "first") {
    auto first = read_axis_list(cursor, mesh);
    if (!first) return std::nullopt;
    step.first = std::move(*first);
    word = cursor.name();
  }
  if (const auto form = member_by_name<ReduceForm>(kFormNames, word)) {
    step.form = *form;
    if (step.form == ReduceForm::units) {
      const bool says_of = cursor.name() == "of";
      const auto devices = positive(cursor);
      if (!says_of || !devices) return std::nullopt;
      step.unit_devices = *devices;
    }
    word = cursor.name();
    if (step.form == ReduceForm::units && word == "at") {
      if (!read_rates(cursor, step.unit_rates)) return std::nullopt;
      word = cursor.name();
    }
  }
  if (!word.empty() && word != "in") return std::nullopt;
  return StepEnd{word == "in"};
}

}  // namespace

std::string_view name(ReduceStepKind kind) { return kStepNames[static_cast<std::size_t>(kind)]; }
std::string_view name(ReduceForm form) { return kFormNames[static_cast<std::size_t>(form)]; }

std::string form_text(const ReduceStep& step) {
  std::string form(name(step.form));
  if (step.form != ReduceForm::units) return form;
  const std::string rates = step.unit_rates.empty() ? "" : fmt::format(" at {}", fmt::join(step.unit_rates, ","));
  return fmt::format("{} of {}{}", form, step.unit_devices, rates);
}

std::int64_t hop_slots(const ReduceProgram& program) {
  std::int64_t hops = 0;
  for (const ReduceStep& step : program.steps) {
    if (step.form == ReduceForm::direct) ++hops;
    if (step.form == ReduceForm::units) hops += step.kind == ReduceStepKind::all_reduce ? 3 : 2;
    if (step.form == ReduceForm::ring)
      hops += (shard_count(step.axes) - 1) * (step.kind == ReduceStepKind::all_reduce ? 2 : 1);
    if (step.form != ReduceForm::halving) continue;
    for (const AxisPart& part : step.axes) {
      std::int64_t rest = part.size;
      for (std::int64_t prime = 2; rest > 1; ++prime) {
        for (; rest % prime == 0; rest /= prime) ++hops;
      }
    }
  }
  return hops;
}

std::string print(const Mesh& mesh, const ReduceProgram& program) {
  std::string text;
  for (const ReduceStep& step : program.steps) {
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", name(step.kind), print(mesh, step.axes));
    if (!step.first.empty()) text += fmt::format(" first {}", print(mesh, step.first));
    if (step.form != ReduceForm::direct) text += " " + form_text(step);
  }
  if (program.stretches != 1) text += fmt::format(" in {}", program.stretches);
  return text;
}

std::optional<ReduceProgram> parse_reduce_program(const Mesh& mesh, std::string_view text) {
  Cursor cursor(text);
  ReduceProgram program;
  bool is_last = false;
  do {
    ReduceStep step;
    const auto kind = member_by_name<ReduceStepKind>(kStepNames, cursor.name());
    if (!kind) return std::nullopt;
    step.kind = *kind;
    auto axes = read_axis_list(cursor, mesh);
    if (!axes) return std::nullopt;
    step.axes = std::move(*axes);
    const auto end = read_step_end(mesh, cursor, step);
    if (!end) return std::nullopt;
    is_last = end->is_last;
    program.steps.push_back(std::move(step));
  } while (!is_last && cursor.accept(';'));
  if (is_last) {
    const auto stretches = positive(cursor);
    if (!stretches) return std::nullopt;
    program.stretches = *stretches;
  }
  cursor.skip_blanks();
  return cursor.at_end() ? std::optional(std::move(program)) : std::nullopt;
}

}  // namespace tessera::synth
