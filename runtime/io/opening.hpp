// Files opened by policy, with every failure a diagnostic.
#pragma once

#include <string>

#include "base/result.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/files.hpp"

namespace tessera::runtime {

// A regular file for reading.
base::Result<OpenedFile> open_to_read(const FilePolicy& policy, const std::string& path);
// A regular file that the host has opened.
base::Result<OpenedFile> open_by_host(const FilePolicy& policy, const std::string& path, FileUse use);

// The place of a file: its folder, held open, so that it is the same whatever is renamed meanwhile; its name there.
struct FilePlace {
  File folder;  // to look up names in, and no more
  std::string name;
  std::string path;  // of the whole, for whoever opens it by name
};
base::Result<FilePlace> place_of(const FilePolicy& policy, const std::string& path);
// A folder, held open, to look up, make and remove names in.
base::Result<File> open_folder(const FilePolicy& policy, const std::string& path);
// A file whose place this rank does not choose, such as the one that rank 0 has begun: by its path, for writing.
int open_to_join(const FilePolicy& policy, const std::string& path);

}  // namespace tessera::runtime
