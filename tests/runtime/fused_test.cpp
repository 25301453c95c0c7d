// Operations in one loop give the bits that their own loops give.
#include "runtime/kernels/fused.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "runtime/kernels/map.hpp"

namespace tessera::runtime::test {
namespace {

using synth::ElementType;
using synth::MapOp;

constexpr std::array kOps = {MapOp::add,    MapOp::subtract, MapOp::multiply,
                             MapOp::divide, MapOp::minimum,  MapOp::maximum};

template <class T>
bool are_same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool are_nan = std::isnan(a[i]) && std::isnan(b[i]);
    if (!are_nan && std::memcmp(&a[i], &b[i], sizeof(T)) != 0) return false;
  }
  return true;
}

template <class T>
class Fused {
 public:
  static constexpr ElementType kElement = sizeof(T) == 4 ? ElementType::f32 : ElementType::f64;

  Fused(std::uint64_t seed, std::size_t n) : random_(seed), n_(n) {
    constexpr std::array<T, 6> kOdd = {0,
                                       T{-0.0},
                                       std::numeric_limits<T>::infinity(),
                                       -std::numeric_limits<T>::infinity(),
                                       std::numeric_limits<T>::quiet_NaN(),
                                       std::numeric_limits<T>::denorm_min()};
    for (auto& array : arrays_) {
      array.resize(n);
      for (T& x : array)
        x = below(8) == 0 ? kOdd[below(kOdd.size())]
                          : static_cast<T>(static_cast<std::int64_t>(random_())) * T{0x1p-62};
    }
  }

  // Some terms on the arrays, in one loop and one by one.
  void check() {
    FusedLoop loop;
    loop.begin(kElement);
    auto want = arrays_;
    const std::size_t first = below(kArrays);
    loop.load(first);
    std::vector<T> made = want[first];
    for (std::size_t terms = 1 + below(12); terms > 0; --terms) {
      const MapOp op = kOps[below(kOps.size())];
      const auto operand = static_cast<FusedOperand>(below(5));
      const std::size_t array = below(kArrays);
      // An array that one element stands for is none that is stored to.
      const bool is_scalar = operand == FusedOperand::scalar || operand == FusedOperand::scalar_first;
      loop.compute(op, operand, is_scalar ? kScalar : array);
      made = one_by_one(op, operand, is_scalar ? arrays_[kScalar] : want[array], made);
      if (below(3) == 0) loop.ask(array);
      if (below(2) == 0) {
        const std::size_t to = below(kScalar);
        loop.store(to);
        want[to] = made;
      }
    }
    loop.store(0);
    want[0] = made;
    for (const VectorTarget target : vector_targets()) {
      auto got = arrays_;
      std::array<std::byte*, kArrays> at{};
      for (std::size_t k = 0; k < kArrays; ++k) at[k] = reinterpret_cast<std::byte*>(got[k].data());
      loop.run(at.data(), static_cast<std::int64_t>(n_), target);
      for (std::size_t k = 0; k < kArrays; ++k)
        EXPECT_TRUE(are_same(got[k], want[k])) << name(target) << " array " << k;
    }
  }

 private:
  static constexpr std::size_t kArrays = 5;
  static constexpr std::size_t kScalar = 4;

  std::size_t below(std::size_t n) { return random_() % n; }
  std::vector<T> one_by_one(MapOp op, FusedOperand operand, const std::vector<T>& x, const std::vector<T>& made) const {
    const bool is_first = operand == FusedOperand::elements_first || operand == FusedOperand::scalar_first;
    const bool is_scalar = operand == FusedOperand::scalar || operand == FusedOperand::scalar_first;
    const auto data = [](const std::vector<T>& of) { return reinterpret_cast<const std::byte*>(of.data()); };
    std::array<const std::byte*, 2> operands = {data(made), data(operand == FusedOperand::itself ? made : x)};
    std::array<std::int64_t, 2> strides = {1, is_scalar ? 0 : 1};
    if (is_first) {
      std::swap(operands[0], operands[1]);
      std::swap(strides[0], strides[1]);
    }
    std::vector<T> out(n_);
    const TileView any{kElement, {}, {}, nullptr};
    const std::array<TileView, 2> views = {any, any};
    map_loop(op, views, kElement)
        .run(reinterpret_cast<std::byte*>(out.data()), static_cast<std::int64_t>(n_), operands.data(), strides.data());
    return out;
  }

  std::mt19937_64 random_;
  std::size_t n_;
  std::array<std::vector<T>, kArrays> arrays_;
};

TEST(Fused, LoopsHaveTheBitsOfTheirOperations) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Fused<float>(seed, 1 + seed % 211).check();
    Fused<double>(seed, 1 + seed % 211).check();
  }
}

TEST(ExampleOf, FusedLoop) {
  std::vector<double> u = {1, 2, 3};
  std::vector<double> v = {0.5, 0.5, 0.5};
  std::vector<double> made(3);
  double four = 4;
  FusedLoop loop;
  loop.begin(ElementType::f64);
  loop.load(0);
  loop.compute(MapOp::multiply, FusedOperand::scalar_first, 1);
  loop.compute(MapOp::subtract, FusedOperand::elements, 2);
  loop.store(3);
  const auto bytes = [](double* x) { return reinterpret_cast<std::byte*>(x); };
  const std::array<std::byte*, 4> arrays = {bytes(u.data()), bytes(&four), bytes(v.data()), bytes(made.data())};
  loop.run(arrays.data(), 3);
  EXPECT_EQ(made, (std::vector<double>{3.5, 7.5, 11.5}));
}

}  // namespace
}  // namespace tessera::runtime::test
