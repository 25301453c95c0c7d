#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/check.hpp"
#include "runtime/io/npy.hpp"

namespace tessera::runtime {

namespace {

namespace fs = std::filesystem;
using base::Kind;
using base::make;

constexpr std::int64_t kWriteBytesMax = std::int64_t{8} << 20U;

// A file beside the target that takes its place at the end, or is unlinked.
class TemporaryFile {
 public:
  static base::Result<TemporaryFile> create(const std::string& target, const std::string& name) {
    const fs::path path(target);
    for (int attempt = 0; attempt < 1000; ++attempt) {
      const fs::path beside = path.parent_path() / fmt::format(".{}.{}.{}.part", short_name(path), getpid(), attempt);
      const int descriptor = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor >= 0) return TemporaryFile(File(descriptor, name), beside.string(), target);
      if (errno != EEXIST) return cannot_write(name, errno);
    }
    return cannot_write(name, EEXIST);
  }
  TemporaryFile(TemporaryFile&& other) noexcept
      : file_(std::move(other.file_)), path_(std::exchange(other.path_, {})), target_(std::move(other.target_)) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }

  const File& file() const { return file_; }

  // Room for the whole file, found now rather than when half of it is written.
  base::Status reserve(std::int64_t bytes) {
    const int error = posix_fallocate(file_.descriptor(), 0, bytes);
    if (error != 0) return cannot_write(file_.name(), error);
    return base::Done{};
  }

  // Everything is written: puts it in the target's place, for good.
  base::Status commit(std::int64_t bytes) {
    const std::string name = file_.name();
    struct stat status{};
    if (fstat(file_.descriptor(), &status) != 0) return cannot_write(name, errno);
    if (status.st_size != bytes)
      return make(Kind::cannot_write, in_quotes(name), std::string_view("its size is not what was written"));
    if (fsync(file_.descriptor()) != 0) return cannot_write(name, errno);
    TESSERA_TRY_STATUS(file_.close());
    if (std::rename(path_.c_str(), target_.c_str()) != 0) return cannot_write(name, errno);
    path_.clear();
    return sync_folder(name);
  }

  void set_mode(mode_t mode) { fchmod(file_.descriptor(), mode & 07777U); }

 private:
  TemporaryFile(File file, std::string path, std::string target)
      : file_(std::move(file)), path_(std::move(path)), target_(std::move(target)) {}

  // The temporary's name must not be too long where the target's is not.
  static std::string short_name(const fs::path& path) { return path.filename().string().substr(0, 200); }

  base::Status sync_folder(const std::string& name) const {
    const fs::path parent = fs::path(target_).parent_path();
    const File folder(open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), name);
    if (folder.descriptor() < 0) return cannot_write(name, errno);
    // Some file systems cannot sync a folder; they have nothing to sync then.
    if (fsync(folder.descriptor()) != 0 && errno != EINVAL && errno != EROFS) return cannot_write(name, errno);
    return base::Done{};
  }

  File file_;
  std::string path_;  // empty once it has its final name
  std::string target_;
};

struct Target {
  std::string path;
  std::optional<mode_t> mode;  // of the file that is there already
};

// A link is replaced where it leads to. Nothing but a regular file is ever replaced.
base::Result<Target> find_target(const FilePolicy& policy, const std::string& name) {
  TESSERA_TRY(path, resolve(policy, name));
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) return cannot_write(name, errno);
    return Target{path, std::nullopt};
  }
  if (S_ISLNK(status.st_mode)) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error) return make(Kind::cannot_write, in_quotes(name), std::string_view("it is a link that leads nowhere"));
    if (policy.kind == FilePolicy::Kind::rooted)
      return make(Kind::cannot_write, in_quotes(name), std::string_view("it is a link"));
    path = real.string();
    if (stat(path.c_str(), &status) != 0) return cannot_write(name, errno);
  }
  if (S_ISDIR(status.st_mode)) return cannot_write(name, EISDIR);
  if (!S_ISREG(status.st_mode))
    return make(Kind::cannot_write, in_quotes(name), std::string_view("it is not a regular file"));
  if (access(path.c_str(), W_OK) != 0) return cannot_write(name, errno);
  return Target{path, status.st_mode};
}

// Calls f with boxes that are consecutive in the file, in its order, each of about kWriteBytesMax or less.
template <class F>
base::Status for_slabs(const synth::Shape& shape, std::int64_t element_bytes, const F& f) {
  if (is_empty(shape)) return base::Done{};
  const synth::Shape strides = dense_strides(shape);
  const std::int64_t most = std::max<std::int64_t>(1, kWriteBytesMax / element_bytes);
  std::size_t d = 0;  // the slabs are intervals of this dimension, whole in the ones after it
  while (d < shape.size() && strides[d] > most) ++d;
  const std::int64_t outer = d < shape.size() ? count(shape) / (strides[d] * shape[d]) : 1;
  const std::int64_t step = d < shape.size() ? most / strides[d] : 1;
  const std::int64_t extent = d < shape.size() ? shape[d] : 1;
  for (std::int64_t o = 0; o < outer; ++o) {
    synth::Box box = synth::whole(shape);
    std::int64_t rest = o;
    for (std::size_t i = d; i-- > 0; rest /= shape[i]) box[i] = {rest % shape[i], rest % shape[i] + 1};
    for (std::int64_t at = 0; at < extent; at += step) {
      if (d < shape.size()) box[d] = {at, std::min(extent, at + step)};
      TESSERA_TRY_STATUS(f(box));
    }
  }
  return base::Done{};
}

}  // namespace

base::Status save_npy(const FilePolicy& policy, const std::string& path, synth::ElementType element,
                      const synth::Shape& shape, const BoxSource& fill) {
  TESSERA_TRY(target, find_target(policy, path));
  TESSERA_TRY(temporary, TemporaryFile::create(target.path, path));
  if (target.mode) temporary.set_mode(*target.mode);
  const std::string header = make_npy_header(element, shape);
  const auto header_bytes = static_cast<std::int64_t>(header.size());
  const std::int64_t element_bytes = synth::bytes_of(element);
  const std::int64_t bytes = header_bytes + count(shape) * element_bytes;
  TESSERA_TRY_STATUS(temporary.reserve(bytes));
  TESSERA_TRY_STATUS(temporary.file().write_at(0, std::as_bytes(std::span(header))));
  std::vector<std::byte> buffer;
  std::int64_t at = header_bytes;
  const auto write_slab = [&](const synth::Box& box) {
    buffer.resize(static_cast<std::size_t>(synth::elements(box) * element_bytes));
    fill(box, TileOut{element, synth::shape_of(box), buffer.data()});
    const std::int64_t from = std::exchange(at, at + static_cast<std::int64_t>(buffer.size()));
    return temporary.file().write_at(from, buffer);
  };
  TESSERA_TRY_STATUS(for_slabs(shape, element_bytes, write_slab));
  return temporary.commit(bytes);
}

}  // namespace tessera::runtime
