#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "runtime/io/npy.hpp"
#include "runtime/kinds.hpp"

namespace tessera::runtime {

namespace {

namespace fs = std::filesystem;
using base::make;

constexpr std::int64_t kWriteBytesMax = std::int64_t{8} << 20U;

// A file beside the target that takes its place at the end, or is unlinked by whoever created it.
class TemporaryFile {
 public:
  static base::Result<TemporaryFile> create(const std::string& target, const std::string& name) {
    std::error_code error;
    const fs::path path = fs::absolute(target, error);
    if (error) return cannot_write(name, error.value());
    for (int attempt = 0; attempt < 1000; ++attempt) {
      const fs::path beside = path.parent_path() / fmt::format(".{}.{}.{}.part", short_name(path), getpid(), attempt);
      const int descriptor = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor >= 0) return TemporaryFile(File(descriptor, name), beside.string(), path.string());
      if (errno != EEXIST) return cannot_write(name, errno);
    }
    return cannot_write(name, EEXIST);
  }
  // Somebody else's, which stays his.
  static base::Result<TemporaryFile> join(const std::string& path, const std::string& name) {
    File file(open(path.c_str(), O_WRONLY | O_CLOEXEC), name);
    if (file.descriptor() < 0) return cannot_write(name, errno);
    return TemporaryFile(std::move(file), path, "");
  }
  TemporaryFile(TemporaryFile&& other) noexcept
      : file_(std::move(other.file_)), path_(std::exchange(other.path_, {})), target_(std::move(other.target_)) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile() {
    if (!path_.empty() && !target_.empty()) unlink(path_.c_str());
  }

  const File& file() const { return file_; }
  const std::string& path() const { return path_; }

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
  std::string path_;    // empty once it has its final name
  std::string target_;  // empty where it is somebody else's
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

}  // namespace

struct NpyWriter::Files {
  TemporaryFile temporary;
  std::int64_t header_bytes = 0;
  std::int64_t bytes = 0;
};

NpyWriter::NpyWriter(std::unique_ptr<Files> files, synth::ElementType element, const synth::Shape& shape)
    : files_(std::move(files)), element_(element), shape_(shape) {}
NpyWriter::NpyWriter(NpyWriter&&) noexcept = default;
NpyWriter::~NpyWriter() = default;

base::Result<NpyWriter> NpyWriter::create(const FilePolicy& policy, const std::string& path, synth::ElementType element,
                                          const synth::Shape& shape) {
  TESSERA_TRY(target, find_target(policy, path));
  TESSERA_TRY(temporary, TemporaryFile::create(target.path, path));
  if (target.mode) temporary.set_mode(*target.mode);
  const std::string header = make_npy_header(element, shape);
  const auto header_bytes = static_cast<std::int64_t>(header.size());
  const std::int64_t bytes = header_bytes + count(shape) * synth::bytes_of(element);
  TESSERA_TRY_STATUS(temporary.reserve(bytes));
  TESSERA_TRY_STATUS(temporary.file().write_at(0, std::as_bytes(std::span(header))));
  return NpyWriter(std::make_unique<Files>(Files{std::move(temporary), header_bytes, bytes}), element, shape);
}

base::Result<NpyWriter> NpyWriter::join(const std::string& temporary, const std::string& name,
                                        synth::ElementType element, const synth::Shape& shape) {
  TESSERA_TRY(file, TemporaryFile::join(temporary, name));
  const auto header_bytes = static_cast<std::int64_t>(make_npy_header(element, shape).size());
  return NpyWriter(std::make_unique<Files>(Files{std::move(file), header_bytes, 0}), element, shape);
}

const std::string& NpyWriter::temporary() const { return files_->temporary.path(); }

std::vector<NpySlab> NpyWriter::slabs() const {
  std::vector<NpySlab> slabs;
  if (is_empty(shape_)) return slabs;
  const std::int64_t element_bytes = synth::bytes_of(element_);
  const synth::Shape strides = dense_strides(shape_);
  const std::int64_t most = std::max<std::int64_t>(1, kWriteBytesMax / element_bytes);
  std::size_t d = 0;  // the slabs are intervals of this dimension, whole in the ones after it
  while (d < shape_.size() && strides[d] > most) ++d;
  const std::int64_t outer = d < shape_.size() ? count(shape_) / (strides[d] * shape_[d]) : 1;
  const std::int64_t step = d < shape_.size() ? most / strides[d] : 1;
  const std::int64_t extent = d < shape_.size() ? shape_[d] : 1;
  std::int64_t offset = files_->header_bytes;
  for (std::int64_t o = 0; o < outer; ++o) {
    synth::Box box = synth::whole(shape_);
    std::int64_t rest = o;
    for (std::size_t i = d; i-- > 0; rest /= shape_[i]) box[i] = {rest % shape_[i], rest % shape_[i] + 1};
    for (std::int64_t at = 0; at < extent; at += step) {
      if (d < shape_.size()) box[d] = {at, std::min(extent, at + step)};
      slabs.push_back({box, offset});
      offset += synth::elements(box) * element_bytes;
    }
  }
  return slabs;
}

base::Status NpyWriter::write(const NpySlab& slab, std::span<const std::byte> bytes) const {
  return files_->temporary.file().write_at(slab.offset, bytes);
}

base::Status NpyWriter::commit() { return files_->temporary.commit(files_->bytes); }

base::Status save_npy(const FilePolicy& policy, const std::string& path, synth::ElementType element,
                      const synth::Shape& shape, const BoxSource& fill, base::StopToken stop) {
  TESSERA_TRY(writer, NpyWriter::create(policy, path, element, shape));
  std::vector<std::byte> buffer;
  for (const NpySlab& slab : writer.slabs()) {
    if (stop.asked()) return make(base::Kind::interrupted);
    buffer.resize(static_cast<std::size_t>(synth::elements(slab.box) * synth::bytes_of(element)));
    fill(slab.box, TileOut{element, synth::shape_of(slab.box), buffer.data()});
    TESSERA_TRY_STATUS(writer.write(slab, buffer));
  }
  return writer.commit();
}

}  // namespace tessera::runtime
