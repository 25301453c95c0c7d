// The compiled kernels that are kept on the disk, as `tessera gpu` shows them.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::device {

struct KernelCacheFacts {
  std::string folder;  // empty: nothing is kept
  std::int64_t files = 0;
  std::int64_t bytes = 0;
};
KernelCacheFacts kernel_cache_facts();

}  // namespace tessera::device
