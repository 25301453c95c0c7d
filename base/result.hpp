// Result<T>: a value, or the diagnostics that say why there is none. Nothing throws across a folder boundary: a room's
// entrance wraps its work in `guarded`.
#pragma once

#include <new>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.hpp"
#include "base/diagnostic.hpp"

namespace tessera::base {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostics why) : content_(std::in_place_index<1>, std::move(why)) {
    TESSERA_CHECK(!std::get<1>(content_).empty(), "a failure without a diagnostic");
  }
  Result(Diagnostic why) : content_(std::in_place_index<1>, Diagnostics{std::move(why)}) {}

  bool ok() const { return content_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return checked(); }
  const T& value() const& { return const_cast<Result*>(this)->checked(); }
  T&& value() && { return std::move(checked()); }
  T& operator*() & { return checked(); }
  const T& operator*() const& { return const_cast<Result*>(this)->checked(); }
  T&& operator*() && { return std::move(checked()); }
  T* operator->() { return &checked(); }
  const T* operator->() const { return &const_cast<Result*>(this)->checked(); }
  const Diagnostics& errors() const& {
    TESSERA_CHECK(!ok(), "errors() of a success");
    return std::get<1>(content_);
  }
  Diagnostics&& errors() && {
    TESSERA_CHECK(!ok(), "errors() of a success");
    return std::get<1>(std::move(content_));
  }

 private:
  T& checked() {
    TESSERA_CHECK(ok(), "value() of a failure");
    return std::get<0>(content_);
  }
  std::variant<T, Diagnostics> content_;
};

// The value of a function that returns nothing but success.
struct Done {};
using Status = Result<Done>;

// Runs f and turns our failed checks, exhausted memory and threads that cannot be started into diagnostics. R is f's
// Result type.
template <class F>
auto guarded(F&& f) -> std::invoke_result_t<F> {
  try {
    return std::forward<F>(f)();
  } catch (const InternalError& error) {
    return make(Kind::internal, error.what());
  } catch (const std::bad_alloc&) {
    return make(Kind::out_of_memory, "the work at hand");
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) throw;
    return make(Kind::out_of_memory, "the work at hand: no thread can be started");
  }
}

}  // namespace tessera::base

// TESSERA_TRY(name, expression): name becomes the value, or the function returns the failure.
#define TESSERA_TRY(name, ...)                                       \
  auto name##_result = (__VA_ARGS__);                                \
  if (!name##_result.ok()) return std::move(name##_result).errors(); \
  auto& name = *name##_result
#define TESSERA_TRY_STATUS(...)                                        \
  do {                                                                 \
    auto status_result = (__VA_ARGS__);                                \
    if (!status_result.ok()) return std::move(status_result).errors(); \
  } while (false)
