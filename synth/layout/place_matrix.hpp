// The placement of a mesh's axes on the levels of a machine.
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
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::synth {

struct PlaceMatrix {
  std::vector<std::vector<std::int64_t>> rows;
  friend auto operator<=>(const PlaceMatrix&, const PlaceMatrix&) = default;
};

// `[[4,4],[1,4]]`. Blanks may stand between the parts of what is read.
std::string print(const PlaceMatrix& matrix);
std::optional<PlaceMatrix> parse_place_matrix(std::string_view text);

// The fault of a matrix for axes of these sizes, such as `has 1 row, but the mesh has 2 axes`. Empty if there is none.
std::string fault_of(const PlaceMatrix& matrix, const std::vector<std::int64_t>& sizes);

// The counts of the levels that it lies on: the products of its columns.
std::vector<std::int64_t> counts_of(const PlaceMatrix& matrix);

// The device at every row-major position of axes of these sizes. The matrix is one of them.
std::vector<std::int32_t> devices_in_order(const PlaceMatrix& matrix, const std::vector<std::int64_t>& sizes);

}  // namespace tessera::synth
