#include "tests/limits/memory_in_use.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> in_use = 0;
std::atomic<std::int64_t> most_in_use = 0;

void* counted(void* made) {
  if (made == nullptr) throw std::bad_alloc();
  const std::int64_t now = in_use += static_cast<std::int64_t>(malloc_usable_size(made));
  std::int64_t most = most_in_use.load();
  while (now > most && !most_in_use.compare_exchange_weak(most, now)) {
  }
  return made;
}

void given_back(void* memory) {
  in_use -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

// In place of the library's, for this whole program.
void* operator new(std::size_t bytes) { return counted(std::malloc(bytes)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(to, (bytes + to - 1) / to * to));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  void* const made = std::malloc(bytes);
  return made == nullptr ? nullptr : counted(made);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept { given_back(memory); }
void operator delete(void* memory) noexcept { given_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { given_back(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { given_back(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { given_back(memory); }

namespace tessera::limits {

MemoryInUse::MemoryInUse() : before_(in_use.load()) { most_in_use.store(before_); }

std::int64_t MemoryInUse::most() const { return most_in_use.load() - before_; }

}  // namespace tessera::limits
