// Loaded before a program of MPI (LD_PRELOAD), it makes a rank a device of a given speed: a product of matrices lasts
// as long as on one that takes TESSERA_DEVICE_FLOPS operations a second, however busy the cores are, if these are
// faster. With TESSERA_DEVICE_WAITS a long message has gone when its sending returns: work waits for transfers.
#include <dlfcn.h>
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;
using Product = void (*)(int order, int left_transposed, int right_transposed, int rows, int columns, int terms,
                         float alpha, const float* left, int left_stride, const float* right, int right_stride,
                         float beta, float* out, int out_stride);

// Products that are announced at once wait for each other.
std::mutex busy;

double flops_per_second() {
  const char* const flops = std::getenv("TESSERA_DEVICE_FLOPS");
  return flops == nullptr ? 0 : std::atof(flops);
}

bool waits() { return std::getenv("TESSERA_DEVICE_WAITS") != nullptr; }

}  // namespace

extern "C" void cblas_sgemm(int order, int left_transposed, int right_transposed, int rows, int columns, int terms,
                            float alpha, const float* left, int left_stride, const float* right, int right_stride,
                            float beta, float* out, int out_stride) {
  static const auto product = reinterpret_cast<Product>(dlsym(RTLD_NEXT, "cblas_sgemm"));
  static const double rate = flops_per_second();
  const std::scoped_lock lock(busy);
  const Clock::time_point begin = Clock::now();
  product(order, left_transposed, right_transposed, rows, columns, terms, alpha, left, left_stride, right, right_stride,
          beta, out, out_stride);
  if (rate <= 0) return;
  const double seconds = 2.0 * rows * columns * terms / rate;
  std::this_thread::sleep_until(begin +
                                std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)));
}

int MPI_Isend(const void* bytes, int count, MPI_Datatype type, int target, int tag, MPI_Comm all,
              MPI_Request* request) {
  constexpr int kLong = 1 << 16;
  static const bool is_patient = waits();
  const int status = PMPI_Isend(bytes, count, type, target, tag, all, request);
  int has_gone = is_patient && count >= kLong ? 0 : 1;
  while (status == MPI_SUCCESS && has_gone == 0) {
    if (PMPI_Test(request, &has_gone, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return status;
}
