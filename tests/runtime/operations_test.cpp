// Local operations on split arrays: the same as on one device, and their run-time errors.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "runtime/kinds.hpp"
#include "synth/program/signature.hpp"
#include "synth/program/type_rules.hpp"
#include "tests/runtime/support.hpp"
#include "tests/synth/support.hpp"

namespace tessera::runtime::test {
namespace {

using synth::MapOp;
using synth::ReduceKind;
using testing::ElementsAre;
using testing::HasSubstr;

// Operand and result types, on a mesh and on one device; the same elements must come out.
struct Split {
  std::vector<std::string> operands;
  std::string result;
};

// `f32[8@x, 3]{+x}` is `f32[8, 3]` on one device.
std::string unsplit(const std::string& type) {
  const auto parsed = type_of(type, mesh_of("x:3,y:2"));
  return synth::print(*synth::ArrayType::replicated(parsed.element(), parsed.shape(), synth::Mesh::single_device()));
}

synth::Literal complex_numbers(const synth::ArrayType& type) {
  synth::Literal literal{type.element(), type.shape(), {}};
  const std::int64_t parts = 2 * count(type.shape());
  synth::visit_part(type.element(), [&](auto zero) {
    literal.bytes.resize(static_cast<std::size_t>(parts) * sizeof(zero));
    auto* const to = reinterpret_cast<decltype(zero)*>(literal.bytes.data());
    for (std::int64_t i = 0; i < parts; ++i) to[i] = static_cast<decltype(zero)>((i * 7 + 3) % 5);
  });
  return literal;
}

synth::Literal numbers(const synth::ArrayType& type) {
  if (synth::is_complex(type.element())) return complex_numbers(type);
  return synth::visit_element(type.element(), [&](auto zero) {
    using T = decltype(zero);
    Array<T> array(type.shape());
    for (std::int64_t i = 0; i < array.size(); ++i) array.data()[i] = static_cast<T>((i * 7 + 3) % 5);
    return array.literal();
  });
}

std::vector<std::byte> computed(const synth::Operation& operation, const Split& types, std::string_view mesh) {
  Builder builder(mesh);
  std::vector<RegisterId> operands;
  std::vector<Value> values;
  for (const std::string& type : types.operands) {
    operands.push_back(builder.input(type));
    const auto& parsed = builder.program().registers[operands.back()];
    values.push_back(*scatter(numbers(parsed), parsed));
  }
  builder.output(builder.apply(operation, operands, types.result));
  return gather(run_well(builder.program(), values).outputs[0])->bytes;
}

void expect_same(const synth::Operation& operation, const Split& types) {
  Split whole{{}, unsplit(types.result)};
  for (const std::string& type : types.operands) whole.operands.push_back(unsplit(type));
  EXPECT_EQ(computed(operation, types, "x:3,y:2"), computed(operation, whole, ""))
      << synth::describe(operation) << " giving " << types.result;
}

TEST(Operations, SplitArraysGiveWhatOneDeviceGives) {
  expect_same(synth::Map{MapOp::add}, {{"f32[7@x, 5@y]", "f32[7@x, 5@y]"}, "f32[7@x, 5@y]"});
  expect_same(synth::Map{MapOp::multiply}, {{"f32[7@x, 1]", "f32[5@y]"}, "f32[7@x, 5@y]"});
  expect_same(synth::Map{MapOp::less}, {{"i32[7@(x,y)]", "i32[]"}, "bool[7@(x,y)]"});
  expect_same(synth::Map{MapOp::cast}, {{"i64[2@x]"}, "f64[2@x]"});
  expect_same(synth::Reduce{ReduceKind::sum, {1}}, {{"i64[7@x, 5]"}, "i64[7@x]"});
  expect_same(synth::Reduce{ReduceKind::sum, {0}}, {{"i64[7@x, 5@y]"}, "i64[5@y]{+x}"});
  expect_same(synth::Reduce{ReduceKind::sum, {0, 1}}, {{"i64[7@x, 5@y]"}, "i64[]{+x,y}"});
  expect_same(synth::Reduce{ReduceKind::max, {0}}, {{"i32[2@x, 5]"}, "i32[5]{max x}"});
  expect_same(synth::Reduce{ReduceKind::product, {1}}, {{"i32[7@x, 5]"}, "i32[7@x]"});
  expect_same(synth::ArgReduce{true, {1}}, {{"f32[7@x, 5]"}, "i64[7@x]"});
  expect_same(synth::Reduce{ReduceKind::product, {0}}, {{"i32[7@x, 5]"}, "i32[5]{*x}"});
  expect_same(synth::Find{true, {0}}, {{"f32[7@x, 5@y]", "f32[5@y]"}, "i64[5@y]{min x}"});
  expect_same(synth::Find{false, {0, 1}}, {{"f32[7@x, 5@y]", "f32[]"}, "i64[]{min x,y}"});
  expect_same(synth::Contract{{{0, 1}, {1, 2}}, {0, 2}}, {{"f64[7@x, 4]", "f64[4, 5@y]"}, "f64[7@x, 5@y]"});
  expect_same(synth::Contract{{{0, 1}, {1, 2}}, {0, 2}}, {{"i64[7@y, 4@x]", "i64[4@x, 5]"}, "i64[7@y, 5]{+x}"});
  expect_same(synth::Scan{1}, {{"i32[7@x, 5]"}, "i32[7@x, 5]"});
  expect_same(synth::Sort{}, {{"i32[7@x, 5]"}, "i32[7@x, 5]"});
  expect_same(synth::Sort{true}, {{"f32[7@x, 5]"}, "i64[7@x, 5]"});
  expect_same(synth::Greatest{2}, {{"f32[7@x, 5]"}, "f32[7@x, 2]"});
  expect_same(synth::Greatest{5, true}, {{"i32[7@x, 5]"}, "i64[7@x, 5]"});
  expect_same(synth::Greatest{3, true}, {{"f32[7@x, 5]", "i64[7@x, 5]"}, "i64[7@x, 3]"});
  expect_same(synth::Transpose{{1, 0}}, {{"f32[7@x, 5@y]"}, "f32[5@y, 7@x]"});
  expect_same(synth::Reshape{}, {{"f32[6@x, 4]"}, "f32[24@x]"});
  expect_same(synth::Take{}, {{"f32[5, 3@y]", "i32[7@x]"}, "f32[7@x, 3@y]"});
  expect_same(synth::Take{}, {{"f32[5@x, 3]", "i64[7@y]"}, "f32[7@y, 3]{+x}"});
  expect_same(synth::Take{}, {{"f32[7@x, 5]", "i64[7@x, 3@y]"}, "f32[7@x, 3@y]"});
  expect_same(synth::Take{}, {{"f32[7@x, 5@y]", "i64[7@x, 3]"}, "f32[7@x, 3]{+y}"});
  expect_same(synth::ScatterAdd{}, {{"f32[7@x, 3]", "i64[7@x, 3]"}, "f32[7@x, 30@y]"});
  expect_same(synth::Scan{1, true}, {{"i32[7@x, 5]"}, "i32[7@x, 5]"});
  expect_same(synth::Scan{0, false, synth::ReduceOp::product}, {{"i32[7@x, 5@y]"}, "i32[7@x, 5@y]"});
  expect_same(synth::Scan{0, true, synth::ReduceOp::max}, {{"f32[7@(y,x), 5]"}, "f32[7@(y,x), 5]"});
  expect_same(synth::Scan{1, false, synth::ReduceOp::min}, {{"f64[7@x, 5@y]"}, "f64[7@x, 5@y]"});
  expect_same(synth::ScatterAdd{}, {{"i64[7@x, 3@y]", "i32[7@x]"}, "i64[30, 3@y]{+x}"});
  expect_same(synth::ScatterAdd{}, {{"i64[7, 3]", "i64[7]"}, "i64[30@x, 3]"});
  expect_same(synth::OneHot{}, {{"i64[7@x]"}, "i32[7@x, 5]"});
  expect_same(synth::MatrixFunction{synth::MatrixOp::eigen}, {{"f32[7@x, 5, 5]"}, "f32[7@x, 6, 5]"});
  expect_same(synth::MatrixFunction{synth::MatrixOp::singular}, {{"f64[7@(x,y), 5, 3]"}, "f64[7@(x,y), 9, 3]"});
  expect_same(synth::MatrixFunction{synth::MatrixOp::factor_qr}, {{"f64[7@x, 3, 5]"}, "f64[7@x, 8, 3]"});
  expect_same(synth::MatrixFunction{synth::MatrixOp::determinant}, {{"f32[2, 7@y, 4, 4]"}, "f32[2, 7@y]"});
  expect_same(synth::MatrixFunction{synth::MatrixOp::solve}, {{"f64[3, 3]", "f64[3, 7@x]"}, "f64[3, 7@x]"});
  expect_same(synth::Fourier{synth::FourierKind::forward, 1}, {{"c64[7@(x,y), 6]"}, "c64[7@(x,y), 6]"});
  expect_same(synth::Fourier{synth::FourierKind::inverse, 0}, {{"c128[11, 7@x]"}, "c128[11, 7@x]"});
  expect_same(synth::Fourier{synth::FourierKind::forward_real, 1}, {{"f64[7@y, 9]"}, "c128[7@y, 5]"});
  expect_same(synth::Fourier{synth::FourierKind::inverse_real, 1}, {{"c64[7@x, 5]"}, "f32[7@x, 8]"});
  expect_same(synth::Map{MapOp::multiply}, {{"c64[7@x, 5@y]", "c64[5@y]"}, "c64[7@x, 5@y]"});
  expect_same(synth::Map{MapOp::divide}, {{"c128[7@x]", "c128[7@x]"}, "c128[7@x]"});
  expect_same(synth::Reduce{ReduceKind::sum, {1}}, {{"c64[7@x, 5]"}, "c64[7@x]"});
  expect_same(synth::Contract{{{0, 1}, {1, 2}}, {0, 2}}, {{"c64[7@x, 5]", "c64[5, 6@y]"}, "c64[7@x, 6@y]"});
  expect_same(synth::Lay{{{1, 5, 2}, {0, 4, 1}}}, {{"f32[7@x, 5@y]", "f32[7@x, 5@y]"}, "f32[7@x, 5@y]"});
  expect_same(synth::Lay{{{1, 5, 2}, {0, 4, 1}}}, {{"f32[7@x, 5@y]", "f32[1, 5@y]"}, "f32[7@x, 5@y]"});
}

// An Einstein sum that repeats an index, of operands that lie so, gives what one device gives.
void expect_same_sum(const synth::Contract& contract, const std::vector<synth::ArrayType>& operands,
                     const synth::Shape& result) {
  std::vector<synth::Shape> shapes;
  std::vector<synth::Layout> layouts;
  Split types;
  for (const synth::ArrayType& operand : operands) {
    shapes.push_back(operand.shape());
    layouts.push_back(operand.layout());
    types.operands.push_back(synth::print(operand));
  }
  const synth::Operation operation = contract;
  const auto indices = synth::index_signature(operation, shapes, operands[0].element(), result);
  const auto layout = synth::result_layout(indices, operands[0].mesh(), layouts);
  if (!layout.has_value()) return;  // an axis would split two of its dimensions
  const auto type = synth::ArrayType::make(operands[0].element(), result, operands[0].mesh_ref(), *layout);
  if (!type.ok()) return;
  const auto error = synth::type_error(
      {}, operation,
      [&] {
        synth::Operands all;
        for (const synth::ArrayType& operand : operands) all.push_back(&operand);
        return all;
      }(),
      &*type);
  if (error.has_value()) return;  // the operands do not fit together
  types.result = synth::print(*type);
  expect_same(operation, types);
}

// All layouts of the first operand, and the second one whole. Tiles of a diagonal may hold all, some or none of it.
TEST(Operations, DiagonalsOfTilesAreThoseOfTheArray) {
  using Indices = std::vector<std::vector<std::uint8_t>>;
  const synth::MeshRef mesh = mesh_of("x:3,y:2");
  const auto sum = [&](const Indices& operands, const std::vector<std::uint8_t>& result, std::int64_t extent) {
    const auto shape_by = [&](const std::vector<std::uint8_t>& indices) {
      synth::Shape shape;
      for (const std::uint8_t index : indices) shape.push_back(index == 0 ? extent : index + 1);
      return shape;
    };
    for (const synth::Layout& layout : synth::test::all_layouts(*mesh, operands[0].size())) {
      const auto first = synth::ArrayType::make(synth::ElementType::i64, shape_by(operands[0]), mesh, layout);
      if (!first.ok()) continue;
      std::vector<synth::ArrayType> types = {*first};
      for (std::size_t k = 1; k < operands.size(); ++k)
        types.push_back(*synth::ArrayType::replicated(synth::ElementType::i64, shape_by(operands[k]), mesh));
      expect_same_sum({operands, result}, types, shape_by(result));
    }
  };
  for (const std::int64_t extent : {1, 4, 5, 6, 13}) {
    sum({{0, 0}}, {0}, extent);
    sum({{0, 0}}, {}, extent);
    sum({{0, 0, 0}}, {0}, extent);
    sum({{1, 0, 0}}, {1, 0}, extent);
    sum({{0, 0, 1}}, {1, 0}, extent);
    sum({{0, 1, 0, 1}}, {0, 1}, extent);
    sum({{0, 0}, {1}}, {0, 1}, extent);
    sum({{0, 0}, {1, 2}, {2}}, {1, 0}, extent);
  }
}

TEST(Operations, ASumOfNothingIsZero) {
  for (const auto& [in, out] : {std::pair{"f32[0@x]", "f32[]{+x}"}, std::pair{"f32[0]", "f32[]"}}) {
    Builder builder("x:2");
    builder.output(builder.apply(synth::Reduce{ReduceKind::sum, {0}}, {builder.input(in)}, out));
    const Value value = value_of(Array<float>(Shape{0}), in, builder.mesh());
    EXPECT_FALSE(std::signbit(gathered<float>(run_well(builder.program(), {value}).outputs[0])[0]));
  }
  Builder builder("");
  const RegisterId a = builder.input("f32[1, 0]");
  const RegisterId b = builder.input("f32[0, 1]");
  builder.output(builder.apply(synth::Contract{{{0, 1}, {1, 2}}, {0, 2}}, {a, b}, "f32[1, 1]"));
  const auto result = run_well(builder.program(), {value_of(Array<float>(Shape{1, 0}), "f32[1, 0]", builder.mesh()),
                                                   value_of(Array<float>(Shape{0, 1}), "f32[0, 1]", builder.mesh())});
  EXPECT_FALSE(std::signbit(gathered<float>(result.outputs[0])[0]));
}

// Slices are views with the strides of their source; every operation reads them.
TEST(Operations, ReadSlices) {
  const auto array = counting<std::int64_t>(Shape{4, 6});
  const auto through_slice = [&](const synth::Operation& operation, std::string_view result) {
    Builder builder("x:3");
    const RegisterId in = builder.input("i64[4, 6]");
    const RegisterId slice = builder.collect(synth::CollectiveKind::slice, in, "i64[4, 6@x]");
    builder.output(builder.apply(operation, {slice}, result));
    return gathered<std::int64_t>(
        run_well(builder.program(), {value_of(array, "i64[4, 6]", builder.mesh())}).outputs[0]);
  };
  EXPECT_THAT(through_slice(synth::Reduce{ReduceKind::sum, {0}}, "i64[6@x]").values(),
              ElementsAre(36, 40, 44, 48, 52, 56));
  EXPECT_THAT(through_slice(synth::Reduce{ReduceKind::sum, {1}}, "i64[4]{+x}").values(), ElementsAre(15, 51, 87, 123));
  EXPECT_EQ(through_slice(synth::Map{MapOp::negate}, "i64[4, 6@x]")[23], -23);
  EXPECT_EQ(through_slice(synth::Scan{0}, "i64[4, 6@x]")[23], 5 + 11 + 17 + 23);
  EXPECT_EQ(through_slice(synth::Transpose{{1, 0}}, "i64[6@x, 4]")[23], 23);
  EXPECT_THAT(through_slice(synth::ArgReduce{true, {0}}, "i64[6@x]").values(), ElementsAre(3, 3, 3, 3, 3, 3));
}

// ---- Run-time errors
// ------------------------------------------------------------------------------------------------------

TEST(Operations, DivisionByZeroNamesTheElementOfTheWholeArray) {
  Builder builder("x:2");
  const RegisterId a = builder.input("i32[4@x, 2]");
  const RegisterId b = builder.input("i32[4@x, 2]");
  builder.output(builder.apply(synth::Map{MapOp::divide}, {a, b}, "i32[4@x, 2]"));
  const Value ones =
      value_of(Array<std::int32_t>(Shape{4, 2}, {1, 1, 1, 1, 1, 1, 1, 1}), "i32[4@x, 2]", builder.mesh());
  const Value zeros =
      value_of(Array<std::int32_t>(Shape{4, 2}, {1, 1, 1, 1, 1, 0, 1, 0}), "i32[4@x, 2]", builder.mesh());
  const auto failure = run_badly(builder.program(), {ones, zeros});
  EXPECT_EQ(failure.kind, Kind::division_by_zero);
  EXPECT_THAT(failure.message, HasSubstr("at element [2, 1]"));
  EXPECT_EQ(failure.origin, 1U);
}

TEST(Operations, ErrorsOfScalarsNameNoElement) {
  Builder builder("x:2");
  const RegisterId one = builder.number(1);
  builder.output(builder.apply(synth::Map{MapOp::remainder}, {one, builder.number(0)}, "i64[]"));
  const auto failure = run_badly(builder.program());
  EXPECT_EQ(failure.message, "an integer is divided by zero");
  EXPECT_EQ(failure.origin, 3U);
}

TEST(Operations, NegativeExponents) {
  Builder builder("");
  const RegisterId two = builder.number(2);
  builder.output(builder.apply(synth::Map{MapOp::power}, {two, builder.number(-1)}, "i64[]"));
  EXPECT_EQ(run_badly(builder.program()).kind, Kind::negative_exponent);
}

TEST(Operations, IdsOutOfRange) {
  Builder taking("x:2");
  const RegisterId table = taking.constant(counting<float>(Shape{3, 2}), "f32[3@x, 2]");
  const RegisterId ids = taking.constant(Array<std::int64_t>(Shape{2}, {1, -4}), "i64[2]");
  taking.output(taking.apply(synth::Take{}, {table, ids}, "f32[2, 2]{+x}"));
  const auto failure = run_badly(taking.program());
  EXPECT_EQ(failure.kind, Kind::index_out_of_range);
  EXPECT_EQ(failure.message, "index -4 is out of range: the table has 3 rows");
  Builder hot("");
  const RegisterId id = hot.constant(Array<std::int64_t>(Shape{1}, {5}), "i64[1]");
  hot.output(hot.apply(synth::OneHot{}, {id}, "f32[1, 5]"));
  EXPECT_EQ(run_badly(hot.program()).kind, Kind::index_out_of_range);
}

}  // namespace
}  // namespace tessera::runtime::test
