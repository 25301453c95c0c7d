// What stands in a file around the elements of the arrays that are about to be written into it: the head of a .npy
// file; the head of a .safetensors file and the arrays that it holds already; the heads, other members and the
// directory of a .npz archive. A file is always written anew, so that it is whole at every moment.
//
//   frame of "m.safetensors::b", which holds "a" so far:   head | bytes of a, kept | elements of b
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/io/check_sum.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/files.hpp"

namespace tessera::runtime {

// An array that is to be written; in a .npy file it has no name.
struct FramedArray {
  std::string name;
  synth::ElementType element = synth::ElementType::f32;
  synth::Shape shape;

  std::int64_t bytes() const;
};

struct PlacedText {
  std::int64_t at = 0;
  std::string text;
};
// Bytes of the file that is there.
struct KeptBytes {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t bytes = 0;
};
// Where an archive says the check sum of what has the sum `before`, then an array's elements.
struct PlacedSum {
  CheckSum before;
  std::vector<std::int64_t> at;
};

struct FileFrame {
  std::string file;                        // to be written; of an index, the one that is to hold the array
  std::int64_t bytes = 0;                  // of all of it
  std::vector<std::int64_t> data_offsets;  // where the elements of each array begin
  std::vector<PlacedText> texts;
  std::vector<KeptBytes> kept;
  std::vector<PlacedSum> sums;  // of each array; none where no sums are kept
  File old;                     // what is kept is read from here
  // Another file, and its text, to be written when this one is in its place.
  std::optional<std::pair<std::string, std::string>> index;
};

// In a scope of a stop it may throw base::Interrupted.
base::Status copy_bytes(const File& from, const File& to, const KeptBytes& bytes);

// Of a path as a step names it. Other arrays of the file stay; one of this name is replaced.
base::Result<FileFrame> frame_beside_others(const FilePolicy& policy, const std::string& path,
                                            synth::ElementType element, const synth::Shape& shape);
// Of a .safetensors file or a .npz archive that is to hold these arrays and no others.
base::Result<FileFrame> frame_of_all(const std::string& file, std::span<const FramedArray> arrays);

}  // namespace tessera::runtime
