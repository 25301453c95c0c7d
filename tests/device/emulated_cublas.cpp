// The products of cuBLAS, emulated: plain loops, terms from the last to the first, so that nobody takes them for an
// order that is promised.
#include <cstdint>
#include <cstring>

#include "runtime/device/door/cublas.hpp"
#include "tests/device/emulated_failures.hpp"
#include "tests/device/emulated_machine.hpp"

#define DECLARE(member, symbol, parameters) extern "C" int symbol parameters;
TESSERA_CUBLAS_FUNCTIONS(DECLARE)
#undef DECLARE

namespace cublas = tessera::device::cublas;

namespace {

constexpr int kInvalid = 7;
constexpr int kUnsupported = 15;

struct Handle {
  void* stream = nullptr;
};

float float_of_half(std::uint16_t bits) {
  _Float16 half;
  std::memcpy(&half, &bits, sizeof(half));
  return static_cast<float>(half);
}
float float_of_brain(std::uint16_t bits) {
  const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16U;
  float value = 0;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

// Element i of an array of the type.
double element(const void* array, int type, std::int64_t i) {
  switch (type) {
    case cublas::kFloat16: return static_cast<double>(float_of_half(static_cast<const std::uint16_t*>(array)[i]));
    case cublas::kBrain16: return static_cast<double>(float_of_brain(static_cast<const std::uint16_t*>(array)[i]));
    case cublas::kFloat64: return static_cast<const double*>(array)[i];
    default: return static_cast<double>(static_cast<const float*>(array)[i]);
  }
}

// Ten bits of the fraction are kept, the nearest.
float rounded_to_tf32(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  bits = (bits + 0x1000U) & ~0x1fffU;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

struct Matrix {
  const void* array = nullptr;
  int type = 0;
  std::int64_t stride = 0;  // of columns
  bool is_turned = false;
  std::int64_t begin = 0;
  bool in_tf32 = false;
  double at(std::int64_t row, std::int64_t column) const {
    const double value = element(array, type, begin + (is_turned ? row * stride + column : column * stride + row));
    return in_tf32 ? static_cast<double>(rounded_to_tf32(static_cast<float>(value))) : value;
  }
};

// Column-major c = a b, of floats T.
template <class T>
void product(const Matrix& a, const Matrix& b, T* c, std::int64_t stride, std::int64_t m, std::int64_t n,
             std::int64_t k) {
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      T sum = 0;
      for (std::int64_t t = k; t-- > 0;) sum += static_cast<T>(a.at(i, t)) * static_cast<T>(b.at(t, j));
      c[j * stride + i] = sum;
    }
  }
}

}  // namespace

#define FAIL_IF_WANTED(symbol) \
  if (const int failure = tessera::emulated::failure_of_call(#symbol); failure != 0) return failure

extern "C" {

int tessera_emulated_has_failed();
int tessera_emulated_has_failed() { return tessera::emulated::failing_calls().has_failed() ? 1 : 0; }

int cublasCreate_v2(void** handle) {
  FAIL_IF_WANTED(cublasCreate_v2);
  *handle = new Handle;
  return 0;
}
int cublasDestroy_v2(void* handle) {
  delete static_cast<Handle*>(handle);
  FAIL_IF_WANTED(cublasDestroy_v2);
  return 0;
}
int cublasGetVersion_v2(void* /*handle*/, int* version) {
  FAIL_IF_WANTED(cublasGetVersion_v2);
  *version = 130000;
  return 0;
}
int cublasGetProperty(int property, int* value) {
  FAIL_IF_WANTED(cublasGetProperty);
  *value = property == cublas::kMajorVersion ? 13 : 0;
  return 0;
}
int cublasSetStream_v2(void* handle, void* stream) {
  FAIL_IF_WANTED(cublasSetStream_v2);
  static_cast<Handle*>(handle)->stream = stream;
  return 0;
}
int cublasSetWorkspace_v2(void* /*handle*/, void* room, std::size_t bytes) {
  FAIL_IF_WANTED(cublasSetWorkspace_v2);
  const auto* const holder = tessera::emulated::machine().holder(reinterpret_cast<std::uint64_t>(room), bytes);
  return holder == nullptr ? kInvalid : 0;
}
int cublasSetMathMode(void* /*handle*/, int mode) {
  FAIL_IF_WANTED(cublasSetMathMode);
  return mode == cublas::kDefaultMath ? 0 : kUnsupported;
}

int cublasGemmStridedBatchedEx_64(void* handle, int turned_a, int turned_b, std::int64_t m, std::int64_t n,
                                  std::int64_t k, const void* alpha, const void* a, int type_a, std::int64_t row_a,
                                  long long batch_a, const void* b, int type_b, std::int64_t row_b, long long batch_b,
                                  const void* beta, void* c, int type_c, std::int64_t row_c, long long batch_c,
                                  std::int64_t count, int computed_as, int /*algorithm*/) {
  FAIL_IF_WANTED(cublasGemmStridedBatchedEx_64);
  const bool is_double = computed_as == cublas::kSumsOfFloat64;
  const double one =
      is_double ? *static_cast<const double*>(alpha) : static_cast<double>(*static_cast<const float*>(alpha));
  const double zero =
      is_double ? *static_cast<const double*>(beta) : static_cast<double>(*static_cast<const float*>(beta));
  if (one != 1 || zero != 0 || (is_double != (type_c == cublas::kFloat64))) return kUnsupported;
  const bool in_tf32 = computed_as == cublas::kSumsOfTensor32;
  if (in_tf32 && (type_a != cublas::kFloat32 || type_b != cublas::kFloat32)) return kUnsupported;
  return tessera::emulated::enqueue(static_cast<Handle*>(handle)->stream, [=] {
    for (std::int64_t i = 0; i < count; ++i) {
      const Matrix left{a, type_a, row_a, turned_a != 0, i * batch_a, in_tf32};
      const Matrix right{b, type_b, row_b, turned_b != 0, i * batch_b, in_tf32};
      if (is_double) {
        product(left, right, static_cast<double*>(c) + i * batch_c, row_c, m, n, k);
      } else {
        product(left, right, static_cast<float*>(c) + i * batch_c, row_c, m, n, k);
      }
    }
  });
}
int cublasGemmEx_64(void* handle, int turned_a, int turned_b, std::int64_t m, std::int64_t n, std::int64_t k,
                    const void* alpha, const void* a, int type_a, std::int64_t row_a, const void* b, int type_b,
                    std::int64_t row_b, const void* beta, void* c, int type_c, std::int64_t row_c, int computed_as,
                    int algorithm) {
  FAIL_IF_WANTED(cublasGemmEx_64);
  return cublasGemmStridedBatchedEx_64(handle, turned_a, turned_b, m, n, k, alpha, a, type_a, row_a, 0, b, type_b,
                                       row_b, 0, beta, c, type_c, row_c, 0, 1, computed_as, algorithm);
}

}  // extern "C"
