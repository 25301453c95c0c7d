// Reduction programs: which are valid, what they cost, and how the best of them is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "bench/planner/reductions.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/moves/reduce/search.hpp"
#include "synth/planner/steps.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

TEST(ReducePrograms, StatesAndTransitions) {
  const std::size_t known[4][2] = {{4, 5}, {35, 75}, {493, 1'212}, {9'909, 28'284}};
  for (std::size_t levels = 1; levels <= 4; ++levels) {
    ReduceGraph graph(levels);
    std::size_t transitions = 0;
    for (std::size_t node = 0; node < graph.size(); ++node)
      transitions += graph.edges(static_cast<std::int32_t>(node)).size();
    EXPECT_EQ(graph.size(), known[levels - 1][0]) << levels;
    EXPECT_EQ(transitions, known[levels - 1][1]) << levels;
  }
}

// Valid programs of at most so many steps, whatever the sizes.
std::int64_t programs_up_to(ReduceGraph& graph, std::int32_t node, int steps) {
  if (graph.is_goal(node, ReduceGoal::all_reduce)) return 1;
  if (steps == 0) return 0;
  std::int64_t total = 0;
  const auto edges = graph.edges(node);
  for (const ReduceGraph::Edge& edge : edges) total += programs_up_to(graph, edge.to, steps - 1);
  return total;
}

TEST(ReducePrograms, HowManyThereAre) {
  const std::int64_t known[3][5] = {{1, 3, 3, 3, 3}, {1, 5, 29, 71, 93}, {1, 7, 66, 385, 1'635}};
  for (std::size_t levels = 1; levels <= 3; ++levels) {
    ReduceGraph graph(levels);
    for (int steps = 1; steps <= 5; ++steps)
      EXPECT_EQ(programs_up_to(graph, ReduceGraph::kStart, steps), known[levels - 1][steps - 1]);
  }
}

using enum ReduceStepKind;
using Steps = std::vector<LevelStep>;

TEST(ReducePrograms, OnTwoLevels) {
  const auto is_valid = [](const Steps& steps) {
    return splits_of(LevelProgram{steps}, 2, ReduceGoal::all_reduce).has_value();
  };
  EXPECT_TRUE(is_valid({{reduce_scatter, 1, 2}, {all_reduce, 0, 1}, {all_gather, 1, 2}}));
  EXPECT_TRUE(is_valid({{reduce, 1, 2}, {all_reduce, 0, 1, true}, {broadcast, 1, 2}}));
  EXPECT_TRUE(is_valid({{reduce_scatter, 0, 1}, {reduce_scatter, 1, 2}, {all_gather, 0, 2}}));
  EXPECT_FALSE(is_valid({{all_reduce, 1, 2}, {all_reduce, 1, 2}}));
  EXPECT_FALSE(is_valid({{reduce_scatter, 1, 2}, {all_gather, 0, 1}}));
  EXPECT_FALSE(is_valid({{reduce, 1, 2}, {all_reduce, 0, 1}}));
  EXPECT_FALSE(is_valid({{all_reduce, 0, 2}, {broadcast, 1, 2}}));
}

// A mesh on a machine, with the axes that are reduced.
struct Request {
  Machine machine;
  PlaceMatrix matrix;
  std::vector<std::size_t> reduced;

  Cluster cluster() const { return Cluster(on_run(machine)); }
  ReduceLevels levels() const {
    AxisList axes;
    for (const std::size_t axis : reduced) {
      std::int64_t size = 1;
      for (const std::int64_t factor : matrix.rows[axis]) size *= factor;
      axes.push_back({static_cast<std::uint8_t>(axis), 1, size});
    }
    return reduce_levels(matrix, axes).value();
  }
};

Machine machine_of(const std::vector<std::tuple<std::int64_t, double, double>>& levels) {
  Machine machine;
  for (const auto& [count, bandwidth, latency] : levels) machine.levels.push_back({"level", count, bandwidth, latency});
  return machine;
}

double milliseconds(double seconds) { return std::round(seconds * 1e6) / 1e3; }

struct Golden {
  Request request;
  double direct, ring, unstretched, bound;  // milliseconds
  LevelProgram program;
};

// 1 GB a device, no latency.
TEST(ReducePrograms, Figures) {
  const Machine four = machine_of({{4, 8e9, 0}, {16, 270e9, 0}});
  const LevelProgram once{{{reduce_scatter, 1, 2}, {all_reduce, 0, 1}, {all_gather, 1, 2}}};
  const LevelProgram ring{{{all_reduce, 0, 3, false, ReduceForm::ring}}};
  const std::vector<Golden> goldens{
      {{four, {{{4, 16}}}, {0}}, 3000, 246.094, 194.444, 187.5, once},
      {{four, {{{4, 4}, {1, 4}}}, {0}}, 3000, 937.5, 755.556, 750, once},
      {{machine_of({{4, 8e9, 0}, {8, 135e9, 0}}), {{{1, 2}, {2, 1}, {2, 4}}}, {0, 2}},
       1000,
       234.375,
       137.963,
       125,
       once},
      {{machine_of({{2, 25e9, 0}, {2, 50e9, 0}, {4, 50e9, 0}}), {{{2, 2, 4}}}, {0}}, 320, 75, 75, 40, ring},
  };
  ReduceGraphs graphs;
  for (const Golden& golden : goldens) {
    const Cluster cluster = golden.request.cluster();
    const ReduceLevels levels = golden.request.levels();
    const ReducePrices prices(cluster, levels, 1e9);
    const auto all = static_cast<std::uint8_t>(levels.size());
    EXPECT_EQ(milliseconds(prices.seconds({all_reduce, 0, all}, 0)), golden.direct);
    EXPECT_EQ(milliseconds(prices.seconds({all_reduce, 0, all, false, ReduceForm::ring}, 0)), golden.ring);
    const ReduceSearch search{ReduceGoal::all_reduce, {ReduceForm::direct, ReduceForm::halving, ReduceForm::ring}};
    const PricedProgram found = fastest_unstretched(graphs, prices, levels.size(), search);
    EXPECT_EQ(milliseconds(found.seconds), golden.unstretched);
    // Others may take the same time.
    EXPECT_EQ(milliseconds(program_seconds(cluster, levels, 1e9, ReduceGoal::all_reduce, golden.program).value()),
              golden.unstretched);
    EXPECT_EQ(milliseconds(reduction_bound(cluster, levels, 1e9, ReduceGoal::all_reduce)), golden.bound);
  }
}

TEST(ReducePrograms, Stretches) {
  const Request request{machine_of({{2, 25e9, 0}, {2, 50e9, 0}, {4, 50e9, 0}}), {{{2, 2, 4}}}, {0}};
  const Cluster cluster = request.cluster();
  const ReduceLevels levels = request.levels();
  LevelProgram nested{
      {{reduce_scatter, 2, 3}, {reduce_scatter, 1, 2}, {all_reduce, 0, 1}, {all_gather, 1, 2}, {all_gather, 2, 3}}};
  const auto in = [&](std::int64_t stretches) {
    nested.stretches = stretches;
    return milliseconds(program_seconds(cluster, levels, 1e9, ReduceGoal::all_reduce, nested).value());
  };
  EXPECT_EQ(in(1), 90);
  EXPECT_EQ(in(16), 44.063);
  EXPECT_EQ(in(64), 41.016);
}

// The enumerated program that takes least, of at most so many steps, each in any of the forms.
double fastest_enumerated(ReduceGraph& graph, const ReducePrices& prices, std::int32_t node, int steps) {
  if (graph.is_goal(node, ReduceGoal::all_reduce)) return 0;
  double best = std::numeric_limits<double>::infinity();
  if (steps == 0) return best;
  const auto edges = graph.edges(node);
  for (const ReduceGraph::Edge& edge : edges) {
    const double rest = fastest_enumerated(graph, prices, edge.to, steps - 1);
    LevelStep halving = edge.step;
    halving.form = ReduceForm::halving;
    best = std::min(best, rest + std::min(prices.seconds(edge.step, edge.split), prices.seconds(halving, edge.split)));
  }
  return best;
}

TEST(ReducePrograms, TheSearchIsExact) {
  ReduceGraphs graphs;
  const std::vector<Request> requests{
      {machine_of({{4, 8e9, 5e-6}, {16, 270e9, 1e-6}}), {{{4, 16}}}, {0}},
      {machine_of({{3, 8e9, 5e-6}, {6, 135e9, 1e-6}}), {{{3, 2}, {1, 3}}}, {0}},
      {machine_of({{2, 25e9, 5e-6}, {2, 50e9, 2e-6}, {4, 50e9, 1e-6}}), {{{2, 2, 4}}}, {0}},
      {machine_of({{3, 25e9, 5e-6}, {2, 5e9, 2e-6}, {4, 50e9, 1e-6}}), {{{3, 2, 2}, {1, 1, 2}}}, {0}},
  };
  for (const Request& request : requests) {
    const Cluster cluster = request.cluster();
    const ReduceLevels levels = request.levels();
    for (const double bytes : {256.0, 4e3, 65e3, 1e6, 1e9}) {
      const ReducePrices prices(cluster, levels, bytes);
      const PricedProgram found = fastest_unstretched(graphs, prices, levels.size(), {});
      ReduceGraph& graph = graphs.of(levels.size());
      EXPECT_LE(found.seconds, fastest_enumerated(graph, prices, ReduceGraph::kStart, 5) * (1 + 1e-12));
      ReduceSearch short_ones;
      short_ones.steps_max = 3;
      EXPECT_NEAR(fastest_unstretched(graphs, prices, levels.size(), short_ones).seconds,
                  fastest_enumerated(graph, prices, ReduceGraph::kStart, 3), 1e-12);
      EXPECT_NEAR(found.seconds, program_seconds(cluster, levels, bytes, ReduceGoal::all_reduce, found.program).value(),
                  1e-12);
      const PricedProgram best = best_program(graphs, cluster, levels, bytes, ReduceGoal::all_reduce);
      EXPECT_LE(best.seconds, found.seconds * (1 + 1e-11));
      EXPECT_GE(best.seconds, reduction_bound(cluster, levels, bytes, ReduceGoal::all_reduce));
      EXPECT_NEAR(best.seconds, program_seconds(cluster, levels, bytes, ReduceGoal::all_reduce, best.program).value(),
                  1e-12);
    }
  }
}

// One direct step over all levels costs what the planner's single hop costs.
TEST(ReducePrograms, ADirectStepCostsWhatItAlwaysDid) {
  const Request request{machine_of({{4, 8e9, 5e-6}, {16, 270e9, 1e-6}}), {{{4, 4}, {1, 4}}}, {0}};
  const MeshRef on = mesh("x:16,y:4");
  const ReduceLevels levels = request.levels();
  for (const char* split : {"", "@x"}) {
    const ArrayType before = type("f32[65536]{+x}", on);
    const ArrayType after = type("f32[65536" + std::string(split) + "]", on);
    const bool scatters = *split != 0;
    const AxisList axes = before.layout().pending();
    const Collective step = scatters ? reduce_scatter_step(axes, 0) : all_reduce_step(axes);
    const LevelStep direct{scatters ? reduce_scatter : all_reduce, 0, 2};
    EXPECT_NEAR(cost(on_run(request.machine), step, before, after).seconds,
                ReducePrices(request.cluster(), levels, 65'536 * 4).seconds(direct, 0), 1e-12);
  }
}

TEST(ReducePrograms, ReduceScatter) {
  const Request request{machine_of({{4, 8e9, 5e-6}, {16, 270e9, 1e-6}}), {{{4, 16}}}, {0}};
  ReduceGraphs graphs;
  const Cluster cluster = request.cluster();
  const ReduceLevels levels = request.levels();
  const PricedProgram best = best_program(graphs, cluster, levels, 1e9, ReduceGoal::reduce_scatter);
  EXPECT_TRUE(splits_of(best.program, 2, ReduceGoal::reduce_scatter));
  EXPECT_FALSE(splits_of(best.program, 2, ReduceGoal::all_reduce));
  EXPECT_LE(best.seconds, 1.01 * reduction_bound(cluster, levels, 1e9, ReduceGoal::reduce_scatter));
  EXPECT_NEAR(reduction_bound(cluster, levels, 1e9, ReduceGoal::reduce_scatter), 0.09375, 1e-9);
}

// More levels than states are kept whole for, and more than are searched.
TEST(ReducePrograms, ManyLevels) {
  ReduceGraphs graphs;
  for (const std::size_t count : {5U, 8U, 12U}) {
    Machine machine;
    PlaceMatrix matrix{{{}}};
    for (std::size_t level = 0; level < count; ++level) {
      machine.levels.push_back({"level", 2, 1e9 * static_cast<double>(level + 1), 1e-6});
      matrix.rows[0].push_back(2);
    }
    const Request request{machine, matrix, {0}};
    const Cluster cluster = request.cluster();
    const ReduceLevels levels = request.levels();
    ASSERT_EQ(levels.size(), count);
    for (const ReduceGoal goal : {ReduceGoal::all_reduce, ReduceGoal::reduce_scatter}) {
      const PricedProgram best = best_program(graphs, cluster, levels, 1e9, goal);
      EXPECT_NEAR(best.seconds, program_seconds(cluster, levels, 1e9, goal, best.program).value(), 1e-9);
      EXPECT_GE(best.seconds, reduction_bound(cluster, levels, 1e9, goal));
      EXPECT_LE(best.seconds, 1.2 * reduction_bound(cluster, levels, 1e9, goal));
    }
  }
}

TEST(ReducePrograms, LevelsOfPartsOfAxes) {
  const PlaceMatrix matrix{{{4, 4}, {1, 4}}};
  const auto factors = [&](const AxisList& axes) {
    std::vector<std::pair<std::size_t, std::int64_t>> all;
    const ReduceLevels levels = reduce_levels(matrix, axes).value();
    for (const ReduceLevel& level : levels) all.emplace_back(level.machine_level, level.factor);
    return all;
  };
  using Factors = std::vector<std::pair<std::size_t, std::int64_t>>;
  EXPECT_EQ(factors({{0, 1, 16}}), (Factors{{0, 4}, {1, 4}}));
  EXPECT_EQ(factors({{0, 2, 4}}), (Factors{{0, 2}, {1, 2}}));
  EXPECT_EQ(factors({{0, 8, 2}, {1, 1, 4}}), (Factors{{1, 8}}));
  EXPECT_FALSE(reduce_levels({{{2, 3}, {3, 2}}}, {{0, 3, 2}}));
}

TEST(ReducePrograms, Text) {
  const MeshRef on = mesh("dp:16,tp:4");
  const ReduceLevels levels = reduce_levels({{{4, 4}, {1, 4}}}, {{0, 1, 16}}).value();
  const LevelProgram nested{
      {{reduce_scatter, 1, 2, false, ReduceForm::halving}, {all_reduce, 0, 1}, {all_gather, 1, 2}}, 16};
  const std::string text = print(*on, program_of(levels, nested));
  EXPECT_EQ(text, "reduce_scatter dp:(4)4 halving; all_reduce dp:(1)4; all_gather dp:(4)4 in 16");
  EXPECT_EQ(parse_reduce_program(*on, text), program_of(levels, nested));
  const LevelProgram masters{{{reduce, 1, 2}, {all_reduce, 0, 1, true}, {broadcast, 1, 2}}};
  const std::string of_masters = print(*on, program_of(levels, masters));
  EXPECT_EQ(of_masters, "reduce dp:(4)4; all_reduce dp:(1)4 first dp:(4)4; broadcast dp:(4)4");
  EXPECT_EQ(parse_reduce_program(*on, of_masters), program_of(levels, masters));
  EXPECT_TRUE(parse_reduce_program(*on, "all_reduce (dp,tp) ring"));
  for (const char* wrong :
       {"", "all_reduce", "all_reduce up", "add dp", "all_reduce dp:(3)4", "all_reduce dp;", "all_reduce dp in",
        "all_reduce dp in 0", "all_reduce dp fast", "all_reduce dp in 4; all_gather dp", "all_reduce dp first",
        "all_reduce (dp,tp", "all_reduce dp:4", "all_reduce dp halving halving"})
    EXPECT_FALSE(parse_reduce_program(*on, wrong)) << wrong;
}

// Few bytes are all latency, many are all links.
TEST(ReducePrograms, ByPayload) {
  const Request request{machine_of({{8, 12.5e9, 5e-6}, {8, 300e9, 1e-6}}), {{{8, 8}}}, {0}};
  const Cluster cluster = request.cluster();
  const ReduceLevels levels = request.levels();
  ReduceGraphs graphs;
  const auto best = [&](double bytes) { return best_program(graphs, cluster, levels, bytes, ReduceGoal::all_reduce); };
  const auto microseconds = [](double seconds) { return std::round(seconds * 1e8) / 1e2; };
  EXPECT_EQ(print(best(256).program), "AR01/h");
  EXPECT_EQ(microseconds(best(256).seconds), 18.49);
  EXPECT_EQ(print(best(65'536).program), "RS1/h AR0/h AG1/h");
  EXPECT_EQ(microseconds(best(65'536).seconds), 37.11);
  const PricedProgram large = best(67'108'864);
  EXPECT_EQ(large.program.stretches, 8) << print(large.program);
  EXPECT_EQ(std::round(1e3 * large.seconds / reduction_bound(cluster, levels, 67'108'864, ReduceGoal::all_reduce)),
            1'016);
}

// The figures of docs/reductions.md over all placements on machines of two levels.
TEST(ReducePrograms, OverAllPlacements) {
  const bench::ReductionScores scores = bench::score_reductions();
  EXPECT_EQ(scores.cases, 829U);
  EXPECT_NEAR(scores.short_wins, 0.604, 0.0005);
  EXPECT_NEAR(scores.short_mean, 1.263, 0.0005);
  EXPECT_NEAR(scores.short_most, 1.836, 0.0005);
  EXPECT_NEAR(scores.placement_most, 540, 0.5);
  EXPECT_LE(scores.bound_mean, 1.01);
  EXPECT_LE(scores.bound_most, 1.03);
  EXPECT_GE(scores.ring_mean, 1.29);
  EXPECT_GE(scores.ring_most, 1.93);
  EXPECT_EQ(scores.slower_than_rival, 0);
}

TEST(ReducePrograms, NearTheBoundOnThreeLevels) {
  struct Known {
    Request request;
    double some, many;  // of the bound at most, with 64 MiB and with 1 GiB
  };
  const std::vector<Known> all{
      {{machine_of({{2, 25e9, 5e-6}, {2, 50e9, 2e-6}, {4, 50e9, 1e-6}}), {{{2, 2, 4}}}, {0}}, 1.12, 1.03},
      {{machine_of({{4, 25e9, 1e-5}, {8, 50e9, 5e-6}, {16, 300e9, 1e-6}}), {{{4, 8, 16}}}, {0}}, 1.16, 1.04},
  };
  ReduceGraphs graphs;
  for (const Known& known : all) {
    const Cluster cluster = known.request.cluster();
    const ReduceLevels levels = known.request.levels();
    const auto over_bound = [&](double bytes) {
      return best_program(graphs, cluster, levels, bytes, ReduceGoal::all_reduce).seconds /
             reduction_bound(cluster, levels, bytes, ReduceGoal::all_reduce);
    };
    EXPECT_LE(over_bound(67'108'864), known.some);
    EXPECT_LE(over_bound(1'073'741'824), known.many);
  }
}

// 1 GB over dp once and 50 MB over tp 48 times: where dp alone would like to lie is the worst place for both.
TEST(ReducePrograms, APlaceForTwoReductions) {
  const Machine machine = machine_of({{4, 8e9, 5e-6}, {16, 270e9, 1e-6}});
  const std::vector<std::tuple<PlaceMatrix, double>> known{
      {{{{1, 16}, {4, 1}}}, 7'208}, {{{{2, 8}, {2, 2}}}, 2'653}, {{{{4, 4}, {1, 4}}}, 764}};
  ReduceGraphs graphs;
  double dp_before = 0;
  for (const auto& [matrix, expected] : known) {
    const Request dp{machine, matrix, {0}};
    const Request tp{machine, matrix, {1}};
    const auto seconds = [&](const Request& request, double bytes) {
      return best_program(graphs, request.cluster(), request.levels(), bytes, ReduceGoal::all_reduce).seconds;
    };
    EXPECT_EQ(std::round(1e3 * (seconds(dp, 1e9) + 48 * seconds(tp, 50e6))), expected) << print(matrix);
    EXPECT_GT(seconds(dp, 1e9), dp_before);
    dp_before = seconds(dp, 1e9);
  }
}

// A pipeline by its definition: the slots one by one.
TEST(ReducePrograms, SlotBySlot) {
  const Request request{machine_of({{2, 25e9, 5e-6}, {2, 50e9, 2e-6}, {4, 50e9, 1e-6}}), {{{2, 2, 4}}}, {0}};
  const ReduceLevels levels = request.levels();
  const Cluster cluster = request.cluster();
  ReduceGraphs graphs;
  const PricedProgram best = best_program(graphs, cluster, levels, 1e8, ReduceGoal::all_reduce);
  const auto splits = splits_of(best.program, 3, ReduceGoal::all_reduce).value();
  const auto hops = hops_of(ReducePrices(cluster, levels, 1e8), best.program, splits);
  for (const std::int64_t stretches : {1, 2, 3, 5, 7, 64}) {
    double total = 0;
    for (std::int64_t slot = 0; slot < stretches + static_cast<std::int64_t>(hops.size()) - 1; ++slot) {
      double latency = 0;
      std::vector<double> busy(3, 0);
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(hops.size()); ++i) {
        if (slot - i < 0 || slot - i >= stretches) continue;
        const ReduceHop& hop = hops[static_cast<std::size_t>(i)];
        latency = std::max(latency, hop.latency);
        for (std::size_t j = 0; j < 3; ++j) busy[j] += hop.busy[j] / static_cast<double>(stretches);
      }
      total += latency + *std::max_element(busy.begin(), busy.end());
    }
    EXPECT_NEAR(PipelineSeconds(hops)(stretches), total, 1e-12);
  }
}

}  // namespace
}  // namespace tessera::synth::test
