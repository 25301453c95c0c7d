// Numbers of bytes for people.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::synth {

// `1023 B`, `4 KiB`, `1.5 MiB`.
std::string bytes_text(std::int64_t bytes);

}  // namespace tessera::synth
