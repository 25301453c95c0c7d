// The elements that devices and units exchange when tiles are copied from one layout to another, computed without a
// look at every message: between 65,536 devices there may be over four billion.
//
// If every element has one holder, the sender is known: a message carries the overlap of the sender's tile and the
// receiver's, which is the product, over the dimensions, of the overlaps of their intervals. If the tiles of a unit's
// devices form a grid, all combinations of some intervals of each dimension, the elements that a receiver gets out of
// the unit are a product, too: of the overlaps of its interval with all those intervals of the dimension together.
//
// Example: f32[8@x,8] -> f32[8,8@x] on x:4, in nodes of two. Node 0 holds rows 0 to 3, all columns. Device 1 has 2 of
// the columns in the end: it gets 4 * 2 elements out of its own node, itself included, and 8 * 2 - 4 * 2 over its link.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <optional>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/layout/tiling.hpp"

namespace tessera::synth {

// Where elements have several holders the nearest send (routing.hpp). What comes into a unit is known all the same:
// what a receiver needs and nobody in its unit holds. Who of the others sends it is left open.
class NearestExchange {
 public:
  // Both types have the same pending axes.
  NearestExchange(const Cluster& cluster, const ArrayType& before, const ArrayType& after,
                  std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // The elements that come in over every link, by the cluster's numbers. A level is unknown if the tiles of one of its
  // units do not form a grid; the devices' own level is always known.
  const std::pmr::vector<std::int64_t>& received() const { return received_; }
  bool is_known(std::size_t level) const { return is_known_[level]; }
  // Does the unit of this link hold anything before?
  bool has_source(std::size_t link) const { return has_source_[link]; }
  // The most source tiles that one target tile meets, and an upper bound of the messages.
  std::int64_t cells_max() const { return cells_max_; }
  double messages_at_most() const { return messages_; }

 private:
  std::pmr::vector<std::int64_t> received_;
  std::pmr::vector<bool> has_source_;
  std::vector<bool> is_known_;
  std::int64_t cells_max_ = 0;
  double messages_ = 0;
};

class TileExchange {
 public:
  // Nothing if an element has several holders (routing.hpp then chooses the nearest), or if the tiles of a unit form no
  // grid. Both types have the same pending axes.
  static std::optional<TileExchange> of(const Cluster& cluster, const ArrayType& before, const ArrayType& after,
                                        std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // The elements that a device of the run, or all devices of a unit together, exchange with others.
  struct Exchanged {
    std::int64_t sent = 0;
    std::int64_t received = 0;
  };
  std::size_t devices() const { return target_.devices(); }
  // Every link's traffic, by the cluster's numbers of links; those of the devices come last.
  const std::pmr::vector<Exchanged>& links() const { return links_; }
  const Exchanged& device(std::size_t device) const { return links_[links_.size() - devices() + device]; }

  // How many others a device sends something to, and gets something from.
  std::int64_t receivers(std::size_t device) const;
  std::int64_t senders(std::size_t device) const;

 private:
  TileExchange(const Cluster& cluster, const ArrayType& before, const ArrayType& after,
               std::pmr::memory_resource* memory);

  void add_devices();
  bool add_level(const Cluster& cluster, std::size_t level);

  Tiling source_;
  Tiling target_;
  std::pmr::vector<std::pmr::vector<std::int64_t>> met_by_source_;  // of every dimension and source interval
  std::pmr::vector<std::pmr::vector<std::int64_t>> met_by_target_;
  std::pmr::vector<std::int64_t> held_;    // of every device: elements, once for each device that needs them
  std::pmr::vector<std::int64_t> needed_;  // of every device
  std::pmr::vector<std::int64_t> own_;     // of every device
  std::pmr::vector<Exchanged> links_;
};

}  // namespace tessera::synth
