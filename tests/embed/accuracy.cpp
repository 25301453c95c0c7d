#include "tests/embed/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/embed/helpers.hpp"

namespace tessera {

namespace {

// An expression on `a` (of n elements, the terms), `u` (ones like it) and n; what is exact is their sum, the sum of
// their squares' root, or the mean.
struct Sum {
  enum class Of { terms, squares, mean };
  std::string name;
  std::string text;
  Of of = Of::terms;
};

std::vector<Sum> sums() {
  using Of = Sum::Of;
  return {
      {"a @ u", "a @ u"},
      {"[1, n] @ [n, 1]", "reshape(a, [1, n]) @ reshape(u, [n, 1])"},
      {"[16, n] @ [n]", "broadcast(reshape(a, [1, n]), [16, n]) @ u"},
      {"[n] @ [n, 16]", "a @ broadcast(reshape(u, [n, 1]), [n, 16])"},
      {"[4, n] @ [n, 4]", "broadcast(reshape(a, [1, n]), [4, n]) @ broadcast(reshape(u, [n, 1]), [n, 4])"},
      {"einsum i,i->", "einsum(\"i,i->\", a, u)"},
      {"einsum i->", "einsum(\"i->\", a)"},
      {"einsum i,i,i->", "einsum(\"i,i,i->\", a, u, u)"},
      {"einsum bi,bi->b",
       "einsum(\"bi,bi->b\", broadcast(reshape(a, [1, n]), [2, n]), broadcast(reshape(u, [1, n]), [2, n]))"},
      {"einsum ib,ib->b",
       "einsum(\"ib,ib->b\", broadcast(reshape(a, [n, 1]), [n, 9]), broadcast(reshape(u, [n, 1]), [n, 9]))"},
      {"sum", "sum(a)"},
      {"sum of rows", "sum(broadcast(reshape(a, [n, 1]), [n, 2]), dim=0)"},
      {"mean", "mean(a)", Of::mean},
      {"cumsum", "cumsum(a, 0)[n - 1]"},
      {"cumsum of rows", "cumsum(broadcast(reshape(a, [n, 1]), [n, 2]), 0)[n - 1]"},
      {"norm", "sqrt(sum(a * a))", Of::squares},
      {"norm by @", "sqrt(a @ a)", Of::squares},
      {"gradient", "let (value, r) = grad(weighed, wrt=[w])(one, a)"},
  };
}

template <class T>
std::vector<double> values_of(const Array& array) {
  const std::vector<T> own = array.to_vector<T>().value();
  return {own.begin(), own.end()};
}
std::vector<double> values_of(const Array& array, bool single) {
  return single ? values_of<float>(array) : values_of<double>(array);
}

double exact(const std::vector<double>& terms, Sum::Of of) {
  long double sum = 0;
  for (const double x : terms) sum += of == Sum::Of::squares ? static_cast<long double>(x) * x : x;
  if (of == Sum::Of::squares) return static_cast<double>(std::sqrt(sum));
  return static_cast<double>(of == Sum::Of::mean ? sum / static_cast<long double>(terms.size()) : sum);
}

void expect_accurate_of(std::int64_t n, const std::string& element, const std::string& terms, bool split) {
  const bool single = element == "f32";
  Session session;
  const std::string shape = fmt::format("{}[{}{}]", element, n, split ? "@x" : "");
  ASSERT_TRUE(succeeded(
      session.run(fmt::format("mesh m = [x: 4]\nlet n = {0}\nlet u = ones({1})\nlet one = {2}(1.0)\nlet a = {3}\n"
                              "fn weighed(w: {2}[], v: {1}) = sum(v * w)\n",
                              n, shape, element, fmt::vformat(terms, fmt::make_format_args(shape))))));
  const std::vector<double> all = values_of(session.get("a").value(), single);
  for (const Sum& sum : sums()) {
    constexpr std::int64_t kMostOfWide = 10'000'000;  // a broadcast array takes its memory
    if (n > kMostOfWide && sum.text.find("broadcast") != std::string::npos) continue;
    const std::string text = (sum.text.starts_with("let") ? "" : "let r = ") + sum.text + "\n";
    ASSERT_TRUE(succeeded(session.run(text))) << text;
    double error = 0;
    const double want = exact(all, sum.of);
    for (const double got : values_of(session.get("r").value(), single))
      error = std::max(error, std::abs(got / want - 1));
    EXPECT_LE(error, single ? 1e-5 : 1e-13) << sum.text << " of " << n << ' ' << shape << ' ' << terms;
    fmt::print("{:>18} {:>9} {} {:>6} {:<16} {:.1e}\n", sum.name, n, element, split ? "split" : "whole", terms, error);
  }
}

}  // namespace

void expect_accurate(std::int64_t n) {
  for (const std::string element : {"f32", "f64"}) {
    for (const std::string terms : {"ones({})", "full({}, 0.1)", "random({}, 1)"}) {
      for (const bool split : {false, true}) expect_accurate_of(n, element, terms, split);
    }
  }
}

}  // namespace tessera
