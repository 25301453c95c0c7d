#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "runtime/io/frame.hpp"
#include "runtime/io/npy.hpp"
#include "runtime/io/replacement.hpp"
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

}  // namespace

// A file that takes the target's place when it is complete. Where the file system and the reader of the folder allow
// it, it has no name until then, so that nothing is left of it however its process ends. Otherwise it has a hidden name
// beside the target, which the process that created it unlinks. The folder is held open from first to last, so that all
// is done in one and the same. A file that the host opens is the target itself.
class TemporaryFile {
 public:
  static base::Result<TemporaryFile> create(FilePlace target, const std::string& name, NpyWriter::Name wish) {
    if (wish == NpyWriter::Name::none) {
      const int descriptor = openat(target.folder.descriptor(), ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
      File file(descriptor, name);
      const std::string here = path_of(descriptor, std::to_string(getpid()));
      if (descriptor >= 0 && access(here.c_str(), W_OK) == 0)
        return TemporaryFile(std::move(file), here, std::move(target), "");
    }
    return create_named(std::move(target), name);
  }
  static base::Result<TemporaryFile> create_named(FilePlace target, const std::string& name) {
    std::error_code error;
    const fs::path path = fs::absolute(target.path, error);
    if (error) return cannot_write(name, error.value());
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const std::string hidden = hidden_name(target.name, attempt);
      const int descriptor = openat(target.folder.descriptor(), hidden.c_str(),
                                    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (descriptor >= 0)
        return TemporaryFile(File(descriptor, name), path.parent_path() / hidden, std::move(target), hidden);
      if (errno != EEXIST) return cannot_write(name, errno);
    }
    return cannot_write(name, EEXIST);
  }
  static base::Result<TemporaryFile> of_host(const FilePolicy& policy, const std::string& name, FileUse use) {
    TESSERA_TRY(opened, open_by_host(policy, name, use));
    if (use == FileUse::create && ftruncate(opened.file.descriptor(), 0) != 0) return cannot_write(name, errno);
    return TemporaryFile(std::move(opened.file), "", {}, "");
  }
  // The file that another process has created, and unlinks if need be.
  static base::Result<TemporaryFile> join(const FilePolicy& policy, const std::string& path, const std::string& name) {
    File file(open_to_join(policy, path), name);
    if (file.descriptor() < 0) return cannot_write(name, errno);
    return TemporaryFile(std::move(file), path, {}, "");
  }
  TemporaryFile(TemporaryFile&& other) noexcept
      : file_(std::move(other.file_)),
        path_(std::move(other.path_)),
        target_(std::move(other.target_)),
        hidden_(std::exchange(other.hidden_, {})) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile() {
    if (!hidden_.empty()) unlinkat(target_.folder.descriptor(), hidden_.c_str(), 0);
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
    if (target_.name.empty()) return file_.close();
    if (hidden_.empty()) {
      TESSERA_TRY_STATUS(take_name());
      return sync_folder(name);
    }
    TESSERA_TRY_STATUS(file_.close());
    const int folder = target_.folder.descriptor();
    if (renameat(folder, hidden_.c_str(), folder, target_.name.c_str()) != 0) return cannot_write(name, errno);
    hidden_.clear();
    return sync_folder(name);
  }

  void set_mode(mode_t mode) { fchmod(file_.descriptor(), mode & 07777U); }

 private:
  TemporaryFile(File file, std::string path, FilePlace target, std::string hidden)
      : file_(std::move(file)), path_(std::move(path)), target_(std::move(target)), hidden_(std::move(hidden)) {}

  static constexpr int kAttempts = 1000;

  // Not too long where the target's is not.
  static std::string hidden_name(const std::string& name, int attempt) {
    return fmt::format(".{}.{}.{}.part", name.substr(0, 200), getpid(), attempt);
  }

  // Gives a file without a name the target's.
  base::Status take_name() {
    const std::string here = path_of(file_.descriptor(), "self");
    const int folder = target_.folder.descriptor();
    if (linkat(AT_FDCWD, here.c_str(), folder, target_.name.c_str(), AT_SYMLINK_FOLLOW) == 0) return base::Done{};
    int error = errno;
    for (int attempt = 0; error == EEXIST && attempt < kAttempts; ++attempt) {
      const std::string hidden = hidden_name(target_.name, attempt);
      error = replace_undisturbed({here.c_str(), folder, hidden.c_str(), target_.name.c_str()});
    }
    return error == 0 ? base::Status(base::Done{}) : cannot_write(file_.name(), error);
  }

  base::Status sync_folder(const std::string& name) const {
    const File folder(openat(target_.folder.descriptor(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), name);
    if (folder.descriptor() < 0) return cannot_write(name, errno);
    // Some file systems cannot sync a folder; they have nothing to sync then.
    if (fsync(folder.descriptor()) != 0 && errno != EINVAL && errno != EROFS) return cannot_write(name, errno);
    return base::Done{};
  }

  File file_;
  std::string path_;    // by which other processes find it; empty of a host's
  FilePlace target_;    // without a name where it is somebody else's
  std::string hidden_;  // its name until it is complete, if it has one and this process unlinks it
};

namespace {

struct Target {
  FilePlace place;
  std::optional<mode_t> mode;  // of the file that is there already
};

base::Diagnostic refused_target(const std::string& name, std::string_view why) {
  return make(Kind::cannot_write, in_quotes(name), why);
}

// Where a link at the place leads to; below a root no link is followed.
base::Result<FilePlace> behind_link(const FilePolicy& policy, const FilePlace& place, const std::string& name) {
  std::error_code error;
  const fs::path real = fs::canonical(place.path, error);
  if (error) return refused_target(name, "it is a link that leads nowhere");
  if (policy.kind == FilePolicy::Kind::rooted) return refused_target(name, "it is a link");
  return place_of(FilePolicy{}, real.string());
}

// A link is replaced where it leads to. Nothing but a regular file is ever replaced.
base::Result<Target> find_target(const FilePolicy& policy, const std::string& name) {
  TESSERA_TRY(place, place_of(policy, name));
  struct stat status{};
  const auto look = [&] {
    return fstatat(place.folder.descriptor(), place.name.c_str(), &status, AT_SYMLINK_NOFOLLOW);
  };
  if (look() != 0) {
    if (errno != ENOENT) return cannot_write(name, errno);
    return Target{std::move(place), std::nullopt};
  }
  if (S_ISLNK(status.st_mode)) {
    TESSERA_TRY(behind, behind_link(policy, place, name));
    place = std::move(behind);
    if (look() != 0) return cannot_write(name, errno);
  }
  if (S_ISDIR(status.st_mode)) return cannot_write(name, EISDIR);
  if (!S_ISREG(status.st_mode)) return refused_target(name, "it is not a regular file");
  if (faccessat(place.folder.descriptor(), place.name.c_str(), W_OK, 0) != 0) return cannot_write(name, errno);
  return Target{std::move(place), status.st_mode};
}

}  // namespace

// The file that will be at `name`, or lies there already.
static base::Result<TemporaryFile> created(const FilePolicy& policy, const std::string& name, NpyWriter::Name wish) {
  if (policy.kind == FilePolicy::Kind::host) return TemporaryFile::of_host(policy, name, FileUse::create);
  TESSERA_TRY(target, find_target(policy, name));
  const std::optional<mode_t> mode = target.mode;
  TESSERA_TRY(temporary, TemporaryFile::create(std::move(target.place), name, wish));
  if (mode) temporary.set_mode(*mode);
  return std::move(temporary);
}

// A process that joins has of the frame only the places of the elements.
struct NpyWriter::Files {
  TemporaryFile temporary;
  FileFrame frame;
  std::vector<FramedArray> arrays;
  std::vector<CheckSum> sums = {};        // of what was written of each array, where sums are kept
  std::optional<FilePolicy> policy = {};  // of files that are written beside this one
};

NpyWriter::NpyWriter(std::unique_ptr<Files> files) : files_(std::move(files)) {}
NpyWriter::NpyWriter(NpyWriter&&) noexcept = default;
NpyWriter::~NpyWriter() = default;

base::Result<NpyWriter> NpyWriter::create(const FilePolicy& policy, const std::string& path, synth::ElementType element,
                                          const synth::Shape& shape, Name name) {
  TESSERA_TRY(frame, frame_beside_others(policy, path, element, shape));
  TESSERA_TRY(temporary, created(policy, frame.file, name));
  auto files = std::make_unique<Files>(Files{std::move(temporary), {}, {}});
  files->policy = policy;
  return begun(std::move(files), std::move(frame), {{"", element, shape}});
}

base::Result<NpyWriter> NpyWriter::create_of_all(const FilePolicy& policy, const std::string& file,
                                                 std::span<const FramedArray> arrays, Name name) {
  TESSERA_TRY(frame, frame_of_all(file, arrays));
  TESSERA_TRY(temporary, created(policy, file, name));
  return begun(std::make_unique<Files>(Files{std::move(temporary), {}, {}}), std::move(frame),
               {arrays.begin(), arrays.end()});
}

base::Result<NpyWriter> NpyWriter::create_at(FilePlace place, const std::string& name, synth::ElementType element,
                                             const synth::Shape& shape) {
  TESSERA_TRY(frame, frame_beside_others({}, name, element, shape));
  TESSERA_TRY(temporary, TemporaryFile::create(std::move(place), name, Name::none));
  return begun(std::make_unique<Files>(Files{std::move(temporary), {}, {}}), std::move(frame), {{"", element, shape}});
}

base::Result<NpyWriter> NpyWriter::begun(std::unique_ptr<Files> files, FileFrame frame,
                                         std::vector<FramedArray> arrays) {
  const File& file = files->temporary.file();
  TESSERA_TRY_STATUS(files->temporary.reserve(frame.bytes));
  for (const PlacedText& text : frame.texts)
    TESSERA_TRY_STATUS(file.write_at(text.at, std::as_bytes(std::span(text.text))));
  for (const KeptBytes& kept : frame.kept) TESSERA_TRY_STATUS(copy_bytes(frame.old, file, kept));
  files->sums.resize(frame.sums.size());
  files->frame = std::move(frame);
  files->arrays = std::move(arrays);
  return NpyWriter(std::move(files));
}

// The temporary file's absolute path, which is none of a host's file; the file; whether sums are kept; then the places
// of the elements. Zero bytes stand between them.
std::string NpyWriter::invitation() const {
  std::string text = files_->temporary.path();
  const auto add = [&](std::string_view part) { text.append(1, '\0').append(part); };
  add(files_->frame.file);
  add(keeps_sums() ? "1" : "0");
  for (const std::int64_t offset : files_->frame.data_offsets) add(std::to_string(offset));
  return text;
}

base::Result<NpyWriter> NpyWriter::join(const FilePolicy& policy, std::string_view invitation,
                                        std::vector<FramedArray> arrays) {
  const auto next = [&] {
    const std::size_t end = std::min(invitation.find('\0'), invitation.size());
    const std::string part(invitation.substr(0, end));
    invitation.remove_prefix(std::min(end + 1, invitation.size()));
    return part;
  };
  const std::string temporary = next();
  FileFrame frame;
  frame.file = next();
  const bool keeps_sums = next() == "1";
  for (std::size_t i = 0; i < arrays.size(); ++i) frame.data_offsets.push_back(std::stoll(next()));
  const bool is_host_s = policy.kind == FilePolicy::Kind::host;
  TESSERA_TRY(file, is_host_s ? TemporaryFile::of_host(policy, frame.file, FileUse::join)
                              : TemporaryFile::join(policy, temporary, frame.file));
  auto files = std::make_unique<Files>(Files{std::move(file), std::move(frame), std::move(arrays)});
  if (keeps_sums) files->sums.resize(files->arrays.size());
  return NpyWriter(std::move(files));
}

std::vector<NpySlab> NpyWriter::slabs(std::size_t array) const {
  std::vector<NpySlab> slabs;
  const synth::Shape& shape = files_->arrays[array].shape;
  if (is_empty(shape)) return slabs;
  const std::int64_t element_bytes = synth::bytes_of(files_->arrays[array].element);
  const synth::Shape strides = dense_strides(shape);
  const std::int64_t most = std::max<std::int64_t>(1, kWriteBytesMax / element_bytes);
  std::size_t d = 0;  // the slabs are intervals of this dimension, whole in the ones after it
  while (d < shape.size() && strides[d] > most) ++d;
  const std::int64_t outer = d < shape.size() ? count(shape) / (strides[d] * shape[d]) : 1;
  const std::int64_t step = d < shape.size() ? most / strides[d] : 1;
  const std::int64_t extent = d < shape.size() ? shape[d] : 1;
  std::int64_t offset = files_->frame.data_offsets[array];
  for (std::int64_t o = 0; o < outer; ++o) {
    synth::Box box = synth::whole(shape);
    std::int64_t rest = o;
    for (std::size_t i = d; i-- > 0; rest /= shape[i]) box[i] = {rest % shape[i], rest % shape[i] + 1};
    for (std::int64_t at = 0; at < extent; at += step) {
      if (d < shape.size()) box[d] = {at, std::min(extent, at + step)};
      slabs.push_back({box, offset, array});
      offset += synth::elements(box) * element_bytes;
    }
  }
  return slabs;
}

base::Status NpyWriter::write(const NpySlab& slab, std::span<const std::byte> bytes) {
  if (keeps_sums()) files_->sums[slab.array] = followed_by(files_->sums[slab.array], check_sum(bytes));
  return files_->temporary.file().write_at(slab.offset, bytes);
}

bool NpyWriter::keeps_sums() const { return !files_->sums.empty(); }
std::vector<CheckSum> NpyWriter::sums() const { return files_->sums; }

void NpyWriter::add_sums(std::span<const CheckSum> sums) {
  for (std::size_t i = 0; i < sums.size(); ++i) files_->sums[i] = followed_by(files_->sums[i], sums[i]);
}

namespace {

base::Status write_sums(const File& file, std::span<const PlacedSum> places, std::span<const CheckSum> sums) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::uint32_t value = followed_by(places[i].before, sums[i]).value;
    std::array<std::byte, sizeof(value)> bytes{};
    for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<std::byte>(value >> (8 * k) & 0xFFU);
    for (const std::int64_t at : places[i].at) TESSERA_TRY_STATUS(file.write_at(at, bytes));
  }
  return base::Done{};
}

base::Status write_text(const FilePolicy& policy, const std::string& path, const std::string& text) {
  TESSERA_TRY(temporary, created(policy, path, NpyWriter::Name::none));
  TESSERA_TRY_STATUS(temporary.reserve(std::ssize(text)));
  TESSERA_TRY_STATUS(temporary.file().write_at(0, std::as_bytes(std::span(text))));
  return temporary.commit(std::ssize(text));
}

}  // namespace

base::Status NpyWriter::commit() {
  const FileFrame& frame = files_->frame;
  TESSERA_TRY_STATUS(write_sums(files_->temporary.file(), frame.sums, files_->sums));
  TESSERA_TRY_STATUS(files_->temporary.commit(frame.bytes));
  if (!frame.index) return base::Done{};
  return write_text(*files_->policy, frame.index->first, frame.index->second);
}

base::Status save_npy(const FilePolicy& policy, const std::string& path, synth::ElementType element,
                      const synth::Shape& shape, const BoxSource& fill, base::StopToken stop) {
  TESSERA_TRY(writer, NpyWriter::create(policy, path, element, shape));
  return save_npy(std::move(writer), element, fill, stop);
}

base::Status save_npy(NpyWriter writer, synth::ElementType element, const BoxSource& fill, base::StopToken stop) {
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
