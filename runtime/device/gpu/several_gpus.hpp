// Several GPUs as one engine. Each is a place, which takes every step for the devices that it has; what moves between
// places is copied by the GPU that it goes to, which waits for the other's work, and the other for the copy.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "runtime/device/gpu/gpu_engine.hpp"
#include "runtime/device/gpu/gpu_links.hpp"
#include "runtime/device/gpu/share_tiles.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

class SeveralGpus final : public runtime::Engine, public std::enable_shared_from_this<SeveralGpus> {
 public:
  // Places of one lock, which have begun.
  explicit SeveralGpus(std::vector<std::shared_ptr<GpuEngine>> places) : places_(places), links_(std::move(places)) {}
  base::Status begin();

  bool is_host() const override { return false; }
  int places() const override { return static_cast<int>(places_.size()); }
  std::shared_ptr<runtime::Pool> pool(int place) override;
  std::int64_t memory_bytes_max(int place) const override;
  std::string name(int place) const override;
  int place_of(const std::byte* memory) const override;
  bool is_lost(int place) const override;
  int gpu(int place) const override;
  void* stream(int place) const override;
  std::shared_ptr<runtime::Pool> borrowed(int place, const std::byte* begin, std::int64_t bytes,
                                          std::shared_ptr<const void> keep) override;

  bool takes(const runtime::LocalStep& step) const override;
  base::Status take(const runtime::LocalStep& step) override;
  bool takes(const runtime::ChainStep& chain) const override;
  base::Status take(const runtime::ChainStep& chain) override;

  std::vector<runtime::Room> room_of(const runtime::LocalStep& step) override;
  std::vector<runtime::Room> room_of(const runtime::ChainStep& chain) override;
  base::Status make_room(int place, const runtime::Room& room) override;
  void leave_room() override;

  base::Status copy(const runtime::ItemList<runtime::BoxMove>& moves, const runtime::ListHints& hints) override;
  base::Status combine(synth::ReduceOp op, const runtime::ItemList<runtime::BoxSum>& sums) override;
  base::Status fill_identity(synth::ReduceOp op, const runtime::ItemList<runtime::TileOut>& tiles) override;
  base::Status fill(const runtime::ItemList<runtime::TileOut>& tiles, std::span<const std::byte> element) override;
  base::Status write_index(const runtime::ItemList<runtime::TileOut>& tiles, std::int64_t index) override;

  base::Status write(const runtime::TileView& host, const runtime::TileTarget& to) override;
  base::Status read(const runtime::TileView& from, const runtime::TileOut& host) override;

  base::Result<std::int64_t> mark() override;
  base::Result<std::vector<double>> marked(std::int64_t mark) override;

  base::Status turn_ends() override;
  base::Status wait() override;

 private:
  std::size_t at(const std::byte* memory) const;
  // `act(place, list)` for each place that has some of the tiles.
  template <class F>
  base::Status on_tiles(const runtime::ItemList<runtime::TileOut>& tiles, const F& act);
  // `act()` between the streams: places wait for those whose memory they read, and these for them.
  template <class F>
  base::Status in_order(const std::vector<std::vector<bool>>& reads, const F& act);
  void next_step();
  const std::vector<ShareTiles>& kept_shares(const runtime::Tiles& tiles);
  base::Status settled(base::Status status);

  std::vector<std::shared_ptr<GpuEngine>> places_;
  GpuLinks links_;
  std::uint64_t order_ = 0;                                          // of steps
  std::map<const runtime::Tiles*, std::vector<ShareTiles>> shares_;  // since the last wait for all
};

}  // namespace tessera::device
