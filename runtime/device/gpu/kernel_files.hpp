// Compiled kernels on a disk, so that no text is compiled twice for one GPU. Without a folder, or the right to write
// there, everything works, but compiles again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::device {

// $XDG_CACHE_HOME/tessera/kernels, else ~/.cache/tessera/kernels; empty where the environment names no home.
std::string kernel_cache_folder();

class KernelFiles {
 public:
  explicit KernelFiles(std::string folder) : folder_(std::move(folder)) {}

  // What was kept under a name (hexadecimal digits); nothing if there is no such file or it is damaged.
  std::optional<std::string> read(const std::string& name) const;
  // Seen by others whole or not at all. Files beyond 1 GiB go, those that nobody has read for longest first.
  void write(const std::string& name, std::string_view code) const;

  struct Extent {
    std::int64_t files = 0;
    std::int64_t bytes = 0;
  };
  Extent extent() const;

 private:
  void keep_within(std::int64_t bytes) const;
  std::string folder_;
};

}  // namespace tessera::device
