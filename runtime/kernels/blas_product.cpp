#include "runtime/kernels/blas_product.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::runtime {

namespace {

// A call computes so much of the result at most, from so many terms: large enough that the library's own preparation of
// the operands does not count, and small enough for many cores; a core that is told to stop ends the call it is in. The
// library may add a call's terms one after the other: many of one size would then lose what each adds.
constexpr std::int64_t kRows = 1024;
constexpr std::int64_t kColumns = 512;
constexpr std::int64_t kTerms = 512;
// What so many terms give, call by call, is joined in pairs with what others give: a sum of very many terms that grew
// call by call would lose what each adds.
constexpr std::int64_t kStretchTerms = 16 * kTerms;

// The product of a matrix and its own transpose is made of squares of so many rows, of which those on and above the
// diagonal are computed and mirrored.
constexpr std::int64_t kSquare = kColumns;

// The library clears its part of the result and then adds to it, again for each few hundred terms. For few terms it
// adds up so little that the part has to stay in a core's cache meanwhile.
std::int64_t rows_at_once(std::int64_t terms) {
  constexpr std::int64_t kFewestRows = 128;
  return std::clamp(2 * terms, kFewestRows, kRows);
}

// The one step between neighbours along all of the indices, the last fastest; nothing where there is none such. Indices
// of extent 1 do not count; without any other the step is 1.
std::optional<std::int64_t> joint_step(const ContractIndices& indices, const IndexList& list,
                                       const std::vector<std::int64_t>& strides) {
  std::int64_t step = 1;
  std::int64_t covered = 1;
  for (std::size_t i = list.size(); i-- > 0;) {
    const std::int64_t extent = indices.extent(list[i]);
    if (extent == 1) continue;
    if (covered == 1) step = strides[i];
    if (strides[i] != step * covered) return std::nullopt;
    covered *= extent;
  }
  return step;
}

std::vector<std::int64_t> strides_of(const ContractIndices& indices, std::size_t operand, const IndexList& list) {
  std::vector<std::int64_t> strides;
  for (const std::uint8_t index : list) strides.push_back(indices.stride(operand, index));
  return strides;
}

// One side of the product: an operand as matrices, or as what has to be packed into such.
struct Side {
  TileView view;     // its own dimensions: those of `rows`, then those of `columns`
  std::size_t rows;  // how many dimensions make a row's number
  std::optional<Matrix<std::byte>> matrix;
  std::vector<std::int64_t> batch;  // where each batch begins, in elements
};

Side side_of(const ContractIndices& indices, std::size_t operand, const TileView& tile, const IndexList& rows,
             const IndexList& columns, const IndexList& batch) {
  Side side{TileView{tile.element, {}, {}, tile.data}, rows.size(), {}, indices.offsets(operand, batch)};
  for (const IndexList* list : {&rows, &columns}) {
    for (const std::uint8_t index : *list) {
      side.view.shape.push_back(indices.extent(index));
      side.view.strides.push_back(indices.stride(operand, index));
    }
  }
  const auto row_step = joint_step(indices, rows, strides_of(indices, operand, rows));
  const auto column_step = joint_step(indices, columns, strides_of(indices, operand, columns));
  if (!row_step || !column_step) return side;
  const std::int64_t row_count = indices.count(rows);
  const std::int64_t column_count = indices.count(columns);
  // A matrix of one row, or one column, may have any stride there.
  const std::int64_t row_stride = row_count == 1 ? column_count : *row_step;
  const std::int64_t column_stride = column_count == 1 ? 1 : *column_step;
  const bool by_rows = column_stride == 1 && row_stride >= column_count;
  const bool by_columns = row_stride == 1 && column_stride >= row_count;
  if ((!by_rows && !by_columns) || std::max(row_stride, column_stride) > kBlasSizeMax) return side;
  side.matrix = Matrix<std::byte>{tile.data, row_stride, column_stride};
  return side;
}

// Of two operands that are the same array: do rows and columns walk through it alike, so that the product is symmetric?
bool is_symmetric(const ContractIndices& indices, const ProductShape& shape) {
  const auto same = [&](std::uint8_t left, std::uint8_t right) {
    return indices.extent(left) == indices.extent(right) && indices.stride(0, left) == indices.stride(1, right);
  };
  const auto is_shared = [&](std::uint8_t index) { return same(index, index); };
  return std::ranges::equal(shape.rows, shape.columns, same) && std::ranges::all_of(indices.summed(), is_shared) &&
         std::ranges::all_of(shape.batch, is_shared);
}

template <class T>
class BlasProduct {
 public:
  // `left` is the operand that has the rows.
  BlasProduct(const ContractIndices& indices, const ProductShape& shape, std::span<const TileView> operands,
              std::size_t left, bool symmetric, const TileOut& out)
      : symmetric_(symmetric),
        left_(side_of(indices, left, operands[left], shape.rows, indices.summed(), shape.batch)),
        right_(side_of(indices, 1 - left, operands[1 - left], indices.summed(), shape.columns, shape.batch)),
        sizes_{indices.count(shape.rows), indices.count(shape.columns), indices.count(indices.summed())},
        call_rows_(symmetric ? kSquare : rows_at_once(sizes_.terms)),
        out_(typed<T>(out)) {
    const auto steps = [&](const IndexList& list) { return result_strides(indices, list, out.shape); };
    out_batch_ = indices.offsets(shape.batch, steps(shape.batch));
    const auto row_step = joint_step(indices, shape.rows, steps(shape.rows));
    const auto column_step = joint_step(indices, shape.columns, steps(shape.columns));
    const bool one_column = sizes_.columns == 1;
    if (row_step && column_step && (one_column || *column_step == 1) && *row_step <= kBlasSizeMax) {
      out_stride_ = sizes_.rows == 1 ? sizes_.columns : *row_step;
      if (out_stride_ < sizes_.columns) out_stride_ = 0;
    }
    if (out_stride_ > 0) return;
    out_rows_ = indices.offsets(shape.rows, steps(shape.rows));
    out_columns_ = indices.offsets(shape.columns, steps(shape.columns));
  }

  std::int64_t blocks() const { return static_cast<std::int64_t>(out_batch_.size()) * blocks_of_batch(); }

  void run_block(std::int64_t number) const {
    const auto batch = static_cast<std::size_t>(number / blocks_of_batch());
    const auto [block_row, block_column] = place_of(number % blocks_of_batch());
    const std::int64_t row = block_row * call_rows_;
    const std::int64_t column = block_column * kColumns;
    const Part part{batch,
                    {row, std::min(call_rows_, sizes_.rows - row)},
                    {column, std::min(kColumns, sizes_.columns - column)},
                    symmetric_ && block_row == block_column};
    T* const out = out_ + out_batch_[batch];
    const bool is_mirrored = symmetric_ && block_row != block_column;
    const bool is_joined = sizes_.terms > kStretchTerms;
    if (!is_joined && out_stride_ > 0) {
      T* const target = out + row * out_stride_ + column;
      multiply(part, {0, sizes_.terms}, target, out_stride_);
      if (is_mirrored && !is_given_up()) spread(turned(target, out_stride_), mirrored(part), out);
      return;
    }
    MatrixJoin join(part.rows.length * part.columns.length);
    for (std::int64_t term = 0; term < sizes_.terms && !is_given_up(); term += kStretchTerms) {
      multiply(part, {term, std::min(kStretchTerms, sizes_.terms - term)}, join.next(), part.columns.length);
      join.push();
    }
    if (is_given_up()) return;
    const Rows made{join.joined(), part.columns.length, 1};
    spread(made, part, out);
    if (is_mirrored) spread(turned(made.first, made.row_step), mirrored(part), out);
  }

 private:
  struct Range {
    std::int64_t begin;
    std::int64_t length;
  };
  // What one call computes of the result.
  struct Part {
    std::size_t batch;
    Range rows, columns;
    bool is_on_diagonal;  // of a symmetric product: its rows are its columns
  };
  static Part mirrored(const Part& part) { return Part{part.batch, part.columns, part.rows, false}; }

  // Elements to be written, by the steps between rows and columns.
  struct Rows {
    const T* first;
    std::int64_t row_step, column_step;
  };
  static Rows turned(const T* first, std::int64_t row_step) { return Rows{first, 1, row_step}; }

  std::int64_t row_blocks() const { return (sizes_.rows + call_rows_ - 1) / call_rows_; }
  std::int64_t column_blocks() const { return (sizes_.columns + kColumns - 1) / kColumns; }
  std::int64_t blocks_of_batch() const {
    return symmetric_ ? row_blocks() * (row_blocks() + 1) / 2 : row_blocks() * column_blocks();
  }
  // The row and the column of blocks in which the block of this number lies; of a symmetric product row by row those
  // from the diagonal on.
  std::pair<std::int64_t, std::int64_t> place_of(std::int64_t number) const {
    if (!symmetric_) return {number / column_blocks(), number % column_blocks()};
    std::int64_t row = 0;
    for (; number >= row_blocks() - row; ++row) number -= row_blocks() - row;
    return {row, row + number};
  }

  // Matrices joined in pairs of equal size, like a binary counter: level l holds the sum of 2^l of them.
  class MatrixJoin {
   public:
    explicit MatrixJoin(std::int64_t size) : size_(size) {}
    // Where the next matrix is to be written before it is pushed.
    T* next() {
      if (next_ == nullptr) next_ = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(size_));
      return next_.get();
    }
    void push() {
      std::size_t level = 0;
      for (std::uint64_t bits = pushed_; (bits & 1U) != 0; bits >>= 1U, ++level) add(levels_[level].get(), next());
      if (level == levels_.size()) levels_.emplace_back();
      std::swap(levels_[level], next_);
      ++pushed_;
    }
    // The sum of all that were pushed, at least one.
    const T* joined() {
      T* sum = nullptr;
      for (std::size_t level = 0; level < levels_.size(); ++level) {
        if ((pushed_ >> level & 1U) == 0) continue;
        if (sum != nullptr) add(sum, levels_[level].get());
        sum = levels_[level].get();
      }
      return sum;
    }

   private:
    void add(const T* from, T* to) const {
      for (std::int64_t i = 0; i < size_; ++i) to[i] = from[i] + to[i];
    }
    std::int64_t size_;
    std::unique_ptr<T[]> next_;
    std::vector<std::unique_ptr<T[]>> levels_;
    std::uint64_t pushed_ = 0;
  };

  // A part of the result from some of the terms, call by call.
  void multiply(const Part& part, Range terms, T* target, std::int64_t target_stride) const {
    BlasSizes call{part.rows.length, part.columns.length, 0};
    for (std::int64_t at = 0; at < terms.length && !is_given_up(); at += kTerms) {
      call.terms = std::min(kTerms, terms.length - at);
      const Range some{terms.begin + at, call.terms};
      std::unique_ptr<T[]> packed_left;
      std::unique_ptr<T[]> packed_right;
      const Matrix<T> a = matrix(left_, part.batch, part.rows, some, packed_left);
      if (part.is_on_diagonal) {
        blas_multiply_by_transpose<T>(call, a, at > 0, target, target_stride);
        continue;
      }
      const Matrix<T> b = matrix(right_, part.batch, some, part.columns, packed_right);
      blas_multiply<T>(call, a, b, at > 0, target, target_stride);
    }
    if (!part.is_on_diagonal) return;
    for (std::int64_t i = 1; i < part.rows.length; ++i)
      for (std::int64_t j = 0; j < i; ++j) target[i * target_stride + j] = target[j * target_stride + i];
  }

  // A part of a side, as BLAS takes it; copied if need be.
  static Matrix<T> matrix(const Side& side, std::size_t batch, Range rows, Range columns,
                          std::unique_ptr<T[]>& packed) {
    const T* const first = reinterpret_cast<const T*>(side.view.data) + side.batch[batch];
    if (side.matrix) {
      const std::int64_t r = side.matrix->row_stride;
      const std::int64_t c = side.matrix->column_stride;
      return Matrix<T>{first + rows.begin * r + columns.begin * c, r, c};
    }
    packed = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(rows.length * columns.length));
    std::vector<std::int64_t> column_at;
    for (std::int64_t j = 0; j < columns.length; ++j) {
      column_at.push_back(place(side.view, side.rows, side.view.shape.size(), columns.begin + j));
    }
    T* to = packed.get();
    for (std::int64_t i = 0; i < rows.length; ++i) {
      const T* const row = first + place(side.view, 0, side.rows, rows.begin + i);
      for (const std::int64_t at : column_at) *to++ = row[at];
    }
    return Matrix<T>{packed.get(), columns.length, 1};
  }
  // The offset of the element with this row-major number along the view's dimensions [first, last).
  static std::int64_t place(const TileView& view, std::size_t first, std::size_t last, std::int64_t number) {
    std::int64_t at = 0;
    for (std::size_t d = last; d-- > first; number /= view.shape[d]) {
      at += number % view.shape[d] * view.strides[d];
    }
    return at;
  }

  void spread(const Rows& from, const Part& part, T* to) const {
    for (std::int64_t i = 0; i < part.rows.length; ++i) {
      const T* const own = from.first + i * from.row_step;
      const std::int64_t row = part.rows.begin + i;
      T* const first = to + (out_stride_ > 0 ? row * out_stride_ : out_rows_[static_cast<std::size_t>(row)]);
      for (std::int64_t j = 0; j < part.columns.length; ++j) {
        const std::int64_t column = part.columns.begin + j;
        first[out_stride_ > 0 ? column : out_columns_[static_cast<std::size_t>(column)]] = own[j * from.column_step];
      }
    }
  }

  bool symmetric_;
  Side left_;
  Side right_;
  BlasSizes sizes_;
  std::int64_t call_rows_;
  T* out_;
  std::int64_t out_stride_ = 0;  // between rows of the result; 0: they do not lie so that BLAS can write them
  std::vector<std::int64_t> out_batch_, out_rows_, out_columns_;
};

}  // namespace

std::vector<std::int64_t> result_strides(const ContractIndices& indices, const IndexList& list,
                                         const synth::Shape& result) {
  const synth::Shape strides = dense_strides(result);
  std::vector<std::int64_t> found;
  for (const std::uint8_t index : list) {
    const auto d = std::find(indices.result().begin(), indices.result().end(), index) - indices.result().begin();
    found.push_back(strides[static_cast<std::size_t>(d)]);
  }
  return found;
}

bool is_worth_blas(const ContractIndices& indices, const ProductShape& shape) {
  constexpr double kWork = 32 * 32 * 32;
  const auto rows = static_cast<double>(indices.count(shape.rows));
  const auto columns = static_cast<double>(indices.count(shape.columns));
  return rows * columns * static_cast<double>(indices.count(indices.summed())) >= kWork;
}

template <BlasElement T>
void contract_with_blas(const ContractIndices& indices, const ProductShape& shape, std::span<const TileView> operands,
                        bool same, const TileOut& out) {
  // If the rows of the result lie side by side, its transpose is computed instead.
  const bool turned =
      !shape.rows.empty() && !shape.columns.empty() && result_strides(indices, {shape.rows.back()}, out.shape)[0] == 1;
  const ProductShape turned_shape{shape.batch, shape.columns, shape.rows};
  const bool symmetric = same && is_symmetric(indices, shape);
  const BlasProduct<T> product(indices, turned ? turned_shape : shape, operands, turned ? 1 : 0, symmetric, out);
  parallel_each(product.blocks(), [&](std::int64_t number) { product.run_block(number); });
}

template void contract_with_blas<float>(const ContractIndices&, const ProductShape&, std::span<const TileView>, bool,
                                        const TileOut&);
template void contract_with_blas<double>(const ContractIndices&, const ProductShape&, std::span<const TileView>, bool,
                                         const TileOut&);

}  // namespace tessera::runtime
