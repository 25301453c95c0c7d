// The functions of OpenBLAS that we call, and where they come from.
//
// A program of our own links the library (blas_linked.cpp). libtessera must not: every build of OpenBLAS has the same
// soname, so it would share the host's copy; limiting that to one thread would take away the host's threads for good.
// It opens the build without threads by its path instead, as a copy of its own (blas_private.cpp): the file
// libtessera_openblas.so beside itself, as self-contained packages have it, else the library that it was built with.
#pragma once

#include <cblas.h>

#include <string>

namespace tessera::runtime {

struct BlasLibrary {
  decltype(&cblas_sgemm) sgemm = nullptr;
  decltype(&cblas_dgemm) dgemm = nullptr;
  decltype(&cblas_ssyrk) ssyrk = nullptr;
  decltype(&cblas_dsyrk) dsyrk = nullptr;
  decltype(&openblas_get_corename) processor = nullptr;
  void* (*take_buffer)(int kind) = nullptr;  // of the list in blas_scratch.hpp; takes no lock
  void (*give_buffer_back)(void* buffer) = nullptr;
  bool keeps_calls_apart = false;  // several threads may call it at once
  std::string missing = {};        // why there is none, in words; its functions are then null
};

// The library, set to one thread for each call.
const BlasLibrary& blas_library();

}  // namespace tessera::runtime
