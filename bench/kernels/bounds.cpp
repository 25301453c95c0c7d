#include "bench/kernels/bounds.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <thread>

#include "bench/pages.hpp"
#include "runtime/kernels/blas.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/stream.hpp"

namespace tessera::bench {

namespace {

class Streams {
 public:
  Streams(const std::vector<std::int64_t>& read, std::int64_t written) : written_(words(written)) {
    for (const std::int64_t bytes : read) read_.emplace_back(words(bytes));
  }

  void run() {
    runtime::parallel_ranges(kPieces, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t piece = begin; piece < end; ++piece) run_piece(piece);
    });
  }

 private:
  using Words = Pages<std::uint64_t>;
  static constexpr std::int64_t kPieces = 1024;
  static constexpr std::int64_t kBlock = 512;

  static Words words(std::int64_t bytes) { return Words(static_cast<std::size_t>(bytes) / sizeof(std::uint64_t), 1); }

  // Part `step` of `steps` of a piece of an array.
  struct Part {
    std::size_t begin, size;
  };
  static Part part(const Words& words, std::int64_t piece, std::int64_t step, std::int64_t steps) {
    const auto at = [&](std::int64_t number) {
      return words.size() * static_cast<std::size_t>(number) / static_cast<std::size_t>(kPieces * steps);
    };
    return {at(piece * steps + step), at(piece * steps + step + 1) - at(piece * steps + step)};
  }

  void run_piece(std::int64_t piece) {
    std::size_t largest = written_.size();
    for (const Words& array : read_) largest = std::max(largest, array.size());
    const std::int64_t steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(largest) / (kPieces * kBlock));
    const bool is_large = written_.size() * sizeof(std::uint64_t) > static_cast<std::size_t>(runtime::kStreamBytes);
    std::vector<std::uint64_t> made(kBlock * 2, 3);
    std::uint64_t sum = 0;
    for (std::int64_t step = 0; step < steps; ++step) {
      for (const Words& array : read_) {
        const Part p = part(array, piece, step, steps);
        for (std::size_t i = 0; i < p.size; ++i) sum += array[p.begin + i];
      }
      const Part p = part(written_, piece, step, steps);
      made.resize(std::max(made.size(), p.size));
      auto* const to = reinterpret_cast<std::byte*>(written_.data() + p.begin);
      const auto* const from = reinterpret_cast<const std::byte*>(made.data());
      if (is_large)
        runtime::stream_copy(to, from, p.size * sizeof(std::uint64_t));
      else if (p.size > 0)
        std::memcpy(to, from, p.size * sizeof(std::uint64_t));
    }
    if (is_large) runtime::finish_streaming();
    total_.fetch_add(sum, std::memory_order_relaxed);
  }

  std::vector<Words> read_;
  Words written_;
  std::atomic<std::uint64_t> total_ = 0;  // so that nothing read is left out
};

template <class T>
class Product {
 public:
  explicit Product(std::int64_t n)
      : n_(n), a_(static_cast<std::size_t>(n * n), T(0.5)), b_(a_.size(), T(0.25)), c_(a_.size()) {}

  void run() {
    const std::int64_t cores = std::thread::hardware_concurrency();
    runtime::parallel_each(cores, [&](std::int64_t core) {
      const std::int64_t begin = n_ * core / cores;
      const std::int64_t rows = n_ * (core + 1) / cores - begin;
      runtime::blas_multiply<T>({rows, n_, n_}, {a_.data() + begin * n_, n_, 1}, {b_.data(), n_, 1}, false,
                                c_.data() + begin * n_, n_);
    });
  }

 private:
  std::int64_t n_;
  Pages<T> a_, b_, c_;
};

}  // namespace

std::function<void()> stream_loop(const std::vector<std::int64_t>& read, std::int64_t written) {
  return [streams = std::make_shared<Streams>(read, written)] { streams->run(); };
}

template <class T>
std::function<void()> product_by_hand(std::int64_t n) {
  return [product = std::make_shared<Product<T>>(n)] { product->run(); };
}
template std::function<void()> product_by_hand<float>(std::int64_t n);
template std::function<void()> product_by_hand<double>(std::int64_t n);

}  // namespace tessera::bench
