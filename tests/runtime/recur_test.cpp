// Recurrences: the bits of a plain loop where the dimension is whole, and over tiles those that recur.hpp says, on
// simulated devices and on ranks.
#include "runtime/kernels/recur.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "tests/runtime/crowd.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::IsEmpty;

struct RecurProgram {
  synth::Recur how;
  synth::Literal a, b;
};

// An operand's type beside a result: split as that is where it does not repeat.
synth::ArrayType beside(const synth::ArrayType& result, const Shape& shape) {
  std::vector<synth::AxisList> splits(shape.size());
  const std::size_t missing = result.rank() - shape.size();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == result.shape()[d + missing]) splits[d] = result.layout().split(d + missing);
  }
  return *synth::ArrayType::make(result.element(), shape, result.mesh_ref(),
                                 *synth::Layout::make(result.mesh(), splits));
}

synth::Program program_of(const RecurProgram& recur, const synth::ArrayType& type) {
  Builder builder(synth::print(type.mesh()));
  const auto operand = [&](const synth::Literal& data) {
    return builder.apply(synth::Constant{builder.program().literals.add(data)}, {},
                         synth::print(beside(type, data.shape)));
  };
  const RegisterId a = operand(recur.a);
  const RegisterId b = operand(recur.b);
  builder.output(builder.apply(recur.how, {a, b}, synth::print(type)));
  return builder.program();
}
std::vector<std::byte> values_of(const RecurProgram& recur, const synth::ArrayType& type) {
  return gather(run_well(program_of(recur, type)).outputs[0])->bytes;
}

// ---- A plain loop, tile by tile

template <class T>
struct Pair {
  T re, im;
  friend Pair operator*(Pair a, Pair b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  friend Pair operator+(Pair a, Pair b) { return {a.re + b.re, a.im + b.im}; }
};
template <class T>
bool is_finite(T y) {
  if constexpr (std::is_floating_point_v<T>) return std::isfinite(y);
  return true;
}
template <class T>
bool is_finite(Pair<T> y) {
  return std::isfinite(y.re) && std::isfinite(y.im);
}

std::int64_t repeated_position(const Shape& shape, const Shape& index) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t own = index[d + index.size() - shape.size()];
    at = at * shape[d] + (shape[d] == 1 ? 0 : own);
  }
  return at;
}

// Where the tiles begin, in the direction of the recurrence.
std::vector<std::int64_t> tile_begins(const synth::ArrayType& type, const synth::Recur& how) {
  std::vector<std::int64_t> begins;
  for (std::int64_t device = 0; device < type.devices(); ++device) {
    const synth::Box box = synth::tile(type, device);
    if (synth::empty(box)) continue;
    begins.push_back(synth::running_position(box[how.dimension], type.shape()[how.dimension], how.reverse));
  }
  std::ranges::sort(begins);
  begins.erase(std::ranges::unique(begins).begin(), begins.end());
  return begins;
}

template <class T>
std::vector<std::byte> looped(const RecurProgram& recur, const synth::ArrayType& type) {
  const Shape& shape = type.shape();
  const std::size_t d = recur.how.dimension;
  const auto* const all_a = reinterpret_cast<const T*>(recur.a.bytes.data());
  const auto* const all_b = reinterpret_cast<const T*>(recur.b.bytes.data());
  std::vector<std::int64_t> begins = tile_begins(type, recur.how);
  begins.push_back(shape[d]);
  std::vector<std::byte> out(static_cast<std::size_t>(count(shape)) * sizeof(T));
  for_indices(shape, [&](const Shape& line) {
    if (line[d] != 0) return;
    T in_front{};
    for (std::size_t tile = 0; tile + 1 < begins.size(); ++tile) {
      T y = in_front;
      T product{};
      T last{};
      for (std::int64_t i = begins[tile]; i < begins[tile + 1]; ++i) {
        Shape at = line;
        at[d] = recur.how.reverse ? shape[d] - 1 - i : i;
        const T a = all_a[repeated_position(recur.a.shape, at)];
        const T b = all_b[repeated_position(recur.b.shape, at)];
        const bool begins_tile = i == begins[tile];
        y = i == 0 ? b : static_cast<T>(a * y + b);
        product = begins_tile ? a : static_cast<T>(product * a);
        last = begins_tile ? b : static_cast<T>(a * last + b);
        reinterpret_cast<T*>(out.data())[position(shape, at)] = y;
      }
      const T told = static_cast<T>(product * in_front + last);
      in_front = begins[tile] > 0 && is_finite(told) ? told : y;
    }
  });
  return out;
}
std::vector<std::byte> looped(const RecurProgram& recur, const synth::ArrayType& type) {
  switch (type.element()) {
    case ElementType::f32: return looped<float>(recur, type);
    case ElementType::f64: return looped<double>(recur, type);
    case ElementType::i32: return looped<std::uint32_t>(recur, type);
    case ElementType::c64: return looped<Pair<float>>(recur, type);
    case ElementType::c128: return looped<Pair<double>>(recur, type);
    default: return looped<std::uint64_t>(recur, type);
  }
}

// Numbers about 1 in size; integers of any.
synth::Literal numbers(ElementType element, const Shape& shape, double phase) {
  const ElementType part = synth::part_of(element);
  const std::int64_t size = count(shape) * (synth::is_complex(element) ? 2 : 1);
  return synth::visit_element(part, [&](auto zero) {
    using T = decltype(zero);
    Array<T> array(Shape{size});
    for (std::int64_t i = 0; i < size; ++i) {
      const double number = std::sin(static_cast<double>(i) * 1.7 + phase) * (synth::is_complex(element) ? 0.8 : 1.1);
      array.data()[i] = static_cast<T>(std::is_integral_v<T> ? std::round(number * 1e6) : number);
    }
    return synth::Literal{element, shape, array.bytes};
  });
}

constexpr std::array kElements = {ElementType::f32, ElementType::f64, ElementType::i32,
                                  ElementType::i64, ElementType::c64, ElementType::c128};

TEST(ExampleOf, Recur) {
  const std::vector<float> a = {2, 3, 4, 5, 6};
  const Array<float> factors(Shape{5}, a);
  const Array<float> ones(Shape{5}, {1, 1, 1, 1, 1});
  const auto part = [&](std::int64_t begin, std::int64_t length) {
    return std::pair(part_of(factors.view(), {begin}, {length}), part_of(ones.view(), {begin}, {length}));
  };
  Array<float> first(Shape{3});
  Array<float> second(Shape{2});
  float told = 0;
  float behind = 0;
  const Carry carry{{true, false, false}, reinterpret_cast<std::byte*>(&told)};
  const RecurTile of_first(part(0, 3).first, part(0, 3).second, {}, first.out(), {true, false});
  of_first.run_inside();
  of_first.carry_on({}, carry);
  EXPECT_EQ(first.values(), (std::vector<float>{1, 4, 17}));
  EXPECT_EQ(told, 17);
  const RecurTile with_one_more(part(3, 2).first, part(3, 2).second, {}, second.out(), {false, false});
  with_one_more.run_inside();
  EXPECT_EQ(second.values(), (std::vector<float>{30, 7}));
  with_one_more.carry_on(carry, {{true, false, false}, reinterpret_cast<std::byte*>(&behind)});
  EXPECT_EQ(behind, 517);
  const RecurTile of_second(part(3, 2).first, part(3, 2).second, {}, second.out(), {false, true});
  of_second.run_inside();
  of_second.put_in_front(carry);
  EXPECT_EQ(second.values(), (std::vector<float>{86, 517}));
}

// One of a result's shapes that repeats to it.
Shape any_repeating(const Shape& result) {
  Shape shape = result;
  for (auto less = *rc::gen::inRange<std::size_t>(0, 4); less > 2 && !shape.empty(); --less) shape.erase(0);
  for (std::int64_t& extent : shape) extent = *rc::gen::inRange(0, 5) == 0 ? 1 : extent;
  return shape;
}

RC_GTEST_PROP(RecurProperty, IsAPlainLoopTileByTile, ()) {
  const auto mesh = random_mesh();
  Shape shape{*rc::gen::inRange<std::int64_t>(0, 40)};
  for (auto more = *rc::gen::inRange(0, 3); more > 0; --more)
    shape.insert(*rc::gen::inRange<std::size_t>(0, 2), *rc::gen::inRange<std::int64_t>(1, 9));
  const auto element = *rc::gen::elementOf(kElements);
  const bool repeats_a = *rc::gen::arbitrary<bool>();
  const Shape other = any_repeating(shape);
  const RecurProgram recur{
      {*rc::gen::inRange<std::uint8_t>(0, static_cast<std::uint8_t>(shape.size())), *rc::gen::arbitrary<bool>()},
      numbers(element, repeats_a ? other : shape, 0.3),
      numbers(element, repeats_a ? shape : other, 2.1)};
  const synth::ArrayType type = random_type(element, shape, mesh);
  RC_ASSERT(values_of(recur, type) == looped(recur, type));
}

// Even and uneven tiles, tiles without elements, one axis and two in either order, lines in rows and side by side.
TEST(Recur, HasTheBitsOfThePlainLoop) {
  for (const Shape& shape : {Shape{20'000}, Shape{3'001, 300}, Shape{5, 4'000}, Shape{2}, Shape{7, 90, 5}}) {
    for (const ElementType element : kElements) {
      for (std::uint8_t d = 0; d < shape.size(); ++d) {
        for (const auto& [mesh, axes] : std::vector<std::pair<const char*, const char*>>{
                 {"x:1", ""}, {"x:4,y:2", "@x"}, {"x:4,y:2", "@(y,x)"}, {"x:3", "@x"}}) {
          std::string extents;
          for (std::size_t k = 0; k < shape.size(); ++k)
            extents += fmt::format("{}{}{}", k == 0 ? "" : ", ", shape[k], k == d ? axes : "");
          const auto type = type_of(fmt::format("{}[{}]", synth::name(element), extents), mesh_of(mesh));
          const RecurProgram recur{{d, shape[0] % 2 == 0}, numbers(element, shape, 0.3), numbers(element, shape, 2.1)};
          EXPECT_TRUE(values_of(recur, type) == looped(recur, type)) << synth::print(type) << " along " << int{d};
        }
      }
    }
  }
}

// Of integers no layout changes a bit.
TEST(Recur, OfIntegersIsTheSameInEveryLayout) {
  const RecurProgram recur{
      {0, false}, numbers(ElementType::i64, {501, 3}, 0.3), numbers(ElementType::i64, {501, 3}, 2)};
  const auto whole = values_of(recur, type_of("i64[501, 3]", mesh_of("x:4,y:2")));
  for (const char* type : {"i64[501@x, 3]", "i64[501@(x,y), 3]", "i64[501@(y,x), 3]", "i64[501@y, 3@x]"})
    EXPECT_EQ(values_of(recur, type_of(type, mesh_of("x:4,y:2"))), whole) << type;
}

bool are_alike(const std::vector<std::byte>& one, const std::vector<std::byte>& other) {
  const auto* const a = reinterpret_cast<const float*>(one.data());
  const auto* const b = reinterpret_cast<const float*>(other.data());
  return std::equal(a, a + one.size() / sizeof(float), b,
                    [](float left, float right) { return left == right || (std::isnan(left) && std::isnan(right)); });
}

// What is no number, a zero that begins anew, and factors whose product is too large: the plain loop's, in one tile and
// in several.
TEST(Recur, TakesWhatIsNoNumberFromLeftToRight) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  for (const float what : {kInf, -kInf, std::numeric_limits<float>::quiet_NaN(), 0.0F, 1e30F}) {
    for (const bool in_a : {false, true}) {
      for (std::int64_t at = 0; at < 60; at += 7) {
        Array<float> a(Shape{60});
        Array<float> b(Shape{60});
        std::fill_n(a.data(), 60, what == 1e30F ? 1e3F : 0.5F);
        if (what != 1e30F) std::fill_n(b.data(), 60, 1.0F);
        (in_a ? a : b).data()[at] = what;
        const RecurProgram recur{{0, false}, a.literal(), b.literal()};
        const auto plain = looped(recur, type_of("f32[60]", mesh_of("x:4")));
        for (const char* type : {"f32[60]", "f32[60@x]"})
          EXPECT_TRUE(are_alike(values_of(recur, type_of(type, mesh_of("x:4"))), plain)) << what << " at " << at;
      }
    }
  }
}

TEST(Recur, CountsWhatItCarries) {
  for (const auto& [element, bytes] : {std::pair(ElementType::f32, 4), std::pair(ElementType::c128, 16)}) {
    const RecurProgram recur{{0, true}, numbers(element, {1}, 0), numbers(element, {1000, 2}, 1)};
    const auto type = type_of(fmt::format("{}[1000@x, 2]", synth::name(element)), mesh_of("x:4"));
    std::int64_t received = 0;
    for (const OriginStatistics& one : run_well(program_of(recur, type)).statistics) received += one.received_bytes;
    EXPECT_EQ(received, 3 * 2 * bytes);
  }
}

TEST(Recur, GivesTheSameOnRanksHoweverLateMessagesCome) {
  synth::test::Random random(22);
  const int wanted = std::getenv("TESSERA_FULL") == nullptr ? 60 : 1000;
  for (int i = 0; i < wanted && !HasFailure(); ++i) {
    const Shape shape{static_cast<std::int64_t>(random.below(60)), static_cast<std::int64_t>(1 + random.below(5))};
    const ElementType element = kElements[random.below(kElements.size())];
    const RecurProgram recur{{static_cast<std::uint8_t>(random.below(4) == 0 ? 1 : 0), random.coin()},
                             numbers(element, random.coin() ? shape : Shape{shape[1]}, 0.3),
                             numbers(element, shape, 2.1)};
    const synth::MeshRef mesh = mesh_of(random.coin() ? "x:4,y:2" : "x:2,y:3");
    const auto type = synth::ArrayType::make(element, shape, mesh, any_layout(*mesh, 2, false, random));
    ASSERT_TRUE(type.ok());
    const MemorySharing sharing = random.coin() ? MemorySharing::off : kCrowdSharing;
    EXPECT_THAT(differences(any_machines(random), sharing, program_of(recur, *type), static_cast<unsigned>(i) + 1),
                IsEmpty())
        << synth::print(*type);
  }
}

}  // namespace
}  // namespace tessera::runtime::test
