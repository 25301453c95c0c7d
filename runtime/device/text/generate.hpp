// Tiles that are made of their elements' numbers in the whole array: filled, counted, random, or copied from a literal.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "runtime/device/text/walk.hpp"
#include "runtime/elements/arithmetic.hpp"
#include "runtime/elements/random.hpp"

namespace tessera::kernel {

struct GeneratedTile {
  std::uint64_t out = 0;
  std::uint64_t value = 0;  // the address of what is filled in, of the seed, or of the literal
  std::uint64_t bits = 0;   // what is filled in where there is no such address
  std::int64_t first_block = 0;
  std::int64_t count = 0;
  std::int64_t start = 0;  // the first element's number, and the others' behind it
  Walk<1> numbers;
};

// Whole numbers of `bits` as an element of the same size.
template <class T>
T element_of(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>)
    return bits != 0;
  else if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(bits);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  else if constexpr (sizeof(T) == 2)
    return std::bit_cast<T>(static_cast<std::uint16_t>(bits));
  else
    return std::bit_cast<T>(static_cast<std::uint8_t>(bits));
}

// The same element everywhere.
template <class T>
struct Filled {
  using Element = T;
  static constexpr int kPacks = 4;
  explicit Filled(const GeneratedTile& tile)
      : value(tile.value == 0 ? element_of<T>(tile.bits) : *memory<const T>(tile.value)) {}
  T operator()(std::int64_t) const { return value; }
  T value;
};

// The number as an element.
template <class T>
struct Counted {
  using Element = T;
  static constexpr int kPacks = 4;
  explicit Counted(const GeneratedTile&) {}
  T operator()(std::int64_t number) const {
    if constexpr (std::is_same_v<T, bool>)
      return number != 0;
    else
      return static_cast<T>(number);
  }
};

template <class T, class Distribution>
struct Drawn {
  using Element = T;
  static constexpr int kPacks = 2;
  explicit Drawn(const GeneratedTile& tile) : seed(*memory<const std::int64_t>(tile.value)) {}
  T operator()(std::int64_t number) const { return Distribution::template of<T>(runtime::random_words(seed, number)); }
  std::int64_t seed;
};
template <class T>
using DrawnUniform = Drawn<T, runtime::Uniform>;
template <class T>
using DrawnNormal = Drawn<T, runtime::Gaussian>;

// A literal's element of the number.
template <class T>
struct Copied {
  using Element = T;
  static constexpr int kPacks = 1;
  explicit Copied(const GeneratedTile& tile) : first(tile.value) {}
  T operator()(std::int64_t number) const { return memory<const T>(first)[number]; }
  std::uint64_t first;
};

// Made(tile)(number) is the element of that number. A thread makes 16 bytes at once.
template <class Made>
struct Generate : OnePhase<256> {
  using T = typename Made::Element;
  struct Args {
    std::uint64_t tiles;
    std::int64_t tile_count;
  };
  static constexpr int kPack = Pack<T>::kSize;
  static constexpr std::int64_t kElements = std::int64_t{kThreads} * Made::kPacks * kPack;

  template <int phase>
  static void run(const Args& args, At at, Shared&, Own&) {
    const auto* tiles = memory<const GeneratedTile>(args.tiles);
    const GeneratedTile& tile = tiles[row_of(tiles, static_cast<int>(args.tile_count), at.block)];
    const Made made(tile);
    const std::int64_t first = (at.block - tile.first_block) * kElements + std::int64_t{at.thread} * kPack;
    TESSERA_UNROLL
    for (int pack = 0; pack < Made::kPacks; ++pack) {
      const std::int64_t position = first + std::int64_t{pack} * kThreads * kPack;
      if (position < tile.count) write(tile, made, position);
    }
  }

 private:
  static void write(const GeneratedTile& tile, const Made& made, std::int64_t position) {
    const std::int64_t inner = tile.numbers.extents[tile.numbers.rank - 1];
    const std::int64_t along = tile.numbers.rank == 1 ? position : divided(position, inner).rest;
    const std::int64_t number = tile.start + place(tile.numbers, position);
    const std::int64_t step = tile.numbers.steps[0][tile.numbers.rank - 1];
    T* const to = memory<T>(tile.out) + position;
    if (along + kPack <= inner && is_aligned(tile.out)) {
      Pack<T> pack;
      TESSERA_UNROLL
      for (int i = 0; i < kPack; ++i) pack.at[i] = made(number + i * step);
      *reinterpret_cast<Pack<T>*>(to) = pack;
      return;
    }
    for (int i = 0; i < kPack && position + i < tile.count; ++i)
      to[i] = made(tile.start + place(tile.numbers, position + i));
  }
};

template <class T>
using Fill = Generate<Filled<T>>;
template <class T>
using Iota = Generate<Counted<T>>;
template <class T>
using Random = Generate<DrawnUniform<T>>;
template <class T>
using Normal = Generate<DrawnNormal<T>>;
template <class T>
using Literal = Generate<Copied<T>>;

}  // namespace tessera::kernel
