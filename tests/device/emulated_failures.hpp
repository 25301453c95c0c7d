// Calls that fail because a test wants it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tessera::emulated {

// TESSERA_EMULATED_FAILURE is `SYMBOL:N:CODE`: the N-th call of that function from now on fails so, `*`: of any. Of
// ranks only TESSERA_EMULATED_FAILURE_RANK, where that is set.
class FailingCalls {
 public:
  // True when the variable has another value than before: nothing has failed yet.
  bool is_told_anew() {
    std::string wanted = is_meant() ? variable("TESSERA_EMULATED_FAILURE") : "";
    if (wanted == wanted_) return false;
    wanted_ = std::move(wanted);
    const std::size_t at = wanted_.find(':');
    left_ = at == std::string::npos ? 0 : std::strtoll(wanted_.c_str() + at + 1, nullptr, 10);
    has_failed_ = false;
    return true;
  }
  // The function is called; the code that it fails with, 0 if it does not.
  int code_of(std::string_view symbol) {
    const std::string_view name = std::string_view(wanted_).substr(0, wanted_.find(':'));
    if (left_ == 0 || (name != "*" && name != symbol) || --left_ != 0) return 0;
    has_failed_ = true;
    return std::atoi(wanted_.c_str() + wanted_.rfind(':') + 1);
  }
  bool has_failed() const { return has_failed_; }

 private:
  static std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  }
  static bool is_meant() {
    const std::string rank = variable("TESSERA_EMULATED_FAILURE_RANK");
    return rank.empty() || rank == variable("OMPI_COMM_WORLD_RANK") || rank == variable("PMI_RANK");
  }

  std::string wanted_;
  std::int64_t left_ = 0;  // calls until the one that fails
  bool has_failed_ = false;
};

// Of a library that is no driver: after a failure it goes on.
inline FailingCalls& failing_calls() {
  static FailingCalls calls;
  return calls;
}
inline int failure_of_call(std::string_view symbol) {
  failing_calls().is_told_anew();
  return failing_calls().code_of(symbol);
}

}  // namespace tessera::emulated
