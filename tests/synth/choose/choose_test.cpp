// Choosing layouts: the space against the rules of types, the search against trying everything, and worked examples.
#include "synth/choose/choose.hpp"

#include <atomic>
#include <chrono>

#include "bench/choose/training.hpp"
#include "synth/choose/space.hpp"
#include "synth/choose/star.hpp"
#include "synth/program/compute_cost.hpp"
#include "synth/program/fetched_parts.hpp"
#include "synth/program/program.hpp"
#include "synth/program/type_rules.hpp"
#include "synth/verify/choice.hpp"
#include "tests/synth/choose/choose_properties.hpp"
#include "tests/synth/choose/choose_support.hpp"

namespace tessera::synth::test {
namespace {

// ---- The space ----

struct Row {
  Operation operation;
  std::vector<Shape> operands;
  Shape result;
  ElementType element = ElementType::f32;
  std::vector<ElementType> elements = {};  // of operands; the result's if there are none
  bool scales_sums = true;
  std::vector<ReduceOp> kinds = {ReduceOp::sum};
};

std::vector<Row> rows() {
  const Shape matrix{4, 6};
  const auto bools = ElementType::boolean;
  const auto ids = ElementType::i64;
  std::vector<Row> all = {
      {Map{MapOp::add}, {matrix, matrix}, matrix},
      {Map{MapOp::add}, {matrix, {6}}, matrix},
      {Map{MapOp::add}, {matrix, {4, 1}}, matrix},
      {Map{MapOp::multiply}, {matrix, {}}, matrix},
      {Map{MapOp::multiply}, {matrix, matrix}, matrix},
      {Map{MapOp::divide}, {matrix, matrix}, matrix},
      {Map{MapOp::maximum}, {matrix, matrix}, matrix},
      {Map{MapOp::negate}, {matrix}, matrix},
      {Map{MapOp::exp}, {matrix}, matrix},
      {Map{MapOp::copy}, {{6}}, matrix},
      {Map{MapOp::select},
       {matrix, matrix, matrix},
       matrix,
       ElementType::f32,
       {bools, ElementType::f32, ElementType::f32}},
      {Reduce{ReduceKind::sum, {0}}, {matrix}, {6}},
      {Reduce{ReduceKind::max, {1}}, {matrix}, {4}},
      {Reduce{ReduceKind::product, {1}}, {matrix}, {4}},
      {ArgReduce{true, {0}}, {matrix}, {6}, ids, {ElementType::f32}},
      {Contract{{{0, 1}, {1, 2}}, {0, 2}}, {{4, 6}, {6, 5}}, {4, 5}},
      {Contract{{{0, 1}, {0, 1}}, {}}, {matrix, matrix}, {}},
      {Contract{{{0, 0}}, {0}}, {{4, 4}}, {4}},
      {Scan{1, false}, {matrix}, matrix},
      {Sort{}, {matrix}, matrix},
      {Greatest{2, false}, {matrix}, {4, 2}},
      {Transpose{{1, 0}}, {matrix}, {6, 4}},
      {Take{}, {{7, 4}, {6}}, {6, 4}, ElementType::f32, {ElementType::f32, ids}},
      {ScatterAdd{}, {{6, 4}, {6}}, {7, 4}, ElementType::f32, {ElementType::f32, ids}},
      {OneHot{}, {{6}}, {6, 5}, ElementType::f32, {ids}},
      {Reshape{}, {{4, 6}}, {24}},
      {Reshape{}, {{4, 6}}, {4, 2, 3}},
      {Iota{}, {}, matrix},
      {Fill{}, {{}}, matrix},
      {Lay{{{1, 2, 1}, {0, 6, 2}}}, {matrix, matrix}, matrix},
      {Lay{{{1, 2, 1}, {0, 6, 2}}}, {matrix, {4, 1}}, matrix},
      {MatrixFunction{MatrixOp::solve}, {{4, 6, 6}, {4, 6, 5}}, {4, 6, 5}},
  };
  const Part slice{0, {Placement{-1}, Placement{}}};
  const Part one{0, {Placement{-1}, Placement{}}};
  const Part laid{1, {Placement{1}, Placement{}}};
  all.push_back({Assemble{false, {slice}}, {{6, 6}}, matrix});
  all.push_back({Assemble{false, {one}}, {{6, 6}}, {1, 6}});
  all.push_back({Assemble{true, {laid}}, {{6, 6}, matrix}, {6, 6}});
  for (const std::size_t row : {6U, 12U, 21U}) all[row].kinds = {ReduceOp::sum, ReduceOp::max, ReduceOp::min};
  for (const std::size_t row : {3U, 4U, 13U}) all[row].kinds = {ReduceOp::sum, ReduceOp::product};
  Row integers = all[15];
  integers.element = ElementType::i64;
  integers.scales_sums = false;
  all.push_back(integers);
  Row factors = all[4];  // products of floats pass where parts of sums may not be scaled
  factors.scales_sums = false;
  all.push_back(factors);
  return all;
}

std::set<std::vector<Layout>> space_of_row(const ChoiceProblem& problem, const ChoiceNode& node,
                                           const std::vector<ReduceOp>& kinds = {ReduceOp::sum}) {
  std::vector<ChoiceValue> operands;
  for (const ChoiceUse& use : node.uses) operands.push_back(problem[use.value]);
  std::set<std::vector<Layout>> all;
  for (const Strategy& own : strategies_of(space_of(problem), node, operands, problem[*node.result], kinds)) {
    std::vector<Layout> layouts = own.operands;
    layouts.push_back(own.result);
    all.insert(layouts);
  }
  return all;
}

ChoiceProblem problem_of(const Row& row, const MeshRef& on) {
  ChoiceProblem problem;
  problem.mesh = on;
  for (std::size_t a = 0; a < on->axes().size(); ++a) problem.axes.push_back(a);
  ChoiceNode node;
  node.operation = row.operation;
  node.scales_sums = row.scales_sums;
  for (std::size_t k = 0; k < row.operands.size(); ++k)
    node.uses.push_back({problem.add(row.elements.empty() ? row.element : row.elements[k], row.operands[k]), {}});
  node.result = problem.add(row.element, row.result);
  problem.nodes.push_back(node);
  return problem;
}

// In more parts than it has elements?
bool is_split_too_often(const Shape& shape, const Layout& layout) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shard_count(layout.split(d)) > shape[d]) return true;
  }
  return false;
}

bool is_no_strategy(const Row& row, const std::vector<Layout>& layouts) {
  // What makes an array without another one could make it as a sum, which somebody then would have to finish.
  const bool is_made_as_sum =
      row.operands.size() <= 1 && !layouts.back().pending().empty() &&
      (std::holds_alternative<Iota>(row.operation) || std::holds_alternative<Fill>(row.operation));
  // Rows that are fetched or delivered: docs/automatic.md, section 7, leaves them out.
  const bool is_finished = layouts.back().pending().empty();
  const bool is_fetched =
      is_finished && std::holds_alternative<Take>(row.operation) && !layouts.front().split(0).empty();
  const bool is_delivered =
      is_finished && std::holds_alternative<ScatterAdd>(row.operation) && !layouts[1].split(0).empty();
  // Parts that lie otherwise than what is made of them: as the rules of `language.md` lay no slice.
  const bool is_assembled =
      std::holds_alternative<Assemble>(row.operation) && layouts[layouts.size() - 2] != layouts.back();
  return is_made_as_sum || is_fetched || is_delivered || is_assembled || is_split_too_often(row.result, layouts.back());
}

TEST(ChoiceSpace, HoldsWhatTheRulesOfTypesAccept) {
  for (const char* text : {"x:2", "x:3", "x:2,y:2"}) {
    const MeshRef on = mesh(text);
    for (const Row& row : rows()) {
      const ChoiceProblem problem = problem_of(row, on);
      const std::set<std::vector<Layout>> space = space_of_row(problem, problem.nodes[0], row.kinds);
      const auto accepted = accepted_layouts(problem, problem.nodes[0], row.kinds);
      const std::set<std::vector<Layout>> all(accepted.begin(), accepted.end());
      for (const std::vector<Layout>& own : space)
        EXPECT_TRUE(all.contains(own)) << describe(row.operation) << " on " << text << ": a strategy is refused";
      for (const std::vector<Layout>& own : all)
        EXPECT_TRUE(space.contains(own) || is_no_strategy(row, own))
            << describe(row.operation) << " on " << text << ": a strategy is missing";
      EXPECT_FALSE(space.empty());
    }
  }
}

TEST(ChoiceSpace, LetsNoPartOfAFloatSumBeMultipliedUnlessTheProgramSaysSo) {
  Row row{Contract{{{0, 1}, {1, 2}}, {0, 2}}, {{4, 6}, {6, 5}}, {4, 5}};
  EXPECT_EQ(space_of_row(problem_of(row, mesh("x:2")), problem_of(row, mesh("x:2")).nodes[0]).size(), 6U);
  row.scales_sums = false;
  EXPECT_EQ(space_of_row(problem_of(row, mesh("x:2")), problem_of(row, mesh("x:2")).nodes[0]).size(), 4U);
}

TEST(ChoiceSpace, LaysPartsTogetherAsTheResultLies) {
  Part part{0, {Placement{}, Placement{}}};
  Part next{1, {Placement{4, -1, false, false, 0}, Placement{}}};
  Row row{Assemble{false, {part, next}}, {{4, 6}, {4, 6}}, {8, 6}};
  const ChoiceProblem problem = problem_of(row, mesh("x:2"));
  const auto space = space_of_row(problem, problem.nodes[0]);
  EXPECT_EQ(space.size(), 4U);  // along dimension 0, where parts are fetched, along 1, as sums, or whole
  for (const std::vector<Layout>& own : space) EXPECT_EQ(own[0], own[2]);
}

// What is too short to be split is whole beside parts that are.
TEST(ChoiceSpace, HasShortPartsWhole) {
  Part part{0, {Placement{}}};
  Part next{1, {Placement{7}}};
  Row row{Assemble{false, {part, next}}, {{7}, {1}}, {8}};
  const ChoiceProblem problem = problem_of(row, mesh("x:2"));
  const auto space = space_of_row(problem, problem.nodes[0]);
  EXPECT_EQ(space.size(), 3U);
  for (const std::vector<Layout>& own : space) EXPECT_TRUE(own[1].split(0).empty());
}

// Along what is laid over a base and is cut off there, nothing is split.
TEST(ChoiceSpace, SplitsNoPartThatLiesPartlyOutside) {
  Row row{Assemble{true, {Part{1, {Placement{-1}}}}}, {{6}, {6}}, {6}};
  const ChoiceProblem problem = problem_of(row, mesh("x:2"));
  EXPECT_EQ(space_of_row(problem, problem.nodes[0]).size(), 2U);
}

// ---- The headers' examples ----

// x @ w, with x split by rows and w open.
ChoiceProblem product_of(const char* mesh_text, const char* type_of_x, const Shape& w_shape) {
  ChoiceProblem problem;
  problem.mesh = mesh(mesh_text);
  problem.axes = {0};
  const ArrayType x_type = type(type_of_x, problem.mesh);
  const ChoiceValueId x = problem.add(ElementType::f32, x_type.shape());
  const ChoiceValueId w = problem.add(ElementType::f32, w_shape);
  const ChoiceValueId y = problem.add(ElementType::f32, {x_type.shape()[0], w_shape[1]});
  problem.nodes.resize(4);
  problem.nodes[0].result = x;
  if (!x_type.layout().is_replicated()) problem.nodes[0].pin = x_type.layout();
  problem.nodes[1].result = w;
  problem.nodes[2].operation = Contract{{{0, 1}, {1, 2}}, {0, 2}};
  problem.nodes[2].uses = {{x, {}}, {w, {}}};
  problem.nodes[2].result = y;
  problem.nodes[3].uses = {{y, {}}};
  return problem;
}

TEST(ExampleOf, Problem) {
  const ChoiceProblem problem = product_of("d:4", "f32[64@d,32]", {32, 16});
  EXPECT_NO_THROW(check_problem(problem));
  PlanCache cache{Machine{}};
  const auto choice = choose(problem, cache);
  ASSERT_TRUE(choice.ok());
  EXPECT_TRUE(choice->conversions.empty());
  EXPECT_EQ(*choice->nodes[2].result, type("f32[64@d,16]", problem.mesh).layout());
}

TEST(ExampleOf, Choose) {
  Machine machine;
  machine.levels = {{"device", 2, 1, 0}};
  PlanCache cache(machine);
  const auto choice = choose(product_of("x:2", "f32[2,4]", {4, 2}), cache);
  ASSERT_TRUE(choice.ok());
  EXPECT_TRUE(choice->conversions.empty());
  EXPECT_EQ(choice->seconds, choice->local_seconds);
  EXPECT_EQ(choice->gap(), 0);
}

TEST(ExampleOf, Space) {
  Row row{Contract{{{0, 1}, {1, 2}}, {0, 2}}, {{4, 6}, {6, 5}}, {4, 5}};
  row.scales_sums = false;
  EXPECT_EQ(space_of_row(problem_of(row, mesh("x:4")), problem_of(row, mesh("x:4")).nodes[0]).size(), 4U);
  row.element = ElementType::i64;
  EXPECT_EQ(space_of_row(problem_of(row, mesh("x:4")), problem_of(row, mesh("x:4")).nodes[0]).size(), 6U);
}

TEST(ExampleOf, Assemblings) {
  const MeshRef on = mesh("x:2");
  const auto space = [&](std::int64_t first, std::int64_t length) {
    const Row row{Assemble{false, {Part{0, {Placement{-first}}}}}, {{6}}, {length}, ElementType::i32, {}, true, {}};
    const ChoiceProblem problem = problem_of(row, on);
    return space_of_row(problem, problem.nodes[0], {});
  };
  const Layout whole = Layout::replicated(1);
  const Layout split = type("f32[6@x]", on).layout();
  EXPECT_EQ(space(1, 4), (std::set<std::vector<Layout>>{{whole, whole}, {split, split}}));
  EXPECT_EQ(space(3, 1), (std::set<std::vector<Layout>>{{whole, whole}, {split, whole}}));
}

TEST(ExampleOf, FetchedParts) {
  const MeshRef on = mesh("x:2");
  const Assemble slice{false, {Part{0, {Placement{-2}}}}};
  const Machine machine;
  const auto fitting = machine_for(machine, 2);
  const FetchedParts fetched = fetched_parts(slice, {type("f32[6@x]", on)}, type("f32[4@x]", on), fitting.value());
  EXPECT_EQ(fetched.received_bytes, 4);
  EXPECT_GT(fetched.seconds, 0);
}

TEST(ExampleOf, Star) {
  const MeshRef on = mesh("x:4");
  const Machine machine;
  LayoutPrices prices(on, ElementType::f32, {8, 8}, machine);
  Star star;
  star.prices = &prices;
  star.of_readers = {1, 1, 1};
  star.made = {prices.number_of(type("f32[8@x,8]", on).layout())};
  star.wanted = {prices.number_of(Layout::replicated(2)), star.made[0]};
  star.seconds = {prices.seconds(star.made[0], star.wanted[0]), 0};
  star.free = {0, 1};
  star.served = {{0, 1}, {1}};
  const std::vector<StarCopy> copies = copies_of(star, 0, {0, 0, 1});
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].readers & 3U, 3U);
  EXPECT_EQ(cost_of(star, 0, {0, 0, 1}), star.seconds[0]);
}

// ---- The search ----

TEST(Choice, IsWhatTryingEverythingFinds) { expect_equal_to_enumeration(40, 1); }
TEST(Choice, IsFoundByAscentEliminationAndWalkAlike) { expect_agreement(20, 2); }
TEST(Choice, HasNoBetterRival) { expect_no_better_rival(8, 3); }
TEST(Choice, ByRoundsIsNearTheBest) { expect_rounds_near_the_best(2, 4); }

// sum(x @ w) with seconds that are small numbers: the product takes 15; the sum 1 where the product is split, 2 where
// every device has all of it; to gather w takes 10. To finish the sum takes next to nothing.
ChoiceProblem toy(const char* layout_of_w, bool is_gathered = false) {
  ChoiceProblem problem;
  problem.mesh = mesh("x:2");
  problem.axes = {0};
  const ChoiceValueId x = problem.add(ElementType::f32, {64, 8});
  const ChoiceValueId w = problem.add(ElementType::f32, {8, 64});
  const ChoiceValueId y = problem.add(ElementType::f32, {64, 64});
  const ChoiceValueId sum = problem.add(ElementType::f32, {});
  const auto parameter = [&](ChoiceValueId value) {
    problem.nodes.emplace_back();
    problem.nodes.back().result = value;
  };
  const auto add = [&](const std::optional<Operation>& operation, std::vector<ChoiceUse> uses) {
    problem.nodes.emplace_back();
    problem.nodes.back().operation = operation;
    problem.nodes.back().uses = std::move(uses);
  };
  parameter(x);
  parameter(w);
  if (layout_of_w != nullptr) problem.nodes.back().pin = type(layout_of_w, problem.mesh).layout();
  add(Contract{{{0, 1}, {1, 2}}, {0, 2}}, {{x, {}}, {w, {}}});
  problem.nodes.back().result = y;
  add(Reduce{ReduceKind::sum, {0, 1}}, {{y, {}}});
  problem.nodes.back().result = sum;
  add(std::nullopt, {{sum, {}}});
  if (!is_gathered) return problem;
  ChoiceNode whole;
  whole.uses = {{w, {}}};
  whole.pin = Layout::replicated(2);
  whole.result = problem.add(ElementType::f32, {8, 64});
  problem.nodes[2].uses[1].value = *whole.result;
  problem.nodes.insert(problem.nodes.begin() + 2, whole);
  return problem;
}

Machine toy_machine() {
  Machine machine;
  machine.levels = {{"device", 2, 102.4, 0}};  // half of w is 1,024 bytes
  machine.devices = {{2, 64.0 * 64 * 8 / 15, 2.0 * 64 * 64, 0}};
  return machine;
}

TEST(ExampleOf, ToyOfAProduct) {
  EXPECT_NEAR(verified_choice(toy(nullptr), toy_machine()).seconds, 16, 0.1);
  const LayoutChoice contracted = verified_choice(toy("f32[8@x,64]"), toy_machine());
  EXPECT_NEAR(contracted.seconds, 17, 0.1);
  EXPECT_EQ(contracted.nodes[2].result->pending().size(), 1U);
  EXPECT_NEAR(verified_choice(toy("f32[8@x,64]", true), toy_machine()).seconds, 26, 0.1);
}

TEST(Choice, CountsACopyOnceForAllWhoWantIt) {
  ChoiceProblem problem = toy("f32[8@x,64]");
  const ChoiceValueId w{1};
  for (int i = 0; i < 3; ++i) {
    ChoiceNode sorted;
    sorted.operation = Scan{0, false};
    sorted.uses = {{w, {}}};
    sorted.result = problem.add(ElementType::f32, {8, 64});
    ChoiceNode whole;
    whole.uses = {{*sorted.result, {}}};
    whole.pin = Layout::replicated(2);
    problem.nodes.push_back(sorted);
    problem.nodes.push_back(whole);
  }
  const LayoutChoice choice = verified_choice(problem, toy_machine());
  std::size_t copies = 0;
  for (const ChosenConversion& own : choice.conversions) copies += own.value == w && own.plan->seconds > 0 ? 1 : 0;
  EXPECT_EQ(copies, 1U);
}

// A value of more readers than a star takes hands some of them on, and the verifier sees nothing amiss.
TEST(Choice, ServesAnyNumberOfReaders) {
  for (const std::size_t readers : {8U, 9U, 20U}) {
    ChoiceProblem problem = toy("f32[8@x,64]");
    for (std::size_t i = 0; i < readers; ++i) {
      ChoiceNode node;
      node.operation = Scan{static_cast<std::uint8_t>(i % 2), false};
      node.uses = {{ChoiceValueId{1}, {}}};
      node.result = problem.add(ElementType::f32, {8, 64});
      problem.nodes.push_back(node);
    }
    const LayoutChoice choice = verified_choice(problem, toy_machine());
    EXPECT_NE(choice.proof, ChoiceProof::limit);
    // Whole, by columns, and once more for those that are handed on.
    EXPECT_LE(choice.conversions.size(), 5U);
  }
}

// A step of a stencil over rows, and a product with a matrix that is whole.
ChoiceProblem stencil_of(const char* layout_of_u) {
  ChoiceProblem problem;
  problem.mesh = mesh("d:4");
  problem.axes = {0};
  const auto add = [&](const Shape& shape, std::optional<Operation> operation, std::vector<ChoiceUse> uses) {
    ChoiceNode node;
    node.operation = std::move(operation);
    node.uses = std::move(uses);
    node.result = problem.add(ElementType::f32, shape);
    problem.nodes.push_back(std::move(node));
    return *problem.nodes.back().result;
  };
  const ChoiceValueId u = add({1026, 64}, std::nullopt, {});
  if (layout_of_u != nullptr) problem.nodes.back().pin = type(layout_of_u, problem.mesh).layout();
  const ChoiceValueId w = add({64, 64}, std::nullopt, {});
  problem.nodes.back().pin = Layout::replicated(2);
  const auto rows_from = [&](std::int64_t first) {
    return add({1024, 64}, Assemble{false, {Part{0, {Placement{-first}, Placement{}}}}}, {{u, {}}});
  };
  const ChoiceValueId above = rows_from(0);
  const ChoiceValueId below = rows_from(2);
  const ChoiceValueId sum = add({1024, 64}, Map{MapOp::add}, {{above, {}}, {below, {}}});
  const ChoiceValueId y = add({1024, 64}, Contract{{{0, 1}, {1, 2}}, {0, 2}}, {{sum, {}}, {w, {}}});
  ChoiceNode finished;
  finished.uses = {{y, {}}};
  problem.nodes.push_back(finished);
  return problem;
}

TEST(Choice, FetchesTheRowsThatAStencilLacks) {
  Machine machine;
  machine.levels = {{"device", 4, 1e9, 1e-6}};
  const LayoutChoice rows = verified_choice(stencil_of("f32[1026@d,64]"), machine);
  for (const ChosenConversion& own : rows.conversions) EXPECT_EQ(own.plan->seconds, 0);
  EXPECT_EQ(*rows.nodes[2].result, type("f32[1024@d,64]", mesh("d:4")).layout());
  const LayoutChoice free = verified_choice(stencil_of(nullptr), machine);
  for (const char* by_hand : {"f32[1026,64]", "f32[1026@d,64]", "f32[1026,64@d]"})
    EXPECT_LE(free.seconds, verified_choice(stencil_of(by_hand), machine).seconds * (1 + 1e-9)) << by_hand;
}

// Of 1,026 rows on four devices the first two have 257 and the last ones 256; of 1,024 each has 256.
TEST(Choice, PricesFetchedRowsAsTheirPlanDoes) {
  Machine machine;
  machine.levels = {{"device", 4, 1e9, 1e-6}};
  const Machine every = with_every_device(machine, 4);
  const MeshRef on = mesh("d:4");
  const ArrayType from = type("f32[1026@d,64]", on);
  const ArrayType to = type("f32[1024@d,64]", on);
  const Assemble slice{false, {Part{0, {Placement{-2}, Placement{}}}}};
  const auto fitting = machine_for(machine, 4);
  const double copied = local_seconds(every, slice, {type("f32[1026,64]", on)}, to);
  const FetchedParts fetched = fetched_parts(slice, {from}, to, fitting.value());
  EXPECT_GT(fetched.seconds, 0);
  EXPECT_DOUBLE_EQ(local_seconds(every, slice, {from}, to), copied + fetched.seconds);
}

// A parameter lies as its next value does, so that a step can follow a step.
TEST(Choice, TiesAParameterToItsNextValue) {
  const ChoiceProblem problem = bench::perceptron(mesh("d:4"), {64, {32, 64, 16}}, true);
  const LayoutChoice choice = verified_choice(problem);
  for (std::size_t n = 0; n < problem.nodes.size(); ++n) {
    if (problem.nodes[n].operation || problem.nodes[n].uses.empty() || !problem.nodes[n].result) continue;
    EXPECT_EQ(choice.nodes[n].uses[0].layout, *choice.nodes[n].result);
  }
}

TEST(Choice, IsTheSameEachTime) {
  Dice dice(7);
  for (int i = 0; i < 4; ++i) {
    const ChoiceProblem problem = random_problem(mesh("x:2,y:2"), 8, dice);
    const LayoutChoice first = verified_choice(problem);
    const LayoutChoice second = verified_choice(problem);
    EXPECT_EQ(first.seconds, second.seconds);
    EXPECT_EQ(first.bound_seconds, second.bound_seconds);
    for (std::size_t n = 0; n < first.nodes.size(); ++n) EXPECT_EQ(first.nodes[n].result, second.nodes[n].result);
  }
}

TEST(Choice, EndsWhenItIsStopped) {
  const ChoiceProblem problem = bench::transformer(mesh("x:2,y:4"), {}, true);
  const std::atomic<bool> flag = true;
  PlanCache cache{Machine{}};
  const auto begin = std::chrono::steady_clock::now();
  const auto choice = choose(problem, cache, {}, base::StopToken(&flag));
  EXPECT_EQ(first_error(choice), "interrupted");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(200));
}

// ---- The verifier ----

TEST(ChoiceVerifier, FindsEveryFault) {
  const ChoiceProblem problem = toy("f32[8@x,64]");
  const LayoutChoice right = verified_choice(problem, toy_machine());
  const auto faulty = [&](const std::function<void(LayoutChoice&)>& change) {
    LayoutChoice wrong = right;
    change(wrong);
    return fault_of_choice(problem, wrong, toy_machine()).value_or("");
  };
  EXPECT_THAT(faulty([](auto& c) { c.seconds *= 0.9; }), testing::HasSubstr("take another time"));
  EXPECT_THAT(faulty([](auto& c) { c.local_seconds *= 0.9; }), testing::HasSubstr("local steps"));
  EXPECT_THAT(faulty([](auto& c) { c.bound_seconds *= 2; }), testing::HasSubstr("bound"));
  EXPECT_THAT(faulty([](auto& c) { c.nodes[1].result = Layout::replicated(2); }), testing::HasSubstr("text"));
  EXPECT_THAT(faulty([](auto& c) { c.nodes[2].uses[0].layout = Layout::replicated(2); }), testing::HasSubstr("node 2"));
  EXPECT_THAT(faulty([](auto& c) { c.nodes[4].uses[0].copy.reset(); }), testing::HasSubstr("does not find"));
  EXPECT_THAT(faulty([](auto& c) { c.conversions.clear(); }), testing::HasSubstr("does not find"));
  EXPECT_THAT(faulty([](auto& c) { c.conversions[0].executions = 0; }), testing::HasSubstr("too seldom"));
  EXPECT_THAT(faulty([](auto& c) { c.nodes.pop_back(); }), testing::HasSubstr("as many nodes"));
}

}  // namespace
}  // namespace tessera::synth::test
