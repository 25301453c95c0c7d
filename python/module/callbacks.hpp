// The functions of a Python host: what a session's Config calls.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <atomic>
#include <memory>

#include "tessera/tessera.hpp"

namespace tessera::python {

namespace nb = nanobind;

// A session, its forks and its functions each hold the functions of the host by references of their own, which Python's
// collector of garbage visits; a Config, which they share in C++, only borrows what they hold. Whoever is about to work
// says so by `lent()`; a holder that the collector has cleared can no longer work.
class Callbacks {
 public:
  enum Which : std::uint8_t { output, log, progress, open_file };
  static constexpr std::size_t kCount = 4;

  // Python objects, None where there is no such function.
  explicit Callbacks(const std::array<nb::object, kCount>& functions);

  // Puts those that are not None into the configuration.
  void install(Config& config) const;
  // The configuration may call the functions from now on. Fails if they were taken away.
  void lend() const;

  int traverse(visitproc visit, void* argument) const;
  void clear();

 private:
  struct Borrowed {
    std::array<std::atomic<PyObject*>, kCount> functions;
  };

  std::array<nb::object, kCount> held_;
  std::shared_ptr<Borrowed> borrowed_;
  bool is_cleared_ = false;
};

}  // namespace tessera::python
