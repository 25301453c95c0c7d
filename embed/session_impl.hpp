// What a Session and a Program hold.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/persistent_map.hpp"
#include "base/result.hpp"
#include "base/stop.hpp"
#include "embed/convert.hpp"
#include "embed/texts.hpp"
#include "runtime/execute/run.hpp"
#include "runtime/memory/spares.hpp"
#include "runtime/values/value.hpp"
#include "synth/redistribute/plan.hpp"
#include "tessera/tessera.hpp"
#include "typeck/environment.hpp"
#include "typeck/typed.hpp"

namespace tessera {

namespace embed {

// All that a session's programs have made so far. Immutable: sessions and their forks share it, and a call that
// succeeds puts another in its place.
struct State {
  std::shared_ptr<const Texts> texts = std::make_shared<const Texts>();
  typeck::Environment environment;
  base::PersistentMap<std::uint32_t, runtime::Value> values;  // by slot; only what a name or a function reaches
};
using StateRef = std::shared_ptr<const State>;

// The ranks of the configuration's communicator; none without one.
using TeamRef = base::Result<std::shared_ptr<runtime::Team>>;
TeamRef meet(const Config& config);
// A name with its type, and where it was bound.
Binding binding(const Texts& texts, std::string name, std::string type, base::Span span,
                const synth::ArrayType& placed);

}  // namespace embed

struct Session::Impl {
  explicit Impl(Config session_config)
      : config(std::make_shared<const Config>(std::move(session_config))),
        state(std::make_shared<const embed::State>()),
        plans(embed::to_machine(config->machine)),
        team(embed::meet(*config)),
        memory(std::make_shared<runtime::Spares>()) {}
  Impl(const Impl& forked)
      : config(forked.config), state(forked.state), plans(forked.plans), team(forked.team), memory(forked.memory) {}
  // A fork that goes on with another configuration, among the same ranks.
  Impl(const Impl& forked, std::shared_ptr<const Config> other_config, synth::PlanCache other_plans)
      : config(std::move(other_config)),
        state(forked.state),
        plans(std::move(other_plans)),
        team(forked.team),
        memory(forked.memory) {}
  Impl& operator=(const Impl&) = delete;

  // A text of the session's, on this rank.
  base::Result<typeck::Typed> check(embed::Texts& texts, base::SourceId source);
  // The host's side of a run.
  runtime::World world() const;
  // Is this the rank that writes?
  bool is_first() const { return !team.ok() || *team == nullptr || (*team)->rank() == 0; }
  // Stops work that ranks do without an agreement on how it went: where there are several, nobody's.
  base::StopToken stop_alone() const {
    return team.ok() && *team == nullptr ? base::StopToken(&stop) : base::StopToken();
  }
  // The same outcome on all ranks of the team: the first failure, if there is any. `subject` has to be the same.
  base::Status agree(base::Status mine, std::string_view subject) const;

  std::shared_ptr<const Config> config;
  embed::StateRef state;
  synth::PlanCache plans;
  embed::TeamRef team;
  std::shared_ptr<runtime::Pool> memory;
  std::atomic<bool> stop = false;
};

struct Program::Impl {
  std::weak_ptr<const embed::State> checked_in;  // only to know it again: its arrays need not outlive it
  std::shared_ptr<const embed::Texts> texts;
  std::shared_ptr<const typeck::Typed> typed;
  std::vector<Binding> bindings;
  std::vector<Place> shown;
  std::vector<Declaration> declared;
  Diagnostics notes;
  synth::Machine machine;  // that its redistributions were planned for
};

}  // namespace tessera
