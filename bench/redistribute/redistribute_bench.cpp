#include "bench/redistribute/redistribute_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "bench/pages.hpp"
#include "bench/redistribute/changes.hpp"
#include "bench/redistribute/peers.hpp"
#include "bench/report.hpp"
#include "bench/timing.hpp"
#include "runtime/kernels/core_share.hpp"
#include "runtime/kernels/parallel.hpp"

namespace tessera::bench {

namespace {

// One way to do it. None that has nothing to do is measured.
using Contestant = std::function<void()>;

// The boxes of all devices at a moment of a plan.
Boxes boxes_at(const Plan& plan, std::size_t moment) {
  Boxes boxes;
  const Plan::Moment holding = plan.moment(moment).value();
  for (const Plan::Holding& held : holding.devices) boxes.push_back(held.box);
  return boxes;
}

bool has_one_owner_each(const Plan& plan) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : plan.shape()) elements *= extent;
  for (std::size_t i = 0; i <= plan.steps().size(); ++i) {
    std::int64_t held = 0;
    for (const Box& box : boxes_at(plan, i)) {
      std::int64_t n = 1;
      for (const auto& [begin, end] : box) n *= std::max<std::int64_t>(0, end - begin);
      held += n;
    }
    if (held != elements) return false;
  }
  return true;
}

// What all contestants share for one change.
class Race {
 public:
  Race(const Change& change, const Launch& launch, const Peers& peers) : change_(change), peers_(peers) {
    Config config;
    config.team = launch.team();
    session_.emplace(config);
    session_->run(fmt::format("mesh m = [{}]\nlet a = iota({})\n", change.mesh, change.from)).value();
    program_.emplace(session_->check(fmt::format("let b = a as {}\n", change.layout)).value());
    const Plan direct = plan("tessera", false);
    for (const Plan::Holding& held : direct.moment(direct.steps().size()).value().devices) written_ += held.bytes;
  }

  // Ours: as a session runs the statement, the array made and dropped.
  Contestant tessera() {
    return [this] {
      Session once = session_->fork();
      once.run(*program_).value();
    };
  }

  // As many bytes as the target has, from memory that is there to memory that is there: one stretch for each core, or
  // by each rank its own.
  Contestant memcpy_of_all() {
    const auto n = static_cast<std::size_t>(peers_.size() == 1 ? written_ : written_ / peers_.size());
    source_ = Pages(n, std::byte{1});
    target_ = Pages(n, std::byte{2});
    const std::int64_t cores = peers_.size() == 1 ? std::thread::hardware_concurrency() : 1;
    return [this, n, cores] {
      const auto each = (static_cast<std::int64_t>(n) + cores - 1) / cores;
      runtime::parallel_ranges(static_cast<std::int64_t>(n), each, [&](std::int64_t begin, std::int64_t end) {
        std::memcpy(target_.data() + begin, source_.data() + begin, static_cast<std::size_t>(end - begin));
      });
    };
  }

  // Everything everywhere, then each device's part.
  Contestant gather_then_slice() {
    const Plan gathered = plan("gather", false);
    const Array array = session_->get("a").value();
    return [this, gathered, array] { session_->run(gathered, array).value(); };
  }

  Contestant with_types() {
    const Plan direct = plan("tessera", false);
    if (!can_be_written_by_hand(direct)) return {};
    return by_hand({peers_.with_types(boxes_at(direct, 0), boxes_at(direct, direct.steps().size()))}, direct);
  }

  // One packed exchange for each step of the plan of single collectives.
  Contestant with_packing() {
    const Plan steps = plan("tessera", true);
    if (!can_be_written_by_hand(steps)) return {};
    std::vector<Peers::Move> moves;
    for (std::size_t i = 0; i < steps.steps().size(); ++i) {
      moves.push_back(peers_.with_packing(boxes_at(steps, i), boxes_at(steps, i + 1)));
    }
    return by_hand(std::move(moves), steps);
  }

  // Best times of those contestants that there are.
  std::vector<std::optional<double>> times(const std::vector<Contestant>& all, int goes) const {
    const std::vector<double> best = best_in_turns(all.size(), goes, [&](std::size_t i) {
      peers_.wait();
      return all[i] ? peers_.most(seconds_of(all[i])) : 0.0;
    });
    std::vector<std::optional<double>> given;
    for (std::size_t i = 0; i < all.size(); ++i) given.push_back(all[i] ? std::optional(best[i]) : std::nullopt);
    return given;
  }

 private:
  Plan plan(const char* planner, bool collectives_only) const {
    PlanRequest request;
    for (const char c : change_.mesh) {
      if (c != ' ') request.mesh += c;
    }
    request.from = change_.from;
    request.to = change_.to;
    request.planner = planner;
    request.collectives_only = collectives_only;
    return make_plan(request).value();
  }

  bool can_be_written_by_hand(const Plan& plan) const {
    return peers_.size() == change_.devices && peers_.size() > 1 && has_one_owner_each(plan);
  }

  // Arrays large enough for every step; the steps go to and fro between them.
  Contestant by_hand(std::vector<Peers::Move> moves, const Plan& plan) {
    if (!moves.front()) return {};
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i <= plan.steps().size(); ++i) {
      for (const Plan::Holding& held : plan.moment(i).value().devices) bytes = std::max(bytes, held.bytes);
    }
    const auto n = static_cast<std::size_t>(bytes) / sizeof(float);
    if (one_.size() < n) one_ = Pages(n, 1.0F);
    if (other_.size() < n) other_ = Pages(n, 2.0F);
    return [this, moves = std::move(moves)] {
      float* from = one_.data();
      float* to = other_.data();
      for (const Peers::Move& move : moves) {
        move(from, to);
        std::swap(from, to);
      }
    };
  }

  const Change& change_;
  const Peers& peers_;
  std::optional<Session> session_;
  std::optional<Program> program_;
  std::int64_t written_ = 0;  // bytes, by all devices
  Pages<std::byte> source_{0}, target_{0};
  Pages<float> one_{0}, other_{0};
};

std::optional<double> ratio(const std::optional<double>& ours, const std::optional<double>& theirs) {
  return ours && theirs ? std::optional(*ours / *theirs) : std::nullopt;
}

std::optional<double> milliseconds(const std::optional<double>& seconds) {
  return seconds ? std::optional(*seconds * 1e3) : std::nullopt;
}

}  // namespace

int run(const RedistributeBench& options) {
  auto begun = Launch::begin();
  if (!begun) {
    fmt::print(stderr, "{}\n", begun.diagnostics().front().message);
    return 2;
  }
  const Launch launch = std::move(begun).value();
  const Peers peers(launch);
  std::optional<runtime::CoreShare> share;
  if (peers.size() > 1) share.emplace(peers.size());
  std::optional<Report> report;
  const std::string about = peers.size() == 1 ? "simulated devices" : fmt::format("{} ranks", peers.size());
  if (peers.rank() == 0) {
    report.emplace(about,
                   std::vector<std::string>{"tessera_ms", "memcpy_ms", "gather_ms", "alltoallw_ms", "packed_ms",
                                            "over_memcpy", "over_gather", "over_alltoallw", "over_packed"},
                   options.json);
  }
  for (const Change& change : changes()) {
    if (change.name.find(options.only) == std::string::npos) continue;
    if (peers.size() > 1 && peers.size() != change.devices) continue;
    Race race(change, launch, peers);
    const auto times = race.times(
        {race.tessera(), race.memcpy_of_all(), race.gather_then_slice(), race.with_types(), race.with_packing()},
        options.goes);
    std::vector<std::optional<double>> figures;
    for (const auto& time : times) figures.push_back(milliseconds(time));
    for (std::size_t i = 1; i < times.size(); ++i) figures.push_back(ratio(times[0], times[i]));
    if (report) report->row(change.name, figures);
  }
  return 0;
}

}  // namespace tessera::bench
