// What goes from one GPU of an engine to another: the order of their streams, and boxes of one that the other cannot
// reach.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/device/gpu/gpu_engine.hpp"

namespace tessera::device {

class GpuLinks {
 public:
  explicit GpuLinks(std::vector<std::shared_ptr<GpuEngine>> places) : places_(std::move(places)) {}
  ~GpuLinks();
  GpuLinks(const GpuLinks&) = delete;
  GpuLinks& operator=(const GpuLinks&) = delete;
  base::Status begin();

  // Can kernels of one place read what another has?
  bool reaches(std::size_t place, std::size_t other) const { return reaches_[place * places_.size() + other]; }
  // What a place is asked for from now on comes after all that the other was asked for so far.
  base::Status follow(std::size_t place, std::size_t other);
  // Boxes of one place go to another, packed, by copies of the driver's, which need no access.
  base::Status copy(std::size_t to, std::size_t from, std::span<const runtime::BoxMove> moves);
  // Sums at a place, whose parts are anywhere.
  using PlaceOf = std::function<std::size_t(const std::byte*)>;
  base::Status combine(std::size_t to, synth::ReduceOp op, std::span<const runtime::BoxSum> sums,
                       const PlaceOf& place_of);

 private:
  base::Result<bool> make_reachable(std::size_t place, std::size_t other);
  base::Result<std::vector<runtime::TileView>> bring(GpuLauncher& here, std::size_t to, std::size_t from,
                                                     std::span<const runtime::TileView> boxes);
  base::Status copy_batch(std::size_t to, std::size_t from, std::span<const runtime::BoxMove> moves);
  base::Status combine_batch(std::size_t to, synth::ReduceOp op, std::vector<runtime::BoxSum> sums,
                             const PlaceOf& place_of);
  Gpu& gpu(std::size_t place) const { return *places_[place]->place().gpu; }

  std::vector<std::shared_ptr<GpuEngine>> places_;
  std::vector<bool> reaches_;  // of each pair
  std::vector<void*> marks_;   // an event of each place
};

}  // namespace tessera::device
