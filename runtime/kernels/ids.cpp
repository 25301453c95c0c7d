#include "runtime/kernels/ids.hpp"

#include <algorithm>
#include <atomic>

#include "base/check.hpp"
#include "runtime/elements/arithmetic.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

Ids::Ids(const TileView& ids) : element_(ids.element), data_(ids.data), nest_(make_nest<1>(ids.shape, {ids.strides})) {}

void Ids::read(std::int64_t begin, std::int64_t end, std::int64_t* into) const {
  synth::visit_element(element_, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!Integer<T>) {
      throw base::InternalError("ids are not integers");
    } else {
      const std::int64_t stride = nest_.inner_strides()[0];
      for_runs(nest_, begin, end, [&](std::int64_t position, const Offsets<1>& at, std::int64_t n) {
        const T* const from = reinterpret_cast<const T*>(data_) + at[0];
        std::int64_t* const to = into + (position - begin);
        for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<std::int64_t>(from[i * stride]);
      });
    }
  });
}

std::optional<BadId> Ids::first_outside(std::int64_t low, std::int64_t high) const {
  std::atomic<std::int64_t> first = size();
  parallel_ranges(size(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    IdsInOrder ids(*this, end);
    for (std::int64_t i = begin; i < end && i < first.load(std::memory_order_relaxed); ++i) {
      if (const std::int64_t id = ids(i); id >= low && id < high) continue;
      std::int64_t known = first;
      while (i < known && !first.compare_exchange_weak(known, i)) {
      }
    }
  });
  if (first == size() || is_given_up()) return std::nullopt;
  return BadId{first, IdsInOrder(*this, first + 1)(first)};
}

void IdsInOrder::read_from(std::int64_t i) {
  begin_ = i;
  end_ = std::min(limit_, i + kSome);
  ids_.read(begin_, end_, some_.data());
}

}  // namespace tessera::runtime
