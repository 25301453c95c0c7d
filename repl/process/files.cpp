#include "repl/process/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "repl/process/exit.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

namespace {

constexpr std::size_t kChunkBytes = 1U << 16U;

// Reads a chunk to the end of `buffer`; the number of bytes, 0 at the end, or -1 with errno.
ssize_t read_chunk(int descriptor, std::string& buffer) {
  std::array<char, kChunkBytes> chunk;
  const ssize_t count = ::read(descriptor, chunk.data(), chunk.size());
  if (count > 0) buffer.append(chunk.data(), static_cast<std::size_t>(count));
  return count;
}

// Follows symbolic links, so that replacing a file leaves the link. None: the path is a link that leads nowhere.
std::optional<std::string> resolved(const std::string& path) {
  std::error_code error;
  const auto target = std::filesystem::canonical(path, error);
  if (!error) return target.string();
  if (std::filesystem::is_symlink(path, error)) return std::nullopt;
  return path;
}

// The mode of a file that the process creates.
mode_t usual_permissions() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
}

// Gives a new file the permissions of the one it replaces.
bool take_permissions(int descriptor, const std::string& target) {
  struct stat old = {};
  const bool is_there = ::stat(target.c_str(), &old) == 0;
  return ::fchmod(descriptor, is_there ? old.st_mode & 07777U : usual_permissions()) == 0;
}

}  // namespace

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string system_text(int error) { return std::generic_category().message(error); }

OpenFile::OpenFile(const std::string& path) {
  if (path == "-") {
    descriptor_ = STDIN_FILENO;
    return;
  }
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  owned_ = descriptor_ >= 0;
  error_ = owned_ ? 0 : errno;
}

OpenFile::~OpenFile() {
  if (owned_) ::close(descriptor_);
}

std::string OpenFile::why() const { return system_text(error_); }

Read<Text> read_text(const std::string& path) {
  const OpenFile file(path);
  Text result{path == "-" ? "<stdin>" : path, {}};
  const auto failed = [&](const std::string& why) {
    return Read<Text>{std::nullopt, fmt::format("cannot read {}: {}", path == "-" ? "standard input" : path, why)};
  };
  if (!file.ok()) return failed(file.why());
  while (result.text.size() <= text_bytes_max) {
    const ssize_t count = read_chunk(file.descriptor(), result.text);
    if (count < 0 && errno != EINTR) return failed(system_text(errno));
    if (count == 0) break;
  }
  return {std::move(result), {}};
}

FileReplacement::FileReplacement(std::string path) : path_(std::move(path)) {
  const std::optional<std::string> target = resolved(path_);
  if (!target) {
    failure_ = fmt::format("cannot write {}: it is a link that leads nowhere", path_);
    return;
  }
  target_ = *target;
  struct stat old = {};
  const bool is_there = ::stat(target_.c_str(), &old) == 0;
  // No file can take the place of a folder, and none should that of a device. Opening a folder says what is wrong.
  if (is_there && !S_ISREG(old.st_mode)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) note_failure();
    return;
  }
  temporary_ = target_ + ".XXXXXX";
  descriptor_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (descriptor_ < 0 || !take_permissions(descriptor_, target_)) note_failure();
}

FileReplacement::~FileReplacement() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileReplacement::note_failure() { failure_ = fmt::format("cannot write {}: {}", path_, system_text(errno)); }

void FileReplacement::append(std::string_view text) {
  if (!failure_ && !write_all(descriptor_, text)) note_failure();
}

std::optional<std::string> FileReplacement::commit() {
  if (failure_) return failure_;
  const bool is_put =
      temporary_.empty() || (::fsync(descriptor_) == 0 && std::rename(temporary_.c_str(), target_.c_str()) == 0);
  if (!is_put) {
    note_failure();
    return failure_;
  }
  ::close(descriptor_);
  descriptor_ = -1;
  return std::nullopt;
}

std::optional<std::string> replace_file(const std::string& path, std::string_view text) {
  FileReplacement file(path);
  file.append(text);
  return file.commit();
}

OutputFile::OutputFile(const std::string& path, Console& console) : console_(console) {
  if (path != "-") file_.emplace(path);
  if (failed()) console_.complain(*file_->failure());
}

int OutputFile::write(std::string_view text) {
  if (!file_) {
    console_.out(text);
    return kExitDone;
  }
  file_->append(text);
  const auto why = file_->commit();
  if (!why) return kExitDone;
  console_.complain(*why);
  return kExitWorld;
}

// Waits until there is something to read, or until there was an interrupt, which is then forgotten.
bool LineReader::waits_interrupted() {
  if (descriptor_ < 0) return false;  // reading will say why
  std::array<struct pollfd, 2> wanted = {{{descriptor_, POLLIN, 0}, {interrupt_, POLLIN, 0}}};
  while (::poll(wanted.data(), wanted.size(), -1) < 0) {
    if (errno != EINTR) return false;
  }
  if ((wanted[1].revents & POLLIN) == 0) return false;
  std::string forgotten;
  read_chunk(interrupt_, forgotten);
  return true;
}

LineReader::Outcome LineReader::next(std::string& line) {
  std::size_t searched = begin_;
  while (true) {
    const std::size_t end = buffer_.find('\n', searched);
    const bool cut = end == std::string::npos && buffer_.size() - begin_ >= kLineBytesMax;
    if (end != std::string::npos || cut || (ended_ && begin_ < buffer_.size())) {
      const std::size_t stop = std::min(end, buffer_.size());
      line.assign(buffer_, begin_, stop - begin_);
      begin_ = std::min(stop + 1, buffer_.size());
      return Outcome::line;
    }
    if (ended_) return Outcome::end;
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched = buffer_.size();
    if (waits_interrupted()) return Outcome::interrupted;
    const ssize_t count = read_chunk(descriptor_, buffer_);
    error_ = errno;
    if (count < 0 && error_ == EAGAIN) continue;  // what was there is gone
    if (count < 0) return error_ == EINTR ? Outcome::interrupted : Outcome::failed;
    ended_ = count == 0;
  }
}

std::string LineReader::why() const { return system_text(error_); }

void open_standard_descriptors() {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    if (::open("/dev/null", O_WRONLY) != descriptor) return;  // the lowest free number is this one
  }
}

}  // namespace tessera::repl
