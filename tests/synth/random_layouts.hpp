// Random layouts from a seed, the same on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "synth/layout/layout.hpp"

namespace tessera::synth::test {

// The same on every machine, as the library's distributions are not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
  bool coin() { return below(2) == 0; }

 private:
  std::mt19937_64 engine_;
};

std::vector<std::int64_t> divisors(std::int64_t number);

// Any layout over parts of axes, pending ones too if they may be.
Layout any_layout(const Mesh& mesh, std::size_t rank, bool may_be_pending, Random& random);

}  // namespace tessera::synth::test
