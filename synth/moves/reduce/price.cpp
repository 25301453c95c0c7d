#include "synth/moves/reduce/price.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tessera::synth {

namespace {

std::vector<std::int64_t> prime_factors(std::int64_t number) {
  std::vector<std::int64_t> factors;
  for (std::int64_t prime = 2; prime * prime <= number; ++prime) {
    for (; number % prime == 0; number /= prime) factors.push_back(prime);
  }
  if (number > 1) factors.push_back(number);
  return factors;
}

bool spreads(ReduceStepKind kind) { return kind == ReduceStepKind::all_gather || kind == ReduceStepKind::broadcast; }

// The bytes that one device sends another in a direct hop of n members.
double message_of(ReduceStepKind kind, double members, double bytes) {
  const bool in_parts = kind == ReduceStepKind::all_reduce || kind == ReduceStepKind::reduce_scatter;
  return in_parts ? bytes / members : bytes;
}

}  // namespace

ReducePrices::Parts ReducePrices::parts(std::size_t begin, std::size_t end) const {
  Parts found;
  for (std::size_t k = begin; k < end; ++k) {
    for (const AxisPart& part : (*levels_)[k].axes) found.push_back({part.size, (*levels_)[k].machine_level});
  }
  return found;
}

double ReducePrices::bytes_over_link(ReduceStepKind kind, ReduceForm form, const Crossing& crossing, double bytes) {
  const double n = crossing.members;
  const bool in_ring = form == ReduceForm::ring;
  const double pairs = in_ring ? n - 1 : crossing.inside * (n - crossing.inside);
  switch (kind) {
    case ReduceStepKind::all_reduce: return 2 * pairs * bytes / n;
    case ReduceStepKind::reduce_scatter: return pairs * bytes / n;
    case ReduceStepKind::all_gather: return pairs * bytes;
    case ReduceStepKind::reduce:
    case ReduceStepKind::broadcast: return in_ring ? bytes : (n - crossing.inside) * bytes;
  }
  return 0;
}

ReduceHop ReducePrices::hop(ReduceStepKind kind, ReduceForm form, const Parts& members, const Parts& masters,
                            double bytes) const {
  ReduceHop hop{0, std::vector<double>(cluster_->levels().size(), 0), 0};
  double n = 1;
  for (const Part& part : members) n *= static_cast<double>(part.factor);
  hop.message_bytes = message_of(kind, n, bytes);
  Delay delay;
  for (std::size_t j = 0; j < hop.busy.size(); ++j) {
    const Cluster::Level& level = cluster_->levels()[j];
    Crossing crossing{1, n};
    for (const Part& part : members) crossing.inside *= part.machine_level > j ? static_cast<double>(part.factor) : 1;
    if (crossing.inside == n) continue;
    auto taking_part = static_cast<double>(level.unit_devices);
    for (const Part& part : masters) taking_part /= part.machine_level > j ? static_cast<double>(part.factor) : 1;
    const double groups = taking_part / crossing.inside;
    hop.busy[j] = groups * bytes_over_link(kind, form, crossing, bytes) / level.least_bandwidth();
    delay = std::max(delay, level.delay());
  }
  // A ring is as many hops with one peer each.
  const double hops = (kind == ReduceStepKind::all_reduce ? 2 : 1) * (n - 1);
  hop.latency = form == ReduceForm::ring ? hops * delay.latency : delay.of(n - 1);
  return hop;
}

// An all_reduce by halving is a sum of all that is held in every hop: a direct exchange in which nothing is cut.
std::vector<ReduceHop> ReducePrices::halving(ReduceStepKind kind, const Parts& members, Parts masters,
                                             double bytes) const {
  Parts primes;
  for (const Part& part : members) {
    for (const std::int64_t prime : prime_factors(part.factor)) primes.push_back({prime, part.machine_level});
  }
  // Innermost first, but for what spreads; masters are those at position 0 of what is further inside.
  const bool outermost_first = spreads(kind);
  if (!outermost_first) std::reverse(primes.begin(), primes.end());
  const bool to_one = kind == ReduceStepKind::reduce || kind == ReduceStepKind::broadcast;
  if (kind == ReduceStepKind::broadcast) masters.insert(masters.end(), primes.begin(), primes.end());
  std::vector<ReduceHop> hops;
  for (const Part& prime : primes) {
    if (kind == ReduceStepKind::broadcast) {
      // The prime's own members are no longer masters of anything.
      const auto own = std::find_if(masters.begin(), masters.end(), [&](const Part& part) {
        return part.factor == prime.factor && part.machine_level == prime.machine_level;
      });
      masters.erase(own);
    }
    const ReduceStepKind within = kind == ReduceStepKind::all_reduce ? ReduceStepKind::all_gather : kind;
    hops.push_back(hop(within, ReduceForm::direct, {prime}, masters, bytes));
    if (kind == ReduceStepKind::reduce_scatter) bytes /= static_cast<double>(prime.factor);
    if (kind == ReduceStepKind::all_gather) bytes *= static_cast<double>(prime.factor);
    if (to_one && !outermost_first) masters.push_back(prime);
  }
  return hops;
}

// A ring's hops are alike: they are priced together.
std::vector<ReduceHop> ReducePrices::ring(ReduceStepKind kind, const Parts& members, const Parts& masters,
                                          double bytes) const {
  return {hop(kind, ReduceForm::ring, members, masters, bytes)};
}

double ReducePrices::bytes(std::uint32_t split) const {
  double bytes = payload_bytes_;
  for (std::size_t k = 0; k < levels_->size(); ++k) {
    if ((split >> k & 1U) != 0) bytes /= static_cast<double>((*levels_)[k].factor);
  }
  return bytes;
}

std::vector<ReduceHop> ReducePrices::hops(const LevelStep& step, std::uint32_t split) const {
  const double bytes = this->bytes(split);
  const Parts members = parts(step.begin, step.end);
  const Parts masters = step.masters ? parts(step.end, levels_->size()) : Parts{};
  switch (step.form) {
    case ReduceForm::direct: return {hop(step.kind, step.form, members, masters, bytes)};
    case ReduceForm::halving: return halving(step.kind, members, masters, bytes);
    case ReduceForm::ring: return ring(step.kind, members, masters, bytes);
    case ReduceForm::units: return {};  // of groups without levels
  }
  return {};
}

double ReducePrices::seconds(const LevelStep& step, std::uint32_t split) const {
  double total = 0;
  for (const ReduceHop& hop : hops(step, split))
    total += hop.latency + *std::max_element(hop.busy.begin(), hop.busy.end());
  return total;
}

std::vector<ReduceHop> hops_of(const ReducePrices& prices, const LevelProgram& program,
                               const std::vector<std::uint32_t>& splits) {
  std::vector<ReduceHop> all;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    for (ReduceHop& hop : prices.hops(program.steps[i], splits[i])) all.push_back(std::move(hop));
  }
  return all;
}

PipelineSeconds::PipelineSeconds(std::vector<ReduceHop> hops)
    : hops_(std::move(hops)), message_bytes_(std::numeric_limits<double>::infinity()) {
  for (const ReduceHop& hop : hops_) message_bytes_ = std::min(message_bytes_, hop.message_bytes);
  full_ = slot(0, hops_.size());
  for (std::size_t at = 1; at < hops_.size(); ++at) {
    for (const Slot& end : {slot(0, at), slot(at, hops_.size())}) {
      ends_.latency += end.latency;
      ends_.busiest += end.busiest;
    }
  }
}

PipelineSeconds::Slot PipelineSeconds::slot(std::size_t begin, std::size_t end) const {
  Slot slot;
  std::vector<double> busy(hops_.empty() ? 0 : hops_[0].busy.size(), 0);
  for (std::size_t i = begin; i < end; ++i) {
    slot.latency = std::max(slot.latency, hops_[i].latency);
    for (std::size_t j = 0; j < busy.size(); ++j) busy[j] += hops_[i].busy[j];
  }
  for (const double seconds : busy) slot.busiest = std::max(slot.busiest, seconds);
  return slot;
}

double PipelineSeconds::operator()(std::int64_t stretches) const {
  const auto c = static_cast<double>(stretches);
  const auto hops = static_cast<std::int64_t>(hops_.size());
  if (stretches >= hops) {
    const auto full_slots = static_cast<double>(stretches - hops + 1);
    return ends_.latency + ends_.busiest / c + full_slots * (full_.latency + full_.busiest / c);
  }
  double total = 0;
  for (std::int64_t t = 0; t < stretches + hops - 1; ++t) {
    const Slot now = slot(static_cast<std::size_t>(std::max<std::int64_t>(0, t - stretches + 1)),
                          static_cast<std::size_t>(std::min(t + 1, hops)));
    total += now.latency + now.busiest / c;
  }
  return total;
}

double reduction_bound(const Cluster& cluster, const ReduceLevels& levels, double payload_bytes, ReduceGoal goal) {
  double bound = 0;
  for (std::size_t j = 0; j < cluster.levels().size(); ++j) {
    const Cluster::Level& level = cluster.levels()[j];
    double inside = 1;
    double units = 1;
    for (const ReduceLevel& of : levels) (of.machine_level > j ? inside : units) *= static_cast<double>(of.factor);
    const double bytes = static_cast<double>(level.unit_devices) / inside * payload_bytes;  // of a unit, in all groups
    const double crossings = (goal == ReduceGoal::all_reduce ? 2 : 1) * (1 - 1 / units);
    const double all = static_cast<double>(level.units) * crossings * bytes / level.bandwidth_of_all();
    // A unit sends those of its parts that others add up, and the sums of those that it adds up itself.
    const double each =
        (goal == ReduceGoal::all_reduce && units > 1 ? 1 : 1 - 1 / units) * bytes / level.least_bandwidth();
    bound = std::max({bound, all, each});
  }
  return bound;
}

}  // namespace tessera::synth
