// Einstein sums whose terms are reduced.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/device/steps/contract_part.hpp"
#include "runtime/device/steps/launcher.hpp"
#include "runtime/device/text/term_sums.hpp"
#include "runtime/kernels/contract_indices.hpp"

namespace tessera::device {

// Sums of one element type and as many operands, which are launched together.
class TermSums {
 public:
  TermSums(synth::ElementType element, std::size_t operands) : element_(element), operands_(operands) {}
  // A part that has results and terms.
  void add(const runtime::ContractIndices& indices, const ContractPart& part);
  base::Status launch(Launcher& launcher);

 private:
  // Of results or terms in neighbouring threads.
  base::Status launch(Launcher& launcher, std::vector<kernel::TermTile>& tiles, bool in_row);
  void cut(kernel::TermTile& tile, bool in_row, std::int64_t wanted) const;

  synth::ElementType element_;
  std::size_t operands_;
  std::vector<kernel::TermTile> in_row_, across_;
};

}  // namespace tessera::device
