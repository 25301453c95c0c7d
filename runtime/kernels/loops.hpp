// Marks that loops need to become vectors.
#pragma once

// Before a loop: its turns do not depend on each other, even where the result overwrites an operand.
#if defined(__clang__)
#define TESSERA_INDEPENDENT_ROUNDS _Pragma("clang loop vectorize(assume_safety)")
#else
#define TESSERA_INDEPENDENT_ROUNDS _Pragma("GCC ivdep")
#endif

// Before a function: part of each loop that uses it, for whichever vectors that loop is compiled.
#if defined(__GNUC__)
#define TESSERA_INLINE [[gnu::always_inline]] inline
#else
#define TESSERA_INLINE inline
#endif
