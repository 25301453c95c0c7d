// The interface of every fuzz target.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/result.hpp"

namespace tessera::fuzz {

// One input of the target; defined by each target once.
void one_input(std::string_view text);

// Ends the process where something must hold and does not.
inline void expect(bool holds, const char* otherwise) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", otherwise);
  std::abort();
}

// A failure is fine, an internal error is not.
template <class T>
void expect_no_bug(const base::Result<T>& result) {
  if (result.ok()) return;
  for (const base::Diagnostic& diagnostic : result.errors()) {
    expect(diagnostic.kind.blame != base::Blame::us, diagnostic.message.c_str());
  }
}

}  // namespace tessera::fuzz
