#include "synth/schedule/schedule.hpp"

#include <algorithm>

namespace tessera::synth {

std::string_view name(Schedule schedule) {
  switch (schedule) {
#define CASE(identifier, text, late) \
  case Schedule::identifier: return text;
    TESSERA_SCHEDULES(CASE)
#undef CASE
  }
  return "";
}

bool is_late(Schedule schedule) {
  switch (schedule) {
#define CASE(identifier, text, late) \
  case Schedule::identifier: return late;
    TESSERA_SCHEDULES(CASE)
#undef CASE
  }
  return false;
}

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
