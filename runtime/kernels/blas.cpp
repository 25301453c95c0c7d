#include "runtime/kernels/blas.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>

#include "base/check.hpp"
#include "runtime/kernels/blas_library.hpp"
#include "runtime/kernels/blas_scratch.hpp"
#include "runtime/kinds.hpp"

namespace tessera::runtime {

namespace {

// OpenBLAS maps a buffer for each product under way and keeps it for the next one; if it gets none it tries for ever.
// So a product begins only when a buffer is free or one more can be mapped. Otherwise it waits for a buffer that is in
// use; if none is in use, memory has run out.
class Buffers {
 public:
  // Before threads begin to work, memory that is there stays there: one buffer is mapped if it fits.
  void prepare() {
    const std::scoped_lock lock(mutex_);
    if (mapped_ == 0 && can_map(kBytes)) map();
  }
  void take() {
    std::unique_lock lock(mutex_);
    while (in_use_ == mapped_) {
      if (can_map(kBytes + kOthersBytes)) {
        map();
      } else if (in_use_ == 0) {
        throw std::bad_alloc();
      } else {
        given_back_.wait(lock);
      }
    }
    ++in_use_;
  }
  void give_back() {
    {
      const std::scoped_lock lock(mutex_);
      --in_use_;
    }
    given_back_.notify_one();
  }

 private:
  // The largest that OpenBLAS asks for on x86-64 and Arm, and a little more.
  static constexpr std::size_t kBytes = std::size_t{144} << 20U;
  // Address space that threads which begin at the same moment may take for their heaps.
  static constexpr std::size_t kOthersBytes = std::size_t{256} << 20U;

  static bool can_map(std::size_t bytes) {
    void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) return false;
    munmap(address, bytes);
    return true;
  }
  void map() {
    map_scratch_buffer();
    ++mapped_;
  }

  std::mutex mutex_;
  std::condition_variable given_back_;
  int mapped_ = 0;
  int in_use_ = 0;
};

// They belong to the process as OpenBLAS does.
Buffers& buffers() {
  static Buffers all;
  return all;
}

// One that is in use.
class Buffer {
 public:
  Buffer() { buffers().take(); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { buffers().give_back(); }
};

blasint size(std::int64_t n) {
  TESSERA_CHECK(n <= kBlasSizeMax, "a product is too large for one call");
  return static_cast<blasint>(n);
}

// How the library is told of a matrix: row-major as it is, or the transpose of one.
struct BlasOperand {
  CBLAS_TRANSPOSE transposed;
  blasint leading;
};
template <class T>
BlasOperand told(const Matrix<T>& matrix, std::int64_t rows, std::int64_t columns) {
  if (matrix.column_stride == 1) return {CblasNoTrans, size(std::max(matrix.row_stride, columns))};
  TESSERA_CHECK(matrix.row_stride == 1, "a matrix without a stride of 1");
  return {CblasTrans, size(std::max(matrix.column_stride, rows))};
}

}  // namespace

base::Status prepare_products() {
  if (const std::string& missing = blas_library().missing; !missing.empty())
    return base::make(Kind::no_blas, missing).suggest("Debian: apt install libopenblas0-serial");
  buffers().prepare();
  return base::Done{};
}

std::string blas_processor() {
  const BlasLibrary& library = blas_library();
  return library.missing.empty() ? library.processor() : "";
}

template <BlasElement T>
void blas_multiply(const BlasSizes& sizes, const Matrix<T>& left, const Matrix<T>& right, bool add, T* out,
                   std::int64_t out_stride) {
  const BlasLibrary& library = blas_library();
  const BlasOperand a = told(left, sizes.rows, sizes.terms);
  const BlasOperand b = told(right, sizes.terms, sizes.columns);
  const Buffer buffer;
  const T beta = add ? T{1} : T{0};
  const BlasCall call;
  if constexpr (std::same_as<T, float>) {
    library.sgemm(CblasRowMajor, a.transposed, b.transposed, size(sizes.rows), size(sizes.columns), size(sizes.terms),
                  1, left.data, a.leading, right.data, b.leading, beta, out, size(out_stride));
  } else {
    library.dgemm(CblasRowMajor, a.transposed, b.transposed, size(sizes.rows), size(sizes.columns), size(sizes.terms),
                  1, left.data, a.leading, right.data, b.leading, beta, out, size(out_stride));
  }
}

template <BlasElement T>
void blas_multiply_by_transpose(const BlasSizes& sizes, const Matrix<T>& matrix, bool add, T* out,
                                std::int64_t out_stride) {
  const BlasLibrary& library = blas_library();
  const BlasOperand a = told(matrix, sizes.rows, sizes.terms);
  const Buffer buffer;
  const T beta = add ? T{1} : T{0};
  const BlasCall call;
  const auto multiply = [&] {
    if constexpr (std::same_as<T, float>)
      return library.ssyrk;
    else
      return library.dsyrk;
  }();
  multiply(CblasRowMajor, CblasUpper, a.transposed, size(sizes.rows), size(sizes.terms), 1, matrix.data, a.leading,
           beta, out, size(out_stride));
}

template void blas_multiply<float>(const BlasSizes&, const Matrix<float>&, const Matrix<float>&, bool, float*,
                                   std::int64_t);
template void blas_multiply<double>(const BlasSizes&, const Matrix<double>&, const Matrix<double>&, bool, double*,
                                    std::int64_t);

template void blas_multiply_by_transpose<float>(const BlasSizes&, const Matrix<float>&, bool, float*, std::int64_t);
template void blas_multiply_by_transpose<double>(const BlasSizes&, const Matrix<double>&, bool, double*, std::int64_t);

}  // namespace tessera::runtime
