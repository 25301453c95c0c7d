// Plans whose sends are listed: they read back and verify by their sends alone, whoever wrote them; ten thousand lists
// with one thing changed are refused, or bring every element all the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "synth/moves/transfer/box_send.hpp"
#include "synth/planner/figures.hpp"
#include "synth/planner/list_sends.hpp"
#include "synth/planner/prices.hpp"
#include "synth/planner/text/print_json.hpp"
#include "synth/planner/text/read_json.hpp"
#include "synth/verify/verify.hpp"
#include "tests/synth/moves/relays.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

constexpr int kChangedLists = 10'000;

Plan with_listed_sends(const Plan& plan, const Machine& machine) {
  auto listed = with_sends(plan, machine);
  EXPECT_TRUE(listed.ok());
  return *listed;
}

void expect_verifies_by_its_sends(const Plan& plan, const Machine& machine) {
  const Plan listed = with_listed_sends(plan, machine);
  const std::string text = print_json(listed);
  if (text.find("\"type\": null") != std::string::npos) {  // cannot be read back
    EXPECT_TRUE(verify(listed, machine).ok()) << text;
    return;
  }
  const auto read = read_json(text);
  ASSERT_TRUE(read.ok()) << first_message(read) << "\n" << text;
  for (const PlanStep& step : read->steps)
    EXPECT_EQ(listed_of(step.collective) != nullptr, step.received_bytes_total > 0) << text;
  EXPECT_EQ(print_json(*read), text);
  const auto fault = fault_of(*read, machine);
  ASSERT_TRUE(fault.ok());
  EXPECT_EQ(fault->value_or(""), "") << text;
}

// Ends with sums now and then.
RandomChange change_with_sums(Random& random) {
  RandomChange change = random_change(random);
  if (random.coin()) return change;
  const ArrayType& to = change.to;
  const Layout layout = any_layout(to.mesh(), to.rank(), true, random);
  change.from = *ArrayType::make(to.element(), to.shape(), to.mesh_ref(), layout);
  return change;
}

TEST(ListedSends, OfEveryPlanVerify) {
  Random random(3);
  int relays = 0;
  int sums = 0;
  for (int i = 0; i < 1'000 && !HasFailure(); ++i) {
    const RandomChange problem = change_with_sums(random);
    const auto change = plan(problem.from, problem.to, problem.machine);
    if (!change.ok()) continue;
    expect_verifies_by_its_sends(*change, problem.machine);
    for (const PlanStep& step : change->steps) {
      relays += relay_of(step.collective) != nullptr ? 1 : 0;
      sums += movement(step.collective) == Movement::sums ? 1 : 0;
    }
  }
  EXPECT_GE(relays, 100);
  EXPECT_GE(sums, 100);
}

TEST(ListedSends, OfRoundsVerify) {
  Random random(4);
  int rounds = 0;
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    const RandomChange problem = random_change(random);
    const Plan free = planned(problem.from, problem.to);
    PlanOptions options;
    options.within_bytes = free.bound_bytes + (free.peak_bytes - free.bound_bytes) / 2;
    const auto within = plan(problem.from, problem.to, {}, options);
    if (!within.ok()) continue;
    expect_verifies_by_its_sends(*within, {});
    for (const PlanStep& step : within->steps) rounds += round_of(step.collective) != nullptr ? 1 : 0;
  }
  EXPECT_GE(rounds, 100);
}

// ---- Changed by hand ----

std::int32_t any_device(const ArrayType& type, Random& random) {
  return static_cast<std::int32_t>(random.below(static_cast<std::size_t>(type.devices())));
}

void change(ListedSends& listed, const ArrayType& type, Random& random) {
  auto& sends = listed.sends;
  const std::size_t at = random.below(sends.size());
  BoxSend& send = sends[at];
  switch (random.below(9)) {
    case 0: sends.erase(sends.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1: sends.push_back(BoxSend(send)); break;
    case 2: std::swap(send.source, sends[random.below(sends.size())].source); break;
    case 3: send.source = any_device(type, random); break;
    case 4: send.target = any_device(type, random); break;
    case 5: send.hop += random.coin() ? 1 : -1; break;
    case 6: send.adds = !send.adds; break;
    case 7: send.carried = static_cast<Carried>(random.below(3)); break;
    default: {
      Interval& side = send.box[random.below(send.box.size())];
      (random.coin() ? side.begin : side.end) += random.coin() ? 1 : -1;
    }
  }
}

// One after the other, every element by itself.
class ElementReplay {
 public:
  ElementReplay(const ArrayType& before, const ArrayType& after)
      : before_(before), after_(after), data_(filled(before)), came_(static_cast<std::size_t>(after.devices())) {}

  Data run(const ListedSends& listed) {
    for (std::int64_t hop = 0; hop < listed.hops; ++hop) {
      const auto there = came_;
      for (const BoxSend& send : listed.sends) {
        if (send.hop == hop) each_element(send.box, [&](std::size_t element) { take(send, element, there); });
      }
    }
    Data out(came_.size(), DeviceData(data_[0].size()));
    for (std::size_t device = 0; device < out.size(); ++device) {
      each_element(tile(after_, static_cast<std::int64_t>(device)), [&](std::size_t element) {
        const auto arrived = came_[device].find(element);
        const auto own = data_[device][element];
        if (arrived == came_[device].end())
          out[device][element] = own;
        else
          out[device][element] = with_own(arrived->second, own);
      });
    }
    return out;
  }

 private:
  struct Came {
    std::optional<std::int64_t> value;
    bool copied = false;
  };
  std::optional<std::int64_t> combined(std::optional<std::int64_t> a, std::optional<std::int64_t> b) const {
    if (!a || !b) return a ? a : b;
    switch (before_.layout().reduce()) {
      case ReduceOp::sum: return *a + *b;
      case ReduceOp::max: return std::max(*a, *b);
      case ReduceOp::min: return std::min(*a, *b);
      case ReduceOp::product: return *a * *b;
    }
    return a;
  }
  std::optional<std::int64_t> with_own(const Came& came, std::optional<std::int64_t> own) const {
    return came.copied ? came.value : combined(came.value, own);
  }
  using Elements = std::map<std::size_t, Came>;

  template <class F>
  void each_element(const Box& box, F&& f) const {
    std::vector<std::size_t> elements{0};
    for (std::size_t d = 0; d < box.size(); ++d) {
      std::vector<std::size_t> longer;
      for (const std::size_t element : elements) {
        for (std::int64_t i = box[d].begin; i < box[d].end; ++i)
          longer.push_back(element * static_cast<std::size_t>(before_.shape()[d]) + static_cast<std::size_t>(i));
      }
      elements = std::move(longer);
    }
    for (const std::size_t element : elements) f(element);
  }

  void take(const BoxSend& send, std::size_t element, const std::vector<Elements>& there) {
    const auto source = static_cast<std::size_t>(send.source);
    const auto own = data_[source][element];
    const auto arrived = there[source].find(element);
    const bool came = arrived != there[source].end() && send.hop > 0;
    Came& target = came_[static_cast<std::size_t>(send.target)][element];
    if (!send.adds) {
      target = {came ? with_own(arrived->second, own) : own, true};
      return;
    }
    // A copy has taken the place of what its receiver had, its own part included.
    const bool is_of_copy = send.carried == Carried::both && came && arrived->second.copied;
    if (send.carried != Carried::came && !is_of_copy) target.value = combined(target.value, own);
    if (send.carried != Carried::own && came) target.value = combined(target.value, arrived->second.value);
  }

  ArrayType before_;
  ArrayType after_;
  Data data_;
  std::vector<Elements> came_;
};

// Programs in which sums on the way are copied: a direct all_reduce that is not the last of its steps. On three nodes
// of two.
TEST(ListedSends, OfAllReducesInTurnVerify) {
  const RunMachine machine = on_run({{{"node", 3, 1e6, 1e-6}, {"device", 2, 8e6, 1e-6}}});
  Prices prices(machine);
  for (const char* program :
       {"all_reduce x:(3)2; all_reduce x:(1)3", "all_reduce x:(1)3; all_reduce x:(3)2",
        "all_reduce x:(3)2; reduce_scatter x:(1)3; all_gather x:(1)3 in 3",
        "all_reduce x:(1)3 halving; all_reduce x:(3)2", "all_reduce x:(3)2; reduce x:(1)3; broadcast x:(1)3",
        "reduce x:(3)2; all_reduce x:(1)3 first x:(3)2; broadcast x:(3)2",
        "all_reduce x:(3)2 ring; all_reduce x:(1)3 ring"}) {
    const MeshRef on = mesh("x:6");
    const auto parsed = parse_reduce_program(*on, program);
    ASSERT_TRUE(parsed) << program;
    for (const char* shape : {"f32[6]", "f32[7,3]", "f32[2]"}) {
      const ArrayType from = type(std::string(shape) + "{+x}", on);
      const ArrayType to = type(shape, on);
      const Collective step{AllReduce{from.layout().pending()}, std::make_shared<const ReduceProgram>(*parsed)};
      auto plan = priced(prices, from, to, Planner::tessera, {step});
      ASSERT_TRUE(plan.ok()) << program << ": " << first_message(plan);
      ASSERT_TRUE(with_bounds(*plan, machine).ok()) << program;
      expect_verifies_by_its_sends(*plan, machine);
      const Plan listed = with_listed_sends(*plan, machine);
      const Data right = run_step(step, from, to, filled(from));
      EXPECT_EQ(ElementReplay(from, to).run(*listed_of(listed.steps[0].collective)), right) << program;
    }
  }
}

// A list takes the place of a recipe, and what that says still holds.
TEST(ListedSends, LeaveWhatStepsSay) {
  Random random(9);
  for (int i = 0; i < 200 && !testing::Test::HasFailure(); ++i) {
    const RandomChange change = change_with_sums(random);
    const auto free = plan(change.from, change.to, change.machine);
    if (!free.ok()) continue;
    const Plan listed = with_listed_sends(*free, change.machine);
    ArrayType before = free->from;
    for (std::size_t at = 0; at < free->steps.size(); ++at) {
      const Collective& own = free->steps[at].collective;
      const PlanStep& step = listed.steps[at];
      const bool has_list = listed_of(step.collective) != nullptr;
      EXPECT_EQ(listed_of(own), nullptr);
      EXPECT_EQ(has_list, step.received_bytes_total > 0);
      const Collective again = with_list(step.collective, std::make_shared<const ListedSends>());
      EXPECT_TRUE(listed_of(again)->sends.empty());
      for (const Collective& other : {step.collective, again, without_list(again)}) {
        EXPECT_EQ(kind_of(other), kind_of(own));
        EXPECT_EQ(detail(other, before.mesh()), detail(own, before.mesh()));
        EXPECT_EQ(relay_of(other), relay_of(own));
        EXPECT_EQ(program_of(other), program_of(own));
        EXPECT_EQ(*apply(other, before), step.after);
      }
      EXPECT_EQ(without_list(again).recipe.index(), own.recipe.index());
      const bool is_of_parts = !before.layout().pending().empty() || !step.after.layout().pending().empty();
      EXPECT_EQ(listed_of(carried_out(step, before)) != nullptr, has_list && !is_of_parts);
      before = step.after;
    }
  }
}

// What a list that the verifier took does to real data.
void expect_moves_data_by_sends(const Plan& changed, std::size_t at) {
  const ArrayType& before = at == 0 ? changed.from : changed.steps[at - 1].after;
  const PlanStep& step = changed.steps[at];
  const Data right = run_step(step.collective, before, step.after, filled(before));
  EXPECT_EQ(ElementReplay(before, step.after).run(*listed_of(step.collective)), right) << print_json(changed);
}

TEST(ListedSends, ChangedAreRefusedOrMakeNoDifference) {
  Random random(7);
  int mutants = 0;
  int refused = 0;
  while (mutants < kChangedLists && !HasFailure()) {
    const RandomChange problem = change_with_sums(random);
    const auto free = plan(problem.from, problem.to, problem.machine);
    if (!free.ok()) continue;
    const Plan right = with_listed_sends(*free, problem.machine);
    for (std::size_t at = 0; at < right.steps.size(); ++at) {
      const Collective& step = right.steps[at].collective;
      if (listed_of(step) == nullptr) continue;
      for (int i = 0; i < 40; ++i) {
        Plan wrong = right;
        ListedSends listed = *listed_of(step);
        change(listed, right.steps[at].after, random);
        wrong.steps[at].collective = with_list(step, std::make_shared<const ListedSends>(std::move(listed)));
        ++mutants;
        const bool taken = verify(wrong, problem.machine).ok();
        refused += taken ? 0 : 1;
        if (taken) expect_moves_data_by_sends(wrong, at);
      }
    }
  }
  EXPECT_GE(refused, mutants / 2);
}

// ---- Written by somebody else ----

struct WrittenReduction {
  std::string sends;
  int hops = 1;
  std::int64_t received = 64;
  std::int64_t received_most = 0;
  double seconds = 0;
};

// An all_reduce of four elements between three devices. A hop has the latency of a microsecond for each peer.
std::string verdict(const WrittenReduction& reduction) {
  const std::string text = fmt::format(
      R"({{"mesh": "x:3", "from": "f32[4]{{+x}}", "to": "f32[4]", "planner": "tessera", "devices": 3, "steps": )"
      R"([{{"op": "all_reduce", "detail": "x", "type": "f32[4]", "local_bytes_max": 16, "received_bytes_total": {}, )"
      R"("received_bytes_max": {}, "groups": 1, "group_size": 3, "transfer": {{"recipe": "listed", "hops": {}, )"
      R"("stretches": 1, "sends": [{}]}}}}], "received_bytes_total": {}, "lower_bound_bytes_total": 64, )"
      R"("local_bytes_max": 16, "bound_bytes": 16, "peak_bytes": 32, "seconds": {}, "lower_bound_seconds": 2.1333333333333332e-10, )"
      R"("verified": false}})",
      reduction.received, reduction.received_most, reduction.hops, reduction.sends, reduction.received,
      reduction.seconds);
  const auto read = read_json(text);
  if (!read.ok()) return first_message(read);
  EXPECT_EQ(print_json(*read), text);
  const auto fault = fault_of(*read, {});
  return fault.ok() ? fault->value_or("") : first_message(fault);
}

TEST(ListedSends, OfAStarVerify) {
  const WrittenReduction star{R"([[[0, 4]], 1, 0, 0, "add", "own"], [[[0, 4]], 2, 0, 0, "add", "own"], )"
                              R"([[[0, 4]], 0, 1, 1], [[[0, 4]], 0, 2, 1])",
                              2, 64, 32, 4.00064e-06};
  EXPECT_EQ(verdict(star), "");
}

TEST(ListedSends, OfAChainVerify) {
  WrittenReduction chain{R"([[[0, 4]], 2, 1, 0, "add", "own"], [[[0, 4]], 1, 0, 1, "add", "both"], )"
                         R"([[[0, 4]], 0, 1, 2], [[[0, 4]], 1, 2, 3])",
                         4, 64, 32, 4.00064e-06};
  EXPECT_EQ(verdict(chain), "");
  chain.sends.replace(chain.sends.find("both"), 4, "came");  // the middle's own part is left out
  EXPECT_EQ(verdict(chain),
            "step 1 (all_reduce): [[0, 4]] from 0 to 1 at hop 2: what its sender has is not the sum "
            "that is wanted");
}

TEST(ListedSends, ThatAddAPartTwiceAreRefused) {
  const WrittenReduction twice{R"([[[0, 4]], 1, 0, 0, "add", "own"], [[[0, 4]], 2, 0, 0, "add", "own"], )"
                               R"([[[0, 4]], 1, 0, 1, "add", "own"], [[[0, 4]], 0, 1, 2], [[[0, 4]], 0, 2, 2])",
                               3, 80, 48, 5e-06};
  EXPECT_EQ(verdict(twice), "step 1 (all_reduce): [[0, 4]] from 1 to 0 at hop 1: a part of the sum is added twice");
}

// A star, and then a part of the sum once more onto half of what has come.
TEST(ListedSends, ThatAddToWhatIsCompleteAreRefused) {
  const WrittenReduction added{R"([[[0, 4]], 1, 0, 0, "add", "own"], [[[0, 4]], 2, 0, 0, "add", "own"], )"
                               R"([[[0, 4]], 0, 1, 1], [[[0, 4]], 0, 2, 1], [[[0, 2]], 2, 1, 2, "add", "own"])",
                               3, 72, 32, 5.00072e-06};
  EXPECT_EQ(verdict(added), "step 1 (all_reduce): device 1: [[0, 2]] is added to a part of [[0, 4]]");
}

// After a keep, device 0 has the whole sum and device 1 a neutral element. Each is a part and has to come all the same.
std::string verdict_after_keep(std::string_view sends) {
  const auto read = read_json(fmt::format(
      R"({{"mesh": "x:2,y:2", "from": "f32[4]{{+x}}", "to": "f32[4]{{+x}}", "planner": "tessera", "devices": 4, )"
      R"("steps": [{{"op": "keep", "detail": "y", "type": "f32[4]{{+x,y}}", "local_bytes_max": 16, )"
      R"("received_bytes_total": 0, "received_bytes_max": 0, "groups": 4, "group_size": 1}}, )"
      R"({{"op": "all_reduce", "detail": "y", "type": "f32[4]{{+x}}", "local_bytes_max": 16, )"
      R"("received_bytes_total": 64, "received_bytes_max": 16, "groups": 2, "group_size": 2, "transfer": )"
      R"({{"recipe": "listed", "hops": 2, "stretches": 1, "sends": [{}]}}}}], "received_bytes_total": 64, )"
      R"("lower_bound_bytes_total": 0, "local_bytes_max": 16, "bound_bytes": 16, "peak_bytes": 32, )"
      R"("seconds": 2.00016e-06, "lower_bound_seconds": 0, "verified": false}})",
      sends));
  if (!read.ok()) return first_message(read);
  const auto fault = fault_of(*read, {});
  return fault.ok() ? fault->value_or("") : first_message(fault);
}

TEST(ListedSends, AfterAKeepVerify) {
  const std::string_view first = R"([[[0, 2]], 1, 0, 0, "add", "own"], [[[2, 4]], 0, 1, 0, "add", "own"], )"
                                 R"([[[0, 2]], 0, 1, 1], [[[2, 4]], 1, 0, 1], )";
  const std::string second = R"([[[0, 2]], 3, 2, 0, "add", "own"], [[[2, 4]], 2, 3, 0, "add", "own"], )"
                             R"([[[0, 2]], 2, 3, 1], [[[2, 4]], 3, 2, 1])";
  EXPECT_EQ(verdict_after_keep(fmt::format("{}{}", first, second)), "");
  // Without what device 3 adds, neutral as it is.
  const std::string_view without = std::string_view(second).substr(second.find("[[[2, 4]], 2"));
  EXPECT_EQ(verdict_after_keep(fmt::format("{}{}", first, without)),
            "step 2 (all_reduce): [[0, 2]] from 2 to 3 at hop 1: what its sender has is not the sum that is wanted");
}

TEST(ListedSends, ThatCannotBeReadAreRefused) {
  const auto with = [](std::string sends) { return verdict({std::move(sends), 1, 64, 32, 1e-06}); };
  const std::string start = "this is not a plan in JSON: send 1 is not one: `[[[lo, hi], ..], from, to, hop]`";
  EXPECT_EQ(with("[[[4, 0]], 1, 0, 0]"), start);
  EXPECT_EQ(with("[[[0, 4]], 1, 0]"), start);
  EXPECT_EQ(with(R"([[[0, 4]], 1, 0, 0, "add"])"), start);
  EXPECT_EQ(with(R"([[[0, 4]], 1, 0, 0, "add", "mine"])"), start);
  EXPECT_EQ(with("[[[0, 4]], -1, 0, 0]"), start);
  EXPECT_EQ(with("7"), start);
  EXPECT_EQ(with("[[[0, 4]], 1, 3, 0]"), "step 1 (all_reduce): [[0, 4]] from 1 to 3 at hop 0: there is no such device");
  EXPECT_EQ(with("[[[0, 4], [0, 1]], 1, 0, 0]"),
            "step 1 (all_reduce): [[0, 4], [0, 1]] from 1 to 0 at hop 0: the array has another number of dimensions");
}

TEST(ListedSends, OfManyDevicesAreTooMany) {
  const Plan change = planned(type("f32[1024@x]", "x:1024"), type("f32[1024]", "x:1024"));
  EXPECT_EQ(first_error(with_sends(change, {})), "too-many-sends");
}

}  // namespace
}  // namespace tessera::synth::test
