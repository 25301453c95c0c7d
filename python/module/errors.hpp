// Failures of the library as Python's exceptions.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>
#include <utility>

#include "tessera/tessera.hpp"

namespace tessera::python {

namespace nb = nanobind;

// A `tessera.Diagnostic`.
nb::object to_python(const Diagnostic& diagnostic);

// Raises the exception of the first diagnostic's blame, whose text is what the command prints.
[[noreturn]] void raise(const Diagnostics& why);
// `bad-call`, for what only this module knows to be wrong.
[[noreturn]] void raise_bad_call(std::string_view message, std::string_view help = {});

template <class T>
T taken(Result<T> result) {
  if (!result) raise(result.diagnostics());
  return std::move(*result);
}
inline void done(const Status& status) {
  if (!status) raise(status.diagnostics());
}

}  // namespace tessera::python
