#include "synth/program/schedule/schedule.hpp"

#include <algorithm>
#include <array>

namespace tessera::synth {

namespace {

struct Row {
  std::string_view name;
  bool is_late;
};

// In the order of the enumeration.
#define ROW(identifier, text, late) Row{text, late},
constexpr std::array kRows = {TESSERA_SCHEDULES(ROW)};
#undef ROW

const Row& row(Schedule schedule) { return kRows.at(static_cast<std::size_t>(schedule)); }

}  // namespace

std::string_view name(Schedule schedule) { return row(schedule).name; }

bool is_late(Schedule schedule) { return row(schedule).is_late; }

std::vector<Schedule> all_schedules() {
#define ROW(identifier, text, late) Schedule::identifier,
  return {TESSERA_SCHEDULES(ROW)};
#undef ROW
}

std::optional<Schedule> schedule_by_name(std::string_view wanted) {
  const std::vector<Schedule> all = all_schedules();
  const auto found = std::find_if(all.begin(), all.end(), [&](Schedule one) { return name(one) == wanted; });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::string> schedule_names() {
  std::vector<std::string> names;
  for (const Schedule one : all_schedules()) names.emplace_back(name(one));
  return names;
}

}  // namespace tessera::synth
