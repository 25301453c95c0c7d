// Placements of a mesh on a machine, ranked by the time that the redistributions of a program take under each.
//
// The score of a matrix is the sum over the requests of how often each is made, times its plan's seconds. Matrices are
// first ordered by the same sum of lower bounds; they are priced in that order until no bound is below the worst of the
// best so many. Of meshes above 512 devices only a few are priced, and the order is that of what they will take about:
// bounds, and estimates of sums. Equal scores: the row-major matrix first, then the first in order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "base/stop.hpp"
#include "synth/layout/place/matrix.hpp"
#include "synth/planner/plan.hpp"

namespace tessera::synth {

// At most this many matrices are looked at, and fewer are priced for meshes above 512 devices; callers report both.
inline constexpr std::int64_t kPlacementsMax = 100'000;
inline constexpr std::int64_t kLargePlacementsMax = 16;

struct PlaceRequest {
  ArrayType from;
  ArrayType to;
  double times = 1;
};

struct RankedPlacement {
  PlaceMatrix matrix;
  MeshRef mesh;
  double seconds = 0;
  double bound_seconds = 0;
  std::vector<std::shared_ptr<const Plan>> plans;  // of the requests, in their order
};

struct PlaceRanking {
  std::vector<RankedPlacement> best;         // at most as many as wished, ascending
  std::optional<RankedPlacement> row_major;  // always priced, if there is such a matrix
  std::int64_t count = 0;                    // of matrices
  std::int64_t examined = 0;                 // whose bound was found
  std::int64_t priced = 0;
};

// Are the plans of the best looked at by somebody, or only compared? Then they are not verified; and where no more
// matrices are wished for than there are, all come back without prices, the row-major one first.
enum class RankedFor : std::uint8_t { showing, comparing };

// Types of the requests that live on `mesh` are placed; others stay where they are.
base::Result<PlaceRanking> rank_placements(const Machine& machine, const MeshRef& mesh,
                                           const std::vector<PlaceRequest>& requests, std::size_t wished,
                                           base::StopToken stop = {}, RankedFor purpose = RankedFor::showing);

// The type on another mesh of the same axes.
ArrayType on_mesh(const ArrayType& type, const MeshRef& mesh);

}  // namespace tessera::synth
