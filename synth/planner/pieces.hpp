// Private to synth: two layouts of one mesh cut into pieces of axes that are equal or have nothing in common.
// Pieces have numbers, so that lists of them are small and never allocate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/fixed_vector.hpp"
#include "synth/layout/array_type.hpp"

namespace tessera::synth {

// A mesh of 65,536 devices has 16 digits at most.
inline constexpr std::size_t kPiecesMax = 16;
using Piece = std::uint8_t;
using PieceList = base::FixedVector<Piece, kPiecesMax>;  // major first

// How fine the axes are cut: no finer than the two layouts need, or into primes, the smaller ones major.
enum class Grain : std::uint8_t { coarse, prime };

// The table of pieces; a piece may be cut further.
class Pieces {
 public:
  // All pieces of the mesh; nothing where the layouts cut an axis in ways that cannot co-exist (2*3 and 3*2).
  static std::optional<Pieces> of(const ArrayType& from, const ArrayType& to, Grain grain);

  std::size_t count() const { return parts_.size(); }
  const AxisPart& part(Piece piece) const { return parts_[piece]; }
  std::int64_t size(Piece piece) const { return parts_[piece].size; }
  std::int64_t size(const PieceList& list) const;

  // The pieces of a list of parts that the table was made for.
  PieceList list(const AxisList& axes) const;
  AxisList axes(const PieceList& list) const;

  // Leaves the piece its major digits, so many, and gives back the new piece of the others.
  Piece split(Piece piece, std::int64_t size);

 private:
  base::FixedVector<AxisPart, kPiecesMax> parts_;
};

inline bool holds(const PieceList& list, Piece piece) {
  return std::find(list.begin(), list.end(), piece) != list.end();
}
inline void append(PieceList& list, const PieceList& more) {
  for (const Piece piece : more) list.push_back(piece);
}

// `next` behind `piece`, where the list has that.
inline void insert_after(PieceList& list, Piece piece, Piece next) {
  const auto at = static_cast<std::size_t>(std::find(list.begin(), list.end(), piece) - list.begin());
  if (at < list.size()) list.insert(at + 1, next);
}

}  // namespace tessera::synth
