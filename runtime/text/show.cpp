#include "runtime/text/show.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>

#include "runtime/kernels/copy.hpp"
#include "runtime/memory/tile_maps.hpp"
#include "runtime/text/array_text.hpp"
#include "runtime/text/format.hpp"
#include "runtime/text/grid.hpp"
#include "runtime/text/pattern.hpp"

namespace tessera::runtime {

namespace {

// Larger pictures are summarised.
constexpr std::size_t kRowsMax = 16;
constexpr std::size_t kColumnsMax = 8;
constexpr std::size_t kShortColumnsMax = 16;
constexpr std::size_t kSlicesMax = 8;
// Elements are drawn if there are few, and no line becomes too long.
constexpr std::int64_t kElementsMax = 64;

std::string range(const synth::Interval& interval) { return fmt::format("{}:{}", interval.begin, interval.end); }

// Lengths shown true to each other: at most `most` in all, none below 1.
std::size_t to_scale(std::int64_t length, std::int64_t total, std::int64_t unit, std::int64_t most) {
  const std::int64_t wanted = total * unit <= most ? length * unit : (length * most + total / 2) / total;
  return static_cast<std::size_t>(std::max<std::int64_t>(1, wanted));
}

// The lines that each row of tiles takes where no elements are drawn, true to each other; one where all would take as
// many.
std::vector<std::size_t> scaled_heights(const std::set<synth::Interval>& rows, std::int64_t total) {
  std::vector<std::size_t> heights;
  for (const synth::Interval& row : rows) heights.push_back(to_scale(row.length(), total, 1, 12));
  const bool are_equal = std::adjacent_find(heights.begin(), heights.end(), std::not_equal_to<>()) == heights.end();
  if (are_equal) std::fill(heights.begin(), heights.end(), 1);
  return heights;
}

// The parts of a pending float sum hold -0.0 where a device adds nothing. That sign is not the sum's: people see 0.
template <class T>
void drop_signs_of_zeros(std::vector<std::byte>& bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    if (value == 0) std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), sizeof(T), std::byte{0});
  }
}

// How a tile says who holds it.
enum class Labels {
  in_words,   // `device 12`, `sum of devices 0, 1`
  by_number,  // `12`, `sum of 0-63`
};

class Picture {
 public:
  // `values` is the array itself if its elements are to be drawn.
  Picture(const synth::ArrayType& type, const std::vector<synth::Box>& boxes, const Distributed* values, Labels labels)
      : type_(type), values_(values), labels_(labels), cuts_(type.rank()) {
    const synth::AxisList& pending = type.layout().pending();
    const auto parts = static_cast<std::size_t>(synth::shard_count(pending));
    for (std::size_t device = 0; device < boxes.size(); ++device) {
      if (synth::empty(boxes[device])) {
        idle_.push_back(device);
        continue;
      }
      const std::int64_t position = synth::position(type.mesh(), pending, static_cast<std::int64_t>(device));
      auto& owners = owners_.try_emplace(boxes[device], parts).first->second;
      owners[static_cast<std::size_t>(position)].push_back(device);
      for (std::size_t d = 0; d < type.rank(); ++d) cuts_[d].insert(boxes[device][d]);
    }
    if (values != nullptr) read_elements();
  }

  bool fits() const {
    std::size_t slices = 1;
    for (std::size_t d = 0; d + 2 < cuts_.size(); ++d) {
      if (cuts_[d].size() > kSlicesMax) return false;
      slices *= cuts_[d].size();
    }
    return slices <= kSlicesMax && (cuts_.size() < 2 || cuts_[cuts_.size() - 2].size() <= kRowsMax) &&
           (cuts_.empty() || cuts_.back().size() <= (labels_ == Labels::by_number ? kShortColumnsMax : kColumnsMax));
  }

  std::string text() const {
    std::string text;
    if (!owners_.empty()) slice({}, text);
    if (!idle_.empty()) text += fmt::format("{} {} nothing\n", named(idle_), idle_.size() == 1 ? "holds" : "hold");
    return text;
  }

 private:
  using Owners = std::vector<std::vector<std::size_t>>;  // devices by pending position

  // Devices of the run, by their numbers in the mesh.
  std::string listed(const std::vector<std::size_t>& numbers) const {
    std::vector<std::size_t> devices;
    for (const std::size_t number : numbers)
      devices.push_back(type_.mesh().device_of_run(static_cast<std::int64_t>(number)).value);
    return device_list(devices);
  }
  std::string named(const std::vector<std::size_t>& numbers) const {
    return (numbers.size() == 1 ? "device " : "devices ") + listed(numbers);
  }

  // `devices 0-3`; of a pending array `sum of devices 0, 1`, or `maximum of devices 0,2; 1,3` if a part is on several.
  std::string label(const Owners& owners) const {
    if (labels_ == Labels::by_number) return short_label(owners);
    if (owners.size() == 1) return named(owners[0]);
    std::vector<std::string> parts;
    for (const auto& devices : owners) parts.push_back(listed(devices));
    const bool several = std::any_of(owners.begin(), owners.end(), [](const auto& part) { return part.size() > 1; });
    return fmt::format("{} of devices {}", joined_by(type_.layout().reduce()), fmt::join(parts, several ? "; " : ", "));
  }

  // The devices whose parts make a sum, all in one list.
  std::string short_label(const Owners& owners) const {
    std::vector<std::size_t> devices;
    for (const auto& part : owners) devices.insert(devices.end(), part.begin(), part.end());
    std::sort(devices.begin(), devices.end());
    std::string list = device_list(devices);
    if (owners.size() == 1) return list;
    return fmt::format("{} of {} parts: {}", joined_by(type_.layout().reduce()), owners.size(), list);
  }

  // One grid for each choice of tiles in the dimensions before the last two.
  void slice(const synth::Box& outer, std::string& text) const {
    const std::size_t d = outer.size();
    if (d + 2 < cuts_.size()) {
      for (const synth::Interval& interval : cuts_[d]) {
        synth::Box box = outer;
        box.push_back(interval);
        slice(box, text);
      }
      return;
    }
    if (d > 0) {
      std::vector<std::string> parts;
      for (const synth::Interval& interval : outer) parts.push_back(range(interval));
      text += fmt::format("[{}, :, :]\n", fmt::join(parts, ", "));
    }
    text += draw(grid(outer));
  }

  Grid grid(const synth::Box& outer) const {
    const std::size_t rank = cuts_.size();
    const std::set<synth::Interval> one = {{0, 1}};
    const auto& rows = rank >= 2 ? cuts_[rank - 2] : one;
    const auto& columns = rank >= 1 ? cuts_[rank - 1] : one;
    Grid grid;
    for (const synth::Interval& column : columns) {
      grid.column_labels.push_back(rank >= 1 ? range(column) : "");
      grid.widths.push_back(drawn() ? 1 : to_scale(column.length(), rank >= 1 ? type_.shape()[rank - 1] : 1, 2, 48));
    }
    grid.heights = drawn() ? std::vector<std::size_t>(rows.size(), 1)
                           : scaled_heights(rows, rank >= 2 ? type_.shape()[rank - 2] : 1);
    for (const synth::Interval& row : rows) {
      grid.row_labels.push_back(rank >= 2 ? range(row) : "");
      auto& cells = grid.cells.emplace_back();
      for (const synth::Interval& column : columns) {
        synth::Box box = outer;
        if (rank >= 2) box.push_back(row);
        if (rank >= 1) box.push_back(column);
        cells.push_back(cell(box));
      }
    }
    return grid;
  }

  std::vector<std::string> cell(const synth::Box& box) const {
    const auto found = owners_.find(box);
    if (found == owners_.end()) return {};
    const Owners& owners = found->second;
    std::vector<std::string> lines = {label(owners)};
    if (!drawn()) return lines;
    for (const auto& devices : owners) {
      if (owners.size() > 1) lines.push_back(named(devices) + ":");
      const auto rows = element_rows(box, devices[0]);
      lines.insert(lines.end(), rows.begin(), rows.end());
    }
    return lines;
  }

  bool drawn() const { return values_ != nullptr; }

  // All elements in one format, by the first device that holds them.
  void read_elements() {
    const std::int64_t size = synth::bytes_of(type_.element());
    std::vector<std::byte> bytes;
    std::int64_t n = 0;
    for (const auto& [box, owners] : owners_) {
      for (const auto& devices : owners) {
        const std::int64_t length = synth::elements(box);
        first_text_[devices[0]] = static_cast<std::size_t>(n);
        n += length;
        bytes.resize(static_cast<std::size_t>(n * size));
        copy_elements(values_->tiles[devices[0]],
                      TileOut{type_.element(), synth::shape_of(box), bytes.data() + (n - length) * size});
      }
    }
    const bool is_sum = !type_.layout().pending().empty() && type_.layout().reduce() == synth::ReduceOp::sum;
    if (is_sum && type_.element() == synth::ElementType::f32) drop_signs_of_zeros<float>(bytes);
    if (is_sum && type_.element() == synth::ElementType::f64) drop_signs_of_zeros<double>(bytes);
    texts_ = element_texts(type_.element(), bytes.data(), n, type_.rank() > 0);
  }

  // A row of elements to a line; matrices of an array of more dimensions are apart.
  std::vector<std::string> element_rows(const synth::Box& box, std::size_t device) const {
    const std::size_t rank = box.size();
    const std::int64_t columns = rank >= 1 ? box[rank - 1].length() : 1;
    const std::int64_t rows = rank >= 2 ? box[rank - 2].length() : 1;
    std::vector<std::string> lines;
    std::size_t at = first_text_.at(device);
    for (std::int64_t row = 0; row < synth::elements(box) / columns; ++row) {
      if (row > 0 && row % rows == 0) lines.emplace_back();
      const auto begin = texts_.begin() + static_cast<std::ptrdiff_t>(at);
      lines.push_back(fmt::format("{}", fmt::join(begin, begin + columns, " ")));
      at += static_cast<std::size_t>(columns);
    }
    return lines;
  }

  const synth::ArrayType& type_;
  const Distributed* values_;
  Labels labels_;
  std::map<synth::Box, Owners> owners_;
  std::vector<std::set<synth::Interval>> cuts_;
  std::vector<std::size_t> idle_;
  std::map<std::size_t, std::size_t> first_text_;  // by device, into texts_
  std::vector<std::string> texts_;
};

// The columns of a folded picture: those in front of its first device, and its widest device.
std::size_t folded_columns(std::string_view line) {
  const std::size_t corner = line.find('+');
  if (corner == std::string_view::npos || line.find_first_not_of(" +-") != std::string_view::npos) return 0;
  std::size_t widest = 0;
  for (std::size_t at = corner; at != std::string_view::npos;) {
    const std::size_t next = line.find('+', at + 1);
    if (next != std::string_view::npos) widest = std::max(widest, next - at);
    at = next;
  }
  return corner + widest + 1;
}

bool is_wide(const std::string& text, int columns) {
  const auto screen = static_cast<std::size_t>(columns);
  const auto line_max = std::max(screen, static_cast<std::size_t>(kPictureColumns));
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (line.size() > line_max || folded_columns(line) > screen) return true;
    begin = end + 1;
  }
  return false;
}

// The first that is narrow enough: with elements, without, with devices by number alone; else a description in words.
std::string picture(const synth::ArrayType& type, const std::vector<synth::Box>& boxes, const Distributed* values,
                    int columns) {
  std::string remark;
  if (values != nullptr && !shows_elements(type)) {
    remark = fmt::format("elements left out: more than {} to draw\n", kElementsMax);
  } else if (values != nullptr) {
    const Picture drawing(type, boxes, values, Labels::in_words);
    const std::string text = drawing.fits() ? drawing.text() : "";
    if (!text.empty() && !is_wide(text, columns)) return text;
    remark = "elements left out: too wide with them\n";
  }
  const Picture drawing(type, boxes, nullptr, Labels::in_words);
  const std::string text = drawing.fits() ? drawing.text() : "";
  if (!text.empty() && !is_wide(text, columns)) return text + remark;
  const Picture narrow(type, boxes, nullptr, Labels::by_number);
  const std::string numbers = narrow.fits() ? narrow.text() : "";
  if (!numbers.empty() && !is_wide(numbers, columns)) return numbers + "numbers in the picture are devices\n" + remark;
  return pattern_text(type, boxes) + remark;
}

}  // namespace

bool shows_elements(const synth::ArrayType& type) {
  return count(type.shape()) * synth::shard_count(type.layout().pending()) <= kElementsMax;
}

std::string device_list(const std::vector<std::size_t>& devices) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < devices.size();) {
    std::size_t end = i + 1;  // of the longest run of equal steps
    const std::size_t step = end < devices.size() ? devices[end] - devices[i] : 1;
    while (end < devices.size() && devices[end] - devices[end - 1] == step) ++end;
    const std::size_t n = end - i;
    if (step == 1 && n >= 2)
      parts.push_back(fmt::format("{}-{}", devices[i], devices[end - 1]));
    else if (n >= 4)
      parts.push_back(fmt::format("{}-{} by {}", devices[i], devices[end - 1], step));
    else {
      parts.push_back(fmt::format("{}", devices[i]));
      end = i + 1;
    }
    i = end;
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

std::string show_text(const Distributed& array, std::string_view label, int columns) {
  const std::string mesh = synth::print(array.type.mesh());
  std::string text = fmt::format("{}{}{}", label, label.empty() ? "" : ": ", synth::print(array.type));
  if (!mesh.empty()) text += fmt::format(" on [{}]", mesh);
  return text + "\n" + picture(array.type, array.boxes, &array, columns);
}

std::string format_layout(const synth::ArrayType& type) {
  return picture(type, make_tile_map(type).boxes, nullptr, kPictureColumns);
}

}  // namespace tessera::runtime
