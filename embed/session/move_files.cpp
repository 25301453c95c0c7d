// Arrays out of files and, moved, into files.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "embed/host/convert.hpp"
#include "embed/kinds.hpp"
#include "embed/plans/move_impl.hpp"
#include "embed/session/session_impl.hpp"
#include "runtime/execute/run.hpp"
#include "runtime/ranks/save.hpp"
#include "synth/program/stored_path.hpp"

namespace tessera {

namespace {

// A file of a folder, or an array of a file that holds several.
std::string path_of(const std::string& from, const std::string& name) {
  return synth::holder_of(from) ? synth::path_of(from, name) : fmt::format("{}/{}.npy", from, name);
}

synth::Program load_program(const MovePlan::Impl& move, const std::string& folder) {
  synth::Program program;
  for (std::size_t i = 0; i < move.names.size(); ++i) {
    const synth::RegisterId id = program.registers.add(move.changes[i].from);
    const auto path = program.strings.add(path_of(folder, move.names[i]));
    program.body.push_back(synth::Step{0, synth::Apply{synth::Load{path}, {}, {id}}});
    program.outputs.push_back(id);
  }
  return program;
}

// Takes every array through its steps; all relays go on at once.
class MoveProgram {
 public:
  explicit MoveProgram(const MovePlan::Impl& move) : move_(move) {
    for (const synth::LayoutChange& change : move.changes)
      program_.inputs.push_back(program_.registers.add(change.from));
    program_.outputs = program_.inputs;
    for (std::size_t i = 0; i < move.changes.size(); ++i) add_steps(i, false);
    for (std::size_t i = 0; i < move.changes.size(); ++i) add_steps(i, true);
  }
  synth::Program take() { return std::move(program_); }

 private:
  // Relays stand together, behind all else.
  void add_steps(std::size_t array, bool relays) {
    for (const synth::PlanStep& step : move_.company.plans[array]->steps) {
      const bool is_relay = synth::kind_of(step.collective) == synth::CollectiveKind::relay;
      if (is_relay != relays) continue;
      const synth::RegisterId next = program_.registers.add(step.after);
      synth::RegisterId& last = program_.outputs[array];
      program_.body.push_back(
          synth::Step{0, synth::Apply{synth::Collect{step.collective, 1, is_relay && has_relay_}, {last}, {next}}});
      has_relay_ = has_relay_ || is_relay;
      last = next;
    }
  }

  const MovePlan::Impl& move_;
  synth::Program program_;
  bool has_relay_ = false;
};

// Ranks agree if they are about to run the same programs.
base::Status agree(const Session::Impl& session, const MovePlan::Impl* move) {
  std::string programs;
  if (move != nullptr) programs = synth::print(load_program(*move, "")) + synth::print(MoveProgram(*move).take());
  return session.agree(base::Done{}, programs);
}

// The relay is over when the last rank has what it gets.
base::Status wait_for_last(runtime::Team& team, double& seconds) {
  constexpr double kNanosecond = 1e-9;
  TESSERA_TRY(all, team.agree(base::Done{}, {static_cast<std::int64_t>(seconds / kNanosecond), 0}));
  for (const runtime::Team::Words& of_rank : all)
    seconds = std::max(seconds, static_cast<double>(of_rank[0]) * kNanosecond);
  return base::Done{};
}

base::Result<MoveReport> moved(Session::Impl& session, const MovePlan& plan, const std::string& from,
                               const std::string& to) {
  const MovePlan::Impl& move = *plan.impl();
  TESSERA_TRY_STATUS(agree(session, &move));
  runtime::World world = session.world();
  world.devices = plan.devices();
  // All begin to move when the last has its tiles.
  TESSERA_TRY(loaded, runtime::run(load_program(move, from), {}, world));
  TESSERA_TRY(outcome, runtime::run(MoveProgram(move).take(), loaded.outputs, world));
  MoveReport report;
  for (const runtime::OriginStatistics& statistics : outcome.statistics) {
    report.received_bytes += statistics.received_bytes;
    report.seconds += statistics.seconds;
  }
  const std::shared_ptr<runtime::Team> team = world.team ? world.team : std::make_shared<runtime::Team>();
  TESSERA_TRY_STATUS(wait_for_last(*team, report.seconds));
  std::vector<runtime::NamedArray> files;
  for (std::size_t i = 0; i < move.names.size(); ++i)
    files.push_back({move.names[i], runtime::distributed(outcome.outputs[i])});
  TESSERA_TRY_STATUS(synth::holder_of(to)
                         ? runtime::save_all(*team, world.files, to, files, world.stop)
                         : runtime::save_all_shards(*team, world.files, to, files, session.stop_alone()));
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
    auto report = base::guarded([&] { return moved(session, plan, from, to); });
    if (!report) return embed::to_public({}, report.errors());
    return *report;
  });
}

}  // namespace tessera
