// Elementwise steps taken together give the bits that they give one by one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "runtime/memory/plan.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using synth::MapOp;

// A program of elementwise steps; `apart`: with a step of another sort after each, so that none are taken together.
class Steps {
 public:
  Steps(std::string_view mesh, bool apart) : builder_(mesh), apart_(apart) {
    if (apart) other_ = builder_.apply(synth::Iota{}, {}, "i64[2]");
  }
  Builder& builder() { return builder_; }

  RegisterId map(MapOp op, std::vector<RegisterId> operands, const synth::ArrayType& type) {
    const RegisterId result = builder_.apply(synth::Map{op}, std::move(operands), type);
    if (apart_) other_ = builder_.apply(synth::Scan{0}, {other_}, "i64[2]");
    return result;
  }
  RegisterId map(MapOp op, std::vector<RegisterId> operands, std::string_view type) {
    return map(op, std::move(operands), type_of(type, builder_.mesh()));
  }
  RegisterId reduce(synth::ReduceKind kind, std::vector<std::uint8_t> dimensions, RegisterId operand,
                    std::string_view type) {
    const RegisterId result = builder_.apply(synth::Reduce{kind, std::move(dimensions)}, {operand}, type);
    if (apart_) other_ = builder_.apply(synth::Scan{0}, {other_}, "i64[2]");
    return result;
  }

 private:
  Builder builder_;
  bool apart_;
  RegisterId other_;
};

std::size_t chains(const BodyPlan& body) {
  std::size_t count = 0;
  for (const StepPlan& step : body.steps) {
    count += step.chain_end > 0 ? 1U : 0U;
    for (const BodyPlan& inner : step.bodies) count += chains(inner);
  }
  return count;
}
std::size_t chains(Builder& builder) {
  return chains(plan_memory(builder.program(), TileMaps(builder.program())).body);
}

// A NaN is a NaN: a processor gives it the sign of either operand.
template <class T>
void settle_nans(std::vector<std::byte>& bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    T number;
    std::memcpy(&number, &bytes[at], sizeof(T));
    if (std::isnan(number)) number = std::numeric_limits<T>::quiet_NaN();
    std::memcpy(&bytes[at], &number, sizeof(T));
  }
}

std::vector<std::vector<std::byte>> outputs_of(Builder& builder) {
  std::vector<std::vector<std::byte>> all;
  for (const Value& value : run_well(builder.program()).outputs) {
    synth::Literal whole = *gather(value);
    if (whole.element == synth::ElementType::f32) settle_nans<float>(whole.bytes);
    if (whole.element == synth::ElementType::f64) settle_nans<double>(whole.bytes);
    all.push_back(std::move(whole.bytes));
  }
  return all;
}

// `write` adds the steps and the outputs. Apart they are no chain, together they may be one.
template <class Write>
void expect_same_bits(std::string_view mesh, Write&& write) {
  Steps together(mesh, false);
  Steps apart(mesh, true);
  write(together);
  write(apart);
  const auto want = outputs_of(apart.builder());
  const auto got = outputs_of(together.builder());
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_TRUE(got[k] == want[k]) << "output " << k;
}

// As above, and together they are a chain.
template <class Write>
void expect_same(std::string_view mesh, Write&& write) {
  Steps together(mesh, false);
  write(together);
  EXPECT_GT(chains(together.builder()), 0U);
  expect_same_bits(mesh, write);
}

// Blocks of several shapes: much of one dimension, some of it, parts of rows.
TEST(Chain, OfManyBlocksWithOperandsThatRepeat) {
  for (const std::string_view shape : {"100@x, 700", "3@x, 90000", "70, 5@x, 333", "50000@x, 2"}) {
    expect_same("x:3", [&](Steps& steps) {
      Builder& b = steps.builder();
      const std::string type = fmt::format("f32[{}]", shape);
      const RegisterId a = b.apply(synth::Iota{}, {}, type);
      const std::string last(shape.substr(shape.rfind(' ') + 1));
      const RegisterId row = b.apply(synth::Iota{}, {}, fmt::format("f32[{}]", last));
      const RegisterId one = b.constant(Array<float>::scalar(0.5F), "f32[]");
      const RegisterId scaled = steps.map(MapOp::multiply, {a, one}, type);
      const RegisterId shifted = steps.map(MapOp::add, {row, scaled}, type);
      const RegisterId big = steps.map(MapOp::less, {scaled, shifted}, fmt::format("bool[{}]", shape));
      const RegisterId chosen = steps.map(MapOp::select, {big, shifted, a}, type);
      const RegisterId wide = steps.map(MapOp::cast, {chosen}, fmt::format("f64[{}]", shape));
      b.output(steps.map(MapOp::sin, {wide}, fmt::format("f64[{}]", shape)));
    });
  }
}

TEST(Chain, WhoseResultsAreNeededLater) {
  expect_same("x:2,y:2", [](Steps& steps) {
    Builder& b = steps.builder();
    const RegisterId a = b.apply(synth::Iota{}, {}, "f32[300@x, 301@y]");
    const RegisterId e = steps.map(MapOp::sqrt, {a}, "f32[300@x, 301@y]");
    const RegisterId f = steps.map(MapOp::add, {e, a}, "f32[300@x, 301@y]");
    const RegisterId g = steps.map(MapOp::multiply, {f, e}, "f32[300@x, 301@y]");
    for (const RegisterId id : {f, g}) b.output(id);
  });
}

// Large enough that results go past the cache.
TEST(Chain, OfLargeArrays) {
  expect_same("x:2", [](Steps& steps) {
    Builder& b = steps.builder();
    const RegisterId a = b.apply(synth::Iota{}, {}, "f32[8000001@x]");
    const RegisterId e = steps.map(MapOp::sqrt, {a}, "f32[8000001@x]");
    const RegisterId f = steps.map(MapOp::subtract, {e, a}, "f32[8000001@x]");
    const RegisterId g = steps.map(MapOp::multiply, {f, e}, "f32[8000001@x]");
    for (const RegisterId id : {f, g}) b.output(id);
  });
}

TEST(Chain, OfTransposedAndSlicedOperands) {
  expect_same("x:2", [](Steps& steps) {
    Builder& b = steps.builder();
    const RegisterId whole = b.apply(synth::Iota{}, {}, "f32[500, 100]");
    const RegisterId part = b.collect(synth::CollectiveKind::slice, whole, "f32[500, 100@x]");
    const RegisterId d = steps.map(MapOp::negate, {part}, "f32[500, 100@x]");
    b.output(steps.map(MapOp::add, {d, part}, "f32[500, 100@x]"));
  });
}

TEST(Chain, OfEmptyTilesAndScalars) {
  expect_same("x:4", [](Steps& steps) {
    Builder& b = steps.builder();
    const RegisterId a = b.apply(synth::Iota{}, {}, "i32[2@x]");
    b.output(steps.map(MapOp::negate, {steps.map(MapOp::add, {a, a}, "i32[2@x]")}, "i32[2@x]"));
    const RegisterId s = b.number(3);
    b.output(steps.map(MapOp::negate, {steps.map(MapOp::add, {s, s}, "i64[]")}, "i64[]"));
  });
}

// Loops read their parameter and write the next value in one chain.
TEST(Chain, InALoop) {
  expect_same("x:2", [](Steps& steps) {
    Builder& b = steps.builder();
    const synth::ArrayType type = type_of("f32[40000@x]", b.mesh());
    synth::Repeat repeat;
    repeat.count = b.number(5);
    repeat.initial = {b.apply(synth::Iota{}, {}, type)};
    repeat.index = b.reg("i64[]");
    repeat.parameters = {b.reg(type)};
    b.into(&repeat.body);
    const RegisterId root = steps.map(MapOp::sqrt, {repeat.parameters[0]}, type);
    repeat.next = {steps.map(MapOp::add, {root, repeat.parameters[0]}, type)};
    b.into(nullptr);
    repeat.results = {b.reg(type)};
    b.output(repeat.results[0]);
    b.add(std::move(repeat));
  });
}

// All values of a chain are scalars, and one step looks at its exponent before it is taken.
TEST(Chain, OfScalarsInALoop) {
  for (const MapOp op : {MapOp::multiply, MapOp::power}) {
    expect_same("x:2", [&](Steps& steps) {
      Builder& b = steps.builder();
      const synth::ArrayType type = type_of("f64[]", b.mesh());
      synth::Repeat repeat;
      repeat.count = b.number(7);
      repeat.initial = {b.constant(Array<double>(Shape{}, {0.5}), "f64[]")};
      repeat.index = b.reg("i64[]");
      repeat.parameters = {b.reg(type)};
      b.into(&repeat.body);
      const RegisterId turn = steps.map(MapOp::cast, {repeat.index}, type);
      const RegisterId half = b.constant(Array<double>(Shape{}, {0.25}), "f64[]");
      const RegisterId more = steps.map(op, {steps.map(MapOp::add, {repeat.parameters[0], half}, type), turn}, type);
      repeat.next = {steps.map(MapOp::add, {steps.map(MapOp::sqrt, {more}, type), repeat.parameters[0]}, type)};
      b.into(nullptr);
      repeat.results = {b.reg(type)};
      b.output(repeat.results[0]);
      b.add(std::move(repeat));
    });
  }
}

// Softmax and layer norm of rows: shorter than a block, about as long, and longer.
TEST(Chain, OfReductionsByRows) {
  struct Sizes {
    std::string_view all, rows, columns;
  };
  for (const Sizes& sizes : {Sizes{"101@x, 7", "101@x", "101@x, 1"}, Sizes{"5@x, 3, 900", "5@x, 3", "5@x, 3, 1"},
                             Sizes{"37@x, 20001", "37@x", "37@x, 1"}, Sizes{"1@x, 40", "1@x", "1@x, 1"}}) {
    expect_same("x:2", [&](Steps& steps) {
      Builder& b = steps.builder();
      const auto f32 = [](std::string_view shape) { return fmt::format("f32[{}]", shape); };
      const auto last = static_cast<std::uint8_t>(std::count(sizes.rows.begin(), sizes.rows.end(), ',') + 1);
      const RegisterId a = b.apply(synth::Iota{}, {}, f32(sizes.all));
      const RegisterId small = steps.map(MapOp::sin, {a}, f32(sizes.all));
      const RegisterId greatest = steps.reduce(synth::ReduceKind::max, {last}, small, f32(sizes.rows));
      const RegisterId column = b.apply(synth::Reshape{}, {greatest}, f32(sizes.columns));
      const RegisterId raised =
          steps.map(MapOp::exp, {steps.map(MapOp::subtract, {small, column}, f32(sizes.all))}, f32(sizes.all));
      const RegisterId sum = steps.reduce(synth::ReduceKind::sum, {last}, raised, f32(sizes.rows));
      const RegisterId root = steps.map(MapOp::sqrt, {sum}, f32(sizes.rows));
      const RegisterId divisor = b.apply(synth::Reshape{}, {root}, f32(sizes.columns));
      for (const RegisterId id : {greatest, steps.map(MapOp::divide, {raised, divisor}, f32(sizes.all))}) b.output(id);
    });
  }
}

// Arrays of one shape reduced to a scalar: less than a piece, a few pieces and many, on uneven and empty tiles, too.
TEST(Chain, OfReductionsToAScalar) {
  for (const std::string_view shape : {"3@x", "100@x, 777", "7@x, 100003", "2500003@x"}) {
    for (const synth::ReduceKind kind : {synth::ReduceKind::sum, synth::ReduceKind::max}) {
      expect_same("x:4", [&](Steps& steps) {
        Builder& b = steps.builder();
        const std::string type = fmt::format("f32[{}]", shape);
        const bool is_line = shape.find(',') == std::string_view::npos;
        const RegisterId a = b.apply(synth::Iota{}, {}, type);
        const RegisterId half = b.constant(Array<float>::scalar(0.37F), "f32[]");
        const RegisterId scaled = steps.map(MapOp::multiply, {half, a}, type);
        const RegisterId small = steps.map(MapOp::sin, {scaled}, type);
        b.output(steps.reduce(kind, is_line ? std::vector<std::uint8_t>{0} : std::vector<std::uint8_t>{0, 1},
                              steps.map(MapOp::multiply, {small, a}, type),
                              kind == synth::ReduceKind::sum ? "f32[]{+x}" : "f32[]{max x}"));
        b.output(small);
      });
    }
  }
}

// What is added up is a product of arrays that lie in memory, and not made.
TEST(Chain, OfAProductAddedUp) {
  for (const std::string_view type :
       {"f64[3@x]", "f64[1000@x, 777]", "f32[7@x, 100003]", "f64[4@x, 128]", "i64[9001@x]"}) {
    expect_same("x:2", [&](Steps& steps) {
      Builder& b = steps.builder();
      const RegisterId a = b.apply(synth::Iota{}, {}, type);
      const RegisterId c = steps.map(MapOp::negate, {a}, type);
      b.apply(synth::Scan{0}, {b.apply(synth::Iota{}, {}, "i64[2]")}, "i64[2]");  // what follows is apart
      const bool is_line = type.find(',') == std::string_view::npos;
      const std::vector<std::uint8_t> all = is_line ? std::vector<std::uint8_t>{0} : std::vector<std::uint8_t>{0, 1};
      const RegisterId product = steps.map(MapOp::multiply, {a, c}, type);
      b.output(steps.reduce(synth::ReduceKind::sum, all, product, std::string(type.substr(0, 3)) + "[]{+x}"));
      b.output(c);
    });
  }
}

// Steps and reductions of rows in any order, on what was made so far.
RC_GTEST_PROP(ChainProperty, AnyStepsOnRowsHaveTheirBits, ()) {
  struct Choice {
    int kind;
    std::size_t left, right;
    bool output;
  };
  std::vector<Choice> choices(*rc::gen::inRange<std::size_t>(2, 12));
  for (Choice& choice : choices)
    choice = {*rc::gen::inRange(0, 5), *rc::gen::inRange<std::size_t>(0, 30), *rc::gen::inRange<std::size_t>(0, 30),
              *rc::gen::inRange(0, 4) == 0};
  const std::string rows = *rc::gen::element<std::string>("30@x", "7@x", "1@x");
  const std::string length = *rc::gen::element<std::string>("1111", "5", "40000");
  const auto full = fmt::format("f32[{}, {}]", rows, length);
  const auto column = fmt::format("f32[{}, 1]", rows);
  const auto line = fmt::format("f32[{}]", rows);
  expect_same_bits("x:2", [&](Steps& steps) {
    Builder& b = steps.builder();
    std::vector<RegisterId> tables = {b.apply(synth::Iota{}, {}, full)};
    std::vector<RegisterId> lines = {b.apply(synth::Iota{}, {}, line)};
    std::vector<RegisterId> columns = {b.apply(synth::Iota{}, {}, column)};
    const auto any = [](const std::vector<RegisterId>& of, std::size_t number) { return of[number % of.size()]; };
    for (const auto& [kind, left, right, output] : choices) {
      const RegisterId table = any(tables, left);
      if (kind == 0) tables.push_back(steps.map(MapOp::maximum, {table, any(tables, right)}, full));
      if (kind == 1) tables.push_back(steps.map(MapOp::add, {any(columns, right), table}, full));
      if (kind == 2) lines.push_back(steps.reduce(synth::ReduceKind::sum, {1}, table, line));
      if (kind == 3) lines.push_back(steps.map(MapOp::sqrt, {any(lines, right)}, line));
      if (kind == 4) columns.push_back(b.apply(synth::Reshape{}, {any(lines, right)}, column));
      if (output) b.output(kind < 2 ? tables.back() : kind < 4 ? lines.back() : columns.back());
    }
    b.output(tables.back());
    b.output(lines.back());
  });
}

// Any steps on any of the arrays made so far.
RC_GTEST_PROP(ChainProperty, AnyChainHasTheBitsOfItsSteps, ()) {
  struct Choice {
    int kind;
    std::size_t left, right;
    bool output;
  };
  const auto count = *rc::gen::inRange<std::size_t>(2, 12);
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < count; ++i) {
    choices.push_back({*rc::gen::inRange(0, 4), *rc::gen::inRange<std::size_t>(0, i + 3),
                       *rc::gen::inRange<std::size_t>(0, i + 3), *rc::gen::inRange(0, 4) == 0});
  }
  expect_same("x:2", [&](Steps& steps) {
    Builder& b = steps.builder();
    const std::string type = "f32[30@x, 1111]";
    std::vector<RegisterId> made = {b.apply(synth::Iota{}, {}, type), b.apply(synth::Iota{}, {}, "f32[1111]"),
                                    b.apply(synth::Iota{}, {}, "f32[30@x, 1]")};
    for (const Choice& choice : choices) {
      const RegisterId left = made[choice.left];
      const RegisterId right = made[choice.right];
      // The first operand has to have the result's shape, or the result would have another.
      const RegisterId full = choice.left == 1 || choice.left == 2 ? made[0] : left;
      constexpr MapOp kOps[] = {MapOp::add, MapOp::subtract, MapOp::maximum};
      made.push_back(choice.kind == 3 ? steps.map(MapOp::sin, {full}, type)
                                      : steps.map(kOps[choice.kind], {full, right}, type));
      if (choice.output) b.output(made.back());
    }
    b.output(made.back());
  });
}

// Arithmetic on floats, of which several steps are one loop, on arrays, rows, columns and scalars; added up at the end,
// or not.
RC_GTEST_PROP(ChainProperty, AnyArithmeticHasTheBitsOfItsSteps, ()) {
  constexpr MapOp kOps[] = {MapOp::add,     MapOp::subtract, MapOp::multiply, MapOp::divide,
                            MapOp::minimum, MapOp::maximum,  MapOp::negate,   MapOp::sin};
  struct Choice {
    MapOp op;
    std::size_t left, right;
    bool output;
  };
  const auto count = *rc::gen::inRange<std::size_t>(2, 24);
  std::vector<Choice> choices;
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<std::size_t>(*rc::gen::inRange(0, 8));
    // Mostly on what was made last.
    const auto recent = [&] {
      return *rc::gen::inRange(0, 3) > 0 && i > 0 ? i + 3 : *rc::gen::inRange<std::size_t>(0, i + 4);
    };
    choices.push_back({kOps[number], recent(), recent(), *rc::gen::inRange(0, 6) == 0});
  }
  const bool adds_up = *rc::gen::arbitrary<bool>();
  const std::string element = *rc::gen::element<std::string>("f32", "f64");
  const std::string rows = *rc::gen::element<std::string>("30@x", "5@x", "2@x, 3");
  const std::string columns = *rc::gen::element<std::string>("1111", "100", "20001", "64");
  const bool is_flat = adds_up && *rc::gen::arbitrary<bool>();
  expect_same_bits("x:2", [&](Steps& steps) {
    Builder& b = steps.builder();
    const auto type = [&](std::string_view shape) { return fmt::format("{}[{}]", element, shape); };
    const std::string full = type(rows + ", " + columns);
    const RegisterId numbers = b.apply(synth::Iota{}, {}, full);
    const RegisterId small = steps.map(MapOp::sin, {numbers}, full);
    const RegisterId zero = b.apply(synth::Iota{}, {}, type(""));
    std::vector<RegisterId> made = {small, steps.map(MapOp::cos, {zero}, type(""))};
    made.push_back(is_flat ? numbers : b.apply(synth::Iota{}, {}, type(columns)));
    made.push_back(is_flat ? small : b.apply(synth::Iota{}, {}, type(rows + ", 1")));
    const auto is_full = [&](std::size_t number) { return number == 0 || number > 3 || (is_flat && number > 1); };
    for (const Choice& choice : choices) {
      const RegisterId left = made[choice.left];
      const RegisterId right = made[is_full(choice.left) || is_full(choice.right) ? choice.right : 0];
      const bool has_two = choice.op != MapOp::negate && choice.op != MapOp::sin;
      made.push_back(has_two ? steps.map(choice.op, {left, right}, full)
                             : steps.map(choice.op, {is_full(choice.left) ? left : small}, full));
      if (choice.output) b.output(made.back());
    }
    std::vector<std::uint8_t> all = {0, 1};
    if (rows.find(',') != std::string::npos) all.push_back(2);
    if (adds_up)
      b.output(steps.reduce(synth::ReduceKind::sum, all, made.back(), element + "[]{+x}"));
    else
      b.output(made.back());
  });
}

}  // namespace
}  // namespace tessera::runtime::test
