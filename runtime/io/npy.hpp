// Arrays in .npy files: tiles read where they lie, arrays and tiles saved whole or not at all.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/stop.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/files.hpp"
#include "runtime/kernels/tile.hpp"

namespace tessera::runtime {

// Our element types as NumPy codes them, without byte order. NumPy itself has no bf16: its bytes go as two that mean
// nothing to it, which is how the ml_dtypes package writes them.
struct NpyElement {
  synth::ElementType type;
  std::string_view code;
};
inline constexpr NpyElement kNpyElements[] = {
    {synth::ElementType::boolean, "b1"}, {synth::ElementType::i32, "i4"}, {synth::ElementType::i64, "i8"},
    {synth::ElementType::f32, "f4"},     {synth::ElementType::f64, "f8"}, {synth::ElementType::f16, "f2"},
    {synth::ElementType::bf16, "V2"},
};

base::Result<NpyHeader> read_header(const OpenedFile& opened);
// A header of version 1.0, to the byte as NumPy writes it.
std::string make_npy_header(synth::ElementType element, const synth::Shape& shape);

// An array in a file, of which boxes are read.
class NpyReader {
 public:
  // Fails where the file does not hold an array of this element type and shape.
  static base::Result<NpyReader> open(const FilePolicy& policy, const std::string& path, synth::ElementType element,
                                      const synth::Shape& shape);
  // The box's elements, row-major and in the machine's byte order. Little more is read than the box. Thread-safe.
  base::Status read(const synth::Box& box, const TileOut& out) const;

 private:
  NpyReader(File file, NpyHeader header) : file_(std::move(file)), header_(header) {}

  File file_;
  NpyHeader header_;
};

// A part of a file being saved: a box whose elements are consecutive in the file, at most about 8 MiB.
struct NpySlab {
  synth::Box box;
  std::int64_t offset = 0;  // of its first byte in the file
};

// An array on its way into a file: a temporary file, of full size from the start, that takes the target's place when
// all is written. A failure before that leaves the old file as it was, and nothing beside it. A file that the host
// opens is written in place instead.
class NpyWriter {
 public:
  // A temporary file without a name disappears with its process, however that ends; only processes that see each
  // other's /proc can join in. On a file system without such files it has a hidden name beside the target.
  enum class Name { none, hidden };
  static base::Result<NpyWriter> create(const FilePolicy& policy, const std::string& path, synth::ElementType element,
                                        const synth::Shape& shape, Name name = Name::none);
  // At a place in a folder that is held open; `name` is what diagnostics call the file.
  static base::Result<NpyWriter> create_at(FilePlace place, const std::string& name, synth::ElementType element,
                                           const synth::Shape& shape);
  // Another process's temporary file, to help with; `name` is what the program calls the target. A host's has no path.
  static base::Result<NpyWriter> join(const FilePolicy& policy, const std::string& temporary, const std::string& name,
                                      synth::ElementType element, const synth::Shape& shape);
  NpyWriter(NpyWriter&&) noexcept;
  ~NpyWriter();

  const std::string& temporary() const;  // its absolute path; none of a host's
  // All slabs, in the order of the file.
  std::vector<NpySlab> slabs() const;
  base::Status write(const NpySlab& slab, std::span<const std::byte> bytes) const;
  // By whoever created it, when all slabs are written.
  base::Status commit();

 private:
  struct Files;
  static base::Result<NpyWriter> begun(std::unique_ptr<Files> files, synth::ElementType element,
                                       const synth::Shape& shape);
  NpyWriter(std::unique_ptr<Files> files, synth::ElementType element, const synth::Shape& shape);
  std::unique_ptr<Files> files_;
  synth::ElementType element_;
  synth::Shape shape_;
};

// Saves an array of this type; `fill` gives the elements of a box, row-major.
using BoxSource = std::function<void(const synth::Box& box, const TileOut& out)>;
base::Status save_npy(NpyWriter writer, synth::ElementType element, const BoxSource& fill, base::StopToken stop = {});
base::Status save_npy(const FilePolicy& policy, const std::string& path, synth::ElementType element,
                      const synth::Shape& shape, const BoxSource& fill, base::StopToken stop = {});

}  // namespace tessera::runtime
