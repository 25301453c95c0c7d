// What every member of a sum has of every chunk while a program is carried out, and who adds what.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "synth/layout/axis_parts.hpp"
#include "synth/moves/transfer/positions.hpp"
#include "synth/moves/transfer/reduce_moves.hpp"
#include "synth/moves/transfer/sum_table.hpp"

namespace tessera::synth {

namespace {

class Carrying {
 public:
  Carrying(std::int64_t members, bool scatters)
      : members_(members),
        scatters_(scatters),
        has_written_(static_cast<std::size_t>(members), false),
        held_(members),
        whole_(held_.words(), 0),
        foreign_(static_cast<std::size_t>(members)) {
    for (std::int32_t member = 0; member < members; ++member) {
      OwnSums own(held_.words(), 0);
      own[static_cast<std::size_t>(member / 64)] = std::uint64_t{1} << (member % 64);
      for (std::int32_t chunk = 0; chunk < members; ++chunk) held_.put(member, chunk, own);
      add(whole_, own);
    }
  }

  bool take(const ReduceStep& step, const Digits& axes, const Digits& first) {
    const std::vector<Members> groups = groups_of(axes, first);
    for (const Members& group : groups) {
      if (!may_take(step.kind, group)) return false;
    }
    switch (step.form) {
      case ReduceForm::direct: return take_directly(step.kind, axes, groups);
      case ReduceForm::halving: return take_by_halving(step.kind, prime_digits(axes), first);
      case ReduceForm::ring: return take_in_ring(step.kind, axes, groups);
      case ReduceForm::units: return false;  // positions do not say who lies in which unit
    }
    return false;
  }

  bool is_done() const {
    for (std::int32_t member = 0; member < members_; ++member) {
      for (std::int32_t chunk = 0; chunk < members_; ++chunk) {
        const bool is_right =
            scatters_ && chunk != member ? !held_.is_held(member, chunk) : are_equal(held_.of(member, chunk), whole_);
        if (!is_right) return false;
      }
    }
    return true;
  }

  ReduceMoves moves(std::int64_t stretches) && {
    ReduceMoves moves{members_, std::move(hops_), slot_, stretches, has_aside_, has_ring_, {}};
    for (const std::vector<char>& is_foreign : foreign_) {
      std::vector<std::int32_t>& chunks = moves.foreign.emplace_back();
      for (std::size_t chunk = 0; chunk < is_foreign.size(); ++chunk) {
        if (is_foreign[chunk] != 0) chunks.push_back(static_cast<std::int32_t>(chunk));
      }
    }
    return moves;
  }

 private:
  using Members = std::vector<std::int32_t>;  // by their places along the axes of a step

  // The groups of the devices at place 0 along `first`.
  std::vector<Members> groups_of(const Digits& axes, const Digits& first) const {
    std::vector<Members> groups;
    for (std::int64_t member = 0; member < members_; ++member) {
      if (place_of(first, member) == 0 && place_of(axes, member) == 0) groups.push_back(others_along(axes, member));
    }
    return groups;
  }

  std::vector<std::int32_t> chunks_of(std::int32_t member) const {
    std::vector<std::int32_t> chunks;
    for (std::int32_t chunk = 0; chunk < members_; ++chunk) {
      if (held_.is_held(member, chunk)) chunks.push_back(chunk);
    }
    return chunks;
  }

  bool may_take(ReduceStepKind kind, const Members& group) const {
    switch (kind) {
      case ReduceStepKind::all_reduce:
      case ReduceStepKind::reduce_scatter:
      case ReduceStepKind::reduce: return may_add(group);
      case ReduceStepKind::all_gather: return may_gather(group);
      case ReduceStepKind::broadcast: return may_spread(group);
    }
    return false;
  }
  bool may_add(const Members& group) const {
    const std::vector<std::int32_t> chunks = chunks_of(group[0]);
    for (const std::int32_t member : group) {
      if (chunks.empty() || chunks_of(member) != chunks) return false;
    }
    return std::all_of(chunks.begin(), chunks.end(), [&](std::int32_t chunk) {
      OwnSums together(whole_.size(), 0);
      return std::all_of(group.begin(), group.end(), [&](std::int32_t m) { return add(together, held_.of(m, chunk)); });
    });
  }
  bool may_gather(const Members& group) const {
    std::vector<char> seen(static_cast<std::size_t>(members_), 0);
    const std::size_t each = chunks_of(group[0]).size();
    for (const std::int32_t member : group) {
      const std::vector<std::int32_t> chunks = chunks_of(member);
      if (chunks.size() != each || !has_written_[static_cast<std::size_t>(member)]) return false;
      for (const std::int32_t chunk : chunks) {
        if (std::exchange(seen[static_cast<std::size_t>(chunk)], 1) != 0) return false;
      }
    }
    return each > 0;
  }
  bool may_spread(const Members& group) const {
    bool gives = false;
    for (const std::int32_t member : group) {
      for (std::int32_t chunk = 0; chunk < members_; ++chunk) {
        if (!contains(held_.of(group[0], chunk), held_.of(member, chunk))) return false;
        gives = gives || !are_equal(held_.of(group[0], chunk), held_.of(member, chunk));
      }
    }
    return gives;
  }

  ProgramHop& next_hop() {
    hops_.push_back({{}, slot_, false});
    return hops_.back();
  }

  bool take_directly(ReduceStepKind kind, const Digits& axes, const std::vector<Members>& groups) {
    if (kind != ReduceStepKind::all_reduce) {
      for (ProgramHop& hop = next_hop(); const Members& group : groups) take_hop(kind, group, axes, hop);
    } else {
      for (ProgramHop& hop = next_hop(); const Members& group : groups)
        take_hop(ReduceStepKind::reduce_scatter, group, axes, hop);
      for (ProgramHop& hop = next_hop(); const Members& group : groups)
        take_hop(ReduceStepKind::all_gather, group, axes, hop);
    }
    ++slot_;
    return true;
  }

  bool take_by_halving(ReduceStepKind kind, const Digits& primes, const Digits& first) {
    const bool spreads = kind == ReduceStepKind::all_gather || kind == ReduceStepKind::broadcast;
    const bool exchanges = kind == ReduceStepKind::all_reduce;
    if (exchanges && scatters_) return false;
    for (std::size_t turn = 0; turn < primes.size(); ++turn) {
      const std::size_t k = spreads ? turn : primes.size() - 1 - turn;
      ProgramHop& hop = next_hop();
      hop.aside = exchanges;
      has_aside_ = has_aside_ || exchanges;
      const bool from_one = kind == ReduceStepKind::reduce || kind == ReduceStepKind::broadcast;
      Digits others = first;
      // Who else shares what a hop works on: of those, only the ones at 0 further inside have a part.
      if (from_one) others.insert(others.end(), primes.begin() + static_cast<std::ptrdiff_t>(k) + 1, primes.end());
      for (const Members& group : groups_of({primes[k]}, others)) take_hop(kind, group, {primes[k]}, hop);
      ++slot_;
    }
    return true;
  }

  bool take_in_ring(ReduceStepKind kind, const Digits& axes, const std::vector<Members>& groups) {
    switch (kind) {
      case ReduceStepKind::all_reduce: return sum_in_ring(axes, groups) && gather_in_ring(groups);
      case ReduceStepKind::reduce_scatter: return sum_in_ring(axes, groups);
      case ReduceStepKind::all_gather: return gather_in_ring(groups);
      case ReduceStepKind::reduce:
      case ReduceStepKind::broadcast: return false;  // nobody would carry all of it from one to the next
    }
    return false;
  }

  bool sum_in_ring(const Digits& axes, const std::vector<Members>& groups) {
    has_ring_ = true;
    const std::size_t begin = add_hops(groups[0].size() - 1);
    for (const Members& group : groups) {
      const std::size_t count = group.size();
      const std::vector<std::int32_t> chunks = chunks_of(group[0]);
      std::vector<std::vector<std::int32_t>> of_place(count);
      for (const std::int32_t chunk : chunks)
        of_place[static_cast<std::size_t>(place_of(axes, chunk))].push_back(chunk);
      std::vector<ReduceMove::From> own;
      for (const std::int32_t member : group) own.push_back(from(member));
      for (std::size_t turn = 0; turn + 1 < count; ++turn) {
        for (std::size_t place = 0; place < count; ++place) {
          const std::size_t next = (place + 1) % count;
          const auto& passed = of_place[(place + count - 1 - turn) % count];
          const ReduceMove::From before = turn == 0 ? own[place] : ReduceMove::From{group[place], false};
          std::vector<ReduceMove::From> both{before, own[next]};
          if (next == 0) std::swap(both[0], both[1]);
          write(group[next], passed);
          if (!passed.empty()) hops_[begin + turn].moves.push_back({group[next], std::move(both), passed});
        }
      }
      settle(ReduceStepKind::reduce_scatter, group, chunks, axes);
    }
    return true;
  }

  bool gather_in_ring(const std::vector<Members>& groups) {
    const std::size_t begin = add_hops(groups[0].size() - 1);
    for (const Members& group : groups) {
      const std::size_t count = group.size();
      std::vector<std::vector<std::int32_t>> chunks;
      for (const std::int32_t member : group) chunks.push_back(chunks_of(member));
      for (std::size_t turn = 0; turn + 1 < count; ++turn) {
        for (std::size_t place = 0; place < count; ++place)
          copy(group[place], group[(place + 1) % count], chunks[(place + count - turn) % count], hops_[begin + turn]);
      }
    }
    return true;
  }

  // So many hops, each in a slot of its own; the place of the first.
  std::size_t add_hops(std::size_t count) {
    const std::size_t begin = hops_.size();
    for (std::size_t i = 0; i < count; ++i, ++slot_) next_hop();
    return begin;
  }

  ReduceMove::From from(std::int32_t member) const { return {member, !has_written_[static_cast<std::size_t>(member)]}; }

  void take_hop(ReduceStepKind kind, const Members& group, const Digits& axes, ProgramHop& hop) {
    switch (kind) {
      case ReduceStepKind::all_reduce:
      case ReduceStepKind::reduce_scatter:
      case ReduceStepKind::reduce: return add_up(kind, group, axes, hop);
      case ReduceStepKind::all_gather: return gather(group, hop);
      case ReduceStepKind::broadcast: return spread(group, hop);
    }
  }

  // The chunks that a member of the group has in the end.
  std::vector<std::int32_t> kept(ReduceStepKind kind, const std::vector<std::int32_t>& chunks, std::int32_t member,
                                 const Digits& axes) const {
    if (kind == ReduceStepKind::all_reduce) return chunks;
    const std::int64_t place = place_of(axes, member);
    if (kind == ReduceStepKind::reduce) return place == 0 ? chunks : std::vector<std::int32_t>{};
    std::vector<std::int32_t> own;
    for (const std::int32_t chunk : chunks) {
      if (place_of(axes, chunk) == place) own.push_back(chunk);
    }
    return own;
  }

  void add_up(ReduceStepKind kind, const Members& group, const Digits& axes, ProgramHop& hop) {
    const std::vector<std::int32_t> chunks = chunks_of(group[0]);
    std::vector<ReduceMove::From> all;
    for (const std::int32_t member : group) all.push_back(from(member));
    settle(kind, group, chunks, axes);
    for (const std::int32_t member : group) {
      std::vector<std::int32_t> mine = kept(kind, chunks, member, axes);
      if (mine.empty()) continue;
      write(member, mine);
      hop.moves.push_back({member, all, std::move(mine)});
    }
  }

  // Notes the chunks that the members of a group hold once they have been summed.
  void settle(ReduceStepKind kind, const Members& group, const std::vector<std::int32_t>& chunks, const Digits& axes) {
    std::vector<std::int64_t> places;
    for (const std::int32_t member : group) places.push_back(place_of(axes, member));
    OwnSums together(held_.words());
    for (const std::int32_t chunk : chunks) {
      std::fill(together.begin(), together.end(), 0);
      for (const std::int32_t member : group) add(together, held_.of(member, chunk));
      const std::int64_t owner = kind == ReduceStepKind::reduce ? 0 : place_of(axes, chunk);
      for (std::size_t i = 0; i < group.size(); ++i) {
        if (kind == ReduceStepKind::all_reduce || places[i] == owner)
          held_.put(group[i], chunk, together);
        else
          held_.drop(group[i], chunk);
      }
    }
  }

  void gather(const Members& group, ProgramHop& hop) {
    std::vector<std::vector<std::int32_t>> chunks;
    for (const std::int32_t member : group) chunks.push_back(chunks_of(member));
    for (const std::int32_t member : group) {
      for (std::size_t other = 0; other < group.size(); ++other) {
        if (group[other] != member) copy(group[other], member, chunks[other], hop);
      }
    }
  }

  void spread(const Members& group, ProgramHop& hop) {
    const std::vector<std::int32_t> chunks = chunks_of(group[0]);
    for (const std::int32_t member : group) {
      if (member != group[0]) copy(group[0], member, chunks, hop);
    }
  }

  void copy(std::int32_t source, std::int32_t member, const std::vector<std::int32_t>& chunks, ProgramHop& hop) {
    if (chunks.empty()) return;
    hop.moves.push_back({member, {from(source)}, chunks});
    for (const std::int32_t chunk : chunks) held_.put(member, chunk, held_.of(source, chunk));
    write(member, chunks);
  }

  void write(std::int32_t member, const std::vector<std::int32_t>& chunks) {
    has_written_[static_cast<std::size_t>(member)] = true;
    if (!scatters_) return;
    std::vector<char>& is_foreign = foreign_[static_cast<std::size_t>(member)];
    is_foreign.resize(static_cast<std::size_t>(members_), 0);
    for (const std::int32_t chunk : chunks) {
      if (chunk != member) is_foreign[static_cast<std::size_t>(chunk)] = 1;
    }
  }

  std::int64_t members_;
  bool scatters_;
  std::vector<bool> has_written_;  // of every member: has it anything but its source?
  SumTable held_;
  OwnSums whole_;
  std::vector<std::vector<char>> foreign_;  // of every member: is a chunk on the way that is not its own?
  std::vector<ProgramHop> hops_;
  std::int64_t slot_ = 0;
  bool has_aside_ = false;
  bool has_ring_ = false;
};

}  // namespace

std::optional<ReduceMoves> reduce_moves(const AxisList& reduced, bool scatters, const ReduceProgram& program) {
  const std::int64_t members = shard_count(reduced);
  if (members > kProgramMembersMax || program.stretches < 1) return std::nullopt;
  Carrying carrying(members, scatters);
  for (const ReduceStep& step : program.steps) {
    const auto axes = digits_of(reduced, step.axes);
    const auto first = digits_of(reduced, step.first);
    if (!axes || !first || step.axes.empty() || !are_distinct(*axes, *first)) return std::nullopt;
    if (!carrying.take(step, *axes, *first)) return std::nullopt;
  }
  if (!carrying.is_done()) return std::nullopt;
  return std::move(carrying).moves(program.stretches);
}

}  // namespace tessera::synth
