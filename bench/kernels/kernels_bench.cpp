#include "bench/kernels/kernels_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "bench/report.hpp"
#include "bench/timing.hpp"
#include "runtime/kernels/blas.hpp"
#include "runtime/kernels/parallel.hpp"
#include "runtime/kernels/stream.hpp"

#include <tessera/tessera.hpp>

namespace tessera::bench {

namespace {

// A statement of a session, run on a fork: what it makes is dropped.
class Statement {
 public:
  Statement(const std::string& before, const std::string& statement) {
    session_.run(before).value();
    program_.emplace(session_.check(statement).value());
  }
  void run() const {
    Session once = session_.fork();
    once.run(*program_).value();
  }

 private:
  Session session_;
  std::optional<Program> program_;
};

// A program's statement, and the same by hand, as fast as the machine allows.
struct Kernel {
  std::string name;
  std::function<void()> tessera;
  std::function<void()> by_hand;
};

// Two arrays read, one written past the caches, by all cores.
class Triad {
 public:
  explicit Triad(std::int64_t n) : a_(size(n), 1.0F), b_(size(n), 2.0F), c_(size(n), 3.0F) {}

  void run() {
    constexpr std::int64_t kBlock = 4096;
    runtime::parallel_ranges(
        static_cast<std::int64_t>(a_.size()), 64 * kBlock, [&](std::int64_t begin, std::int64_t end) {
          alignas(64) float made[kBlock];
          for (std::int64_t at = begin; at < end; at += kBlock) {
            const std::int64_t n = std::min(kBlock, end - at);
            for (std::int64_t i = 0; i < n; ++i) {
              const float sum = a_[size(at + i)] * 2.0F + b_[size(at + i)];
              made[i] = sum > 0.0F ? sum : 0.0F;
            }
            runtime::stream_copy(reinterpret_cast<std::byte*>(c_.data() + at), reinterpret_cast<const std::byte*>(made),
                                 size(n) * sizeof(float));
          }
          runtime::finish_streaming();
        });
  }

 private:
  static std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }
  std::vector<float> a_, b_, c_;
};

// A serial call of BLAS for each core, on equal blocks of rows, all at once.
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
  std::vector<T> a_, b_, c_;
};

template <class T>
Kernel against(std::string name, const std::string& before, const std::string& statement,
               const std::shared_ptr<T>& by_hand) {
  const auto ours = std::make_shared<Statement>(before, statement);
  return {std::move(name), [ours] { ours->run(); }, [by_hand] { by_hand->run(); }};
}

constexpr std::int64_t kMebi = 1024 * 1024;

Kernel chain(const std::string& mesh, const std::string& type) {
  return against(fmt::format("relu(a*2.0 + b), {}", type),
                 fmt::format("{}let a = normal({}, 1)\nlet b = normal({}, 2)\n", mesh, type, type),
                 "let c = relu(a*2.0 + b)\n", std::make_shared<Triad>(64 * kMebi));
}

template <class T>
Kernel product(const std::string& mesh, const std::string& left, const std::string& right, std::int64_t n) {
  return against(fmt::format("{} @ {}", left, right),
                 fmt::format("{}let a = random({}, 1)\nlet b = random({}, 2)\n", mesh, left, right), "let c = a @ b\n",
                 std::make_shared<Product<T>>(n));
}

// Made when their turn comes: together they would not fit.
std::vector<std::pair<std::string, std::function<Kernel()>>> all_kernels() {
  const std::string mesh = "mesh m = [x: 4]\n";
  return {
      {"chain", [=] { return chain("", "f32[67108864]"); }},
      {"chain", [=] { return chain(mesh, "f32[67108864@x]"); }},
      {"product", [=] { return product<float>("", "f32[2048, 2048]", "f32[2048, 2048]", 2048); }},
      {"product", [=] { return product<float>(mesh, "f32[2048@x, 2048]", "f32[2048, 2048]", 2048); }},
      {"product", [=] { return product<double>(mesh, "f64[1536@x, 1536]", "f64[1536, 1536]", 1536); }},
  };
}

}  // namespace

void run(const KernelsBench& options) {
  const Report report("kernel", {"tessera_ms", "by_hand_ms", "speed_of_hand"}, options.json);
  for (const auto& [sort, make] : all_kernels()) {
    if (sort.find(options.only) == std::string::npos) continue;
    const Kernel kernel = make();
    const std::vector<double> best = best_in_turns(
        2, options.goes, [&](std::size_t i) { return seconds_of(i == 0 ? kernel.tessera : kernel.by_hand); });
    report.row(kernel.name, {best[0] * 1e3, best[1] * 1e3, best[1] / best[0]});
  }
}

}  // namespace tessera::bench
