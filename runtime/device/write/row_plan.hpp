// How rows are dealt to threads, and which values a thread keeps while the reductions of a level come together.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "runtime/device/write/formula.hpp"

namespace tessera::device {

struct RowPlan {
  std::int64_t side = 4;     // lanes of a thread
  std::int64_t threads = 0;  // of a block
  std::int64_t of_row = 0;   // of them for a row
  bool keeps = false;
  bool is_staged = false;  // text/staged_rows.hpp, else text/row_chain.hpp
  std::int64_t steps = 0;  // where staged: groups of a thread
  // By level, the last one included: values of elements that are computed or read there, operands first, ...
  std::vector<std::vector<std::size_t>> taken;
  std::vector<std::vector<std::size_t>> known;  // ... and those that were kept before
  std::set<std::size_t> kept;                   // on the way from one level to another
};

// For rows of at most so many elements.
RowPlan plan_rows(const Formula& formula, std::int64_t longest);

// The bytes that a row of so many elements has on the stage.
std::int64_t staged_bytes(synth::ElementType element, int longest);

// The shared memory that a block needs, in bytes.
std::int64_t shared_bytes(const Formula& formula, const RowPlan& plan);

}  // namespace tessera::device
