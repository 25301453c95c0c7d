#include "runtime/io/replacement.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <vector>

namespace tessera::runtime {

namespace {

// Nothing but system calls: this runs beside a process of many threads. No signal to the group of ours reaches it.
int replace(void* of) {
  auto& replacement = *static_cast<Replacement*>(of);
  setsid();
  if (linkat(AT_FDCWD, replacement.file, replacement.folder, replacement.hidden, AT_SYMLINK_FOLLOW) != 0) {
    replacement.error = errno;
  } else if (renameat(replacement.folder, replacement.hidden, replacement.folder, replacement.target) != 0) {
    replacement.error = errno;
    unlinkat(replacement.folder, replacement.hidden, 0);
  }
  return 0;
}

}  // namespace

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

}  // namespace tessera::runtime
