// Several arrays as one relay: their bound, their price and that the load is dealt over all of them.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/moves/prices/tasks_bound.hpp"
#include "synth/moves/prices/time_bound.hpp"
#include "synth/planner/company.hpp"
#include "synth/program/program.hpp"
#include "synth/verify/verify.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

const RunMachine kHostsOfTwo = on_run({{{"host", 6, 125e6, 50e-6}, {"device", 2, 10e9, 5e-6}}});

LayoutChange change(std::string_view from_mesh, std::string_view from, std::string_view to_mesh, std::string_view to) {
  return {type(from, mesh(from_mesh)), type(to, mesh(to_mesh))};
}

CompanyPlan company_of(const std::vector<LayoutChange>& changes, const Machine& machine) {
  auto made = plan_company(changes, machine);
  EXPECT_TRUE(made.ok()) << first_message(made);
  return made.ok() ? *made : CompanyPlan{};
}

// The tasks of one array, an element of which counts its bytes.
std::vector<RelayTask> tasks_in_bytes(const ArrayType& from, const ArrayType& to) {
  std::vector<RelayTask> tasks = relay_tasks(from, to);
  for (RelayTask& task : tasks) task.arrays = bytes_of(to.element());
  return tasks;
}

// The slot by slot price of several arrays by hand: every hop's messages of a stretch on every link.
double seconds_by_hand(const CompanyPlan& company, const RunMachine& machine) {
  const Cluster cluster(machine);
  double total = 0;
  for (std::int64_t slot = 0; slot < company.stretches + company.hops - 1; ++slot) {
    std::vector<double> in(cluster.links(), 0);
    std::vector<double> out(cluster.links(), 0);
    std::vector<double> latency(static_cast<std::size_t>(company.hops), 0);
    std::vector<std::set<std::pair<std::int32_t, std::int32_t>>> pairs(static_cast<std::size_t>(company.hops));
    for (const auto& plan : company.plans) {
      for (const PlanStep& step : plan->steps) {
        if (relay_of(step.collective) == nullptr) continue;
        const auto transfer = transfer_of(relay_tasks(plan->from, plan->to), *relay_of(step.collective));
        for (const Send& send : transfer->sends) {
          const std::int64_t stretch = slot - send.hop;
          if (stretch < 0 || stretch >= company.stretches) continue;
          const auto hop = static_cast<std::size_t>(send.hop);
          const Box box =
              stretch_of(transfer->pieces[static_cast<std::size_t>(send.piece)], company.stretches, stretch);
          const auto bytes = static_cast<double>(elements(box) * bytes_of(plan->to.element()));
          pairs[hop].emplace(send.from, send.to);
          for (std::size_t l = cluster.parting(send.from, send.to); l < cluster.levels().size(); ++l) {
            out[cluster.link(l, send.from)] += bytes / cluster.levels()[l].bandwidth;
            in[cluster.link(l, send.to)] += bytes / cluster.levels()[l].bandwidth;
            latency[hop] = std::max(latency[hop], machine.levels[l].latency_seconds);
          }
        }
      }
    }
    double longest = 0;
    for (std::size_t hop = 0; hop < pairs.size(); ++hop) {
      std::map<std::int32_t, int> to;
      std::map<std::int32_t, int> from;
      int peers = 0;
      for (const auto& [a, b] : pairs[hop]) peers = std::max({peers, ++to[a], ++from[b]});
      longest = std::max(longest, latency[hop] * peers);
    }
    total += longest + std::max(*std::max_element(in.begin(), in.end()), *std::max_element(out.begin(), out.end()));
  }
  return total;
}

TEST(Company, IsPricedAsItsSlotsAre) {
  const CompanyPlan company = company_of({change("x:2,y:2", "f32[64@x,48]", "z:3 on 3:6", "f32[64,48@z]"),
                                          change("x:4", "i64[1000@x]", "p:2,q:2 on 8:12", "i64[1000@q]"),
                                          change("x:4", "i64[1000@x]", "p:2,q:2 on 8:12", "i64[1000@q]")},
                                         kHostsOfTwo);
  EXPECT_NEAR(company.seconds, seconds_by_hand(company, kHostsOfTwo), 1e-12);
  for (const auto& plan : company.plans) EXPECT_TRUE(verify(*plan, kHostsOfTwo).ok());
}

// One array lies whole on two hosts, another on the first of them only: so all of the one is sent by the second host.
TEST(Company, DealsLoadsOverAllArrays) {
  std::vector<LayoutChange> changes;
  changes.push_back(change("a:4 on 0:4", "f32[3000000]", "z:1 on 8:9", "f32[3000000]"));
  changes.push_back(change("a:2 on 0:2", "f32[3000000]", "z:1 on 10:11", "f32[3000000]"));
  const CompanyPlan company = company_of(changes, kHostsOfTwo);
  // 24 MB leave hosts 0 and 1, 12 MB each: host 0 all of the second array, host 1 all of the first.
  EXPECT_NEAR(company.lower_bound_seconds, 12e6 / 125e6, 1e-9);
  EXPECT_LE(company.seconds, 1.01 * company.lower_bound_seconds);
}

TEST(Company, SendsSmallArraysInTheSameMessages) {
  std::vector<LayoutChange> one{change("x:2", "f32[8@x]", "x:2 on 2:4", "f32[8]")};
  const std::vector<LayoutChange> hundred(100, one[0]);
  const double alone = company_of(one, kHostsOfTwo).seconds;
  const CompanyPlan together = company_of(hundred, kHostsOfTwo);
  EXPECT_LT(together.seconds, 2 * alone);
  EXPECT_EQ(together.received_bytes_total, 100 * company_of(one, kHostsOfTwo).received_bytes_total);
}

TEST(Company, HasNoRelayWhereNothingMoves) {
  const CompanyPlan company =
      company_of({change("x:4", "f32[8@x]", "x:4", "f32[8@x]"), change("x:4", "f32[8]", "x:4", "f32[8@x]")}, Machine{});
  EXPECT_EQ(company.hops, 0);
  EXPECT_EQ(company.seconds, 0);
  EXPECT_TRUE(company.plans[0]->steps.empty());
}

TEST(Company, IsRefusedOnAMachineThatIsTooSmall) {
  const auto made = plan_company({change("x:2", "f32[8@x]", "x:2 on 20:22", "f32[8]")}, kHostsOfTwo);
  EXPECT_EQ(first_error(made), "machine-mismatch");
}

// Two arrays, each through its relay; the second goes on with the first.
Program program_of(const CompanyPlan& company) {
  Program program;
  for (const auto& plan : company.plans) program.inputs.push_back(program.registers.add(plan->from));
  for (std::size_t i = 0; i < company.plans.size(); ++i) {
    const PlanStep& step = company.plans[i]->steps.front();
    program.outputs.push_back(program.registers.add(step.after));
    program.body.push_back(
        Step{0, Apply{Collect{step.collective, 1, i > 0}, {program.inputs[i]}, {program.outputs.back()}}});
  }
  return program;
}
Collect& collect_of(Program& program, std::size_t step) {
  return std::get<Collect>(std::get<Apply>(program.body[step].node).operation);
}

TEST(Company, IsAProgramWhoseRelaysJoin) {
  const LayoutChange one = change("x:2", "f32[8@x]", "x:2 on 2:4", "f32[8]");
  const Program right = program_of(company_of({one, one}, kHostsOfTwo));
  EXPECT_TRUE(verify(right).ok()) << first_message(verify(right));
  const auto read = read_program(print(right));
  ASSERT_TRUE(read.ok()) << first_message(read);
  EXPECT_EQ(print(*read), print(right));
  EXPECT_EQ(company_end(read->body, 0), 2U);

  Program first_joins = right;
  collect_of(first_joins, 0).joins = true;
  EXPECT_THAT(first_message(verify(first_joins)), ::testing::HasSubstr("it joins a step that is no relay"));
  Program no_relay = right;
  collect_of(no_relay, 1).collective.recipe = Direct{};
  EXPECT_THAT(first_message(verify(no_relay)), ::testing::HasSubstr("it joins a step that is no relay"));
}

TEST(Company, ReadsNothingThatItMakes) {
  const CompanyPlan company = company_of(
      {change("x:2", "f32[8@x]", "x:2 on 2:4", "f32[8]"), change("x:2 on 2:4", "f32[8]", "x:2 on 4:6", "f32[8@x]")},
      kHostsOfTwo);
  Program program = program_of(company);
  auto& second = std::get<Apply>(program.body[1].node);
  second.operands = {program.outputs[0]};
  EXPECT_THAT(first_message(verify(program)), ::testing::HasSubstr("a relay that goes on at the same time makes"));
  collect_of(program, 1).joins = false;
  EXPECT_TRUE(verify(program).ok()) << first_message(verify(program));
}

// What bounds one array is the bound of its tasks.
RC_GTEST_PROP(CompanyProperty, IsBoundedAsOneArrayIs, ()) {
  const auto shape = any_shape(2, 9);
  const ArrayType from = any_type(mesh("x:2,y:4"), shape, false);
  const auto* const where = *rc::gen::element("z:3,w:2 on 2:8", "z:2,w:2 on 8:12", "x:2,y:4");
  const ArrayType to = any_type(mesh(where), shape, false);
  const double by_tasks = tasks_bound(Cluster(kHostsOfTwo), tasks_in_bytes(from, to));
  const double bound = time_bound(kHostsOfTwo, from, to);
  RC_LOG() << print(from) << " -> " << print(to) << " on " << where << ": " << by_tasks << ", " << bound;
  RC_ASSERT(by_tasks <= bound * (1 + 1e-9));
  RC_ASSERT(by_tasks >= bound * (1 - 1e-9));
}

}  // namespace
}  // namespace tessera::synth::test
