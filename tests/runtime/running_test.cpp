// Running sums, products, maxima and minima over split dimensions: the bits of one device in every layout, on simulated
// devices and on ranks.
#include "runtime/kernels/running.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "tests/runtime/crowd.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::IsEmpty;

constexpr std::array kScanOps = {synth::ReduceOp::sum, synth::ReduceOp::product, synth::ReduceOp::max,
                                 synth::ReduceOp::min};

// Numbers of many sizes and both signs, with a zero of either sign here and there. Those of products stay near 1, or
// the products would soon be nothing else than zeros.
synth::Literal mixed_numbers(ElementType element, const Shape& shape, synth::ReduceOp op) {
  return synth::visit_element(element, [&](auto zero) {
    using T = decltype(zero);
    Array<T> array(shape);
    for (std::int64_t i = 0; i < array.size(); ++i) {
      const double size = std::sin(static_cast<double>(i) * 1.7) * std::pow(10.0, static_cast<double>(i % 7) - 2);
      if (op == synth::ReduceOp::product) {
        array.data()[i] =
            static_cast<T>(std::is_integral_v<T> ? static_cast<double>(3 + i % 5) : 1 + 0.5 * std::sin(size));
        continue;
      }
      array.data()[i] = i % 13 == 5 ? T(-0.0) : static_cast<T>(std::is_integral_v<T> ? std::round(size * 100) : size);
    }
    return array.literal();
  });
}

struct RunningProgram {
  synth::Scan scan;
  synth::Literal data;
};

// The program's sums, of the data in a layout, and what its devices receive.
synth::Program program_of(const RunningProgram& running, const synth::ArrayType& type) {
  Builder builder(synth::print(type.mesh()));
  const RegisterId a =
      builder.apply(synth::Constant{builder.program().literals.add(running.data)}, {}, synth::print(type));
  builder.output(builder.apply(running.scan, {a}, synth::print(type)));
  return builder.program();
}
std::vector<std::byte> sums_of(const RunningProgram& running, const synth::ArrayType& type) {
  return gather(run_well(program_of(running, type)).outputs[0])->bytes;
}
std::vector<std::byte> sums_on_one_device(const RunningProgram& running) {
  const auto whole =
      synth::ArrayType::replicated(running.data.element, running.data.shape, synth::Mesh::single_device());
  return sums_of(running, *whole);
}

// Inside a block of 256 positions from left to right, behind the product of the blocks before; the greatest and the
// least so far whatever the blocks.
TEST(Scan, ProductsAndExtremesOfLongLines) {
  constexpr std::int64_t kLength = 700;
  for (const Shape& shape : {Shape{kLength}, Shape{5, kLength}, Shape{kLength, 3}}) {
    const std::size_t d = shape[0] == kLength ? 0 : 1;
    Array<double> a(shape);
    for (std::int64_t i = 0; i < a.size(); ++i) a.data()[i] = 1 + 0.3 * std::sin(static_cast<double>(i));
    Array<double> products(shape);
    Array<double> greatest(shape);
    Array<double> least(shape);
    scan(synth::ReduceOp::product, a.view(), d, products.out());
    scan(synth::ReduceOp::max, a.view(), d, greatest.out());
    scan(synth::ReduceOp::min, a.view(), d, least.out());
    const std::int64_t lines = a.size() / kLength;
    for (std::int64_t line = 0; line < lines; ++line) {
      double before = 1;
      double inside = 1;
      double most = -HUGE_VAL;
      double fewest = HUGE_VAL;
      for (std::int64_t i = 0; i < kLength; ++i) {
        const std::int64_t at = d == 1 ? line * kLength + i : i * lines + line;
        if (i % 256 == 0) before = i == 0 ? 1 : before * inside;
        inside = i % 256 == 0 ? a[at] : inside * a[at];
        ASSERT_EQ(products[at], before * inside) << i << " of line " << line;
        ASSERT_EQ(greatest[at], most = std::max(most, a[at]));
        ASSERT_EQ(least[at], fewest = std::min(fewest, a[at]));
      }
    }
  }
}

// NaN wins from where it stands on, from either end.
TEST(Scan, ExtremesKeepNaN) {
  Array<float> a(Shape{600});
  a.data()[300] = std::numeric_limits<float>::quiet_NaN();
  for (const synth::ReduceOp op : {synth::ReduceOp::max, synth::ReduceOp::min}) {
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      Array<float> out(a.shape);
      scan(op, a.view(), 0, out.out(), direction);
      for (std::int64_t i = 0; i < 600; ++i)
        ASSERT_EQ(std::isnan(out[i]), direction == Direction::forward ? i >= 300 : i <= 300) << i;
    }
  }
}

// Of floats, the longest lines go over several blocks of 256.
RC_GTEST_PROP(RunningProperty, HasTheBitsOfOneDeviceInEveryLayout, ()) {
  const auto mesh = random_mesh();
  Shape shape{*rc::gen::inRange<std::int64_t>(0, 1400)};
  for (auto more = *rc::gen::inRange(0, 3); more > 0; --more)
    shape.insert(*rc::gen::inRange<std::size_t>(0, 2), *rc::gen::inRange<std::int64_t>(1, 6));
  const auto element = *rc::gen::element(ElementType::i32, ElementType::i64, ElementType::f32, ElementType::f64);
  const auto longest = static_cast<std::uint8_t>(std::ranges::max_element(shape) - shape.begin());
  const synth::ReduceOp op = *rc::gen::elementOf(kScanOps);
  const RunningProgram running{{longest, *rc::gen::arbitrary<bool>(), op}, mixed_numbers(element, shape, op)};
  const synth::ArrayType type = random_type(element, shape, mesh);
  RC_ASSERT(sums_of(running, type) == sums_on_one_device(running));
}

// Even and uneven tiles, tiles without elements, one axis and two, on the meshes of the table in
// docs/redistribution.md.
void expect_one_set_of_bits(const RunningProgram& running) {
  const std::vector<std::byte> wanted = sums_on_one_device(running);
  for (const auto& [mesh, axes] : std::vector<std::pair<const char*, const char*>>{
           {"x:4,y:2", "x"}, {"x:4,y:2", "(x,y)"}, {"x:4,y:2", "(y,x)"}, {"x:3", "x"}, {"x:2,y:3", "(y,x)"}}) {
    std::vector<std::string> extents;
    for (const std::int64_t extent : running.data.shape) extents.push_back(fmt::format("{}", extent));
    extents[running.scan.dimension] += fmt::format("@{}", axes);
    const std::string text = fmt::format("{}[{}]", synth::name(running.data.element), fmt::join(extents, ", "));
    EXPECT_EQ(sums_of(running, type_of(text, mesh_of(mesh))), wanted)
        << synth::name(running.scan.op) << " of " << text << " on " << mesh;
  }
}
TEST(Running, HasOneSetOfBits) {
  for (const Shape& shape : {Shape{5000, 4}, Shape{5001, 3}, Shape{3, 2}, Shape{1024}, Shape{2, 700, 3}}) {
    for (const ElementType element : {ElementType::f32, ElementType::f64, ElementType::i32, ElementType::i64}) {
      for (std::uint8_t d = 0; d < shape.size(); ++d) {
        for (const synth::ReduceOp op : kScanOps) {
          const synth::Literal data = mixed_numbers(element, shape, op);
          expect_one_set_of_bits({{d, false, op}, data});
          expect_one_set_of_bits({{d, true, op}, data});
        }
      }
    }
  }
}

TEST(Running, CountsWhatItCarries) {
  const std::array<std::int64_t, 4> wanted = {2 * 24, 2 * 20, 2 * 12, 2 * 12};
  for (std::size_t k = 0; k < kScanOps.size(); ++k) {
    const RunningProgram running{{0, false, kScanOps[k]}, mixed_numbers(ElementType::f32, {1000, 2}, kScanOps[k])};
    const auto outcome = run_well(program_of(running, type_of("f32[1000@x, 2]", mesh_of("x:4"))));
    std::int64_t received = 0;
    for (const OriginStatistics& one : outcome.statistics) received += one.received_bytes;
    EXPECT_EQ(received, wanted[k]);
  }
}

// Infinities and NaN pass a boundary as they pass a block; zeros keep their sign.
TEST(Running, CarriesWhatIsNoNumber) {
  for (const float what : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(), -0.0F}) {
    Array<float> array(Shape{2000});
    std::fill_n(array.data(), 2000, what == 0 ? -0.0F : 1.0F);
    array.data()[300] = what;
    for (const synth::ReduceOp op : kScanOps) {
      const RunningProgram running{{0, false, op}, array.literal()};
      EXPECT_EQ(sums_of(running, type_of("f32[2000@x]", mesh_of("x:3"))), sums_on_one_device(running));
    }
  }
}

TEST(Running, GivesTheSameOnRanksHoweverLateMessagesCome) {
  synth::test::Random random(21);
  const int wanted = std::getenv("TESSERA_FULL") == nullptr ? 60 : 1000;
  for (int i = 0; i < wanted && !HasFailure(); ++i) {
    const Shape shape{static_cast<std::int64_t>(random.below(1200)), static_cast<std::int64_t>(1 + random.below(5))};
    const ElementType element = random.coin() ? ElementType::f32 : ElementType::i64;
    const synth::ReduceOp op = kScanOps[random.below(4)];
    const RunningProgram running{{static_cast<std::uint8_t>(random.below(4) == 0 ? 1 : 0), random.coin(), op},
                                 mixed_numbers(element, shape, op)};
    const synth::MeshRef mesh = mesh_of(random.coin() ? "x:4,y:2" : "x:2,y:3");
    const auto type = synth::ArrayType::make(element, shape, mesh, any_layout(*mesh, 2, false, random));
    ASSERT_TRUE(type.ok());
    const MemorySharing sharing = random.coin() ? MemorySharing::off : kCrowdSharing;
    EXPECT_THAT(differences(any_machines(random), sharing, program_of(running, *type), static_cast<unsigned>(i) + 1),
                IsEmpty())
        << synth::print(*type);
  }
}

}  // namespace
}  // namespace tessera::runtime::test
