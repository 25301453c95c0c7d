// Loops compiled for each kind of vectors, of which the machine's widest are taken as the program runs. All give the
// same bits, since each step is decided by IEEE or is one of whole numbers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/elements/loops.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TESSERA_HAS_TARGETS 1
#else
#define TESSERA_HAS_TARGETS 0
#endif

namespace tessera::runtime {

// The kinds of processors that loops are compiled for; `baseline` is what the whole program is compiled for.
enum class VectorTarget : std::uint8_t { baseline, avx2, avx512 };

std::string_view name(VectorTarget target);

// The targets that this machine can run, the widest last.
std::vector<VectorTarget> vector_targets();
VectorTarget widest_target();

// Loop::run, a function of these arguments without a result, for a target: for_target<Loop>::with<A...>::of(target).
template <class Loop>
struct for_target {
  template <class... A>
  struct with {
    using Function = void (*)(A...);

    static void baseline(A... arguments) { Loop::run(arguments...); }
#if TESSERA_HAS_TARGETS
    [[gnu::target("avx2")]] static void avx2(A... arguments) { Loop::run(arguments...); }
    [[gnu::target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")]] static void avx512(A... arguments) {
      Loop::run(arguments...);
    }
    static Function of(VectorTarget target) {
      switch (target) {
        case VectorTarget::baseline: return baseline;
        case VectorTarget::avx2: return avx2;
        case VectorTarget::avx512: return avx512;
      }
      return baseline;
    }
#else
    static Function of(VectorTarget) { return baseline; }
#endif
  };
};

}  // namespace tessera::runtime
