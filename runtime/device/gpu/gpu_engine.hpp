// The engine whose memory and steps are a GPU's.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/device/gpu/gpu_place.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

class GpuEngine final : public runtime::Engine, public std::enable_shared_from_this<GpuEngine> {
 public:
  explicit GpuEngine(std::unique_ptr<GpuPlace> place) : place_(std::move(place)) {}
  base::Status begin();

  bool is_host() const override { return false; }
  std::shared_ptr<runtime::Pool> pool(int place) override;
  std::int64_t memory_bytes_max(int place) const override;
  std::string name(int place) const override;
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

  base::Result<const std::byte*> constant(std::span<const std::byte> element) override;
  base::Status write_index(const runtime::ItemList<runtime::TileOut>& tiles, std::int64_t index) override;

  base::Status write(const runtime::TileView& host, const runtime::TileTarget& to) override;
  base::Status read(const runtime::TileView& from, const runtime::TileOut& host) override;

  base::Result<std::int64_t> mark() override;
  base::Result<std::vector<double>> marked(std::int64_t mark) override;

  base::Status turn_ends() override;
  base::Status wait() override;

  // For an engine that this is a part of: what the GPU has, and something that is done there as a step.
  GpuPlace& place() { return *place_; }
  base::Status act(const std::function<base::Status(GpuLauncher&)>& what);

 private:
  // `act` with the GPU current and the launcher at the beginning of a step; whatever it throws is a failure.
  template <class F>
  base::Status step(const synth::Operation* operation, F&& act, std::uint32_t origin = 0);
  // A step that may be known.
  template <class Step, class F>
  base::Status take_known(const synth::Operation* operation, const Step& step, F&& act, std::uint32_t origin);
  base::Status fill_by_copies(const runtime::ItemList<runtime::TileOut>& tiles, std::span<const std::byte> element);
  base::Status write_part(const runtime::TileView& host, const runtime::TileTarget& to);
  base::Status read_part(const runtime::TileView& from, const runtime::TileOut& host);

  std::unique_ptr<GpuPlace> place_;
  StepKey key_;
};

}  // namespace tessera::device
