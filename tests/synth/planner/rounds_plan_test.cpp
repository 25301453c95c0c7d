// Plans within a budget: rounds where they are needed, as few as will do, refused exactly where nothing helps.
#include <algorithm>

#include "synth/moves/collective/rounds.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/planner/choice.hpp"
#include "synth/planner/figures.hpp"
#include "synth/planner/steps.hpp"
#include "synth/planner/text/print_json.hpp"
#include "synth/planner/text/print_text.hpp"
#include "synth/planner/text/read_json.hpp"
#include "synth/verify/verify.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

using ::testing::HasSubstr;

PlanOptions within(std::int64_t bytes) {
  PlanOptions options;
  options.within_bytes = bytes;
  return options;
}

std::int64_t launches(const Plan& plan) {
  return std::count_if(plan.steps.begin(), plan.steps.end(), [](const PlanStep& s) { return is_launch(s.collective); });
}

bool has_rounds(const Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(),
                     [](const PlanStep& step) { return round_of(step.collective) != nullptr; });
}

// The least budget that the planner says it would accept.
std::int64_t least_budget(const ArrayType& from, const ArrayType& to, PlanOptions options = within(0)) {
  const auto refused = plan(from, to, Machine{}, options);
  if (refused.ok()) return 0;
  const std::string json = print_json_error(from, to, Planner::tessera, refused.errors()[0]);
  const std::string_view key = "\"least_bytes\": ";
  return std::stoll(json.substr(json.find(key) + key.size()));
}

// The time of one exchange in so many rounds.
double seconds_in_rounds(const ArrayType& from, const ArrayType& to, std::size_t dimension, std::int64_t count) {
  const auto machine = machine_for(Machine{}, from.devices());
  Prices prices(*machine);
  Chain chain;
  for (std::int64_t index = 0; index < count; ++index) {
    chain.push_back(exchange_step(to));
    chain.back().recipe = Round{index, count, dimension};
  }
  return priced(prices, from, to, Planner::tessera, chain)->seconds;
}

// ---- By name ----

struct FirstProgram {
  MeshRef on = mesh("x:4,y:2");
  ArrayType from = type("f32[16@y,16,16@x]", on);
  ArrayType to = type("f32[16,16@(x,y),16]", on);
};

TEST(RoundPlans, AreNotMadeWhereWholeStepsFit) {
  const FirstProgram first;
  const Plan change = planned(first.from, first.to, within(4096));
  EXPECT_EQ(print_json(change), print_json(planned(first.from, first.to)));
  EXPECT_EQ(change.peak_bytes, 4096);
}

TEST(RoundPlans, NeedLessThanOneLaunch) {
  const FirstProgram first;
  const Plan change = planned(first.from, first.to, within(4095));
  ASSERT_EQ(change.steps.size(), 2U);
  EXPECT_EQ(change.peak_bytes, 3072);  // of 2048 in and 2048 out, half is there twice
  EXPECT_EQ(change.local_bytes_max, 2048);
  EXPECT_EQ(change.received_bytes_total, change.lower_bound_bytes_total);
  for (std::size_t k = 0; k < 2; ++k) {
    const PlanStep& step = change.steps[k];
    EXPECT_EQ(kind_of(step.collective), CollectiveKind::exchange);
    EXPECT_EQ(detail(step.collective, first.on.operator*()), k == 0 ? "round 1 of 2" : "round 2 of 2");
    EXPECT_EQ(step.after, first.to);
    EXPECT_EQ(step.local_bytes_max, 2048);
  }
  expect_moves_data(change);
}

TEST(RoundPlans, HaveTheLeastPeakInAsManyRoundsAsATileHasRows) {
  const FirstProgram first;
  EXPECT_EQ(least_budget(first.from, first.to), 2048 + 2048 / 8);
  const Plan change = planned(first.from, first.to, within(2304));
  EXPECT_EQ(launches(change), 8);
  EXPECT_EQ(round_of(change.steps[0].collective)->dimension, 0U);
  EXPECT_EQ(first_error(plan(first.from, first.to, Machine{}, within(2303))), "over-budget");
  expect_moves_data(change);
}

TEST(RoundPlans, CutNamedCollectivesToo) {
  const MeshRef on = mesh("x:4");
  for (const auto& [from, to] : {std::pair{"i32[8@x,8]", "i32[8,8]"},
                                 {"i32[8@x,8]", "i32[8,8@x]"},
                                 {"i32[8@x,8]", "i32[8@(x:(2)2,x:(1)2),8]"}}) {
    const Plan whole = planned(type(from, on), type(to, on));
    ASSERT_EQ(whole.steps.size(), 1U);
    EXPECT_NE(kind_of(whole.steps[0].collective), CollectiveKind::exchange);
    const Plan change = planned(type(from, on), type(to, on), within(whole.peak_bytes - 1));
    EXPECT_TRUE(has_rounds(change));
    EXPECT_LE(change.seconds, seconds_in_rounds(whole.from, whole.to, 0, 2) * kAsFast) << print_text(change);
    expect_moves_data(change);
  }
}

TEST(RoundPlans, KeepReductionsBeforeThem) {
  const MeshRef on = mesh("x:2,y:2");
  const ArrayType from = type("i32[8,8@y]{+x}", on);
  const ArrayType to = type("i32[8@(y,x),8]", on);
  const Plan whole = planned(from, to);
  // 128 bytes are summed into 64, which the exchange moves to 64 others.
  const std::int64_t least = least_budget(from, to);
  EXPECT_GE(least, 192);
  EXPECT_LE(least, whole.peak_bytes);
  expect_moves_data(planned(from, to, within(least)));
}

TEST(RoundPlans, KeepOneReplicaAfterThem) {
  const MeshRef on = mesh("x:4,y:2");
  const ArrayType from = type("i32[32,8@x]", on);
  const ArrayType to = type("i32[32@x,8]{+y}", on);
  const std::int64_t tile = 32 * 2 * 4;
  EXPECT_EQ(least_budget(from, to), tile / 2 + tile);  // keeping is one step, in and out; each replica keeps a half
  const MeshRef wide = mesh("x:4,y:2");
  const ArrayType larger = type("i32[32,8]", wide);
  const Plan change = planned(larger, to, within(least_budget(larger, to)));
  expect_moves_data(change);
}

TEST(RoundPlans, GoOverARefinementWhereThatTakesFewerLaunches) {
  const MeshRef on = mesh("x:4,y:4");
  const ArrayType from = type("i32[16@x,16,4]", on);
  const ArrayType to = type("i32[16,16@x,4]", on);
  const std::int64_t tile = 4 * 16 * 4 * 4;
  // A quarter of the target at first, then the rest from the neighbours: neither has more than a quarter of a tile
  // beside a tile. Alone the exchange would take four rounds.
  const Plan change = planned(from, to, within(tile + tile / 4));
  EXPECT_EQ(launches(change), 2) << print_text(change);
  EXPECT_FALSE(has_rounds(change));
  expect_moves_data(change);
}

TEST(RoundPlans, AreForPlannersWithAnExchange) {
  const FirstProgram first;
  PlanOptions options = within(4095);
  options.collectives_only = true;
  EXPECT_EQ(first_error(plan(first.from, first.to, Machine{}, options)), "over-budget");
  options.collectives_only = false;
  for (const Planner rival : {Planner::paper, Planner::gather}) {
    options.planner = rival;
    const auto made = plan(first.from, first.to, Machine{}, options);
    EXPECT_TRUE(!made.ok() || !has_rounds(*made));
  }
}

TEST(RoundPlans, AreNotMadeWhereTheSourceLivesOn) {
  const FirstProgram first;
  PlanOptions options = within(4095);
  options.source = Source::kept_whole;
  EXPECT_EQ(least_budget(first.from, first.to, options), 4096);
  options.within_bytes = 4096;
  EXPECT_FALSE(has_rounds(planned(first.from, first.to, options)));
}

TEST(RoundPlans, AreRememberedApartFromThoseOfProgram) {
  const FirstProgram first;
  PlanCache cache{Machine{}};
  PlanOptions options = within(4095);
  EXPECT_TRUE(cache.get(first.from, first.to, options).ok());
  options.source = Source::kept_whole;
  EXPECT_FALSE(cache.get(first.from, first.to, options).ok());
  // Without a budget there is but one plan.
  EXPECT_TRUE(cache.get(first.from, first.to).ok());
  const std::size_t size = cache.size();
  options.within_bytes.reset();
  EXPECT_TRUE(cache.get(first.from, first.to, options).ok());
  EXPECT_EQ(cache.size(), size);
}

TEST(RoundPlans, ArePrintedALineEach) {
  const FirstProgram first;
  const std::string text = print_text(planned(first.from, first.to, within(4095)));
  EXPECT_THAT(text, HasSubstr("exchange  round 1 of 2  MPI_Alltoallw  [8, 16, 4] -> [16, 2, 16]"));
  EXPECT_THAT(text, HasSubstr("exchange  round 2 of 2  MPI_Alltoallw  [8, 16, 4] -> [16, 2, 16]"));
}

TEST(RoundPlans, OfManyDevicesAreVerified) {
  const MeshRef on = mesh("x:32,y:32");
  const ArrayType from = type("f32[1024@x,1000]", on);
  const ArrayType to = type("f32[1024,1000@(y,x)]", on);
  const Plan whole = planned(from, to);
  const Plan change = planned(from, to, within(whole.peak_bytes - 1));
  EXPECT_TRUE(change.verified);
  EXPECT_EQ(change.received_bytes_total, whole.received_bytes_total);
  EXPECT_TRUE(planned(from, to, within(least_budget(from, to))).verified);
}

// With more room an exchange in two rounds has fewer launches than a gather in three, but its copies cross slow links.
TEST(RoundPlans, NeverTakeLongerWithMoreRoom) {
  const MeshRef on = mesh("y:6,z:4");
  const RunMachine nodes = on_run({{{"node", 4, 4e10, 0}, {"device", 8, 5e11, 1e-7}}});
  double before = std::numeric_limits<double>::infinity();
  for (const std::int64_t room : {9'900'000, 10'080'000, 10'400'000, 10'640'000, 10'800'000, 11'200'000}) {
    const auto change = plan(type("f64[1200000@y]", on), type("f64[1200000]", on), nodes, within(room));
    ASSERT_TRUE(change.ok());
    EXPECT_LE(change->peak_bytes, room);
    EXPECT_LE(change->seconds, before * kAsFast) << print_text(*change);
    before = change->seconds;
  }
  EXPECT_LT(before, 170e-6);
}

TEST(RoundPlans, OfArraysThatCannotBeCutAreRefused) {
  const MeshRef on = mesh("x:2");
  EXPECT_EQ(least_budget(type("i32[2@x]", on), type("i32[2]", on)), 12);
  EXPECT_EQ(least_budget(type("i32[2]", on), type("i32[2@x]", on)), 8);
  EXPECT_EQ(least_budget(type("i32[2]", on), type("i32[2]", on)), 8);
  EXPECT_TRUE(plan(type("i32[0@x]", on), type("i32[0]", on), Machine{}, within(0)).ok());
}

// ---- Every pair of a small scope ----

// The fewest rounds of one exchange, and its least peak, by counting elements for every dimension and count.
struct Counted {
  std::int64_t rounds = 0;              // 0: none
  std::vector<std::size_t> dimensions;  // along which so many will do
  std::int64_t least = 0;
};

std::int64_t counted_peak(const ArrayType& from, const ArrayType& to, std::size_t d, std::int64_t count) {
  std::vector<std::int64_t> round;
  for (std::int64_t at = 0; at < to.shape()[d]; ++at) round.push_back(round_of(from, to, d, count, at));
  std::int64_t peak = 0;
  for (std::int64_t device = 0; device < to.devices(); ++device) {
    for (std::int64_t k = 0; k < count; ++k) {
      const auto part = [&](const ArrayType& type, auto alive) {
        Box box = tile(type, device);
        const Interval whole = box[d];
        box[d] = Interval{0, 1};
        std::int64_t rows = 0;
        for (std::int64_t at = whole.begin; at < whole.end; ++at) rows += alive(round[static_cast<std::size_t>(at)]);
        return rows * elements(box) * 4;
      };
      peak = std::max(peak, part(from, [&](std::int64_t r) { return r >= k ? 1 : 0; }) +
                                part(to, [&](std::int64_t r) { return r <= k ? 1 : 0; }));
    }
  }
  return peak;
}

Counted counted_rounds(const ArrayType& from, const ArrayType& to, std::int64_t budget) {
  Counted best{0, {}, counted_peak(from, to, 0, 1)};
  for (std::size_t d = 0; d < to.rank(); ++d) {
    std::int64_t longest = 1;
    for (const Interval& piece : round_pieces(from, to, d)) longest = std::max(longest, piece.length());
    for (std::int64_t count = 1; count <= longest; ++count) {
      const std::int64_t peak = counted_peak(from, to, d, count);
      best.least = std::min(best.least, peak);
      if (peak > budget || (best.rounds > 0 && count > best.rounds)) continue;
      if (count != best.rounds) best.dimensions.clear();
      best.rounds = count;
      best.dimensions.push_back(d);
    }
  }
  return best;
}

bool only_rounds(const Plan& plan) {
  return std::all_of(plan.steps.begin(), plan.steps.end(),
                     [](const PlanStep& step) { return round_of(step.collective) != nullptr; });
}

// If the fastest plan keeps the budget, it is the plan; else none is chosen that takes longer than one exchange in as
// few rounds as will do.
void expect_sound_within(const ArrayType& from, const ArrayType& to, std::int64_t budget, std::int64_t whole) {
  const auto change = plan(from, to, Machine{}, within(budget));
  ASSERT_TRUE(change.ok()) << print(from) << " -> " << print(to) << " within " << budget << first_message(change);
  EXPECT_LE(change->peak_bytes, budget) << print_text(*change);
  EXPECT_LE(change->local_bytes_max, change->bound_bytes);
  expect_moves_data(*change);
  const Counted counted = counted_rounds(from, to, budget);
  if (budget >= whole) {
    EXPECT_EQ(print_json(*change), print_json(planned(from, to)));
  } else if (counted.rounds > 0) {
    for (const std::size_t d : counted.dimensions)
      EXPECT_LE(change->seconds, seconds_in_rounds(from, to, d, counted.rounds) * kAsFast) << print_text(*change);
  }
  if (has_rounds(*change) && only_rounds(*change)) {
    EXPECT_GE(launches(*change), counted.rounds) << print_text(*change);
  }
  const auto read = read_json(print_json(*change));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(first_message(verify(*read, Machine{})), "") << print_text(*change);
  for (std::size_t i = 0; i < change->steps.size(); ++i) {
    const Round* of_read = round_of(read->steps[i].collective);
    const Round* of_change = round_of(change->steps[i].collective);
    ASSERT_EQ(of_read == nullptr, of_change == nullptr);
    if (of_read != nullptr) {
      EXPECT_EQ(*of_read, *of_change);
    }
  }
}

TEST(EveryChangeWithin, OfRankTwoOnTwoByTwo) {
  const MeshRef on = mesh("x:2,y:2");
  for (const Layout& a : all_layouts(*on, 2)) {
    for (const Layout& b : all_layouts(*on, 2)) {
      const ArrayType from = *ArrayType::make(ElementType::i32, {7, 5}, on, a);
      const ArrayType to = *ArrayType::make(ElementType::i32, {7, 5}, on, b);
      const std::int64_t whole = planned(from, to).peak_bytes;
      const std::int64_t least = least_budget(from, to);
      ASSERT_LE(least, whole);
      EXPECT_LE(least, counted_rounds(from, to, 0).least);
      EXPECT_EQ(first_error(plan(from, to, Machine{}, within(least - 1))), "over-budget");
      for (const std::int64_t budget : {least, least + 4, (least + whole) / 2, whole - 1, whole}) {
        if (budget >= least) expect_sound_within(from, to, budget, whole);
      }
      if (HasFatalFailure()) return;
    }
  }
}

RC_GTEST_PROP(WithinProperty, TheLeastBudgetIsExact, ()) {
  const MeshRef on = any_mesh();
  const Shape shape = any_shape(*rc::gen::inRange<std::size_t>(0, 4), 12);
  const ArrayType from = any_type(on, shape, true);
  const ArrayType to = any_type(on, shape, true);
  const std::int64_t whole = planned(from, to).peak_bytes;
  RC_PRE(whole > 0);
  const std::int64_t least = least_budget(from, to);
  RC_ASSERT(0 < least && least <= whole);
  RC_ASSERT(first_error(plan(from, to, Machine{}, within(least - 1))) == "over-budget");
  const auto change = plan(from, to, Machine{}, within(least));
  RC_ASSERT(change.ok());
  RC_ASSERT(change->peak_bytes == least);
  const std::int64_t between = least + (whole - least) / 2;
  const auto easier = plan(from, to, Machine{}, within(between));
  RC_ASSERT(easier.ok());
  RC_ASSERT(easier->peak_bytes <= between);
  RC_ASSERT(easier->seconds <= change->seconds * kAsFast);  // more room never costs time
  for (const auto* made : {&*change, &*easier}) {
    const std::string json = print_json(*made);
    const bool has_names = json.find("\"type\": null") == std::string::npos;  // of all types on the way
    const auto read = read_json(json);
    RC_ASSERT(read.ok() == has_names);
    if (has_names) {
      RC_ASSERT(print_json(*read) == json);
      RC_ASSERT(verify(*read, Machine{}).ok());
    }
    if (on->devices() <= 12) expect_moves_data(*made);
  }
}

// ---- The verifier ----

Plan in_rounds() {
  const MeshRef on = mesh("x:4");
  const Plan change = planned(type("f32[13@x,18]", on), type("f32[13,18@x]", on), within(400));
  EXPECT_GE(change.steps.size(), 3U) << print_text(change);
  return change;
}

std::string verdict(const Plan& plan) { return first_message(verify(plan, Machine{})); }

TEST(VerifyRounds, RefusesAMissingRound) {
  const Plan right = in_rounds();
  ASSERT_EQ(verdict(right), "");
  for (std::size_t i = 0; i < right.steps.size(); ++i) {
    Plan wrong = right;
    wrong.steps.erase(wrong.steps.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_THAT(verdict(wrong), HasSubstr(i == 0 ? "it is not the first of its rounds" : "of its rounds are missing"));
  }
}

TEST(VerifyRounds, RefusesRoundsOutOfOrderOrTwice) {
  Plan swapped = in_rounds();
  std::swap(swapped.steps[1], swapped.steps[2]);
  EXPECT_THAT(verdict(swapped), HasSubstr("its round 2 is another step"));
  Plan twice = in_rounds();
  twice.steps[2] = twice.steps[1];
  EXPECT_THAT(verdict(twice), HasSubstr("its round 3 is another step"));
}

Round& round_in(PlanStep& step) { return std::get<Round>(step.collective.recipe); }

TEST(VerifyRounds, RefusesAnotherCountOrDimension) {
  Plan fewer = in_rounds();
  fewer.steps.pop_back();
  for (PlanStep& step : fewer.steps) --round_in(step).count;
  EXPECT_NE(verdict(fewer), "");
  Plan one = in_rounds();
  one.steps.resize(1);
  round_in(one.steps[0]).count = 1;
  EXPECT_THAT(verdict(one), HasSubstr("fewer than two rounds"));
  Plan along = in_rounds();
  for (PlanStep& step : along.steps) round_in(step).dimension = 1 - round_in(step).dimension;
  EXPECT_NE(verdict(along), "");
  round_in(along.steps[1]).dimension = 1 - round_in(along.steps[1]).dimension;
  EXPECT_THAT(verdict(along), HasSubstr("its round 2 is another step"));
  for (PlanStep& step : along.steps) round_in(step).dimension = 2;
  EXPECT_THAT(verdict(along), HasSubstr("it names a dimension that is not there"));
}

TEST(VerifyRounds, RefusesOneOfAnotherKindOrTarget) {
  Plan plan = in_rounds();
  plan.steps[1].collective.effect = Exchange{plan.from};
  EXPECT_THAT(verdict(plan), HasSubstr("its round 2 is another step"));
  plan = in_rounds();
  plan.steps[1].collective.recipe = Direct{};
  EXPECT_THAT(verdict(plan), HasSubstr("its round 2 is another step"));
  plan = in_rounds();
  for (PlanStep& step : plan.steps) step.collective.effect = Permute{plan.to};
  EXPECT_THAT(verdict(plan), HasSubstr("only an exchange is cut into rounds"));
}

TEST(VerifyRounds, RefusesEveryChangedFigure) {
  using Field = std::int64_t PlanStep::*;
  for (const Field field : {&PlanStep::local_bytes_max, &PlanStep::received_bytes_total, &PlanStep::received_bytes_max,
                            &PlanStep::groups, &PlanStep::group_size, &PlanStep::peak_bytes}) {
    Plan plan = in_rounds();
    plan.steps.back().*field += 4;
    EXPECT_NE(verdict(plan), "");
  }
  Plan late = in_rounds();
  late.steps.back().seconds += 1e-9;
  EXPECT_THAT(verdict(late), HasSubstr("seconds says 3.00196e-06, the replay finds 3.00096e-06"));
  Plan plan = in_rounds();
  plan.peak_bytes -= 4;
  EXPECT_THAT(verdict(plan), HasSubstr("peak_bytes says"));
}

TEST(VerifyRounds, RefusesRoundsOfAView) {
  const MeshRef on = mesh("x:2,y:2");
  const ArrayType from = type("i32[8,8]", on);
  const ArrayType between = type("i32[8@x,8]", on);
  const ArrayType to = type("i32[8,8@x]", on);
  Collective first = exchange_step(to);
  first.recipe = Round{0, 2, 0};
  Collective second = first;
  second.recipe = Round{1, 2, 0};
  const auto machine = *machine_for(Machine{}, 4);
  Prices prices(machine);
  Plan plan = *priced(prices, from, to, Planner::tessera, {slice_step({whole_axis(*on, 0)}, 0), first, second});
  EXPECT_THAT(verdict(plan), HasSubstr("its source is a view of a larger tile"));
}

// ---- JSON ----

TEST(RoundJson, FindsTheDimensionByTheFigures) {
  const MeshRef on = mesh("x:4");
  for (const auto& [from, to] : {std::pair{"f32[13@x,18]", "f32[13,18@x]"}, {"f32[18,13@x]", "f32[18@x,13]"}}) {
    const Plan change = planned(type(from, on), type(to, on), within(400));
    const auto read = read_json(print_json(change));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(round_of(read->steps[0].collective)->dimension, round_of(change.steps[0].collective)->dimension);
    EXPECT_EQ(read->steps[0].peak_bytes, change.steps[0].peak_bytes);
    EXPECT_EQ(first_message(verify(*read, Machine{})), "");
  }
}

TEST(RoundJson, IsRefusedWhereARoundIsNotOneOfItsRounds) {
  const std::string right = print_json(in_rounds());
  const auto with = [&](std::string_view old, std::string_view now) {
    std::string text = right;
    text.replace(text.find(old), old.size(), now);
    return text;
  };
  for (const char* wrong : {"round 0 of 3", "round 9 of 3", "round 1", "round 1 of", "round 1 of 0", "round 1 of 9999",
                            "round 1 of 3 ", "round  1 of 3", "1 of 3"}) {
    EXPECT_EQ(first_error(read_json(with("round 1 of 3", wrong))), "bad-plan-text") << wrong;
  }
  for (const char* wrong : {"round 2 of 3", "round 1 of 2", "round 1 of 4", ""}) {
    const auto read = read_json(with("round 1 of 3", wrong));
    ASSERT_TRUE(read.ok()) << wrong;
    EXPECT_NE(verdict(*read), "") << wrong;
  }
}

RC_GTEST_PROP(RoundJson, NeverCrashesOnDamagedText, ()) {
  std::string text = print_json(in_rounds());
  const auto damages = *rc::gen::inRange(1, 4);
  for (int i = 0; i < damages; ++i) {
    text[*rc::gen::inRange<std::size_t>(0, text.size())] = static_cast<char>(*rc::gen::inRange<int>('0', '{'));
  }
  const auto read = read_json(text);
  if (read.ok()) static_cast<void>(verify(*read, Machine{}).ok());
}

}  // namespace
}  // namespace tessera::synth::test
