// Placements of meshes on machines: how many there are, which, and what they mean.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "synth/layout/place/matrix.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

using Numbers = std::vector<std::int64_t>;

std::vector<PlaceMatrix> placements(const PlaceProblem& problem) {
  std::vector<PlaceMatrix> all;
  for_each_placement(problem, [&](const PlaceMatrix& matrix) {
    all.push_back(matrix);
    return true;
  });
  return all;
}

// A matrix column by column.
Numbers columns(const PlaceMatrix& matrix) {
  Numbers all;
  for (std::size_t j = 0; j < matrix.rows[0].size(); ++j) {
    for (const Numbers& row : matrix.rows) all.push_back(row[j]);
  }
  return all;
}

TEST(Placement, Numbers) {
  const std::vector<std::pair<PlaceProblem, std::int64_t>> known{
      {{{4, 4}, {1, 2, 2, 4}}, 4},
      {{{8, 8}, {4, 16}}, 3},
      {{{4, 4, 4}, {4, 16}}, 6},
      {{{8, 8, 16}, {4, 4, 4, 16}}, 153},
      {{{8, 16, 8}, {2, 2, 4, 8, 8}}, 279},
      {{{16, 64, 64}, {16, 16, 16, 16}}, 1'206},
  };
  for (const auto& [problem, number] : known) {
    EXPECT_EQ(placements_count(problem), number);
    const auto all = placements(problem);
    EXPECT_EQ(static_cast<std::int64_t>(all.size()), number);
    EXPECT_TRUE(
        std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) { return columns(a) < columns(b); }));
    for (const PlaceMatrix& matrix : all) EXPECT_TRUE(is_placement(problem, matrix)) << print(matrix);
  }
}

TEST(Placement, OtherPrimes) {
  const PlaceProblem problem{{6, 10, 2}, {2, 15, 4}};
  EXPECT_EQ(placements_count(problem), static_cast<std::int64_t>(placements(problem).size()));
  EXPECT_EQ(placements_count({{6, 4}, {5, 5}}), 0);
  EXPECT_TRUE(placements({{6, 4}, {5, 5}}).empty());
}

TEST(Placement, EndsWhenTheVisitorHasHadEnough) {
  int seen = 0;
  for_each_placement({{8, 8}, {4, 16}}, [&](const PlaceMatrix&) { return ++seen < 2; });
  EXPECT_EQ(seen, 2);
}

// Who reduces with whom along axis 1.
TEST(Placement, Groups) {
  const PlaceMatrix matrix{{{1, 1, 2, 2}, {1, 2, 1, 2}}};
  const MeshRef mesh = Mesh::placed({{"x", 4}, {"y", 4}}, matrix).value();
  std::vector<std::vector<std::int64_t>> groups(4);
  for (std::int64_t device = 0; device < 16; ++device)
    groups[static_cast<std::size_t>(mesh->coordinate(device, 0))].push_back(device);
  const std::vector<std::vector<std::int64_t>> expected{{0, 1, 8, 9}, {2, 3, 10, 11}, {4, 5, 12, 13}, {6, 7, 14, 15}};
  EXPECT_EQ(groups, expected);
}

// The example of matrix.hpp.
TEST(Placement, AnAxisInsideTheNodes) {
  const MeshRef outside = Mesh::placed({{"x", 2}, {"y", 4}}, {{{2, 1}, {1, 4}}}).value();
  EXPECT_TRUE(outside->is_row_major());
  const MeshRef inside = Mesh::placed({{"x", 2}, {"y", 4}}, {{{1, 2}, {2, 2}}}).value();
  EXPECT_EQ(inside->coordinate(5, 0), 0);
  EXPECT_EQ(inside->coordinate(5, 1), 3);
}

// Of each problem at most one matrix leaves the devices in row-major order, and it is the one that is named.
TEST(Placement, RowMajor) {
  for (const PlaceProblem& problem :
       {PlaceProblem{{8, 8}, {4, 16}}, PlaceProblem{{16, 4}, {4, 16}}, PlaceProblem{{6, 10, 2}, {2, 15, 4}},
        PlaceProblem{{3, 4}, {4, 3}}, PlaceProblem{{4, 3}, {3, 4}}, PlaceProblem{{2, 3}, {1, 6}},
        PlaceProblem{{2, 1, 6}, {4, 3}}}) {
    std::vector<MeshAxis> axes;
    for (std::size_t i = 0; i < problem.sizes.size(); ++i)
      axes.push_back({std::string(1, static_cast<char>('a' + i)), problem.sizes[i]});
    std::vector<PlaceMatrix> row_major;
    for (const PlaceMatrix& matrix : placements(problem)) {
      if (Mesh::placed(axes, matrix).value()->is_row_major()) row_major.push_back(matrix);
    }
    const auto named = row_major_placement(problem);
    if (named)
      EXPECT_EQ(row_major, std::vector<PlaceMatrix>{*named}) << print(*named);
    else
      EXPECT_TRUE(row_major.empty());
  }
}

// Meshes with their devices in the same order may be placed by other matrices, or by none.
TEST(Placement, MeshesKnowTheirMatrices) {
  const std::vector<MeshAxis> axes{{"a", 4}, {"b", 4}};
  std::vector<PlaceMatrix> matrices = placements({{4, 4}, {2, 2, 2, 2}});
  for (const PlaceMatrix& other : placements({{4, 4}, {2, 8}})) matrices.push_back(other);
  ASSERT_GT(matrices.size(), 4U);
  const MeshRef plain = Mesh::make(axes).value();
  EXPECT_EQ(plain->matrix(), nullptr);
  EXPECT_TRUE(plain->has_matrix_of(*Mesh::make(axes).value()));
  for (const PlaceMatrix& matrix : matrices) {
    const MeshRef placed = Mesh::placed(axes, matrix).value();
    EXPECT_EQ(*placed->matrix(), matrix);
    EXPECT_FALSE(placed->has_matrix_of(*plain));
    EXPECT_FALSE(plain->has_matrix_of(*placed));
    for (const PlaceMatrix& other : matrices)
      EXPECT_EQ(placed->has_matrix_of(*Mesh::placed(axes, other).value()), matrix == other);
  }
}

TEST(Placement, Text) {
  const PlaceMatrix matrix{{{4, 4}, {1, 4}}};
  EXPECT_EQ(print(matrix), "[[4,4],[1,4]]");
  EXPECT_EQ(parse_place_matrix(print(matrix)), matrix);
  EXPECT_EQ(parse_place_matrix(" [ [4, 4], [1 ,4] ] "), matrix);
  for (const char* wrong : {"", "[]", "[[]]", "[[4,4],[1,4]", "[[4,4],[1,4]] x", "[[4,-4]]", "[[4,4][1,4]]", "[4,4]",
                            "[[99999999999999999999]]"})
    EXPECT_FALSE(parse_place_matrix(wrong)) << wrong;
}

TEST(Placement, WrongMatrices) {
  const PlaceProblem problem{{16, 4}, {4, 16}};
  EXPECT_TRUE(is_placement(problem, {{{4, 4}, {1, 4}}}));
  EXPECT_FALSE(is_placement(problem, {{{4, 4}, {4, 1}}}));
  EXPECT_FALSE(is_placement(problem, {{{4, 4}}}));
  EXPECT_FALSE(is_placement(problem, {{{4, 4}, {1, 4, 1}}}));
  EXPECT_FALSE(is_placement(problem, {{{-4, -4}, {1, 4}}}));
  EXPECT_FALSE(is_placement(problem, {{{4, 4}, {0, 4}}}));
}

// Whatever rows there are, a matrix is taken or refused in words.
TEST(Placement, RowsOfAnyLengths) {
  const std::vector<std::vector<std::int64_t>> rows{{}, {1}, {2}, {1, 2}, {2, 1}, {0}, {-1, -2}, {1, 1, 2}};
  for (const auto& first : rows) {
    EXPECT_EQ(Mesh::placed({{"x", 2}}, {{first}}).ok(), !first.empty() && first[0] >= 1 && first != rows[1]);
    for (const auto& second : rows) {
      const auto made = Mesh::placed({{"x", 2}, {"y", 2}}, {{first, second}});
      if (first.empty() || second.empty()) {
        ASSERT_FALSE(made.ok());
        EXPECT_EQ(first_error(made), "bad-place");
      }
      EXPECT_FALSE(Mesh::placed({{"x", 2}}, {{first, second}}).ok());
    }
  }
  EXPECT_EQ(first_message(Mesh::placed({{"x", 2}}, {{{}}})), "the placement `[[]]` has no numbers in row 1");
}

}  // namespace
}  // namespace tessera::synth::test
