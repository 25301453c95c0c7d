// Seeded changes of layout as users' frameworks meet them, and the meshes that rivals are measured on.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/synth/support.hpp"

namespace tessera::synth::test {

inline constexpr std::string_view kPowersOfTwo[] = {"a:2,b:4",     "a:4,b:4",     "a:2,b:8",     "a:8,b:8",
                                                    "a:4,b:2,c:2", "a:2,b:2,c:2", "a:4,b:4,c:2", "a:8,b:4,c:2",
                                                    "a:2,b:4,c:8", "a:4,b:4,c:4", "a:16,b:4",    "a:2,b:2,c:2,d:2"};
inline constexpr std::string_view kOtherMeshes[] = {"a:2,b:3",     "a:4,b:3",     "a:6,b:4",    "a:3,b:2,c:4",
                                                    "a:6,b:2",     "a:3,b:3,c:2", "a:5,b:4",    "a:12,b:2",
                                                    "a:6,b:4,c:2", "a:3,b:8",     "a:2,b:5,c:3"};

struct Problem {
  ArrayType from;
  ArrayType to;
};

// The same problems for the same seed, everywhere: the standard's distributions are not.
class Problems {
 public:
  explicit Problems(std::uint64_t seed) : random_(seed) {}

  // Rank 2 to 4; every axis is unused or on some dimension, in any order; neither equal ends nor a source that every
  // device holds whole. Every extent is the number of devices squared, so that everything divides, or, uneven, anything
  // up to twice that number.
  enum class Extents : std::uint8_t { even, uneven };
  Problem next(const MeshRef& on, Extents extents) {
    while (true) {
      const std::size_t rank = 2 + below(3);
      Shape shape;
      for (std::size_t d = 0; d < rank; ++d) shape.push_back(extent(*on, extents));
      const Layout from = layout(*on, rank);
      Problem problem{*ArrayType::make(ElementType::f32, shape, on, from),
                      *ArrayType::make(ElementType::f32, shape, on, layout(*on, rank))};
      if (!from.is_replicated() && !same_type(problem.from, problem.to)) return problem;
    }
  }
  template <class Meshes>
  Problem next_on_any(const Meshes& meshes, Extents extents) {
    return next(mesh(meshes[below(std::size(meshes))]), extents);
  }

 private:
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }

  std::int64_t extent(const Mesh& on, Extents extents) {
    if (extents == Extents::even) return on.devices() * on.devices();
    return static_cast<std::int64_t>(below(static_cast<std::size_t>(2 * on.devices()) + 1));
  }

  Layout layout(const Mesh& on, std::size_t rank) {
    std::vector<AxisList> splits(rank);
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < on.axes().size(); ++axis) {
      axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(below(axis + 1)), axis);
    }
    for (const std::size_t axis : axes) {
      const std::size_t dimension = below(rank + 1);
      if (dimension < rank) splits[dimension].push_back(whole_axis(on, axis));
    }
    return *Layout::make(on, splits);
  }

  std::mt19937_64 random_;
};

}  // namespace tessera::synth::test
