// The loops behind `map`, for any function of one to three elements. Included by the files that make them only.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <span>
#include <tuple>
#include <utility>

#include "base/check.hpp"
#include "runtime/kernels/map_ops.hpp"
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

// A function that equals F::usual wherever F::is_usual is true; both of these become vectors.
template <class F, class... A>
concept MostlyUsual = requires(A... a) {
  F::is_usual(a...);
  F::usual(a...);
};

struct FillRun {
  template <class R, class F, class... Readers>
  TESSERA_INLINE static void run(R* out, std::int64_t n, F f, Readers... readers) {
    if constexpr (MostlyUsual<F, decltype(readers(0))...> && std::same_as<R, float>)
      fill_usual(out, n, f, readers...);
    else
      fill(out, 0, n, f, readers...);
  }

 private:
  template <class R, class F, class... Readers>
  TESSERA_INLINE static void fill(R* out, std::int64_t begin, std::int64_t end, F f, Readers... readers) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = begin; i < end; ++i) out[i] = f(readers(i)...);
  }
  // A block with an element that is not usual is computed element by element.
  template <class R, class F, class... Readers>
  TESSERA_INLINE static void fill_usual(R* out, std::int64_t n, F f, Readers... readers) {
    constexpr std::int64_t kBlock = 64;
    for (std::int64_t begin = 0; begin < n; begin += kBlock) {
      const std::int64_t end = std::min(begin + kBlock, n);
      int usual = 1;
      for (std::int64_t i = begin; i < end; ++i) usual &= F::is_usual(readers(i)...);
      if (usual != 0)
        fill(out, begin, end, [](auto... a) { return F::usual(a...); }, readers...);
      else
        fill(out, begin, end, f, readers...);
    }
  }
};

template <class R, class F, class... Readers>
void fill_run(R* out, std::int64_t n, const F& f, const Readers&... readers) {
  constexpr std::int64_t kShort = 32;  // no more than a vector or two
  using Loop = for_target<FillRun>::with<R*, std::int64_t, F, Readers...>;
  (n < kShort ? Loop::baseline : Loop::of(widest_target()))(out, n, f, readers...);
}

template <class Reader>
inline constexpr bool kIsConsecutive = false;
template <class T>
inline constexpr bool kIsConsecutive<Consecutive<T>> = true;

// Picks the readers one operand at a time; `chosen` are those of the operands before K. An operand at least is
// consecutive: there is no loop for other cases.
template <std::size_t K, class R, class F, class Operands, class... Readers>
void choose_readers(R* out, std::int64_t n, const F& f, const Operands& operands, const std::int64_t* strides,
                    const Readers&... chosen) {
  if constexpr (K == std::tuple_size_v<Operands>) {
    fill_run(out, n, f, chosen...);
  } else {
    const auto* first = std::get<K>(operands);
    using T = std::remove_cvref_t<decltype(*first)>;
    if (strides[K] == 1) return choose_readers<K + 1>(out, n, f, operands, strides, chosen..., Consecutive<T>{first});
    if constexpr (K + 1 < std::tuple_size_v<Operands> || (kIsConsecutive<Readers> || ...))
      choose_readers<K + 1>(out, n, f, operands, strides, chosen..., Repeated<T>{*first});
  }
}

template <class R, class F, class... A, std::size_t... I>
void fill_any_run(R* out, std::int64_t n, const F& f, const std::tuple<const A*...>& operands,
                  const std::int64_t* strides, std::index_sequence<I...>) {
  const bool simple = ((strides[I] == 0 || strides[I] == 1) && ...) && ((strides[I] == 1) || ...);
  if (simple) return choose_readers<0>(out, n, f, operands, strides);
  FillRun::run(out, n, f, Strided<A>{std::get<I>(operands), strides[I]}...);  // vectors gain nothing
}

// out[i] = F{}(a[i], ...): operand k has elements of type A_k, the result of type R.
template <class F, class R, class... A>
void run_map(std::byte* out, std::int64_t n, const std::byte* const* operands, const std::int64_t* strides) {
  constexpr auto sequence = std::make_index_sequence<sizeof...(A)>{};
  const auto first = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<const A*...>{reinterpret_cast<const A*>(operands[I])...};
  }(sequence);
  fill_any_run(reinterpret_cast<R*>(out), n, F{}, first, strides, sequence);
}

// F{} of the second element and the first.
template <class F, class R, class A>
void run_swapped(std::byte* out, std::int64_t n, const std::byte* const* operands, const std::int64_t* strides) {
  const std::byte* const swapped[] = {operands[1], operands[0]};
  const std::int64_t swapped_strides[] = {strides[1], strides[0]};
  run_map<F, R, A, A>(out, n, swapped, swapped_strides);
}

template <class T>
using InLoops = std::conditional_t<Boolean<T>, Byte, T>;

template <class F, class R, class... A>
MapLoop map_loop_of() {
  return {run_map<F, R, A...>, sizeof...(A)};
}

[[noreturn]] inline void refuse(synth::ElementType element) {
  throw base::InternalError("an elementwise operation is not defined for " + std::string(synth::name(element)));
}

template <class Op>
MapLoop unary(synth::ElementType element) {
  return synth::visit_element(element, [&](auto zero) -> MapLoop {
    using T = decltype(zero);
    if constexpr (std::invocable<Op, T>)
      return map_loop_of<Op, T, T>();
    else
      refuse(element);
  });
}

template <class Op>
MapLoop binary(synth::ElementType element) {
  return synth::visit_element(element, [&](auto zero) -> MapLoop {
    using T = decltype(zero);
    if constexpr (std::invocable<Op, T, T>)
      return map_loop_of<Op, T, T, T>();
    else
      refuse(element);
  });
}

template <class Op>
MapLoop comparison(synth::ElementType operand) {
  return synth::visit_element(operand, [](auto zero) {
    using T = InLoops<decltype(zero)>;
    return map_loop_of<Op, Byte, T, T>();
  });
}

template <class Op>
MapLoop swapped_comparison(synth::ElementType operand) {
  return synth::visit_element(operand, [](auto zero) {
    using T = InLoops<decltype(zero)>;
    return MapLoop{run_swapped<Op, Byte, T>, 2};
  });
}

}  // namespace tessera::runtime::elementwise
