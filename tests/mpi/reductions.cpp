#include "tests/mpi/reductions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "embed/host/convert.hpp"
#include "runtime/execute/run.hpp"
#include "runtime/mpi/mpi.hpp"
#include "synth/layout/place/fit.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/collective/programmed.hpp"
#include "synth/planner/plan.hpp"
#include "synth/planner/programs.hpp"
#include "synth/planner/steps.hpp"
#include "tessera/tessera.hpp"
#include "tests/mpi/all_reduce.hpp"
#include "tests/mpi/race.hpp"
#include "tests/synth/support.hpp"

namespace tessera::ranks {

namespace {

constexpr int kStepsMax = 5;
// Small sums are done so many times one after the other, after one that finds everything ready: the time of one is
// that of all over their number.
constexpr std::int64_t kSmallBytes = 64 << 10;
constexpr std::int64_t kTurnsOfSmall = 20;

// A plan of one sum, under one matrix.
struct Runner {
  std::string way;
  synth::Plan plan;
  std::vector<double> seconds = {};
  std::vector<std::int64_t> received = {};  // by rank, in the first try

  const synth::Collective& sum() const { return plan.steps.back().collective; }
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Each step directly and, where that is another, by halving: all of them in the one or the other way.
void list_programs(synth::ReduceGraph& graph, std::int32_t node, std::vector<synth::LevelStep>& steps,
                   std::vector<synth::LevelProgram>& all) {
  if (graph.is_goal(node, synth::ReduceGoal::all_reduce)) all.push_back({steps, 1});
  if (std::ssize(steps) == kStepsMax) return;
  const auto edges = graph.edges(node);
  for (const synth::ReduceGraph::Edge& edge : edges) {
    steps.push_back(edge.step);
    list_programs(graph, edge.to, steps, all);
    steps.pop_back();
  }
}

// All sums of a mesh with its matrix.
class Placed {
 public:
  Placed(const SumRace& race, const synth::RunMachine& machine, const synth::PlaceMatrix& matrix, const Crew& crew)
      : race_(race),
        machine_(machine),
        mesh_(synth::test::mesh(fmt::format("{} place {}", race.mesh, print(matrix)))),
        from_(synth::test::type(fmt::format("i32[{}]{{+{}}}", race.bytes / 4, race.summed), mesh_)),
        to_(synth::test::type(fmt::format("i32[{}]", race.bytes / 4), mesh_)),
        matrix_(print(matrix)),
        rank_(crew.rank()) {
    for (const synth::AxisPart& axis : from_.layout().pending()) members_ *= axis.size;
    for (const synth::BoxReduction& reduction : synth::reductions(from_, to_)) {
      if (reduction.target == rank_) {
        place_ = static_cast<int>(reduction.position);
        group_ = *std::min_element(reduction.contributors->begin(), reduction.contributors->end());
      }
    }
    all_reduce_ = std::make_unique<AllReduce>(crew.communicator(), group_, place_);
  }

  void enter() {
    for (const synth::Planner planner :
         {synth::Planner::tessera, synth::Planner::ring, synth::Planner::smp, synth::Planner::p2}) {
      synth::PlanOptions options;
      options.planner = planner;
      auto plan = synth::plan(from_, to_, machine_, options);
      if (plan.ok()) runners_.push_back({std::string(synth::name(planner)), std::move(*plan)});
    }
    if (race_.all) enter_all();
  }

  void run(int turn, runtime::World& world) {
    const std::vector<runtime::Value> array = make_array(world);
    for (Runner& runner : runners_) {
      const std::int64_t before = received_bytes();
      const synth::Program program =
          turns() == 1 ? program_of_steps(runner.plan) : program_of_turns(runner.plan, turns());
      runtime::Outcome outcome = taken(runtime::run(program, array, world));
      const double own = outcome.statistics.back().seconds / static_cast<double>(turns());
      note(runner, turn, own, received_bytes() - before, *world.team);
      if (turn == 0) expect_sums(outcome.outputs.front());
    }
    race_mpi(turn, *world.team);
  }

  void print_all(const runtime::Team& team) const {
    if (team.rank() != 0) return;
    for (const Runner& runner : runners_) {
      const synth::ReduceProgram* program = program_of(runner.sum());
      line(runner.way, program != nullptr ? print(*mesh_, *program) : "", runner.plan.seconds, runner.seconds,
           runner.received, planned(runner, team));
    }
    line("MPI_Allreduce", "", 0, mpi_seconds_, {}, {});
  }

 private:
  void enter_all() {
    const auto levels = synth::levels_of_sum(machine_, *mesh_, from_.layout().pending());
    if (!levels || levels->empty()) return;
    std::vector<synth::LevelStep> steps;
    std::vector<synth::LevelProgram> all;
    synth::ReduceGraphs graphs;
    list_programs(graphs.of(levels->size()), synth::ReduceGraph::kStart, steps, all);
    for (const synth::LevelProgram& program : all) {
      synth::Plan plan = runners_.front().plan;
      synth::Collective sum = synth::all_reduce_step(from_.layout().pending());
      sum.recipe = std::make_shared<const synth::ReduceProgram>(synth::program_of(*levels, program));
      const synth::StepCost cost = synth::cost(machine_, sum, from_, to_);
      plan.steps.resize(1);
      plan.steps[0].collective = sum;
      plan.steps[0].after = to_;
      plan.seconds = cost.seconds;
      runners_.push_back({"listed", std::move(plan)});
    }
  }

  std::int64_t turns() const { return race_.bytes <= kSmallBytes && !race_.all ? kTurnsOfSmall : 1; }

  // Element i of a device is i plus its number.
  std::vector<runtime::Value> make_array(const runtime::World& world) const {
    synth::Program program;
    const synth::Mesh& on = *mesh_;
    synth::Shape shape{members_, race_.bytes / 4};
    const auto layout = *synth::Layout::make(on, {from_.layout().pending(), {}}, {}, synth::ReduceOp::sum);
    const synth::ArrayType parts = *synth::ArrayType::make(synth::ElementType::i32, shape, mesh_, layout);
    const synth::RegisterId all = program.registers.add(parts);
    const synth::RegisterId pending = program.registers.add(from_);
    program.body.push_back(synth::Step{0, synth::Apply{synth::Iota{}, {}, {all}}});
    program.body.push_back(synth::Step{0, synth::Apply{synth::Reduce{synth::ReduceKind::sum, {0}}, {all}, {pending}}});
    program.outputs = {pending};
    return taken(runtime::run(program, {}, world)).outputs;
  }

  // In a row of n elements member m has m n + i at place i; so many members have n m (m - 1) / 2 + m i together.
  void expect_sums(const runtime::Value& array) const {
    const std::span<const std::byte> bytes = array.tile(rank_);
    std::vector<std::int32_t> tile(bytes.size() / sizeof(std::int32_t));
    std::memcpy(tile.data(), bytes.data(), bytes.size());
    ASSERT_EQ(std::ssize(tile), race_.bytes / 4);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < std::ssize(tile); ++i) {
      const std::int64_t sum = std::ssize(tile) * members_ * (members_ - 1) / 2 + members_ * i;
      wrong += tile[static_cast<std::size_t>(i)] == static_cast<std::int32_t>(sum) ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0);
  }

  static void note(Runner& runner, int turn, double own, std::int64_t came, runtime::Team& team) {
    const auto all = taken(team.agree(base::Done{}, {static_cast<std::int64_t>(own * 1e9), came}));
    double longest = 0;
    for (const auto& words : all) longest = std::max(longest, static_cast<double>(words[0]) / 1e9);
    runner.seconds.push_back(longest);
    for (const auto& words : all) {
      if (turn == 0) runner.received.push_back(words[1]);
    }
  }

  void race_mpi(int turn, runtime::Team& team) {
    const std::vector<std::int32_t> mine(static_cast<std::size_t>(race_.bytes / 4), rank_);
    std::vector<std::int32_t> sums(mine.size());
    if (turns() > 1) all_reduce_->sum(mine, sums);
    all_reduce_->wait();
    const double begin = now();
    for (std::int64_t i = 0; i < turns(); ++i) all_reduce_->sum(mine, sums);
    Runner timed{"", runners_.front().plan};
    note(timed, turn, (now() - begin) / static_cast<double>(turns()), 0, team);
    mpi_seconds_.push_back(timed.seconds.front());
  }

  // For every rank, the bytes that come to its machine from others.
  std::vector<std::int64_t> planned(const Runner& runner, const runtime::Team& team) const {
    std::vector<std::int64_t> bytes(static_cast<std::size_t>(team.size()));
    const auto reduction = synth::ProgrammedReduction::of(runner.sum(), from_, to_);
    if (!reduction || runner.plan.steps.size() > 1) return {};
    for (const synth::BoxSend& send : reduction->sends()) {
      const int machine = team.machine(send.target);
      if (machine == team.machine(send.source)) continue;
      for (int rank = 0; rank < team.size(); ++rank)
        bytes[static_cast<std::size_t>(rank)] += team.machine(rank) == machine ? synth::elements(send.box) * 4 : 0;
    }
    return bytes;
  }

  void line(const std::string& way, const std::string& program, double modelled, const std::vector<double>& seconds,
            const std::vector<std::int64_t>& received, const std::vector<std::int64_t>& sent) const {
    fmt::print(
        "{{\"mesh\": \"{}\", \"bytes\": {}, \"place\": \"{}\", \"way\": \"{}\", \"program\": \"{}\", \"modelled\": {}, "
        "\"bound\": {}, \"seconds\": "
        "[{}], "
        "\"received\": [{}], \"planned\": [{}]}}\n",
        race_.mesh, race_.bytes, matrix_, way, program, modelled, runners_.front().plan.lower_bound_seconds,
        fmt::join(seconds, ", "), fmt::join(received, ", "), fmt::join(sent, ", "));
    std::fflush(stdout);
  }

  const SumRace& race_;
  const synth::RunMachine& machine_;
  synth::MeshRef mesh_;
  synth::ArrayType from_;
  synth::ArrayType to_;
  std::string matrix_;
  int rank_ = 0;
  int group_ = 0;
  int place_ = 0;
  std::int64_t members_ = 1;
  std::unique_ptr<AllReduce> all_reduce_;
  std::vector<Runner> runners_;
  std::vector<double> mpi_seconds_;
};

}  // namespace

void race_reductions(Crew& crew, const SumRace& race) {
  runtime::World world;
  world.team =
      taken(runtime::Team::meet(taken(runtime::make_messenger(crew.communicator())), runtime::MemorySharing::wanted));
  world.clock = now;
  const synth::MeshRef on = synth::test::mesh(race.mesh);
  ASSERT_EQ(on->devices(), crew.size()) << "a device for each rank";
  const synth::Machine given = embed::to_machine(taken(parse_machine(content(race.machine), race.machine)));
  const synth::RunMachine machine = taken(synth::machine_for(given, on->devices()));
  std::vector<std::unique_ptr<Placed>> all;
  synth::for_each_placement(synth::place_problem(*on, machine), [&](const synth::PlaceMatrix& matrix) {
    all.push_back(std::make_unique<Placed>(race, machine, matrix, crew));
    all.back()->enter();
    return true;
  });
  for (int turn = 0; turn < race.tries; ++turn) {
    for (const auto& placed : all) placed->run(turn, world);
  }
  for (const auto& placed : all) placed->print_all(*world.team);
}

}  // namespace tessera::ranks
