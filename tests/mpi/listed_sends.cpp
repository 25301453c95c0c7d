#include "tests/mpi/listed_sends.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "runtime/execute/outputs.hpp"
#include "runtime/kernels/core_share.hpp"
#include "runtime/memory/plan.hpp"
#include "runtime/transfers/slots.hpp"

namespace tessera::ranks {

namespace {

// A hop is a turn.
class ListedSchedule final : public runtime::SlotSchedule {
 public:
  ListedSchedule(const runtime::Team& team, const runtime::DeviceRanks& ranks, const synth::ListedSends& listed,
                 const synth::Mesh& from, const synth::Mesh& to)
      : works_(static_cast<std::size_t>(listed.hops)) {
    std::set<int> sources;
    std::set<int> readers;
    for (const synth::BoxSend& send : listed.sends) {
      const int source = ranks.owner(send.source);
      const int reader = ranks.owner(send.target);
      has_reads = has_reads || source != reader;
      if (source != team.rank() && reader != team.rank()) continue;
      const runtime::SlotPlace target{runtime::SlotPlace::Of::result, *number(to, send.target), 0, {}};
      works_[static_cast<std::size_t>(send.hop)].push_back({send.box, {place(from, to, send.source)}, target});
      if (source == reader || team.node(source) != team.node(reader)) continue;
      (reader == team.rank() ? sources : readers).insert(reader == team.rank() ? source : reader);
    }
    near_peers.assign(sources.begin(), sources.end());
    near_readers.assign(readers.begin(), readers.end());
  }

  std::int64_t turns() const override { return std::ssize(works_); }
  std::vector<runtime::SlotWork> works(std::int64_t turn) const override {
    return works_[static_cast<std::size_t>(turn)];
  }

 private:
  static std::optional<std::size_t> number(const synth::Mesh& mesh, std::int32_t device) {
    return mesh.number_of(synth::DeviceId{static_cast<std::uint32_t>(device)});
  }
  static runtime::SlotPlace place(const synth::Mesh& from, const synth::Mesh& to, std::int32_t device) {
    if (const auto held = number(from, device)) return {runtime::SlotPlace::Of::source, *held, 0, {}};
    return {runtime::SlotPlace::Of::result, *number(to, device), 0, {}};
  }

  std::vector<std::vector<runtime::SlotWork>> works_;  // of every turn, as far as this rank has part in it
};

// As many ranks as the team has, with a program of one step whose memory is planned as any program's is.
class ListedRun {
 public:
  ListedRun(std::shared_ptr<runtime::Team> team, const runtime::Value& array, const synth::ArrayType& to)
      : team_(std::move(team)),
        inputs_{array},
        program_(program_of(array.type(), to)),
        tiles_(program_),
        plan_(runtime::plan_memory(program_, tiles_)),
        map_(runtime::DeviceRanks(team_->size(), to.mesh().devices_end()), plan_.arena_bytes) {}

  base::Result<Sent> take(const synth::ListedSends& listed) {
    const std::int64_t bytes = map_.arena_bytes(team_->rank());
    TESSERA_TRY(arena, runtime::Arena::reserve(std::span(&bytes, 1), team_->region()));
    TESSERA_TRY(began, team_->agree_on(base::Done{}, {0, offset(arena)}));
    runtime::Parts parts(*team_, map_, arena, offsets(began));
    runtime::Storage storage(program_, tiles_, plan_, *team_, std::move(parts), inputs_);
    const ListedSchedule schedule(*team_, map_.ranks(), listed, program_.registers[from()].mesh(),
                                  program_.registers[to()].mesh());
    const runtime::CoreShare share(team_->machine_count());
    team_->begin_run(nullptr);
    runtime::Outputs outputs(program_, plan_, storage, inputs_, team_);
    const auto begin = std::chrono::steady_clock::now();
    base::Status done = runtime::run_slots(*team_, std::array{runtime::SlotTask{&schedule, from(), to()}}, storage);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (done.ok()) done = outputs.reserve();
    TESSERA_TRY(ended, team_->agree(std::move(done), {0, offset(outputs.arena())}));
    return Sent{std::move(outputs.take(offsets(ended)).front()), seconds.count()};
  }

 private:
  synth::RegisterId from() const { return program_.inputs.front(); }
  synth::RegisterId to() const { return program_.outputs.front(); }

  static synth::Program program_of(const synth::ArrayType& from, const synth::ArrayType& to) {
    synth::Program program;
    const synth::RegisterId before = program.registers.add(from);
    const synth::RegisterId after = program.registers.add(to);
    synth::Collective exchange;
    exchange.target = to;
    program.inputs = {before};
    program.body.push_back(synth::Step{0, synth::Apply{synth::Collect{exchange}, {before}, {after}}});
    program.outputs = {after};
    return program;
  }
  std::int64_t offset(const std::shared_ptr<runtime::Arena>& arena) const {
    return team_->region() == nullptr || arena == nullptr ? 0 : team_->region()->offset_of(arena->part(0));
  }
  static std::vector<std::int64_t> offsets(const std::vector<runtime::Team::Words>& words) {
    std::vector<std::int64_t> offsets;
    for (const runtime::Team::Words& of_rank : words) offsets.push_back(of_rank[1]);
    return offsets;
  }

  std::shared_ptr<runtime::Team> team_;
  std::vector<runtime::Value> inputs_;
  synth::Program program_;
  runtime::TileMaps tiles_;
  runtime::MemoryPlan plan_;
  runtime::PartMap map_;
};

}  // namespace

base::Result<Sent> take_listed_sends(const std::shared_ptr<runtime::Team>& team, const runtime::Value& array,
                                     const synth::ArrayType& to, const synth::ListedSends& listed) {
  return base::guarded([&] { return ListedRun(team, array, to).take(listed); });
}

}  // namespace tessera::ranks
