// Lines that are sorted in parts: samples of a run, the samples that enclose a cut (synth/moves/collective/
// sort_cuts.hpp), and runs that are merged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/kernels/tile.hpp"
#include "synth/moves/collective/sort_cuts.hpp"

namespace tessera::runtime {

// Elements of this type in the order of sort_elements, or in that of sort_positions, which tells neither zeros nor NaN
// apart.
struct RunOrder {
  synth::ElementType element = synth::ElementType::f32;
  bool positions = false;
  std::int64_t bytes() const { return synth::bytes_of(element); }
};

// Elements, and where they were in the whole line if positions are sought.
struct Run {
  std::byte* keys = nullptr;
  std::int64_t* places = nullptr;
};

// Sorts each line of a tile whose first element stands at `first` of the whole line. The runs lie one behind the other.
void sort_runs(const RunOrder& order, const TileView& tile, std::int64_t first, const Run& to);

// Up to eight elements of a stretch of a run, evenly spaced; all of a shorter one.
std::int64_t sample_count(std::int64_t length);
std::int64_t sample_place(std::int64_t length, std::int64_t number);

// How many elements of a device's run are sure to lie before a cut, and of which stretch behind them some may, with the
// samples of that.
struct Sampled {
  std::int64_t length = 0;
  const std::byte* keys = nullptr;
};

// Where an enclosing sample stands among a device's elements, which has it or compares it with its own.
enum class Side : std::uint8_t { nowhere, without_equal, with_equal, sample };  // sample + k: its own of that number
constexpr Side own_sample(std::int64_t number) {
  return static_cast<Side>(static_cast<std::int64_t>(Side::sample) + number);
}

// The greatest sample that is sure to lie before the cut and the least that is sure not to, as the devices see them.
struct Enclosed {
  std::array<std::byte, 16> lower = {};
  std::array<std::byte, 16> upper = {};
  struct Sides {
    Side lower = Side::nowhere;
    Side upper = Side::nowhere;
  };
  std::vector<Sides> of_devices;
};
// Devices stand in the order of their tiles. `before`: how many elements of these stretches lie before the cut.
void enclose(const RunOrder& order, std::span<const Sampled> devices, std::int64_t before, Enclosed& found);

// The part of a run's stretch that may still lie on either side.
synth::Interval narrowed(const RunOrder& order, const std::byte* keys, const synth::Interval& stretch,
                         const Enclosed::Sides& sides, const std::byte* lower, const std::byte* upper);

// Merges neighbouring runs in pairs until one is left, whose elements of equal keys keep the order of the runs. They
// begin at `begins`, of which the last is their end. `other` is as long, and is written over.
void merge_runs(const RunOrder& order, std::vector<std::int64_t> begins, const Run& runs, const Run& other);

}  // namespace tessera::runtime
