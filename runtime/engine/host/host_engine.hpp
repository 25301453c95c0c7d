// The cores of this process, which do at once what they are asked for.
#pragma once

#include "runtime/engine/engine.hpp"

namespace tessera::runtime {

class HostEngine final : public Engine {
 public:
  // Without a pool memory is kept for nobody.
  explicit HostEngine(std::shared_ptr<Pool> pool = nullptr) : pool_(std::move(pool)) {}

  bool is_host() const override { return true; }
  std::shared_ptr<Pool> pool(int /*place*/) override { return pool_; }

  bool takes(const LocalStep& /*step*/) const override { return true; }
  base::Status take(const LocalStep& step) override;
  bool takes(const ChainStep& /*chain*/) const override { return true; }
  base::Status take(const ChainStep& chain) override;

  base::Status copy(const ItemList<BoxMove>& moves, const ListHints& hints) override;
  base::Status combine(synth::ReduceOp op, const ItemList<BoxSum>& sums) override;
  base::Status fill_identity(synth::ReduceOp op, const ItemList<TileOut>& tiles) override;
  base::Status fill(const ItemList<TileOut>& tiles, std::span<const std::byte> element) override;

  base::Status write_index(const ItemList<TileOut>& tiles, std::int64_t index) override;

  base::Status write(const TileView& host, const TileTarget& to) override;
  base::Status read(const TileView& from, const TileOut& host) override;

  base::Status turn_ends() override { return base::Done{}; }
  base::Status wait() override { return base::Done{}; }

 private:
  std::shared_ptr<Pool> pool_;
};

}  // namespace tessera::runtime
