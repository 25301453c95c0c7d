// The orders in which a pipeline may take its microbatches: one table, from which names, parser and tests come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::synth {

// FOREACH(identifier, "name", is late)
// `gpipe` takes all microbatches forward first; `1f1b` has as many in flight on a stage as stages are to come, itself
// included; `eager-1f1b` has one more for each later stage, so that transfers between stages hide behind work. Late:
// the work that no border waits for is done after the border is sent, not before. `auto` is late, and has no more in
// flight on any stage than hide all that can be hidden.
#define TESSERA_SCHEDULES(FOREACH)                          \
  FOREACH(gpipe, "gpipe", false)                            \
  FOREACH(gpipe_late, "gpipe+late", true)                   \
  FOREACH(one_forward_one_backward, "1f1b", false)          \
  FOREACH(one_forward_one_backward_late, "1f1b+late", true) \
  FOREACH(eager, "eager-1f1b", false)                       \
  FOREACH(eager_late, "eager-1f1b+late", true)              \
  FOREACH(automatic, "auto", true)

enum class Schedule : std::uint8_t {
#define MEMBER(identifier, text, late) identifier,
  TESSERA_SCHEDULES(MEMBER)
#undef MEMBER
};

std::string_view name(Schedule schedule);
bool is_late(Schedule schedule);
std::optional<Schedule> schedule_by_name(std::string_view name);
// In the order of the table.
std::vector<Schedule> all_schedules();
std::vector<std::string> schedule_names();

}  // namespace tessera::synth
