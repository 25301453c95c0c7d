#include "runtime/io/staging.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "runtime/kinds.hpp"

namespace tessera::runtime {

namespace {

namespace disk = std::filesystem;

constexpr const char* kPrefix = ".tessera-move.";
constexpr const char* kDone = ".done";
constexpr int kStagingAttempts = 100;

// The names in a folder, read before any of them changes.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (disk::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename().string());
  return names;
}

void remove_folder(const std::string& path) {
  std::error_code ignored;
  disk::remove_all(path, ignored);
}

// Everything as it was before put().
void undo(const std::string& folder, const std::string& hidden) {
  for (const std::string& file : names_in(hidden + "/old"))
    std::rename((hidden + "/old/" + file).c_str(), (folder + "/" + file).c_str());
  for (const std::string& file : names_in(hidden + "/none")) unlink((folder + "/" + file).c_str());
  remove_folder(hidden);
}

// The lock of a hidden folder that is still there; -1 where another process has it, or it is gone.
int lock_of(const std::string& hidden) {
  const int descriptor = open(hidden.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  struct stat own{};
  struct stat there{};
  const bool has_it = flock(descriptor, LOCK_EX | LOCK_NB) == 0 && fstat(descriptor, &own) == 0 &&
                      stat(hidden.c_str(), &there) == 0 && own.st_ino == there.st_ino;
  if (has_it) return descriptor;
  close(descriptor);
  return -1;
}

// `.tessera-move.JOB.3` is of JOB.
std::string done_file(const std::string& folder, const std::string& job) {
  return folder + "/" + kPrefix + job + kDone;
}

base::Status synced(const std::string& folder, const std::string& name) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return cannot_write(name, errno);
  const int failure = fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
  close(descriptor);
  return failure == 0 ? base::Status(base::Done{}) : cannot_write(name, failure);
}

}  // namespace

std::string Staging::new_job() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return fmt::format("{}-{}", getpid(), now);
}

void Staging::sweep(const std::string& folder) {
  const std::vector<std::string> names = names_in(folder);
  std::vector<std::string> settled;
  bool all_ended = true;
  for (const std::string& name : names) {
    if (!name.starts_with(kPrefix)) continue;
    if (name.ends_with(kDone)) {
      settled.push_back(name);
      continue;
    }
    const std::string hidden = folder + "/" + name;
    const int lock = lock_of(hidden);
    all_ended = all_ended && lock >= 0;
    if (lock < 0) continue;
    const std::string done = hidden.substr(0, hidden.rfind('.')) + kDone;
    if (access(done.c_str(), F_OK) == 0)
      remove_folder(hidden);
    else
      undo(folder, hidden);
    close(lock);
  }
  for (const std::string& name : settled) {
    if (all_ended) unlink((folder + "/" + name).c_str());
  }
}

Staging::Staging(std::string folder, std::string name, std::string job, int number)
    : folder_(std::move(folder)),
      name_(std::move(name)),
      job_(std::move(job)),
      hidden_(fmt::format("{}/{}{}.{}", folder_, kPrefix, job_, number)) {}

std::string Staging::path_of(const std::string& file) const { return hidden_ + "/new/" + file; }

base::Status Staging::open() {
  for (int attempt = 0; lock_ < 0; ++attempt) {
    if (attempt == kStagingAttempts) return cannot_write(name_, EAGAIN);
    if (mkdir(hidden_.c_str(), 0700) != 0 && errno != EEXIST) return cannot_write(name_, errno);
    lock_ = lock_of(hidden_);
  }
  for (const char* const part : {"/new", "/old", "/none"}) {
    if (mkdir((hidden_ + part).c_str(), 0700) != 0) return cannot_write(name_, errno);
  }
  return base::Done{};
}

base::Status Staging::check_target(const std::string& file) const {
  struct stat status{};
  const std::string shown = name_ + "/" + file;
  if (lstat((folder_ + "/" + file).c_str(), &status) != 0)
    return errno == ENOENT ? base::Status(base::Done{}) : cannot_write(shown, errno);
  if (!S_ISREG(status.st_mode))
    return base::make(Kind::cannot_write, in_quotes(shown), std::string_view("it is not a regular file"));
  if (chmod(path_of(file).c_str(), status.st_mode & 07777U) != 0) return cannot_write(shown, errno);
  return base::Done{};
}

// First what was there is kept, then it is replaced.
base::Status Staging::put(const std::string& file) const {
  const std::string target = folder_ + "/" + file;
  const std::string shown = name_ + "/" + file;
  if (link(target.c_str(), (hidden_ + "/old/" + file).c_str()) != 0) {
    if (errno != ENOENT) return cannot_write(shown, errno);
    const std::string marker = hidden_ + "/none/" + file;
    const int descriptor = ::open(marker.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) return cannot_write(shown, errno);
    close(descriptor);
  }
  if (std::rename(path_of(file).c_str(), target.c_str()) != 0) return cannot_write(shown, errno);
  return base::Done{};
}

base::Status Staging::put() {
  for (const std::string& file : files_) TESSERA_TRY_STATUS(check_target(file));
  for (const std::string& file : files_) TESSERA_TRY_STATUS(put(file));
  return synced(folder_, name_);
}

base::Status Staging::settle() {
  const int descriptor = ::open(done_file(folder_, job_).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return cannot_write(name_, errno);
  close(descriptor);
  settled_ = true;
  return base::Done{};
}

void Staging::end() {
  if (lock_ < 0) return;
  if (settled_)
    remove_folder(hidden_);
  else
    undo(folder_, hidden_);
  close(std::exchange(lock_, -1));
  if (settled_) sweep(folder_);
}

}  // namespace tessera::runtime
