#include "synth/moves/collective/line_deliveries.hpp"

#include <algorithm>
#include <limits>

#include "base/check.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/moves/collective/requests.hpp"

namespace tessera::synth {

namespace {

// The values as the lines of the result lie, each of them whole.
ArrayType with_whole_lines(const ArrayType& values, const ArrayType& result) {
  std::vector<AxisList> splits = result.layout().splits();
  splits.back().clear();
  auto layout = Layout::make(result.mesh(), std::move(splits));
  TESSERA_CHECK(layout.ok(), "a layout without a split is none");
  auto type = values.with_layout(std::move(layout).value());
  TESSERA_CHECK(type.ok(), "lines of values are not those of their sums");
  return std::move(type).value();
}

Box common_part(const Box& a, const Box& b) {
  Box both;
  for (std::size_t d = 0; d < a.size(); ++d) {
    const std::int64_t begin = std::max(a[d].begin, b[d].begin);
    both.push_back({begin, std::max(begin, std::min(a[d].end, b[d].end))});
  }
  return both;
}

}  // namespace

bool adds_along_by_delivery(const ArrayType& values, const ArrayType& ids, const ArrayType& result) {
  if (!goes_along_lines(values.rank(), ids.rank(), result.rank()) || !result.layout().pending().empty()) return false;
  const std::size_t last = result.rank() - 1;
  for (std::size_t d = 0; d < last; ++d) {
    if (values.layout().split(d) != result.layout().split(d)) return true;
  }
  return !values.layout().split(last).empty();
}

LineDeliveries::LineDeliveries(const ArrayType& values, const ArrayType& result)
    : values_(values),
      result_(result),
      whole_(with_whole_lines(values, result)),
      walk_(values_, whole_),
      number_bytes_(
          tile_bytes_max(result) / bytes_of(result.element()) <= std::numeric_limits<std::int32_t>::max() ? 4 : 8) {}

std::vector<BoxCopy> LineDeliveries::boxes(std::int32_t device) const {
  std::vector<BoxCopy> all;
  if (places(device).length() == 0) return all;
  walk_.to(device, [](std::int32_t) { return true; }, [&](const BoxCopy& copy) { all.push_back(copy); });
  std::ranges::stable_sort(all, {}, [](const BoxCopy& copy) { return copy.box.back().begin; });
  return all;
}

Box LineDeliveries::lines_of(std::int32_t device) const { return tile(whole_, device); }

std::int64_t LineDeliveries::values_at_most(std::int32_t device) const {
  if (places(device).length() == 0) return 0;
  const Box lines = lines_of(device);
  return elements(lines) - elements(common_part(lines, tile(values_, device)));
}

// Of the devices that have a line together any may lack what its ids name, unless all have it.
std::int64_t LineDeliveries::values_at_most() const {
  const AxisList& axes = result_.layout().split(result_.rank() - 1);
  const std::vector<std::int32_t> at = positions(result_.mesh(), axes);
  const std::vector<std::int64_t> offsets = place_offsets(result_.mesh(), axes);
  std::int64_t all = 0;
  for (std::int32_t device = 0; device < result_.devices(); ++device) {
    if (at[static_cast<std::size_t>(device)] != 0) continue;
    const Box lines = lines_of(device);
    Box held_by_all = lines;
    bool has_places = false;
    for (const std::int64_t offset : offsets) {
      const auto member =
          static_cast<std::int32_t>(result_.mesh().device_at(result_.mesh().place(device) - offsets[0] + offset));
      if (places(member).length() == 0) continue;
      has_places = true;
      held_by_all = common_part(held_by_all, tile(values_, member));
    }
    if (has_places) all += elements(lines) - elements(held_by_all);
  }
  return all;
}

}  // namespace tessera::synth
