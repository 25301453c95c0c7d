// Private to synth: what Shardy's pass from reshards to collectives works on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "synth/planner/chain.hpp"
#include "synth/planner/pieces.hpp"

namespace tessera::synth {

// A dimension on its way. It is split over `placed` and then `in`; the target splits it over `placed` and then `out`.
struct Dimension {
  PieceList placed;
  PieceList in;
  PieceList out;
  std::int64_t capacity = 1;  // by how much the step in the making may still cut it

  bool done() const { return in.empty() && out.empty(); }
  void place(std::size_t count);  // so many pieces of `in`, which `out` begins with too
};

inline void Dimension::place(std::size_t count) {
  for (; count > 0; --count) {
    placed.push_back(in[0]);
    in.erase(0);
    out.erase(0);
  }
}

// One step that moves a list of axes for every dimension; nothing is added to the chain where nothing moves.
template <class Moving>
class Launch {
 public:
  void add(AxisList axes, std::size_t dimension) {
    if (!axes.empty()) effect_.moves.push_back({std::move(axes), dimension});
  }
  void finish(Chain& chain) && {
    if (!effect_.moves.empty()) chain.push_back({std::move(effect_), Direct{}});
  }

 private:
  Moving effect_;
};

}  // namespace tessera::synth
