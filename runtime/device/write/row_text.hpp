// The text of a chain with reductions of rows.
#pragma once

#include <string>
#include <vector>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/device/write/access.hpp"
#include "runtime/device/write/row_plan.hpp"

namespace tessera::device {

// A value that lies in memory: an array, or what is made and read by others.
struct RowSlot {
  std::size_t value = 0;
  bool is_side = false;  // has it an element for every one of a row?
  Access row;            // where a row begins
  Access side;           // where in a row an element lies
};

struct RowForm {
  const Formula& formula;
  RowPlan plan;
  std::vector<RowSlot> slots;
  int words = 0;
  bool is_whole = false;  // the length of all rows is a multiple of eight
  bool is_single = false;
};

KernelText text_of(const RowForm& form);

}  // namespace tessera::device
