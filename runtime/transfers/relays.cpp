#include "runtime/transfers/relays.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.hpp"

namespace tessera::runtime {

namespace {

// Copies from device to device, of which those that concern this rank are kept.
class CopiesInTurns : public SlotSchedule {
 protected:
  CopiesInTurns(const Team& team, const DeviceRanks& ranks, const synth::ArrayType& from, const synth::ArrayType& to)
      : team_(team), ranks_(ranks), from_(from.mesh_ref()), to_(to.mesh_ref()) {
    writes_once = true;
    const Block here = ranks.block(team.rank(), *to_);
    for (std::int64_t device = here.begin; device < here.end; ++device) keep_held(from, to, device);
  }

  // Notes a send between two devices of the run. True if this rank sends or receives it.
  bool note(std::int32_t from, std::int32_t to) {
    const int source = ranks_.owner(from);
    const int reader = ranks_.owner(to);
    has_reads = has_reads || source != reader;
    if (source != team_.rank() && reader != team_.rank()) return false;
    // What a device has received is never overwritten, so a rank waits only for those that pass boxes on to it.
    if (source != reader && team_.node(source) == team_.node(reader))
      add_once(reader == team_.rank() ? near_peers : near_readers, reader == team_.rank() ? source : reader);
    return true;
  }
  // The work of one send; what it hands over has come before, or is of the source.
  SlotWork work(const synth::Box& box, std::int32_t from, bool has_come, std::int32_t to) const {
    const SlotPlace::Of of = has_come ? SlotPlace::Of::result : SlotPlace::Of::source;
    return {
        box, {{of, number(has_come ? *to_ : *from_, from), 0, {}}}, {SlotPlace::Of::result, number(*to_, to), 0, {}}};
  }
  const std::vector<SlotWork>& kept() const { return kept_; }
  std::optional<std::int64_t> number_in_source(std::int32_t device) const {
    return from_->number_of(synth::DeviceId{static_cast<std::uint32_t>(device)});
  }

 private:
  static void add_once(std::vector<int>& ranks, int rank) {
    const auto at = std::lower_bound(ranks.begin(), ranks.end(), rank);
    if (at == ranks.end() || *at != rank) ranks.insert(at, rank);
  }
  // A device of the run, as an array's mesh numbers it.
  static std::size_t number(const synth::Mesh& mesh, std::int32_t device) {
    const auto found = mesh.number_of(synth::DeviceId{static_cast<std::uint32_t>(device)});
    TESSERA_CHECK(found.has_value(), "a box is sent from or to a device that has no tile");
    return static_cast<std::size_t>(*found);
  }
  // Keeps what a device of the result holds of it already.
  void keep_held(const synth::ArrayType& from, const synth::ArrayType& to, std::int64_t device) {
    const auto source = from_->number_of(to_->device_of_run(device));
    if (!source.has_value()) return;
    const synth::Box box = synth::intersect(synth::tile(from, *source), synth::tile(to, device));
    if (synth::empty(box)) return;
    kept_.push_back({box,
                     {{SlotPlace::Of::source, static_cast<std::size_t>(*source), 0, {}}},
                     {SlotPlace::Of::result, static_cast<std::size_t>(device), 0, {}}});
  }

  const Team& team_;
  const DeviceRanks& ranks_;
  synth::MeshRef from_, to_;
  std::vector<SlotWork> kept_;  // what devices hold of their target tiles
};

class RelaySchedule final : public CopiesInTurns {
 public:
  RelaySchedule(const Team& team, const DeviceRanks& ranks, synth::Transfer transfer, const synth::ArrayType& from,
                const synth::ArrayType& to)
      : CopiesInTurns(team, ranks, from, to), transfer_(std::move(transfer)) {
    std::erase_if(transfer_.sends, [this](const synth::Send& send) { return !note(send.from, send.to); });
  }

  std::int64_t beats() const override { return transfer_.slots(); }

  std::vector<SlotWork> works(std::int64_t beat) const override {
    std::vector<SlotWork> works = beat == 0 ? kept() : std::vector<SlotWork>{};
    for (const synth::Send& send : transfer_.sends) {
      const std::int64_t stretch = beat - send.hop;
      if (stretch < 0 || stretch >= transfer_.stretches) continue;
      const synth::Box& piece = transfer_.pieces[static_cast<std::size_t>(send.piece)];
      const synth::Box box = synth::stretch_of(piece, transfer_.stretches, stretch);
      if (!synth::empty(box)) works.push_back(work(box, send.from, send.hop > 0, send.to));
    }
    return works;
  }

 private:
  synth::Transfer transfer_;  // its sends are those that concern this rank
};

class ListedSchedule final : public CopiesInTurns {
 public:
  ListedSchedule(const Team& team, const DeviceRanks& ranks, const synth::ListedSends& listed,
                 const synth::ArrayType& from, const synth::ArrayType& to)
      : CopiesInTurns(team, ranks, from, to), works_(static_cast<std::size_t>(std::max<std::int64_t>(1, listed.hops))) {
    works_[0] = kept();
    for (const synth::BoxSend& send : listed.sends) {
      if (send.source == send.target || !note(send.source, send.target)) continue;
      const auto held = number_in_source(send.source);
      const bool holds = held && synth::intersect(synth::tile(from, *held), send.box) == send.box;
      works_[static_cast<std::size_t>(send.hop)].push_back(work(send.box, send.source, !holds, send.target));
    }
  }

  std::int64_t beats() const override { return std::ssize(works_); }
  std::vector<SlotWork> works(std::int64_t beat) const override { return works_[static_cast<std::size_t>(beat)]; }

 private:
  std::vector<std::vector<SlotWork>> works_;  // of every beat
};

}  // namespace

std::unique_ptr<SlotSchedule> schedule_relay(const Team& team, const DeviceRanks& ranks,
                                             const synth::RelayRecipe& recipe, const synth::ArrayType& from,
                                             const synth::ArrayType& to) {
  auto transfer = synth::transfer_of(synth::relay_tasks(from, to), recipe);
  TESSERA_CHECK(transfer.has_value(), "a relay that was verified does not fit its arrays");
  return std::make_unique<RelaySchedule>(team, ranks, std::move(*transfer), from, to);
}

std::unique_ptr<SlotSchedule> schedule_sends(const Team& team, const DeviceRanks& ranks,
                                             const synth::ListedSends& listed, const synth::ArrayType& from,
                                             const synth::ArrayType& to) {
  return std::make_unique<ListedSchedule>(team, ranks, listed, from, to);
}

}  // namespace tessera::runtime
