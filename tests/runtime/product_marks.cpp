// Loaded before a test's own libraries (LD_PRELOAD): says so on standard output when OpenBLAS is to multiply matrices
// of floats, and lets it. test_products.py finds out by it which tests depend on the processor.
#include <dlfcn.h>
#include <unistd.h>

#include <string_view>

namespace {

void mark() {
  constexpr std::string_view kLine = "\n[multiplies]\n";
  if (write(1, kLine.data(), kLine.size()) < 0) _exit(1);
}

// As cblas.h declares them. Enumerations are ints.
template <class T>
using Product = void(int order, int ta, int tb, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb,
                     T beta, T* c, int ldc);
template <class T>
using OwnProduct = void(int order, int part, int transposed, int n, int k, T alpha, const T* a, int lda, T beta, T* c,
                        int ldc);

}  // namespace

extern "C" Product<float> cblas_sgemm;
extern "C" Product<double> cblas_dgemm;
extern "C" OwnProduct<float> cblas_ssyrk;
extern "C" OwnProduct<double> cblas_dsyrk;

void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float* a, int lda, const float* b,
                 int ldb, float beta, float* c, int ldc) {
  mark();
  reinterpret_cast<Product<float>*>(dlsym(RTLD_NEXT, "cblas_sgemm"))(order, ta, tb, m, n, k, alpha, a, lda, b, ldb,
                                                                     beta, c, ldc);
}

void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double* a, int lda,
                 const double* b, int ldb, double beta, double* c, int ldc) {
  mark();
  reinterpret_cast<Product<double>*>(dlsym(RTLD_NEXT, "cblas_dgemm"))(order, ta, tb, m, n, k, alpha, a, lda, b, ldb,
                                                                      beta, c, ldc);
}

void cblas_ssyrk(int order, int part, int transposed, int n, int k, float alpha, const float* a, int lda, float beta,
                 float* c, int ldc) {
  mark();
  reinterpret_cast<OwnProduct<float>*>(dlsym(RTLD_NEXT, "cblas_ssyrk"))(order, part, transposed, n, k, alpha, a, lda,
                                                                        beta, c, ldc);
}

void cblas_dsyrk(int order, int part, int transposed, int n, int k, double alpha, const double* a, int lda, double beta,
                 double* c, int ldc) {
  mark();
  reinterpret_cast<OwnProduct<double>*>(dlsym(RTLD_NEXT, "cblas_dsyrk"))(order, part, transposed, n, k, alpha, a, lda,
                                                                         beta, c, ldc);
}
