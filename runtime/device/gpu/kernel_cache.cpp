#include "runtime/device/gpu/kernel_cache.hpp"

#include "runtime/device/gpu/kernel_files.hpp"

namespace tessera::device {

KernelCacheFacts kernel_cache_facts() {
  const std::string folder = kernel_cache_folder();
  if (folder.empty()) return {};
  const KernelFiles::Extent extent = KernelFiles(folder).extent();
  return {folder, extent.files, extent.bytes};
}

}  // namespace tessera::device
