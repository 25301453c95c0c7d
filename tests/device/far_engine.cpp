#include "tests/device/far_engine.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/check.hpp"

namespace tessera::runtime::test {

namespace {

constexpr std::int64_t kBytes = std::int64_t{64} << 30U;  // of addresses
constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kNonsenseMax = std::int64_t{1} << 20U;

std::byte* mapped(int file, int protection) {
  void* const at = mmap(nullptr, kBytes, protection, MAP_SHARED | MAP_NORESERVE, file, 0);
  TESSERA_CHECK(at != MAP_FAILED, "memory cannot be mapped");
  return static_cast<std::byte*>(at);
}

class FarPool final : public Pool {
 public:
  explicit FarPool(std::shared_ptr<FarEngine> engine) : engine_(std::move(engine)) {}
  std::byte* take(std::int64_t bytes) override { return engine_->memory().take(bytes); }
  void give_back(std::byte* begin, std::int64_t /*bytes*/) override { engine_->memory().give_back(begin); }
  bool give_back_early(std::byte* /*begin*/, std::int64_t /*bytes*/) override { return false; }
  std::shared_ptr<Engine> engine() const override { return engine_; }

 private:
  std::shared_ptr<FarEngine> engine_;
};

}  // namespace

FarMemory::FarMemory() {
  const int file = memfd_create("far", MFD_CLOEXEC);
  TESSERA_CHECK(file >= 0 && ftruncate(file, kBytes) == 0, "there is no memory to map twice");
  far_ = mapped(file, PROT_NONE);
  own_ = mapped(file, PROT_READ | PROT_WRITE);
  close(file);
}

FarMemory::~FarMemory() {
  munmap(far_, kBytes);
  munmap(own_, kBytes);
}

// New memory holds nonsense.
std::byte* FarMemory::take(std::int64_t bytes) {
  const std::scoped_lock lock(mutex_);
  const std::int64_t wanted = (std::max<std::int64_t>(bytes, 1) + kPage - 1) / kPage * kPage;
  std::int64_t begin = 0;
  for (const auto& [other, end] : taken_) {
    if (other - begin >= wanted) break;
    begin = end + kPage;  // an address behind a range is not another's
  }
  if (begin + wanted > kBytes) return nullptr;
  taken_[begin] = begin + wanted;
  std::memset(own_ + begin, 0x7f, static_cast<std::size_t>(std::min(wanted, kNonsenseMax)));
  return far_ + begin;
}

void FarMemory::give_back(const std::byte* begin) {
  const std::scoped_lock lock(mutex_);
  const auto range = taken_.find(begin - far_);
  TESSERA_CHECK(range != taken_.end(), "memory is given back that was not taken");
  madvise(own_ + range->first, static_cast<std::size_t>(range->second - range->first), MADV_REMOVE);
  taken_.erase(range);
}

std::byte* FarMemory::own(const std::byte* address) const {
  const std::scoped_lock lock(mutex_);
  const std::int64_t at = address - far_;
  const auto next = taken_.upper_bound(at);
  if (next != taken_.begin() && at < std::prev(next)->second) return own_ + at;
  std::fputs("an engine is given an address that is not one of its memory\n", stderr);
  std::abort();
}

std::int64_t FarMemory::taken_bytes() const {
  const std::scoped_lock lock(mutex_);
  std::int64_t bytes = 0;
  for (const auto& [begin, end] : taken_) bytes += end - begin;
  return bytes;
}

TileView FarEngine::own(const TileView& view) const {
  TileView mine = view;
  if (!is_empty(view.shape)) mine.data = memory_.own(view.data);
  return mine;
}
TileOut FarEngine::own(const TileOut& tile) const {
  TileOut mine = tile;
  if (!is_empty(tile.shape)) mine.data = memory_.own(tile.data);
  return mine;
}
TileTarget FarEngine::own(const TileTarget& target, const synth::Shape& shape) const {
  return is_empty(shape) ? target : TileTarget{target.strides, memory_.own(target.data)};
}

// The same registers, where the engine has them.
class FarEngine::OwnTiles final : public Tiles {
 public:
  OwnTiles(const FarEngine& engine, const Tiles& far) : engine_(engine), far_(far) {}
  const synth::ArrayType& type(synth::RegisterId id) const override { return far_.type(id); }
  const TileMap& tiles(synth::RegisterId id) const override { return far_.tiles(id); }
  Block block(synth::RegisterId id) const override { return far_.block(id); }
  Block share(synth::RegisterId id, const Share& share) const override { return far_.share(id, share); }
  TileView view(synth::RegisterId id, std::size_t device) const override { return engine_.own(far_.view(id, device)); }
  TileOut out(synth::RegisterId id, std::size_t device) const override { return engine_.own(far_.out(id, device)); }
  std::byte* room(synth::RegisterId id, std::size_t device, std::int64_t offset) const override {
    return engine_.memory_.own(far_.room(id, device, offset));
  }

 private:
  const FarEngine& engine_;
  const Tiles& far_;
};

std::shared_ptr<Pool> FarEngine::pool(int /*place*/) { return std::make_shared<FarPool>(shared_from_this()); }

bool FarEngine::takes_this() const {
  const std::scoped_lock lock(mutex_);
  return steps_ == FarSteps::all || (steps_ == FarSteps::some && random_() % 2 == 0);
}
bool FarEngine::takes(const LocalStep& /*step*/) const { return takes_this(); }
bool FarEngine::takes(const ChainStep& /*chain*/) const { return takes_this(); }

template <class F>
base::Status FarEngine::later(const F& f, std::optional<std::uint32_t> origin) {
  const std::scoped_lock lock(mutex_);
  if (!failed_.empty()) return base::Done{};
  base::Status status = f();
  if (status.ok()) return base::Done{};
  failed_ = std::move(status).errors();
  for (base::Diagnostic& why : failed_) {
    if (!why.origin) why.origin = origin;
  }
  return base::Done{};
}

base::Status FarEngine::take(const LocalStep& step) {
  const OwnTiles tiles(*this, step.tiles);
  return later([&] { return host_.take(LocalStep{step.program, tiles, step.apply, step.beside, step.starts}); },
               step.origin);
}

base::Status FarEngine::take(const ChainStep& chain) {
  const OwnTiles tiles(*this, chain.tiles);
  return later([&] { return host_.take(ChainStep{chain.steps, chain.lead, chain.plan, tiles}); });
}

base::Status FarEngine::copy(const ItemList<BoxMove>& moves, const ListHints& hints) {
  const auto mine = [&](std::int64_t i) {
    const BoxMove move = moves.at(i);
    return BoxMove{own(move.from), own(move.to, move.from.shape)};
  };
  return later([&] { return host_.copy({moves.size(), mine}, hints); });
}

base::Status FarEngine::combine(synth::ReduceOp op, const ItemList<BoxSum>& sums) {
  const auto mine = [&](std::int64_t i) {
    BoxSum sum = sums.at(i);
    sum.to = own(sum.to, sum.parts[0].shape);
    for (TileView& part : sum.parts) part = own(part);
    return sum;
  };
  return later([&] { return host_.combine(op, {sums.size(), mine}); });
}

base::Status FarEngine::fill_identity(synth::ReduceOp op, const ItemList<TileOut>& tiles) {
  const auto mine = [&](std::int64_t i) { return own(tiles.at(i)); };
  return later([&] { return host_.fill_identity(op, {tiles.size(), mine}); });
}

base::Status FarEngine::fill(const ItemList<TileOut>& tiles, std::span<const std::byte> element) {
  const auto mine = [&](std::int64_t i) { return own(tiles.at(i)); };
  return later([&] { return host_.fill({tiles.size(), mine}, element); });
}

base::Status FarEngine::write(const TileView& host, const TileTarget& to) {
  return later([&] { return host_.write(host, own(to, host.shape)); });
}

base::Status FarEngine::read(const TileView& from, const TileOut& host) {
  TESSERA_TRY_STATUS(wait());
  return host_.read(own(from), host);
}

base::Status FarEngine::wait() {
  const std::scoped_lock lock(mutex_);
  if (failed_.empty()) return base::Done{};
  return std::exchange(failed_, {});
}

}  // namespace tessera::runtime::test
