// Arrays in files, of which .npy is the simplest form: tiles read where they lie, arrays and tiles saved whole or not
// at all.
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
#include "runtime/io/check_sum.hpp"
#include "runtime/io/file.hpp"
#include "runtime/io/files.hpp"
#include "runtime/io/opening.hpp"
#include "runtime/kernels/tile.hpp"

namespace tessera::runtime {

struct FileFrame;
struct FramedArray;

// Our element types as NumPy codes them, without byte order. NumPy itself has no bf16: its bytes go as two that mean
// nothing to it, which is how the ml_dtypes package writes them.
struct NpyElement {
  synth::ElementType type;
  std::string_view code;
};
inline constexpr NpyElement kNpyElements[] = {
    {synth::ElementType::boolean, "b1"}, {synth::ElementType::i32, "i4"},   {synth::ElementType::i64, "i8"},
    {synth::ElementType::f32, "f4"},     {synth::ElementType::f64, "f8"},   {synth::ElementType::f16, "f2"},
    {synth::ElementType::bf16, "V2"},    {synth::ElementType::i8, "i1"},    {synth::ElementType::u8, "u1"},
    {synth::ElementType::i16, "i2"},     {synth::ElementType::u16, "u2"},   {synth::ElementType::u32, "u4"},
    {synth::ElementType::c64, "c8"},     {synth::ElementType::c128, "c16"},
};

base::Result<NpyHeader> read_header(const OpenedFile& opened);
// A header of version 1.0, to the byte as NumPy writes it.
std::string make_npy_header(synth::ElementType element, const synth::Shape& shape);

// An array in a file, of which boxes are read.
class NpyReader {
 public:
  // Of a path as a step names it. Fails where the file does not hold an array of this element type and shape.
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
  std::size_t array = 0;    // of the writer's
};

// Arrays on their way into a file: a temporary file, of full size from the start, that takes the target's place when
// all is written. A failure before that leaves the old file as it was, and nothing beside it. A file that the host
// opens is written in place instead.
class NpyWriter {
 public:
  // A temporary file without a name disappears with its process, however that ends; only processes that see each
  // other's /proc can join in. On a file system without such files it has a hidden name beside the target.
  enum class Name { none, hidden };
  static base::Result<NpyWriter> create(const FilePolicy& policy, const std::string& path, synth::ElementType element,
                                        const synth::Shape& shape, Name name = Name::none);
  // Of the file that is to hold these arrays and no others, whatever it held before.
  static base::Result<NpyWriter> create_of_all(const FilePolicy& policy, const std::string& file,
                                               std::span<const FramedArray> arrays, Name name = Name::none);
  // At a place in a folder that is held open; `name` is what diagnostics call the file.
  static base::Result<NpyWriter> create_at(FilePlace place, const std::string& name, synth::ElementType element,
                                           const synth::Shape& shape);
  // Another process's file, to help with: `invitation` is what that process's writer gave for the same arrays.
  static base::Result<NpyWriter> join(const FilePolicy& policy, std::string_view invitation,
                                      std::vector<FramedArray> arrays);
  NpyWriter(NpyWriter&&) noexcept;
  ~NpyWriter();

  std::string invitation() const;
  // All slabs of an array, in the order of the file. Each process writes slabs that follow each other, in their order.
  std::vector<NpySlab> slabs(std::size_t array = 0) const;
  base::Status write(const NpySlab& slab, std::span<const std::byte> bytes);
  // Are check sums kept? Then whoever created the file is told those of the others, in the order of what they wrote.
  bool keeps_sums() const;
  std::vector<CheckSum> sums() const;
  void add_sums(std::span<const CheckSum> sums);
  // By whoever created it, when all slabs are written.
  base::Status commit();

 private:
  struct Files;
  static base::Result<NpyWriter> begun(std::unique_ptr<Files> files, FileFrame frame, std::vector<FramedArray> arrays);
  explicit NpyWriter(std::unique_ptr<Files> files);
  std::unique_ptr<Files> files_;
};

// Saves an array of this type; `fill` gives the elements of a box, row-major.
using BoxSource = std::function<void(const synth::Box& box, const TileOut& out)>;
base::Status save_npy(NpyWriter writer, synth::ElementType element, const BoxSource& fill, base::StopToken stop = {});
base::Status save_npy(const FilePolicy& policy, const std::string& path, synth::ElementType element,
                      const synth::Shape& shape, const BoxSource& fill, base::StopToken stop = {});

}  // namespace tessera::runtime
