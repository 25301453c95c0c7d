// The moves of a program between devices, and how often each happens: a placement of its mesh is judged by them.
#pragma once

#include <memory>
#include <vector>

#include "base/source.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

// All redistributions of one plan.
struct Moved {
  std::shared_ptr<const synth::Plan> plan;
  double times = 0;             // the product of the counts of the loops around it, added up over all places
  bool times_are_known = true;  // false: a loop's count is not known when the program is checked, and is taken for 1
  base::Span first;             // who asked for it first
};

// In the order in which they are first met. Both branches of an `if` count. The parts that slices and updates fetch are
// no redistributions, and do not count.
std::vector<Moved> moved(const Typed& typed);

// The seconds of all of them together.
double seconds_of(const std::vector<Moved>& all);

// Counts those of a program that is still being made, statement by statement.
class MovedSoFar {
 public:
  explicit MovedSoFar(const Typed& typed);
  ~MovedSoFar();
  MovedSoFar(const MovedSoFar&) = delete;
  MovedSoFar& operator=(const MovedSoFar&) = delete;
  void add(const TypedStatement& statement);
  const std::vector<Moved>& all() const { return all_; }
  double seconds() const { return seconds_of(all_); }

 private:
  class Counter;
  std::unique_ptr<Counter> counter_;
  std::vector<Moved> all_;
};

}  // namespace tessera::typeck
