#include "tests/mpi/crossings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <memory>
#include <sstream>
#include <utility>

#include "embed/plans/plan_impl.hpp"
#include "runtime/execute/run.hpp"
#include "runtime/mpi/mpi.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/planner/rivals/alpa.hpp"
#include "tests/mpi/race.hpp"

namespace tessera::ranks {

namespace {

constexpr std::string_view kNaive = "naive";

// A plan, and the sends of its only step where somebody lists them.
struct Crossing {
  std::string way;
  Plan plan;
  synth::ListedRef listed = nullptr;
};

// An array that has crossed, and how long this rank had part in it.
struct Sent {
  runtime::Value array;
  double seconds = 0;
};

// The race of one array; all ranks make the same calls.
class Race {
 public:
  Race(std::shared_ptr<runtime::Team> team, const PlanRequest& request) : request_(request) {
    world_.team = std::move(team);
    world_.clock = [] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
  }

  void enter(const std::string& way) {
    PlanRequest request = request_;
    request.planner = way == kNaive ? "alpa" : way;
    Crossing entered{way, taken(make_plan(request))};
    const synth::Plan& steps = plan_of(entered);
    if (request.planner == "alpa") {
      ASSERT_EQ(steps.steps.size(), 1U);
      entered.listed = way == kNaive ? naive(*entered.plan.impl()) : list_of(steps.steps[0]);
    }
    entered_.push_back(std::move(entered));
  }

  void run(int tries) {
    make_array();
    std::vector<std::vector<double>> seconds(entered_.size());
    std::vector<std::vector<std::int64_t>> received(entered_.size());
    for (int turn = 0; turn < tries; ++turn) {
      for (std::size_t i = 0; i < entered_.size(); ++i) {
        const std::int64_t before = received_bytes();
        const auto [array, own] = cross(entered_[i]);
        const std::int64_t came = received_bytes() - before;
        if (turn == 0) expect_elements(array);
        const std::vector<runtime::Team::Words> all = told({static_cast<std::int64_t>(own * 1e9), came});
        double longest = 0;
        for (const runtime::Team::Words& of_rank : all)
          longest = std::max(longest, static_cast<double>(of_rank[0]) / 1e9);
        seconds[i].push_back(longest);
        if (turn == 0)
          std::transform(all.begin(), all.end(), std::back_inserter(received[i]),
                         [](const auto& words) { return words[1]; });
      }
    }
    for (std::size_t i = 0; team().rank() == 0 && i < entered_.size(); ++i) print(entered_[i], seconds[i], received[i]);
  }

 private:
  static const synth::Plan& plan_of(const Crossing& crossing) { return *crossing.plan.impl()->plan; }
  runtime::Team& team() const { return *world_.team; }
  std::vector<runtime::Team::Words> told(runtime::Team::Words mine) { return taken(team().agree(base::Done{}, mine)); }

  static synth::ListedRef list_of(const synth::PlanStep& step) {
    return std::get<synth::Listed>(step.collective.recipe).sends;
  }
  static synth::ListedRef naive(const Plan::Impl& plan) {
    const synth::ArrayType& from = plan.plan->from;
    const synth::ArrayType& to = plan.plan->to;
    const synth::Cluster cluster(*synth::machine_for(plan.machine, synth::run_devices(from, to)));
    const auto tasks = synth::relay_tasks(from, to);
    const std::int64_t bytes = synth::bytes_of(to.element());
    const auto order = synth::rivals::as_they_come(synth::rivals::host_boxes(cluster, tasks, bytes), false);
    return std::make_shared<const synth::ListedSends>(synth::rivals::broadcasts(cluster, tasks, bytes, order));
  }

  // On the ranks that its devices have later, when those of the target are there, too.
  void make_array() {
    world_.devices = synth::run_devices(plan_of(entered_.front()).from, plan_of(entered_.front()).to);
    synth::Program program;
    const synth::RegisterId array = program.registers.add(plan_of(entered_.front()).from);
    program.body.push_back(synth::Step{0, synth::Apply{synth::Iota{}, {}, {array}}});
    program.outputs = {array};
    array_ = taken(runtime::run(program, {}, world_)).outputs;
  }

  Sent cross(const Crossing& crossing) {
    synth::Plan steps = plan_of(crossing);
    if (crossing.listed) steps.steps[0].collective = with_list(steps.steps[0].collective, crossing.listed);
    runtime::Outcome outcome = taken(runtime::run(program_of_steps(steps), array_, world_));
    double seconds = 0;
    for (const runtime::OriginStatistics& statistics : outcome.statistics) seconds += statistics.seconds;
    return Sent{std::move(outcome.outputs.front()), seconds};
  }

  // Every element is its number in the array.
  void expect_elements(const runtime::Value& array) const {
    for (std::int64_t device = 0; device < array.type().devices(); ++device) {
      if (!array.has_device(device)) continue;
      const synth::Box box = synth::tile(array.type(), device);
      const std::span<const std::byte> bytes = array.tile(device);
      std::vector<std::int32_t> tile(bytes.size() / sizeof(std::int32_t));
      std::memcpy(tile.data(), bytes.data(), bytes.size());
      std::size_t at = 0;
      std::int64_t wrong = 0;
      for (std::int64_t i = box[0].begin; i < box[0].end; ++i)
        for (std::int64_t j = box[1].begin; j < box[1].end; ++j)
          for (std::int64_t k = box[2].begin; k < box[2].end; ++k, ++at)
            wrong += tile[at] == (i * array.type().shape()[1] + j) * array.type().shape()[2] + k ? 0 : 1;
      EXPECT_EQ(wrong, 0) << "device " << device;
      EXPECT_EQ(at, tile.size()) << "device " << device;
    }
  }

  // Of every rank: what comes to its machine from others by these sends.
  std::vector<std::int64_t> planned(const Crossing& crossing) const {
    const synth::Plan& steps = plan_of(crossing);
    const runtime::DeviceRanks ranks(team().size(), synth::run_devices(steps.from, steps.to));
    std::vector<std::int64_t> bytes(static_cast<std::size_t>(team().size()));
    const auto add = [&](std::int64_t source, std::int64_t target, std::int64_t elements) {
      const int machine = team().machine(ranks.owner(target));
      if (machine == team().machine(ranks.owner(source))) return;
      for (int rank = 0; rank < team().size(); ++rank)
        bytes[static_cast<std::size_t>(rank)] += team().machine(rank) == machine ? elements * 4 : 0;
    };
    if (crossing.listed) {
      for (const synth::BoxSend& send : crossing.listed->sends)
        add(send.source, send.target, synth::elements(send.box));
      return bytes;
    }
    for (std::size_t step = 0; step < steps.steps.size(); ++step) {
      const std::vector<Plan::Move> moves = taken(crossing.plan.moves(step));
      for (const Plan::Move& move : moves) {
        std::int64_t elements = 1;
        for (const auto& [begin, end] : move.box) elements *= end - begin;
        add(move.source, move.target, elements);
      }
    }
    return bytes;
  }

  void print(const Crossing& crossing, const std::vector<double>& seconds,
             const std::vector<std::int64_t>& received) const {
    fmt::print(
        "{{\"way\": \"{}\", \"modelled\": {}, \"bound\": {}, \"seconds\": [{}], \"received\": [{}], \"planned\": [{}], "
        "\"steps\": \"{}\"}}\n",
        crossing.way, crossing.plan.seconds(), crossing.plan.lower_bound_seconds(), fmt::join(seconds, ", "),
        fmt::join(received, ", "), fmt::join(planned(crossing), ", "), steps_of(crossing));
    std::fflush(stdout);
  }
  static std::string steps_of(const Crossing& crossing) {
    std::string text;
    for (const Plan::Step& step : crossing.plan.steps())
      text += (text.empty() ? "" : "; ") + step.op + " " + step.detail;
    return text;
  }

  PlanRequest request_;
  runtime::World world_;
  std::vector<Crossing> entered_;
  std::vector<runtime::Value> array_;
};

}  // namespace

void race_crossings(Crew& crew, const std::string& requests, const std::string& machine, int tries,
                    const std::vector<std::string>& ways) {
  PlanRequest defaults;
  defaults.machine = taken(parse_machine(content(machine), machine));
  const std::shared_ptr<runtime::Team> team =
      taken(runtime::Team::meet(taken(runtime::make_messenger(crew.communicator())), runtime::MemorySharing::wanted));
  std::istringstream lines(content(requests));
  for (std::string line; std::getline(lines, line);) {
    Race race(team, taken(parse_plan_request(line, defaults)));
    for (const std::string& way : ways) race.enter(way);
    race.run(tries);
  }
}

}  // namespace tessera::ranks
