#include "runtime/memory/kept.hpp"
#include "runtime/memory/page_cache.hpp"
#include "runtime/memory/plan.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "runtime/memory/arena.hpp"
#include "runtime/memory/free_list.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using synth::MapOp;
using Where = RegisterPlan::Where;

MemoryPlan plan_of(const Builder& builder, const synth::Program& program) {
  EXPECT_TRUE(synth::verify(program).ok()) << builder.mesh()->devices();
  return plan_memory(program, TileMaps(program));
}
MemoryPlan plan_of(Builder& builder) { return plan_of(builder, builder.program()); }

TEST(FreeList, JoinsNeighboursAndTakesTheLowest) {
  FreeList list;
  EXPECT_EQ(list.take(100), 0);
  EXPECT_EQ(list.take(64), 128);
  EXPECT_EQ(list.take(1), 192);
  EXPECT_EQ(list.take(0), 256);
  list.give_back(0, 100);
  list.give_back(192, 1);
  list.give_back(128, 64);
  EXPECT_EQ(list.take(256), 0);
  EXPECT_EQ(list.take(1), 256);
}

TEST(Arena, PartsAreApartAndAligned) {
  const std::vector<std::int64_t> bytes = {100, 0, 1};
  const auto arena = Arena::reserve(bytes);
  ASSERT_TRUE(arena.ok());
  EXPECT_EQ((*arena)->part(1) - (*arena)->part(0), 128);
  EXPECT_EQ((*arena)->part(2) - (*arena)->part(1), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>((*arena)->part(2)) % 64, 0U);
  EXPECT_FALSE(Arena::reserve(std::vector<std::int64_t>{kBytesMax, kBytesMax}).ok());
}

TEST(PageCache, AreHandedOutAgain) {
  PageCache spares;
  constexpr std::int64_t kBytes = std::int64_t{1} << 20U;
  std::byte* const first = spares.take(kBytes);
  first[kBytes - 1] = std::byte{1};
  spares.give_back(first, kBytes);
  std::byte* const smaller = spares.take(kBytes * 3 / 4);
  EXPECT_EQ(smaller, first);
  std::byte* const other = spares.take(kBytes);
  EXPECT_NE(other, first);
  spares.give_back(smaller, kBytes * 3 / 4);
  EXPECT_EQ(spares.take(kBytes), first);  // as long as it ever was
}

TEST(PageCache, AreNotWastedOnLittle) {
  PageCache spares;
  std::byte* const large = spares.take(std::int64_t{1} << 20U);
  spares.give_back(large, std::int64_t{1} << 20U);
  EXPECT_NE(spares.take(4096), large);
  EXPECT_EQ(spares.take(kBytesMax), nullptr);
}

TEST(PageCache, PartsComeBackEarlyAndMeetTheirNeighbours) {
  PageCache spares;
  constexpr std::int64_t kPart = std::int64_t{1} << 20U;
  std::byte* const first = spares.take(4 * kPart);
  EXPECT_FALSE(spares.give_back_early(first + kPart, 4096));  // not worth it
  ASSERT_TRUE(spares.give_back_early(first + kPart, 2 * kPart));
  EXPECT_EQ(spares.take(2 * kPart), first + kPart);
  spares.give_back(first + kPart, 2 * kPart);
  spares.give_back(first + 3 * kPart, kPart);
  spares.give_back(first, kPart);
  EXPECT_EQ(spares.take(3 * kPart), first);
  // A spare that is longer than was asked for comes back whole.
  ASSERT_TRUE(spares.give_back_early(first + kPart, 2 * kPart));
  spares.give_back(first, kPart);
  EXPECT_EQ(spares.take(4 * kPart), first);
}

TEST(PageCache, OfWhichOnlySomeAreKept) {
  PageCache spares;
  std::vector<std::byte*> taken;
  for (int i = 0; i < 40; ++i) taken.push_back(spares.take(4096));
  for (std::byte* const page : taken) spares.give_back(page, 4096);
  EXPECT_EQ(spares.take(4096), taken.back());
}

TEST(MemoryPlan, AnArrayIsFreedAfterItsLastUse) {
  Builder builder("x:2");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f32[64@x]");  // 128 bytes on a device
  const RegisterId b = builder.collect(synth::CollectiveKind::all_gather, a, "f32[64]");
  const RegisterId c = builder.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {b}, "f32[]");
  const RegisterId d = builder.apply(synth::Iota{}, {}, "f32[64@x]");
  builder.output(c);
  builder.output(d);
  const MemoryPlan plan = plan_of(builder);
  EXPECT_EQ(plan[a].offset, 0);
  EXPECT_EQ(plan[b].offset, 128);
  EXPECT_EQ(plan[c].offset, 0);
  EXPECT_EQ(plan[d].offset, 64);
  EXPECT_EQ(plan.peak_bytes, 128 + 256);
  EXPECT_EQ(plan.peak_origin, 2U);
  EXPECT_EQ(plan.arena_bytes, (std::vector<std::int64_t>{384, 384}));
}

// A value that both passes read has a place from one to the other; one that only the forward pass reads is not kept.
TEST(FindKept, WhatTheBackwardPassReads) {
  Builder builder("x:2");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f32[64@x]");
  const RegisterId b = builder.collect(synth::CollectiveKind::all_gather, a, "f32[64]");
  const RegisterId c = builder.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {b}, "f32[]");
  const RegisterId d = builder.apply(synth::Map{MapOp::multiply}, {b, b}, "f32[64]");
  builder.output(c);
  builder.output(builder.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {d}, "f32[]"));
  const synth::Program program = builder.program();
  const MemoryPlan plan = plan_of(builder, program);
  using synth::Pass;
  const std::vector<Pass> passes = {Pass::none,    Pass::none,     Pass::forward,
                                    Pass::forward, Pass::backward, Pass::backward};
  const std::vector<KeptArray> kept = find_kept(program, plan, TileMaps(program), passes);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].value, b);
  EXPECT_EQ(kept[0].made_origin, 2U);
  EXPECT_EQ(kept[0].read_origin, 4U);
  EXPECT_EQ(kept[0].tile_bytes, 256);
  EXPECT_TRUE(find_kept(program, plan, TileMaps(program), {}).empty());
}

// Steps that may fail are taken one by one.
TEST(MemoryPlan, ElementwiseResultsTakeOverDyingOperands) {
  Builder builder("");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "i32[64]");
  const RegisterId b = builder.apply(synth::Map{MapOp::remainder}, {a, a}, "i32[64]");
  const RegisterId c = builder.apply(synth::Map{MapOp::divide}, {b, a}, "i32[64]");
  const RegisterId d = builder.apply(synth::Map{MapOp::less}, {c, c}, "bool[64]");
  builder.output(d);
  const MemoryPlan plan = plan_of(builder);
  EXPECT_FALSE(plan[b].takes_over.valid());  // a is needed
  EXPECT_TRUE(plan[c].takes_over.valid());
  EXPECT_FALSE(plan[d].takes_over.valid());  // another element type
  EXPECT_EQ(plan.peak_bytes, 512);
}

TEST(MemoryPlan, WhatOnlyAChainReadsHasNoPlace) {
  Builder builder("");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f32[64]");
  const RegisterId b = builder.apply(synth::Map{MapOp::exp}, {a}, "f32[64]");
  const RegisterId two = builder.constant(Array<float>::scalar(2), "f32[]");
  const RegisterId c = builder.apply(synth::Map{MapOp::multiply}, {b, two}, "f32[64]");
  const RegisterId d = builder.apply(synth::Map{MapOp::add}, {c, a}, "f32[64]");
  const RegisterId e = builder.apply(synth::Map{MapOp::less}, {d, a}, "bool[64]");
  const RegisterId f = builder.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {d}, "f32[]");
  for (const RegisterId id : {e, f}) builder.output(id);
  const MemoryPlan plan = plan_of(builder);
  EXPECT_EQ(plan.body.steps[1].chain_end, 7U);
  EXPECT_EQ(plan.body.steps[1].chain_lead, 0U);  // the reduction is of all
  EXPECT_EQ(plan[b].where, Where::blocks);
  EXPECT_EQ(plan[c].where, Where::blocks);
  EXPECT_EQ(plan[d].where, Where::blocks);  // the reduction is part of the chain
  EXPECT_EQ(plan.peak_bytes, 256 + 64 + 4 + 4);
}

TEST(MemoryPlan, ChainsGoByRowsWhereRowsAreReduced) {
  Builder builder("x:2");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f32[6@x, 5, 7]");
  const RegisterId greatest = builder.apply(synth::Reduce{synth::ReduceKind::max, {2}}, {a}, "f32[6@x, 5]");
  const RegisterId column = builder.apply(synth::Reshape{}, {greatest}, "f32[6@x, 5, 1]");
  const RegisterId shifted = builder.apply(synth::Map{MapOp::subtract}, {a, column}, "f32[6@x, 5, 7]");
  const RegisterId total = builder.apply(synth::Reduce{synth::ReduceKind::sum, {1, 2}}, {shifted}, "f32[6@x]");
  const RegisterId other = builder.apply(synth::Map{MapOp::negate}, {total}, "f32[6@x]");
  // Aligned at its last dimension, this would meet other rows than its own.
  const RegisterId table = builder.apply(synth::Iota{}, {}, "f32[6, 6@x]");
  const RegisterId askew = builder.apply(synth::Map{MapOp::add}, {table, other}, "f32[6, 6@x]");
  builder.output(askew);
  const MemoryPlan plan = plan_of(builder);
  EXPECT_EQ(plan.body.steps[1].chain_end, 6U);
  EXPECT_EQ(plan.body.steps[1].chain_lead, 1U);
  for (const RegisterId id : {greatest, shifted, total}) EXPECT_EQ(plan[id].where, Where::blocks);
  EXPECT_EQ(plan[other].where, Where::arena);
  EXPECT_EQ(plan.body.steps[7].chain_end, 0U);
}

TEST(MemoryPlan, AChainTakesOverWhatItHasReadLast) {
  Builder builder("");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f32[64]");
  const RegisterId b = builder.apply(synth::Map{MapOp::exp}, {a}, "f32[64]");
  const RegisterId c = builder.apply(synth::Map{MapOp::add}, {b, a}, "f32[64]");
  builder.output(c);
  const MemoryPlan plan = plan_of(builder);
  EXPECT_EQ(plan[c].takes_over, a);
  EXPECT_EQ(plan.peak_bytes, 256);
}

// A block of the result must not be written where another block of the same memory is read in another order.
TEST(MemoryPlan, AChainDoesNotTakeOverWhatIsReadInAnotherWay) {
  Builder builder("");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f32[8, 8]");
  const RegisterId flat = builder.apply(synth::Reshape{}, {a}, "f32[64]");
  const RegisterId again = builder.apply(synth::Reshape{}, {flat}, "f32[8, 8]");
  const RegisterId b = builder.apply(synth::Map{MapOp::add}, {again, a}, "f32[8, 8]");
  const RegisterId c = builder.apply(synth::Map{MapOp::negate}, {b}, "f32[8, 8]");
  builder.output(c);
  const MemoryPlan plan = plan_of(builder);
  EXPECT_FALSE(plan[c].takes_over.valid());
  EXPECT_EQ(plan.peak_bytes, 512);
}

// Every block of the product reads all of `a`, whose place the last step must not write meanwhile.
TEST(MemoryPlan, AChainDoesNotTakeOverWhatEveryBlockReadsWhole) {
  constexpr std::int64_t kSize = 512;
  Builder builder("");
  const RegisterId ones =
      builder.apply(synth::Fill{}, {builder.constant(Array<float>::scalar(1), "f32[]")}, "f32[512, 512]");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f32[512]");
  const RegisterId product = builder.apply(synth::Map{MapOp::multiply}, {ones, a}, "f32[512, 512]");
  const RegisterId sum = builder.apply(synth::Reduce{synth::ReduceKind::max, {1}}, {product}, "f32[512]");
  const RegisterId last = builder.apply(synth::Map{MapOp::subtract}, {sum, a}, "f32[512]");
  builder.output(last);
  EXPECT_FALSE(plan_of(builder)[last].takes_over.valid());
  const auto values = gathered<float>(run_well(builder.program()).outputs[0]).values();
  for (std::int64_t i = 0; i < kSize; ++i)
    EXPECT_EQ(values[static_cast<std::size_t>(i)], static_cast<float>(kSize - 1 - i));
}

TEST(MemoryPlan, SlicesAndReshapesAreViews) {
  Builder builder("x:2");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f32[4, 6]");
  const RegisterId rows = builder.collect(synth::CollectiveKind::slice, a, "f32[4@x, 6]");
  const RegisterId flat = builder.apply(synth::Reshape{}, {rows}, "f32[24@x]");
  const RegisterId columns = builder.collect(synth::CollectiveKind::slice, a, "f32[4, 6@x]");
  const RegisterId turned = builder.apply(synth::Transpose{{1, 0}}, {columns}, "f32[6@x, 4]");
  const RegisterId flat_turned = builder.apply(synth::Reshape{}, {turned}, "f32[24@x]");
  builder.output(flat);
  builder.output(flat_turned);
  const MemoryPlan plan = plan_of(builder);
  EXPECT_EQ(plan[rows].where, Where::slice);
  EXPECT_TRUE(plan[rows].dense);
  EXPECT_EQ(plan[flat].where, Where::reshape);
  EXPECT_EQ(plan[flat].root, a);
  EXPECT_FALSE(plan[columns].dense);
  EXPECT_EQ(plan[flat_turned].root, turned);
  EXPECT_EQ(plan.peak_bytes, 96 + 48);
}

// Each of four slices would keep its source alive, of which a device needs a quarter. The last one may: nothing is made
// after it.
TEST(MemoryPlan, SlicesDoNotKeepWhatNothingElseNeeds) {
  Builder builder("x:4");
  std::vector<RegisterId> slices;
  for (int i = 0; i < 4; ++i) {
    const RegisterId source = builder.apply(synth::Iota{}, {}, "f32[1024]");
    slices.push_back(builder.collect(synth::CollectiveKind::slice, source, "f32[1024@x]"));
    builder.output(slices.back());
  }
  const MemoryPlan plan = plan_of(builder);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(plan[slices[static_cast<std::size_t>(i)]].where, Where::arena);
  EXPECT_EQ(plan[slices[3]].where, Where::slice);
  EXPECT_EQ(plan.peak_bytes, 4096 + 3 * 1024);
  const Outcome outcome = run_well(builder.program());
  EXPECT_EQ(outcome.peak_bytes, plan.peak_bytes);
  EXPECT_EQ(outcome.statistics.at(0).received_bytes, 0);
}

// A copy would only add to what is there: the source is needed later anyway, or the slices are most of it.
TEST(MemoryPlan, SlicesOfWhatLivesOnAreViews) {
  Builder builder("x:2");
  const RegisterId lives_on = builder.apply(synth::Iota{}, {}, "f32[64]");
  const RegisterId half = builder.collect(synth::CollectiveKind::slice, lives_on, "f32[64@x]");
  const RegisterId dies = builder.apply(synth::Iota{}, {}, "f32[8, 8]");
  const RegisterId rows = builder.collect(synth::CollectiveKind::slice, dies, "f32[8@x, 8]");
  const RegisterId columns = builder.collect(synth::CollectiveKind::slice, dies, "f32[8, 8@x]");
  const RegisterId last = builder.apply(synth::Scan{0}, {lives_on}, "f32[64]");
  for (const RegisterId id : {half, rows, columns, last}) builder.output(id);
  const MemoryPlan plan = plan_of(builder);
  for (const RegisterId id : {half, rows, columns}) EXPECT_EQ(plan[id].where, Where::slice);
}

TEST(MemoryPlan, AnInputIsAliveThroughout) {
  Builder builder("x:2");
  const RegisterId in = builder.input("f32[64@x]");
  builder.output(builder.apply(synth::Map{MapOp::exp}, {in}, "f32[64@x]"));
  EXPECT_EQ(plan_of(builder).peak_bytes, 256);
}

TEST(MemoryPlan, UnevenTilesCountAsTheyAre) {
  Builder builder("x:3");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f32[7@x]");
  builder.output(builder.collect(synth::CollectiveKind::all_gather, a, "f32[7]"));
  EXPECT_EQ(plan_of(builder).peak_bytes, 12 + 28);
}

// A loop of one operation on the carried value.
synth::Repeat loop_over(Builder& builder, RegisterId initial, std::int64_t rounds, const synth::Operation& operation) {
  synth::Repeat repeat;
  repeat.count = builder.number(rounds);
  repeat.index = builder.reg("i64[]");
  repeat.initial = {initial};
  repeat.parameters = {builder.reg("f32[64]")};
  builder.into(&repeat.body);
  repeat.next = {builder.apply(operation, {repeat.parameters[0]}, "f32[64]")};
  builder.into(nullptr);
  repeat.results = {builder.reg("f32[64]")};
  return repeat;
}

TEST(MemoryPlan, ALoopHasTwoPlacesThatTakeTurns) {
  Builder builder("");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f32[64]");
  synth::Repeat repeat = loop_over(builder, a, 5, synth::Scan{0});
  const synth::Repeat copy = repeat;
  builder.add(std::move(repeat));
  builder.output(copy.results[0]);
  const MemoryPlan plan = plan_of(builder);
  EXPECT_TRUE(plan[copy.parameters[0]].adopts);
  EXPECT_EQ(plan[copy.next[0]].written_to, copy.results[0]);
  EXPECT_EQ(plan.peak_bytes, 2 * 256 + 8 + 8);  // the count and the index
  builder.output(a);                            // now the initial value is needed afterwards
  EXPECT_EQ(plan_of(builder).peak_bytes, 3 * 256 + 8 + 8);
}

TEST(MemoryPlan, ALoopWhoseTurnsWriteOverTheirValueHasOnePlace) {
  Builder builder("");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f32[64]");
  synth::Repeat repeat = loop_over(builder, a, 5, synth::Map{MapOp::exp});
  const synth::Repeat copy = repeat;
  builder.add(std::move(repeat));
  builder.output(copy.results[0]);
  const MemoryPlan plan = plan_of(builder);
  EXPECT_EQ(plan[copy.results[0]].takes_over, a);
  for (const RegisterId id : {copy.parameters[0], copy.next[0]}) EXPECT_EQ(plan[id].shares, copy.results[0]);
  EXPECT_EQ(plan.peak_bytes, 256 + 8 + 8);
  builder.output(a);  // now the first turn reads it where it is
  EXPECT_EQ(plan_of(builder).peak_bytes, 2 * 256 + 8 + 8);
}

TEST(MemoryPlan, ABranchNeedsTheLargerOfItsBodies) {
  Builder builder("");
  const RegisterId test = builder.constant(Array<bool>::scalar(true), "bool[]");
  synth::Choose choose;
  choose.condition = test;
  builder.into(&choose.then_body);
  const RegisterId large = builder.apply(synth::Iota{}, {}, "f32[100]");
  choose.then_results = {builder.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {large}, "f32[]")};
  builder.into(&choose.else_body);
  const RegisterId small = builder.apply(synth::Iota{}, {}, "f32[10]");
  choose.else_results = {builder.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {small}, "f32[]")};
  builder.into(nullptr);
  choose.results = {builder.reg("f32[]")};
  builder.output(choose.results[0]);
  builder.add(std::move(choose));
  EXPECT_EQ(plan_of(builder).peak_bytes, 1 + 4 + 400);
}

TEST(MemoryPlan, SizesThatNoMachineHasDoNotOverflow) {
  Builder builder("x:8");
  RegisterId last = builder.apply(synth::Iota{}, {}, "i64[1000000000000000000]");
  for (int i = 0; i < 3; ++i) last = builder.apply(synth::Scan{0}, {last}, "i64[1000000000000000000]");
  builder.output(last);
  const MemoryPlan plan = plan_of(builder);
  EXPECT_EQ(plan.total_bytes, kBytesMax);
  EXPECT_EQ(plan.peak_bytes, kBytesMax);
}

// ---- Random programs: no two arrays that are alive at once overlap, and the run sees the planned peak
// -------------------

struct RandomProgram {
  Builder builder{""};
  std::vector<RegisterId> alive;

  RegisterId any() { return *rc::gen::elementOf(alive); }
  void step() {
    const auto n = *rc::gen::inRange<std::int64_t>(1, 5) * 20;
    const auto kind = *rc::gen::inRange(0, 6);
    if (alive.empty() || kind == 0) {
      alive.push_back(builder.apply(synth::Iota{}, {}, fmt::format("i64[{}]", n)));
    } else if (kind == 1 || kind > 3) {
      const RegisterId a = any();
      const RegisterId b = any();
      const synth::ArrayType& type = builder.program().registers[a];
      if (type.shape() == builder.program().registers[b].shape()) {
        alive.push_back(builder.apply(synth::Map{MapOp::add}, {a, b}, type));
      } else {
        alive.push_back(builder.apply(synth::Map{MapOp::negate}, {a}, type));
      }
    } else if (kind == 2) {
      const RegisterId a = any();
      alive.push_back(builder.apply(synth::Scan{0}, {a}, builder.program().registers[a]));
    } else if (alive.size() > 1) {
      alive.erase(alive.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(alive.size())));
    }
  }
};

// The last step that reads each register; the end for outputs.
std::vector<std::size_t> last_uses(const synth::Program& program) {
  std::vector<std::size_t> last(program.registers.size(), 0);
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    const auto& apply = std::get<synth::Apply>(program.body[i].node);
    last[apply.results[0].value] = i;
    for (const RegisterId id : apply.operands) last[id.value] = i;
  }
  for (const RegisterId id : program.outputs) last[id.value] = program.body.size();
  return last;
}

// When each step happens: those of a chain all at once, when its first does.
std::vector<std::size_t> moments(const MemoryPlan& plan) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < plan.body.steps.size(); ++i) {
    const std::size_t end = std::max(plan.body.steps[i].chain_end, i + 1);
    const std::size_t moment = all.size();
    while (all.size() < end) all.push_back(moment);
    i = end - 1;
  }
  all.push_back(all.size());
  return all;
}

RC_GTEST_PROP(MemoryPlanProperty, PlacesOfLiveArraysAreApart, ()) {
  RandomProgram random;
  const auto steps = *rc::gen::inRange(1, 30);
  for (int i = 0; i < steps; ++i) random.step();
  if (!random.alive.empty()) random.builder.output(random.any());
  const synth::Program& program = random.builder.program();
  const MemoryPlan plan = plan_of(random.builder);
  const auto last = last_uses(program);
  const auto moment = moments(plan);
  std::int64_t peak = 0;
  for (std::size_t i = 0; i < program.body.size(); ++i) {
    std::vector<std::pair<std::int64_t, std::int64_t>> places;
    std::int64_t payload = 0;
    for (std::size_t j = 0; j < program.body.size(); ++j) {
      const RegisterId id = std::get<synth::Apply>(program.body[j].node).results[0];
      if (plan[id].where == Where::blocks || moment[j] > moment[i] || moment[last[id.value]] < moment[i]) continue;
      // Memory that a step overwrites belongs to its result now.
      const bool overwritten = std::any_of(program.body.begin(), program.body.end(), [&](const synth::Step& step) {
        const auto k = static_cast<std::size_t>(&step - program.body.data());
        const RegisterId result = std::get<synth::Apply>(step.node).results[0];
        return moment[k] == moment[i] && plan[result].takes_over == id;
      });
      if (overwritten) continue;
      const std::int64_t bytes = synth::array_bytes(program.registers[id]);
      places.emplace_back(plan[id].offset, plan[id].offset + bytes);
      payload += bytes;
    }
    std::sort(places.begin(), places.end());
    for (std::size_t k = 1; k < places.size(); ++k) RC_ASSERT(places[k - 1].second <= places[k].first);
    peak = std::max(peak, payload);
  }
  RC_ASSERT(plan.peak_bytes == peak);
  RC_ASSERT(run_well(program).peak_bytes == peak);
}

}  // namespace
}  // namespace tessera::runtime::test
