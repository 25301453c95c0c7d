// How much of a text is read.
#pragma once

#include <cstddef>

namespace tessera::frontend {

// Limits on what is read at all; beyond them there is a diagnostic, never a crash or a hang.
inline constexpr std::size_t kSourceBytesMax = 16U << 20U;  // one text
inline constexpr std::size_t kNestingMax = 256;             // brackets, operators and keywords open at once
inline constexpr std::size_t kTokensMax = kSourceBytesMax;  // words and signs of one text
inline constexpr std::size_t kSyntaxErrorsMax = 50;         // then the rest of the text is not looked at

}  // namespace tessera::frontend
