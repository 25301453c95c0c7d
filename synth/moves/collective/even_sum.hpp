// A wide reduction (synth/moves/transfer/even_program.hpp) of arrays: what its devices receive and need beside their
// tiles.
//
// Members are not looked at one by one, so a share of a tile counts as an even one, rounded up. Where tiles differ in
// size, messages and chunks of others count as the largest.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "synth/moves/collective/collective.hpp"
#include "synth/moves/transfer/even_program.hpp"

namespace tessera::synth {

class EvenSum {
 public:
  // Nothing if the step is no wide reduction, or its program no even one.
  static std::optional<EvenSum> of(const Collective& step, const ArrayType& before, const ArrayType& after);
  // The same of a reduction of any size. Where nothing has to be rounded its figures are exact.
  static std::optional<EvenSum> of_any_size(const Collective& step, const ArrayType& before, const ArrayType& after);

  const EvenProgram& program() const { return program_; }
  const ReduceProgram& steps() const { return *steps_; }
  const AxisList& reduced() const { return reduced_; }
  // Of the largest tile.
  std::int64_t message_elements(const EvenHop& hop) const { return part_of(largest_, hop.chunks); }
  std::vector<std::int64_t> received_elements() const;  // of every device
  std::int64_t beside_bytes() const;

 private:
  // So many chunks of a tile.
  std::int64_t part_of(std::int64_t tile, std::int64_t chunks) const;

  bool scatters_ = false;
  AxisList reduced_;
  ReduceProgramRef steps_;
  EvenProgram program_;
  std::int64_t element_bytes_ = 1;
  std::int64_t devices_ = 1;
  std::int64_t largest_ = 0;         // tile, in elements
  std::vector<std::int64_t> tiles_;  // of every device; none where all are as large
};

}  // namespace tessera::synth
