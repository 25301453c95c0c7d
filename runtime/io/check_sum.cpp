#include "runtime/io/check_sum.hpp"

#include <array>

namespace tessera::runtime {

namespace {

// The sum is a remainder of polynomials over two elements. The highest bit of a word is the coefficient of 1.
constexpr std::uint32_t kPolynomial = 0xEDB88320U;
constexpr std::uint32_t kOne = 0x80000000U;

constexpr std::uint32_t times_x(std::uint32_t value) {
  return (value & 1U) != 0 ? kPolynomial ^ value >> 1U : value >> 1U;
}

constexpr int kByteBits = 8;
constexpr std::size_t kTables = 8;

// Table t: what a byte becomes when t more bytes have followed it.
constexpr auto make_tables() {
  std::array<std::array<std::uint32_t, 256>, kTables> tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < kByteBits; ++bit) value = times_x(value);
    tables[0][i] = value;
  }
  for (std::size_t t = 1; t < kTables; ++t) {
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint32_t before = tables[t - 1][i];
      tables[t][i] = before >> 8U ^ tables[0][before & 0xFFU];
    }
  }
  return tables;
}
constexpr auto kOfBytes = make_tables();

constexpr std::uint32_t product(std::uint32_t a, std::uint32_t b) {
  std::uint32_t result = 0;
  for (std::uint32_t bit = kOne; bit != 0; bit >>= 1U, b = times_x(b)) {
    if ((a & bit) != 0) result ^= b;
  }
  return result;
}

// x to the power of so many bytes' bits.
constexpr std::uint32_t power_of_bytes(std::int64_t bytes) {
  std::uint32_t result = kOne;
  std::uint32_t square = kOne;
  for (int bit = 0; bit < kByteBits; ++bit) square = times_x(square);
  for (; bytes > 0; bytes >>= 1U, square = product(square, square)) {
    if ((bytes & 1) != 0) result = product(result, square);
  }
  return result;
}

}  // namespace

CheckSum check_sum(std::span<const std::byte> bytes) {
  std::uint32_t value = ~0U;
  std::size_t i = 0;
  // Eight bytes at a time: the first four meet what has been summed so far.
  for (; bytes.size() - i >= kTables; i += kTables) {
    std::uint32_t next = 0;
    for (std::size_t k = 0; k < kTables; ++k) {
      const std::uint32_t summed = k < sizeof(value) ? value >> (kByteBits * k) : 0U;
      next ^= kOfBytes[kTables - 1 - k][(std::to_integer<std::uint32_t>(bytes[i + k]) ^ summed) & 0xFFU];
    }
    value = next;
  }
  for (; i < bytes.size(); ++i)
    value = value >> 8U ^ kOfBytes[0][(value ^ std::to_integer<std::uint32_t>(bytes[i])) & 0xFFU];
  return {~value, static_cast<std::int64_t>(bytes.size())};
}

CheckSum followed_by(const CheckSum& first, const CheckSum& second) {
  return {product(power_of_bytes(second.bytes), first.value) ^ second.value, first.bytes + second.bytes};
}

}  // namespace tessera::runtime
