// Chains of steps written as kernels give the bits of the host's.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

#include "runtime/execute/run.hpp"
#include "tests/device/same_bits.hpp"
#include "tests/device/written_engine.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::device {
namespace {

using runtime::Value;
using runtime::test::Builder;
using synth::ElementType;
using synth::MapOp;
using synth::RegisterId;

// NaN is NaN.
void expect_same(const synth::Literal& got, const synth::Literal& want, int output) {
  ASSERT_EQ(got.bytes.size(), want.bytes.size());
  const auto bytes = static_cast<std::size_t>(synth::bytes_of(want.element));
  for (std::size_t i = 0; i < want.bytes.size(); i += bytes) {
    const std::byte* const a = got.bytes.data() + i;
    const std::byte* const b = want.bytes.data() + i;
    const bool same = want.element == ElementType::f32   ? are_same<float>(a, b)
                      : want.element == ElementType::f64 ? are_same<double>(a, b)
                                                         : std::memcmp(a, b, bytes) == 0;
    ASSERT_TRUE(same) << "output " << output << ", element " << i / bytes;
  }
}

// Returns what was taken.
struct Taken {
  int maps = 0, chains = 0;
};
Taken expect_host_bits(const synth::Program& program, const std::vector<Value>& inputs, std::uint64_t seed) {
  const auto engine = std::make_shared<WrittenEngine>(seed);
  runtime::World world;
  world.engine = engine;
  const auto want = run(program, inputs, runtime::World{});
  const auto got = run(program, inputs, world);
  EXPECT_TRUE(want.ok()) << (want.ok() ? "" : want.errors()[0].message);
  EXPECT_TRUE(got.ok()) << (got.ok() ? "" : got.errors()[0].message);
  if (!want.ok() || !got.ok()) return {};
  for (std::size_t k = 0; k < want->outputs.size(); ++k)
    expect_same(*gather(got->outputs[k]), *gather(want->outputs[k]), static_cast<int>(k));
  return {engine->maps(), engine->chains()};
}

class RandomProgram {
 public:
  RandomProgram(std::string_view mesh, std::uint64_t seed) : builder(mesh), random_(seed) {}

  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return all.begin()[number(0, static_cast<std::int64_t>(all.size()) - 1)];
  }

  // Any bits, or numbers of usual sizes.
  RegisterId input(std::string_view element, std::string_view dims) {
    const std::string text = fmt::format("{}[{}]", element, dims);
    const RegisterId id = builder.input(text);
    const synth::ArrayType& type = builder.program().registers[id];
    synth::Literal literal{type.element(), type.shape(), {}};
    const bool any_bits = number(0, 3) == 0;
    for (std::int64_t i = 0; i < runtime::count(type.shape()); ++i) add_element(literal, any_bits);
    auto value = runtime::scatter(literal, type);
    EXPECT_TRUE(value.ok());
    inputs.push_back(*value);
    return id;
  }
  RegisterId map(MapOp op, std::vector<RegisterId> operands, std::string_view element, std::string_view dims) {
    return builder.apply(synth::Map{op}, std::move(operands), fmt::format("{}[{}]", element, dims));
  }
  RegisterId reduce(synth::ReduceKind kind, std::vector<std::uint8_t> dimensions, RegisterId operand,
                    std::string_view element, std::string_view dims) {
    return builder.apply(synth::Reduce{kind, std::move(dimensions)}, {operand}, fmt::format("{}[{}]", element, dims));
  }
  RegisterId reshape(RegisterId operand, std::string_view element, std::string_view dims) {
    return builder.apply(synth::Reshape{}, {operand}, fmt::format("{}[{}]", element, dims));
  }

  Builder builder;
  std::vector<Value> inputs;

 private:
  template <class T>
  static void append(synth::Literal& literal, T value) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
    literal.bytes.insert(literal.bytes.end(), bytes, bytes + sizeof(T));
  }
  void add_element(synth::Literal& literal, bool any_bits) {
    const std::uint64_t bits = random_();
    const double usual = static_cast<double>(number(-4'000'000, 4'000'000)) / 1e6;
    switch (literal.element) {
      case ElementType::boolean: return append(literal, (bits & 1U) != 0);
      case ElementType::f32:
        return append(literal,
                      any_bits ? std::bit_cast<float>(static_cast<std::uint32_t>(bits)) : static_cast<float>(usual));
      case ElementType::f64: return append(literal, any_bits ? std::bit_cast<double>(bits) : usual);
      case ElementType::i32: return append(literal, static_cast<std::int32_t>(any_bits ? bits : number(-9, 9)));
      case ElementType::i64: return append(literal, static_cast<std::int64_t>(any_bits ? bits : number(-9, 9)));
      case ElementType::f16:
      case ElementType::bf16:
      case ElementType::i16:
      case ElementType::u16: return append(literal, static_cast<std::uint16_t>(bits));
      case ElementType::i8:
      case ElementType::u8: return append(literal, static_cast<std::uint8_t>(bits));
      case ElementType::u32: return append(literal, static_cast<std::uint32_t>(bits));
      case ElementType::c64:
      case ElementType::c128: break;  // the host's
    }
  }

  std::mt19937_64 random_;
};

// ---- Elementwise ----

TEST(WrittenMaps, OfOneStepEach) {
  for (const std::string_view element : {"f32", "f64"}) {
    RandomProgram p("x:2", 1);
    const RegisterId a = p.input(element, "1000@x, 8");
    const RegisterId b = p.input(element, "1000@x, 8");
    for (const MapOp op :
         {MapOp::exp,    MapOp::exp2,  MapOp::log,     MapOp::log2, MapOp::log10, MapOp::log1p, MapOp::expm1,
          MapOp::arctan, MapOp::tanh,  MapOp::sigmoid, MapOp::gelu, MapOp::erf,   MapOp::sin,   MapOp::cos,
          MapOp::sqrt,   MapOp::rsqrt, MapOp::relu,    MapOp::abs,  MapOp::sign,  MapOp::floor, MapOp::negate})
      p.builder.output(p.map(op, {a}, element, "1000@x, 8"));
    for (const MapOp op : {MapOp::add, MapOp::subtract, MapOp::multiply, MapOp::divide, MapOp::remainder, MapOp::power,
                           MapOp::minimum, MapOp::maximum})
      p.builder.output(p.map(op, {a, b}, element, "1000@x, 8"));
    for (const MapOp op :
         {MapOp::equal, MapOp::not_equal, MapOp::less, MapOp::less_equal, MapOp::greater, MapOp::greater_equal})
      p.builder.output(p.map(op, {a, b}, "bool", "1000@x, 8"));
    expect_host_bits(p.builder.program(), p.inputs, 3);
  }
}

TEST(WrittenMaps, OfIntegersAndBool) {
  for (const std::string_view element : {"i32", "i64"}) {
    RandomProgram p("x:2", 2);
    const RegisterId a = p.input(element, "37@x, 5");
    const RegisterId b = p.input(element, "37@x, 5");
    for (const MapOp op : {MapOp::add, MapOp::subtract, MapOp::multiply, MapOp::minimum, MapOp::maximum, MapOp::bit_and,
                           MapOp::bit_or, MapOp::bit_xor, MapOp::shift_left, MapOp::shift_right})
      p.builder.output(p.map(op, {a, b}, element, "37@x, 5"));
    p.builder.output(p.map(MapOp::bit_not, {a}, element, "37@x, 5"));
    const RegisterId sure =
        p.map(MapOp::maximum,
              {p.map(MapOp::abs, {b}, element, "37@x, 5"),
               p.builder.apply(synth::Map{MapOp::cast},
                               {p.builder.constant(runtime::test::Array<std::int32_t>::scalar(1), "i32[]")},
                               fmt::format("{}[]", element))},
              element, "37@x, 5");
    for (const MapOp op : {MapOp::divide, MapOp::remainder, MapOp::power})
      p.builder.output(p.map(op, {a, sure}, element, "37@x, 5"));
    const RegisterId less = p.map(MapOp::less, {a, b}, "bool", "37@x, 5");
    const RegisterId same = p.map(MapOp::equal, {a, b}, "bool", "37@x, 5");
    for (const MapOp op : {MapOp::logical_and, MapOp::logical_or, MapOp::minimum, MapOp::maximum})
      p.builder.output(p.map(op, {less, same}, "bool", "37@x, 5"));
    p.builder.output(p.map(MapOp::logical_not, {less}, "bool", "37@x, 5"));
    p.builder.output(p.map(MapOp::select, {less, a, b}, element, "37@x, 5"));
    p.builder.output(p.map(MapOp::clip, {a, b, sure}, element, "37@x, 5"));
    p.builder.output(p.map(MapOp::sign, {a}, element, "37@x, 5"));
    expect_host_bits(p.builder.program(), p.inputs, 4);
  }
}

TEST(WrittenMaps, ThatCast) {
  RandomProgram p("x:2", 3);
  for (const std::string_view from : {"bool", "i32", "i64", "f32", "f64"}) {
    const RegisterId a = p.input(from, "64@x, 4");
    for (const std::string_view to : {"bool", "i32", "i64", "f32", "f64"})
      p.builder.output(p.map(MapOp::cast, {a}, to, "64@x, 4"));
  }
  for (const std::string_view stored : {"f16", "bf16", "i8", "u8", "i16", "u16", "u32"}) {
    const std::string_view computed =
        stored.back() == '6' && stored.find('f') != std::string_view::npos ? "f32" : "i64";
    const RegisterId a = p.input(stored, "64@x, 4");
    const RegisterId wide = p.map(MapOp::cast, {a}, computed, "64@x, 4");
    p.builder.output(p.map(MapOp::cast, {p.map(MapOp::add, {wide, wide}, computed, "64@x, 4")}, stored, "64@x, 4"));
    p.builder.output(p.map(MapOp::copy, {a}, stored, "64@x, 4"));
  }
  expect_host_bits(p.builder.program(), p.inputs, 5);
}

TEST(WrittenMaps, WithOperandsThatRepeat) {
  int chains = 0;
  for (const std::string_view rows : {"64@x", "13@x", "5@x"}) {
    for (const std::string_view columns : {"96", "7"}) {
      RandomProgram p("x:3", 11);
      const std::string all = fmt::format("{}, 6, {}", rows, columns);
      const RegisterId a = p.input("f32", all);
      const RegisterId row = p.input("f32", columns);
      const RegisterId column = p.input("f32", fmt::format("{}, 1, 1", rows));
      const RegisterId middle = p.input("f32", "6, 1");
      const RegisterId one = p.input("f32", "");
      const RegisterId b = p.map(MapOp::add, {a, row}, "f32", all);
      const RegisterId c = p.map(MapOp::multiply, {column, b}, "f32", all);
      const RegisterId d = p.map(MapOp::subtract, {c, middle}, "f32", all);
      const RegisterId e = p.map(MapOp::divide, {d, one}, "f32", all);
      p.builder.output(p.map(MapOp::cast, {e}, "f64", all));
      p.builder.output(d);
      const Taken taken = expect_host_bits(p.builder.program(), p.inputs, 6);
      chains += taken.chains;
    }
  }
  EXPECT_GT(chains, 0);
}

// The first element without a value is told, as on the host.
TEST(WrittenMaps, OfIntegersWithoutAValue) {
  for (const MapOp op : {MapOp::divide, MapOp::remainder, MapOp::power}) {
    for (const std::string_view divisor : {"70@x, 9", "9"}) {
      RandomProgram p("x:2", 13);
      const RegisterId a = p.input("i32", "70@x, 9");
      const RegisterId any = p.input("i32", divisor);
      const auto number = [&](std::int32_t value) {
        return p.builder.constant(runtime::test::Array<std::int32_t>::scalar(value), "i32[]");
      };
      // Nothing and one, or one less of each.
      const RegisterId bit = p.map(MapOp::remainder, {any, number(2)}, "i32", divisor);
      const RegisterId b = op == MapOp::power ? p.map(MapOp::subtract, {bit, number(1)}, "i32", divisor) : bit;
      p.builder.output(p.map(op, {a, b}, "i32", "70@x, 9"));
      runtime::World world;
      world.engine = std::make_shared<WrittenEngine>(5);
      const auto want = run(p.builder.program(), p.inputs, runtime::World{});
      const auto got = run(p.builder.program(), p.inputs, world);
      ASSERT_FALSE(want.ok());
      ASSERT_FALSE(got.ok());
      EXPECT_EQ(got.errors()[0].message, want.errors()[0].message);
    }
  }
}

// ---- Rows ----

struct RowCase {
  std::string_view element, rows, length;
};
const RowCase kRowCases[] = {{"f32", "24@x", "4096"}, {"f32", "24@x", "128"},   {"f32", "70@x", "40"},
                             {"f32", "9@x", "1000"},  {"f32", "7@x", "3"},      {"f64", "10@x", "2048"},
                             {"f64", "11@x", "77"},   {"f32", "16@x", "20000"}, {"f32", "32@x", "65536"},
                             {"f64", "20@x", "33001"}};

TEST(WrittenRows, OfSoftmax) {
  for (const auto& [element, rows, length] : kRowCases) {
    SCOPED_TRACE(fmt::format("{} {} {}", element, rows, length));
    RandomProgram p("x:3", 21);
    const std::string all = fmt::format("{}, {}", rows, length);
    const std::string one = fmt::format("{}, 1", rows);
    const RegisterId a = p.input(element, all);
    const RegisterId most = p.reshape(p.reduce(synth::ReduceKind::max, {1}, a, element, rows), element, one);
    const RegisterId e = p.map(MapOp::exp, {p.map(MapOp::subtract, {a, most}, element, all)}, element, all);
    const RegisterId sum = p.reshape(p.reduce(synth::ReduceKind::sum, {1}, e, element, rows), element, one);
    p.builder.output(p.map(MapOp::divide, {e, sum}, element, all));
    const Taken taken = expect_host_bits(p.builder.program(), p.inputs, 7);
    EXPECT_EQ(taken.chains, 1);
  }
}

TEST(WrittenRows, OfNormalizedLayers) {
  for (const auto& [element, rows, length] : kRowCases) {
    SCOPED_TRACE(fmt::format("{} {} {}", element, rows, length));
    RandomProgram p("x:2", 22);
    const std::string all = fmt::format("{}, {}", rows, length);
    const std::string one = fmt::format("{}, 1", rows);
    const RegisterId a = p.input(element, all);
    const RegisterId scale = p.input(element, length);
    const RegisterId shift = p.input(element, length);
    const RegisterId n = p.input(element, "");
    const RegisterId sum = p.reshape(p.reduce(synth::ReduceKind::sum, {1}, a, element, rows), element, one);
    const RegisterId mean = p.map(MapOp::divide, {sum, n}, element, one);
    const RegisterId d = p.map(MapOp::subtract, {a, mean}, element, all);
    const RegisterId squares = p.map(MapOp::multiply, {d, d}, element, all);
    const RegisterId spread = p.reshape(p.reduce(synth::ReduceKind::sum, {1}, squares, element, rows), element, one);
    const RegisterId by = p.map(MapOp::rsqrt, {p.map(MapOp::divide, {spread, n}, element, one)}, element, one);
    const RegisterId scaled =
        p.map(MapOp::multiply, {p.map(MapOp::multiply, {d, by}, element, all), scale}, element, all);
    p.builder.output(p.map(MapOp::add, {scaled, shift}, element, all));
    p.builder.output(mean);
    const Taken taken = expect_host_bits(p.builder.program(), p.inputs, 8);
    EXPECT_EQ(taken.chains, 1);
  }
}

TEST(WrittenRows, OfEveryKindAndElement) {
  for (const std::string_view element : {"bool", "i32", "i64", "f32", "f64"}) {
    for (const std::string_view length : {"4, 50", "512", "129"}) {
      RandomProgram p("x:2", 23);
      const std::string all = fmt::format("21@x, {}", length);
      const RegisterId a = p.input(element, all);
      const RegisterId b = p.input(element, all);
      const RegisterId c = p.map(MapOp::maximum, {a, b}, element, all);
      std::vector<std::uint8_t> dimensions = {1};
      if (length.find(',') != std::string_view::npos) dimensions.push_back(2);
      const bool is_bool = element == "bool";
      for (const auto kind : is_bool ? std::vector{synth::ReduceKind::max, synth::ReduceKind::min}
                                     : std::vector{synth::ReduceKind::sum, synth::ReduceKind::product,
                                                   synth::ReduceKind::max, synth::ReduceKind::min})
        p.builder.output(p.reduce(kind, dimensions, c, element, "21@x"));
      const Taken taken = expect_host_bits(p.builder.program(), p.inputs, 9);
      EXPECT_EQ(taken.chains, 1);
    }
  }
}

// Reductions that keep a dimension behind the rows, and rows of two lengths, are taken step by step.
TEST(WrittenRows, OfWhichNoKernelIsOne) {
  RandomProgram p("x:2", 24);
  const RegisterId a = p.input("f32", "20@x, 30, 40");
  const RegisterId b = p.map(MapOp::multiply, {a, a}, "f32", "20@x, 30, 40");
  const RegisterId c = p.reduce(synth::ReduceKind::sum, {1}, b, "f32", "20@x, 40");
  p.builder.output(p.map(MapOp::sqrt, {c}, "f32", "20@x, 40"));
  expect_host_bits(p.builder.program(), p.inputs, 11);
}

// ---- One sequence ----

TEST(WrittenSequences, ThatAreReducedFlat) {
  for (const std::string_view element : {"f32", "f64", "i32"}) {
    for (const std::string_view shape : {"300@x, 301", "16384@x", "5@x", "1@x", "1@x, 7", "300000@x, 2"}) {
      SCOPED_TRACE(fmt::format("{} {}", element, shape));
      RandomProgram p("x:2", 31);
      const RegisterId a = p.input(element, shape);
      const RegisterId b = p.input(element, shape);
      const RegisterId one = p.input(element, "");
      const RegisterId c = p.map(MapOp::multiply, {a, b}, element, shape);
      const RegisterId d = p.map(MapOp::add, {c, one}, element, shape);
      std::vector<std::uint8_t> dimensions = {0};
      if (shape.find(',') != std::string_view::npos) dimensions.push_back(1);
      const RegisterId sum =
          p.builder.apply(synth::Reduce{synth::ReduceKind::sum, dimensions}, {d}, fmt::format("{}[]{{+x}}", element));
      p.builder.output(sum);
      p.builder.output(d);
      const Taken taken = expect_host_bits(p.builder.program(), p.inputs, 10);
      EXPECT_GT(taken.chains, 0);
    }
  }
}

}  // namespace
}  // namespace tessera::device
