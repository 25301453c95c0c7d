#include "runtime/engine/host/host_engine.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "runtime/engine/host/chain.hpp"
#include "runtime/engine/host/local.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/generate.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

namespace {

template <class Operation>
concept IsConstructor =
    requires(const LocalStep& step, const Operation& operation) { run_constructor(step, operation); };
template <class Operation>
concept IsOperation = requires(const LocalStep& step, const Operation& operation) { run_operation(step, operation); };

template <class Item, class F>
void for_each_item(const ItemList<Item>& list, std::int64_t grain, const F& f) {
  parallel_ranges(list.size(), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) f(list.at(i));
  });
}

}  // namespace

base::Status HostEngine::take(const LocalStep& step) {
  return std::visit(
      [&](const auto& operation) -> base::Status {
        using T = std::remove_cvref_t<decltype(operation)>;
        if constexpr (IsConstructor<T>)
          return run_constructor(step, operation);
        else if constexpr (IsOperation<T>)
          return run_operation(step, operation);
        else
          throw base::InternalError("a step is taken as a local one that is none");
      },
      step.apply.operation);
}

base::Status HostEngine::take(const ChainStep& chain) {
  run_chain(chain);
  return base::Done{};
}

base::Status HostEngine::copy(const ItemList<BoxMove>& moves, const ListHints& hints) {
  for_each_item(moves, hints.grain, [&](const BoxMove& move) { copy_elements(move.from, move.to, hints.writing); });
  return base::Done{};
}

base::Status HostEngine::combine(synth::ReduceOp op, const ItemList<BoxSum>& sums) {
  for_each_item(sums, 1, [&](const BoxSum& sum) { combine_parts(op, sum.parts, sum.to); });
  return base::Done{};
}

base::Status HostEngine::fill_identity(synth::ReduceOp op, const ItemList<TileOut>& tiles) {
  for_each_item(tiles, 1, [&](const TileOut& tile) { runtime::fill_identity(op, tile); });
  return base::Done{};
}

base::Status HostEngine::fill(const ItemList<TileOut>& tiles, std::span<const std::byte> element) {
  for_each_item(tiles, tiles.size(), [&](const TileOut& tile) {
    if (tile.shape.empty())
      std::ranges::copy(element, tile.data);
    else
      runtime::fill(element.data(), tile);
  });
  return base::Done{};
}

base::Status HostEngine::write_index(const ItemList<TileOut>& tiles, std::int64_t index) {
  for (std::int64_t i = 0; i < tiles.size(); ++i) *typed<std::int64_t>(tiles.at(i)) = index;
  return base::Done{};
}

base::Status HostEngine::write(const TileView& host, const TileTarget& to) {
  copy_elements(host, to);
  return base::Done{};
}

base::Status HostEngine::read(const TileView& from, const TileOut& host) {
  copy_elements(from, host);
  return base::Done{};
}

}  // namespace tessera::runtime
