#include "runtime/io/staging.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <utility>

#include "runtime/kinds.hpp"

namespace tessera::runtime {

namespace {

constexpr const char* kPrefix = ".tessera-move.";
constexpr const char* kDone = ".done";
constexpr int kStagingAttempts = 100;

// -1 where there is no such folder, or a link in its place.
int folder_in(int folder, const std::string& name) {
  return openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// The names in a folder, read before any of them changes.
std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  const int descriptor = folder_in(folder, ".");
  DIR* const entries = descriptor < 0 ? nullptr : fdopendir(descriptor);
  if (entries == nullptr) {
    if (descriptor >= 0) close(descriptor);
    return names;
  }
  while (const dirent* entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  closedir(entries);
  return names;
}

// Removes a folder of so many levels, as ours are: folders of files.
void remove_folder(int folder, const std::string& name, int levels = 2) {
  const File own(folder_in(folder, name), name);
  for (const std::string& entry : names_in(own.descriptor())) {
    if (unlinkat(own.descriptor(), entry.c_str(), 0) != 0 && levels > 1)
      remove_folder(own.descriptor(), entry, levels - 1);
  }
  unlinkat(folder, name.c_str(), AT_REMOVEDIR);
}

// Everything as it was before put().
void undo(int folder, const std::string& hidden) {
  const File own(folder_in(folder, hidden), hidden);
  const File old(folder_in(own.descriptor(), "old"), hidden);
  const File none(folder_in(own.descriptor(), "none"), hidden);
  for (const std::string& file : names_in(old.descriptor()))
    renameat(old.descriptor(), file.c_str(), folder, file.c_str());
  for (const std::string& file : names_in(none.descriptor())) unlinkat(folder, file.c_str(), 0);
  remove_folder(folder, hidden);
}

// A hidden folder that is still there, locked; closed where another process has the lock, or it is gone.
File locked(int folder, const std::string& hidden) {
  File own(folder_in(folder, hidden), hidden);
  if (own.descriptor() < 0) return {};
  struct stat opened{};
  struct stat there{};
  const bool has_it = flock(own.descriptor(), LOCK_EX | LOCK_NB) == 0 && fstat(own.descriptor(), &opened) == 0 &&
                      fstatat(folder, hidden.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
                      opened.st_ino == there.st_ino;
  return has_it ? std::move(own) : File{};
}

base::Status synced(const File& folder) {
  if (fsync(folder.descriptor()) == 0 || errno == EINVAL || errno == EROFS) return base::Done{};
  return cannot_write(folder.name(), errno);
}

}  // namespace

std::string Staging::new_job() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return fmt::format("{}-{}", getpid(), now);
}

// `.tessera-move.JOB.3` is of JOB.
void Staging::sweep(const File& folder) {
  const int in = folder.descriptor();
  std::vector<std::string> settled;
  bool all_ended = true;
  for (const std::string& name : names_in(in)) {
    if (!name.starts_with(kPrefix)) continue;
    if (name.ends_with(kDone)) {
      settled.push_back(name);
      continue;
    }
    const File lock = locked(in, name);
    all_ended = all_ended && lock.descriptor() >= 0;
    if (lock.descriptor() < 0) continue;
    const std::string done = name.substr(0, name.rfind('.')) + kDone;
    if (faccessat(in, done.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0)
      remove_folder(in, name);
    else
      undo(in, name);
  }
  for (const std::string& name : settled) {
    if (all_ended) unlinkat(in, name.c_str(), 0);
  }
}

Staging::Staging(const File& folder, std::string job, int number)
    : folder_(folder), job_(std::move(job)), hidden_(fmt::format("{}{}.{}", kPrefix, job_, number)) {}

base::Result<FilePlace> Staging::place_of(const std::string& file) const {
  File into(folder_in(new_.descriptor(), "."), shown(file));
  if (into.descriptor() < 0) return cannot_write(shown(file), errno);
  return FilePlace{std::move(into), file, shown(file)};
}

base::Status Staging::open() {
  const int in = folder_.descriptor();
  for (int attempt = 0; own_.descriptor() < 0; ++attempt) {
    if (attempt == kStagingAttempts) return cannot_write(folder_.name(), EAGAIN);
    if (mkdirat(in, hidden_.c_str(), 0700) != 0 && errno != EEXIST) return cannot_write(folder_.name(), errno);
    own_ = locked(in, hidden_);
  }
  for (const auto& [part, name] : {std::pair{&new_, "new"}, std::pair{&old_, "old"}, std::pair{&none_, "none"}}) {
    if (mkdirat(own_.descriptor(), name, 0700) != 0) return cannot_write(folder_.name(), errno);
    *part = File(folder_in(own_.descriptor(), name), hidden_);
    if (part->descriptor() < 0) return cannot_write(folder_.name(), errno);
  }
  return base::Done{};
}

// Nothing but a regular file is replaced, by one of its mode.
base::Status Staging::check_target(const std::string& file) const {
  struct stat status{};
  if (fstatat(folder_.descriptor(), file.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? base::Status(base::Done{}) : cannot_write(shown(file), errno);
  if (!S_ISREG(status.st_mode))
    return base::make(Kind::cannot_write, in_quotes(shown(file)), std::string_view("it is not a regular file"));
  if (fchmodat(new_.descriptor(), file.c_str(), status.st_mode & 07777U, AT_SYMLINK_NOFOLLOW) != 0)
    return cannot_write(shown(file), errno);
  return base::Done{};
}

// First what was there is kept, then it is replaced.
base::Status Staging::put(const std::string& file) const {
  const char* const name = file.c_str();
  if (linkat(folder_.descriptor(), name, old_.descriptor(), name, 0) != 0) {
    if (errno != ENOENT) return cannot_write(shown(file), errno);
    const File marker(openat(none_.descriptor(), name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600), file);
    if (marker.descriptor() < 0) return cannot_write(shown(file), errno);
  }
  if (renameat(new_.descriptor(), name, folder_.descriptor(), name) != 0) return cannot_write(shown(file), errno);
  return base::Done{};
}

base::Status Staging::put() {
  for (const std::string& file : files_) TESSERA_TRY_STATUS(check_target(file));
  for (const std::string& file : files_) TESSERA_TRY_STATUS(put(file));
  return synced(folder_);
}

base::Status Staging::settle() {
  const std::string done = kPrefix + job_ + kDone;
  const File file(openat(folder_.descriptor(), done.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600), done);
  if (file.descriptor() < 0) return cannot_write(folder_.name(), errno);
  settled_ = true;
  return base::Done{};
}

void Staging::end() {
  if (own_.descriptor() < 0) return;
  if (settled_)
    remove_folder(folder_.descriptor(), hidden_);
  else
    undo(folder_.descriptor(), hidden_);
  own_ = File{};
  if (settled_) sweep(folder_);
}

}  // namespace tessera::runtime
