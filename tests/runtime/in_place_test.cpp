// Loops whose carried values have one place.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "runtime/memory/in_place.hpp"
#include "runtime/memory/plan.hpp"
#include "tests/runtime/crowd.hpp"
#include "tests/runtime/random_loops.hpp"

namespace tessera::runtime::test {
namespace {

using synth::MapOp;
using synth::test::Random;
using testing::IsEmpty;

int programs_wanted(int usual) { return std::getenv("TESSERA_FULL") == nullptr ? usual : 20 * usual; }

std::vector<std::vector<std::int64_t>> outputs_of(const synth::Program& program) {
  EXPECT_TRUE(synth::verify(program).ok());
  const Outcome outcome = run_well(program);
  // Of loops without turns, and of branches, not all that is planned is run.
  EXPECT_LE(outcome.peak_bytes, plan_memory(program, TileMaps(program)).peak_bytes);
  std::vector<std::vector<std::int64_t>> all;
  for (const Value& value : outcome.outputs) all.push_back(gathered<std::int64_t>(value).values());
  return all;
}

std::size_t shared_places(const BodyPlan& body) {
  std::size_t count = 0;
  for (const StepPlan& step : body.steps) {
    count += step.shared.size();
    for (const BodyPlan& inner : step.bodies) count += shared_places(inner);
  }
  return count;
}
std::size_t shared_places(const synth::Program& program) {
  return shared_places(plan_memory(program, TileMaps(program)).body);
}

TEST(InPlace, LoopsGiveWhatTheirTurnsGive) {
  Random random(36);
  const int wanted = programs_wanted(1'000);
  int in_place = 0;
  for (int i = 0; i < wanted && !HasFailure(); ++i) {
    const LoopProgram made = random_loop_program(random);
    const synth::Program program = program_of(made, Turns::in_loops);
    EXPECT_EQ(outputs_of(program), outputs_of(program_of(made, Turns::written_out))) << i << "\n" << print(program);
    in_place += shared_places(program) > 0 ? 1 : 0;
  }
  EXPECT_GE(in_place, wanted / 4);
}

TEST(InPlace, LoopsGiveTheSameOnRanksHoweverLateMessagesCome) {
  Random random(37);
  for (int i = 0; i < programs_wanted(100) && !HasFailure(); ++i) {
    const synth::Program program = program_of(random_loop_program(random), Turns::in_loops);
    const MemorySharing sharing = random.coin() ? MemorySharing::off : kCrowdSharing;
    EXPECT_THAT(differences(any_machines(random), sharing, program, static_cast<unsigned>(i) + 1), IsEmpty())
        << print(program);
  }
}

// Parts that every device has itself are copied without a plan, but for a trace: it shows what a plan says.
TEST(InPlace, PartsOfTurnsAreCopiedAsAPlanCopiesThem) {
  Random random(38);
  for (int i = 0; i < programs_wanted(200) && !HasFailure(); ++i) {
    const synth::Program program = program_of(random_loop_program(random), Turns::in_loops);
    World traced;
    traced.trace = [](const TracedStep&) {};
    const auto planned = run(program, {}, traced);
    ASSERT_TRUE(planned.ok());
    const Outcome outcome = run_well(program);
    for (std::size_t k = 0; k < outcome.outputs.size(); ++k)
      EXPECT_EQ(gathered<std::int64_t>(outcome.outputs[k]).values(),
                gathered<std::int64_t>(planned->outputs[k]).values());
    std::int64_t received = 0;
    for (const OriginStatistics& one : planned->statistics) received += one.received_bytes;
    for (const OriginStatistics& one : outcome.statistics) received -= one.received_bytes;
    EXPECT_EQ(received, 0);
  }
}

// A loop of so many turns over an array of one type, whose body `make` builds from the parameter and the turn.
struct OneLoop {
  Builder builder;
  synth::Repeat repeat;

  template <class Make>
  OneLoop(std::string_view mesh, const std::string& type, std::int64_t turns, const Make& make) : builder(mesh) {
    repeat.initial = {builder.apply(synth::Iota{}, {}, type)};
    repeat.count = builder.number(turns);
    repeat.index = builder.reg("i64[]");
    repeat.parameters = {builder.reg(type)};
    repeat.results = {builder.reg(type)};
    builder.into(&repeat.body);
    repeat.next = {make(builder, repeat.parameters[0], repeat.index)};
    builder.into(nullptr);
    builder.add(repeat);
    builder.output(repeat.results[0]);
    EXPECT_TRUE(synth::verify(builder.program()).ok());
  }
  MemoryPlan plan() { return plan_memory(builder.program(), TileMaps(builder.program())); }
  bool is_in_place() { return plan()[repeat.parameters[0]].shares == repeat.results[0]; }
};

// A row that is 0, laid over the array in the turn's row.
RegisterId with_row(Builder& builder, RegisterId array, RegisterId turn, std::int64_t columns) {
  const RegisterId zeros = builder.apply(synth::Fill{}, {builder.constant(Array<float>::scalar(0), "f32[]")},
                                         fmt::format("f32[1, {}]", columns));
  return builder.apply(synth::Lay{{{0, 1, 1, 2}, {0, columns}}}, {array, zeros, turn},
                       builder.program().registers[array]);
}

double seconds_of_turn(std::int64_t rows) {
  const auto seconds_of = [rows](std::int64_t turns) {
    OneLoop loop(
        "", fmt::format("f32[{}, 1000]", rows), turns, [](Builder& builder, RegisterId array, RegisterId turn) {
          const RegisterId row = builder.apply(synth::Map{MapOp::remainder}, {turn, builder.number(500)}, "i64[]");
          return with_row(builder, array, row, 1000);
        });
    const std::clock_t begin = std::clock();
    run_well(loop.builder.program());
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  double least = 1;
  for (int i = 0; i < 5; ++i) least = std::min(least, (seconds_of(1'200) - seconds_of(200)) / 1'000);
  return least;
}

// A copy of 16 MB would take a hundred times what the row takes.
TEST(InPlace, ATurnCostsTheRowThatItWrites) {
  EXPECT_LE(seconds_of_turn(4'000), 3 * std::max(seconds_of_turn(500), 5e-6));
}

TEST(InPlace, NothingButTheArrayIsThere) {
  OneLoop loop("x:2", "f32[64@x, 10]", 5,
               [](Builder& builder, RegisterId array, RegisterId turn) { return with_row(builder, array, turn, 10); });
  EXPECT_TRUE(loop.is_in_place());
  EXPECT_EQ(loop.plan().peak_bytes,
            32 * 40 + 40 + 4 + 8 + 8);  // a tile, the row and its number, the count and the turn
  EXPECT_EQ(run_well(loop.builder.program()).peak_bytes, loop.plan().peak_bytes);
}

TEST(InPlace, WhatIsReadLaterKeepsItsPlace) {
  const auto reads_later = [](Builder& builder, RegisterId array, RegisterId turn) {
    const RegisterId changed = with_row(builder, array, turn, 10);
    const RegisterId sums = builder.apply(synth::Scan{1}, {array}, "f32[64, 10]");
    return builder.apply(synth::Map{MapOp::add}, {changed, sums}, "f32[64, 10]");
  };
  EXPECT_FALSE(OneLoop("", "f32[64, 10]", 5, reads_later).is_in_place());
}

// A device's half of the array is read after the array has been written.
TEST(InPlace, ASliceThatIsReadLaterIsCopiedFirst) {
  RegisterId half;
  const auto reads_slice_later = [&](Builder& builder, RegisterId array, RegisterId turn) {
    half = builder.collect(synth::CollectiveKind::slice, array, "f32[64@x, 10]");
    const RegisterId changed = with_row(builder, array, turn, 10);
    const RegisterId whole = builder.collect(synth::CollectiveKind::all_gather, half, "f32[64, 10]");
    return builder.apply(synth::Map{MapOp::add}, {changed, whole}, "f32[64, 10]");
  };
  OneLoop loop("x:2", "f32[64, 10]", 5, reads_slice_later);
  EXPECT_TRUE(loop.is_in_place());
  EXPECT_EQ(loop.plan()[half].where, RegisterPlan::Where::arena);
}

// The loop's value goes through a loop inside, one of whose branches writes it while the other leaves it.
TEST(InPlace, LoopsAndBranchesInsideOfOneShareItsPlace) {
  const std::string type = "f32[64, 10]";
  synth::Repeat inner;
  const auto nested = [&](Builder& builder, RegisterId array, RegisterId turn) {
    synth::Body body;
    inner.initial = {array};
    inner.count = builder.number(3);
    inner.index = builder.reg("i64[]");
    inner.parameters = {builder.reg(type)};
    inner.results = {builder.reg(type)};
    synth::Choose choose;
    choose.condition = builder.apply(synth::Map{MapOp::less}, {turn, builder.number(2)}, "bool[]");
    choose.results = inner.next = {builder.reg(type)};
    builder.into(&choose.then_body);
    choose.then_results = {with_row(builder, inner.parameters[0], inner.index, 10)};
    choose.else_results = {inner.parameters[0]};
    builder.into(&inner.body);
    builder.add(choose);
    builder.into(&body);
    builder.add(inner);
    inner.body.clear();
    return body;
  };
  Builder builder("");
  synth::Repeat outer;
  outer.initial = {builder.apply(synth::Iota{}, {}, type)};
  outer.count = builder.number(4);
  outer.index = builder.reg("i64[]");
  outer.parameters = {builder.reg(type)};
  outer.results = {builder.reg(type)};
  builder.into(&outer.body);
  const synth::Body body = nested(builder, outer.parameters[0], outer.index);
  outer.body.insert(outer.body.end(), body.begin(), body.end());
  outer.next = inner.results;
  builder.into(nullptr);
  builder.add(outer);
  builder.output(outer.results[0]);
  ASSERT_TRUE(synth::verify(builder.program()).ok());
  const MemoryPlan plan = plan_memory(builder.program(), TileMaps(builder.program()));
  for (const RegisterId id : {outer.parameters[0], inner.parameters[0], inner.results[0], inner.next[0]})
    EXPECT_EQ(plan[id].shares, outer.results[0]);
}

}  // namespace
}  // namespace tessera::runtime::test
