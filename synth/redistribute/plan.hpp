// Making plans, and plans as text.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/persistent_map.hpp"
#include "base/result.hpp"
#include "base/stop.hpp"
#include "synth/machine/machine.hpp"
#include "synth/plan/plan.hpp"
#include "synth/redistribute/known_sums.hpp"

namespace tessera::synth {

struct PlanOptions {
  Planner planner = Planner::tessera;
  bool collectives_only = false;
  std::optional<std::int64_t> within_bytes;  // of the plan's peak
  // Nobody uses the source afterwards, and its boxes can be freed one by one: where no other plan keeps the budget, an
  // exchange is then cut into rounds. Ignored without a budget.
  bool source_dies = true;
  // The source is used afterwards: a budget has to hold it in every step, not only in those that read it. Ignored
  // without a budget; the figures of a plan leave it out.
  bool source_lives_on = false;
  friend auto operator<=>(const PlanOptions&, const PlanOptions&) = default;
};

// A pure function of its arguments; the plan comes back verified. Fails with unsupported, over-budget (the diagnostic's
// help is the line `least budget: N bytes`), cross-mesh, as-changes-shape and the like.
base::Result<Plan> plan(const ArrayType& from, const ArrayType& to, const Machine& machine,
                        const PlanOptions& options = {}, base::StopToken stop = {});

// The plan of these steps as they are: applied in order from `from`, priced, verified. Fails with bad_collective where
// a step may not be taken. Its bound is not promised.
base::Result<Plan> plan_of_steps(const ArrayType& from, const std::vector<Collective>& steps, const Machine& machine);

// The plan of the one step that somebody wrote out by hand (the language's explicit collectives). Which step it is was
// said; how its bytes move was not, and that is chosen as in every plan: a sum gets its program, and what copies is
// relayed, where that is faster. Fails as plan_of_steps does.
base::Result<Plan> plan_by_hand(const ArrayType& from, const Collective& step, const Machine& machine,
                                base::StopToken stop = {});

// Remembers plans of one machine by (from, to, options), and those by hand. Plans are shared and immutable; a copy of
// the cache costs nothing and goes its own way.
class PlanCache {
 public:
  explicit PlanCache(Machine machine) : machine_(std::move(machine)) {}
  base::Result<std::shared_ptr<const Plan>> get(const ArrayType& from, const ArrayType& to,
                                                const PlanOptions& options = {}, base::StopToken stop = {});
  // The same plan, which need not be verified yet: to be compared with others, not to be carried out.
  base::Result<std::shared_ptr<const Plan>> get_price(const ArrayType& from, const ArrayType& to,
                                                      const PlanOptions& options = {}, base::StopToken stop = {});
  // Takes over a plan that was made for this machine without options; verified or not.
  void remember(std::shared_ptr<const Plan> plan);
  base::Result<std::shared_ptr<const Plan>> get_by_hand(const ArrayType& from, const Collective& step,
                                                        base::StopToken stop = {});
  const Machine& machine() const { return machine_; }
  std::size_t size() const { return size_; }

 private:
  template <class Make>
  base::Result<std::shared_ptr<const Plan>> remembered(const std::string& key, const Make& make);

  Machine machine_;
  base::PersistentMap<std::string, std::shared_ptr<const Plan>> plans_;
  KnownSums known_sums_;
  std::size_t size_ = 0;
};

// For people: a line per step (collective, axes, MPI name, local shape before and after, bytes, peak), then totals
// beside their bounds.
// What a text says beside the plan's own figures: where the ends lie, and what one exchange would take where the plan
// has several launches and receives more.
struct PlanWords {
  std::function<std::string(const Mesh&)> print = [](const Mesh& mesh) { return synth::print(mesh); };
  MeshRef understood = nullptr;      // is not mentioned; null: any, as long as it is one
  const Machine* machine = nullptr;  // the plan's; null: nothing of one exchange
};
std::string print_text(const Plan& plan, const PlanWords& words = {});
// The plan with the sends of every step that moves something listed, for print_json: as they are on its machine. Fails
// with too_many_sends.
base::Result<Plan> with_sends(Plan plan, const Machine& machine);
// One line, the contract of language.md section 10.
std::string print_json(const Plan& plan);
// The JSON object of a failure: {"mesh","from","to","planner","devices","error","message"[,"least_bytes"]}.
std::string print_json_error(const ArrayType& from, const ArrayType& to, Planner planner, const base::Diagnostic& why);
// Reads what print_json wrote (by the full structure, not by trust: the result must still be verified).
base::Result<Plan> read_json(std::string_view json);

}  // namespace tessera::synth
