// Files as the runtime opens them: by policy, with every failure a diagnostic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "runtime/io/files.hpp"

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

// A regular file for reading, and its size.
struct OpenedFile {
  File file;
  std::int64_t bytes = 0;
};
base::Result<OpenedFile> open_to_read(const FilePolicy& policy, const std::string& path);
// A regular file that the host has opened.
base::Result<OpenedFile> open_by_host(const FilePolicy& policy, const std::string& path, FileUse use);

// The place of a file: its folder, held open, so that it is the same whatever is renamed meanwhile; its name there.
struct FilePlace {
  File folder;  // to look up names in, and no more
  std::string name;
  std::string path;  // of the whole, for whoever opens it by name
};
base::Result<FilePlace> place_of(const FilePolicy& policy, const std::string& path);
// A folder, held open, to look up, make and remove names in.
base::Result<File> open_folder(const FilePolicy& policy, const std::string& path);
// A file whose place this rank does not choose, such as the one that rank 0 has begun: by its path, for writing.
int open_to_join(const FilePolicy& policy, const std::string& path);

// `"a.npy"`, for messages; what cannot be printed is shown as \x...
std::string in_quotes(std::string_view path);
base::Diagnostic cannot_read(const std::string& name, int error);
base::Diagnostic cannot_write(const std::string& name, int error);

}  // namespace tessera::runtime
