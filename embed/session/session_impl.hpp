// The state of a Session and of a Program.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/persistent_map.hpp"
#include "base/result.hpp"
#include "base/stop.hpp"
#include "embed/host/convert.hpp"
#include "embed/host/deadline.hpp"
#include "embed/host/stop_token.hpp"
#include "embed/host/texts.hpp"
#include "embed/session/gpu_engine.hpp"
#include "runtime/memory/page_cache.hpp"
#include "runtime/values/value.hpp"
#include "synth/planner/plan.hpp"
#include "tessera/tessera.hpp"
#include "typeck/typed/environment.hpp"

namespace tessera::runtime {
struct World;
}
namespace tessera::typeck {
struct CheckOptions;
struct Typed;
}  // namespace tessera::typeck

namespace tessera {

namespace embed {

// Everything that a session's programs have made so far. Immutable: sessions and their forks share it, and a call that
// succeeds replaces it.
struct State {
  std::shared_ptr<const Texts> texts = std::make_shared<const Texts>();
  typeck::Environment environment;
  base::PersistentMap<std::uint32_t, runtime::Value> values;  // by slot; only what a name or a function reaches
  // When unreachable bindings and texts were last forgotten: what was left.
  std::size_t bindings_left = 0;
  std::int64_t text_bytes_left = 0;
};
using StateRef = std::shared_ptr<const State>;

// The state without what nothing reaches any more. Looking for that takes as long as all that is there, so that it is
// done only where there may be twice as much as the last time, or where a limit makes it count.
StateRef tidied(State state, std::int64_t memory_bytes_max);
// What a session keeps of a text besides the text: its tree.
std::int64_t bytes_of(const frontend::Ast& ast);

// How large a text, a check and a device program may be within the host's limit of memory.
struct CheckLimits {
  std::size_t text_bytes_max;
  std::size_t tokens_max;
  std::size_t values_max;
  std::size_t steps_max;
};
CheckLimits check_limits(const Config& config);

// The ranks of the configuration's team.
TeamRef meet(const Config& config);
// Refuses limits that are none: negative ones, and a time that is no number.
base::Status limits_are_limits(const Config& config);
// The team, for a session of another configuration.
TeamRef with_limits(const TeamRef& team, const Config& config);
// The options of checks that a session's configuration asks for. `texts` outlives them.
base::Result<typeck::CheckOptions> check_options(const Config& config, const Texts& texts, base::StopToken stop);

}  // namespace embed

struct Session::Impl {
  explicit Impl(Config session_config)
      : config(std::make_shared<const Config>(std::move(session_config))),
        state(std::make_shared<const embed::State>()),
        plans(embed::to_machine(config->machine)),
        team(embed::meet(*config)),
        engine(embed::open_engine(*config, team)),
        memory(std::make_shared<runtime::PageCache>()),
        stopped_by(config->stop, stop) {}
  Impl(const Impl& forked)
      : config(forked.config),
        state(forked.state),
        plans(forked.plans),
        team(forked.team),
        engine(forked.engine),
        memory(forked.memory),
        chosen(forked.chosen),
        stopped_by(config->stop, stop) {}
  // A fork that goes on with another configuration, among the same ranks.
  Impl(const Impl& forked, std::shared_ptr<const Config> other_config, synth::PlanCache other_plans)
      : config(std::move(other_config)),
        state(forked.state),
        plans(std::move(other_plans)),
        team(embed::with_limits(forked.team, *config)),
        engine(embed::engine_of_fork(forked.engine, *forked.config, *config, team)),
        memory(forked.memory),
        chosen(forked.chosen),
        stopped_by(config->stop, stop) {}
  Impl& operator=(const Impl&) = delete;

  // A text, within the limits of a configuration, on this rank.
  base::Result<frontend::Ast> parse(const embed::Texts& texts, base::SourceId source, const Config& by);
  // A text that uses no files, in an environment such as the session's, on this rank.
  base::Result<typeck::Typed> check(frontend::Ast ast, embed::Texts& texts, const typeck::Environment& environment,
                                    const Config& by);
  // Types as the language writes them, here and now. Each text is added to `texts`, so that mistakes have a place.
  base::Result<std::vector<synth::ArrayType>> read_types(const std::vector<std::string>& types, embed::Texts& texts);
  // A type as the language writes it, here and now.
  std::string type_text(const synth::ArrayType& type) const;
  // Payload that the session's values have on this rank's devices, those of `besides` left out.
  std::int64_t kept_bytes(const std::vector<runtime::Value>& besides) const;
  // Forgets that the last run was stopped, unless it was for good.
  void begin_work();
  // What a call that succeeds leaves.
  void become(embed::State after);
  // The report of a run, which leaves what it has made if it succeeded.
  Result<RunReport> kept(Result<RunReport> report);
  // The host's side of a run.
  runtime::World world() const;
  // How the devices are dealt to the ranks now, for an array of this type.
  runtime::DeviceRanks device_ranks(const synth::ArrayType& type) const;
  // Is this the rank that writes?
  bool is_first() const;
  // The token for work after which ranks do not agree on the outcome. With several ranks it never stops: one rank must
  // not stop alone.
  base::StopToken stop_alone() const {
    return team.ok() && *team == nullptr ? base::StopToken(&stop) : base::StopToken();
  }
  // The work, within the time that the host allows; in begun work.
  template <class F>
  auto in_time(const F& work) {
    const embed::Deadline deadline(config->seconds_max, stop);
    return embed::in_time(deadline, team.ok() ? team->get() : nullptr, work);
  }
  // The same outcome on all ranks of the team: the first failure, if there is any. `subject` has to be the same.
  base::Status agree(base::Status mine, std::string_view subject) const;
  template <class T>
  Result<T> agreed(Result<T> mine, std::string_view subject) const {
    base::Status status = base::Done{};
    if (!mine) status = embed::to_base(mine.diagnostics().front());
    const base::Status all = agree(status, subject);
    if (all) return mine;
    // Prefer this rank's own failure: it has its place in the text.
    if (!mine && all.errors().front().kind == status.errors().front().kind) return mine;
    return embed::to_public(embed::Texts{}, all.errors());
  }

  std::shared_ptr<const Config> config;
  embed::StateRef state;
  std::optional<embed::State> next;  // what a run leaves if its time is not over
  synth::PlanCache plans;
  embed::TeamRef team;
  embed::EngineRef engine;
  std::shared_ptr<runtime::Pool> memory;
  std::vector<StatementStatistics> statistics;  // of the last run, up to its failure if it failed
  std::optional<Program> chosen;                // the last that ran or was compiled and has layouts that were chosen
  std::atomic<bool> stop = false;
  embed::StopLink stopped_by;
  std::atomic<bool> busy = false;
  // Types that were read in `known_types_of`, by their text: a host asks for the same few again and again.
  std::map<std::string, synth::ArrayType, std::less<>> known_types;
  embed::StateRef known_types_of;
};

namespace embed {

// Marks the time of a call that changes a session. A second one meanwhile, from a callback or another thread, is
// refused: its changes would be lost, or worse.
class Entry {
 public:
  explicit Entry(std::atomic<bool>& busy) : busy_(busy), alone_(!busy.exchange(true)) {}
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;
  ~Entry() {
    if (alone_) busy_.store(false);
  }
  bool alone() const { return alone_; }

 private:
  std::atomic<bool>& busy_;
  bool alone_;
};
Diagnostics session_is_busy();

}  // namespace embed

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
