#include "runtime/kernels/reduce.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "base/check.hpp"
#include "runtime/elements/arithmetic.hpp"
#include "runtime/kernels/axes.hpp"
#include "runtime/kernels/bring_in.hpp"
#include "runtime/kernels/complex_parts.hpp"
#include "runtime/kernels/element_join.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/pairwise.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/row_strips.hpp"

namespace tessera::runtime {

namespace {

constexpr std::int64_t kBlock = kReduceBlock;
constexpr std::int64_t kStretch = kReduceStretch;
constexpr std::int64_t kRowStrip = 1024;

template <class How>
struct CombineRows {
  template <class T>
  TESSERA_INLINE static void run(const T* a, const T* b, T* out, std::int64_t n) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i) out[i] = How::combine(a[i], b[i]);
  }
};
template <class How>
struct CombineFourRows {
  template <class T>
  TESSERA_INLINE static void run(const T* a, const T* b, const T* c, const T* d, T* out, std::int64_t n) {
    TESSERA_INDEPENDENT_ROUNDS
    for (std::int64_t i = 0; i < n; ++i)
      out[i] = How::combine(How::combine(How::combine(How::combine(out[i], a[i]), b[i]), c[i]), d[i]);
  }
};

// A kind of reduction as functions on elements: the loops around them are compiled once for a type, not for each kind.
template <class T>
struct Steps {
  T identity;
  T (*block)(const T* x, std::int64_t n);
  // Blocks side by side; of integers, as many elements as a block at most.
  void (*push_blocks)(PairwiseJoin<T>& cascade, const T* x, std::int64_t n);
  T (*combine)(T a, T b);
  // out[i] becomes a[i] and b[i] combined; `out` may be one of them.
  void (*rows)(const T* a, const T* b, T* out, std::int64_t n);
  // out[i] becomes itself and a[i] to d[i] combined, in turn.
  void (*four_rows)(const T* a, const T* b, const T* c, const T* d, T* out, std::int64_t n);
};

template <class T>
Steps<T> steps_of(synth::ReduceKind kind) {
  return visit_combine<T>(kind, [](auto how) {
    using How = decltype(how);
    using Rows = typename for_target<CombineRows<How>>::template with<const T*, const T*, T*, std::int64_t>;
    using FourRows = typename for_target<CombineFourRows<How>>::template with<const T*, const T*, const T*, const T*,
                                                                              T*, std::int64_t>;
    return Steps<T>{How::identity(), reduce_block<How, T>,      push_blocks<How, T>,
                    How::combine,    Rows::of(widest_target()), FourRows::of(widest_target())};
  });
}

// Elements [begin, end), in row-major order, of the view whose nest this is.
template <class T>
T reduce_sequence(const Steps<T>& steps, const Nest<1>& nest, const T* first, std::int64_t begin, std::int64_t end) {
  if (begin == end) return steps.identity;
  const bool consecutive = nest.rank == 1 && nest.inner_strides()[0] == 1;
  if (consecutive && (!Float<T> || end - begin <= kBlock)) return steps.block(first + begin, end - begin);
  PairwiseJoin<T> cascade;
  if (consecutive) {
    steps.push_blocks(cascade, first + begin, end - begin);
    return cascade.join(steps.identity, steps.combine);
  }
  std::array<T, kBlock> gathered;
  for (std::int64_t at = begin; at < end; at += kBlock) {
    const std::int64_t n = std::min(kBlock, end - at);
    const std::int64_t stride = nest.inner_strides()[0];
    for_runs(nest, at, at + n, [&](std::int64_t position, const Offsets<1>& offsets, std::int64_t length) {
      for (std::int64_t i = 0; i < length; ++i) gathered[position - at + i] = first[offsets[0] + i * stride];
    });
    steps.push_blocks(cascade, gathered.data(), n);
  }
  return cascade.join(steps.identity, steps.combine);
}

struct Groups {
  TileView kept;
  TileView reduced;
  Nest<1> kept_nest;
  Nest<1> reduced_nest;

  Groups(const TileView& operand, std::span<const std::uint8_t> dimensions) {
    const auto others = other_dimensions(operand.shape.size(), dimensions);
    kept = chosen_dimensions(operand, std::span(others.begin(), others.size()));
    reduced = chosen_dimensions(operand, dimensions);
    kept_nest = make_nest<1>(kept.shape, {kept.strides});
    reduced_nest = make_nest<1>(reduced.shape, {reduced.strides});
  }
  // The offset at which the sequence behind the result's element o starts.
  std::int64_t start(std::int64_t o) const {
    std::int64_t offset = 0;
    for (std::size_t d = kept_nest.rank; d-- > 0; o /= kept_nest.extents[d]) {
      offset += o % kept_nest.extents[d] * kept_nest.strides[d][0];
    }
    return offset;
  }
};

// The innermost dimension is reduced: one sequence for each element of the result, cut in stretches.
template <class T>
void reduce_inner(const Steps<T>& steps, const Groups& groups, const T* first, T* out) {
  const std::int64_t length = groups.reduced_nest.count;
  const std::int64_t stretches = std::max<std::int64_t>(1, (length + kStretch - 1) / kStretch);
  const std::int64_t results = groups.kept_nest.count;
  const auto part = [&](std::int64_t o, std::int64_t stretch) {
    const std::int64_t begin = stretch * kStretch;
    const T* const sequence = first + groups.start(o);
    return reduce_sequence(steps, groups.reduced_nest, sequence, begin, std::min(length, begin + kStretch));
  };
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, std::min(length, kStretch)));
  if (stretches == 1) {
    parallel_ranges(results, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t o = begin; o < end; ++o) out[o] = part(o, 0);
    });
    return;
  }
  reduce_in_stretches<T>(
      {results, stretches, 1}, steps.identity, steps.combine,
      [&](std::int64_t o, std::int64_t stretch, T* to) { *to = part(o, stretch); },
      [&](std::int64_t o, const T* joined) { out[o] = *joined; });
}

// Reduces rows of `width` columns into `out`: blocks of 128 rows, one row after the other, four in one pass.
template <class T>
class RowReducer {
 public:
  RowReducer(const Steps<T>& steps, std::int64_t width, std::int64_t column_stride, T* out)
      : steps_(steps), width_(width), stride_(column_stride), block_(out), cascade_(steps.rows, width) {
    if (stride_ != 1) gathered_ = std::make_unique<T[]>(static_cast<std::size_t>(width * kRowsAtOnce));
  }

  void add(const T* row) {
    if (stride_ == 1) bring_in(row, width_);
    waiting_[waiting_count_] = stride_ == 1 ? row : gathered(row);
    if (++waiting_count_ == kRowsAtOnce) take_waiting();
  }
  void finish() {
    take_waiting();
    if (rows_ > 0)
      cascade_.join_with(block_);
    else
      std::fill_n(block_, width_, steps_.identity);
  }

 private:
  static constexpr std::size_t kRowsAtOnce = 4;  // a divisor of kBlock

  const T* gathered(const T* row) {
    T* const target = gathered_.get() + static_cast<std::int64_t>(waiting_count_) * width_;
    for (std::int64_t c = 0; c < width_; ++c) target[c] = row[c * stride_];
    return target;
  }
  void take_waiting() {
    if (waiting_count_ == 0) return;
    if (rows_ == kBlock) {
      cascade_.push(block_);
      rows_ = 0;
    }
    if (waiting_count_ == kRowsAtOnce && rows_ > 0)
      take_four();
    else
      take_each();
    rows_ += static_cast<std::int64_t>(waiting_count_);
    waiting_count_ = 0;
  }
  void take_four() {
    const auto [a, b, c, d] = waiting_;
    steps_.four_rows(a, b, c, d, block_, width_);
  }
  void take_each() {
    for (std::size_t k = 0; k < waiting_count_; ++k) {
      const T* const row = waiting_[k];
      if (rows_ == 0 && k == 0) {
        std::copy_n(row, width_, block_);
        continue;
      }
      steps_.rows(block_, row, block_, width_);
    }
  }

  const Steps<T>& steps_;
  std::int64_t width_;
  std::int64_t stride_;
  T* block_;               // what the rows of this block give, in the result's place
  std::int64_t rows_ = 0;  // in this block
  std::array<const T*, kRowsAtOnce> waiting_{};
  std::size_t waiting_count_ = 0;
  std::unique_ptr<T[]> gathered_;
  RowCascade<T> cascade_;
};

// The innermost dimension is kept: rows of it are added up, strip by strip.
template <class T>
void reduce_outer(const Steps<T>& steps, const Groups& groups, const T* first, T* out) {
  const RowCut cut(groups.kept.shape.back(), groups.reduced_nest.count, kRowStrip);
  const std::int64_t inner = groups.reduced_nest.inner_strides()[0];
  const auto reduced = [&](const RowCut::Part& part, T* target) {
    const T* const start = first + groups.start(part.first);
    RowReducer<T> rows(steps, part.width, groups.kept.strides.back(), target);
    for_runs(groups.reduced_nest, part.begin, part.end, [&](std::int64_t, const Offsets<1>& at, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) rows.add(start + at[0] + i * inner);
    });
    rows.finish();
  };
  StripReduction<T, decltype(reduced)>(steps.rows, cut, groups.kept_nest.count / cut.columns(), out, reduced).run();
}

template <class T>
void reduce_typed(synth::ReduceKind kind, const TileView& operand, std::span<const std::uint8_t> dimensions,
                  const TileOut& out) {
  const Groups groups(operand, dimensions);
  if (groups.kept_nest.count == 0) return;
  const std::size_t rank = operand.shape.size();
  const bool inner = rank == 0 || (!dimensions.empty() && dimensions.back() + 1U == rank);
  const Steps<T> steps = steps_of<T>(kind);
  if (inner)
    reduce_inner(steps, groups, typed<T>(operand), typed<T>(out));
  else
    reduce_outer(steps, groups, typed<T>(operand), typed<T>(out));
}

}  // namespace

void reduce(synth::ReduceKind kind, const TileView& operand, std::span<const std::uint8_t> dimensions,
            const TileOut& out) {
  TESSERA_CHECK(operand.element == out.element, "a reduction changes the element type");
  if (synth::is_complex(operand.element)) {
    TESSERA_CHECK(kind == synth::ReduceKind::sum, "complex numbers are only added up");
    const PartsBuffer re(out.element, out.shape);
    const PartsBuffer im(out.element, out.shape);
    reduce(kind, part_view(operand, Part::real), dimensions, re.tile());
    reduce(kind, part_view(operand, Part::imaginary), dimensions, im.tile());
    return join_parts(re.tile(), im.tile(), out);
  }
  synth::visit_element(operand.element, [&](auto zero) {
    using T = decltype(zero);
    reduce_typed<T>(kind, operand, dimensions, out);
  });
}

struct PieceJoin::State {
  virtual ~State() = default;
  virtual void add(const TileView& pieces) = 0;
  virtual void finish(std::byte* out) = 0;
};

namespace {

template <class T>
struct PieceState final : PieceJoin::State {
  explicit PieceState(synth::ReduceKind kind) : steps(steps_of<T>(kind)) {}
  void add(const TileView& pieces) override {
    for (std::int64_t k = 0; k < count(pieces.shape); ++k) cascade.push(typed<T>(pieces)[k], steps.combine);
  }
  void finish(std::byte* out) override {
    const T joined = std::exchange(cascade, {}).join(steps.identity, steps.combine);
    std::memcpy(out, &joined, sizeof joined);
  }
  Steps<T> steps;
  PairwiseJoin<T> cascade;
};

}  // namespace

PieceJoin::PieceJoin(synth::ReduceKind kind, synth::ElementType element) {
  static_assert(kReducePiece % kBlock == 0 && std::has_single_bit(static_cast<std::uint64_t>(kReducePiece / kBlock)));
  synth::visit_element(element, [&](auto zero) { state_ = std::make_unique<PieceState<decltype(zero)>>(kind); });
}
PieceJoin::~PieceJoin() = default;
void PieceJoin::add(const TileView& pieces) { state_->add(pieces); }
void PieceJoin::finish(std::byte* out) { state_->finish(out); }

struct ElementJoin::State {
  virtual ~State() = default;
  virtual void add(const TileView& elements) = 0;
  virtual void add_products(const TileView& a, const TileView& b) = 0;
  virtual void finish(std::byte* out) = 0;
};

namespace {

template <class T>
struct ElementState final : ElementJoin::State {
  explicit ElementState(synth::ReduceKind kind) : steps(steps_of<T>(kind)) {}
  void add(const TileView& elements) override {
    const T* const first = typed<T>(elements);
    const std::int64_t n = count(elements.shape);
    if constexpr (Float<T>) {
      steps.push_blocks(cascade, first, n);
    } else {
      for (std::int64_t at = 0; at < n; at += kBlock) steps.push_blocks(cascade, first + at, std::min(kBlock, n - at));
    }
  }
  void add_products(const TileView& a, const TileView& b) override {
    if constexpr (Float<T>) {
      const T* const x = typed<T>(a);
      const T* const y = typed<T>(b);
      const std::int64_t n = count(a.shape);
      const std::int64_t whole = n / kBlock * kBlock;
      std::array<T, kBlock> some;
      const ProductsFunction<T> products = products_function<T>();
      for (std::int64_t at = 0; at < whole; at += kBlock * kBlock) {
        const std::int64_t blocks = std::min(kBlock, (whole - at) / kBlock);
        products(some.data(), blocks, x + at, y + at);
        for (const T value : std::span(some).first(static_cast<std::size_t>(blocks)))
          cascade.push(value, steps.combine);
      }
      if (whole == n) return;
      for (std::int64_t i = whole; i < n; ++i) some[static_cast<std::size_t>(i - whole)] = x[i] * y[i];
      steps.push_blocks(cascade, some.data(), n - whole);
    }
  }
  void finish(std::byte* out) override {
    const T joined = std::exchange(cascade, {}).join(steps.identity, steps.combine);
    std::memcpy(out, &joined, sizeof joined);
  }
  Steps<T> steps;
  PairwiseJoin<T> cascade;
};

}  // namespace

ElementJoin::ElementJoin(synth::ReduceKind kind, synth::ElementType element) {
  synth::visit_element(element, [&](auto zero) { state_ = std::make_unique<ElementState<decltype(zero)>>(kind); });
}
ElementJoin::~ElementJoin() = default;
void ElementJoin::add(const TileView& elements) { state_->add(elements); }
void ElementJoin::add_products(const TileView& a, const TileView& b) { state_->add_products(a, b); }
void ElementJoin::finish(std::byte* out) { state_->finish(out); }

}  // namespace tessera::runtime
