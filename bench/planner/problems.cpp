#include "bench/planner/problems.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace tessera::bench {

namespace {

using synth::AxisList;
using synth::MachineLevel;

constexpr std::array kPowersOfTwo = {"2x4",   "4x4",   "2x8",   "8x8",   "4x2x2", "2x2x2",
                                     "4x4x2", "8x4x2", "2x4x8", "4x4x4", "16x4",  "2x2x2x2"};
constexpr std::array kOthers = {"2x3", "4x3", "6x4", "3x2x4", "6x2", "3x3x2", "5x4", "12x2", "6x4x2", "3x8", "2x5x3"};

// A small generator of its own: the library's distributions differ from one standard library to the next.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  // 0 to sides - 1.
  std::size_t roll(std::size_t sides) {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t x = state_;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<std::size_t>((x ^ (x >> 31U)) % sides);
  }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[roll(i)]);
  }

 private:
  std::uint64_t state_;
};

synth::MeshRef mesh_of(std::string_view sizes) {
  std::vector<synth::MeshAxis> axes;
  while (!sizes.empty()) {
    const std::size_t end = std::min(sizes.find('x'), sizes.size());
    axes.push_back(
        {std::string(1, static_cast<char>('a' + axes.size())), std::stoll(std::string(sizes.substr(0, end)))});
    sizes.remove_prefix(std::min(end + 1, sizes.size()));
  }
  return *synth::Mesh::make(std::move(axes));
}

// The dimensions' axes, then the pending ones.
std::vector<AxisList> any_splits(const synth::Mesh& mesh, std::size_t rank, Sums sums, Dice& dice) {
  std::vector<std::size_t> axes;
  for (std::size_t a = 0; a < mesh.axes().size(); ++a) axes.push_back(a);
  dice.shuffle(axes);
  std::vector<AxisList> splits(sums == Sums::pending ? rank + 1 : rank);
  for (const std::size_t axis : axes) {
    const std::size_t where = dice.roll(splits.size() + 1);
    if (where < splits.size()) splits[where].push_back(whole_axis(mesh, axis));
  }
  splits.resize(rank + 1);
  return splits;
}

std::int64_t extent(Extents extents, std::int64_t devices, const AxisList& before, const AxisList& after, Dice& dice) {
  if (extents == Extents::even) return devices * devices;
  std::int64_t product = shard_count(before);
  for (const synth::AxisPart& part : after) {
    if (std::find(before.begin(), before.end(), part) == before.end()) product *= part.size;
  }
  const std::int64_t multiple = product * static_cast<std::int64_t>(1 + dice.roll(3));
  const bool uneven = dice.roll(2) == 1;
  return uneven ? multiple + static_cast<std::int64_t>(dice.roll(static_cast<std::size_t>(product))) : multiple;
}

Problem any_problem(const synth::MeshRef& mesh, Extents extents, Sums sums, Dice& dice) {
  const std::size_t rank = 2 + dice.roll(3);
  const auto before = any_splits(*mesh, rank, sums, dice);
  const auto after = any_splits(*mesh, rank, Sums::none, dice);
  synth::Shape shape;
  for (std::size_t d = 0; d < rank; ++d) {
    shape.push_back(extent(extents, mesh->devices(), before[d], after[d], dice));
  }
  const auto type = [&](std::vector<AxisList> splits) {
    AxisList pending = std::move(splits.back());
    splits.pop_back();
    auto layout = *synth::Layout::make(*mesh, std::move(splits), std::move(pending));
    return *synth::ArrayType::make(synth::ElementType::f32, shape, mesh, std::move(layout));
  };
  return Problem{type(before), type(after)};
}

// Devices of a node: 8, or 4 on less than 32 devices; where that does not divide, the nearest number that does.
std::int64_t node_of(std::int64_t devices) {
  const std::int64_t wanted = devices < 32 ? 4 : 8;
  std::int64_t best = 1;
  for (std::int64_t n = 1; n <= devices; ++n) {
    if (devices % n == 0 && std::abs(n - wanted) < std::abs(best - wanted)) best = n;
  }
  return best;
}

std::vector<MachineLevel> levels(MachineShape shape, std::int64_t devices) {
  const std::int64_t node = node_of(devices);
  switch (shape) {
    case MachineShape::flat: return {{"device", devices, 100e9, 1e-6}};
    case MachineShape::steep: return {{"node", devices / node, 12.5e9, 5e-6}, {"device", node, 300e9, 1e-6}};
    case MachineShape::mild: return {{"node", devices / node, 100e9, 5e-6}, {"device", node, 50e9, 1e-6}};
  }
  return {};
}

}  // namespace

#define CASE(identifier, text) \
  case Enum::identifier: return text;

std::string_view name(Meshes meshes) {
  using Enum = Meshes;
  switch (meshes) { TESSERA_PROBLEM_MESHES(CASE) }
  return "";
}

std::string_view name(MachineShape shape) {
  using Enum = MachineShape;
  switch (shape) { TESSERA_PROBLEM_MACHINES(CASE) }
  return "";
}

#undef CASE

std::string_view name(Extents extents) { return extents == Extents::even ? "even" : "tight"; }

std::vector<Problem> problems(Meshes meshes, Extents extents, std::size_t count, std::uint64_t seed, Sums sums) {
  std::vector<synth::MeshRef> choice;
  const auto add = [&](const auto& sizes) {
    for (const char* text : sizes) choice.push_back(mesh_of(text));
  };
  if (meshes == Meshes::powers_of_two) add(kPowersOfTwo);
  if (meshes == Meshes::others) add(kOthers);
  Dice dice(seed + 2 * static_cast<std::uint64_t>(meshes) + static_cast<std::uint64_t>(extents));
  std::vector<Problem> all;
  while (all.size() < count) {
    Problem problem = any_problem(choice[dice.roll(choice.size())], extents, sums, dice);
    if (problem.from.layout().is_replicated() || same_type(problem.from, problem.to)) continue;
    if (sums == Sums::pending && problem.from.layout().pending().empty()) continue;
    all.push_back(std::move(problem));
  }
  return all;
}

synth::Machine machine_for(MachineShape shape, const Problem& problem, std::int64_t local_bytes) {
  const std::int64_t bound = std::max(tile_bytes_max(problem.from), tile_bytes_max(problem.to));
  const double scale = static_cast<double>(local_bytes) / static_cast<double>(bound);
  synth::Machine machine{levels(shape, problem.from.devices())};
  for (MachineLevel& level : machine.levels) level.bandwidth_bytes_per_second /= scale;
  return machine;
}

}  // namespace tessera::bench
