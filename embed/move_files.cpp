// Arrays out of files and, moved, into files.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "embed/convert.hpp"
#include "embed/kinds.hpp"
#include "embed/move_impl.hpp"
#include "embed/session_impl.hpp"
#include "runtime/execute/run.hpp"
#include "runtime/ranks/save.hpp"
#include "runtime/values/distributed.hpp"

namespace tessera {

namespace {

// Loads every array, takes its step, and gives it back; all relays go on at once.
class MoveProgram {
 public:
  // The origins of its steps.
  static constexpr std::uint32_t kLoads = 0;
  static constexpr std::uint32_t kMoves = 1;

  MoveProgram(const MovePlan::Impl& move, const std::string& folder) : move_(move) {
    std::vector<synth::RegisterId> loaded;
    for (std::size_t i = 0; i < move.names.size(); ++i) loaded.push_back(load(i, folder));
    outputs_ = loaded;
    for (std::size_t i = 0; i < loaded.size(); ++i) add_steps(i, false);
    for (std::size_t i = 0; i < loaded.size(); ++i) add_steps(i, true);
    program_.outputs = outputs_;
  }
  synth::Program take() { return std::move(program_); }

 private:
  synth::RegisterId load(std::size_t array, const std::string& folder) {
    const synth::RegisterId id = program_.registers.add(move_.changes[array].from);
    const auto path = program_.strings.add(fmt::format("{}/{}.npy", folder, move_.names[array]));
    program_.body.push_back(synth::Step{kLoads, synth::Apply{synth::Load{path}, {}, {id}}});
    return id;
  }
  // Relays stand together, behind all else.
  void add_steps(std::size_t array, bool relays) {
    for (const synth::PlanStep& step : move_.company.plans[array]->steps) {
      const bool is_relay = step.collective.kind == synth::CollectiveKind::relay;
      if (is_relay != relays) continue;
      const synth::RegisterId next = program_.registers.add(step.after);
      program_.body.push_back(synth::Step{
          kMoves, synth::Apply{synth::Collect{step.collective, 1, is_relay && has_relay_}, {outputs_[array]}, {next}}});
      has_relay_ = has_relay_ || is_relay;
      outputs_[array] = next;
    }
  }

  const MovePlan::Impl& move_;
  synth::Program program_;
  std::vector<synth::RegisterId> outputs_;
  bool has_relay_ = false;
};

// What ranks compare is the program that they are to run.
base::Status agree(const Session::Impl& session, const MovePlan::Impl* move) {
  return session.agree(base::Done{}, move == nullptr ? std::string() : synth::print(MoveProgram(*move, "").take()));
}

// The relay is over when the last rank has what it gets.
base::Status wait_for_last(runtime::Team& team, double& seconds) {
  constexpr double kNanosecond = 1e-9;
  TESSERA_TRY(all, team.agree(base::Done{}, {static_cast<std::int64_t>(seconds / kNanosecond), 0}));
  for (const runtime::Team::Words& of_rank : all)
    seconds = std::max(seconds, static_cast<double>(of_rank[0]) * kNanosecond);
  return base::Done{};
}

base::Result<MoveReport> moved(Session::Impl& session, const MovePlan::Impl& move, const std::string& from,
                               const std::string& to) {
  TESSERA_TRY_STATUS(agree(session, &move));
  const runtime::World world = session.world();
  TESSERA_TRY(outcome, runtime::run(MoveProgram(move, from).take(), {}, world));
  MoveReport report;
  for (const runtime::OriginStatistics& statistics : outcome.statistics) {
    if (statistics.origin != MoveProgram::kMoves) continue;
    report.received_bytes += statistics.received_bytes;
    report.seconds += statistics.seconds;
  }
  const std::shared_ptr<runtime::Team> team = world.team ? world.team : std::make_shared<runtime::Team>();
  TESSERA_TRY_STATUS(wait_for_last(*team, report.seconds));
  std::vector<runtime::NamedArray> files;
  for (std::size_t i = 0; i < move.names.size(); ++i)
    files.push_back({move.names[i], runtime::distributed(outcome.outputs[i])});
  TESSERA_TRY_STATUS(runtime::save_all_shards(*team, world.files, to, files, session.stop_alone()));
  return report;
}

}  // namespace

Status agree_on_move(const Config& config, const MovePlan* plan) {
  return embed::safely([&]() -> Status {
    const Session::Impl session(config);
    const auto agreed = base::guarded([&] { return agree(session, plan == nullptr ? nullptr : plan->impl()); });
    if (!agreed) return embed::to_public({}, agreed.errors());
    return Done{};
  });
}

Result<MoveReport> move_files(const Config& config, const MovePlan& plan, const std::string& from,
                              const std::string& to) {
  return embed::safely([&]() -> Result<MoveReport> {
    Session::Impl session(config);
    session.begin_work();
    auto report = base::guarded([&] { return moved(session, *plan.impl(), from, to); });
    if (!report) return embed::to_public({}, report.errors());
    return *report;
  });
}

}  // namespace tessera
