// The order in which a pipeline takes its visits: is it one, and how many microbatches of a value it keeps at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "synth/program/program.hpp"

namespace tessera::synth {

// Why the order is none: a visit does not stand there once for each microbatch, or before one that makes what it reads;
// a parameter is read by a visit that does not carry it; a visit has an effect.
std::optional<std::string> order_fault(const Pipeline& pipeline);

// Which visit makes each register, for those that visits make.
std::map<RegisterId, std::uint32_t> makers(const Pipeline& pipeline);

// How many microbatches of a value are there at once, at most: made by a visit, read by others, for the last time by
// whichever of them is last in the order.
std::int64_t places_of_value(const Pipeline& pipeline, std::uint32_t maker, const std::vector<std::uint32_t>& readers);

}  // namespace tessera::synth
