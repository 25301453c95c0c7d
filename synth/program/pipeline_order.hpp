// The order in which a pipeline takes its visits: whether it is valid, and how many microbatches of a value it keeps at
// a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "synth/program/program.hpp"

namespace tessera::synth {

// Why the order is not valid: a visit is not listed once for each microbatch, or is listed before one that makes a
// value which it reads; a visit reads a parameter that it does not carry; a visit has an effect.
std::optional<std::string> order_fault(const Pipeline& pipeline);

// The visit that makes each register, for registers that visits make.
std::map<RegisterId, std::uint32_t> makers(const Pipeline& pipeline);

// The most microbatches of a value that are there at once, each of which needs a buffer: made by a visit and read by
// others, until the last of them in the order.
std::int64_t buffers_of_value(const Pipeline& pipeline, std::uint32_t maker, const std::vector<std::uint32_t>& readers);

}  // namespace tessera::synth
