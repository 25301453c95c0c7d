// Checks and conversions that every call of MPI needs.
#pragma once

#include <mpi.h>

#include <array>
#include <string>
#include <thread>

#include "runtime/ranks/messenger.hpp"

namespace tessera::runtime {

inline void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw MessagesFailed{std::string(call) + ": " + std::string(text.data(), static_cast<std::size_t>(length))};
}

inline bool is_complete(MPI_Request& request) {
  int done = 0;
  check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
  return done != 0;
}

// MPI's own waiting would keep a core busy that the others may need.
inline void wait(MPI_Request& request) {
  while (!is_complete(request)) std::this_thread::yield();
}

}  // namespace tessera::runtime
