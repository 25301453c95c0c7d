// Placements of a mesh on the levels of a machine, ranked by what a program moves (docs/placement.md).
//
//     tessera::Machine machine{.levels = {{"node", 4, 12.5e9, 5e-6}, {"device", 2, 300e9, 1e-6}}};
//     auto ranking = tessera::rank_placements({.mesh = "dp:4,tp:2",
//                                              .moves = {{.from = "f32[8@dp]", .to = "f32[8]", .times = 100}},
//                                              .machine = machine});
//     std::cout << tessera::to_text(ranking->best.front().matrix);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/tessera.hpp"

namespace tessera {

TESSERA_API std::string to_text(const PlaceMatrix& matrix);

// A redistribution, and how often it is made.
struct PlacedMove {
  std::string from;
  std::string to;
  double times = 1;
  bool times_are_known = true;  // false: a loop's count is not known, and is taken for 1
  double seconds = 0;           // of one
  double lower_bound_seconds = 0;
  std::vector<std::string> programs = {};  // of its sums
};

// The mesh at one place. The sums are over the moves, each as often as it is made.
struct RankedPlacement {
  PlaceMatrix matrix;
  bool is_row_major = false;  // as the mesh lies without `place`
  double seconds = 0;
  double lower_bound_seconds = 0;
  std::vector<PlacedMove> moves;
};

struct PlacementRanking {
  std::string mesh;        // its name; empty where it has none
  std::string axes;        // `dp:16,tp:4`
  std::int64_t count = 0;  // of matrices
  std::int64_t examined = 0;
  std::int64_t priced = 0;
  std::vector<RankedPlacement> best;  // ascending in seconds
};

// A mesh, and what is moved on it.
struct PlacementRequest {
  std::string mesh = {};
  struct Move {
    std::string from = {};
    std::string to = {};
    double times = 1;
  };
  std::vector<Move> moves = {};
  Machine machine = {};
  int best = 8;  // how many placements to list
  std::optional<StopToken> stop = {};
};
TESSERA_API Result<PlacementRanking> rank_placements(const PlacementRequest& request);

// Ranks placements of every mesh of a program, which is checked anew under the best of them: layouts follow what they
// cost. The text's own placements are not looked at; the configuration says what machine there is.
TESSERA_API Result<std::vector<PlacementRanking>> rank_placements(std::string_view program, std::string_view name,
                                                                  const Config& config, int best = 8);

// Ranks placements of the mesh that is the default one after the last of these programs, by what all of them move as
// they were checked.
TESSERA_API Result<PlacementRanking> rank_placements(const std::vector<Program>& programs, const Machine& machine,
                                                     int best = 8);

}  // namespace tessera
