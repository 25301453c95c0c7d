// Open files, with every failure a diagnostic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"

namespace tessera::runtime {

// An open file; closed when it goes.
class File {
 public:
  File() = default;
  File(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)), name_(std::move(other.name_)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(name_, other.name_);
    return *this;
  }
  ~File();

  int descriptor() const { return descriptor_; }
  const std::string& name() const { return name_; }  // as the program wrote it

  // Reads exactly these bytes; a file that ends before is an error.
  base::Status read_at(std::int64_t offset, std::span<std::byte> bytes) const;
  // The same as text; so many bytes have to be there.
  base::Result<std::string> text_at(std::int64_t offset, std::int64_t bytes) const;
  base::Status write_at(std::int64_t offset, std::span<const std::byte> bytes) const;
  // Closes and says whether the system is content.
  base::Status close();

 private:
  int descriptor_ = -1;
  std::string name_;
};

// A regular file, and its size.
struct OpenedFile {
  File file;
  std::int64_t bytes = 0;
};
// `"a.npy"`, for messages; what cannot be printed is shown as \x...
std::string in_quotes(std::string_view path);
base::Diagnostic cannot_read(const std::string& name, int error);
base::Diagnostic cannot_write(const std::string& name, int error);
base::Diagnostic bad_archive(const std::string& file, std::string_view what, std::string_view why);

}  // namespace tessera::runtime
