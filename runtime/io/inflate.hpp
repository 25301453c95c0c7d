// Deflated bytes (RFC 1951) as they were.
#pragma once

#include <cstddef>
#include <span>

namespace tessera::runtime {

// Exactly `out.size()` bytes, or false.
bool inflate(std::span<const std::byte> deflated, std::span<std::byte> out);
// The first `out.size()` bytes of those and possibly more; what follows is not looked at.
bool inflate_first(std::span<const std::byte> deflated, std::span<std::byte> out);

}  // namespace tessera::runtime
