// Marks that loops need to become vectors.
#pragma once

// Before a loop: its turns do not depend on each other, even where the result overwrites an operand.
#if defined(__clang__)
#define TESSERA_INDEPENDENT_ROUNDS _Pragma("clang loop vectorize(assume_safety)")
#else
#define TESSERA_INDEPENDENT_ROUNDS _Pragma("GCC ivdep")
#endif

// Before a loop of n turns: all are written out.
#define TESSERA_PRAGMA(text) _Pragma(#text)
#if defined(__CUDACC_RTC__)
#define TESSERA_UNROLLED(n) TESSERA_PRAGMA(unroll)
#else
#define TESSERA_UNROLLED(n) TESSERA_PRAGMA(GCC unroll n)
#endif

// Before a function: part of each loop that uses it, for whichever vectors that loop is compiled.
#if defined(__GNUC__)
#define TESSERA_INLINE [[gnu::always_inline]] inline
#else
#define TESSERA_INLINE inline
#endif

// Before a function: seldom called, and a function of its own in every file that calls it.
#if defined(__GNUC__) && !defined(__CUDACC_RTC__)
#define TESSERA_APART [[gnu::noinline]] inline
#else
#define TESSERA_APART inline
#endif
