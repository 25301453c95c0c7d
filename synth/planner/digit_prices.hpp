// Private to synth: both ends of a move in digits of the mesh, and what launches over digits take.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "synth/layout/axis_parts.hpp"
#include "synth/layout/cluster/cluster.hpp"
#include "synth/planner/pieces.hpp"
#include "synth/planner/refinements.hpp"

namespace tessera::synth {

// Digits of more positions are cut further where units of the machine have not cut them: a launch among fewer devices
// is not worth two.
inline constexpr std::int64_t kFewPositions = 8;

// The larger one of the two factors that are nearest each other; the number itself where it is prime.
inline std::int64_t larger_factor(std::int64_t number) {
  for (auto factor = static_cast<std::int64_t>(std::sqrt(static_cast<double>(number))); factor > 1; --factor) {
    if (number % factor == 0) return number / factor;
  }
  return number;
}

// Both ends of a move in digits of the mesh. Those with which a dimension begins at both ends stay where they are; the
// others move, from one dimension to another or between one and none.
class Ends {
 public:
  Ends(const ArrayType& from, const ArrayType& to, const Pieces& pieces) : mesh_(from.mesh()), pieces_(pieces) {
    for (std::size_t d = 0; d < from.rank(); ++d) {
      const PieceList before = pieces_.list(from.layout().split(d));
      const PieceList after = pieces_.list(to.layout().split(d));
      std::size_t same = 0;
      while (same < std::min(before.size(), after.size()) && before[same] == after[same]) ++same;
      if (std::max(before.size(), after.size()) > same) {
        from_.emplace_back(before.begin() + same, before.end());
        to_.emplace_back(after.begin() + same, after.end());
        dimensions_.push_back(d);
      }
      const PieceList begin(before.begin(), before.begin() + same);
      staying_ *= static_cast<double>(pieces_.size(begin));
      begins_.push_back(pieces_.axes(begin));
    }
    for (const std::vector<PieceList>* const end : {&from_, &to_}) {
      for (const PieceList& list : *end) {
        for (const Piece piece : list) note(piece);
      }
    }
  }

  void cut_at(const std::vector<std::int64_t>& units) {
    for (std::size_t i = 0, count = moving_.size(); i < count; ++i) {
      Piece piece = moving_[i];
      const AxisList parts = cut_at_units(mesh_, pieces_.part(piece), units);
      for (std::size_t k = 0; k + 1 < parts.size(); ++k) piece = split(piece, parts[k].size);
    }
  }
  // Cuts the largest digits until there are so many.
  void cut_into(std::size_t digits) {
    while (!moving_.empty() && moving_.size() < digits) {
      const auto is_smaller = [&](Piece a, Piece b) { return minor_part(a) < minor_part(b); };
      const Piece largest = *std::max_element(moving_.begin(), moving_.end(), is_smaller);
      if (minor_part(largest) == 1) return;
      split(largest, pieces_.size(largest) / minor_part(largest));
    }
  }

  const Mesh& mesh() const { return mesh_; }
  const Pieces& pieces() const { return pieces_; }
  // The dimensions that are cut otherwise, and the digits of each that move.
  const std::vector<std::size_t>& dimensions() const { return dimensions_; }
  const std::vector<PieceList>& from() const { return from_; }
  const std::vector<PieceList>& to() const { return to_; }
  const std::vector<Piece>& moving() const { return moving_; }
  // Positions along the digits that stay.
  double staying() const { return staying_; }
  // What every dimension of the array begins with at both ends.
  const std::vector<AxisList>& begins() const { return begins_; }

 private:
  void note(Piece piece) {
    if (std::find(moving_.begin(), moving_.end(), piece) == moving_.end()) moving_.push_back(piece);
  }
  // What would be the minor one if a digit were cut in two; 1 where it is not.
  std::int64_t minor_part(Piece piece) const {
    const std::int64_t size = pieces_.size(piece);
    const std::int64_t larger = larger_factor(size);
    return size <= kFewPositions || larger == size ? 1 : larger;
  }
  Piece split(Piece piece, std::int64_t major_size) {
    const Piece minor = pieces_.split(piece, major_size);
    for (std::vector<PieceList>* const end : {&from_, &to_}) {
      for (PieceList& list : *end) insert_after(list, piece, minor);
    }
    moving_.push_back(minor);
    return minor;
  }

  const Mesh& mesh_;
  Pieces pieces_;
  std::vector<std::size_t> dimensions_;
  std::vector<PieceList> from_;
  std::vector<PieceList> to_;
  std::vector<Piece> moving_;
  double staying_ = 1;
  std::vector<AxisList> begins_;
};

// What launches take if all tiles have one size. Digits are numbers from 0 on, their sets bits.
using DigitSet = std::uint32_t;

class DigitPrices {
 public:
  DigitPrices(const Ends& ends, const Cluster& cluster) {
    for (const Cluster::Level& level : cluster.levels()) {
      Level& of = levels_.emplace_back(
          Level{level.delay(), static_cast<double>(level.unit_devices) / level.least_bandwidth(), 0});
      for (std::size_t i = 0; i < ends.moving().size(); ++i) {
        const AxisPart& part = ends.pieces().part(ends.moving()[i]);
        if (stride_of(ends.mesh(), part) * part.size <= level.unit_devices) of.inside |= DigitSet{1} << i;
      }
    }
    for (const Piece piece : ends.moving()) sizes_.push_back(static_cast<double>(ends.pieces().size(piece)));
  }

  double size(DigitSet digits) const {
    double product = 1;
    for (; digits != 0; digits &= digits - 1) product *= sizes_[static_cast<std::size_t>(std::countr_zero(digits))];
    return product;
  }
  // `bytes`: of a tile before the launch.
  double of_all_to_all(DigitSet digits, double bytes) const {
    const double members = size(digits);
    return of_launch(members - 1, bytes, digits, [&](double inside) { return 1 - inside / members; });
  }
  double of_all_gather(DigitSet digits, double bytes) const {
    const double members = size(digits);
    return of_launch(members - 1, bytes, digits, [&](double inside) { return members - inside; });
  }
  // Less than any launch takes.
  double of_least() const {
    double least = std::numeric_limits<double>::infinity();
    for (const Level& level : levels_) least = std::min(least, level.delay.of(1));
    return least;
  }

 private:
  struct Level {
    Delay delay;
    double seconds_per_byte = 0;  // that every device of a unit sends over its link
    DigitSet inside = 0;          // the digits all of whose positions a unit has
  };

  // crossing(positions inside a unit) is how many tiles a device sends to other units.
  template <class Crossing>
  double of_launch(double peers, double bytes, DigitSet digits, Crossing&& crossing) const {
    Delay delay;
    double busiest = 0;
    for (const Level& level : levels_) {
      if ((digits & ~level.inside) == 0) continue;
      delay = std::max(delay, level.delay);
      busiest = std::max(busiest, level.seconds_per_byte * bytes * crossing(size(digits & level.inside)));
    }
    return delay.of(peers) + busiest;
  }

  std::vector<Level> levels_;
  std::vector<double> sizes_;  // of every digit
};

}  // namespace tessera::synth
