// What the host makes of a kernel: loops over its blocks, backwards, and over the threads of a block, in an order that
// a seed gives. Memory that nobody has written holds nonsense.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tessera::kernel {

// So many T, filled with nonsense when asked. <memory> would take two fifths of the time to compile a kernel.
template <class T>
class Room {
 public:
  explicit Room(int count) : bytes_(sizeof(T) * static_cast<std::size_t>(count)), first_(new T[count]) {}
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { delete[] first_; }

  void spoil() { std::memset(static_cast<void*>(first_), 0x7f, bytes_); }
  T* first() { return first_; }

 private:
  std::size_t bytes_;
  T* first_;
};

// A permutation of [0, n) for the seed.
inline int place_in_order(int i, int n, std::uint64_t seed) {
  const std::uint64_t step = 2 * (seed % 1021) + 1;  // odd, and n is a power of two
  return static_cast<int>((static_cast<std::uint64_t>(i) * step + seed / 1021) % static_cast<std::uint64_t>(n));
}

template <class K, int phase>
void emulate_phases(const typename K::Args& args, At at, typename K::Shared& shared, typename K::Own* own,
                    std::uint64_t seed) {
  if constexpr (phase < K::kPhases) {
    for (int i = 0; i < K::kThreads; ++i) {
      at.thread = place_in_order(i, K::kThreads, seed + phase);
      K::template run<phase>(args, at, shared, own[at.thread]);
    }
    emulate_phases<K, phase + 1>(args, at, shared, own, seed);
  }
}

template <class K>
void emulate(const void* given, std::int64_t blocks, std::uint64_t seed) {
  static_assert((K::kThreads & (K::kThreads - 1)) == 0);
  typename K::Args args;
  std::memcpy(&args, given, sizeof(args));
  Room<typename K::Shared> shared(1);
  Room<typename K::Own> own(K::kThreads);
  for (std::int64_t block = blocks; block-- > 0;) {
    shared.spoil();
    own.spoil();
    const std::int64_t turns = K::turns(args, block);
    for (std::int64_t turn = 0; turn < turns; ++turn)
      emulate_phases<K, 0>(args, At{block, blocks, 0, turn}, *shared.first(), own.first(),
                           seed + static_cast<std::uint64_t>(block));
  }
}

}  // namespace tessera::kernel

#define TESSERA_KERNEL(name, ...)                                                   \
  extern "C" void name(const void* args, std::int64_t blocks, std::uint64_t seed);  \
  extern "C" void name(const void* args, std::int64_t blocks, std::uint64_t seed) { \
    tessera::kernel::emulate<__VA_ARGS__>(args, blocks, seed);                      \
  }
