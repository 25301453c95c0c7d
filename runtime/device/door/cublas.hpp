// The functions of cuBLAS that we call, as a table like that of the driver.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::device {

#define TESSERA_CUBLAS_FUNCTIONS(FOREACH)                                                                              \
  FOREACH(create, cublasCreate_v2, (void** handle))                                                                    \
  FOREACH(destroy, cublasDestroy_v2, (void* handle))                                                                   \
  FOREACH(version, cublasGetVersion_v2, (void* handle, int* version))                                                  \
  FOREACH(property, cublasGetProperty, (int property, int* value))                                                     \
  FOREACH(set_stream, cublasSetStream_v2, (void* handle, void* stream))                                                \
  FOREACH(set_workspace, cublasSetWorkspace_v2, (void* handle, void* room, std::size_t bytes))                         \
  FOREACH(set_math_mode, cublasSetMathMode, (void* handle, int mode))                                                  \
  FOREACH(                                                                                                             \
      multiply, cublasGemmEx_64,                                                                                       \
      (void* handle, int turned_a, int turned_b, std::int64_t m, std::int64_t n, std::int64_t k, const void* alpha,    \
       const void* a, int type_a, std::int64_t row_a, const void* b, int type_b, std::int64_t row_b, const void* beta, \
       void* c, int type_c, std::int64_t row_c, int computed_as, int algorithm))                                       \
  FOREACH(multiply_batch, cublasGemmStridedBatchedEx_64,                                                               \
          (void* handle, int turned_a, int turned_b, std::int64_t m, std::int64_t n, std::int64_t k,                   \
           const void* alpha, const void* a, int type_a, std::int64_t row_a, long long batch_a, const void* b,         \
           int type_b, std::int64_t row_b, long long batch_b, const void* beta, void* c, int type_c,                   \
           std::int64_t row_c, long long batch_c, std::int64_t count, int computed_as, int algorithm))

struct CublasCalls {
#define MEMBER(member, symbol, parameters) int(*member) parameters = nullptr;
  TESSERA_CUBLAS_FUNCTIONS(MEMBER)
#undef MEMBER
};

namespace cublas {

// Properties of the library, for which no handle is needed.
inline constexpr int kMajorVersion = 0;
inline constexpr int kMinorVersion = 1;

inline constexpr int kFloat32 = 0;
inline constexpr int kFloat64 = 1;
inline constexpr int kFloat16 = 2;
inline constexpr int kBrain16 = 14;

// How terms are computed and summed up. Never in TF32 unless that is what is asked for.
inline constexpr int kSumsOfFloat32 = 68;
inline constexpr int kSumsOfFloat64 = 70;
inline constexpr int kSumsOfTensor32 = 77;

inline constexpr int kNotTurned = 0;
inline constexpr int kTurned = 1;
inline constexpr int kDefaultMath = 0;
inline constexpr int kDefaultAlgorithm = -1;

}  // namespace cublas

}  // namespace tessera::device
