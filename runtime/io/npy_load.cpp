#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "base/check.hpp"
#include "runtime/io/npy.hpp"
#include "runtime/io/stored.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kinds.hpp"

namespace tessera::runtime {

namespace {

using base::make;

// At most so much is read at once, and at most so many bytes for each that is wanted: reading over small gaps is
// cheaper than many small reads.
constexpr std::int64_t kReadBytesMax = std::int64_t{4} << 20U;
constexpr std::int64_t kReadForOne = 8;

// A box of a file on its way into a tile. Dimensions are those of more than one element, the file's outermost first.
class BoxRead {
 public:
  BoxRead(const File& file, const NpyHeader& header, const synth::Box& box, const TileOut& out)
      : file_(file), element_(header.element), bytes_(synth::bytes_of(header.element)), out_(out.data) {
    const std::size_t rank = header.shape.size();
    synth::Shape order;
    for (std::size_t i = 0; i < rank; ++i)
      order.push_back(static_cast<std::int64_t>(header.fortran_order ? rank - 1 - i : i));
    synth::Shape ordered;
    for (const std::int64_t d : order) ordered.push_back(header.shape[d]);
    const synth::Shape steps = dense_strides(ordered);
    const synth::Shape tile_strides = dense_strides(out.shape);
    start_ = header.data_offset;
    for (std::size_t i = 0; i < rank; ++i) {
      const std::int64_t d = order[i];
      start_ += box[d].begin * steps[i] * bytes_;
      if (box[d].length() == 1) continue;
      shape_.push_back(box[d].length());
      in_file_.push_back(steps[i]);
      in_tile_.push_back(tile_strides[d]);
    }
    buffer_.resize(static_cast<std::size_t>(kReadBytesMax));
  }

  base::Status run() { return read(0, start_, out_); }

 private:
  // Elements of the file from the first to the last of dimensions d and after, and how many of them are wanted.
  std::int64_t span(std::size_t d) const {
    std::int64_t elements = 1;
    for (; d < shape_.size(); ++d) elements += (shape_[d] - 1) * in_file_[d];
    return elements;
  }
  std::int64_t wanted(std::size_t d) const {
    std::int64_t elements = 1;
    for (; d < shape_.size(); ++d) elements *= shape_[d];
    return elements;
  }
  // Do the dimensions lie in the tile as in the file, without gaps?
  bool lies_alike(std::size_t d) const {
    if (span(d) != wanted(d)) return false;
    for (; d < shape_.size(); ++d) {
      if (in_file_[d] != in_tile_[d]) return false;
    }
    return true;
  }

  base::Status read(std::size_t d, std::int64_t at, std::byte* to) {
    if (lies_alike(d)) return read_straight(at, std::span(to, static_cast<std::size_t>(wanted(d) * bytes_)));
    const std::int64_t inner = span(d + 1);
    const std::int64_t most = kReadBytesMax / bytes_;
    const bool at_once = span(d) / kReadForOne <= wanted(d) && inner <= most;
    const std::int64_t group = at_once ? 1 + (most - inner) / in_file_[d] : 1;
    for (std::int64_t i = 0; i < shape_[d] && !is_given_up(); i += group) {
      const std::int64_t from = at + i * in_file_[d] * bytes_;
      std::byte* const target = to + i * in_tile_[d] * bytes_;
      if (at_once)
        TESSERA_TRY_STATUS(read_group(d, std::min(group, shape_[d] - i), from, target));
      else
        TESSERA_TRY_STATUS(read(d + 1, from, target));
    }
    return base::Done{};
  }

  base::Status read_straight(std::int64_t at, std::span<std::byte> to) {
    while (!to.empty() && !is_given_up()) {
      const std::size_t piece = std::min(to.size(), static_cast<std::size_t>(kReadBytesMax));
      TESSERA_TRY_STATUS(file_.read_at(at, to.first(piece)));
      to = to.subspan(piece);
      at += static_cast<std::int64_t>(piece);
    }
    return base::Done{};
  }

  // `count` items of dimension d, gaps included, by way of the buffer.
  base::Status read_group(std::size_t d, std::int64_t count, std::int64_t at, std::byte* to) {
    const std::int64_t elements = (count - 1) * in_file_[d] + span(d + 1);
    TESSERA_TRY_STATUS(file_.read_at(at, std::span(buffer_).first(static_cast<std::size_t>(elements * bytes_))));
    TileView from{element_, {count}, {in_file_[d]}, buffer_.data()};
    TileTarget target{{in_tile_[d]}, to};
    for (std::size_t i = d + 1; i < shape_.size(); ++i) {
      from.shape.push_back(shape_[i]);
      from.strides.push_back(in_file_[i]);
      target.strides.push_back(in_tile_[i]);
    }
    copy_elements(from, target);
    return base::Done{};
  }

  const File& file_;
  synth::ElementType element_;
  std::int64_t bytes_;
  std::byte* out_;
  std::int64_t start_ = 0;
  synth::Shape shape_, in_file_, in_tile_;
  std::vector<std::byte> buffer_;
};

void reverse_bytes(const TileOut& out) {
  // Of a complex number each part is turned.
  const std::int64_t parts = synth::is_complex(out.element) ? 2 : 1;
  const std::int64_t size = synth::bytes_of(out.element) / parts;
  parallel_ranges(parts * count(out.shape), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::byte* e = out.data + begin * size; e < out.data + end * size; e += size) std::reverse(e, e + size);
  });
}

// Any byte but 0 is true.
void make_bools(const TileOut& out) {
  parallel_ranges(count(out.shape), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) out.data[i] = std::byte{out.data[i] != std::byte{0}};
  });
}

std::string print(const synth::Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += fmt::format("{}{}", text.empty() ? "" : ", ", extent);
  return "[" + text + "]";
}

}  // namespace

base::Result<NpyReader> NpyReader::open(const FilePolicy& policy, const std::string& path, synth::ElementType element,
                                        const synth::Shape& shape) {
  TESSERA_TRY(found, find_array(policy, path));
  const NpyHeader header = found.header;
  if (header.element != element) {
    return make(Kind::file_element, in_quotes(path), synth::name(header.element), synth::name(element));
  }
  if (header.shape != shape) return make(Kind::file_shape, in_quotes(path), print(header.shape), print(shape));
  TESSERA_TRY(file, unpacked(std::move(found)));
  return NpyReader(std::move(file), header);
}

base::Status NpyReader::read(const synth::Box& box, const TileOut& out) const {
  if (is_empty(out.shape)) return base::Done{};
  TESSERA_TRY_STATUS(BoxRead(file_, header_, box, out).run());
  if (header_.big_endian != (std::endian::native == std::endian::big)) reverse_bytes(out);
  if (out.element == synth::ElementType::boolean) make_bools(out);
  return base::Done{};
}

}  // namespace tessera::runtime
