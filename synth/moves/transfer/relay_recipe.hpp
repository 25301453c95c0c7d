// The recipe of a relay in whole numbers: enough to make its sends again without a search.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "synth/moves/transfer/transfer.hpp"

namespace tessera::synth {

// A box that some devices hold and others need goes in parts; every part takes a way of its own through the devices.
struct RelayPart {
  std::int32_t weight = 1;            // of the box's elements, beside those of its other parts
  std::vector<std::int32_t> sources;  // for every device that needs the box, in ascending order: who sends it there
  friend auto operator<=>(const RelayPart&, const RelayPart&) = default;
};

// The parts of every task, in the order of `relay_tasks`.
struct RelayRecipe {
  std::int64_t stretches = 1;
  std::int64_t hops = 1;
  std::vector<std::vector<RelayPart>> tasks;
  friend bool operator==(const RelayRecipe&, const RelayRecipe&) = default;
};

// `8/2: 0 4, 2*0 5; 3 3 1`: the numbers of stretches and hops; tasks between semicolons, their parts between commas, a
// part's weight where it is not 1, and its sources. A task like the one before it, with all sources shifted by the same
// amount, is `+N`.
std::string print(const RelayRecipe& recipe);
std::optional<RelayRecipe> parse_relay_recipe(std::string_view text);

// A box of the array, who of the run's devices holds it and who needs it and does not hold it; in ascending order of
// devices.
struct RelayTask {
  Box box;
  std::vector<std::int32_t> holders;
  std::vector<std::int32_t> needers;
  std::int64_t arrays = 1;  // that have such a box, and move it alike: for a search, so many times the bytes
};

// Everything that has to move between two types with the same pending sets: the boxes in which a tile of the source and
// one of the target meet, where somebody needs them. In order of target tile, then source tile; of pending arrays, in
// order of the positions along the pending axes first.
std::vector<RelayTask> relay_tasks(const ArrayType& from, const ArrayType& to);

// The sends of a recipe; nothing where it does not fit the tasks: a part that does not reach every needer, say, or
// another number of hops.
std::optional<Transfer> transfer_of(const std::vector<RelayTask>& tasks, const RelayRecipe& recipe);
// How many hops the parts of a recipe take, counted from the parts themselves; 0 if they do not fit the tasks.
std::int64_t hops_of(const std::vector<RelayTask>& tasks, const RelayRecipe& recipe);

// The trees by which more than a few units get a part: all of them from the sender or from a hub; or also along two
// trees in which half of the units pass it on, to two others each. The inner units of one tree are the leaves of the
// other.
enum class RelayTrees : std::uint8_t { hubs, hubs_and_halves };

}  // namespace tessera::synth
