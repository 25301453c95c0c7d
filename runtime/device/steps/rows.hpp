// Rows that ids name, on GPUs; and values looked up among edges.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/device/steps/launcher.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

// Those of a step on its own devices' tiles.
bool can_take(const runtime::LocalStep& step, const synth::Take& operation);
base::Status take(Launcher& launcher, const runtime::LocalStep& step, const synth::Take& operation);
bool can_scatter_add(const runtime::LocalStep& step, const synth::ScatterAdd& operation);
base::Status scatter_add(Launcher& launcher, const runtime::LocalStep& step, const synth::ScatterAdd& operation);
bool can_one_hot(const runtime::LocalStep& step, const synth::OneHot& operation);
base::Status one_hot(Launcher& launcher, const runtime::LocalStep& step, const synth::OneHot& operation);
base::Status search(Launcher& launcher, const runtime::LocalStep& step, const synth::Search& operation);

// The same of any tiles on one GPU. Parts are of one element type each; a failure is reported with the part's number
// and the id. (Of scatter_add: the number among all parts' sources.)
struct TableTile {
  runtime::TileView table;
  std::int64_t first_row = 0;
};
struct TakePart {
  std::vector<TableTile> sources;  // ascending; rows that none of them has give the identity of sums
  runtime::TileView ids;
  runtime::TileOut out;
};
base::Status take(Launcher& launcher, const std::vector<TakePart>& parts, std::int64_t rows, const FaultReport& report);

struct AddedTile {
  runtime::TileView values;
  runtime::TileView ids;
};
struct ScatterPart {
  std::vector<AddedTile> sources;  // in the order in which they are added
  std::int64_t first_row = 0;
  runtime::TileOut out;
};
base::Status scatter_add(Launcher& launcher, const std::vector<ScatterPart>& parts, std::int64_t rows,
                         const FaultReport& report);

struct IdsPart {
  runtime::TileView ids;
  runtime::TileOut out;
};
base::Status one_hot(Launcher& launcher, const std::vector<IdsPart>& parts, std::int64_t n, const FaultReport& report);

struct SearchPart {
  runtime::TileView edges, values;
  runtime::TileOut out;
};
base::Status search(Launcher& launcher, const std::vector<SearchPart>& parts, bool right);

}  // namespace tessera::device
