// Functions that are made of others: how far their values and gradients are from the exact ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

using Wide = long double;
using OfOne = Wide (*)(Wide);

// A function, its derivative, the ends of what it is sampled on, and its greatest errors as docs/language.md says them.
struct NamedCurve {
  std::string name;
  OfOne value;
  OfOne slope;
  double low;
  double high;
  double units_of_f32;
  double units_of_f64;
};

constexpr double kFar = 1e30;

std::vector<NamedCurve> named_curves() {
  return {
      {"tan", [](Wide x) { return std::tan(x); }, [](Wide x) { return 1 + std::tan(x) * std::tan(x); }, -1.5, 1.5, 2.5,
       2.5},
      {"arcsin", [](Wide x) { return std::asin(x); }, [](Wide x) { return 1 / std::sqrt((1 - x) * (1 + x)); }, -1, 1, 3,
       3},
      {"arccos", [](Wide x) { return std::acos(x); }, [](Wide x) { return -1 / std::sqrt((1 - x) * (1 + x)); }, -1, 1,
       3, 3},
      {"arctan", [](Wide x) { return std::atan(x); }, [](Wide x) { return 1 / (1 + x * x); }, -kFar, kFar, 0.55, 2},
      {"sinh", [](Wide x) { return std::sinh(x); }, [](Wide x) { return std::cosh(x); }, -85, 85, 3, 3},
      {"cosh", [](Wide x) { return std::cosh(x); }, [](Wide x) { return std::sinh(x); }, -85, 85, 3, 3},
      {"arcsinh", [](Wide x) { return std::asinh(x); }, [](Wide x) { return 1 / std::sqrt(1 + x * x); }, -kFar, kFar, 3,
       3},
      {"arccosh", [](Wide x) { return std::acosh(x); }, [](Wide x) { return 1 / std::sqrt((x - 1) * (x + 1)); }, 1,
       kFar, 3, 3},
      {"arctanh", [](Wide x) { return std::atanh(x); }, [](Wide x) { return 1 / ((1 - x) * (1 + x)); }, -1, 1, 3, 3},
      {"log2", [](Wide x) { return std::log2(x); }, [](Wide x) { return 1 / (x * std::log(Wide{2})); }, 0, kFar, 0.55,
       2},
      {"log10", [](Wide x) { return std::log10(x); }, [](Wide x) { return 1 / (x * std::log(Wide{10})); }, 0, kFar,
       0.55, 2},
      {"log1p", [](Wide x) { return std::log1p(x); }, [](Wide x) { return 1 / (1 + x); }, -1, kFar, 0.55, 1.5},
      {"expm1", [](Wide x) { return std::expm1(x); }, [](Wide x) { return std::exp(x); }, -85, 85, 0.55, 2.5},
  };
}

// The ends, 0 and 1, evenly between the ends, and of all sizes down to 1e-30.
template <class T>
std::vector<T> sampled(double low, double high, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<double> all = {low, high, 0, 1, -1, 20, -20, 1e9, -1e9};
  while (all.size() < n) {
    all.push_back(low + (high - low) * unit(random));
    for (const double end : {low, high}) {
      const double bound = end == 0 ? 1 : std::abs(end);
      const double part = bound * std::pow(10.0, -60 * unit(random) * unit(random));
      all.push_back(std::copysign(part, end));
      all.push_back(end - std::copysign(part, end));  // as near to the end
    }
  }
  std::erase_if(all, [&](double x) { return x < low || x > high; });
  std::vector<T> samples(all.begin(), all.end());
  std::erase_if(samples, [&](T x) { return x < static_cast<T>(low) || x > static_cast<T>(high); });
  return samples;
}

template <class T>
double units_off(T got, Wide truth) {
  using Limits = std::numeric_limits<T>;
  const T rounded = static_cast<T>(truth);
  if (got == rounded || (std::isnan(got) && std::isnan(rounded))) return 0;
  if (!std::isfinite(got) || !std::isfinite(rounded)) return Limits::infinity();
  if (std::abs(got) <= Limits::min() && std::abs(rounded) <= Limits::min()) return 0;  // of slopes that underflow
  const T size = std::abs(rounded);
  return static_cast<double>(std::abs(got - truth) / (std::nextafter(size, Limits::infinity()) - size));
}

template <class T>
struct Worst {
  double units = 0;
  T at = 0;
  void see(T got, Wide truth, T x) {
    const double off = units_off(got, truth);
    if (off > units) at = x;
    units = std::max(units, off);
  }
};

template <class T>
constexpr const char* kElement = std::is_same_v<T, float> ? "f32" : "f64";

constexpr double kUnitsOfSlope = 6;

template <class T>
void expect_near(const NamedCurve& curve, double units) {
  const std::vector<T> x = sampled<T>(curve.low, curve.high, 40'000, 5);
  Session session;
  ASSERT_TRUE(succeeded(session.set("a", x, {static_cast<std::int64_t>(x.size())})));
  const std::string text = fmt::format(
      "fn all_of(v: {0}[N]) = sum({1}(v))\nlet y = {1}(a)\nlet (l, g) = grad(all_of)(a)\n", kElement<T>, curve.name);
  const auto done = session.run(text);
  ASSERT_TRUE(succeeded(done)) << curve.name;
  const std::vector<T> y = session.get("y").value().to_vector<T>().value();
  const std::vector<T> g = session.get("g").value().to_vector<T>().value();
  Worst<T> value;
  Worst<T> slope;
  for (std::size_t i = 0; i < x.size(); ++i) {
    value.see(y[i], curve.value(x[i]), x[i]);
    slope.see(g[i], curve.slope(x[i]), x[i]);
  }
  EXPECT_LE(value.units, units) << curve.name << " of " << kElement<T> << " " << value.at;
  EXPECT_LE(slope.units, kUnitsOfSlope) << "gradient of " << curve.name << " of " << kElement<T> << " " << slope.at;
  ::testing::Test::RecordProperty(curve.name + kElement<T>, fmt::format("{} {}", value.units, slope.units));
}

TEST(Curves, AndTheirGradientsAreWithinTheirStatedErrors) {
  for (const NamedCurve& curve : named_curves()) {
    expect_near<float>(curve, curve.units_of_f32);
    expect_near<double>(curve, curve.units_of_f64);
  }
}

struct NamedPair {
  std::string name;
  Wide (*value)(Wide, Wide);
  Wide (*of_first)(Wide, Wide);
  Wide (*of_second)(Wide, Wide);
};

// No slope over- or underflows on the way.
std::vector<NamedPair> named_pairs() {
  return {{"arctan2", [](Wide y, Wide x) { return std::atan2(y, x); },
           [](Wide y, Wide x) { return x / std::hypot(x, y) / std::hypot(x, y); },
           [](Wide y, Wide x) { return -y / std::hypot(x, y) / std::hypot(x, y); }},
          {"hypot", [](Wide a, Wide b) { return std::hypot(a, b); },
           [](Wide a, Wide b) { return a / std::hypot(a, b); }, [](Wide a, Wide b) { return b / std::hypot(a, b); }}};
}

template <class T>
void expect_near(const NamedPair& pair, double units) {
  std::vector<T> a = sampled<T>(-100, 100, 20'000, 6);
  std::vector<T> b = sampled<T>(-100, 100, 20'000, 7);
  std::shuffle(b.begin(), b.end(), std::mt19937_64(8));
  for (std::size_t i = 20; i < 60; ++i) b[i] = i % 2 == 0 ? a[i] : -a[i];  // equal sides
  const auto n = static_cast<std::int64_t>(a.size());
  Session session;
  ASSERT_EQ(a.size(), b.size());
  ASSERT_TRUE(succeeded(session.set("a", a, {n})) && succeeded(session.set("b", b, {n})));
  const std::string text = fmt::format(
      "fn all_of(v: {0}[N], w: {0}[N]) = sum({1}(v, w))\nlet y = {1}(a, b)\nlet (l, g, h) = grad(all_of)(a, b)\n",
      kElement<T>, pair.name);
  ASSERT_TRUE(succeeded(session.run(text))) << pair.name;
  const std::vector<T> y = session.get("y").value().to_vector<T>().value();
  const std::vector<T> g = session.get("g").value().to_vector<T>().value();
  const std::vector<T> h = session.get("h").value().to_vector<T>().value();
  Worst<T> value;
  Worst<T> of_first;
  Worst<T> of_second;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto is_tiny = [](T x) { return x != 0 && std::abs(x) < 1e-30; };
    if (std::hypot(a[i], b[i]) < 1e-15 || is_tiny(a[i]) || is_tiny(b[i])) continue;  // quotients under- or overflow
    value.see(y[i], pair.value(a[i], b[i]), a[i]);
    of_first.see(g[i], pair.of_first(a[i], b[i]), a[i]);
    of_second.see(h[i], pair.of_second(a[i], b[i]), b[i]);
  }
  EXPECT_LE(value.units, units) << pair.name << " of " << kElement<T> << " " << value.at;
  EXPECT_LE(of_first.units, kUnitsOfSlope) << "gradient of " << pair.name << " by " << of_first.at;
  EXPECT_LE(of_second.units, kUnitsOfSlope) << "gradient of " << pair.name << " by the second, " << of_second.at;
  ::testing::Test::RecordProperty(pair.name + kElement<T>,
                                  fmt::format("{} {} {}", value.units, of_first.units, of_second.units));
}

TEST(Curves, OfTwoAndTheirGradientsAreWithinTheirStatedErrors) {
  for (const NamedPair& pair : named_pairs()) {
    expect_near<float>(pair, 3);
    expect_near<double>(pair, 3);
  }
}

}  // namespace
}  // namespace tessera
