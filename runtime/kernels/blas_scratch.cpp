#include "runtime/kernels/blas_scratch.hpp"

#include <algorithm>
#include <vector>

#include "runtime/kernels/blas_library.hpp"

namespace tessera::runtime {

std::mutex& scratch_list() {
  static std::mutex mutex;
  return mutex;
}

BlasCall::BlasCall() {
  static std::mutex one_call;
  if (!blas_library().keeps_calls_apart) alone_ = std::unique_lock(one_call);
}

void map_scratch_buffer() {
  static std::vector<void*> mapped;
  const BlasLibrary& library = blas_library();
  const BlasCall call;
  const std::scoped_lock lock(scratch_list());
  std::vector<void*> taken;  // those that were free, and the new one
  bool is_new = false;
  while (!is_new) {
    taken.push_back(library.take_buffer(0));
    is_new = std::find(mapped.begin(), mapped.end(), taken.back()) == mapped.end();
  }
  mapped.push_back(taken.back());
  for (void* const buffer : taken) library.give_buffer_back(buffer);
}

}  // namespace tessera::runtime
