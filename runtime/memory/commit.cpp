#include "runtime/memory/commit.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace tessera::runtime {

void commit_pages(std::byte* begin, std::int64_t bytes) {
#ifdef MADV_POPULATE_WRITE  // Linux 5.14
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + static_cast<std::uintptr_t>(bytes)) / page * page;
  if (first < end) madvise(begin + (first - address), end - first, MADV_POPULATE_WRITE);
#else
  static_cast<void>(begin);
  static_cast<void>(bytes);
#endif
}

}  // namespace tessera::runtime
