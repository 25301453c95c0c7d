// The loops behind `map`, for any function of one to three elements. Included by the files that instantiate them only.
#pragma once

#include <array>
#include <concepts>
#include <span>
#include <tuple>
#include <utility>

#include "base/check.hpp"
#include "runtime/kernels/map_ops.hpp"
#include "runtime/kernels/nest.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/vector_targets.hpp"

namespace tessera::runtime::elementwise {

// Three ways to read an operand along a run.
template <class T>
struct Consecutive {
  const T* first;
  TESSERA_INLINE T operator()(std::int64_t i) const { return first[i]; }
};
template <class T>
struct Repeated {
  T value;
  TESSERA_INLINE T operator()(std::int64_t) const { return value; }
};
template <class T>
struct Strided {
  const T* first;
  std::int64_t stride;
  TESSERA_INLINE T operator()(std::int64_t i) const { return first[i * stride]; }
};

struct FillRun {
  template <class R, class F, class... Readers>
  TESSERA_INLINE static void run(R* out, std::int64_t n, F f, Readers... readers) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) out[i] = f(readers(i)...);
  }
};

template <class R, class F, class... Readers>
void fill_run(R* out, std::int64_t n, const F& f, const Readers&... readers) {
  constexpr std::int64_t kShort = 32;  // no more than a vector or two
  using Loop = for_target<FillRun>::with<R*, std::int64_t, F, Readers...>;
  (n < kShort ? Loop::baseline : Loop::of(widest_target()))(out, n, f, readers...);
}

// Picks the readers one operand at a time; `chosen` are those of the operands before K.
template <std::size_t K, class R, class F, class Operands, class... Readers>
void choose_readers(R* out, std::int64_t n, const F& f, const Operands& operands, const std::int64_t* strides,
                    const Readers&... chosen) {
  if constexpr (K == std::tuple_size_v<Operands>) {
    fill_run(out, n, f, chosen...);
  } else {
    const auto* first = std::get<K>(operands);
    using T = std::remove_cvref_t<decltype(*first)>;
    if (strides[K] == 1) return choose_readers<K + 1>(out, n, f, operands, strides, chosen..., Consecutive<T>{first});
    choose_readers<K + 1>(out, n, f, operands, strides, chosen..., Repeated<T>{*first});
  }
}

template <class R, class F, class... A, std::size_t... I>
void fill_any_run(R* out, std::int64_t n, const F& f, const std::tuple<const A*...>& operands,
                  const std::int64_t* strides, std::index_sequence<I...>) {
  const bool simple = ((strides[I] == 0 || strides[I] == 1) && ...);
  if (simple) return choose_readers<0>(out, n, f, operands, strides);
  fill_run(out, n, f, Strided<A>{std::get<I>(operands), strides[I]}...);
}

// out[i] = f(a[i], ...): operand k has elements of type A_k, the result of type R.
template <class R, class... A, class F>
void map_elements(const TileOut& out, std::span<const TileView> operands, const F& f) {
  constexpr std::size_t n_operands = sizeof...(A);
  TESSERA_CHECK(operands.size() == n_operands, "an elementwise operation has another number of operands");
  std::array<synth::Shape, n_operands> strides;
  for (std::size_t k = 0; k < n_operands; ++k) strides[k] = broadcast_strides(operands[k], out.shape);
  const auto nest = make_nest(out.shape, strides);
  constexpr auto sequence = std::make_index_sequence<n_operands>{};
  parallel_ranges(nest.count, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for_runs(nest, begin, end, [&](std::int64_t position, const Offsets<n_operands>& offsets, std::int64_t n) {
      const auto at = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::tuple<const A*...>{typed<A>(operands[I]) + offsets[I]...};
      }(sequence);
      fill_any_run(typed<R>(out) + position, n, f, at, nest.inner_strides().data(), sequence);
    });
  });
}

[[noreturn]] inline void refuse(synth::ElementType element) {
  throw base::InternalError("an elementwise operation is not defined for " + std::string(synth::name(element)));
}

// All operands and the result have one element type.
template <class Op>
void unary(std::span<const TileView> operands, const TileOut& out) {
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::invocable<Op, T>)
      map_elements<T, T>(out, operands, Op{});
    else
      refuse(out.element);
  });
}

template <class Op>
void binary(std::span<const TileView> operands, const TileOut& out) {
  synth::visit_element(out.element, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::invocable<Op, T, T>)
      map_elements<T, T, T>(out, operands, Op{});
    else
      refuse(out.element);
  });
}

// Operands of one element type, the result bool.
template <class Op>
void comparison(std::span<const TileView> operands, const TileOut& out) {
  synth::visit_element(operands[0].element, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::invocable<Op, T, T>)
      map_elements<bool, T, T>(out, operands, Op{});
    else
      refuse(operands[0].element);
  });
}

}  // namespace tessera::runtime::elementwise
