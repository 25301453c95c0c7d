#include "runtime/device/gpu/kernel_files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <tuple>
#include <vector>

#include "runtime/device/gpu/digest.hpp"

namespace tessera::device {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kBytesMax = std::int64_t{1} << 30U;

// A file begins with this line: what it is, the length of what follows, and its digest.
std::string head_of(std::string_view code) {
  return fmt::format("tessera kernel 1 {} {}\n", code.size(), digest(code));
}

struct File {
  fs::file_time_type time;
  std::string path;
  std::int64_t bytes = 0;
};

std::vector<File> files_of(const std::string& folder) {
  std::vector<File> files;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code ignored;
    const auto bytes = at->file_size(ignored);
    const auto time = at->last_write_time(ignored);
    if (!ignored) files.push_back({time, at->path().string(), static_cast<std::int64_t>(bytes)});
  }
  return files;
}

}  // namespace

std::string kernel_cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != '\0') return fmt::format("{}/tessera/kernels", cache);
  const char* const home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? "" : fmt::format("{}/.cache/tessera/kernels", home);
}

std::optional<std::string> KernelFiles::read(const std::string& name) const {
  if (folder_.empty()) return std::nullopt;
  const std::string path = folder_ + "/" + name;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream content;
  content << file.rdbuf();
  const std::string text = std::move(content).str();
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string code = text.substr(end + 1);
  if (std::string_view(text).substr(0, end + 1) != head_of(code)) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
  return code;
}

void KernelFiles::write(const std::string& name, std::string_view code) const {
  if (folder_.empty()) return;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  static std::atomic<int> files = 0;  // of this process
  const std::string beside = fmt::format("{}/{}.{}.{}", folder_, name, getpid(), files++);
  {
    std::ofstream file(beside, std::ios::binary);
    file << head_of(code) << code;
    file.close();
    if (!file) {
      fs::remove(beside, failed);
      return;
    }
  }
  fs::rename(beside, folder_ + "/" + name, failed);
  if (failed) fs::remove(beside, failed);
  keep_within(kBytesMax);
}

void KernelFiles::keep_within(std::int64_t bytes) const {
  std::vector<File> files = files_of(folder_);
  std::int64_t sum = 0;
  for (const File& file : files) sum += file.bytes;
  if (sum <= bytes) return;
  std::ranges::sort(files, {}, [](const File& file) { return std::tie(file.time, file.path); });
  for (const File& file : files) {
    if (sum <= bytes) return;
    std::error_code ignored;
    fs::remove(file.path, ignored);
    sum -= file.bytes;
  }
}

KernelFiles::Extent KernelFiles::extent() const {
  Extent extent;
  for (const File& file : files_of(folder_)) {
    ++extent.files;
    extent.bytes += file.bytes;
  }
  return extent;
}

}  // namespace tessera::device
