#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
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

// Gives the path at which a process finds a file of its own that has no name.
std::string path_of(int descriptor, const std::string& process) {
  return fmt::format("/proc/{}/fd/{}", process, descriptor);
}

// A file without a name that is to take the place of one that is there, by way of a hidden name.
struct Replacement {
  const char* file;
  const char* hidden;
  const char* target;
  int error = 0;
};

// Nothing but system calls: this runs beside a process of many threads. No signal to the group of ours reaches it.
int replace(void* of) {
  auto& replacement = *static_cast<Replacement*>(of);
  setsid();
  if (linkat(AT_FDCWD, replacement.file, AT_FDCWD, replacement.hidden, AT_SYMLINK_FOLLOW) != 0) {
    replacement.error = errno;
  } else if (renameat(AT_FDCWD, replacement.hidden, AT_FDCWD, replacement.target) != 0) {
    replacement.error = errno;
    unlink(replacement.hidden);
  }
  return 0;
}

// Between its two steps there is a hidden file, and either may take long on a busy disk. So a process of its own takes
// both: this one may end at any moment, but the other goes on to the end. The error; 0 where there is none.
int replace_undisturbed(Replacement replacement) {
  constexpr std::size_t kStackBytes = std::size_t{64} << 10U;
  std::vector<std::byte> stack(kStackBytes);
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // It shares our memory, and this thread waits until it has ended; nobody is told of that by a signal.
  const pid_t process = clone(replace, stack.data() + kStackBytes, CLONE_VM | CLONE_VFORK, &replacement);
  if (process < 0) {
    replacement.error = errno;
  } else {
    waitpid(process, nullptr, __WCLONE);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return replacement.error;
}

}  // namespace

// A file that takes the target's place when it is complete. Where the file system and the reader of the folder allow
// it, it has no name until then, so that nothing is left of it however its process ends. Otherwise it has a hidden name
// beside the target, which the process that created it unlinks. A file that the host opens is the target itself.
class TemporaryFile {
 public:
  static base::Result<TemporaryFile> create(const std::string& target, const std::string& name, NpyWriter::Name wish) {
    std::error_code error;
    const fs::path path = fs::absolute(target, error);
    if (error) return cannot_write(name, error.value());
    if (wish == NpyWriter::Name::none) {
      const int descriptor = open(path.parent_path().c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
      File file(descriptor, name);
      const std::string here = path_of(descriptor, std::to_string(getpid()));
      if (descriptor >= 0 && access(here.c_str(), W_OK) == 0) {
        TemporaryFile made(std::move(file), here, path.string());
        made.has_name_ = false;
        return made;
      }
    }
    return create_named(path, name);
  }
  static base::Result<TemporaryFile> create_named(const fs::path& path, const std::string& name) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const std::string beside = hidden_name(path, attempt);
      const int descriptor = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor >= 0) return TemporaryFile(File(descriptor, name), beside, path.string());
      if (errno != EEXIST) return cannot_write(name, errno);
    }
    return cannot_write(name, EEXIST);
  }
  static base::Result<TemporaryFile> of_host(const FilePolicy& policy, const std::string& name, FileUse use) {
    TESSERA_TRY(opened, open_by_host(policy, name, use));
    if (use == FileUse::create && ftruncate(opened.file.descriptor(), 0) != 0) return cannot_write(name, errno);
    return TemporaryFile(std::move(opened.file), "", "");
  }
  // The file that another process has created, and unlinks if need be.
  static base::Result<TemporaryFile> join(const std::string& path, const std::string& name) {
    File file(open(path.c_str(), O_WRONLY | O_CLOEXEC), name);
    if (file.descriptor() < 0) return cannot_write(name, errno);
    return TemporaryFile(std::move(file), path, "");
  }
  TemporaryFile(TemporaryFile&& other) noexcept
      : file_(std::move(other.file_)),
        path_(std::exchange(other.path_, {})),
        target_(std::move(other.target_)),
        has_name_(other.has_name_) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile() {
    if (!path_.empty() && !target_.empty() && has_name_) unlink(path_.c_str());
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
    if (target_.empty()) return file_.close();
    if (!has_name_) {
      TESSERA_TRY_STATUS(take_name());
      return sync_folder(name);
    }
    TESSERA_TRY_STATUS(file_.close());
    if (std::rename(path_.c_str(), target_.c_str()) != 0) return cannot_write(name, errno);
    path_.clear();
    return sync_folder(name);
  }

  void set_mode(mode_t mode) { fchmod(file_.descriptor(), mode & 07777U); }

 private:
  TemporaryFile(File file, std::string path, std::string target)
      : file_(std::move(file)), path_(std::move(path)), target_(std::move(target)) {}

  static constexpr int kAttempts = 1000;

  // Not too long where the target's is not.
  static std::string hidden_name(const fs::path& path, int attempt) {
    const std::string name = path.filename().string().substr(0, 200);
    return (path.parent_path() / fmt::format(".{}.{}.{}.part", name, getpid(), attempt)).string();
  }

  // Gives a file without a name the target's.
  base::Status take_name() {
    const std::string here = path_of(file_.descriptor(), "self");
    if (linkat(AT_FDCWD, here.c_str(), AT_FDCWD, target_.c_str(), AT_SYMLINK_FOLLOW) == 0) return base::Done{};
    int error = errno;
    for (int attempt = 0; error == EEXIST && attempt < kAttempts; ++attempt) {
      const std::string hidden = hidden_name(target_, attempt);
      error = replace_undisturbed({here.c_str(), hidden.c_str(), target_.c_str()});
    }
    return error == 0 ? base::Status(base::Done{}) : cannot_write(file_.name(), error);
  }

  base::Status sync_folder(const std::string& name) const {
    const fs::path parent = fs::path(target_).parent_path();
    const File folder(open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), name);
    if (folder.descriptor() < 0) return cannot_write(name, errno);
    // Some file systems cannot sync a folder; they have nothing to sync then.
    if (fsync(folder.descriptor()) != 0 && errno != EINVAL && errno != EROFS) return cannot_write(name, errno);
    return base::Done{};
  }

  File file_;
  std::string path_;    // empty once it has its final name, and of a host's
  std::string target_;  // empty where it is somebody else's
  bool has_name_ = true;
};

namespace {

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

// The file that will be at `name`, or lies there already.
static base::Result<TemporaryFile> created(const FilePolicy& policy, const std::string& name, NpyWriter::Name wish) {
  if (policy.kind == FilePolicy::Kind::host) return TemporaryFile::of_host(policy, name, FileUse::create);
  TESSERA_TRY(target, find_target(policy, name));
  TESSERA_TRY(temporary, TemporaryFile::create(target.path, name, wish));
  if (target.mode) temporary.set_mode(*target.mode);
  return std::move(temporary);
}

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
                                          const synth::Shape& shape, Name name) {
  TESSERA_TRY(temporary, created(policy, path, name));
  const std::string header = make_npy_header(element, shape);
  const auto header_bytes = static_cast<std::int64_t>(header.size());
  const std::int64_t bytes = header_bytes + count(shape) * synth::bytes_of(element);
  TESSERA_TRY_STATUS(temporary.reserve(bytes));
  TESSERA_TRY_STATUS(temporary.file().write_at(0, std::as_bytes(std::span(header))));
  return NpyWriter(std::make_unique<Files>(Files{std::move(temporary), header_bytes, bytes}), element, shape);
}

base::Result<NpyWriter> NpyWriter::join(const FilePolicy& policy, const std::string& temporary, const std::string& name,
                                        synth::ElementType element, const synth::Shape& shape) {
  const bool is_host_s = policy.kind == FilePolicy::Kind::host;
  TESSERA_TRY(file,
              is_host_s ? TemporaryFile::of_host(policy, name, FileUse::join) : TemporaryFile::join(temporary, name));
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
