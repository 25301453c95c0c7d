// Reads elements of all devices, for texts and whole arrays. Called on all ranks; alone, it is plain reading.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "runtime/memory/gather.hpp"
#include "runtime/ranks/team.hpp"
#include "synth/program/program.hpp"

namespace tessera::runtime {

// The ranks that get the elements; the others get nothing.
enum class Readers : std::uint8_t { first, all };

// As `print` and `show` write it.
base::Result<std::string> value_text(Team& team, Readers readers, const Distributed& array);
base::Result<std::string> show_text(Team& team, Readers readers, const Distributed& array, std::string_view label,
                                    int columns);
// The whole array.
base::Result<synth::Literal> gather(Team& team, Readers readers, const Distributed& array);

}  // namespace tessera::runtime
