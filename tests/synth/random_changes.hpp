// Seeded random changes of layout as the planners are compared on: a mesh of a list, two to four dimensions of
// extents that every product of axes divides, every axis on a random dimension at a random place or unused.
#pragma once

#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/synth/support.hpp"

namespace tessera::synth::test {

inline const std::vector<std::string_view> kPowersOfTwo = {
    "a:2,b:4",     "a:4,b:4",     "a:2,b:8",     "a:8,b:8",     "a:4,b:2,c:2", "a:2,b:2,c:2",
    "a:4,b:4,c:2", "a:8,b:4,c:2", "a:2,b:4,c:8", "a:4,b:4,c:4", "a:16,b:4",    "a:2,b:2,c:2,d:2"};
inline const std::vector<std::string_view> kOtherMeshes = {"a:2,b:3",     "a:4,b:3",     "a:6,b:4",    "a:3,b:2,c:4",
                                                           "a:6,b:2",     "a:3,b:3,c:2", "a:5,b:4",    "a:12,b:2",
                                                           "a:6,b:4,c:2", "a:3,b:8",     "a:2,b:5,c:3"};

class RandomChanges {
 public:
  RandomChanges(const std::vector<std::string_view>& meshes, std::uint64_t seed) : random_(seed) {
    for (const std::string_view text : meshes) meshes_.push_back(mesh(text));
  }

  // Never between equal types, never from a replicated one.
  std::pair<ArrayType, ArrayType> next() {
    for (;;) {
      const MeshRef on = meshes_[below(meshes_.size())];
      const Shape shape(2 + below(3), on->devices() * on->devices());
      const ArrayType from = any(on, shape);
      const ArrayType to = any(on, shape);
      if (!from.layout().is_replicated() && !same_type(from, to)) return {from, to};
    }
  }

 private:
  // The same on every machine, as std::uniform_int_distribution is not.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  ArrayType any(const MeshRef& on, const Shape& shape) {
    std::vector<AxisList> splits(shape.size());
    for (std::size_t axis = 0; axis < on->axes().size(); ++axis) {
      const std::size_t where = below(shape.size() + 1);
      if (where == shape.size()) continue;
      AxisList& split = splits[where];
      split.insert(split.begin() + static_cast<std::ptrdiff_t>(below(split.size() + 1)), whole_axis(*on, axis));
    }
    return *ArrayType::make(ElementType::f32, shape, on, *Layout::make(*on, std::move(splits)));
  }

  std::mt19937_64 random_;
  std::vector<MeshRef> meshes_;
};

}  // namespace tessera::synth::test
