// Reduction programs replayed device by device: what the search finds does what it says, in the seconds that it says;
// wrong programs are refused.
#include <gtest/gtest.h>

#include <random>

#include "synth/moves/reduce/rivals.hpp"
#include "synth/verify/programs.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

// Divides by everything that random meshes and stretches bring, so that nothing is rounded.
constexpr std::int64_t kElements = 256 * 256 * 27LL * 25 * 7;

// A random mesh on a random machine, with some axes reduced.
struct RandomReduction {
  Machine machine;
  PlaceMatrix matrix;
  MeshRef mesh;
  AxisList reduced;
  ReduceLevels levels;
  ReduceGoal goal = ReduceGoal::all_reduce;
  double payload_bytes = 0;
  std::int64_t devices = 1;

  Cluster cluster() const { return Cluster(on_run(machine)); }
  verifier::ReductionRequest request() const {
    verifier::ReductionRequest request;
    request.mesh = mesh;
    request.reduced = reduced;
    request.scatters = goal == ReduceGoal::reduce_scatter;
    request.elements.assign(static_cast<std::size_t>(devices),
                            kElements / (request.scatters ? shard_count(reduced) : 1));
    request.element_bytes = static_cast<std::int64_t>(payload_bytes) / kElements;
    return request;
  }
};

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  template <class T>
  T of(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  std::mt19937 engine_;
};

// Axes of a placement are drawn by dealing each level's prime factors to them.
std::optional<RandomReduction> random_reduction(Draw& draw) {
  RandomReduction drawn;
  const std::size_t axes = 1 + draw.below(3);
  drawn.matrix.rows.assign(axes, {});
  for (std::size_t level = 0; level < 1 + draw.below(4); ++level) {
    const double bandwidth = draw.of<double>({1e9, 8e9, 25e9, 50e9, 270e9});
    const double latency = draw.of<double>({0, 1e-6, 5e-6});
    std::int64_t count = 1;
    for (auto& row : drawn.matrix.rows) {
      row.push_back(draw.of<std::int64_t>({1, 1, 2, 2, 3, 4, 6}));
      count *= row.back();
    }
    drawn.machine.levels.push_back({"level", count, bandwidth, latency});
    if (draw.below(2) == 0) drawn.machine.levels.back().gap_seconds = draw.of<double>({0, 4e-7, 7e-6});
    drawn.devices *= count;
    if (drawn.devices > 96) return std::nullopt;
  }
  std::vector<MeshAxis> mesh_axes;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    std::int64_t size = 1;
    for (const std::int64_t factor : drawn.matrix.rows[axis]) size *= factor;
    mesh_axes.push_back({std::string(1, static_cast<char>('a' + axis)), size});
    if (draw.below(2) == 0 && size > 1) drawn.reduced.push_back({static_cast<std::uint8_t>(axis), 1, size});
  }
  drawn.mesh = Mesh::placed(mesh_axes, drawn.matrix).value();
  drawn.levels = *reduce_levels(drawn.matrix, drawn.reduced);
  if (drawn.levels.empty()) return std::nullopt;
  drawn.goal = draw.below(2) == 0 ? ReduceGoal::all_reduce : ReduceGoal::reduce_scatter;
  drawn.payload_bytes = static_cast<double>(kElements) * draw.of<double>({1, 4, 1024});
  return drawn;
}

std::string text_of(const RandomReduction& drawn, const LevelProgram& program) {
  return print(*drawn.mesh) + " place " + print(drawn.matrix) + ": " +
         print(*drawn.mesh, program_of(drawn.levels, program));
}

// The replay gives the seconds of the price.
void expect_replayed(const RandomReduction& drawn, const LevelProgram& program, double seconds) {
  verifier::ProgramFigures figures;
  const auto fault =
      verifier::replay_program(drawn.request(), program_of(drawn.levels, program), on_run(drawn.machine), figures);
  ASSERT_FALSE(fault) << text_of(drawn, program) << ": " << *fault;
  EXPECT_NEAR(figures.seconds, seconds, 1e-9 * seconds) << text_of(drawn, program);
}

TEST(ReduceReplay, WhatTheSearchFinds) {
  Draw draw(1);
  ReduceGraphs graphs;
  int seen = 0;
  int stretched = 0;
  while (seen < 300) {
    const auto drawn = random_reduction(draw);
    if (!drawn) continue;
    ++seen;
    const Cluster cluster = drawn->cluster();
    const ReducePrices prices(cluster, drawn->levels, drawn->payload_bytes);
    const PricedProgram best = best_program(graphs, cluster, drawn->levels, drawn->payload_bytes, drawn->goal);
    stretched += best.program.stretches > 1 ? 1 : 0;
    expect_replayed(*drawn, best.program, best.seconds);
    const ReduceSearch search{drawn->goal};
    const PricedProgram unstretched = fastest_unstretched(graphs, prices, drawn->levels.size(), search);
    expect_replayed(*drawn, unstretched.program, unstretched.seconds);
    EXPECT_GE(best.seconds * (1 + 1e-12), reduction_bound(cluster, drawn->levels, drawn->payload_bytes, drawn->goal));
    if (drawn->goal == ReduceGoal::reduce_scatter) continue;
    const LevelProgram masters = masters_program(drawn->levels, drawn->payload_bytes);
    const auto seconds = program_seconds(cluster, drawn->levels, drawn->payload_bytes, drawn->goal, masters);
    expect_replayed(*drawn, masters, seconds.value());
  }
  EXPECT_GE(stretched, 50);
}

bool is_of_one(const LevelStep& step) {
  return step.kind == ReduceStepKind::reduce || step.kind == ReduceStepKind::broadcast;
}

// All valid programs of up to four steps, in all forms.
void expect_all_replayed(const RandomReduction& drawn, ReduceGraph& graph, std::int32_t node, LevelProgram& program) {
  if (graph.is_goal(node, drawn.goal)) {
    for (const ReduceForm form : {ReduceForm::direct, ReduceForm::halving, ReduceForm::ring}) {
      for (LevelStep& step : program.steps)
        step.form = form == ReduceForm::ring && is_of_one(step) ? ReduceForm::direct : form;
      const Cluster cluster = drawn.cluster();
      const auto seconds = program_seconds(cluster, drawn.levels, drawn.payload_bytes, drawn.goal, program);
      expect_replayed(drawn, program, seconds.value());
    }
    return;
  }
  if (program.steps.size() == 4) return;
  const auto edges = graph.edges(node);
  for (const ReduceGraph::Edge& edge : edges) {
    program.steps.push_back(edge.step);
    expect_all_replayed(drawn, graph, edge.to, program);
    program.steps.pop_back();
  }
}

TEST(ReduceReplay, AllShortPrograms) {
  for (const std::vector<std::int64_t>& row :
       {std::vector<std::int64_t>{2, 2}, std::vector<std::int64_t>{2, 3}, std::vector<std::int64_t>{2, 2, 2}}) {
    RandomReduction request;
    request.matrix.rows = {row};
    for (const std::int64_t count : row) {
      request.machine.levels.push_back({"level", count, 1e9 * static_cast<double>(1 + request.devices), 1e-6});
      request.devices *= count;
    }
    request.mesh = mesh("x:" + std::to_string(request.devices));
    request.reduced = {whole_axis(*request.mesh, 0)};
    request.levels = *reduce_levels(request.matrix, request.reduced);
    request.payload_bytes = static_cast<double>(kElements);
    ReduceGraph graph(row.size());
    LevelProgram program;
    expect_all_replayed(request, graph, ReduceGraph::kStart, program);
  }
}

// A program with one thing changed.
ReduceProgram mutated(Draw& draw, ReduceProgram program, const std::vector<AxisPart>& parts) {
  auto& steps = program.steps;
  const std::size_t at = draw.below(steps.size());
  const auto here = steps.begin() + static_cast<std::ptrdiff_t>(at);
  switch (draw.below(6)) {
    case 0: steps.erase(here); break;
    case 1: steps.insert(here, ReduceStep(*here)); break;
    case 2: std::swap(*here, steps[draw.below(steps.size())]); break;
    case 3: here->kind = static_cast<ReduceStepKind>(draw.below(5)); break;
    case 4: here->axes = {draw.of(parts)}; break;
    default: here->first = {draw.of(parts)}; break;
  }
  return program;
}

// Most are refused. The others are another way to the same end, and take no less than the bound.
TEST(ReduceReplay, WrongProgramsAreRefused) {
  Draw draw(2);
  ReduceGraphs graphs;
  int refused = 0;
  int taken = 0;
  while (refused + taken < 2000) {
    const auto drawn = random_reduction(draw);
    if (!drawn) continue;
    const PricedProgram best = best_program(graphs, drawn->cluster(), drawn->levels, drawn->payload_bytes, drawn->goal);
    ReduceProgram program = program_of(drawn->levels, best.program);
    std::vector<AxisPart> parts;
    for (const ReduceLevel& level : drawn->levels) parts.insert(parts.end(), level.axes.begin(), level.axes.end());
    program.stretches = 1;
    const ReduceProgram wrong = mutated(draw, program, parts);
    if (wrong == program) continue;
    verifier::ProgramFigures figures;
    ASSERT_FALSE(verifier::replay_program(drawn->request(), program, on_run(drawn->machine), figures));
    if (verifier::replay_program(drawn->request(), wrong, on_run(drawn->machine), figures)) {
      ++refused;
      continue;
    }
    ++taken;
    const double least = reduction_bound(drawn->cluster(), drawn->levels, drawn->payload_bytes, drawn->goal);
    EXPECT_GE(figures.seconds * (1 + 1e-12), least) << print(*drawn->mesh, wrong);
  }
  EXPECT_GE(refused, 1500);
}

TEST(ReduceReplay, SaysWhatIsWrong) {
  const MeshRef on = mesh("x:4,y:2");
  const RunMachine machine = on_run({{{"node", 2, 1e9, 1e-6}, {"device", 4, 1e9, 1e-6}}});
  verifier::ReductionRequest request;
  request.mesh = on;
  request.reduced = {whole_axis(*on, 0)};
  request.elements.assign(static_cast<std::size_t>(on->devices()), 12);
  const auto fault = [&](const char* text) {
    verifier::ProgramFigures figures;
    const auto found = verifier::replay_program(request, parse_reduce_program(*on, text).value(), machine, figures);
    return found.value_or("");
  };
  EXPECT_EQ(fault("all_reduce x"), "");
  EXPECT_EQ(fault("reduce_scatter x:(2)2; all_reduce x:(1)2; all_gather x:(2)2 in 3"), "");
  EXPECT_EQ(fault("all_reduce x ring"), "");
  EXPECT_EQ(fault("reduce x ring; broadcast x ring"), "step 1: in a ring only parts are passed on");
  EXPECT_EQ(fault("all_reduce y"), "step 1: its axes are not among the reduced ones");
  EXPECT_EQ(fault("all_reduce (x,x:(2)2)"), "step 1: its axes are no distinct parts of the mesh");
  EXPECT_EQ(fault("all_reduce x:(2)2; all_reduce x"), "step 2: it would add a contribution twice");
  EXPECT_EQ(fault("reduce x:(2)2; all_reduce x:(1)2"), "step 2: its devices hold nothing");
  EXPECT_EQ(fault("reduce x:(2)2; all_reduce x"), "step 2: its devices hold different chunks");
  EXPECT_EQ(fault("reduce_scatter x:(2)2; all_gather x:(1)2"), "step 2: its devices hold the same chunk");
  EXPECT_EQ(fault("reduce x:(2)2; all_gather x:(2)2"), "step 2: its devices do not hold equally many chunks");
  EXPECT_EQ(fault("all_reduce x; broadcast x"), "step 2: the first gives nothing");
  EXPECT_EQ(fault("all_reduce x:(2)2; broadcast x:(1)2"), "step 2: the first lacks what others hold");
  EXPECT_EQ(fault("all_reduce x:(2)2"), "device 0 lacks a part of chunk 0 in the end");
  request.scatters = true;
  EXPECT_EQ(fault("reduce_scatter x"), "");
  EXPECT_EQ(fault("all_reduce x"), "device 0 has chunk 1 in the end");
}

// Bytes by hand: of 12 elements each of four devices adds 3 parts of 3, and gets 9 sums.
TEST(ReduceReplay, Bytes) {
  const MeshRef on = mesh("x:4");
  verifier::ReductionRequest request;
  request.mesh = on;
  request.reduced = {whole_axis(*on, 0)};
  request.elements.assign(static_cast<std::size_t>(on->devices()), 12);
  request.element_bytes = 4;
  verifier::ProgramFigures figures;
  const RunMachine machine = on_run({{{"device", 4, 4, 1}}});
  ASSERT_FALSE(verifier::replay_program(request, parse_reduce_program(*on, "all_reduce x").value(), machine, figures));
  EXPECT_EQ(figures.received_bytes, (verifier::Numbers{72, 72, 72, 72}));
  EXPECT_EQ(figures.hops, 1);
  EXPECT_EQ(figures.seconds, 3 + 18);
  ASSERT_FALSE(
      verifier::replay_program(request, parse_reduce_program(*on, "all_reduce x halving").value(), machine, figures));
  EXPECT_EQ(figures.received_bytes, (verifier::Numbers{96, 96, 96, 96}));
  EXPECT_EQ(figures.hops, 2);
  EXPECT_EQ(figures.seconds, 2 + 24);
  ASSERT_FALSE(
      verifier::replay_program(request, parse_reduce_program(*on, "all_reduce x ring").value(), machine, figures));
  EXPECT_EQ(figures.received_bytes, (verifier::Numbers{72, 72, 72, 72}));
  EXPECT_EQ(figures.hops, 6);
  EXPECT_EQ(figures.seconds, 6 + 18);
}

}  // namespace
}  // namespace tessera::synth::test
