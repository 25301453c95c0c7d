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
      : transfer_(std::move(transfer)) {
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
    // What a device has got nobody overwrites: only those who pass it on are waited for.
    near_peers.assign(sources.begin(), sources.end());
    near_readers.assign(readers.begin(), readers.end());
    for (std::int64_t device = 0; device < to.devices(); ++device) {
      const synth::Box box = synth::intersect(synth::tile(from, device), synth::tile(to, device));
      if (ranks.owner(device) == team.rank() && !synth::empty(box))
        kept_.push_back(
            {box, {{SlotPlace::Of::source, at(device), 0, {}}}, {SlotPlace::Of::result, at(device), 0, {}}});
    }
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
      works.push_back({box, {{of, at(send.from), 0, {}}}, {SlotPlace::Of::result, at(send.to), 0, {}}});
    }
    return works;
  }

 private:
  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

  synth::Transfer transfer_;    // its sends are those that concern this rank
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
