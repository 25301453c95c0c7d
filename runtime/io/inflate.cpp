#include "runtime/io/inflate.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "runtime/kernels/given_up.hpp"

namespace tessera::runtime {

namespace {

constexpr int kCodeBitsMax = 15;

// Bits from the least significant on. Past the end there are zeros, and `is_over` says so.
class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint32_t take(int count) {
    fill(count);
    const std::uint32_t value = static_cast<std::uint32_t>(held_ & ((std::uint64_t{1} << count) - 1));
    held_ >>= count;
    bits_ -= count;
    return value;
  }
  // The rest of a byte goes; then so many whole bytes follow.
  bool take_bytes(std::span<std::byte> out) {
    take(bits_ % 8);
    while (bits_ > 0 && !out.empty()) {
      out.front() = static_cast<std::byte>(take(8));
      out = out.subspan(1);
    }
    if (bytes_.size() - at_ < out.size()) return false;
    if (!out.empty()) std::memcpy(out.data(), bytes_.data() + at_, out.size());
    at_ += out.size();
    return true;
  }
  bool is_over() const { return past_ > 0 && bits_ < past_; }

 private:
  void fill(int count) {
    while (bits_ < count) {
      const bool is_past = at_ >= bytes_.size();
      const std::uint64_t next = is_past ? 0 : static_cast<std::uint64_t>(bytes_[at_++]);
      if (is_past) past_ += 8;
      held_ |= next << bits_;
      bits_ += 8;
    }
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  std::uint64_t held_ = 0;
  int bits_ = 0;
  int past_ = 0;  // bits that were made up; more than those held: some were taken
};

// A prefix code by the lengths of its codewords: those of one length are consecutive numbers, in order of symbols.
class PrefixCode {
 public:
  // False where more codewords are asked for than there are.
  bool make(std::span<const std::uint8_t> lengths) {
    counts_.fill(0);
    for (const std::uint8_t length : lengths) ++counts_[length];
    counts_[0] = 0;
    std::int32_t room = 1;
    std::array<std::uint16_t, kCodeBitsMax + 2> first{};
    for (int bits = 1; bits <= kCodeBitsMax; ++bits) {
      room = 2 * room - counts_[static_cast<std::size_t>(bits)];
      if (room < 0) return false;
      const auto b = static_cast<std::size_t>(bits);
      first[b + 1] = static_cast<std::uint16_t>(first[b] + counts_[b]);
    }
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      if (lengths[symbol] != 0) symbols_[first[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
    }
    return true;
  }
  // Reads a codeword bit by bit; -1 if there is none of these bits.
  int read(BitReader& bits) const {
    std::int32_t code = 0;
    std::int32_t first = 0;
    std::int32_t index = 0;
    for (int length = 1; length <= kCodeBitsMax; ++length) {
      code |= static_cast<std::int32_t>(bits.take(1));
      const std::int32_t count = counts_[static_cast<std::size_t>(length)];
      if (code - first < count) return symbols_[static_cast<std::size_t>(index + code - first)];
      index += count;
      first = (first + count) * 2;
      code *= 2;
    }
    return -1;
  }

 private:
  std::array<std::uint16_t, kCodeBitsMax + 1> counts_{};
  std::array<std::uint16_t, 288> symbols_{};
};

constexpr int kEndOfBlock = 256;

// Symbols above the end of a block stand for lengths, and those of the other code for distances: a base and more bits.
struct Range {
  int base = 0;
  int bits = 0;
};

Range length_of(int symbol) {
  constexpr int kFirst = 257;
  constexpr int kLongest = 285;
  const int number = symbol - kFirst;
  if (symbol == kLongest) return {258, 0};
  if (number < 8) return {3 + number, 0};
  const int bits = number / 4 - 1;
  return {3 + ((4 + number % 4) << bits), bits};
}

Range distance_of(int symbol) {
  if (symbol < 4) return {1 + symbol, 0};
  const int bits = symbol / 2 - 1;
  return {1 + ((2 + symbol % 2) << bits), bits};
}

enum class Wanted : std::uint8_t { all, first };

class Inflater {
 public:
  Inflater(std::span<const std::byte> in, std::span<std::byte> out, Wanted wanted)
      : bits_(in), out_(out), wanted_(wanted) {}

  bool run() {
    bool last = false;
    while (!last && !is_enough()) {
      last = bits_.take(1) == 1;
      if (bits_.is_over() || !block(bits_.take(2))) return false;
    }
    return at_ == out_.size() && !bits_.is_over();
  }

 private:
  bool is_enough() const { return wanted_ == Wanted::first && at_ == out_.size(); }
  // How many of the next `count` bytes are made; nothing where there is no room for them.
  std::optional<std::size_t> room_for(std::size_t count) const {
    const std::size_t room = out_.size() - at_;
    if (count <= room) return count;
    return wanted_ == Wanted::first ? std::optional(room) : std::nullopt;
  }

  bool block(std::uint32_t kind) {
    switch (kind) {
      case 0: return plain_block();
      case 1: return make_fixed_codes() && coded_block();
      case 2: return read_codes() && coded_block();
      default: return false;
    }
  }

  bool plain_block() {
    std::array<std::byte, 4> head{};
    if (!bits_.take_bytes(head)) return false;
    const auto word = [&](std::size_t i) {
      return std::to_integer<unsigned>(head[i]) | std::to_integer<unsigned>(head[i + 1]) << 8U;
    };
    const auto count = room_for(word(0));
    if ((word(0) ^ word(2)) != 0xFFFFU || !count) return false;
    if (!bits_.take_bytes(out_.subspan(at_, *count))) return false;
    at_ += *count;
    return true;
  }

  bool make_fixed_codes() {
    std::array<std::uint8_t, 288> lengths{};
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = i < 144 ? 8 : (i < 256 ? 9 : (i < 280 ? 7 : 8));
    std::array<std::uint8_t, 30> distances{};
    distances.fill(5);
    return literals_.make(lengths) && distances_.make(distances);
  }

  bool read_codes() {
    constexpr std::array<std::uint8_t, 19> kOrder = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    const std::size_t literals = bits_.take(5) + 257;
    const std::size_t distances = bits_.take(5) + 1;
    const std::size_t count = bits_.take(4) + 4;
    if (literals > 286 || distances > 30) return false;
    std::array<std::uint8_t, 19> of_lengths{};
    for (std::size_t i = 0; i < count; ++i) of_lengths[kOrder[i]] = static_cast<std::uint8_t>(bits_.take(3));
    PrefixCode code;
    if (!code.make(of_lengths)) return false;
    std::array<std::uint8_t, 320> lengths{};
    for (std::size_t i = 0; i < literals + distances;) {
      const int symbol = code.read(bits_);
      if (symbol < 0 || bits_.is_over()) return false;
      std::size_t times = 1;
      std::uint8_t length = static_cast<std::uint8_t>(symbol);
      if (symbol == 16) {
        if (i == 0) return false;
        length = lengths[i - 1];
        times = 3 + bits_.take(2);
      } else if (symbol > 16) {
        length = 0;
        times = symbol == 17 ? 3 + bits_.take(3) : 11 + bits_.take(7);
      }
      if (i + times > literals + distances) return false;
      for (; times > 0; --times) lengths[i++] = length;
    }
    const std::span all(lengths);
    return literals_.make(all.first(literals)) && distances_.make(all.subspan(literals, distances));
  }

  bool coded_block() {
    constexpr std::size_t kLooksEvery = 1U << 16U;
    for (std::size_t turn = 1; !is_enough(); ++turn) {
      if (turn % kLooksEvery == 0 && is_given_up()) return false;
      const int symbol = literals_.read(bits_);
      if (symbol < 0 || bits_.is_over()) return false;
      if (symbol == kEndOfBlock) return true;
      if (symbol < kEndOfBlock) {
        if (at_ == out_.size()) return false;
        out_[at_++] = static_cast<std::byte>(symbol);
      } else if (!repeat(symbol)) {
        return false;
      }
    }
    return true;
  }

  // Bytes that were there before, again.
  bool repeat(int symbol) {
    if (symbol > 285) return false;
    const Range lengths = length_of(symbol);
    const std::size_t length = static_cast<std::size_t>(lengths.base) + bits_.take(lengths.bits);
    const int of_distance = distances_.read(bits_);
    if (of_distance < 0 || of_distance > 29) return false;
    const Range distances = distance_of(of_distance);
    const std::size_t distance = static_cast<std::size_t>(distances.base) + bits_.take(distances.bits);
    const auto count = room_for(length);
    if (distance > at_ || !count) return false;
    for (std::size_t i = 0; i < *count; ++i, ++at_) out_[at_] = out_[at_ - distance];
    return true;
  }

  BitReader bits_;
  std::span<std::byte> out_;
  Wanted wanted_;
  std::size_t at_ = 0;
  PrefixCode literals_;
  PrefixCode distances_;
};

}  // namespace

bool inflate(std::span<const std::byte> deflated, std::span<std::byte> out) {
  return Inflater(deflated, out, Wanted::all).run();
}

bool inflate_first(std::span<const std::byte> deflated, std::span<std::byte> out) {
  return Inflater(deflated, out, Wanted::first).run();
}

}  // namespace tessera::runtime
