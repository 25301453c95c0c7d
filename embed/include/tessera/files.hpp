// Which files `load`, `save` and `save_shards` may open: Config::files of tessera.hpp, which includes this.
//
//     tessera::Config config;
//     config.files.kind = tessera::FilePolicy::Kind::host;
//     config.files.open = [](const std::string& name, tessera::FileUse use) -> tessera::HostFile {
//       if (name != "measured.npy" || use != tessera::FileUse::read) return {.why = "only measured.npy may be read"};
//       return {.descriptor = open("/data/measured.npy", O_RDONLY | O_CLOEXEC)};
//     };
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tessera {

// The purpose for which a host opens a file. Arrays are written at any offset, so that a file has to be a regular one
// (or a memfd), and is open for nothing but what it is wanted for: reading, or writing without O_APPEND.
enum class FileUse : std::uint8_t {
  read,
  create,  // to write the whole array: what the file held is cut off, and nothing is renamed over it
  join,    // on ranks, by every rank but 0: to write a part into the file that rank 0 has just created
};

// A file that the host has opened. The library closes the descriptor, whatever comes of the run.
struct HostFile {
  int descriptor = -1;
  std::string why = {};  // without a descriptor: why there is none; the run fails with `file-not-allowed`
};

struct FilePolicy {
  enum class Kind : std::uint8_t {
    none,     // none
    allowed,  // any; relative paths start at `root` if it is set, else at the working directory
    rooted,   // only what lies below `root`
    host,     // what `open` opens
  };
  Kind kind = Kind::none;
  std::string root = {};
  // For kind `host`: opens the file that a program calls `name`, on the thread that called the library. It is called
  // when a text is checked too, where `load` takes extents from the file. A run that fails amid `save` leaves the file
  // half written, where the other kinds leave what was there before.
  std::function<HostFile(const std::string& name, FileUse use)> open = {};
};

}  // namespace tessera
