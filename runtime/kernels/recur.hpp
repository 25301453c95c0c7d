// y[i] = a[i]*y[i-1] + b[i] along one dimension, tile by tile.
//
// The tile that the dimension begins in takes its values from left to right. Every other one that has a tile behind it
// first finds what takes y in front of it to y behind it: the product of its a, and its last y from 0 in front. Then
// one tile after the other learns y in front of it and says y behind it, product*y + last. At last every tile takes its
// values from left to right, from the y in front of it.
//
// Example: a = [2, 3, 4 | 5, 6] and b = [1, 1, 1 | 1, 1]. The first tile gives 1, 4, 17 and says 17; the second has
// nothing behind it and gives 86, 517. With one more tile it would have found 30 and 7, and said 30*17 + 7 = 517.
#pragma once

#include "runtime/kernels/reduce.hpp"
#include "runtime/kernels/running.hpp"

namespace tessera::runtime {

// Where a tile lies along the dimension, in the direction of the recurrence.
struct RecurPlace {
  bool is_first = true;
  bool is_last = true;
};

class RecurTile {
 public:
  // a and b repeat to the shape of `out`, which lies where neither does.
  RecurTile(const TileView& a, const TileView& b, const synth::Recur& how, const TileOut& out, RecurPlace place)
      : a_(a), b_(b), how_(how), out_(out), place_(place) {}

  // Of the first tile its values. Of one between others the product and the last y, at the first and the last position
  // of each line of `out`; where a line is one position long, these are a and b.
  void run_inside() const;
  // After run_inside(), and before put_in_front(). A y that is no finite number is taken from left to right.
  void carry_on(const Carry& in_front, const Carry& behind) const;
  void put_in_front(const Carry& in_front) const;

 private:
  template <class F>
  void for_strips(const F& f) const;

  TileView a_;
  TileView b_;
  synth::Recur how_;
  TileOut out_;
  RecurPlace place_;
};

}  // namespace tessera::runtime
