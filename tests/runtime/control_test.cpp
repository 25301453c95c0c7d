// Loops and branches.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "runtime/kinds.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using synth::MapOp;
using testing::ElementsAre;

// A loop under construction: parameters are made first, then the body's steps, then it is closed.
struct Loop {
  Builder& builder;
  synth::Repeat repeat;

  Loop(Builder& b, RegisterId count, const std::vector<RegisterId>& initial) : builder(b) {
    repeat.count = count;
    repeat.index = builder.reg("i64[]");
    repeat.initial = initial;
    for (const RegisterId id : initial) repeat.parameters.push_back(builder.reg(builder.program().registers[id]));
    builder.into(&repeat.body);
  }
  std::vector<RegisterId> close(const std::vector<RegisterId>& next) {
    repeat.next = next;
    std::vector<RegisterId> results;
    for (const RegisterId id : next) results.push_back(builder.reg(builder.program().registers[id]));
    repeat.results = results;
    builder.into(nullptr);
    builder.add(std::move(repeat));
    return results;
  }
  RegisterId parameter(std::size_t k) const { return repeat.parameters[k]; }
  RegisterId map(MapOp op, RegisterId a, RegisterId b) const {
    return builder.apply(synth::Map{op}, {a, b}, builder.program().registers[a]);
  }
};

std::vector<std::int64_t> ints(const Value& value) { return gathered<std::int64_t>(value).values(); }

TEST(Repeat, CarriesAValueThroughAnyNumberOfRounds) {
  for (const std::int64_t rounds : {-3, 0, 1, 2, 3, 10}) {
    Builder builder("x:2");
    const RegisterId initial = builder.apply(synth::Iota{}, {}, "i64[3@x]");
    const RegisterId count = builder.number(rounds);
    Loop loop(builder, count, {initial});
    const RegisterId next =
        loop.map(MapOp::add, loop.map(MapOp::multiply, loop.parameter(0), builder.number(2)), loop.repeat.index);
    builder.output(loop.close({next})[0]);
    std::vector<std::int64_t> want = {0, 1, 2};
    for (std::int64_t i = 0; i < rounds; ++i) {
      for (auto& x : want) x = 2 * x + i;
    }
    EXPECT_EQ(ints(run_well(builder.program()).outputs[0]), want) << rounds;
  }
}

// A scalar's step is one call, but for a divisor of zero, which is found in the turn that has it.
TEST(Repeat, ComputesScalarsInATurn) {
  for (const std::int64_t zero_at : {3, 9}) {
    Builder builder("x:2");
    const RegisterId count = builder.number(6);
    Loop loop(builder, count, {builder.number(5)});
    const RegisterId divisor = loop.map(MapOp::subtract, builder.number(zero_at), loop.repeat.index);
    const RegisterId rest = loop.map(MapOp::remainder, builder.number(100), divisor);
    builder.output(loop.close({loop.map(MapOp::add, loop.parameter(0), rest)})[0]);
    if (zero_at < 6) {
      EXPECT_EQ(run_badly(builder.program()).kind, Kind::division_by_zero);
      continue;
    }
    std::int64_t want = 5;
    for (std::int64_t i = 0; i < 6; ++i) want += 100 % (zero_at - i);
    EXPECT_EQ(ints(run_well(builder.program()).outputs[0]), std::vector{want});
  }
}

TEST(Repeat, TheInitialValueSurvivesIfItIsNeeded) {
  for (const std::int64_t rounds : {0, 1, 2, 3}) {
    Builder builder("x:2");
    const RegisterId initial = builder.apply(synth::Iota{}, {}, "i64[3@x]");
    Loop loop(builder, builder.number(rounds), {initial});
    // The body reads it too.
    builder.output(loop.close({loop.map(MapOp::add, loop.parameter(0), initial)})[0]);
    builder.output(initial);
    const auto outcome = run_well(builder.program());
    EXPECT_THAT(ints(outcome.outputs[0]), ElementsAre(0, rounds + 1, 2 * rounds + 2));
    EXPECT_THAT(ints(outcome.outputs[1]), ElementsAre(0, 1, 2));
  }
}

TEST(Repeat, ValuesMayBeSwappedCopiedAndKept) {
  for (const std::int64_t rounds : {0, 1, 2, 3, 4}) {
    Builder builder("");
    const RegisterId a = builder.number(1);
    const RegisterId b = builder.number(10);
    const RegisterId kept = builder.number(100);
    const RegisterId doubled = builder.number(7);
    Loop loop(builder, builder.number(rounds), {a, b, kept, doubled, doubled});
    const RegisterId sum = loop.map(MapOp::add, loop.parameter(3), loop.parameter(4));
    for (const RegisterId id : loop.close({loop.parameter(1), loop.parameter(0), loop.parameter(2), sum, sum}))
      builder.output(id);
    const auto outcome = run_well(builder.program());
    EXPECT_EQ(ints(outcome.outputs[0])[0], rounds % 2 == 0 ? 1 : 10);
    EXPECT_EQ(ints(outcome.outputs[1])[0], rounds % 2 == 0 ? 10 : 1);
    EXPECT_EQ(ints(outcome.outputs[2])[0], 100);
    EXPECT_EQ(ints(outcome.outputs[3])[0], 7 << rounds);
    EXPECT_EQ(ints(outcome.outputs[4])[0], 7 << rounds);
  }
}

TEST(Repeat, StartsFromInputsSlicesAndOneValueTwice) {
  for (const std::int64_t rounds : {0, 1, 2, 3}) {
    Builder builder("x:2");
    const RegisterId in = builder.input("i64[4]");
    const RegisterId slice = builder.collect(synth::CollectiveKind::slice, in, "i64[4@x]");
    Loop loop(builder, builder.number(rounds), {in, slice, slice});
    const RegisterId more = loop.map(MapOp::add, loop.parameter(0), loop.parameter(0));
    const RegisterId sum = loop.map(MapOp::add, loop.parameter(1), loop.parameter(2));
    for (const RegisterId id : loop.close({more, sum, loop.parameter(1)})) builder.output(id);
    const Value value = value_of(counting<std::int64_t>(Shape{4}), "i64[4]", builder.mesh());
    const auto outcome = run_well(builder.program(), {value});
    const std::int64_t fibonacci[] = {1, 2, 3, 5};
    EXPECT_EQ(ints(outcome.outputs[0])[3], 3 << rounds);
    EXPECT_EQ(ints(outcome.outputs[1])[3], 3 * fibonacci[rounds]);
    EXPECT_THAT(ints(value), ElementsAre(0, 1, 2, 3));
  }
}

TEST(Repeat, WithoutBody) {
  Builder builder("");
  const RegisterId a = builder.number(5);
  Loop loop(builder, builder.number(3), {a});
  builder.output(loop.close({loop.parameter(0)})[0]);
  EXPECT_EQ(ints(run_well(builder.program()).outputs[0])[0], 5);
}

TEST(Repeat, Nested) {
  for (const std::int64_t outer_rounds : {0, 1, 2, 3}) {
    for (const std::int64_t inner_rounds : {0, 1, 2, 3}) {
      Builder builder("x:2");
      const RegisterId initial = builder.apply(synth::Iota{}, {}, "i64[2@x]");
      const RegisterId inner_count = builder.number(inner_rounds);
      Loop outer(builder, builder.number(outer_rounds), {initial});
      Loop inner(builder, inner_count, {outer.parameter(0)});
      const RegisterId one_more = inner.map(MapOp::add, inner.parameter(0), builder.number(1));
      inner.repeat.next = {one_more};
      inner.repeat.results = {builder.reg("i64[2@x]")};
      const RegisterId inner_result = inner.repeat.results[0];
      builder.into(&outer.repeat.body);
      builder.add(inner.repeat);
      builder.output(outer.close({inner_result})[0]);
      const std::int64_t all = outer_rounds * inner_rounds;
      EXPECT_THAT(ints(run_well(builder.program()).outputs[0]), ElementsAre(all, all + 1));
    }
  }
}

TEST(Repeat, CommunicatesEveryRound) {
  Builder builder("x:2");
  const RegisterId initial = builder.apply(synth::Iota{}, {}, "i64[2@x, 2]");
  Loop loop(builder, builder.number(3), {initial});
  const RegisterId columns = builder.collect(synth::CollectiveKind::all_to_all, loop.parameter(0), "i64[2, 2@x]");
  const RegisterId back = builder.apply(synth::Transpose{{1, 0}}, {columns}, "i64[2@x, 2]");
  builder.output(loop.close({back})[0]);
  const auto outcome = run_well(builder.program());
  EXPECT_THAT(ints(outcome.outputs[0]), ElementsAre(0, 2, 1, 3));
  std::int64_t received = 0;
  std::int64_t steps = 0;
  for (const auto& statistics : outcome.statistics) {
    received += statistics.received_bytes;
    steps += statistics.steps;
  }
  EXPECT_EQ(steps, 3);
  EXPECT_EQ(received, 3 * 16);
}

Value chosen(bool condition) {
  Builder builder("x:2");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "i64[2@x]");
  const RegisterId test = builder.constant(Array<bool>::scalar(condition), "bool[]");
  synth::Choose choose;
  choose.condition = test;
  builder.into(&choose.then_body);
  const RegisterId sum = builder.apply(synth::Map{MapOp::add}, {a, a}, "i64[2@x]");
  builder.into(nullptr);
  choose.then_results = {sum, sum};
  choose.else_results = {a, a};
  choose.results = {builder.reg("i64[2@x]"), builder.reg("i64[2@x]")};
  const std::vector<RegisterId> results = choose.results;
  builder.add(std::move(choose));
  builder.output(builder.apply(synth::Map{MapOp::add}, results, "i64[2@x]"));
  return run_well(builder.program()).outputs[0];
}

TEST(Choose, RunsOneOfItsBodies) {
  EXPECT_THAT(ints(chosen(true)), ElementsAre(0, 4));
  EXPECT_THAT(ints(chosen(false)), ElementsAre(0, 2));
}

TEST(Choose, InALoop) {
  Builder builder("");
  const RegisterId zero = builder.number(0);
  const RegisterId two = builder.number(2);
  Loop loop(builder, builder.number(5), {zero});
  const RegisterId is_even = builder.apply(synth::Map{MapOp::remainder}, {loop.repeat.index, two}, "i64[]");
  const RegisterId test = builder.apply(synth::Map{MapOp::equal}, {is_even, zero}, "bool[]");
  synth::Choose choose;
  choose.condition = test;
  builder.into(&choose.then_body);
  choose.then_results = {loop.map(MapOp::add, loop.parameter(0), loop.repeat.index)};
  builder.into(&loop.repeat.body);
  choose.else_results = {loop.parameter(0)};
  choose.results = {builder.reg("i64[]")};
  const RegisterId result = choose.results[0];
  builder.add(std::move(choose));
  builder.output(loop.close({result})[0]);
  EXPECT_EQ(ints(run_well(builder.program()).outputs[0])[0], 0 + 2 + 4);
}

// What a branch gives may be made before it, in the place of the loop's next value.
TEST(Choose, GivesWhatIsMadeAroundIt) {
  Builder builder("");
  const RegisterId one = builder.number(1);
  const RegisterId always = builder.constant(Array<bool>::scalar(true), "bool[]");
  Loop loop(builder, builder.number(3), {builder.number(10), builder.number(20)});
  const RegisterId more = loop.map(MapOp::add, loop.parameter(0), one);
  synth::Choose choose;
  choose.condition = always;
  choose.then_results = {more};
  choose.else_results = {one};
  choose.results = {builder.reg("i64[]")};
  const RegisterId result = choose.results[0];
  builder.add(std::move(choose));
  for (const RegisterId id : loop.close({more, result})) builder.output(id);
  const auto outcome = run_well(builder.program());
  EXPECT_THAT(ints(outcome.outputs[0]), ElementsAre(13));
  EXPECT_THAT(ints(outcome.outputs[1]), ElementsAre(13));
}

}  // namespace
}  // namespace tessera::runtime::test
