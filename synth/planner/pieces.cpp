#include "synth/planner/pieces.hpp"

#include "synth/layout/axis_parts.hpp"

namespace tessera::synth {

namespace {

// The boundaries of an axis' pieces: 1 and the axis' size are among them.
using Boundaries = base::FixedVector<std::int64_t, 64>;

void add_boundary(Boundaries& at, std::int64_t boundary) {
  auto* const place = std::lower_bound(at.begin(), at.end(), boundary);
  if (place != at.end() && *place == boundary) return;
  at.insert(static_cast<std::size_t>(place - at.begin()), boundary);
}

void add_boundaries(Boundaries& at, std::uint8_t axis, const AxisList& axes) {
  for (const AxisPart& part : axes) {
    if (part.axis != axis) continue;
    add_boundary(at, part.before);
    add_boundary(at, end_of(part));
  }
}

void add_boundaries(Boundaries& at, std::uint8_t axis, const Layout& layout) {
  for (const AxisList& split : layout.splits()) add_boundaries(at, axis, split);
  add_boundaries(at, axis, layout.pending());
}

std::int64_t smallest_prime_of(std::int64_t number) {
  for (std::int64_t prime = 2; prime * prime <= number; ++prime) {
    if (number % prime == 0) return prime;
  }
  return number;
}

}  // namespace

std::optional<Pieces> Pieces::of(const ArrayType& from, const ArrayType& to, Grain grain) {
  Pieces pieces;
  for (std::size_t axis = 0; axis < from.mesh().axes().size(); ++axis) {
    const auto number = static_cast<std::uint8_t>(axis);
    Boundaries at{1};
    add_boundary(at, from.mesh().axes()[axis].size);
    add_boundaries(at, number, from.layout());
    add_boundaries(at, number, to.layout());
    for (std::size_t i = 1; i < at.size(); ++i) {
      if (at[i] % at[i - 1] != 0) return std::nullopt;
      std::int64_t before = at[i - 1];
      while (before < at[i]) {
        const std::int64_t left = at[i] / before;
        const std::int64_t size = grain == Grain::prime ? smallest_prime_of(left) : left;
        pieces.parts_.push_back(AxisPart{number, before, size});
        before *= size;
      }
    }
  }
  return pieces;
}

std::int64_t Pieces::size(const PieceList& list) const {
  std::int64_t product = 1;
  for (const Piece piece : list) product *= parts_[piece].size;
  return product;
}

PieceList Pieces::list(const AxisList& axes) const {
  PieceList list;
  for (const AxisPart& part : axes) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const AxisPart& piece = parts_[i];
      const bool inside = piece.axis == part.axis && piece.before >= part.before && end_of(piece) <= end_of(part);
      if (inside) list.push_back(static_cast<Piece>(i));
    }
  }
  return list;
}

AxisList Pieces::axes(const PieceList& list) const {
  AxisList axes;
  axes.reserve(list.size());
  for (const Piece piece : list) axes.push_back(parts_[piece]);
  return canonical(axes);
}

Piece Pieces::split(Piece piece, std::int64_t size) {
  AxisPart& major = parts_[piece];
  const AxisPart minor{major.axis, major.before * size, major.size / size};
  major.size = size;
  parts_.push_back(minor);
  return static_cast<Piece>(parts_.size() - 1);
}

}  // namespace tessera::synth
