// Ids on GPUs: where they lie, which may stand there, and what is said of others.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/device/text/take.hpp"
#include "runtime/kernels/tile.hpp"

namespace tessera::device {

// Of `rows` rows, which negative ids count from the end; or positions, which are not negative.
kernel::IdList row_ids(const runtime::TileView& ids, std::int64_t rows);
kernel::IdList position_ids(const runtime::TileView& ids, std::int64_t positions);

// Lists of ids of a step, of which the least that is out of range is reported. Each has a number in the step's tables.
class CheckedIds {
 public:
  // The number of the list; `reported` is what the report calls it. Empty lists have none and are not added.
  void add(const kernel::IdList& ids, std::size_t reported);
  // Before all launches that can fail; these note failures at fault().
  void begin(Launcher& launcher, const FaultReport& report);
  kernel::Fault fault() const { return fault_; }
  // Fails for ids out of range.
  base::Status check(Launcher& launcher) const;
  // Behind the launches that can fail.
  base::Status note(Launcher& launcher) const;

 private:
  std::vector<kernel::IdTile> tiles_;
  std::vector<std::int64_t> reported_;
  std::int64_t blocks_ = 0;
  kernel::Fault fault_;
};

}  // namespace tessera::device
