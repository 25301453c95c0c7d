// The expectations of every answer to hostile input.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include <tessera/tessera.hpp>

namespace tessera::limits {

// A success, or diagnostics none of which is our fault and each of which says something.
inline void expect_no_bug(const Diagnostics& diagnostics, const std::string& input) {
  for (const Diagnostic& diagnostic : diagnostics) {
    EXPECT_NE(diagnostic.blame, Blame::us) << diagnostic.message << "\n" << input;
    EXPECT_FALSE(diagnostic.message.empty()) << input;
  }
}

template <class T>
void expect_no_bug(const Result<T>& result, const std::string& input) {
  expect_no_bug(result.diagnostics(), input);
  EXPECT_TRUE(result.ok() || !result.diagnostics().empty()) << input;
}

}  // namespace tessera::limits
