// What the devices of a mesh hold as a program runs in chosen layouts: the tiles of values and copies, as long as their
// lives last (lives.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "synth/layout/cluster/machine.hpp"
#include "synth/program/choice/choice.hpp"
#include "synth/program/choice/problem.hpp"

namespace tessera::synth {

// The lives of a problem whose nodes run once each, in their order. A node has two moments: in the first it reads, in
// the second its result is there, and what an elementwise operation reads need not be there any more. Parameters (joins
// that make a value and begin without one) and results are there to the end.
std::vector<ChoiceLife> lives_in_order(const ChoiceProblem& problem);

// Which results take the place of an operand that nobody needs any more: those of elementwise operations that have a
// place. One that only elementwise operations and reductions read may have none, as it is taken together with these.
class TakenPlaces {
 public:
  explicit TakenPlaces(const ChoiceProblem& problem);
  bool takes(const ChoiceNode& node, const ChoiceUse& use) const;

 private:
  const ChoiceProblem& problem_;
  std::vector<char> has_place_;  // of every value
};

class MemoryUse {
 public:
  // Both outlive this.
  MemoryUse(const ChoiceProblem& problem, const LayoutChoice& choice);

  // The bytes that a device of the mesh holds, moment by moment.
  std::vector<std::int64_t> of_device(std::int64_t device) const;
  // The most at once, of every device.
  std::vector<std::int64_t> peaks() const;
  // The values that are there in a moment, the largest on a device first, with their bytes; copies count as their
  // value.
  struct Holding {
    ChoiceValueId value;
    std::int64_t bytes = 0;
  };
  std::vector<Holding> holdings(std::size_t moment, std::int64_t device) const;

 private:
  struct Stay {
    ChoiceValueId value;
    std::vector<std::size_t> types;  // the largest of these counts
    std::size_t first = 0;
    std::size_t last = 0;
  };
  void add_life(const ChoiceLife& life);
  void add_copies(const ChoiceLife& life);
  std::size_t number_of(const ArrayType& type);
  std::vector<std::int64_t> bytes_of_types(std::int64_t device) const;
  static std::int64_t bytes_of(const Stay& stay, const std::vector<std::int64_t>& bytes);

  const ChoiceProblem& problem_;
  const LayoutChoice& choice_;
  std::vector<std::optional<ArrayType>> made_;  // of every value
  std::vector<ArrayType> types_;
  std::vector<Stay> stays_;
  std::size_t moments_ = 0;
};

// What each device of the mesh may hold; 0: no limit. Nothing where none has a limit.
std::vector<std::int64_t> memory_limits(const Machine& machine, const Mesh& mesh);

}  // namespace tessera::synth
