// Choices within limits of memory: against trying every layout and every set of copies of small programs.
#include <fmt/format.h>

#include <map>

#include "bench/choose/training.hpp"
#include "synth/choose/choose.hpp"
#include "synth/choose/memory_prices.hpp"
#include "synth/choose/search.hpp"
#include "synth/program/choice/memory.hpp"
#include "synth/program/compute_cost.hpp"
#include "synth/verify/choice.hpp"
#include "tests/synth/choose/choose_support.hpp"

namespace tessera::synth::test {
namespace {

// What a way to lay out a program takes, and what it needs on the device that needs most.
struct TimeAndMemory {
  double seconds = 0;
  std::int64_t bytes = 0;
};

// Tries every layout that the rules of types accept, and for every use to take the value as it is made or from a copy
// in any layout that a use may want. Bytes are added up moment by moment.
class TriedWays {
 public:
  TriedWays(const ChoiceProblem& problem, const Machine& machine)
      : problem_(problem), cache_(machine), devices_(with_every_device(machine, problem.mesh->devices_end())) {}

  // Those that no other one beats in both; nothing where there are too many ways.
  std::optional<std::vector<TimeAndMemory>> run() {
    for (const ChoiceNode& node : problem_.nodes) ways_.push_back(ways_of(node));
    for (std::uint32_t v = 0; v < problem_.values.size(); ++v) {
      for (std::size_t n = 0; n < problem_.nodes.size(); ++n) {
        for (std::size_t u = 0; u < problem_.nodes[n].uses.size(); ++u) {
          if (problem_.nodes[n].uses[u].value.value == v) uses_.push_back({n, u});
        }
      }
    }
    taken_.resize(problem_.nodes.size());
    lay_out(0, 0);
    if (tried_ > kMost) return std::nullopt;
    return best_;
  }

 private:
  static constexpr std::int64_t kMost = 400'000;
  using Layouts = std::vector<Layout>;  // of the uses and, last, the result

  std::vector<Layouts> ways_of(const ChoiceNode& node) const {
    if (node.operation) return accepted_layouts(problem_, node, {ReduceOp::sum});
    const ChoiceValueId value = node.result ? *node.result : node.uses[0].value;
    // Every layout of a value is one of a copy of it.
    ChoiceNode copy;
    copy.operation = Map{MapOp::copy};
    copy.uses = {{value, {}}};
    copy.result = value;
    std::vector<Layouts> ways;
    for (const Layouts& own : accepted_layouts(problem_, copy, {})) {
      if (!node.pin || *node.pin == own.back()) ways.emplace_back(node.uses.size() + 1, own.back());
    }
    return ways;
  }

  ArrayType type(ChoiceValueId value, const Layout& layout) const { return *type_in(problem_, value, layout); }

  void lay_out(std::size_t n, double seconds) {
    if (++tried_ > kMost) return;
    if (n == problem_.nodes.size()) {
      copies_.clear();
      return copy(0, seconds);
    }
    for (const Layouts& way : ways_[n]) {
      taken_[n] = &way;
      lay_out(n + 1, seconds + local(problem_.nodes[n], way));
    }
  }

  double local(const ChoiceNode& node, const Layouts& way) const {
    if (!node.operation) return 0;
    std::vector<ArrayType> operands;
    for (std::size_t u = 0; u < node.uses.size(); ++u) operands.push_back(type(node.uses[u].value, way[u]));
    return node.executions * local_seconds(devices_, *node.operation, operands, type(*node.result, way.back()));
  }

  const ChoiceNode& maker(ChoiceValueId value) const {
    return *std::ranges::find_if(problem_.nodes, [&](const auto& node) { return node.result == value; });
  }
  const Layout& made(ChoiceValueId value) const {
    return taken_[static_cast<std::size_t>(&maker(value) - problem_.nodes.data())]->back();
  }
  double seconds(ChoiceValueId value, const Layout& from, const Layout& to) {
    const auto key = std::pair(value, std::pair(from, to));
    const auto known = seconds_.find(key);
    if (known != seconds_.end()) return known->second;
    const auto plan = cache_.get(type(value, from), type(value, to));
    return seconds_.emplace(key, plan.ok() ? (*plan)->seconds : 1e30).first->second;
  }

  // Which copy use number k takes: of its own layout or of one that another use of the value wants.
  void copy(std::size_t k, double spent) {
    if (++tried_ > kMost) return;
    if (k == uses_.size()) return note(spent);
    const auto [n, u] = uses_[k];
    const ChoiceValueId value = problem_.nodes[n].uses[u].value;
    const Layout& wanted = (*taken_[n])[u];
    if (seconds(value, made(value), wanted) == 0) {
      copies_.push_back(nullptr);
      copy(k + 1, spent);
      copies_.pop_back();
      return;
    }
    std::set<Layout> tried;
    for (const auto& [m, w] : uses_) {
      if (problem_.nodes[m].uses[w].value != value) continue;
      const Layout& there = (*taken_[m])[w];
      if (seconds(value, there, wanted) != 0 || !tried.insert(there).second) continue;
      bool is_there = false;
      for (std::size_t j = 0; j < k; ++j) {
        const auto [before, use] = uses_[j];
        is_there = is_there || (problem_.nodes[before].uses[use].value == value && copies_[j] && *copies_[j] == there);
      }
      copies_.push_back(&there);
      copy(k + 1, spent + (is_there ? 0 : maker(value).executions * seconds(value, made(value), there)));
      copies_.pop_back();
    }
  }

  void note(double seconds) {
    const std::int64_t bytes = peak();
    if (std::ranges::any_of(best_, [&](const auto& own) { return own.seconds <= seconds && own.bytes <= bytes; }))
      return;
    std::erase_if(best_, [&](const auto& own) { return own.seconds >= seconds && own.bytes >= bytes; });
    best_.push_back({seconds, bytes});
  }

  std::int64_t peak() {
    std::int64_t most = 0;
    std::size_t end = 0;
    for (const ChoiceLife& life : problem_.lives) end = std::max(end, life.dies);
    for (std::int64_t device = 0; device < problem_.mesh->devices(); ++device) {
      std::vector<std::int64_t> held(end + 1, 0);
      for (const ChoiceLife& life : problem_.lives) {
        const std::int64_t bytes = tile_bytes(type(life.value, made(life.value)), device);
        for (std::size_t t = life.born; t <= life.dies; ++t) held[t] += bytes;
        add_copies(life, device, held);
      }
      most = std::max(most, *std::ranges::max_element(held));
    }
    return most;
  }

  void add_copies(const ChoiceLife& life, std::int64_t device, std::vector<std::int64_t>& held) {
    std::map<Layout, std::pair<std::size_t, std::size_t>> spans;
    for (const ChoiceRead& read : life.reads) {
      const auto at = std::ranges::find(uses_, std::pair(read.node, read.use));
      const Layout* const own = copies_[static_cast<std::size_t>(at - uses_.begin())];
      if (own == nullptr) continue;
      const auto span = spans.try_emplace(*own, read.moment, read.until).first;
      span->second.first = std::min(span->second.first, read.moment);
      span->second.second = std::max(span->second.second, read.until);
    }
    for (const auto& [layout, span] : spans) {
      for (std::size_t t = span.first; t <= span.second; ++t) held[t] += tile_bytes(type(life.value, layout), device);
      const auto plan = cache_.get(type(life.value, made(life.value)), type(life.value, layout)).value();
      std::int64_t between = 0;
      for (std::size_t s = 0; s + 1 < plan->steps.size(); ++s)
        between = std::max(between, tile_bytes(plan->steps[s].after, device));
      held[span.first] += between;
    }
  }

  const ChoiceProblem& problem_;
  PlanCache cache_;
  Machine devices_;
  std::vector<std::vector<Layouts>> ways_;
  std::vector<std::pair<std::size_t, std::size_t>> uses_;
  std::vector<const Layouts*> taken_;
  std::vector<const Layout*> copies_;  // of every use; nullptr: the value as it is made
  std::map<std::pair<ChoiceValueId, std::pair<Layout, Layout>>, double> seconds_;
  std::vector<TimeAndMemory> best_;
  std::int64_t tried_ = 0;
};

Machine with_memory(const Machine& machine, const Mesh& mesh, std::int64_t bytes) {
  Machine limited = with_every_device(machine, mesh.devices());
  for (DeviceKind& kind : limited.devices) kind.memory_bytes = bytes;
  return limited;
}

// ---- The headers' examples ----

ChoiceProblem sum_of_squares() {
  ChoiceProblem problem;
  problem.mesh = mesh("x:2");
  problem.axes = {0};
  const ChoiceValueId x = problem.add(ElementType::f32, {8, 8});
  const ChoiceValueId y = problem.add(ElementType::f32, {8, 8});
  const ChoiceValueId z = problem.add(ElementType::f32, {});
  problem.nodes.resize(4);
  problem.nodes[0].result = x;
  problem.nodes[1].operation = Map{MapOp::multiply};
  problem.nodes[1].uses = {{x, {}}, {x, {}}};
  problem.nodes[1].result = y;
  problem.nodes[2].operation = Reduce{ReduceKind::sum, {0, 1}};
  problem.nodes[2].uses = {{y, {}}};
  problem.nodes[2].result = z;
  problem.nodes[3].uses = {{z, {}}};
  problem.lives = lives_in_order(problem);
  return problem;
}

TEST(ExampleOf, Lives) {
  std::vector<std::pair<std::size_t, std::size_t>> spans;
  for (const ChoiceLife& life : sum_of_squares().lives) spans.emplace_back(life.born, life.dies);
  EXPECT_EQ(spans, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 8}, {3, 5}, {5, 8}}));
}

TEST(ExampleOf, MemoryPrices) {
  const ChoiceProblem problem = sum_of_squares();
  const Machine machine;
  const auto model = model_of(problem, machine, with_every_device(machine, 2));
  ASSERT_TRUE(model.ok());
  const Model priced = MemoryPrices(problem, **model).priced(**model, {{4, 0, 1}, {8, 0, 1}}, 0);
  for (const auto& [node, times] : {std::pair(0, 2), std::pair(1, 1)}) {
    const ModelNode& maker = priced.nodes[static_cast<std::size_t>(node)];
    for (const ModelStrategy& strategy : maker.strategies) {
      const Star& star = priced.stars[maker.slots.back().star];
      const ArrayType& made = star.prices->type(star.made[strategy.labels.back()]);
      EXPECT_EQ(strategy.seconds, static_cast<double>(times * tile_bytes(made, 0)));
    }
  }
}

// A search that begins where one at other prices has ended finds the same optimum, and its bound is right.
TEST(ChoiceMemory, SearchesMayBeginWhereOthersEnded) {
  Dice dice(23);
  std::size_t proved = 0;
  for (int i = 0; i < 20; ++i) {
    const MeshRef on = mesh(i % 2 == 0 ? "x:3" : "x:2,y:2");
    ChoiceProblem problem = random_problem(on, 4 + roll(dice, 10), dice);
    problem.lives = lives_in_order(problem);
    const Machine machine;
    const auto model = model_of(problem, machine, with_every_device(machine, on->devices()));
    ASSERT_TRUE(model.ok());
    const MemoryPrices memory(problem, **model);
    SearchStart start;
    std::vector<MemoryPrice> prices;
    for (int raise = 0; raise < 5; ++raise) {
      Model warm = memory.priced(**model, prices, 1);
      Model cold = warm;
      const Model all = warm;
      const Searched later = search(warm, {}, &start);
      const Searched first = search(cold, {});
      ASSERT_EQ(start.best.size(), all.nodes.size());
      const double seconds = seconds_of(warm, later.best);
      EXPECT_NEAR(seconds_of(all, start.best), seconds, 1e-9 * seconds);
      EXPECT_LE(later.bound, seconds_of(cold, first.best) * (1 + 1e-9));
      if (later.proof != ChoiceProof::limit && first.proof != ChoiceProof::limit) {
        EXPECT_NEAR(later.bound, first.bound, 1e-8 * first.bound + 1e-15);
        ++proved;
      }
      prices.push_back({roll(dice, 2 * all.nodes.size()), roll(dice, static_cast<std::size_t>(on->devices())),
                        1e-10 * static_cast<double>(1 + roll(dice, 1000))});
    }
  }
  EXPECT_GT(proved, 60U);
}

// Every limit between the least need of any way and that of the fastest: nothing chosen breaks it, no bound is above
// what trying everything finds, and what is said to be out of reach is.
TEST(ChoiceMemory, KeepsWithinLimitsAsTryingEverythingDoes) {
  Dice dice(11);
  const std::vector<MeshRef> meshes = {mesh("x:2"), mesh("x:3"), mesh("d:2 work(3,1)")};
  std::size_t limits = 0;
  std::size_t out_of_reach = 0;
  std::size_t proved = 0;
  std::size_t missed = 0;
  std::size_t slower = 0;
  for (std::size_t programs = 0; programs < 40;) {
    const MeshRef& on = meshes[roll(dice, meshes.size())];
    ChoiceProblem problem = random_problem(on, 1 + roll(dice, 3), dice);
    problem.lives = lives_in_order(problem);
    const std::vector<Machine> machines = machines_of(*on);
    const Machine machine = machines[roll(dice, machines.size())];
    const auto ways = TriedWays(problem, machine).run();
    if (!ways) continue;
    ++programs;
    for (const TimeAndMemory& way : *ways) {
      for (const std::int64_t limit : {way.bytes, way.bytes - 1}) {
        double least = 1e30;
        for (const TimeAndMemory& own : *ways) least = own.bytes <= limit ? std::min(least, own.seconds) : least;
        const LayoutChoice choice = verified_choice(problem, with_memory(machine, *on, limit));
        SCOPED_TRACE(fmt::format("program {} on {}, {} bytes", programs, print(*on), limit));
        ++limits;
        if (least == 1e30) {
          ASSERT_TRUE(choice.shortage.has_value());
          EXPECT_LE(choice.shortage->least_bytes, limit + 1);
          ++out_of_reach;
          proved += choice.shortage->least_bytes > limit ? 1 : 0;
          continue;
        }
        EXPECT_LE(choice.bound_seconds, least * (1 + 2e-9));
        if (choice.shortage) {
          EXPECT_LE(choice.shortage->least_bytes, limit);
          ++missed;
          continue;
        }
        EXPECT_GE(choice.seconds, least * (1 - 2e-9));
        if (choice.seconds > least * (1 + 2e-9)) ++slower;
      }
    }
  }
  fmt::print("{} limits, {} out of reach, of which {} were proved; {} missed; {} slower than the best\n", limits,
             out_of_reach, proved, missed, slower);
  EXPECT_LE(missed * 20, limits);
  EXPECT_LE(slower * 5, limits);
}

}  // namespace
}  // namespace tessera::synth::test
