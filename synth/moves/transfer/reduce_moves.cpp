#include "synth/moves/transfer/reduce_moves.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "synth/layout/axis_parts.hpp"
#include "synth/layout/cuts.hpp"
#include "synth/moves/transfer/positions.hpp"

namespace tessera::synth {

ReduceMoves wide_moves(EvenProgram program) {
  ReduceMoves moves;
  moves.members = program.members;
  for (const EvenHop& hop : program.hops) moves.hops.push_back({{}, hop.slot, hop.kind == ReduceStepKind::all_reduce});
  moves.hop_slots = program.hop_slots;
  moves.stretches = program.stretches;
  moves.has_aside = program.has_aside;
  moves.even = std::move(program);
  return moves;
}

std::vector<ReduceMove> moves_with(const EvenProgram& program, std::size_t hop, std::int32_t member) {
  const EvenHop& here = program.hops[hop];
  const std::vector<std::int32_t> talkers = others_along(here.digits, member);
  std::vector<ReduceMove> moves;
  if (here.kind == ReduceStepKind::all_gather) {
    std::vector<std::vector<std::int32_t>> chunks;
    for (const std::int32_t from : talkers) chunks.push_back(chunks_held(program, here.own, from));
    for (const std::int32_t to : talkers) {
      for (std::size_t i = 0; i < talkers.size(); ++i) {
        if (talkers[i] != to) moves.push_back({to, {{talkers[i], false}}, chunks[i]});
      }
    }
    return moves;
  }
  std::vector<ReduceMove::From> all;
  for (const std::int32_t from : talkers) all.push_back({from, hop == 0});
  Digits own = here.own;
  if (here.kind == ReduceStepKind::reduce_scatter) {
    for (const Digit& prime : prime_digits(here.digits)) own.push_back(prime);
  }
  for (const std::int32_t to : talkers) moves.push_back({to, all, chunks_held(program, own, to)});
  return moves;
}

bool ReduceMoves::is_foreign(std::int32_t member, std::int32_t chunk) const {
  if (!even) {
    const std::vector<std::int32_t>& chunks = foreign[static_cast<std::size_t>(member)];
    return std::binary_search(chunks.begin(), chunks.end(), chunk);
  }
  const Digits& first = even->hops[0].digits;
  return even->foreign > 0 && chunk != member && place_of(first, chunk) == place_of(first, member);
}

std::vector<std::int32_t> ReduceMoves::foreign_of(std::int32_t member) const {
  if (!even) return foreign[static_cast<std::size_t>(member)];
  if (even->foreign == 0) return {};
  std::vector<std::int32_t> chunks = chunks_held(*even, prime_digits(even->hops[0].digits), member);
  std::erase(chunks, member);
  return chunks;
}

std::int32_t ReduceMoves::first_chunk() const {
  const auto has_share = [](std::int64_t share) { return share > 0; };
  const auto first = std::find_if(chunk_shares.begin(), chunk_shares.end(), has_share);
  return first == chunk_shares.end() ? 0 : static_cast<std::int32_t>(first - chunk_shares.begin());
}

Interval ReduceMoves::chunk_of(std::int64_t elements, std::int32_t chunk) const {
  if (cells.empty()) return share(elements, members, chunk);
  const auto place = static_cast<std::size_t>(chunk) % chunk_shares.size();
  const std::size_t cell = static_cast<std::size_t>(chunk) / chunk_shares.size();
  const auto begin_of = [&](std::size_t i) {
    return i < cells.size() ? scaled(elements, cells[i].numerator, cells[i].denominator) : elements;
  };
  const std::int64_t begin = begin_of(cell);
  const std::int64_t length = begin_of(cell + 1) - begin;
  const auto first = chunk_shares.begin();
  const std::int64_t all = std::accumulate(first, chunk_shares.end(), std::int64_t{0});
  const std::int64_t before = std::accumulate(first, first + static_cast<std::ptrdiff_t>(place), std::int64_t{0});
  return {begin + scaled(length, before, all), begin + scaled(length, before + chunk_shares[place], all)};
}

namespace {

// Whoever adds up, in whatever chunk, adds in the same order: that of those whose digits so far are 0.
SumTree sum_tree(const EvenProgram& program) {
  SumTree tree;
  std::vector<std::int32_t> values(static_cast<std::size_t>(program.members));
  std::iota(values.begin(), values.end(), 0);
  std::vector<std::int32_t> adders = values;
  for (const EvenHop& hop : program.hops) {
    if (hop.kind == ReduceStepKind::all_gather) continue;
    std::erase_if(adders, [&](std::int32_t member) { return place_of(hop.digits, member) != 0; });
    for (const std::int32_t member : adders) {
      std::vector<std::int32_t> parts;
      for (const std::int32_t other : others_along(hop.digits, member))
        parts.push_back(values[static_cast<std::size_t>(other)]);
      values[static_cast<std::size_t>(member)] = static_cast<std::int32_t>(program.members + std::ssize(tree.nodes));
      tree.nodes.push_back(std::move(parts));
    }
  }
  return tree;
}

}  // namespace

SumTree sum_tree(const ReduceMoves& moves, std::int32_t chunk) {
  if (moves.even) return sum_tree(*moves.even);
  SumTree tree;
  std::map<std::vector<std::int32_t>, std::int32_t> known;  // nodes by what they combine
  std::vector<std::int32_t> values;                         // of every member
  for (std::int32_t member = 0; member < moves.members; ++member) values.push_back(member);
  for (const ProgramHop& hop : moves.hops) {
    const std::vector<std::int32_t> before = values;
    for (const ReduceMove& move : hop.moves) {
      if (!std::binary_search(move.chunks.begin(), move.chunks.end(), chunk)) continue;
      std::vector<std::int32_t> parts;
      for (const ReduceMove::From& from : move.from) parts.push_back(before[static_cast<std::size_t>(from.member)]);
      std::int32_t& value = values[static_cast<std::size_t>(move.to)];
      value = parts[0];
      if (parts.size() == 1) continue;
      const auto next = static_cast<std::int32_t>(moves.members + std::ssize(tree.nodes));
      const auto [at, is_new] = known.emplace(parts, next);
      value = at->second;
      if (is_new) tree.nodes.push_back(std::move(parts));
    }
  }
  return tree;
}

}  // namespace tessera::synth
