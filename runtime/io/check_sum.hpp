// The check sum of zip archives (CRC-32), of bytes that several processes have.
//
// Example: the sum of "ab" followed by that of "c" is the sum of "abc".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera::runtime {

// Of so many bytes.
struct CheckSum {
  std::uint32_t value = 0;
  std::int64_t bytes = 0;

  friend bool operator==(const CheckSum&, const CheckSum&) = default;
};

CheckSum check_sum(std::span<const std::byte> bytes);
// Of the bytes of both, one behind the other.
CheckSum followed_by(const CheckSum& first, const CheckSum& second);

}  // namespace tessera::runtime
