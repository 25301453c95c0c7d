#include "runtime/io/beneath.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <utility>

#include "runtime/io/file.hpp"

namespace tessera::runtime {

namespace {

// Kernels before 5.6 lack the call, and some sandboxes refuse it; neither says anything about the file.
bool is_lacking(int error) { return error == ENOSYS || error == EPERM || error == E2BIG || error == EINVAL; }

}  // namespace

int walk_beneath(int root, const std::string& path, int flags, mode_t mode) {
  File folder;
  std::size_t begin = 0;
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', begin)) {
    const std::string part = path.substr(begin, slash - begin);
    begin = slash + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") return errno = EXDEV, -1;
    const int from = folder.descriptor() < 0 ? root : folder.descriptor();
    // O_PATH alone would open a link itself; as a folder it is none.
    File next(openat(from, part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), path);
    if (next.descriptor() < 0) return -1;
    folder = std::move(next);
  }
  const std::string last = path.substr(begin);
  if (last == "..") return errno = EXDEV, -1;
  const int from = folder.descriptor() < 0 ? root : folder.descriptor();
  return openat(from, last.empty() ? "." : last.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode);
}

int open_beneath(int root, const std::string& path, int flags, mode_t mode) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags | O_NOFOLLOW | O_CLOEXEC);
  how.mode = mode;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS;
  const long opened = syscall(SYS_openat2, root, path.empty() ? "." : path.c_str(), &how, sizeof(how));
  if (opened >= 0) return static_cast<int>(opened);
  // EAGAIN: something was renamed meanwhile. The walk cannot be led astray by that.
  return is_lacking(errno) || errno == EAGAIN ? walk_beneath(root, path, flags, mode) : -1;
}

}  // namespace tessera::runtime
