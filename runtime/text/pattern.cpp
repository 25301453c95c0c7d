#include "runtime/text/pattern.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace tessera::runtime {

namespace {

// The lengths of the tiles, each once: `2 or 3`.
std::string lengths_text(const synth::Cuts& cuts) {
  std::set<std::int64_t> lengths;
  for (std::int64_t place = 0; place < cuts.tiles(); ++place) lengths.insert(cuts.tile(place).length());
  return fmt::format("{}", fmt::join(lengths, " or "));
}

std::string dimension_text(const synth::ArrayType& type, std::size_t d) {
  const std::int64_t extent = type.shape()[d];
  const synth::AxisList& split = type.layout().split(d);
  if (split.empty()) return fmt::format("dimension {}: {}, whole on every device\n", d, extent);
  const synth::Cuts cuts = synth::cuts(type, d);
  return fmt::format("dimension {}: {} over {}, {} tiles of {}\n", d, extent, synth::print(type.mesh(), split),
                     cuts.tiles(), lengths_text(cuts));
}

std::string device_text(const synth::ArrayType& type, const std::vector<synth::Box>& boxes, std::size_t device) {
  std::vector<std::string> coordinates;
  for (std::size_t axis = 0; axis < type.mesh().axes().size(); ++axis) {
    const std::int64_t at = type.mesh().coordinate(static_cast<std::int64_t>(device), axis);
    coordinates.push_back(fmt::format("{}={}", type.mesh().axes()[axis].name, at));
  }
  std::vector<std::string> ranges;
  for (const synth::Interval& interval : boxes[device])
    ranges.push_back(fmt::format("{}:{}", interval.begin, interval.end));
  const bool empty = synth::empty(boxes[device]);
  return fmt::format("device {} ({}): {}\n", type.mesh().device_of_run(static_cast<std::int64_t>(device)).value,
                     fmt::join(coordinates, ", "), empty ? "nothing" : fmt::format("[{}]", fmt::join(ranges, ", ")));
}

}  // namespace

std::string_view joined_by(synth::ReduceOp op) {
  switch (op) {
    case synth::ReduceOp::sum: return "sum";
    case synth::ReduceOp::max: return "maximum";
    case synth::ReduceOp::min: return "minimum";
    case synth::ReduceOp::product: return "product";
  }
  return "";
}

std::string pattern_text(const synth::ArrayType& type, const std::vector<synth::Box>& boxes) {
  constexpr std::size_t kEnds = 3;
  std::string text;
  for (std::size_t d = 0; d < type.rank(); ++d) text += dimension_text(type, d);
  const std::int64_t replicas = synth::copies(type);
  if (replicas > 1) text += fmt::format("every tile is on {} devices\n", replicas);
  const synth::AxisList& pending = type.layout().pending();
  if (!pending.empty()) {
    text +=
        fmt::format("the array is the {} over {} of the parts that the {} devices along it hold\n",
                    joined_by(type.layout().reduce()), synth::print(type.mesh(), pending), synth::shard_count(pending));
  }
  for (std::size_t device = 0; device < boxes.size(); ++device) {
    const bool is_shown = device < kEnds || device + kEnds >= boxes.size();
    if (is_shown)
      text += device_text(type, boxes, device);
    else if (device == kEnds)
      text += "...\n";
  }
  return text;
}

}  // namespace tessera::runtime
