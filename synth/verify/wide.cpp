#include "synth/verify/wide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/stop_scope.hpp"
#include "base/wide.hpp"
#include "synth/verify/hop_loads.hpp"
#include "synth/verify/price.hpp"

namespace tessera::synth::verifier {

namespace {

enum class SumState : std::uint8_t { open, scattered, whole };

// The prime factors of parts, ascending in each, outermost first.
AxisList primes_of(const AxisList& axes) {
  AxisList primes;
  for (const AxisPart& part : axes) {
    std::int64_t before = part.before;
    std::int64_t rest = part.size;
    for (std::int64_t prime = 2; rest > 1; ++prime) {
      for (; rest % prime == 0; rest /= prime, before *= prime) {
        AxisPart digit = part;
        digit.before = before;
        digit.size = prime;
        primes.push_back(digit);
      }
    }
  }
  return primes;
}

class WideReplay {
 public:
  WideReplay(const ReductionRequest& request, const RunMachine& machine)
      : request_(request),
        mesh_(*request.mesh),
        machine_(machine),
        members_(product_of_sizes(request.reduced)),
        held_(members_),
        largest_(*std::max_element(request.elements.begin(), request.elements.end())),
        received_(request.elements.size(), 0) {}

  Fault take(const ReduceStep& step) {
    if (!step.first.empty()) return "some devices would do what others do not, and they are too many to follow each";
    if (step.axes.empty() || !independent(mesh_, step.axes)) return "its axes are no distinct parts of the mesh";
    const bool halves = step.form == ReduceForm::halving;
    if (!halves && step.form != ReduceForm::direct) return "its devices are too many to follow each";
    if (const Fault fault = note(step)) return fault;
    AxisList primes = primes_of(step.axes);
    if (step.kind != ReduceStepKind::all_gather) std::reverse(primes.begin(), primes.end());
    std::vector<AxisList> hops{step.axes};
    if (halves) {
      hops.clear();
      for (const AxisPart& prime : primes) hops.push_back({prime});
    }
    aside_ = aside_ || (halves && step.kind == ReduceStepKind::all_reduce);
    for (const AxisList& hop : hops) carry_out(step.kind, halves, hop);
    return std::nullopt;
  }

  Fault end(std::int64_t stretches, ProgramFigures& figures) {
    std::size_t met = 0;
    for (const AxisPart& part : request_.reduced) {
      for (std::int64_t before = part.before; before < part.before * part.size;) {
        const auto known = digits_.find({part.axis, before});
        if (known == digits_.end()) return "it does not sum over all of the axes";
        if (known->second.sums != (request_.scatters ? SumState::scattered : SumState::whole))
          return request_.scatters ? "devices have more than their own sums in the end"
                                   : "devices lack sums in the end";
        before *= known->second.size;
        ++met;
      }
    }
    if (met != digits_.size()) return "its steps cut an axis in different ways";
    figures.hops = std::ssize(hops_);
    figures.seconds = seconds_of_slots(hops_, stretches, request_.element_bytes);
    figures.beside_bytes = (aside_ ? largest_ : foreign_ * largest_) * request_.element_bytes;
    figures.received_bytes.clear();
    for (const std::int64_t elements : received_) figures.received_bytes.push_back(elements * request_.element_bytes);
    return std::nullopt;
  }

 private:
  struct SumDigit {
    std::int64_t size = 1;
    SumState sums = SumState::open;
  };

  // What the step makes of the sums over each digit.
  Fault note(const ReduceStep& step) {
    const bool gathers = step.kind == ReduceStepKind::all_gather;
    if (!gathers && step.kind != ReduceStepKind::all_reduce && step.kind != ReduceStepKind::reduce_scatter)
      return "one device would do what others do not, and they are too many to follow each";
    const SumState after = step.kind == ReduceStepKind::reduce_scatter ? SumState::scattered : SumState::whole;
    for (const AxisPart& prime : primes_of(step.axes)) {
      const bool is_reduced = std::any_of(request_.reduced.begin(), request_.reduced.end(), [&](const AxisPart& of) {
        return of.axis == prime.axis && prime.before % of.before == 0 &&
               of.before * of.size % (prime.before * prime.size) == 0;
      });
      if (!is_reduced) return "its axes are not among the reduced ones";
      SumDigit& digit =
          digits_.try_emplace({prime.axis, prime.before}, SumDigit{prime.size, SumState::open}).first->second;
      if (digit.size != prime.size) return "it cuts an axis otherwise than a step before";
      if (digit.sums != (gathers ? SumState::scattered : SumState::open))
        return gathers ? "its devices do not hold different chunks" : "it would add a contribution twice";
      digit.sums = after;
    }
    return std::nullopt;
  }

  void carry_out(ReduceStepKind kind, bool halves, const AxisList& hop) {
    const std::int64_t talkers = product_of_sizes(hop);
    std::int64_t chunks = held_;
    switch (kind) {
      case ReduceStepKind::reduce_scatter: held_ = chunks /= talkers; break;
      case ReduceStepKind::all_gather: held_ *= talkers; break;
      case ReduceStepKind::all_reduce:
        if (!halves) chunks /= talkers;
        break;
      case ReduceStepKind::reduce:
      case ReduceStepKind::broadcast: break;
    }
    if (request_.scatters && hops_.empty()) foreign_ = held_ - 1;
    // Summed directly, parts go to those who add them up, and sums to all.
    const std::int64_t ways = kind == ReduceStepKind::all_reduce && !halves ? 2 : 1;
    base::look_for_stop();
    HopLoads& loads = hops_.emplace_back(machine_, devices_of(machine_));
    for (const std::vector<std::int64_t>& group : groups_along(hop))
      loads.add_among(group, ways * part(largest_, chunks));
    for (std::size_t device = 0; device < received_.size(); ++device) {
      const std::int64_t tile = request_.scatters ? largest_ : request_.elements[device];
      received_[device] += ways * (talkers - 1) * part(tile, chunks);
    }
  }

  std::int64_t part(std::int64_t tile, std::int64_t chunks) const {
    if (request_.scatters) return tile * chunks;
    return static_cast<std::int64_t>((base::Wide{tile} * chunks + members_ - 1) / members_);
  }

  // Devices of the run, group by group.
  std::vector<std::vector<std::int64_t>> groups_along(const AxisList& hop) const {
    std::vector<std::pair<std::int64_t, std::int64_t>> by_group;
    for (std::int64_t device = 0; device < mesh_.devices(); ++device)
      by_group.emplace_back(outside_of(mesh_, hop, device), mesh_.device_of_run(device).value);
    std::sort(by_group.begin(), by_group.end());
    std::vector<std::vector<std::int64_t>> groups;
    for (std::size_t i = 0; i < by_group.size(); ++i) {
      if (i == 0 || by_group[i].first != by_group[i - 1].first) groups.emplace_back();
      groups.back().push_back(by_group[i].second);
    }
    return groups;
  }

  const ReductionRequest& request_;
  const Mesh& mesh_;
  const RunMachine& machine_;
  std::int64_t members_;
  std::map<std::pair<std::size_t, std::int64_t>, SumDigit> digits_;  // primes, by axis and where they begin
  std::int64_t held_;                                                // chunks of every device
  std::int64_t largest_;
  std::int64_t foreign_ = 0;
  bool aside_ = false;
  Numbers received_;  // elements, of every device
  std::vector<HopLoads> hops_;
};

}  // namespace

std::int64_t outside_of(const Mesh& mesh, const AxisList& axes, std::int64_t device) {
  std::int64_t rest = mesh.place(device);
  for (const AxisPart& part : axes) {
    const std::int64_t stride = mesh.stride(part.axis) * (mesh.axes()[part.axis].size / (part.before * part.size));
    rest -= mesh.place(device) / stride % part.size * stride;
  }
  return rest;
}

Fault replay_wide(const ReductionRequest& request, const ReduceProgram& program, const RunMachine& machine,
                  ProgramFigures& figures) {
  WideReplay replay(request, machine);
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    if (const Fault fault = replay.take(program.steps[i])) return fmt::format("step {}: {}", i + 1, *fault);
  }
  return replay.end(program.stretches, figures);
}

}  // namespace tessera::synth::verifier
