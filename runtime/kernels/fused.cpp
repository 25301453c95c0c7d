#include "runtime/kernels/fused.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "runtime/elements/arithmetic.hpp"

namespace tessera::runtime {

namespace {

using synth::MapOp;

// How far ahead elements are asked for: as far as a strip of a chain's arrays is long.
constexpr std::uintptr_t kAskAheadBytes = std::uintptr_t{8} << 10U;

constexpr std::uint8_t kOperands = 5;
constexpr std::array kOperations = {MapOp::add,    MapOp::subtract, MapOp::multiply,
                                    MapOp::divide, MapOp::minimum,  MapOp::maximum};
constexpr std::uint8_t kLoad = kOperands * kOperations.size();
constexpr std::uint8_t kStore = kLoad + 1;
constexpr std::uint8_t kAsk = kLoad + 2;

constexpr std::uint8_t code_of(MapOp op, FusedOperand operand) {
  std::uint8_t number = 0;
  while (kOperations[number] != op) ++number;
  return static_cast<std::uint8_t>(number * kOperands + static_cast<std::uint8_t>(operand));
}

template <class T, std::size_t bytes>
struct VectorOf;
template <std::size_t bytes>
struct VectorOf<float, bytes> {
  typedef float type __attribute__((vector_size(bytes)));
};
template <std::size_t bytes>
struct VectorOf<double, bytes> {
  typedef double type __attribute__((vector_size(bytes)));
};

// The first of two equal numbers, and NaN if either is NaN.
template <MapOp op, class V>
TESSERA_INLINE void choose(V& made, const V& a, const V& b) {
  if constexpr (op == MapOp::maximum)
    made = ((b > a) | (b != b)) ? b : a;
  else
    made = ((b < a) | (b != b)) ? b : a;
}
// GCC 12 compares vectors of 64 bytes number by number, unless it has made them of a loop by itself.
template <MapOp op, class T, class V>
TESSERA_INLINE void choose_by_lanes(V& made, const V& a, const V& b) {
  std::array<T, sizeof(V) / sizeof(T)> x;
  std::array<T, sizeof(V) / sizeof(T)> y;
  std::memcpy(x.data(), &a, sizeof a);
  std::memcpy(y.data(), &b, sizeof b);
#pragma GCC unroll 1
  for (std::size_t lane = 0; lane < x.size(); ++lane)
    x[lane] = op == MapOp::maximum ? larger(x[lane], y[lane]) : smaller(x[lane], y[lane]);
  std::memcpy(&made, x.data(), sizeof made);
}

template <MapOp op, class T, class V>
TESSERA_INLINE void combine(V& made, const V& a, const V& b) {
  if constexpr (op == MapOp::add)
    made = a + b;
  else if constexpr (op == MapOp::subtract)
    made = a - b;
  else if constexpr (op == MapOp::multiply)
    made = a * b;
  else if constexpr (op == MapOp::divide)
    made = a / b;
  else if constexpr (sizeof(V) == 64)
    choose_by_lanes<op, T>(made, a, b);
  else
    choose<op>(made, a, b);
}

template <class V, class T>
TESSERA_INLINE void repeat(V& vector, T value) {
  constexpr std::size_t kLanes = sizeof(V) / sizeof(T);
  std::array<T, kLanes> all;
#pragma GCC unroll 16
  for (std::size_t lane = 0; lane < kLanes; ++lane) all[lane] = value;
  std::memcpy(&vector, all.data(), sizeof vector);
}

// N vectors, each a variable of its own, so that all stay in registers.
template <class V, std::size_t N>
struct Vectors {
  V first;
  Vectors<V, N - 1> others;
};
template <class V>
struct Vectors<V, 1> {
  V first;
};

template <class V, std::size_t N, class T>
TESSERA_INLINE void load(Vectors<V, N>& made, const T* x) {
  std::memcpy(&made.first, x, sizeof(V));
  if constexpr (N > 1) load(made.others, x + sizeof(V) / sizeof(T));
}
template <class V, std::size_t N, class T>
TESSERA_INLINE void store(const Vectors<V, N>& made, T* x) {
  std::memcpy(x, &made.first, sizeof(V));
  if constexpr (N > 1) store(made.others, x + sizeof(V) / sizeof(T));
}

// The values become those of the operation on them and elements from x on, or `other`.
template <MapOp op, FusedOperand operand, class V, std::size_t N, class T>
TESSERA_INLINE void combine_all(Vectors<V, N>& made, V& other, const T* x) {
  if constexpr (operand == FusedOperand::elements || operand == FusedOperand::elements_first)
    std::memcpy(&other, x, sizeof(V));
  if constexpr (operand == FusedOperand::itself)
    combine<op, T>(made.first, made.first, made.first);
  else if constexpr (operand == FusedOperand::elements_first || operand == FusedOperand::scalar_first)
    combine<op, T>(made.first, other, made.first);
  else
    combine<op, T>(made.first, made.first, other);
  if constexpr (N > 1) combine_all<op, operand>(made.others, other, x + sizeof(V) / sizeof(T));
}
template <MapOp op, FusedOperand operand, class V, std::size_t N, class T>
TESSERA_INLINE void take(Vectors<V, N>& made, const T* x) {
  V other{};
  if constexpr (operand == FusedOperand::scalar || operand == FusedOperand::scalar_first) repeat(other, *x);
  combine_all<op, operand>(made, other, x);
}

// A term with the first element of its array.
template <class T>
struct BoundTerm {
  T* first;
  std::size_t code;
};

// All terms on N vectors at once, from element i on.
template <class V, std::size_t N, class T>
TESSERA_INLINE void take_terms(const BoundTerm<T>* first, const BoundTerm<T>* last, std::int64_t i) {
  using enum FusedOperand;
  constexpr std::size_t kLanes = sizeof(V) / sizeof(T);
  Vectors<V, N> made{};
  for (const BoundTerm<T>* term = first; term != last; ++term) {
    T* const one = term->first;
    T* const x = one + i;
    switch (term->code) {
      case kLoad: load(made, x); break;
      case kStore: store(made, x); break;
      case kAsk: {
        constexpr std::size_t kLine = 64;
        const auto at = reinterpret_cast<std::uintptr_t>(x) + kAskAheadBytes;
        for (std::size_t byte = 0; byte < N * kLanes * sizeof(T); byte += kLine)
          __builtin_prefetch(std::bit_cast<const void*>(at + byte), 0, 2);
        break;
      }
      case code_of(MapOp::add, elements): take<MapOp::add, elements>(made, x); break;
      case code_of(MapOp::add, elements_first): take<MapOp::add, elements_first>(made, x); break;
      case code_of(MapOp::add, scalar): take<MapOp::add, scalar>(made, one); break;
      case code_of(MapOp::add, scalar_first): take<MapOp::add, scalar_first>(made, one); break;
      case code_of(MapOp::add, itself): take<MapOp::add, itself>(made, x); break;
      case code_of(MapOp::subtract, elements): take<MapOp::subtract, elements>(made, x); break;
      case code_of(MapOp::subtract, elements_first): take<MapOp::subtract, elements_first>(made, x); break;
      case code_of(MapOp::subtract, scalar): take<MapOp::subtract, scalar>(made, one); break;
      case code_of(MapOp::subtract, scalar_first): take<MapOp::subtract, scalar_first>(made, one); break;
      case code_of(MapOp::subtract, itself): take<MapOp::subtract, itself>(made, x); break;
      case code_of(MapOp::multiply, elements): take<MapOp::multiply, elements>(made, x); break;
      case code_of(MapOp::multiply, elements_first): take<MapOp::multiply, elements_first>(made, x); break;
      case code_of(MapOp::multiply, scalar): take<MapOp::multiply, scalar>(made, one); break;
      case code_of(MapOp::multiply, scalar_first): take<MapOp::multiply, scalar_first>(made, one); break;
      case code_of(MapOp::multiply, itself): take<MapOp::multiply, itself>(made, x); break;
      case code_of(MapOp::divide, elements): take<MapOp::divide, elements>(made, x); break;
      case code_of(MapOp::divide, elements_first): take<MapOp::divide, elements_first>(made, x); break;
      case code_of(MapOp::divide, scalar): take<MapOp::divide, scalar>(made, one); break;
      case code_of(MapOp::divide, scalar_first): take<MapOp::divide, scalar_first>(made, one); break;
      case code_of(MapOp::divide, itself): take<MapOp::divide, itself>(made, x); break;
      case code_of(MapOp::minimum, elements): take<MapOp::minimum, elements>(made, x); break;
      case code_of(MapOp::minimum, elements_first): take<MapOp::minimum, elements_first>(made, x); break;
      case code_of(MapOp::minimum, scalar): take<MapOp::minimum, scalar>(made, one); break;
      case code_of(MapOp::minimum, scalar_first): take<MapOp::minimum, scalar_first>(made, one); break;
      case code_of(MapOp::maximum, elements): take<MapOp::maximum, elements>(made, x); break;
      case code_of(MapOp::maximum, elements_first): take<MapOp::maximum, elements_first>(made, x); break;
      case code_of(MapOp::maximum, scalar): take<MapOp::maximum, scalar>(made, one); break;
      case code_of(MapOp::maximum, scalar_first): take<MapOp::maximum, scalar_first>(made, one); break;
      case code_of(MapOp::minimum, itself):
      case code_of(MapOp::maximum, itself): break;
      default: __builtin_unreachable();
    }
  }
}

// Eight vectors at a time, since finding out what a term does takes as long as a few of them; then one, then elements.
template <std::size_t bytes>
struct RunTerms {
  template <class T>
  TESSERA_INLINE static void run(const BoundTerm<T>* first, const BoundTerm<T>* last, std::int64_t n) {
    using V = typename VectorOf<T, bytes>::type;
    constexpr std::size_t kVectors = 8;
    constexpr auto kLanes = static_cast<std::int64_t>(bytes / sizeof(T));
    constexpr auto kMany = static_cast<std::int64_t>(kVectors) * kLanes;
    std::int64_t i = 0;
    for (; i + kMany <= n; i += kMany) take_terms<V, kVectors>(first, last, i);
    for (; i + kLanes <= n; i += kLanes) take_terms<V, 1>(first, last, i);
    for (; i < n; ++i) take_terms<T, 1>(first, last, i);
  }
};

template <class T>
void run_terms(std::span<const BoundTerm<T>> terms, std::int64_t n, [[maybe_unused]] VectorTarget target) {
  const auto with = [&](auto function) { function(terms.data(), terms.data() + terms.size(), n); };
  using Term = const BoundTerm<T>*;
  using Baseline = typename for_target<RunTerms<16>>::template with<Term, Term, std::int64_t>;
#if TESSERA_HAS_TARGETS
  using Wider = typename for_target<RunTerms<32>>::template with<Term, Term, std::int64_t>;
  using Widest = typename for_target<RunTerms<64>>::template with<Term, Term, std::int64_t>;
  switch (target) {
    case VectorTarget::baseline: break;
    case VectorTarget::avx2: return with(Wider::avx2);
    case VectorTarget::avx512: return with(Widest::avx512);
  }
#endif
  with(Baseline::baseline);
}

template <class T>
void run_typed(std::span<const FusedTerm> terms, std::byte* const* arrays, std::int64_t n, VectorTarget target) {
  std::array<BoundTerm<T>, FusedLoop::kTermsMax> bound;
  for (std::size_t k = 0; k < terms.size(); ++k)
    bound[k] = {reinterpret_cast<T*>(arrays[terms[k].array]), terms[k].code};
  run_terms<T>(std::span(bound).first(terms.size()), n, target);
}

}  // namespace

bool FusedLoop::takes(MapOp op, synth::ElementType element) {
  const bool is_float = element == synth::ElementType::f32 || element == synth::ElementType::f64;
  return is_float && std::find(kOperations.begin(), kOperations.end(), op) != kOperations.end();
}

void FusedLoop::begin(synth::ElementType element) {
  element_ = element;
  terms_.clear();
}
void FusedLoop::load(std::size_t array) { terms_.push_back({kLoad, static_cast<std::uint8_t>(array)}); }
void FusedLoop::store(std::size_t array) { terms_.push_back({kStore, static_cast<std::uint8_t>(array)}); }
void FusedLoop::ask(std::size_t array) { terms_.push_back({kAsk, static_cast<std::uint8_t>(array)}); }
void FusedLoop::compute(MapOp op, FusedOperand operand, std::size_t array) {
  terms_.push_back({code_of(op, operand), static_cast<std::uint8_t>(array)});
}

void FusedLoop::run(std::byte* const* arrays, std::int64_t n, VectorTarget target) const {
  if (element_ == synth::ElementType::f32)
    run_typed<float>(terms_, arrays, n, target);
  else
    run_typed<double>(terms_, arrays, n, target);
}

}  // namespace tessera::runtime
