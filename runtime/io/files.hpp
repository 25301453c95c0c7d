// Which files a program may open, and .npy headers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "synth/layout/array_type.hpp"

namespace tessera::runtime {

// The purpose for which a host opens a file: to read it, to write it from its begin, to write into what rank 0 has
// begun.
enum class FileUse : std::uint8_t { read, create, join };

struct FilePolicy {
  enum class Kind : std::uint8_t {
    none,     // no file may be opened
    allowed,  // any path; relative ones are relative to `root` if that is set, else to the working directory
    rooted,   // only paths that stay below `root`
    host,     // what `open` opens
  };
  Kind kind = Kind::allowed;
  std::string root = {};
  // A descriptor, which we close.
  std::function<base::Result<int>(const std::string& path, FileUse use)> open = {};
};

// The path to open, or the diagnostic file-not-allowed; for a host's files, the path as the program wrote it. Below a
// root, symbolic links are followed first and `..` is applied to their targets; the path returned has neither.
base::Result<std::string> resolve(const FilePolicy& policy, const std::string& path);

struct NpyHeader {
  synth::ElementType element = synth::ElementType::f32;
  synth::Shape shape;
  bool fortran_order = false;
  bool big_endian = false;
  std::int64_t data_offset = 0;
};

// Reads and checks a header (versions 1 to 3); the file's size must be what the header says. Headers are bounded.
base::Result<NpyHeader> read_npy_header(const FilePolicy& policy, const std::string& path);
// The same from bytes in memory: the head of a file, and the size of the whole.
base::Result<NpyHeader> parse_npy_header(std::string_view head, std::int64_t file_bytes, const std::string& name);

}  // namespace tessera::runtime
