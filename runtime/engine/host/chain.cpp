#include "runtime/engine/host/chain.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/engine/chain_operations.hpp"
#include "runtime/engine/host/block_runner.hpp"
#include "runtime/engine/host/chain_scalars.hpp"
#include "runtime/engine/host/chain_work.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/stream.hpp"

namespace tessera::runtime {

namespace {

// Runners that wait for work: a task takes one and gives it back, with all that it has found out.
class Runners {
 public:
  std::unique_ptr<BlockRunner> take(Work& work) {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return std::make_unique<BlockRunner>(work);
    std::unique_ptr<BlockRunner> runner = std::move(idle_.back());
    idle_.pop_back();
    return runner;
  }
  void give_back(std::unique_ptr<BlockRunner> runner) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(runner));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<BlockRunner>> idle_;
};

// Runners of chains on little memory are kept with them.
constexpr std::int64_t kKeptRunnerBytes = std::int64_t{1} << 17U;

class HostChain final : public KeptChain {
 public:
  explicit HostChain(const ChainStep& step)
      : operations_(step.steps, step.lead, step.plan, step.tiles), work_(operations_, step.tiles) {
    if (ScalarRunner::suits(operations_, step.tiles)) scalars_.emplace(operations_, step.tiles);
  }

  void run(const Tiles& tiles) {
    work_.begin(tiles);
    if (scalars_) {
      for (const DeviceWork& device : work_.devices()) scalars_->run(device.arrays);
      return;
    }
    const bool joins = operations_.is_flat() && operations_.keeps_last();
    std::int64_t first = 0;
    do {
      const std::int64_t some = std::min(work_.blocks_at_once(), work_.blocks() - first);
      run_blocks(first, some);
      if (joins) work_.join_pieces(first, first + some);
      first += some;
    } while (first < work_.blocks() && !is_given_up());
  }

 private:
  void run_blocks(std::int64_t first, std::int64_t some) {
    if (some <= work_.grain() && BlockRunner::bytes(work_) <= kKeptRunnerBytes) {
      if (!runner_) runner_.emplace(work_);
      return run_range(*runner_, first, first + some);
    }
    Runners runners;
    parallel_ranges(some, work_.grain(), [&](std::int64_t begin, std::int64_t end) {
      std::unique_ptr<BlockRunner> runner = runners.take(work_);
      run_range(*runner, first + begin, first + end);
      runners.give_back(std::move(runner));
    });
  }
  void run_range(BlockRunner& runner, std::int64_t begin, std::int64_t end) const {
    for (std::int64_t number = begin; number < end; ++number) runner.run(number);
    if (operations_.streams()) finish_streaming();
  }

  ChainOperations operations_;
  Work work_;
  std::optional<ScalarRunner> scalars_;
  std::optional<BlockRunner> runner_;
};

}  // namespace

void run_chain(const ChainStep& step) {
  if (step.kept == nullptr) return HostChain(step).run(step.tiles);
  if (*step.kept == nullptr) *step.kept = std::make_unique<HostChain>(step);
  static_cast<HostChain&>(**step.kept).run(step.tiles);
}

}  // namespace tessera::runtime
