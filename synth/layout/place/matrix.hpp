// The ways to place a mesh on a machine: the matrices, and their number.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "synth/layout/place_matrix.hpp"

namespace tessera::synth {

// Sizes of axes and counts of levels, outermost first.
struct PlaceProblem {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> counts;
};

// True if rows and columns multiply to the sizes and counts.
bool is_placement(const PlaceProblem& problem, const PlaceMatrix& matrix);

// How many matrices there are, counted without making them; the largest 63-bit number if there are more.
std::int64_t placements_count(const PlaceProblem& problem);

// Calls `visit` for every matrix, column by column in lexicographic order, until it returns false.
void for_each_placement(const PlaceProblem& problem, const std::function<bool(const PlaceMatrix&)>& visit);

// The matrix of a mesh whose devices are numbered in row-major order; nothing if no matrix does that (an axis of 3
// outside one of 4, on 4 nodes of 3).
std::optional<PlaceMatrix> row_major_placement(const PlaceProblem& problem);

}  // namespace tessera::synth
