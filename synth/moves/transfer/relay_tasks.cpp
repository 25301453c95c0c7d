// The tasks of a relay, and the sends that a recipe makes of them.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/stop_scope.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"

namespace tessera::synth {

namespace {

using DeviceList = std::vector<std::int32_t>;

// The devices of every tile, by the tile's number and the position along the pending axes.
class DevicesByTile {
 public:
  explicit DevicesByTile(const Tiling& tiling)
      : contributors_(tiling.contributors), devices_(static_cast<std::size_t>(tiling.tiles * tiling.contributors)) {
    for (std::size_t d = 0; d < tiling.devices(); ++d) {
      if (!tiling.has(d)) continue;
      devices_[number(tiling.tile_of[d], tiling.contributor[d])].push_back(static_cast<std::int32_t>(d));
    }
  }
  const DeviceList& at(std::int64_t tile, std::int64_t contributor) const {
    return devices_[number(tile, contributor)];
  }

 private:
  std::size_t number(std::int64_t tile, std::int64_t contributor) const {
    return static_cast<std::size_t>(tile * contributors_ + contributor);
  }
  std::int64_t contributors_;
  std::vector<DeviceList> devices_;
};

// f(number, box) for the tiles of a tiling that meet a box, and what they share with it, in ascending order: only
// those along each dimension that do are looked at.
template <class F>
void for_tiles_in(const Tiling& tiling, const Box& box, const F& f, std::size_t d = 0, std::int64_t number = 0,
                  Box shared = {}) {
  if (d == box.size()) return f(number, shared);
  const auto cuts = tiling.cuts(d);
  const auto ends_before = [](const Interval& cut, std::int64_t at) { return cut.end <= at; };
  auto cut = std::lower_bound(cuts.begin(), cuts.end(), box[d].begin, ends_before);
  for (; cut != cuts.end() && cut->begin < box[d].end; ++cut) {
    const Interval both{std::max(cut->begin, box[d].begin), std::min(cut->end, box[d].end)};
    if (both.length() == 0) continue;
    Box next = shared;
    next.push_back(both);
    for_tiles_in(tiling, box, f, d + 1, number * static_cast<std::int64_t>(cuts.size()) + (cut - cuts.begin()), next);
  }
}

Box box_of(const Tiling& tiling, std::int32_t device) {
  const Interval* const tile = tiling.tile(static_cast<std::size_t>(device));
  return Box(tile, tile + tiling.rank());
}

DeviceList without(const DeviceList& all, const DeviceList& some) {
  DeviceList rest;
  std::set_difference(all.begin(), all.end(), some.begin(), some.end(), std::back_inserter(rest));
  return rest;
}

class Sends {
 public:
  explicit Sends(Transfer& transfer) : transfer_(transfer) {}

  // A part of a task's box as a piece. False where a needer is not reached from a holder.
  bool add(const RelayTask& task, const RelayPart& part, const Box& box) {
    if (part.sources.size() != task.needers.size()) return false;
    const auto piece = static_cast<std::int32_t>(transfer_.pieces.size());
    for (std::size_t i = 0; i < task.needers.size(); ++i) {
      const auto hop = hop_to(task, part, i);
      if (!hop) return false;
      if (!empty(box)) transfer_.sends.push_back(Send{part.sources[i], task.needers[i], piece, *hop});
    }
    if (!empty(box)) transfer_.pieces.push_back(box);
    return true;
  }

 private:
  // How many devices pass the part on before the needer of that number has it.
  static std::optional<std::int32_t> hop_to(const RelayTask& task, const RelayPart& part, std::size_t needer) {
    std::int32_t hop = 0;
    for (std::size_t at = needer;; ++hop) {
      const std::int32_t source = part.sources[at];
      if (std::binary_search(task.holders.begin(), task.holders.end(), source)) return hop;
      const auto found = std::lower_bound(task.needers.begin(), task.needers.end(), source);
      if (found == task.needers.end() || *found != source) return std::nullopt;
      at = static_cast<std::size_t>(found - task.needers.begin());
      if (hop >= static_cast<std::int32_t>(task.needers.size())) return std::nullopt;  // a circle
    }
  }

  Transfer& transfer_;
};

std::size_t longest_dimension(const Box& box) {
  const auto shorter = [](const Interval& a, const Interval& b) { return a.length() < b.length(); };
  return static_cast<std::size_t>(std::max_element(box.begin(), box.end(), shorter) - box.begin());
}

// The task's box in parts along its longest dimension, as their weights say.
bool add_task(const RelayTask& task, const std::vector<RelayPart>& parts, Sends& sends) {
  std::int64_t weights = 0;
  for (const RelayPart& part : parts) {
    if (part.weight < 1) return false;
    weights += part.weight;
  }
  if (parts.empty()) return false;
  const std::size_t d = task.box.empty() ? 0 : longest_dimension(task.box);
  std::int64_t before = 0;
  for (const RelayPart& part : parts) {
    Box box = task.box;
    if (!box.empty()) {
      const std::int64_t begin = task.box[d].begin;
      const std::int64_t length = task.box[d].length();
      box[d] = Interval{begin + scaled(before, length, weights), begin + scaled(before + part.weight, length, weights)};
    } else if (before > 0) {
      break;  // a scalar is not cut
    }
    before += part.weight;
    if (!sends.add(task, part, box)) return false;
  }
  return true;
}

}  // namespace

std::vector<RelayTask> relay_tasks(const ArrayType& from, const ArrayType& to) {
  const Tiling source(from, run_devices(from, to));
  const Tiling target(to, run_devices(from, to));
  const DevicesByTile holders(source);
  const DevicesByTile needers(target);
  std::vector<RelayTask> tasks;
  for (std::int64_t part = 0; part < target.contributors; ++part) {
    for (std::int64_t tile = 0; tile < target.tiles; ++tile) {
      base::look_for_stop();
      const DeviceList& wanting = needers.at(tile, part);
      if (wanting.empty()) continue;
      for_tiles_in(source, box_of(target, wanting.front()), [&](std::int64_t cell, const Box& box) {
        const DeviceList& holding = holders.at(cell, part);
        DeviceList needing = without(wanting, holding);
        if (!needing.empty()) tasks.push_back(RelayTask{box, holding, std::move(needing)});
      });
    }
  }
  return tasks;
}

namespace {

// With as many hops as it takes.
std::optional<Transfer> sends_of(const std::vector<RelayTask>& tasks, const RelayRecipe& recipe) {
  if (recipe.tasks.size() != tasks.size() || recipe.stretches < 1) return std::nullopt;
  Transfer transfer;
  transfer.stretches = recipe.stretches;
  Sends sends(transfer);
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    base::look_for_stop();
    if (!add_task(tasks[t], recipe.tasks[t], sends)) return std::nullopt;
  }
  for (const Send& send : transfer.sends) transfer.hops = std::max<std::int64_t>(transfer.hops, send.hop + 1);
  std::stable_sort(transfer.sends.begin(), transfer.sends.end(),
                   [](const Send& a, const Send& b) { return a.hop < b.hop; });
  return transfer;
}

}  // namespace

std::optional<Transfer> transfer_of(const std::vector<RelayTask>& tasks, const RelayRecipe& recipe) {
  auto transfer = sends_of(tasks, recipe);
  return transfer && transfer->hops == recipe.hops ? std::move(transfer) : std::nullopt;
}

std::int64_t hops_of(const std::vector<RelayTask>& tasks, const RelayRecipe& recipe) {
  const auto transfer = sends_of(tasks, recipe);
  return transfer ? transfer->hops : 0;
}

}  // namespace tessera::synth
