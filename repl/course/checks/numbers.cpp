// Checks of numbers: facts, what a device holds, where a dimension is cut.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "repl/course/checks/checks.hpp"
#include "repl/course/measures.hpp"
#include "repl/course/values.hpp"

namespace tessera::repl {

namespace {

// The value that the learner bound to a name, as numbers.
Numbers answer_of(const Trial& trial, const std::string& name) {
  const auto value = trial.shown.get(name);
  return value ? numbers_of(*value) : Numbers{};
}

// The head of a reply to a wrong number: what the lesson knows about it, then what it is not.
std::string not_this(const Trial& trial, const std::string& name, const Numbers& answer) {
  const std::string known = known_mistake(trial.lesson, name, [&](const std::string& value) {
    const auto mistaken = value_of(trial.given, value);
    return mistaken.value && same_numbers(numbers_of(*mistaken.value), answer);
  });
  const auto value = trial.shown.get(name);
  const bool is_list_of_one = value && !value->shape().empty() && answer.size() == 1;
  const bool is_truth = value && value->element() == Element::boolean && value->shape().empty();
  const std::string shown = is_truth         ? answer.front() != 0 ? "true" : "false"
                            : is_list_of_one ? fmt::format("[{}]", text_of(answer))
                                             : text_of(answer);
  return fmt::format("`{}` is not {}.\n{}", name, shown, known);
}

std::string where(const Check& check, const Setting& setting) {
  return fmt::format("check {}, `{}: {}`", name(check.kind), setting.key, setting.value);
}

// `ARRAY WORD REST` cut at the word.
std::pair<std::string, std::string> split_at(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(" " + word + " ");
  if (at == std::string::npos) return {std::string(trimmed(text)), ""};
  return {std::string(trimmed(text.substr(0, at))), std::string(trimmed(text.substr(at + word.size() + 2)))};
}

// The cuts of one dimension: where tiles begin, and the end of the last.
Numbers cuts_of(const Array& array, std::size_t dimension) {
  std::set<std::int64_t> cuts{0, array.shape()[dimension]};
  for (std::int64_t device = 0; device < array.devices(); ++device) {
    const auto tile = array.tile(device);
    if (tile) cuts.insert(tile->box[dimension].first);
  }
  return {cuts.begin(), cuts.end()};
}

// The first tile that other cuts would make different.
std::string first_other_tile(const Array& array, std::size_t dimension, const Numbers& cuts, const Numbers& answer) {
  if (answer.size() != cuts.size()) {
    return fmt::format("{} tiles have {} cuts, both ends included, not {}.\n", cuts.size() - 1, cuts.size(),
                       answer.size());
  }
  std::size_t tile = 0;
  while (tile + 1 < cuts.size() && cuts[tile + 1] == answer[tile + 1] && cuts[tile] == answer[tile]) ++tile;
  for (std::int64_t device = 0; device < array.devices() && tile + 1 < cuts.size(); ++device) {
    const auto held = array.tile(device);
    if (!held || static_cast<double>(held->box[dimension].first) != cuts[tile]) continue;
    return fmt::format("By your cuts {} would hold {}:{}, but it holds {}:{}.\n", device_text(array.mesh(), device),
                       answer[tile], answer[tile + 1], cuts[tile], cuts[tile + 1]);
  }
  return "";
}

}  // namespace

Verdict check_numbers(const Trial& trial, const Check& check) {
  for (const Setting& setting : check.settings) {
    const auto fact = measure(trial.given, setting.value);
    if (!fact.value) return unfit(where(check, setting), fact.why, setting.line);
    const Numbers answer = answer_of(trial, setting.key);
    if (same_numbers(answer, fact.value->value)) continue;
    return wrong(not_this(trial, setting.key, answer) + fact.value->counterexample);
  }
  return {};
}

Verdict check_holds(const Trial& trial, const Check& check) {
  for (const Setting& setting : check.settings) {
    const auto [array_name, place] = split_at(setting.value, "on");
    const auto array = value_of(trial.given, array_name);
    if (!array.value) return unfit(where(check, setting), array.why, setting.line);
    const auto device = device_at(array.value->mesh(), place);
    if (!device) return unfit(where(check, setting), fmt::format("the mesh has no device `{}`", place), setting.line);
    const Numbers answer = answer_of(trial, setting.key);
    if (same_numbers(answer, numbers_on(*array.value, *device))) continue;
    return wrong(fmt::format("{}Look for {}:\n{}", not_this(trial, setting.key, answer),
                             device_text(array.value->mesh(), *device), picture_of(*array.value, array_name)));
  }
  return {};
}

Verdict check_cuts(const Trial& trial, const Check& check) {
  for (const Setting& setting : check.settings) {
    const auto [array_name, dimension] = split_at(setting.value, "along");
    const auto array = value_of(trial.given, array_name);
    if (!array.value) return unfit(where(check, setting), array.why, setting.line);
    if (dimension.size() != 1 || dimension[0] < '0' ||
        static_cast<std::size_t>(dimension[0] - '0') >= array.value->shape().size()) {
      return unfit(where(check, setting), "needs `ARRAY along DIMENSION`", setting.line);
    }
    const auto d = static_cast<std::size_t>(dimension[0] - '0');
    const Numbers cuts = cuts_of(*array.value, d);
    const Numbers answer = answer_of(trial, setting.key);
    if (same_numbers(answer, cuts)) continue;
    return wrong(not_this(trial, setting.key, answer) + first_other_tile(*array.value, d, cuts, answer) +
                 picture_of(*array.value, array_name));
  }
  return {};
}

}  // namespace tessera::repl
