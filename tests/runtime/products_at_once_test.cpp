// Threads that compute products at once, through the scratch memory of OpenBLAS, whose build without threads does not
// lock it: thousands of these 20,000 calls came out wrong before the runtime did. Run with the library as a program
// links it, and with the copy of its own that libtessera opens.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "runtime/kernels/blas.hpp"
#include "runtime/kernels/blas_library.hpp"

namespace tessera::runtime {
namespace {

TEST(ProductsAtOnce, DoNotWaitForEachOther) { EXPECT_TRUE(blas_library().keeps_calls_apart); }

TEST(ProductsAtOnce, AreRight) {
  std::atomic<int> wrong = 0;
  const auto multiply = [&wrong](float scale) {
    constexpr std::int64_t kSize = 40;
    const std::vector<float> left(kSize * kSize, scale);
    const std::vector<float> right(kSize * kSize, 1.0F);
    const std::vector<float> want(kSize * kSize, scale * kSize);
    std::vector<float> got(kSize * kSize);
    for (int call = 0; call < 5000; ++call) {
      blas_multiply<float>({kSize, kSize, kSize}, {left.data(), kSize, 1}, {right.data(), kSize, 1}, false, got.data(),
                           kSize);
      if (got != want) ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (const float scale : {1.0F, 2.0F, 4.0F, 8.0F}) threads.emplace_back(multiply, scale);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tessera::runtime
