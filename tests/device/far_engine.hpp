// An engine whose memory nobody but itself can look into: the addresses that everybody sees are mapped so that a look
// is a crash, and the engine has the same memory at other ones. Its steps are the host's. As a GPU, it finds out what
// has failed when somebody waits, and does nothing in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>

#include "runtime/engine/host/host_engine.hpp"

namespace tessera::runtime::test {

// The steps that an engine takes itself: all that it can, none, or of some each other one, by chance.
enum class FarSteps : std::uint8_t { all, none, some };

// Memory that is mapped twice.
class FarMemory {
 public:
  FarMemory();
  ~FarMemory();
  FarMemory(const FarMemory&) = delete;
  FarMemory& operator=(const FarMemory&) = delete;

  std::byte* take(std::int64_t bytes);
  void give_back(const std::byte* begin);
  // Where the engine has what the others call this; ends the process if that is no address of a taken range.
  std::byte* own(const std::byte* address) const;
  std::int64_t taken_bytes() const;

 private:
  std::byte* far_ = nullptr;
  std::byte* own_ = nullptr;
  mutable std::mutex mutex_;
  std::map<std::int64_t, std::int64_t> taken_;  // the end of each range, by its begin
};

class FarEngine final : public Engine, public std::enable_shared_from_this<FarEngine> {
 public:
  explicit FarEngine(FarSteps steps, unsigned seed = 1) : steps_(steps), random_(seed) {}

  bool is_host() const override { return false; }
  std::shared_ptr<Pool> pool(int place) override;
  std::string name(int /*place*/) const override { return "GPU 0 (far)"; }
  std::int64_t memory_bytes_max(int /*place*/) const override { return memory_bytes_max_; }
  void set_memory_bytes_max(std::int64_t bytes) { memory_bytes_max_ = bytes; }

  bool takes(const LocalStep& step) const override;
  base::Status take(const LocalStep& step) override;
  bool takes(const ChainStep& chain) const override;
  base::Status take(const ChainStep& chain) override;

  base::Status copy(const ItemList<BoxMove>& moves, const ListHints& hints) override;
  base::Status combine(synth::ReduceOp op, const ItemList<BoxSum>& sums) override;
  base::Status fill_identity(synth::ReduceOp op, const ItemList<TileOut>& tiles) override;
  base::Status fill(const ItemList<TileOut>& tiles, std::span<const std::byte> element) override;

  base::Status write(const TileView& host, const TileTarget& to) override;
  base::Status read(const TileView& from, const TileOut& host) override;

  base::Status turn_ends() override { return base::Done{}; }
  base::Status wait() override;

  FarMemory& memory() { return memory_; }

 private:
  class OwnTiles;
  bool takes_this() const;
  // Does what has been asked for, unless something has failed.
  template <class F>
  base::Status later(const F& f, std::optional<std::uint32_t> origin = {});
  TileView own(const TileView& view) const;
  TileOut own(const TileOut& tile) const;
  TileTarget own(const TileTarget& target, const synth::Shape& shape) const;

  FarMemory memory_;
  HostEngine host_;
  FarSteps steps_;
  std::int64_t memory_bytes_max_ = 0;
  mutable std::mutex mutex_;  // of all below
  mutable std::mt19937 random_;
  base::Diagnostics failed_;
};

}  // namespace tessera::runtime::test
