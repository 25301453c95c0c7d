// The host's engine, but for chains and elementwise steps: these are written as kernels, which are emulated.
#pragma once

#include "runtime/device/write/write.hpp"
#include "runtime/engine/host/host_engine.hpp"
#include "tests/device/host_launcher.hpp"

namespace tessera::device {

class WrittenEngine final : public runtime::Engine {
 public:
  explicit WrittenEngine(std::uint64_t seed) : launcher_(seed) {}

  bool is_host() const override { return true; }
  std::shared_ptr<runtime::Pool> pool(int place) override { return host_.pool(place); }

  bool takes(const runtime::LocalStep&) const override { return true; }
  base::Status take(const runtime::LocalStep& step) override {
    const auto* const map = std::get_if<synth::Map>(&step.apply.operation);
    if (map == nullptr) return host_.take(step);
    ++maps_;
    TESSERA_TRY_STATUS(run_map(launcher_, step, *map));
    return ended();
  }
  bool takes(const runtime::ChainStep&) const override { return true; }
  base::Status take(const runtime::ChainStep& chain) override {
    ++chains_;
    TESSERA_TRY_STATUS(run_chain(launcher_, chain));
    return ended();
  }

  base::Status copy(const runtime::ItemList<runtime::BoxMove>& moves, const runtime::ListHints& hints) override {
    return host_.copy(moves, hints);
  }
  base::Status combine(synth::ReduceOp op, const runtime::ItemList<runtime::BoxSum>& sums) override {
    return host_.combine(op, sums);
  }
  base::Status fill_identity(synth::ReduceOp op, const runtime::ItemList<runtime::TileOut>& tiles) override {
    return host_.fill_identity(op, tiles);
  }
  base::Status fill(const runtime::ItemList<runtime::TileOut>& tiles, std::span<const std::byte> element) override {
    return host_.fill(tiles, element);
  }
  base::Status write(const runtime::TileView& host, const runtime::TileTarget& to) override {
    return host_.write(host, to);
  }
  base::Status read(const runtime::TileView& from, const runtime::TileOut& host) override {
    return host_.read(from, host);
  }
  base::Status turn_ends() override { return host_.turn_ends(); }
  base::Status wait() override { return host_.wait(); }

  int maps() const { return maps_; }
  int chains() const { return chains_; }

 private:
  base::Status ended() {
    const std::optional<base::Diagnostic> failure = launcher_.failure();
    launcher_.step_ends();
    if (failure) return *failure;
    return base::Done{};
  }

  runtime::HostEngine host_;
  HostLauncher launcher_;
  int maps_ = 0;
  int chains_ = 0;
};

}  // namespace tessera::device
