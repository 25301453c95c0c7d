// Works out what each round of an exchange takes away and brings, from the devices' positions.
#include <algorithm>

#include "base/sorted.hpp"
#include "synth/verify/replay.hpp"

namespace tessera::synth::verifier {

namespace {

std::int64_t product_of_others(const Box& box, std::size_t dimension) {
  std::int64_t product = 1;
  for (std::size_t d = 0; d < box.size(); ++d) product *= d == dimension ? 1 : box[d].length();
  return product;
}

Box box_of(const Holdings& standing, std::int64_t device) {
  Box box;
  for (std::size_t d = 0; d < standing.extents.size(); ++d) box.push_back(standing.interval(d, device));
  return box;
}

}  // namespace

RoundReplay::RoundReplay(const Holdings& before, const Holdings& after, std::size_t dimension)
    : before_(before), after_(after), dimension_(dimension) {
  for (const Holdings* standing : {&before, &after}) {
    for (const Interval& tile : standing->tile[dimension]) {
      bounds_.push_back(tile.begin);
      bounds_.push_back(tile.end);
    }
  }
  base::keep_one_of_each(bounds_);
}

// The round's part of an interval that begins and ends at bounds, added up between each bound and the next.
std::int64_t RoundReplay::length_in(const Interval& interval, const Round& round) const {
  std::int64_t length = 0;
  auto at = std::lower_bound(bounds_.begin(), bounds_.end(), interval.begin);
  for (; at != bounds_.end() && *at < interval.end; ++at) {
    const std::int64_t stretch = *(at + 1) - *at;
    length += part_begin(stretch, round.count, round.index + 1) - part_begin(stretch, round.count, round.index);
  }
  return length;
}

bool RoundReplay::moves(const Box& box, const Round& round) const {
  const Interval& side = box[dimension_];
  std::int64_t length = 0;
  auto at = std::upper_bound(bounds_.begin(), bounds_.end(), side.begin);
  if (at == bounds_.begin()) return false;
  for (--at; at + 1 < bounds_.end() && *at < side.end; ++at) {
    const std::int64_t stretch = *(at + 1) - *at;
    const Interval part{*at + part_begin(stretch, round.count, round.index),
                        *at + part_begin(stretch, round.count, round.index + 1)};
    length += common(part, side).length();
  }
  return length == side.length();
}

RoundElements RoundReplay::elements_of(const Round& round) const {
  RoundElements in_round;
  const auto elements = [&](const Box& box) {
    return length_in(box[dimension_], round) * product_of_others(box, dimension_);
  };
  for (std::int64_t device = 0; device < before_.devices(); ++device)
    in_round.leave.push_back(elements(box_of(before_, device)));
  for (std::int64_t device = 0; device < after_.devices(); ++device) {
    const Box target = box_of(after_, device);
    in_round.arrive.push_back(elements(target));
    in_round.received.push_back(in_round.arrive.back());
    const std::int64_t own = before_.number_of(after_.ids[static_cast<std::size_t>(device)]);
    if (own < 0) continue;
    const Box source = box_of(before_, own);
    Box held;
    for (std::size_t d = 0; d < source.size(); ++d) held.push_back(common(source[d], target[d]));
    in_round.received.back() -= elements(held);
  }
  return in_round;
}

}  // namespace tessera::synth::verifier
