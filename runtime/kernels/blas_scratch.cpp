#include "runtime/kernels/blas_scratch.hpp"

#include <cblas.h>
#include <dlfcn.h>

#include <algorithm>
#include <vector>

#include "base/check.hpp"

extern "C" void* blas_memory_alloc(int kind);

namespace {

constexpr const char* kAllocate = "blas_memory_alloc";
constexpr const char* kFree = "blas_memory_free";

using Allocate = void* (*)(int);
using Free = void (*)(void*);

// The list of buffers, which whoever looks at it has to himself.
std::mutex& list() {
  static std::mutex mutex;
  return mutex;
}

template <class F>
F theirs(const char* name) {
  const auto found = reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
  TESSERA_CHECK(found != nullptr, "OpenBLAS has no function of a buffer");
  return found;
}

}  // namespace

// Comes before OpenBLAS' own function of this name, which it calls.
extern "C" [[gnu::visibility("default")]] void* blas_memory_alloc(int kind) {
  static const auto allocate = theirs<Allocate>(kAllocate);
  const std::scoped_lock lock(list());
  return allocate(kind);
}

namespace tessera::runtime {

namespace {

// Is ours the function that OpenBLAS calls?
bool comes_first() { return dlsym(RTLD_DEFAULT, kAllocate) == reinterpret_cast<void*>(&blas_memory_alloc); }

bool calls_keep_apart() {
  constexpr int kWithoutThreads = 0;
  if (openblas_get_parallel() != kWithoutThreads) return true;  // these builds lock the list themselves
  return comes_first();
}

}  // namespace

BlasCall::BlasCall() {
  static const bool apart = calls_keep_apart();
  static std::mutex one_call;
  if (!apart) alone_ = std::unique_lock(one_call);
}

void map_scratch_buffer() {
  static std::vector<void*> mapped;
  if (!comes_first()) return;  // calls run one at a time, or the library maps what it needs under its own lock
  static const auto allocate = theirs<Allocate>(kAllocate);
  static const auto free = theirs<Free>(kFree);
  const std::scoped_lock lock(list());
  std::vector<void*> taken;  // those that were free, and the new one
  bool is_new = false;
  while (!is_new) {
    taken.push_back(allocate(0));
    is_new = std::find(mapped.begin(), mapped.end(), taken.back()) == mapped.end();
  }
  mapped.push_back(taken.back());
  for (void* const buffer : taken) free(buffer);
}

}  // namespace tessera::runtime
