#include "synth/moves/transfer/even_program.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "synth/layout/axis_parts.hpp"

namespace tessera::synth {

namespace {

class EvenCarrying {
 public:
  EvenCarrying(std::int64_t members, bool scatters) : scatters_(scatters), held_(members) {
    program_.members = members;
  }

  bool take(const ReduceStep& step, const Digits& digits) {
    const bool by_halving = step.form == ReduceForm::halving;
    if (step.form != ReduceForm::direct && !by_halving) return false;
    const Digits primes = prime_digits(digits);
    switch (step.kind) {
      case ReduceStepKind::reduce_scatter:
        return take(Sum::open, Sum::scattered, primes) && scatter(digits, by_halving);
      case ReduceStepKind::all_gather: return take(Sum::scattered, Sum::whole, primes) && gather(digits, by_halving);
      case ReduceStepKind::all_reduce:
        if (!take(Sum::open, Sum::whole, primes)) return false;
        return by_halving ? exchange(primes) : add_up(digits);
      case ReduceStepKind::reduce:
      case ReduceStepKind::broadcast: return false;
    }
    return false;
  }

  // The digits are those of one position, and each has come to where it has to.
  bool is_done() const {
    std::int64_t stride = 1;
    for (const auto& [at, digit] : digits_) {
      if (at != stride || digit.second != (scatters_ ? Sum::scattered : Sum::whole)) return false;
      stride *= digit.first;
    }
    return stride == program_.members;
  }

  EvenProgram program(std::int64_t stretches) && {
    for (const auto& [stride, digit] : digits_) program_.digits.push_back({stride, digit.first});
    program_.hop_slots = slot_;
    program_.stretches = stretches;
    return std::move(program_);
  }

 private:
  enum class Sum : std::uint8_t { open, scattered, whole };

  bool take(Sum before, Sum after, const Digits& primes) {
    return std::all_of(primes.begin(), primes.end(), [&](const Digit& prime) {
      auto& [size, sum] = digits_.try_emplace(prime.stride, prime.size, Sum::open).first->second;
      return size == prime.size && std::exchange(sum, after) == before;
    });
  }

  void add_hop(ReduceStepKind kind, const Digits& digits, std::int64_t chunks) {
    std::int64_t talkers = 1;
    for (const Digit& digit : digits) talkers *= digit.size;
    program_.hops.push_back({kind, digits, own_, talkers, chunks, slot_});
  }
  void own(const Digits& digits) {
    for (const Digit& prime : prime_digits(digits)) {
      own_.push_back(prime);
      held_ /= prime.size;
    }
  }
  void disown(const Digits& digits) {
    for (const Digit& prime : prime_digits(digits)) {
      std::erase(own_, prime);
      held_ *= prime.size;
    }
  }

  bool scatter(const Digits& digits, bool by_halving) {
    Digits primes = prime_digits(digits);
    std::reverse(primes.begin(), primes.end());
    const std::vector<Digits> hops = by_halving ? one_by_one(primes) : std::vector<Digits>{digits};
    for (const Digits& hop : hops) {
      scatter_in_hop(hop);
      ++slot_;
    }
    return true;
  }
  void scatter_in_hop(const Digits& hop) {
    std::int64_t talkers = 1;
    for (const Digit& digit : hop) talkers *= digit.size;
    add_hop(ReduceStepKind::reduce_scatter, hop, held_ / talkers);
    own(hop);
    if (scatters_ && program_.hops.size() == 1) program_.foreign = held_ - 1;
  }

  bool gather(const Digits& digits, bool by_halving) {
    const std::vector<Digits> hops = by_halving ? one_by_one(prime_digits(digits)) : std::vector<Digits>{digits};
    for (const Digits& hop : hops) {
      add_hop(ReduceStepKind::all_gather, hop, held_);
      disown(hop);
      ++slot_;
    }
    return true;
  }

  // Both ways in one slot.
  bool add_up(const Digits& digits) {
    scatter_in_hop(digits);
    add_hop(ReduceStepKind::all_gather, digits, held_);
    disown(digits);
    ++slot_;
    return true;
  }

  bool exchange(const Digits& primes) {
    if (scatters_) return false;
    program_.has_aside = true;
    for (auto prime = primes.rbegin(); prime != primes.rend(); ++prime, ++slot_)
      add_hop(ReduceStepKind::all_reduce, {*prime}, held_);
    return true;
  }

  static std::vector<Digits> one_by_one(const Digits& primes) {
    std::vector<Digits> all;
    for (const Digit& prime : primes) all.push_back({prime});
    return all;
  }

  bool scatters_;
  EvenProgram program_;
  std::map<std::int64_t, std::pair<std::int64_t, Sum>> digits_;  // primes by their strides
  Digits own_;
  std::int64_t held_;  // chunks of a member
  std::int64_t slot_ = 0;
};

}  // namespace

std::optional<EvenProgram> even_program(const AxisList& reduced, bool scatters, const ReduceProgram& program) {
  if (program.stretches < 1) return std::nullopt;
  EvenCarrying carrying(shard_count(reduced), scatters);
  for (const ReduceStep& step : program.steps) {
    const auto digits = digits_of(reduced, step.axes);
    if (!digits || step.axes.empty() || !step.first.empty() || !are_distinct(*digits, {})) return std::nullopt;
    if (!carrying.take(step, *digits)) return std::nullopt;
  }
  if (!carrying.is_done()) return std::nullopt;
  return std::move(carrying).program(program.stretches);
}

std::vector<std::int32_t> chunks_held(const EvenProgram& program, const Digits& own, std::int32_t member) {
  Digits free;
  for (const Digit& digit : program.digits) {
    if (std::find(own.begin(), own.end(), digit) == own.end()) free.push_back(digit);
  }
  std::vector<std::int32_t> chunks = others_along(free, member);
  std::sort(chunks.begin(), chunks.end());
  return chunks;
}

}  // namespace tessera::synth
