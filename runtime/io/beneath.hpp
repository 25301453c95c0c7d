// Files and folders below a folder, whoever exchanges folders and links there meanwhile.
#pragma once

#include <sys/types.h>

#include <string>

namespace tessera::runtime {

// Opens what `path` names below the folder `root`, a descriptor: a path of plain names, `a/b.npy`, or `.`. No link is
// followed on the way nor at its end. The descriptor, or -1 with errno; ELOOP where a link is in the way.
int open_beneath(int root, const std::string& path, int flags, mode_t mode = 0);
// The same as systems without openat2 have to do it: step by step.
int walk_beneath(int root, const std::string& path, int flags, mode_t mode = 0);

}  // namespace tessera::runtime
