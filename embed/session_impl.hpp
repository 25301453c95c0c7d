// What a Session and a Program hold.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/persistent_map.hpp"
#include "embed/convert.hpp"
#include "embed/texts.hpp"
#include "runtime/run.hpp"
#include "runtime/value.hpp"
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

// The host's side of a run.
runtime::World world(const Config& config, const std::atomic<bool>& stop);
// A name with its type, and where it was bound.
Binding binding(const Texts& texts, std::string name, std::string type, base::Span span,
                const synth::ArrayType& placed);

}  // namespace embed

struct Session::Impl {
  explicit Impl(Config session_config)
      : config(std::make_shared<const Config>(std::move(session_config))),
        state(std::make_shared<const embed::State>()),
        plans(embed::to_machine(config->machine)) {}
  Impl(std::shared_ptr<const Config> session_config, embed::StateRef session_state, synth::PlanCache session_plans)
      : config(std::move(session_config)), state(std::move(session_state)), plans(std::move(session_plans)) {}

  std::shared_ptr<const Config> config;
  embed::StateRef state;
  synth::PlanCache plans;
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
};

}  // namespace tessera
