// Values looked up among edges that ascend.
#include "base/check.hpp"
#include "runtime/elements/arithmetic.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/nest.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/take.hpp"

namespace tessera::runtime {

namespace {

// NaN is greater than all numbers, and no NaN is greater than another.
template <class T>
bool is_before(T a, T b) {
  return a < b || (is_nan(b) && !is_nan(a));
}

template <class T>
struct Edges {
  const T* first;
  std::int64_t count;
  std::int64_t step;

  // How many there are in front of the first that does not fit: all that fit come first.
  template <class Fits>
  std::int64_t in_front(const Fits& fits) const {
    std::int64_t begin = 0;
    for (std::int64_t left = count; left > 0;) {
      const std::int64_t half = left / 2;
      const bool is_in_front = fits(first[(begin + half) * step]);
      begin = is_in_front ? begin + half + 1 : begin;
      left = is_in_front ? left - half - 1 : half;
    }
    return begin;
  }
  std::int64_t before(T value, bool right) const {
    return right ? in_front([&](T edge) { return !is_before(value, edge); })
                 : in_front([&](T edge) { return is_before(edge, value); });
  }
};

}  // namespace

void search(const TileView& edges, const TileView& values, bool right, const TileOut& out) {
  const auto nest = make_nest<2>(values.shape, {values.strides, dense_strides(out.shape)});
  const Offsets<2> steps = nest.inner_strides();
  synth::visit_element(edges.element, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (Boolean<T>) {
      throw base::InternalError("bool is not looked up among edges");
    } else {
      const Edges<T> all{typed<T>(edges), edges.shape[0], edges.strides[0]};
      parallel_ranges(nest.count, kGrain, [&](std::int64_t begin, std::int64_t end) {
        for_runs(nest, begin, end, [&](std::int64_t, const Offsets<2>& at, std::int64_t n) {
          const T* const from = typed<T>(values) + at[0];
          auto* const to = typed<std::int64_t>(out) + at[1];
          for (std::int64_t i = 0; i < n && !is_given_up(); ++i)
            to[i * steps[1]] = all.before(from[i * steps[0]], right);
        });
      });
    }
  });
}

}  // namespace tessera::runtime
