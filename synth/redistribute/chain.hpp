// Private to synth: chains of steps, found and turned into plans with all their figures.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "synth/redistribute/plan.hpp"
#include "synth/redistribute/prices.hpp"

namespace tessera::synth {

using Chain = std::vector<Collective>;
inline void append(Chain& chain, const Chain& more) { chain.insert(chain.end(), more.begin(), more.end()); }

// Steps by their fields.
Collective slice_step(AxisList axes, std::size_t to);
Collective all_gather_step(AxisList axes, std::size_t from);
Collective all_to_all_step(AxisList axes, std::size_t from, std::size_t to);
Collective reduce_scatter_step(AxisList axes, std::size_t to, AxisList cut = {});
Collective all_reduce_step(AxisList axes);
Collective keep_step(AxisList axes, ReduceOp reduce, std::optional<std::size_t> from = {});
Collective permute_step(const ArrayType& target);
Collective exchange_step(const ArrayType& target);
Collective relay_step(const ArrayType& target, RelayRef recipe);

// Does the step communicate at all?
bool is_launch(const Collective& step);

// The named collectives (or slices) that make one type of another with the same pending set, if one launch, or none, is
// enough.
std::optional<Chain> find_chain(const ArrayType& from, const ArrayType& to);

// How the pending set has to change: the axes that stay pending, are resolved, or are kept by one replica.
struct PendingChange {
  AxisList common;
  AxisList resolve;
  AxisList keep;
};
PendingChange pending_change(const ArrayType& from, const ArrayType& to);
// The target before anything is kept: its splits, pending over what stays pending only.
base::Result<ArrayType> without_keeps(const ArrayType& to, const PendingChange& change);

// The ends of a move after which only keeps are to come, and these. First the target before anything is kept, from
// which one replica keeps the value; then layouts in which the kept axes cut it further: each device keeps its tile.
// So an axis that splits the source and is pending in the target moves nothing. Last, on few devices, layouts of the
// source, after whose keeps the parts move.
struct KeptEnd {
  ArrayType target;
  Chain keep;
};
base::Result<std::vector<KeptEnd>> kept_ends(const ArrayType& from, const ArrayType& to, const PendingChange& change);

// How far apart in numbers of devices the neighbours along a part are, which lies on one level where a matrix places
// it.
std::int64_t stride_of(const Mesh& mesh, const AxisPart& part);
// The part cut where a unit of the machine ends, if one does end inside, major first. Units are in devices, ascending.
AxisList cut_at_units(const Mesh& mesh, const AxisPart& part, const std::vector<std::int64_t>& units);

// The refinements of the target that a plan may pass through (refinements.cpp), the more promising ones first: at most
// 12, fewer on many devices, where each takes longer to price.
struct Refinement {
  ArrayType type;
  bool inside = false;  // by axes that lie within the innermost units: the gather after it crosses none of their links
};
class Refinements {
 public:
  // All three outlive this.
  Refinements(const ArrayType& from, const ArrayType& to, const Machine& machine);
  std::optional<Refinement> next();
  // Lists of refinements, each of which is gathered into the next: by the axes inside the outermost units, then by
  // those inside smaller ones. So every level's links carry only what lies beyond them. None unless two levels have
  // units with such axes. Example: f32[64@(x,y,z)] -> f32[64], of which x parts pods, y nodes and z the devices of one,
  // goes through f32[64@(y,z)] and f32[64@z].
  std::vector<std::vector<ArrayType>> by_levels() const;

 private:
  using Splits = std::vector<AxisList>;
  std::size_t digits_inside(std::int64_t unit) const;
  Splits cut_by(std::size_t count, std::size_t way) const;
  std::optional<ArrayType> cut(Splits splits) const;
  Splits following(const AxisList& digits) const;
  Splits on_dimension(const AxisList& digits, std::size_t dimension) const;
  Splits dealt(const AxisList& digits) const;
  std::size_t longest_dimension(const Splits& splits) const;
  bool all_inside(std::size_t count) const;

  const ArrayType& from_;
  const ArrayType& to_;
  std::vector<std::int64_t> units_;  // devices of each, ascending
  AxisList digits_;                  // that the target leaves unused, of prime size, nearest first
  std::vector<std::size_t> inside_;  // how many of them lie in units of the levels, the outermost first
  std::vector<std::size_t> counts_;  // how many of them to use
  std::size_t ways_ = 0;             // to use them
  std::size_t most_ = 0;
  std::size_t at_ = 0;
  std::vector<Layout> met_;
};

// The collective, or the slices, that lead from one type to the other in one launch or none; else an exchange. If tiles
// are empty, types on different axes can hold the same data: `exactly` asks for the target's own axes, because a later
// step needs one of them.
Chain direct_move(const ArrayType& from, const ArrayType& to, bool exactly);
// A relay, where that takes less than so many seconds and these are more than a part in a hundred above the bound.
// Pending sets are equal. Its price is known from then on: to list the sends again takes long.
std::optional<Chain> relay_move(const ArrayType& from, const ArrayType& to, Prices& prices, double seconds);
base::Result<ArrayType> after_chain(const Chain& chain, const ArrayType& from);

// The chain that our planner chooses (choice.hpp) and, if every way is wanted, those that it met before, and one for
// each simple way to resolve what is pending. `from` and `to` differ as data.
enum class Resolve : std::uint8_t { every_way, fastest };
base::Result<std::vector<Chain>> portfolio(const ArrayType& from, const ArrayType& to, Prices& prices, Resolve ways);
// The same without a general exchange; of those that may be the fastest, and, where the bound or the budget is not
// kept, that of least peak.
base::Result<std::vector<Chain>> collectives_only_chains(const ArrayType& from, const ArrayType& to, Prices& prices,
                                                         std::optional<std::int64_t> budget);

// The rivals (docs/redistribution.md says what each does); `unsupported` where a rival cannot express or finish it.
base::Result<Chain> paper_chain(const ArrayType& from, const ArrayType& to);
base::Result<Chain> xla_chain(const ArrayType& from, const ArrayType& to);
base::Result<Chain> shardy_chain(const ArrayType& from, const ArrayType& to);
base::Result<Chain> dtensor_chain(const ArrayType& from, const ArrayType& to);
// Gather everything, then slice.
base::Result<Chain> gather_chain(const ArrayType& from, const ArrayType& to);
// The chain of a rival for a change that only finishes sums, on a machine that a file describes: one sum, over a ring,
// by masters or by the best of a few steps (synth/reduce/rivals.hpp).
base::Result<Chain> sum_chain(const ArrayType& from, const ArrayType& to, Planner planner, const Machine& machine);
base::Result<Chain> rival_chain(const ArrayType& from, const ArrayType& to, Planner planner, const Machine& machine);
// The chain of a rival for a change between two meshes.
base::Result<Chain> meshes_rival_chain(const ArrayType& from, const ArrayType& to, const Machine& machine,
                                       Planner planner);
// Lists the sends of the step of an `alpa` plan that leads from mesh to mesh, and prices them.
base::Status list_broadcasts(Plan& plan, const Machine& machine);

// The plan of a chain, priced but not verified. The prices are of a machine that machine_for gave.
base::Result<Plan> priced(Prices& prices, const ArrayType& from, const ArrayType& to, Planner planner,
                          const Chain& chain);

// The peak of every step of a chain; with the source in each of them where it lives on.
enum class Source : std::uint8_t { dies, lives_on };
base::Result<std::vector<std::int64_t>> step_peaks(const Chain& chain, const ArrayType& from,
                                                   Source source = Source::dies);

// Plans where the fastest plan is over the budget (within.cpp). Among the portfolio's chains, the direct exchange and
// the detours over refinements of the target it chooses as among chains (choice.hpp), of those whose peak keeps the
// budget. Where the source is dead afterwards, one step of a chain may be cut into rounds, into as few as will do.
base::Result<Plan> plan_within(Prices& prices, const ArrayType& from, const ArrayType& to,
                               const std::vector<Chain>& portfolio, const PlanOptions& options);
base::Diagnostic over_budget(std::int64_t least, std::int64_t budget);

// A plan with all figures but its lower bounds, not verified. This and the next look at the token of the thread's scope
// (base/stop_scope.hpp). What is known of the machine's sums spares work and changes nothing.
base::Result<Plan> plan_unverified(const ArrayType& from, const ArrayType& to, const Machine& machine,
                                   const PlanOptions& options, KnownSums* known_sums = nullptr);
// Adds the lower bounds to the plan's figures and verifies it.
base::Status with_bounds(Plan& plan, const Machine& machine);

// Works out the steps' peaks from their types: the JSON of a plan does not have them.
void set_step_peaks(Plan& plan);

}  // namespace tessera::synth
