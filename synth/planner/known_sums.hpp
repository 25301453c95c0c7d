// What sums over tiles of one size cost on a machine, kept from plan to plan: it does not depend on where the tiles lie
// in the array, so that many changes of layout ask for the same few.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/persistent_map.hpp"
#include "synth/moves/prices/prices.hpp"

namespace tessera::synth {

class KnownSums {
 public:
  struct Program {
    ReduceProgramRef program;  // null where none is faster than adding up at once
    StepCost cost;
    bool is_found = false;  // by the search: a program is priced, and may then prove too slow
  };
  struct Sum {
    std::optional<StepCost> direct;
    std::optional<Program> by_program;
  };
  struct Key {
    std::size_t mesh;  // by mesh()
    CollectiveKind kind;
    ElementType element;
    std::int64_t tile_bytes_before;
    std::int64_t tile_bytes_after;
    AxisList axes;
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  // The number of a mesh, by where its devices lie.
  std::size_t mesh(const MeshRef& mesh);
  Sum find(const Key& key) const;
  void set(Key key, Sum sum) { sums_.set(std::move(key), std::move(sum)); }

 private:
  std::vector<MeshRef> meshes_;
  base::PersistentMap<Key, Sum> sums_;
};

}  // namespace tessera::synth
