// Every operation of the language, at sizes that take seconds, ends soon after it is told to stop.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tessera/files.hpp>
#include <tessera/tessera.hpp>
#include <thread>
#include <vector>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSoon = 0.2;     // seconds from a stop to the end of the run
constexpr double kBefore = 0.08;  // seconds that a run goes on before it is stopped
constexpr int kTries = 5;         // others may keep this machine busy: the least counts

// What the expressions below read: 2^24 elements each, as a matrix and as a line, whole and split.
constexpr const char* kArrays = R"(mesh m = [x: 2]
let a = random(f32[4096, 4096], 1)
let s = random(f32[4096@x, 4096], 2)
let c = a > 0.5
let k = i64(a * 1000.0) + 1
let line = reshape(a, [16777216])
let ids = reshape(k, [16777216])
let table = random(f32[2000, 16], 3)
let square = random(f32[3000, 3000], 4)
let heavy = square + 3000.0 * eye(f32[3000, 3000])
let part = a[0:4095, :]
let none = ones(f32[1])
fn cost(u: f32[4096, 4096]) = sum(tanh(u) * u)
fn product(u: f32[3000, 3000]) = sum(u @ u)
)";

// Something to be done again and again, each time for a few hundredths of a second; or once for very long.
struct Work {
  std::string name;
  std::string text;
};

std::string again_and_again(const std::string& expression) {
  return "let r = loop w = 0 for i < 1000000 {\n  let t = " + expression + "\n  w + 1\n}\n";
}

std::vector<Work> elementwise_and_reductions() {
  std::vector<Work> all;
  for (const char* name : {"exp", "exp2", "log", "sqrt", "rsqrt", "tanh", "sigmoid", "relu", "gelu", "erf", "abs",
                           "neg", "sign", "floor", "sin", "cos"})
    all.push_back({name, std::string(name) + "(a)"});
  const std::vector<Work> others = {
      {"where", "where(c, a, 1.0)"},
      {"clip", "clip(a, 0.25, 0.75)"},
      {"min", "min(a, dim=0)"},
      {"min", "min(a, 0.5)"},
      {"max", "max(a, dim=1)"},
      {"all", "all(c)"},
      {"any", "any(c, dim=0)"},
      {"sum", "sum(a, dim=0)"},
      {"sum", "sum(a, dim=1)"},
      {"sum", "sum(transpose(a), dim=1)"},
      {"prod", "prod(a)"},
      {"mean", "mean(a)"},
      {"argmax", "argmax(line, dim=0)"},
      {"argmax", "argmax(a, dim=0)"},
      {"argmax", "argmax(s, dim=0)"},
      {"argmin", "argmin(k)"},
      {"softmax", "softmax(a, 1)"},
      {"softmax", "softmax(s, 0)"},
      {"log_softmax", "log_softmax(a, 1)"},
      {"logsumexp", "logsumexp(a, dim=0)"},
      {"tan", "tan(a)"},
      {"arcsin", "arcsin(a)"},
      {"arccos", "arccos(a)"},
      {"arctan", "arctan(a)"},
      {"arctan2", "arctan2(a, 0.5)"},
      {"hypot", "hypot(a, 0.5)"},
      {"sinh", "sinh(a)"},
      {"cosh", "cosh(a)"},
      {"arcsinh", "arcsinh(a)"},
      {"arccosh", "arccosh(a + 1.0)"},
      {"arctanh", "arctanh(a)"},
      {"log2", "log2(a)"},
      {"log10", "log10(a)"},
      {"log1p", "log1p(a)"},
      {"expm1", "expm1(a)"},
      {"ceil", "ceil(a)"},
      {"trunc", "trunc(a)"},
      {"round", "round(a)"},
      {"isnan", "isnan(a)"},
      {"isfinite", "isfinite(a)"},
      {"diag", "diag(line[:4096])"},
      {"var", "var(a, dim=1)"},
      {"std", "std(a)"},
      {"norm", "norm(a, dim=0)"},
  };
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

std::vector<Work> along_lines() {
  return {
      {"cumsum", "cumsum(line, 0)"},
      {"cumsum", "cumsum(a, 0)"},
      {"recur", "recur(line, line, 0)"},
      {"recur", "recur(a, a, 0)"},
      {"sort", "sort(line, 0)"},
      {"sort", "sort(-iota(f32[16777216]), 0)"},
      {"argsort", "argsort(line, 0)"},
      {"topk", "topk(line, 4000000, 0)"},
      {"topk", "topk(iota(i64[16777216]), 1000, 0)"},
      {"argtopk", "argtopk(line, 4000000, 0)"},
  };
}

std::vector<Work> of_complex_numbers() {
  return {
      {"complex", "complex(a, a)"},
      {"re", "re(complex(a, a))"},
      {"im", "im(complex(a, a))"},
      {"conj", "conj(complex(a, a))"},
      {"angle", "angle(complex(a, a))"},
      {"fft", "fft(a)"},
      {"fft", "fft(line)"},
      {"fft", "fft(line[:4194301])"},
      {"ifft", "ifft(s, 0)"},
      {"rfft", "rfft(a, 0)"},
      {"irfft", "irfft(complex(a, a))"},
  };
}

std::vector<Work> other_operations() {
  return {
      {"cumprod", "cumprod(line, 0)"},
      {"cummax", "cummax(line, 0)"},
      {"cummin", "cummin(s, 0)"},
      {"transpose", "transpose(a) + 1.0"},
      {"reshape", "reshape(transpose(a), [16777216])"},
      {"broadcast", "broadcast(reshape(line, [1, 16777216]), [2, 16777216]) + 1.0"},
      {"concat", "concat([a, a], 1)"},
      {"pad", "pad(a, [[1, 1], [2, 2]])"},
      {"update", "update(a, i % 2, part)"},
      {"reverse", "reverse(s, 0)"},
      {"roll", "roll(s, i, 0)"},
      {"size", "f32(size(a, 0))"},
      {"tril", "tril(a, 1)"},
      {"triu", "triu(a, -1)"},
      {"dot", "dot(line, line)"},
      {"outer", "outer(a[0], a[1])"},
      {"cov", "cov(a)"},
      {"eye", "eye(f32[4096, 4096], 1)"},
      {"linspace", "linspace(f32[16777216], 0.0, f32(i))"},
      {"einsum", "einsum(\"ij,jk->ik\", a, a)"},
      {"einsum", "einsum(\"ij,ij->i\", a, a)"},
      {"einsum", "einsum(\"ij,ij->\", a, a)"},
      {"einsum", "einsum(\"ij,ij->j\", k, k)"},
      {"einsum", "einsum(\"ij,jk,kl->il\", square, square, square)"},
      {"solve", "solve(square, square)"},
      {"solve", "solve(broadcast(eye(f32[2, 2]), [2000000, 2, 2]), line[:2])"},
      {"solve_triangular", "solve_triangular(heavy, square, lower=true)"},
      {"inv", "inv(square)"},
      {"det", "det(square)"},
      {"cholesky", "cholesky(heavy)"},
      {"qr", "{ let (q, r) = qr(square); r }"},
      {"eigh", "{ let (v, w) = eigh(heavy); v }"},
      {"svd", "{ let (u, v, w) = svd(square); v }"},
      {"lstsq", "lstsq(square, square[0])"},
      {"take", "take(table, ids)"},
      {"take", "take(reshape(a, [1, 16777216]), [0, 0])"},
      {"one_hot", "one_hot(reshape(ids[0:20000], [20000]), 1001)"},
      {"one_hot", "one_hot([1, 2], 10000000)"},
      {"searchsorted", "searchsorted(a[0], line)"},
      {"bincount", "bincount(ids, 2000)"},
      {"histogram", "histogram(line, linspace(f32[1000], 0.0, 1.0))"},
      {"allclose", "allclose(a, a)"},
      {"iota", "iota(i64[16777216])"},
      {"zeros", "zeros(f32[16777216])"},
      {"ones", "ones(i64[16777216])"},
      {"full", "full(f32[16777216], f32(i))"},
      {"random", "random(f32[16777216], i)"},
      {"normal", "normal(f64[16777216], i)"},
      {"load", "load(\"saved.npy\", f32[4096, 4096])"},
      {"all_gather", "all_gather(s, 0, x)"},
      {"slice", "slice(a, 0, x)"},
      {"all_to_all", "all_to_all(s, x, 0, 1)"},
      {"reduce_scatter", "reduce_scatter(sum(reshape(s, [4096, 2, 2048]), dim=0), 0, x)"},
      {"all_reduce", "all_reduce(einsum(\"ij,ij->j\", s, s), x)"},
      {"permute", "permute(s, f32[4096@x, 4096])"},
      {"exchange", "exchange(s, f32[4096, 4096@x])"},
  };
}

// The operations of the table, by name.
std::vector<Work> of_the_table() {
  std::vector<Work> all;
  for (const auto& some : {elementwise_and_reductions(), along_lines(), of_complex_numbers(), other_operations()}) {
    for (const Work& each : some) all.push_back({each.name, again_and_again(each.text)});
  }
  return all;
}

// What has no name in the table.
std::vector<Work> beside_the_table() {
  std::vector<Work> all;
  for (const char* expression : {"a + a",
                                 "a / s",
                                 "k / k",
                                 "k % k",
                                 "a ** 3.5",
                                 "k ** 2",
                                 "a < s",
                                 "k == k",
                                 "!c",
                                 "c && c",
                                 "-a",
                                 "f64(a)",
                                 "i64(a)",
                                 "a @ a",
                                 "line @ line",
                                 "a @ a[0]",
                                 "a[0] @ a",
                                 "a[1:4000, ::2]",
                                 "s as [4096, 4096@x]",
                                 "cost(a)",
                                 "(exp(a) + 1.0) / (a + 2.0)",
                                 "sqrt(sum(a * a, dim=1))"})
    all.push_back({expression, again_and_again(expression)});
  all.push_back({"a sum of very many", "let r = sum(broadcast(none, [10000000000000]))\n"});
  all.push_back({"a product of very many", "let r = prod(broadcast(none, [10000000000000]))\n"});
  all.push_back({"a chain of very many", "let r = sum(exp(broadcast(none, [10000000000000])) * 2.0)\n"});
  all.push_back({"a gradient", "let r = loop w = a for i < 1000000 {\n  let (l, g) = grad(cost)(w)\n  g\n}\n"});
  all.push_back({"a gradient of a product",
                 "let r = loop w = square for i < 1000000 {\n  let (l, g) = grad(product)(w)\n  g * 0.001\n}\n"});
  all.push_back({"a large product", "let r = a @ (a @ (a @ (a @ a)))\n"});
  all.push_back({"one long sort", "let r = sort(concat([line, line + 1.0, -line, line * 2.0], 0), 0)\n"});
  all.push_back({"prints", "let r = loop w = 0 for i < 1000000 {\n  print a + f32(i)\n  w + 1\n}\n"});
  all.push_back({"shows", "let r = loop w = 0 for i < 1000000 {\n  show s\n  w + 1\n}\n"});
  all.push_back({"saves", "let r = loop w = 0 for i < 1000000 {\n  save(a, \"again.npy\")\n  w + 1\n}\n"});
  all.push_back({"asserts", "let r = loop w = 0 for i < 1000000 {\n  assert all(a < 2.0)\n  w + 1\n}\n"});
  all.push_back({"a pipeline",
                 "mesh p = [u: 1]\nlet r = pipeline q = zeros(f32[4096, 4096] on p) for i < 1000 by \"1f1b\" "
                 "{\n  let h = full(f32[4096, 4096] on m, f32(i)) as [4096, 4096] on p\n  q + h\n}\n"});
  return all;
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

class Stopping : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::filesystem::temp_directory_path() / ("tessera-stopping-" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder_);
    session_ = std::make_unique<Session>(config());
    ASSERT_TRUE(succeeded(session_->run(std::string(kArrays) + "save(a, \"saved.npy\")\n")));
  }
  static void TearDownTestSuite() {
    session_.reset();
    std::filesystem::remove_all(folder_);
  }
  static Config config() {
    Config config;
    config.files = FilePolicy{FilePolicy::Kind::rooted, folder_.string(), {}};
    return config;
  }

  // Runs the work until it is over or has been stopped, and gives the seconds from the stop to its end.
  static double after_stop(const Work& work, std::string& slug) {
    Config stoppable = config();
    stoppable.stop = StopToken();
    Session session = session_->fork(stoppable);
    Clock::time_point stopped;
    std::thread stopper([&] {
      std::this_thread::sleep_for(std::chrono::duration<double>(kBefore));
      stopped = Clock::now();
      stoppable.stop->stop();
    });
    slug = slug_of(session.run(work.text).diagnostics());
    const auto ended = Clock::now();
    stopper.join();
    return std::chrono::duration<double>(ended - stopped).count();
  }
  static double after_time(const Work& work, std::string& slug) {
    Config limited = config();
    limited.seconds_max = kBefore;
    Session session = session_->fork(limited);
    const auto begin = Clock::now();
    slug = slug_of(session.run(work.text).diagnostics());
    return seconds_since(begin) - kBefore;
  }

  template <class Run>
  static void expect_ends(const Work& work, const std::string& how, const Run& run) {
    double least = 1e9;
    for (int k = 0; k < kTries && least > kSoon; ++k) {
      std::string slug;
      const double seconds = run(work, slug);
      ASSERT_EQ(slug, how) << work.name << ": " << work.text;
      least = std::min(least, seconds);
    }
    fmt::print("{:.3f} s {}\n", least, work.text.substr(0, work.text.rfind("  w + 1")));
    EXPECT_LE(least, kSoon) << work.name << ": " << work.text;
  }

  static inline std::filesystem::path folder_;
  static inline std::unique_ptr<Session> session_;
};

TEST_F(Stopping, EveryOperationOfTheTableIsHere) {
  std::set<std::string> here;
  for (const Work& work : of_the_table()) here.insert(work.name);
  for (const OperationHelp& operation : operations()) EXPECT_TRUE(here.contains(operation.name)) << operation.name;
}

TEST_F(Stopping, ByATokenInTheTable) {
  for (const Work& work : of_the_table()) expect_ends(work, "interrupted", after_stop);
}

TEST_F(Stopping, ByATokenBesideTheTable) {
  for (const Work& work : beside_the_table()) expect_ends(work, "interrupted", after_stop);
}

TEST_F(Stopping, ByTheTime) {
  for (const Work& work : of_the_table()) expect_ends(work, "over-time", after_time);
  for (const Work& work : beside_the_table()) expect_ends(work, "over-time", after_time);
}

}  // namespace
}  // namespace tessera
