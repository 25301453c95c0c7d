// Elementwise steps taken together give the bits that they give one by one.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

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
    if (apart_) other_ = builder_.apply(synth::Cumsum{0}, {other_}, "i64[2]");
    return result;
  }
  RegisterId map(MapOp op, std::vector<RegisterId> operands, std::string_view type) {
    return map(op, std::move(operands), type_of(type, builder_.mesh()));
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

std::vector<std::vector<std::byte>> outputs_of(Builder& builder) {
  std::vector<std::vector<std::byte>> all;
  for (const Value& value : run_well(builder.program()).outputs) all.push_back(gather(value)->bytes);
  return all;
}

// `write` adds the steps and the outputs. Together they are one chain, apart none.
template <class Write>
void expect_same(std::string_view mesh, Write&& write) {
  Steps together(mesh, false);
  Steps apart(mesh, true);
  write(together);
  write(apart);
  EXPECT_GT(chains(together.builder()), 0U);
  const auto want = outputs_of(apart.builder());
  const auto got = outputs_of(together.builder());
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_TRUE(got[k] == want[k]) << "output " << k;
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

}  // namespace
}  // namespace tessera::runtime::test
