#include "synth/verify/sends_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "synth/verify/price.hpp"
#include "synth/verify/slot_loads.hpp"

namespace tessera::synth::verifier {

namespace {

Numbers lengths_of(const Box& box) {
  Numbers lengths;
  for (const Interval& interval : box) lengths.push_back(interval.length());
  return lengths;
}

std::size_t at(const Holdings& standing, std::int32_t run_device) {
  return static_cast<std::size_t>(standing.number_of(run_device));
}

bool lies_in(const Box& box, const Holdings& standing, std::size_t device) {
  for (std::size_t d = 0; d < box.size(); ++d) {
    const Interval& tile = standing.tile[d][device];
    if (box[d].begin < tile.begin || box[d].end > tile.end) return false;
  }
  return true;
}

bool overlap(const Box& a, const Box& b) {
  for (std::size_t d = 0; d < a.size(); ++d) {
    if (common(a[d], b[d]).length() == 0) return false;
  }
  return true;
}

// The part of the device's source tile that lies in its target tile.
Box kept(const Holdings& before, std::size_t own, const Holdings& after, std::size_t device) {
  Box box;
  for (std::size_t d = 0; d < before.extents.size(); ++d)
    box.push_back(common(before.tile[d][own], after.tile[d][device]));
  return box;
}

Contributors both(Contributors a, const Contributors& b) {
  for (std::size_t w = 0; w < a.size(); ++w) a[w] |= b[w];
  return a;
}

bool contains(const Contributors& a, const Contributors& b) { return both(a, b) == a; }

bool disjoint(const Contributors& a, const Contributors& b) {
  for (std::size_t w = 0; w < a.size(); ++w) {
    if ((a[w] & b[w]) != 0) return false;
  }
  return true;
}

std::string text_of(const Box& box) {
  std::string text = "[";
  for (const Interval& interval : box)
    text += fmt::format("{}[{}, {}]", text.size() > 1 ? ", " : "", interval.begin, interval.end);
  return text + "]";
}

std::string text_of(const BoxSend& send) {
  return fmt::format("{} from {} to {} at hop {}", text_of(send.box), send.source, send.target, send.hop);
}

}  // namespace

SendsReplay::SendsReplay(const State& before, const Holdings& after, const std::vector<Contributors>& parts_after,
                         bool beside)
    : before_(before),
      after_(after),
      parts_after_(parts_after),
      beside_(beside),
      sums_(before.standing.contributors != after.contributors),
      arrived_(static_cast<std::size_t>(after.devices())),
      received_(static_cast<std::size_t>(after.devices()), 0) {}

Fault SendsReplay::follow(const ListedSends& listed, const std::function<bool(const Box&)>& moves) {
  std::fill(received_.begin(), received_.end(), 0);
  std::int64_t hops = 0;
  for (const BoxSend& send : listed.sends) {
    if (auto fault = check(send)) return fmt::format("{}: {}", text_of(send), *fault);
    if (!moves(send.box)) return fmt::format("{}: its round does not move it", text_of(send));
    hops = std::max(hops, std::int64_t{send.hop} + 1);
  }
  if (hops != listed.hops) return fmt::format("its hops are said to be {} and are {}", listed.hops, hops);
  for (std::int32_t hop = 0; hop < hops; ++hop) {
    // All that is sent at a hop is read before any of it arrives.
    std::vector<Change> changes;
    for (const BoxSend& send : listed.sends) {
      if (send.hop != hop) continue;
      Change change{&send, {}};
      if (auto fault = read(send, change.parts)) return fmt::format("{}: {}", text_of(send), *fault);
      changes.push_back(std::move(change));
    }
    for (const Change& change : changes) {
      if (auto fault = take(change)) return fmt::format("{}: {}", text_of(*change.send), *fault);
    }
  }
  return check_copies();
}

// What was copied, and is of the target tile, has become the sum that is wanted.
Fault SendsReplay::check_copies() const {
  for (std::size_t device = 0; device < arrived_.size(); ++device) {
    for (const auto& [box, arrived] : arrived_[device]) {
      if (!arrived.copied || arrived.parts == parts_after_[device] || !lies_in(box, after_, device)) continue;
      return fmt::format("{}: what its sender has is not the sum that is wanted", text_of(*arrived.copy));
    }
  }
  return std::nullopt;
}

Fault SendsReplay::check(const BoxSend& send) const {
  const auto is_device = [&](std::int32_t device) {
    return before_.standing.number_of(device) >= 0 || after_.number_of(device) >= 0;
  };
  if (!is_device(send.source) || !is_device(send.target)) return "there is no such device";
  if (send.hop < 0) return "hops are counted from 0";
  if (send.source == send.target) return "a device sends itself nothing";
  if (send.box.size() != after_.extents.size()) return "the array has another number of dimensions";
  // Not by its volume: nobody has said yet that the box lies in the array.
  const auto is_empty = [](const Interval& interval) { return interval.length() == 0; };
  if (std::any_of(send.box.begin(), send.box.end(), is_empty)) return "the box has no elements";
  const bool on_the_way = beside_ && had(send.target, send.box);
  const bool is_needed = after_.number_of(send.target) >= 0 && lies_in(send.box, after_, at(after_, send.target));
  if (!on_the_way && !is_needed) return "the device that gets it does not need it";
  return std::nullopt;
}

// Did the device have it before the step?
bool SendsReplay::had(std::int32_t device, const Box& box) const {
  return before_.standing.number_of(device) >= 0 && lies_in(box, before_.standing, at(before_.standing, device));
}

// Which parts of its sum a send carries, or why it cannot.
Fault SendsReplay::read(const BoxSend& send, Contributors& parts) const {
  static const Arrivals kNothing;
  const Arrivals& arrivals = after_.number_of(send.source) < 0 ? kNothing : arrived_[at(after_, send.source)];
  const auto arrived = arrivals.find(send.box);
  const bool came = arrived != arrivals.end();
  const bool own = had(send.source, send.box);
  const bool was = before_.standing.number_of(send.source) >= 0;
  const Contributors gathered = was ? before_.gathered[at(before_.standing, send.source)] : Contributors{};
  if (!send.adds) {
    if (!came && !own) return "its sender does not have it by then";
    const bool passes_on = came && send.hop > 0;
    if (!passes_on && !own) return "its sender does not have it by then";
    parts = passes_on ? arrived->second.parts : gathered;
    if (passes_on && !arrived->second.copied) parts = both(parts, gathered);
    return std::nullopt;
  }
  const bool with_own = send.carried != Carried::came;
  const bool with_others = send.carried != Carried::own;
  if (with_own && !own) return "its sender has no part of its own";
  if (with_others && !came) return "no parts have come to its sender by then";
  parts = with_own ? gathered : arrived->second.parts;
  if (with_own && with_others)
    parts = arrived->second.copied ? arrived->second.parts : both(parts, arrived->second.parts);
  return std::nullopt;
}

Fault SendsReplay::take(const Change& change) {
  const BoxSend& send = *change.send;
  const std::size_t target = at(after_, send.target);
  received_[target] += volume(lengths_of(send.box));
  const auto [arrived, is_first] = arrived_[target].try_emplace(send.box, Arrived{change.parts, !send.adds, &send});
  if (send.adds) return add(change, arrived->second, is_first);
  Arrived& known = arrived->second;
  if (!is_first && known.copied) {
    // A sum on the way makes room for one of more parts that comes later.
    const bool grows = sums_ && known.copy->hop < send.hop && contains(change.parts, known.parts);
    if (!grows || change.parts == known.parts) return "it has come already";
  }
  known = {change.parts, true, &send};  // in place of what was added up so far
  return std::nullopt;
}

// To what the device has of the box: a copy, or its own part and those that came.
Fault SendsReplay::add(const Change& change, Arrived& arrived, bool is_first) const {
  const BoxSend& send = *change.send;
  constexpr std::string_view kTwice = "a part of the sum is added twice";
  if (!had(send.target, send.box)) return "the device that adds it has no part of its own";
  const Contributors& own = before_.gathered[at(before_.standing, send.target)];
  if (!arrived.copied && !disjoint(change.parts, own)) return std::string(kTwice);
  if (is_first) return std::nullopt;
  const bool with_the_copy = arrived.copied && arrived.copy->hop == send.hop;  // which of the two is first, none knows
  if (with_the_copy || !disjoint(change.parts, arrived.parts)) return std::string(kTwice);
  arrived.parts = both(arrived.parts, change.parts);
  return std::nullopt;
}

Fault SendsReplay::check_tiles() const {
  for (std::size_t device = 0; device < arrived_.size(); ++device) {
    if (auto fault = check_tile(device)) return fmt::format("device {}: {}", device, *fault);
  }
  return std::nullopt;
}

// Boxes with all parts of their sums fill the tile, none over another.
Fault SendsReplay::check_tile(std::size_t device) const {
  std::vector<Box> complete;
  const std::int64_t number = before_.standing.number_of(after_.ids[device]);
  const auto own = static_cast<std::size_t>(number);
  if (number >= 0 && before_.gathered[own] == parts_after_[device])
    complete.push_back(kept(before_.standing, own, after_, device));
  std::vector<Box> incomplete;
  for (const auto& [box, arrived] : arrived_[device]) {
    const Contributors parts = arrived.copied ? arrived.parts : both(arrived.parts, before_.gathered[own]);
    const bool is_complete = parts == parts_after_[device] && lies_in(box, after_, device);
    (is_complete ? complete : incomplete).push_back(box);
  }
  std::int64_t elements = 0;
  for (const Box& box : complete) elements += volume(lengths_of(box));
  if (elements < after_.elements(static_cast<std::int64_t>(device))) return "a part of its tile never comes";
  std::sort(complete.begin(), complete.end());
  for (std::size_t i = 0; i < complete.size(); ++i) {
    for (std::size_t k = i + 1; k < complete.size(); ++k) {
      const bool apart = !complete[i].empty() && complete[k][0].begin >= complete[i][0].end;
      if (apart) break;
      if (overlap(complete[i], complete[k])) return fmt::format("{} comes twice in part", text_of(complete[k]));
    }
  }
  return check_apart(incomplete, complete);
}

// A summand added to a part of a box that also comes complete would change it, or be lost.
Fault SendsReplay::check_apart(const std::vector<Box>& incomplete, const std::vector<Box>& complete) {
  for (const Box& box : incomplete) {
    for (const Box& other : complete) {
      if (overlap(box, other)) return fmt::format("{} is added to a part of {}", text_of(box), text_of(other));
    }
  }
  return std::nullopt;
}

double seconds_of_sends(const ListedSends& listed, const ArrayType& type, const RunMachine& machine) {
  const std::int64_t element_bytes = bytes_of(type.element());
  SlotPrice at_once(machine);
  SlotLoads slots(machine, element_bytes);
  for (const BoxSend& send : listed.sends) {
    const Numbers lengths = lengths_of(send.box);
    if (listed.at_once)
      at_once.add(send.source, send.target, volume(lengths) * element_bytes);
    else
      slots.add(send.source, send.target, send.hop, lengths);
  }
  return listed.at_once ? at_once.seconds() : slots.seconds(listed.stretches);
}

}  // namespace tessera::synth::verifier
