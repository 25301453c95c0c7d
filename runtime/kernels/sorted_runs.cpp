#include "runtime/kernels/sorted_runs.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/sort.hpp"
#include "runtime/kernels/sort_order.hpp"

namespace tessera::runtime {

namespace {

using synth::Interval;
constexpr std::int64_t kSamples = synth::SortCuts::kSamples;

template <class T>
struct Earlier {
  bool positions;
  bool operator()(T a, T b) const { return positions ? is_less(a, b) : comes_before(a, b); }
};

template <class T>
T value_at(const std::byte* keys, std::int64_t place) {
  T value;
  std::memcpy(&value, keys + place * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

// Calls f with a zero of the elements' type.
template <class F>
decltype(auto) visit(const RunOrder& order, const F& f) {
  return synth::visit_element(order.element, f);
}

// One sample: whose it is, and which of its own.
template <class T>
struct Sample {
  T key;
  std::size_t device;
  std::int64_t number;
};

// Of equal ones those of earlier devices come first.
template <class T>
std::vector<Sample<T>> sorted_samples(const Earlier<T>& earlier, std::span<const Sampled> devices) {
  std::vector<Sample<T>> all;
  for (std::size_t device = 0; device < devices.size(); ++device) {
    for (std::int64_t k = 0; k < sample_count(devices[device].length); ++k)
      all.push_back({value_at<T>(devices[device].keys, k), device, k});
  }
  std::ranges::stable_sort(all, [&](const Sample<T>& a, const Sample<T>& b) { return earlier(a.key, b.key); });
  return all;
}

// How many elements of a stretch surely come before what stands behind so many of its samples, and how many may.
std::int64_t least_before(std::int64_t length, std::int64_t passed) {
  return passed == 0 ? 0 : sample_place(length, passed - 1) + 1;
}
std::int64_t most_before(std::int64_t length, std::int64_t passed) {
  return passed == sample_count(length) ? length : sample_place(length, passed);
}

// The numbers, among all sorted samples, of the two that enclose the cut; -1 and their count if there is none.
template <class T>
std::pair<std::ptrdiff_t, std::ptrdiff_t> enclosing(std::span<const Sample<T>> samples,
                                                    std::span<const Sampled> devices, std::int64_t before) {
  std::int64_t least = 0;
  std::int64_t most = 0;
  for (const Sampled& device : devices) most += most_before(device.length, 0);
  std::ptrdiff_t lower = -1;
  for (std::ptrdiff_t k = 0; k < std::ssize(samples); ++k) {
    const Sample<T>& sample = samples[static_cast<std::size_t>(k)];
    const std::int64_t length = devices[sample.device].length;
    const std::int64_t own = sample_place(length, sample.number);
    if (most < before) lower = k;  // of its own device just those before it come before it
    if (least - least_before(length, sample.number) + own >= before) return {lower, k};
    least += own + 1 - least_before(length, sample.number);
    most += most_before(length, sample.number + 1) - own;
  }
  return {lower, std::ssize(samples)};
}

template <class T>
void note(std::span<const Sample<T>> samples, std::ptrdiff_t number, std::array<std::byte, 16>& key, Enclosed& found,
          Side Enclosed::Sides::* side) {
  const bool is_there = number >= 0 && number < std::ssize(samples);
  for (std::size_t device = 0; device < found.of_devices.size(); ++device) {
    Side& own = found.of_devices[device].*side;
    own = Side::nowhere;
    if (!is_there) continue;
    const Sample<T>& sample = samples[static_cast<std::size_t>(number)];
    own = device == sample.device  ? own_sample(sample.number)
          : device < sample.device ? Side::with_equal
                                   : Side::without_equal;
  }
  if (is_there) std::memcpy(key.data(), &samples[static_cast<std::size_t>(number)].key, sizeof(T));
}

// How many elements of the stretch come before an enclosing sample. One of its own is also counted among those before
// the cut if it is the lower one.
template <class T>
std::int64_t place_of(const Earlier<T>& earlier, const std::byte* keys, const Interval& stretch, Side side,
                      const std::byte* sample, bool is_lower) {
  if (side == Side::nowhere) return is_lower ? stretch.begin : stretch.end;
  if (side >= Side::sample) {
    const std::int64_t number = static_cast<std::int64_t>(side) - static_cast<std::int64_t>(Side::sample);
    return stretch.begin + sample_place(stretch.length(), number) + (is_lower ? 1 : 0);
  }
  const T key = value_at<T>(sample, 0);
  std::int64_t low = stretch.begin;
  for (std::int64_t high = stretch.end; low < high;) {
    const std::int64_t middle = low + (high - low) / 2;
    const T own = value_at<T>(keys, middle);
    const bool comes = side == Side::with_equal ? !earlier(key, own) : earlier(own, key);
    if (comes)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Two neighbouring runs, or one that is copied.
template <class T>
void merge_two(const Earlier<T>& earlier, const Interval& first, const Interval& second, const Run& from,
               const Run& to) {
  const T* const keys = reinterpret_cast<const T*>(from.keys);
  T* const out = reinterpret_cast<T*>(to.keys);
  std::int64_t a = first.begin;
  std::int64_t b = second.begin;
  in_pieces(second.end - first.begin, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const bool takes_first = b == second.end || (a < first.end && !earlier(keys[b], keys[a]));
      const std::int64_t taken = takes_first ? a++ : b++;
      out[first.begin + k] = keys[taken];
      if (to.places != nullptr) to.places[first.begin + k] = from.places[taken];
    }
  });
}

}  // namespace

void sort_runs(const RunOrder& order, const TileView& tile, std::int64_t first, const Run& to) {
  if (!order.positions) return sort_elements(tile, {tile.element, tile.shape, to.keys});
  const TileOut places{synth::ElementType::i64, tile.shape, reinterpret_cast<std::byte*>(to.places)};
  sort_positions(tile, places);
  elements_at_positions(tile, places, to.keys);
  parallel_ranges(count(tile.shape), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) to.places[i] += first;
  });
}

std::int64_t sample_count(std::int64_t length) { return std::min(length, kSamples); }

// No two neighbours, nor one and an end, have more than a ninth of the stretch between them.
std::int64_t sample_place(std::int64_t length, std::int64_t number) {
  return length <= kSamples ? number : synth::scaled(number + 1, length + 1, kSamples + 1) - 1;
}

void enclose(const RunOrder& order, std::span<const Sampled> devices, std::int64_t before, Enclosed& found) {
  found.of_devices.resize(devices.size());
  visit(order, [&](auto zero) {
    using T = decltype(zero);
    const std::vector<Sample<T>> all = sorted_samples<T>({order.positions}, devices);
    const std::span<const Sample<T>> samples(all);
    const auto [lower, upper] = enclosing<T>(samples, devices, before);
    note<T>(samples, lower, found.lower, found, &Enclosed::Sides::lower);
    note<T>(samples, upper, found.upper, found, &Enclosed::Sides::upper);
  });
}

Interval narrowed(const RunOrder& order, const std::byte* keys, const Interval& stretch, const Enclosed::Sides& sides,
                  const std::byte* lower, const std::byte* upper) {
  return visit(order, [&](auto zero) {
    using T = decltype(zero);
    const Earlier<T> earlier{order.positions};
    return Interval{place_of<T>(earlier, keys, stretch, sides.lower, lower, true),
                    place_of<T>(earlier, keys, stretch, sides.upper, upper, false)};
  });
}

void merge_runs(const RunOrder& order, std::vector<std::int64_t> begins, const Run& runs, const Run& other) {
  Run from = runs;
  Run to = other;
  while (begins.size() > 2 || from.keys != runs.keys) {
    std::vector<std::int64_t> next = {begins.front()};
    for (std::size_t k = 0; k + 1 < begins.size(); k += 2) {
      const std::int64_t middle = begins[k + 1];
      const std::int64_t end = begins[std::min(k + 2, begins.size() - 1)];
      visit(order, [&](auto zero) {
        using T = decltype(zero);
        merge_two<T>({order.positions}, {begins[k], middle}, {middle, end}, from, to);
      });
      next.push_back(end);
    }
    begins = std::move(next);
    std::swap(from, to);
  }
}

}  // namespace tessera::runtime
