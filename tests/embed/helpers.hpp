// Sessions that remember what was written to them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <tessera/tessera.hpp>

namespace tessera {

// A session whose output is collected. The text lives apart, so that the session may be moved and forked.
struct Recording {
  explicit Recording(Config config = {})
      : text(std::make_shared<std::string>()), session(connected(std::move(config))) {}

  std::shared_ptr<std::string> text;
  Session session;

 private:
  Config connected(Config config) const {
    config.output = [to = text](std::string_view written) { *to += written; };
    return config;
  }
};

inline std::string slug_of(const Diagnostics& diagnostics) {
  return diagnostics.empty() ? "no diagnostic" : diagnostics.front().slug;
}

// Fails the test with the messages, where there are any.
template <class T>
::testing::AssertionResult succeeded(const Result<T>& result) {
  if (result.ok()) return ::testing::AssertionSuccess();
  ::testing::AssertionResult why = ::testing::AssertionFailure();
  for (const Diagnostic& diagnostic : result.diagnostics())
    why << diagnostic.slug << ": " << diagnostic.message << '\n';
  return why;
}

}  // namespace tessera
