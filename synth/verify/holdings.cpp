#include "synth/verify/holdings.hpp"
#include "base/wide.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera::synth::verifier {

namespace {

// A device's digit of a part of an axis: how far apart devices are whose digits differ by one, and how many there are.
struct TileDigit {
  std::int64_t stride;
  std::int64_t size;
  std::int64_t of(std::int64_t device) const { return device / stride % size; }
};

TileDigit digit(const Mesh& mesh, const AxisPart& part) {
  const std::int64_t outside_and_here = part.before * part.size;
  return TileDigit{mesh.stride(part.axis) * (mesh.axes()[part.axis].size / outside_and_here), part.size};
}

bool is_part(const Mesh& mesh, const AxisPart& part) {
  if (part.axis >= mesh.axes().size()) return false;
  const std::int64_t whole = mesh.axes()[part.axis].size;
  if (part.before < 1 || part.size < 1 || part.before > whole || part.size > whole) return false;
  if (part.cut > 0 && (part.cut > mesh.axes()[part.axis].cuts.size() || part.size != whole)) return false;
  return whole % (part.before * part.size) == 0;
}

bool is_even(const AxisList& axes) {
  return std::all_of(axes.begin(), axes.end(), [](const AxisPart& part) { return part.cut == 0; });
}

// The numerators 0, 1, ..., of so many equal shares.
Numbers even_shares(std::int64_t count) {
  Numbers even(static_cast<std::size_t>(count) + 1);
  std::iota(even.begin(), even.end(), std::int64_t{0});
  return even;
}

// The numerators of what each position along a list of parts has of a whole, added up. The last is the whole.
Numbers shares_along(const Mesh& mesh, const AxisList& axes) {
  Numbers ends{0, 1};
  for (const AxisPart& part : axes) {
    Numbers weights(static_cast<std::size_t>(part.size), 1);
    if (part.cut > 0) weights = mesh.axes()[part.axis].cuts[part.cut - 1U].weights.values();
    std::int64_t sum = 0;
    for (const std::int64_t weight : weights) sum += weight;
    Numbers finer;
    for (std::size_t t = 0; t + 1 < ends.size(); ++t) {
      std::int64_t at = ends[t] * sum;
      for (const std::int64_t weight : weights) {
        finer.push_back(at);
        at += (ends[t + 1] - ends[t]) * weight;
      }
    }
    finer.push_back(ends.back() * sum);
    ends = std::move(finer);
  }
  return ends;
}

// Every stretch between two numerators divided as the shares say.
Numbers divided(const Numbers& ends, const Numbers& shares) {
  Numbers finer;
  finer.reserve((ends.size() - 1) * (shares.size() - 1) + 1);
  for (std::size_t t = 0; t + 1 < ends.size(); ++t) {
    for (std::size_t k = 0; k + 1 < shares.size(); ++k) {
      finer.push_back(ends[t] * shares.back() + (ends[t + 1] - ends[t]) * shares[k]);
    }
  }
  finer.push_back(ends.back() * shares.back());
  return finer;
}

// The same shares by the least numerators.
void reduce(Numbers& ends) {
  std::int64_t divisor = 0;
  for (const std::int64_t end : ends) divisor = std::gcd(divisor, end);
  for (std::int64_t& end : ends) end /= divisor;
}

}  // namespace

std::int64_t part_begin(std::int64_t length, std::int64_t count, std::int64_t k) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(length, k, &product)) return product / count;
  return static_cast<std::int64_t>(base::Wide{length} * k / count);
}

std::int64_t product_of_sizes(const AxisList& axes) {
  std::int64_t product = 1;
  for (const AxisPart& part : axes) product *= part.size;
  return product;
}

std::int64_t place_of(const Mesh& mesh, const AxisList& axes, std::int64_t device) {
  std::int64_t place = 0;
  for (const AxisPart& part : axes) place = place * part.size + digit(mesh, part).of(mesh.place(device));
  return place;
}

Numbers places(const Mesh& mesh, const AxisList& axes) {
  Numbers all(static_cast<std::size_t>(mesh.devices()), 0);
  for (const AxisPart& part : axes) {
    const TileDigit here = digit(mesh, part);
    for (std::size_t device = 0; device < all.size(); ++device) {
      all[device] = all[device] * here.size + here.of(mesh.place(static_cast<std::int64_t>(device)));
    }
  }
  return all;
}

bool independent(const Mesh& mesh, const AxisList& axes) {
  std::int64_t positions = 1;
  for (const AxisPart& part : axes) {
    if (!is_part(mesh, part)) return false;
    positions *= part.size;
    if (positions > mesh.devices()) return false;
  }
  Numbers taken(static_cast<std::size_t>(positions), 0);
  for (const std::int64_t place : places(mesh, axes)) ++taken[static_cast<std::size_t>(place)];
  return std::all_of(taken.begin(), taken.end(), [&](std::int64_t n) { return n == mesh.devices() / positions; });
}

Numbers group_leaders(const Mesh& mesh, const AxisList& axes) {
  Numbers leaders;
  for (std::int64_t device = 0; device < mesh.devices(); ++device) {
    std::int64_t place = mesh.place(device);
    for (const AxisPart& part : axes) {
      const TileDigit here = digit(mesh, part);
      place -= here.of(place) * here.stride;
    }
    leaders.push_back(mesh.device_at(place));
  }
  return leaders;
}

Holdings::Holdings(const ArrayType& type)
    : extents(type.shape()),
      pending(places(type.mesh(), type.layout().pending())),
      contributors(product_of_sizes(type.layout().pending())) {
  for (std::int64_t device = 0; device < type.devices(); ++device)
    ids.push_back(type.mesh().device_of_run(device).value);
  for (std::size_t d = 0; d < type.rank(); ++d) {
    shards.push_back(product_of_sizes(type.layout().split(d)));
    place.push_back(places(type.mesh(), type.layout().split(d)));
    const AxisList& split = type.layout().split(d);
    shares.push_back(is_even(split) ? Numbers{} : shares_along(type.mesh(), split));
    tile.emplace_back();
    cut(d);
  }
}

std::int64_t Holdings::begin(std::size_t d, std::int64_t at) const {
  if (shares[d].empty()) return part_begin(extents[d], shards[d], at);
  return part_begin(extents[d], shares[d].back(), shares[d][static_cast<std::size_t>(at)]);
}

bool Holdings::cut_as(const Holdings& other, std::size_t d) const {
  if (shards[d] != other.shards[d]) return false;
  if (shares[d] == other.shares[d]) return true;
  for (std::int64_t at = 0; at < shards[d]; ++at) {
    if (begin(d, at) != other.begin(d, at)) return false;
  }
  return true;
}

void Holdings::cut(std::size_t d) {
  Numbers begins(static_cast<std::size_t>(shards[d]) + 1);
  for (std::size_t at = 0; at < begins.size(); ++at) begins[at] = begin(d, static_cast<std::int64_t>(at));
  tile[d].resize(place[d].size());
  for (std::size_t i = 0; i < tile[d].size(); ++i) {
    const auto at = static_cast<std::size_t>(place[d][i]);
    tile[d][i] = Interval{begins[at], begins[at + 1]};
  }
}

bool Holdings::enter(std::size_t d, const Mesh& mesh, const AxisList& axes) {
  const Numbers along = places(mesh, axes);
  const std::int64_t size = product_of_sizes(axes);
  if (!shares[d].empty() || !is_even(axes)) {
    const Numbers entering = shares_along(mesh, axes);
    if (shares[d].empty()) shares[d] = even_shares(shards[d]);
    std::int64_t whole = 0;
    if (__builtin_mul_overflow(shares[d].back(), entering.back(), &whole)) return false;
    shares[d] = divided(shares[d], entering);
  }
  for (std::size_t i = 0; i < along.size(); ++i) place[d][i] = place[d][i] * size + along[i];
  shards[d] *= size;
  cut(d);
  return true;
}

bool Holdings::leave(std::size_t d, const Mesh& mesh, const AxisList& axes) {
  const Numbers along = places(mesh, axes);
  const std::int64_t size = product_of_sizes(axes);
  if (shards[d] % size != 0) return false;
  for (std::size_t i = 0; i < along.size(); ++i) {
    if (place[d][i] % size != along[i]) return false;
    place[d][i] /= size;
  }
  shards[d] /= size;
  if (!shares[d].empty()) {
    Numbers coarser;
    for (std::size_t k = 0; k < shares[d].size(); k += static_cast<std::size_t>(size)) coarser.push_back(shares[d][k]);
    shares[d] = std::move(coarser);
    reduce(shares[d]);
  }
  cut(d);
  return true;
}

std::int64_t Holdings::elements(std::int64_t device) const { return shared_elements(*this, device, *this, device); }

std::int64_t Holdings::number_of(std::int64_t run_device) const {
  const auto found = std::lower_bound(ids.begin(), ids.end(), run_device);
  return found == ids.end() || *found != run_device ? -1 : found - ids.begin();
}

Numbers Holdings::tile_numbers() const {
  Numbers numbers(pending.size(), 0);
  for (std::size_t d = 0; d < place.size(); ++d) {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = numbers[i] * shards[d] + place[d][i];
  }
  return numbers;
}

std::int64_t shared_elements(const Holdings& a, std::int64_t device_a, const Holdings& b, std::int64_t device_b) {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < a.extents.size(); ++d) {
    const Interval& one = a.interval(d, device_a);
    const Interval& other = b.interval(d, device_b);
    const std::int64_t length = std::min(one.end, other.end) - std::max(one.begin, other.begin);
    if (length <= 0) return 0;
    count *= length;
  }
  return count;
}

std::int64_t held_elements(const Holdings& before, const Holdings& after, std::int64_t device) {
  const std::int64_t own = before.number_of(after.ids[static_cast<std::size_t>(device)]);
  return own < 0 ? 0 : shared_elements(before, own, after, device);
}

Numbers by_run_device(const Holdings& standing, const Numbers& numbers) {
  Numbers all(static_cast<std::size_t>(standing.ids.back()) + 1, 0);
  for (std::size_t i = 0; i < numbers.size(); ++i) all[static_cast<std::size_t>(standing.ids[i])] = numbers[i];
  return all;
}

}  // namespace tessera::synth::verifier
