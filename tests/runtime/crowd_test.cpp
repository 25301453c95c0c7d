// Programs on crowds of ranks, alone and together on machines, against simulated devices: the same bits.
#include "tests/runtime/crowd.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using synth::CollectiveKind;
using testing::IsEmpty;

// Ranks 0 to ranks - 1 on machines of so many each.
Machines machines_of(int ranks, int each) {
  Machines machines;
  for (int rank = 0; rank < ranks; ++rank) machines.push_back(rank / each * each);
  return machines;
}

// The part of a rank's outcome that is not as simulated.
std::string difference(const Outcome& outcome, const Outcome& simulated) {
  for (std::size_t k = 0; k < simulated.outputs.size(); ++k) {
    const Value& mine = outcome.outputs.at(k);
    for (std::int64_t device = 0; device < mine.type().devices(); ++device) {
      if (mine.has_device(device) && !std::ranges::equal(mine.tile(device), simulated.outputs[k].tile(device)))
        return "another tile of device " + std::to_string(device);
    }
  }
  for (std::size_t k = 0; k < simulated.statistics.size(); ++k) {
    if (outcome.statistics.at(k).received_bytes != simulated.statistics[k].received_bytes) return "other statistics";
  }
  return outcome.peak_bytes == simulated.peak_bytes ? "" : "another peak";
}

// What differs when every rank runs the program.
std::vector<std::string> on_every_rank(const Machines& machines, MemorySharing sharing, const synth::Program& program) {
  const Outcome simulated = run_well(program);
  return in_crowd(machines, sharing, [&](const std::shared_ptr<Team>& team) -> std::string {
    World world;
    world.team = team;
    const auto outcome = run(program, {}, world);
    return outcome.ok() ? difference(*outcome, simulated) : outcome.errors()[0].message;
  });
}

RegisterId random_numbers(Builder& builder, const synth::ArrayType& type) {
  return builder.apply(synth::Random{}, {builder.number(7)}, type);
}

Machines random_machines() {
  const auto ranks = *rc::gen::inRange(2, 10);
  const auto labels = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(ranks), rc::gen::inRange(0, 3));
  Machines machines;
  for (const int label : labels)
    machines.push_back(static_cast<int>(std::find(labels.begin(), labels.end(), label) - labels.begin()));
  return machines;
}

// The ranks of a machine need not follow each other.
RC_GTEST_PROP(CrowdProperty, AnyMoveGivesTheSameBits, ()) {
  const auto mesh = random_mesh();
  const Shape shape{*rc::gen::inRange<std::int64_t>(0, 9), *rc::gen::inRange<std::int64_t>(0, 9)};
  Builder builder("");
  const RegisterId in = builder.apply(synth::Iota{}, {}, random_type(ElementType::f32, shape, mesh));
  builder.output(builder.collect(CollectiveKind::exchange, in, random_type(ElementType::f32, shape, mesh)));
  const auto sharing = *rc::gen::element(kCrowdSharing, MemorySharing::off);
  RC_ASSERT(on_every_rank(random_machines(), sharing, builder.program()).empty());
}

RC_GTEST_PROP(CrowdProperty, AnySumGivesTheSameBits, ()) {
  const auto columns = *rc::gen::inRange<std::int64_t>(1, 7000);  // large boxes are cut between those who want them
  Builder builder("x:3,y:2");
  const RegisterId in = random_numbers(builder, type_of(fmt::format("f32[7@x, {}]", columns), builder.mesh()));
  const RegisterId parts =
      builder.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {in}, fmt::format("f32[{}]{{+x}}", columns));
  builder.output(builder.collect(CollectiveKind::all_reduce, parts, fmt::format("f32[{}]", columns)));
  builder.output(builder.collect(CollectiveKind::reduce_scatter, parts, fmt::format("f32[{}@x]", columns)));
  const auto sharing = *rc::gen::element(kCrowdSharing, MemorySharing::off);
  RC_ASSERT(on_every_rank(random_machines(), sharing, builder.program()).empty());
}

// The messages of a sum hold as many bytes as the statistics say: for scalars and uneven stretches, too.
TEST(Crowd, SendsOfSumsWhatIsCounted) {
  for (const char* shape : {"", "2048", "3, 5", "2, 3, 7", "8192"}) {
    Builder builder("x:4");
    const std::string summed = *shape == '\0' ? "f32[4@x]" : fmt::format("f32[4@x, {}]", shape);
    const RegisterId in = builder.apply(synth::Iota{}, {}, summed);
    const RegisterId parts =
        builder.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {in}, fmt::format("f32[{}]{{+x}}", shape));
    builder.output(builder.collect(CollectiveKind::all_reduce, parts, fmt::format("f32[{}]", shape)));
    std::int64_t counted = 0;
    for (const auto& statement : run_well(builder.program()).statistics) counted += statement.received_bytes;
    std::atomic<std::int64_t> sent = 0;
    const auto run_it = [&](const std::shared_ptr<Team>& team) -> std::string {
      World world;
      world.team = team;
      const auto outcome = run(builder.program(), {}, world);
      return outcome.ok() ? "" : outcome.errors()[0].message;
    };
    EXPECT_THAT(in_crowd(machines_of(4, 1), MemorySharing::off, run_it, &sent), IsEmpty());
    EXPECT_EQ(sent, counted) << shape;
    EXPECT_GT(counted, 0);
  }
}

// Ranks with a device each: some on machines of four, then each on one of its own. 512 of them with TESSERA_FULL=1.
TEST(Crowd, OfHundreds) {
  const int ranks = std::getenv("TESSERA_FULL") == nullptr ? 128 : 512;
  Machines machines = machines_of(ranks, 1);
  const Machines together = machines_of(64, 4);
  std::copy(together.begin(), together.end(), machines.begin());
  Builder builder(fmt::format("x:{}", ranks));
  const RegisterId in = random_numbers(builder, type_of(fmt::format("f32[{}@x, 520]", ranks), builder.mesh()));
  builder.output(builder.collect(CollectiveKind::all_to_all, in, fmt::format("f32[{}, 520@x]", ranks)));
  const RegisterId parts = builder.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {in}, "f32[520]{+x}");
  builder.output(builder.collect(CollectiveKind::all_reduce, parts, "f32[520]"));
  builder.output(builder.collect(CollectiveKind::reduce_scatter, parts, "f32[520@x]"));
  EXPECT_THAT(on_every_rank(machines, kCrowdSharing, builder.program()), IsEmpty());
}

// One rank gives up before each step in turn, while messages to it may be under way; then all run the whole.
TEST(Crowd, GoesOnAfterOneHasGivenUp) {
  Builder builder("x:4,y:2");
  RegisterId at = random_numbers(builder, type_of("f32[40@(x,y), 37]", builder.mesh()));
  for (const char* type : {"f32[40, 37@(x,y)]", "f32[40@y, 37@x]", "f32[40@(x,y), 37]", "f32[40, 37]"})
    at = builder.collect(CollectiveKind::exchange, at, type);
  builder.output(at);
  const Outcome simulated = run_well(builder.program());
  const auto give_up = [&](const std::shared_ptr<Team>& team, int rank, std::int64_t step) {
    std::atomic<bool> stop = false;
    World world;
    world.team = team;
    world.stop = &stop;
    world.progress = [&](const Progress& progress) { stop = team->rank() == rank && progress.step >= step; };
    const auto outcome = run(builder.program(), {}, world);
    return !outcome.ok() && outcome.errors()[0].kind == base::Kind::interrupted;
  };
  const auto steps = static_cast<std::int64_t>(builder.program().body.size());
  const auto rank_runs = [&](const std::shared_ptr<Team>& team) -> std::string {
    for (std::int64_t step = 1; step <= steps; ++step) {
      if (!give_up(team, static_cast<int>(step) % team->size(), step)) return "it was not interrupted";
      World world;
      world.team = team;
      const auto outcome = run(builder.program(), {}, world);
      if (!outcome.ok()) return outcome.errors()[0].message;
      if (const std::string other = difference(*outcome, simulated); !other.empty()) return other;
    }
    return "";
  };
  EXPECT_THAT(in_crowd(machines_of(6, 1), MemorySharing::off, rank_runs), IsEmpty());
  EXPECT_THAT(in_crowd(machines_of(6, 2), kCrowdSharing, rank_runs), IsEmpty());
  EXPECT_THAT(in_crowd(machines_of(3, 3), kCrowdSharing, rank_runs), IsEmpty());
}

}  // namespace
}  // namespace tessera::runtime::test
