// Work of the library's, done without the interpreter's lock and ended by Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <type_traits>
#include <utility>

#include "python/module/errors.hpp"
#include "python/module/interrupt.hpp"

namespace tessera::python {

// f gives a Result; it and all that it reads is C++'s. Exceptions of the host's functions come out as they are.
template <class F>
auto worked(Session* session, StopToken* token, const F& f) {
  auto result = [&] {
    const Interruptible interruptible(session, token);
    const nb::gil_scoped_release unlocked;
    return f();
  }();
  if (!result) raise_if_interrupted(result.diagnostics());
  return taken(std::move(result));
}

}  // namespace tessera::python
