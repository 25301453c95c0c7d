// Estimates for people, and as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/line/options.hpp"
#include "tessera/estimate.hpp"

namespace tessera::repl {

// The totals, the peak beside the memory of its device, and a line for each statement. `text` is the program's; of a
// statement its first line is shown.
std::string estimate_text(const Estimate& estimate, std::string_view text, EstimateOptions::Order order);
// The same of one statement, with a line for each of its steps.
std::string steps_text(const Estimate& estimate, std::optional<std::uint32_t> statement);
// What the seconds belong to: devices that the machine describes, or assumed ones.
std::string device_note(const Estimate& estimate);

nlohmann::ordered_json estimate_json(const Estimate& estimate);

// `31%`, `0.4%`
std::string share_text(double share);
// `2.1 Gflop`
std::string operations_text(double operations);

}  // namespace tessera::repl
