// Kernels compiled by the host's compiler, as shared libraries that are kept in the build tree.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace tessera::device {

// What TESSERA_KERNEL makes of a kernel on the host.
struct EmulatedKernel {
  void (*run)(const void* args, std::int64_t blocks, std::uint64_t seed) = nullptr;
};

// The shared library that a text is, compiled now or before: its name comes from a hash of the text and of all headers
// that it includes. Several processes may ask for one text at once.
base::Result<std::string> compiled_library(const std::string& source);

// The entry of such a library.
base::Result<EmulatedKernel> emulated_kernel(const std::string& library);

}  // namespace tessera::device
