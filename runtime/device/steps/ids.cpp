#include "runtime/device/steps/ids.hpp"

#include "runtime/device/steps/tile_table.hpp"

namespace tessera::device {

namespace {

kernel::IdList id_list(const runtime::TileView& ids) {
  kernel::IdList list;
  list.address = address_of(ids.data);
  list.count = runtime::count(ids.shape);
  list.is_wide = ids.element == synth::ElementType::i64 ? 1 : 0;
  list.walk = walk_of<1>(ids.shape, {ids.strides});
  return list;
}

}  // namespace

kernel::IdList row_ids(const runtime::TileView& ids, std::int64_t rows) {
  kernel::IdList list = id_list(ids);
  list.low = -rows;
  list.high = rows;
  list.wraps = rows;
  return list;
}

kernel::IdList position_ids(const runtime::TileView& ids, std::int64_t positions) {
  kernel::IdList list = id_list(ids);
  list.high = positions;
  return list;
}

void CheckedIds::add(const kernel::IdList& ids, std::size_t reported) {
  if (ids.count == 0) return;
  tiles_.push_back({blocks_, ids});
  reported_.push_back(static_cast<std::int64_t>(reported));
  blocks_ += blocks_for(ids.count, kernel::CheckIds::kThreads);
}

void CheckedIds::begin(Launcher& launcher, const FaultReport& report) {
  const FaultPlace place =
      launcher.fault([report, reported = reported_](std::int64_t row, std::int64_t position, std::int64_t value) {
        return report(reported[static_cast<std::size_t>(row)], position, value);
      });
  fault_ = {place.word, place.launch};
}

base::Status CheckedIds::check(Launcher& launcher) const {
  if (tiles_.empty()) return base::Done{};
  TESSERA_TRY(table, table_of(launcher, tiles_));
  return launch(launcher, {{"runtime/device/text/take.hpp"}, "CheckIds", ""}, blocks_,
                kernel::IdArgs{table, static_cast<std::int64_t>(tiles_.size()), fault_});
}

base::Status CheckedIds::note(Launcher& launcher) const {
  if (tiles_.empty()) return base::Done{};
  TESSERA_TRY(table, table_of(launcher, tiles_));
  return launch(launcher, {{"runtime/device/text/take.hpp"}, "NoteId", ""}, 1,
                kernel::IdArgs{table, static_cast<std::int64_t>(tiles_.size()), fault_});
}

}  // namespace tessera::device
