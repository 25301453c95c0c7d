#include "runtime/transfers/relays.hpp"

#include <set>
#include <utility>

#include "base/check.hpp"

namespace tessera::runtime {

namespace {

class RelaySchedule : public SlotSchedule {
 public:
  RelaySchedule(const Team& team, const DeviceRanks& ranks, synth::Transfer transfer, const synth::ArrayType& from,
                const synth::ArrayType& to)
      : transfer_(std::move(transfer)), from_(from.mesh_ref()), to_(to.mesh_ref()) {
    std::set<int> sources;
    std::set<int> readers;
    std::vector<synth::Send> mine;
    for (const synth::Send& send : transfer_.sends) {
      const int source = ranks.owner(send.from);
      const int reader = ranks.owner(send.to);
      has_reads = has_reads || source != reader;
      if (source != team.rank() && reader != team.rank()) continue;
      mine.push_back(send);
      if (source == reader || team.node(source) != team.node(reader)) continue;
      (reader == team.rank() ? sources : readers).insert(reader == team.rank() ? source : reader);
    }
    transfer_.sends = std::move(mine);
    // Nobody overwrites what a device has got: only those who pass it on are waited for.
    near_peers.assign(sources.begin(), sources.end());
    near_readers.assign(readers.begin(), readers.end());
    const Block here = ranks.block(team.rank(), *to_);
    for (std::int64_t device = here.begin; device < here.end; ++device) keep_held(from, to, device);
  }

  std::int64_t turns() const override { return transfer_.slots(); }

  std::vector<SlotWork> works(std::int64_t turn) const override {
    std::vector<SlotWork> works = turn == 0 ? kept_ : std::vector<SlotWork>{};
    for (const synth::Send& send : transfer_.sends) {
      const std::int64_t stretch = turn - send.hop;
      if (stretch < 0 || stretch >= transfer_.stretches) continue;
      const synth::Box& piece = transfer_.pieces[at(send.piece)];
      const synth::Box box = synth::stretch_of(piece, transfer_.stretches, stretch);
      if (synth::empty(box)) continue;
      const SlotPlace::Of of = send.hop == 0 ? SlotPlace::Of::source : SlotPlace::Of::result;
      const synth::Mesh& holders = send.hop == 0 ? *from_ : *to_;
      works.push_back(
          {box, {{of, number(holders, send.from), 0, {}}}, {SlotPlace::Of::result, number(*to_, send.to), 0, {}}});
    }
    return works;
  }

 private:
  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }
  // A device of the run, as an array's mesh numbers it.
  static std::size_t number(const synth::Mesh& mesh, std::int32_t device) {
    const auto found = mesh.number_of(synth::DeviceId{static_cast<std::uint32_t>(device)});
    TESSERA_CHECK(found.has_value(), "a relay sends from or to a device that has no tile");
    return at(*found);
  }
  // Keeps what a device of the result holds of it already.
  void keep_held(const synth::ArrayType& from, const synth::ArrayType& to, std::int64_t device) {
    const auto source = from_->number_of(to_->device_of_run(device));
    if (!source.has_value()) return;
    const synth::Box box = synth::intersect(synth::tile(from, *source), synth::tile(to, device));
    if (synth::empty(box)) return;
    kept_.push_back({box, {{SlotPlace::Of::source, at(*source), 0, {}}}, {SlotPlace::Of::result, at(device), 0, {}}});
  }

  synth::Transfer transfer_;  // its sends are those that concern this rank
  synth::MeshRef from_, to_;
  std::vector<SlotWork> kept_;  // what devices hold of their target tiles
};

}  // namespace

std::unique_ptr<SlotSchedule> schedule_relay(const Team& team, const DeviceRanks& ranks,
                                             const synth::RelayRecipe& recipe, const synth::ArrayType& from,
                                             const synth::ArrayType& to) {
  auto transfer = synth::transfer_of(synth::relay_tasks(from, to), recipe);
  TESSERA_CHECK(transfer.has_value(), "a relay that was verified does not fit its arrays");
  return std::make_unique<RelaySchedule>(team, ranks, std::move(*transfer), from, to);
}

}  // namespace tessera::runtime
