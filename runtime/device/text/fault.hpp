// What can fail on a GPU: an index that is out of range, a division by zero, a negative exponent. The least failure of
// the first launch that fails is noted in a word of device memory, as a number that is less the earlier it is:
//
//     bits 48 to 63   the launch's number, below 0xffff
//     bits 36 to 47   the row of the launch's table, which is the tile
//     bits  0 to 35   the element's row-major position in the tile
//
// All ones: nothing has failed. Behind it lies the value of the operand's element (FaultValue).
#pragma once

#include <cstdint>

#include "runtime/device/text/dialect.hpp"

namespace tessera::kernel {

struct Fault {
  std::uint64_t word = 0;
  std::uint64_t launch = 0;
};

inline constexpr std::uint64_t kNoFault = ~std::uint64_t{0};
inline constexpr int kFaultLaunchBit = 48;
inline constexpr int kFaultRowBit = 36;
// A table with more rows cannot say which of them has failed.
inline constexpr std::int64_t kFaultRows = std::int64_t{1} << (kFaultLaunchBit - kFaultRowBit);

// The word at the address becomes the lesser of both.
inline void fault_min(std::uint64_t address, std::uint64_t value) {
#if defined(__CUDACC_RTC__)
  atomicMin(memory<unsigned long long>(address), static_cast<unsigned long long>(value));
#else
  std::uint64_t& word = *memory<std::uint64_t>(address);
  word = value < word ? value : word;
#endif
}

inline void fail(const Fault& fault, std::int64_t row, std::int64_t position) {
  fault_min(fault.word, fault.launch << kFaultLaunchBit | static_cast<std::uint64_t>(row) << kFaultRowBit |
                            static_cast<std::uint64_t>(position));
}

// Has another launch, an earlier one, failed? Then there is nothing to do any more.
inline bool has_failed_before(const Fault& fault) {
  const std::uint64_t noted = *memory<const volatile std::uint64_t>(fault.word);
  return noted != kNoFault && noted >> kFaultLaunchBit != fault.launch;
}

}  // namespace tessera::kernel
