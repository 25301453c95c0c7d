#include "synth/planner/prices.hpp"

#include <algorithm>
#include <bit>

#include "base/stop_scope.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/layout/cuts.hpp"
#include "synth/moves/prices/round_cost.hpp"
#include "synth/planner/programs.hpp"

namespace tessera::synth {

namespace {

// A program has to be faster by more than a part in a hundred: less nobody measures.
constexpr double kWorthAProgram = 1.01;

// Of a program that says who sends what to whom.
std::int64_t work_of_pairs(const Collective& step, const ArrayType& after) {
  constexpr std::int64_t kNanosecondsOfPair = 160;
  const std::int64_t members = shard_count(axes_of(step));
  return is_wide(after.devices(), members) ? 0 : after.devices() * members * kNanosecondsOfPair;
}

// To five bits.
std::int64_t rounded(std::int64_t bytes) {
  constexpr int kBits = 5;
  const int more = std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes))) - kBits);
  return bytes >> more << more;
}

}  // namespace

std::size_t KnownSums::mesh(const MeshRef& mesh) {
  const auto same = [&](const MeshRef& known) {
    return known == mesh || (*known == *mesh && known->has_matrix_of(*mesh));
  };
  const auto number = static_cast<std::size_t>(std::ranges::find_if(meshes_, same) - meshes_.begin());
  if (number == meshes_.size()) meshes_.push_back(mesh);
  return number;
}

KnownSums::Sum KnownSums::find(const Key& key) const {
  const Sum* const known = sums_.find(key);
  return known == nullptr ? Sum{} : *known;
}

StepCost Prices::of(const Collective& step, const ArrayType& before, const ArrayType& after) {
  base::look_for_stop();
  const CollectiveKind kind = kind_of(step);
  if (movement(kind) == Movement::none) return StepCost{};
  if (const Round* round = round_of(step)) return of_round(*round, before, after);
  if (relay_of(step) != nullptr) return of_relay(step, before, after);
  if (program_of(step) != nullptr) return of_program(step, before, after);
  return remembered(movement(kind) == Movement::copies ? CollectiveKind::exchange : kind, step, before, after);
}

StepCost Prices::remembered(CollectiveKind kind, const Collective& step, const ArrayType& before,
                            const ArrayType& after) {
  const auto same = [&](const Known& k) { return k.kind == kind && k.before == before && k.after == after; };
  const auto found = std::find_if(known_.begin(), known_.end(), same);
  if (found != known_.end()) return found->cost;
  const StepCost price =
      movement(kind) == Movement::sums ? of_direct_sum(step, before, after) : cost(machine_, step, before, after);
  constexpr std::int64_t kNanosecondsOfDevice = 150;
  constexpr std::int64_t kNanosecondsOfPeer = 10;
  worked(after.devices() * (kNanosecondsOfDevice + kNanosecondsOfPeer * price.peers));
  known_.push_back(Known{kind, before, after, price});
  return price;
}

std::optional<Prices::SumSize> Prices::size_of_sum(const Collective& step, const ArrayType& before,
                                                   const ArrayType& after) {
  const auto axes = without(before.layout().pending(), after.layout().pending());
  if (!axes) return std::nullopt;
  const bool is_exact = has_even_tiles(before) && has_even_tiles(after);
  const auto size = [&](const ArrayType& type) {
    return is_exact ? tile_bytes_max(type) : rounded(tile_bytes_max(type));
  };
  return SumSize{kind_of(step), before.mesh_ref(), *axes, size(before), size(after), is_exact};
}

Prices::KnownSize* Prices::known_size(const Collective& step, const ArrayType& before, const ArrayType& after) {
  auto size = size_of_sum(step, before, after);
  if (!size) return nullptr;
  const auto found = std::find_if(sizes_.begin(), sizes_.end(), [&](const KnownSize& k) { return k.size == *size; });
  if (found != sizes_.end()) return &*found;
  return &sizes_.emplace_back(KnownSize{std::move(*size), {}, {}, nullptr});
}

std::optional<KnownSums::Key> Prices::shared_key(const KnownSize* known, const ArrayType& before) {
  if (known_sums_ == nullptr || known == nullptr || !known->size.is_exact) return std::nullopt;
  const SumSize& size = known->size;
  return KnownSums::Key{known_sums_->mesh(size.mesh), size.kind, before.element(), size.tile_bytes_before,
                        size.tile_bytes_after,        size.axes};
}

StepCost Prices::of_direct_sum(const Collective& step, const ArrayType& before, const ArrayType& after) {
  KnownSize* const known = known_size(step, before, after);
  const bool is_exact = known != nullptr && known->size.is_exact;
  if (is_exact && known->direct) return *known->direct;
  auto key = shared_key(known, before);
  KnownSums::Sum shared = key.has_value() ? known_sums_->find(*key) : KnownSums::Sum{};
  const StepCost price = shared.direct.has_value() ? *shared.direct : cost(machine_, step, before, after);
  if (is_exact) known->direct = price;
  if (!key.has_value() || shared.direct.has_value()) return price;
  shared.direct = price;
  known_sums_->set(std::move(*key), std::move(shared));
  return price;
}

Collective Prices::best_form(Collective step, const ArrayType& before, const ArrayType& after) {
  const bool may_have_one = movement(step) == Movement::sums && program_of(step) == nullptr;
  if (may_have_one && has_programs(machine_, after.mesh(), shard_count(axes_of(step)))) {
    const ReduceProgramRef& program = programmed(step, before, after).program;
    if (program != nullptr) step.recipe = program;
  }
  return step;
}

Prices::KnownProgram& Prices::programmed(const Collective& step, const ArrayType& before, const ArrayType& after) {
  const auto same = [&, kind = kind_of(step)](const KnownProgram& k) {
    return k.kind == kind && k.before == before && k.after == after;
  };
  const auto found = std::find_if(programs_.begin(), programs_.end(), same);
  if (found != programs_.end()) return *found;
  base::look_for_stop();
  KnownProgram& known = programs_.emplace_back(KnownProgram{kind_of(step), before, after, nullptr, {}});
  const double seconds_max = of(step, before, after).seconds / kWorthAProgram;
  KnownSize* const of_size = known_size(step, before, after);
  const bool is_known = of_size != nullptr && of_size->by_program;
  if (is_known && of_size->size.is_exact) {
    known.program = of_size->program;
    known.cost = *of_size->by_program;
    return known;
  }
  KnownSums::Program best = is_known ? priced(of_size->program, step, before, after, seconds_max)
                                     : searched(step, before, after, seconds_max);
  known.cost = best.cost;
  known.program = std::move(best.program);
  if (of_size == nullptr || is_known) return known;
  of_size->by_program = known.cost;
  of_size->program = known.program;
  return known;
}

KnownSums::Program Prices::searched(const Collective& step, const ArrayType& before, const ArrayType& after,
                                    double seconds_max) {
  worked(work_of_pairs(step, after) * std::ssize(machine_.levels));
  auto key = shared_key(known_size(step, before, after), before);
  KnownSums::Sum shared = key.has_value() ? known_sums_->find(*key) : KnownSums::Sum{};
  if (shared.by_program.has_value()) {
    if (shared.by_program->is_found) worked(work_of_pairs(step, after));
    return *std::move(shared.by_program);
  }
  auto found = best_reduce_program(graphs_, machine_, step, before, after, seconds_max);
  auto best = priced(std::move(found), step, before, after, seconds_max);
  if (!key.has_value()) return best;
  shared.by_program = best;
  known_sums_->set(std::move(*key), std::move(shared));
  return best;
}

// The program, unless it is no faster than that.
KnownSums::Program Prices::priced(ReduceProgramRef program, const Collective& step, const ArrayType& before,
                                  const ArrayType& after, double seconds_max) {
  if (program == nullptr) return {};
  worked(work_of_pairs(step, after));
  KnownSums::Program best{nullptr, cost(machine_, Collective{step.effect, program}, before, after), true};
  if (best.cost.seconds < seconds_max) best.program = std::move(program);
  return best;
}

StepCost Prices::of_program(const Collective& step, const ArrayType& before, const ArrayType& after) {
  const auto same = [&](const KnownProgram& k) { return k.program.get() == program_of(step) && k.after == after; };
  const auto found = std::find_if(programs_.begin(), programs_.end(), same);
  return found != programs_.end() ? found->cost : cost(machine_, step, before, after);
}

StepCost Prices::of_relay(const Collective& step, const ArrayType& before, const ArrayType& after) {
  const RelayRef& recipe = *recipe_of<RelayRef>(step);
  const auto same = [&](const KnownRelay& k) { return k.recipe == recipe; };
  const auto found = std::find_if(relays_.begin(), relays_.end(), same);
  if (found != relays_.end()) return found->cost;
  relays_.push_back(KnownRelay{recipe, cost(machine_, step, before, after)});
  return relays_.back().cost;
}

// All rounds of an exchange are priced at its first.
StepCost Prices::of_round(const Round& round, const ArrayType& before, const ArrayType& after) {
  if (round.index == 0) rounds_ = costs_of_rounds(machine_, before, after, round.dimension, round.count);
  const auto index = static_cast<std::size_t>(round.index);
  return index < rounds_.size() ? rounds_[index] : StepCost{};
}

}  // namespace tessera::synth
