#include "synth/moves/collective/sends.hpp"

#include <algorithm>
#include <map>

#include "synth/moves/collective/direct_reduction.hpp"
#include "synth/moves/collective/moves.hpp"
#include "synth/moves/collective/programmed.hpp"
#include "synth/moves/collective/rounds.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"

namespace tessera::synth {

namespace {

BoxSend send_of(const BoxCopy& copy, const ArrayType& before, const ArrayType& after) {
  return {before.mesh().run_device(copy.source), after.mesh().run_device(copy.target), copy.box, 0, false, {}};
}

std::vector<BoxSend> copied(const RunMachine& machine, const Collective& step, const ArrayType& before,
                            const ArrayType& after) {
  std::vector<BoxSend> all;
  const Round* round = round_of(step);
  for (const BoxCopy& copy :
       round != nullptr ? copies_of_round(machine, before, after, *round) : copies(machine, before, after))
    all.push_back(send_of(copy, before, after));
  return all;
}

// A relay's devices keep what they hold of their targets, and get the rest from the one that passes it on.
std::vector<BoxSend> relayed(const Collective& step, const ArrayType& before, const ArrayType& after) {
  std::vector<BoxSend> all;
  for (const BoxCopy& copy : copies(before, after)) {
    if (is_local_copy(copy, before, after)) all.push_back(send_of(copy, before, after));
  }
  const auto transfer = transfer_of(relay_tasks(before, after), *relay_of(step));
  if (!transfer) return all;  // of a plan that does not verify
  for (const Send& send : transfer->sends)
    all.push_back({send.from, send.to, transfer->pieces[static_cast<std::size_t>(send.piece)], send.hop, false, {}});
  return all;
}

// To each device the parts of its stretch, its own too; then the sums, to those that want the same box.
std::vector<BoxSend> summed(const Collective& step, const ArrayType& before, const ArrayType& after) {
  if (const auto programmed = ProgrammedReduction::of(step, before, after)) return programmed->sends();
  std::vector<BoxSend> all;
  const std::vector<BoxReduction> wanted = reductions(before, after);
  const auto stretch_of = [&](const BoxReduction& reduction) {
    const DirectReduction direct(kind_of(step), std::ssize(*reduction.contributors));
    const auto position = static_cast<std::int64_t>(reduction.position);
    return boxes_of_stretch(reduction.box, direct.stretch(elements(reduction.box), position));
  };
  for (const BoxReduction& reduction : wanted) {
    for (const Box& box : stretch_of(reduction)) {
      for (const std::int32_t source : *reduction.contributors)
        all.push_back(
            {before.mesh().run_device(source), after.mesh().run_device(reduction.target), box, 0, true, Carried::own});
    }
  }
  if (DirectReduction(kind_of(step), 1).hops() == 1) return all;
  for (const BoxReduction& reduction : wanted) {
    for (const std::int32_t owner : *reduction.contributors) {
      if (owner == reduction.target) continue;
      for (const Box& box : stretch_of(wanted[static_cast<std::size_t>(owner)]))
        all.push_back({before.mesh().run_device(owner), after.mesh().run_device(reduction.target), box, 1, false, {}});
    }
  }
  return all;
}

// What every device has in both of its tiles: the smaller of them.
std::vector<BoxSend> kept(const ArrayType& before, const ArrayType& after) {
  std::vector<BoxSend> all;
  for (std::int32_t device = 0; device < after.devices(); ++device)
    all.push_back({after.mesh().run_device(device),
                   after.mesh().run_device(device),
                   intersect(tile(before, device), tile(after, device)),
                   0,
                   false,
                   {}});
  return all;
}

// Elements of a box that a round moves.
std::int64_t moved_elements(const std::vector<Interval>& pieces, const Round& round, const Box& box) {
  if (empty(box)) return 0;
  const Interval& side = box[round.dimension];
  std::int64_t moved = 0;
  for (const Interval& piece : pieces) {
    const Interval part = part_of(piece, round);
    moved += Interval{std::max(side.begin, part.begin), std::min(side.end, part.end)}.length();
  }
  return elements(box) / side.length() * moved;
}

}  // namespace

std::vector<BoxSend> sends(const RunMachine& machine, const Collective& step, const ArrayType& before,
                           const ArrayType& after) {
  switch (movement(step)) {
    case Movement::none: return kept(before, after);
    case Movement::copies:
      return relay_of(step) == nullptr ? copied(machine, step, before, after) : relayed(step, before, after);
    case Movement::sums: return summed(step, before, after);
  }
  return {};
}

std::vector<std::int64_t> received_elements(const Collective& step, const ArrayType& before, const ArrayType& after) {
  std::vector<std::int64_t> received(static_cast<std::size_t>(after.devices()), 0);
  if (movement(step) == Movement::none) return received;
  if (const auto wide = EvenSum::of(step, before, after)) return wide->received_elements();
  if (const auto programmed = ProgrammedReduction::of(step, before, after)) return programmed->received_elements();
  const bool sums = movement(step) == Movement::sums;
  const DirectReduction direct(kind_of(step), group_size(step, after.devices()));
  const Round* round = round_of(step);
  const auto pieces = round != nullptr ? round_pieces(before, after, round->dimension) : std::vector<Interval>{};
  const auto moved = [&](const Box& box) {
    return round != nullptr ? moved_elements(pieces, *round, box) : elements(box);
  };
  for (std::int64_t device = 0; device < after.devices(); ++device) {
    const Box target = tile(after, device);
    const auto own = before.mesh().number_of(after.mesh().device_of_run(device));
    received[static_cast<std::size_t>(device)] =
        sums ? direct.received(elements(target), position(before.mesh(), axes_of(step), device))
             : moved(target) - (own ? moved(intersect(tile(before, *own), target)) : 0);
  }
  return received;
}

}  // namespace tessera::synth
