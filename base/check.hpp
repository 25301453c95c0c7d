// Checks of our own invariants. A failed check is our bug: it throws InternalError, which every room's entrance turns
// into an `internal` diagnostic through `guarded` (base/result.hpp). Checks are on in every build.
#pragma once

#include <stdexcept>
#include <string>

namespace tessera::base {

class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void fail_check(const char* condition, const char* file, int line, const std::string& message);

}  // namespace tessera::base

#define TESSERA_CHECK(condition, message)                                                     \
  do {                                                                                        \
    if (!(condition)) ::tessera::base::fail_check(#condition, __FILE__, __LINE__, (message)); \
  } while (false)
