// Where the axes of a mesh lie on the levels of a machine.
//
// A matrix has a row for each axis and a column for each level, outermost first, of positive integers: row i multiplies
// to the size of axis i, column j to the count of level j. A device's number stays its place in the machine; only its
// coordinates depend on the matrix. Digit j of the number (the innermost changes fastest) is split by column j, the
// first axis most significant; an axis' coordinate is made of its digits, outermost first.
//
// Example: on 2 nodes of 4 devices, [[2, 1], [1, 4]] puts the axes x:2,y:4 so that x goes over the nodes and y inside.
// [[1, 2], [2, 2]] puts x inside the nodes: device 5 is device 1 of node 1, so x = 0, y = 1 * 2 + 1 = 3.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "synth/layout/mesh.hpp"

namespace tessera::synth {

struct PlaceMatrix {
  std::vector<std::vector<std::int64_t>> rows;
  friend auto operator<=>(const PlaceMatrix&, const PlaceMatrix&) = default;
};

// `[[4,4],[1,4]]`. Blanks may stand between the parts of what is read.
std::string print(const PlaceMatrix& matrix);
std::optional<PlaceMatrix> parse_place_matrix(std::string_view text);

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

// A mesh with the axes where the matrix puts them. The matrix is a placement of their sizes.
base::Result<MeshRef> placed_mesh(std::vector<MeshAxis> axes, const PlaceMatrix& matrix);

}  // namespace tessera::synth
