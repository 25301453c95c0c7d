#include "runtime/text/array_text.hpp"

#include <algorithm>

#include "runtime/kernels/copy.hpp"
#include "runtime/text/format.hpp"

namespace tessera::runtime {

namespace {

// numpy.array2string's defaults.
constexpr std::size_t kLineWidth = 75;
constexpr std::int64_t kThreshold = 1000;
constexpr std::int64_t kEdgeItems = 3;

// Lays the elements' texts out in nested brackets, by NumPy's rules for line breaks.
class Brackets {
 public:
  Brackets(const Corners& corners, std::vector<std::string> texts) : corners_(corners), texts_(std::move(texts)) {}

  std::string run() { return level(0, 0, " ", kLineWidth); }

 private:
  // `first`: the number of the level's first element.
  std::string level(std::size_t axis, std::int64_t first, const std::string& indent, std::size_t width) const {
    if (axis == corners_.shape.size()) return texts_[static_cast<std::size_t>(first)];
    const bool rows = axis + 1 == corners_.shape.size();
    const std::string body = rows ? row(axis, first, indent, width) : block(axis, first, indent, width);
    return "[" + body.substr(indent.size()) + "]";
  }

  std::string row(std::size_t axis, std::int64_t first, const std::string& indent, std::size_t width) const {
    std::string done;
    std::string line = indent;
    const auto add = [&](const std::string& word) {
      if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
        line.erase(line.find_last_not_of(' ') + 1);
        done += line + "\n";
        line = indent;
      }
      line += word;
    };
    for (std::int64_t i = 0; i < corners_.shape[axis]; ++i) {
      if (i > 0) line += ' ';
      if (corners_.cut[axis] && i == kEdgeItems) {
        add("...");
        line += ' ';
      }
      add(texts_[static_cast<std::size_t>(first + i)]);
    }
    return done + line;
  }

  std::string block(std::size_t axis, std::int64_t first, const std::string& indent, std::size_t width) const {
    std::int64_t step = 1;
    for (std::size_t d = axis + 1; d < corners_.shape.size(); ++d) step *= corners_.shape[d];
    const std::string between(corners_.shape.size() - axis - 1, '\n');
    std::string text;
    for (std::int64_t i = 0; i < corners_.shape[axis]; ++i) {
      if (i > 0) text += between;
      if (corners_.cut[axis] && i == kEdgeItems) text += indent + "..." + between;
      text += indent + level(axis + 1, first + i * step, indent + ' ', width - 1);
    }
    return text;
  }

  const Corners& corners_;
  std::vector<std::string> texts_;
};

}  // namespace

Corners corners_of(const synth::Shape& shape) {
  const bool summarised = count(shape) > kThreshold;
  Corners corners;
  for (const std::int64_t extent : shape) {
    corners.cut.push_back(summarised && extent > 2 * kEdgeItems);
    corners.shape.push_back(corners.cut.back() ? 2 * kEdgeItems : extent);
  }
  return corners;
}

std::vector<CornerBox> corner_boxes(const synth::Shape& shape, const Corners& corners) {
  std::vector<CornerBox> boxes(1);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<CornerBox> longer;
    const std::int64_t last = corners.cut[d] ? shape[d] - kEdgeItems : 0;
    for (const CornerBox& known : boxes) {
      const auto add = [&](std::int64_t begin, std::int64_t end, std::int64_t at) {
        CornerBox& box = longer.emplace_back(known);
        box.box.push_back({begin, end});
        box.begin.push_back(at);
      };
      if (corners.cut[d]) add(0, kEdgeItems, 0);
      add(last, shape[d], corners.cut[d] ? kEdgeItems : 0);
    }
    boxes = std::move(longer);
  }
  return boxes;
}

std::string corners_text(const Corners& corners, synth::ElementType element, const std::byte* bytes) {
  if (is_empty(corners.shape)) return "[]";
  return Brackets(corners, element_texts(element, bytes, count(corners.shape), !corners.shape.empty())).run();
}

namespace {

// Calls read(box, out) for the boxes that are shown.
template <class Read>
std::string text_of(const Gatherer& array, const Read& read) {
  const synth::ElementType element = array.type().element();
  const Corners corners = corners_of(array.type().shape());
  std::vector<std::byte> bytes(static_cast<std::size_t>(count(corners.shape) * synth::bytes_of(element)));
  std::vector<std::byte> part(bytes.size());
  const TileOut all{element, corners.shape, bytes.data()};
  for (const CornerBox& corner : corner_boxes(array.type().shape(), corners)) {
    const TileOut out{element, synth::shape_of(corner.box), part.data()};
    read(corner.box, out);
    const TileView target = part_of(dense_view(all), corner.begin, out.shape);
    copy_elements(dense_view(out), TileTarget{target.strides, bytes.data() + (target.data - bytes.data())});
  }
  if (corners.shape.empty()) return scalar_text(element, bytes.data());
  return corners_text(corners, element, bytes.data());
}

}  // namespace

std::string value_text(const Gatherer& array) {
  return text_of(array, [&](const synth::Box& box, const TileOut& out) { array.read(box, out); });
}

std::string value_text(const Gatherer& array, const ParcelSource& source) {
  return text_of(array, [&](const synth::Box& box, const TileOut& out) { array.read(box, out, source); });
}

std::vector<TileBox> parcels_shown(const Gatherer& array) {
  std::vector<TileBox> parcels;
  for (const CornerBox& corner : corner_boxes(array.type().shape(), corners_of(array.type().shape()))) {
    const std::vector<TileBox> more = array.parcels(corner.box);
    parcels.insert(parcels.end(), more.begin(), more.end());
  }
  return parcels;
}

std::string format_scalar(synth::ElementType element, const std::byte* bytes) { return scalar_text(element, bytes); }

std::string format_array(const synth::Literal& array) {
  const Corners corners = corners_of(array.shape);
  std::vector<std::byte> bytes(static_cast<std::size_t>(count(corners.shape) * synth::bytes_of(array.element)));
  const TileView from = dense_view(array.element, array.shape, array.bytes.data());
  const TileOut all{array.element, corners.shape, bytes.data()};
  for (const CornerBox& corner : corner_boxes(array.shape, corners)) {
    synth::Shape begin;
    for (const synth::Interval& interval : corner.box) begin.push_back(interval.begin);
    const TileView target = part_of(dense_view(all), corner.begin, synth::shape_of(corner.box));
    copy_elements(part_of(from, begin, target.shape),
                  TileTarget{target.strides, bytes.data() + (target.data - bytes.data())});
  }
  return corners_text(corners, array.element, bytes.data());
}

}  // namespace tessera::runtime
