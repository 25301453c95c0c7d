#include "runtime/execute/cut_search.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/check.hpp"

namespace tessera::runtime {

namespace {

// In the side of the lower sample: after this the cut is known.
constexpr auto kLast = std::byte{0x80};

void write_number(std::int64_t number, std::int64_t bytes, std::byte* at) {
  const auto narrow = static_cast<std::int32_t>(number);
  std::memcpy(at, bytes == 4 ? static_cast<const void*>(&narrow) : &number, static_cast<std::size_t>(bytes));
}
std::int64_t read_number(std::int64_t bytes, const std::byte* at) {
  std::int64_t number = 0;
  std::int32_t narrow = 0;
  std::memcpy(bytes == 4 ? static_cast<void*>(&narrow) : &number, at, static_cast<std::size_t>(bytes));
  return bytes == 4 ? narrow : number;
}

}  // namespace

CutSearch::CutSearch(Team& team, const synth::SortCuts& cuts, const RunOrder& order, const Block& block,
                     std::vector<LineRuns>& runs, std::function<int(std::int32_t)> owner)
    : team_(team), cuts_(cuts), order_(order), block_(block), runs_(runs), owner_(std::move(owner)) {
  for (auto device = static_cast<std::int32_t>(block_.begin); device < block_.end; ++device) list_pairs(device);
  const auto key = [](const Pair& pair) { return std::pair(pair.searcher, pair.member); };
  for (auto* const all : {&told_, &asked_}) {
    for (auto& [rank, pairs] : *all) std::ranges::sort(pairs, {}, key);
  }
}

void CutSearch::list_pairs(std::int32_t device) {
  LineRuns& own = runs(device);
  if (own.is_empty()) return;
  own.stretches.assign(static_cast<std::size_t>(own.lines) * own.members.size(), {0, own.length});
  std::vector<std::int64_t> lines(static_cast<std::size_t>(own.lines));
  for (std::size_t line = 0; line < lines.size(); ++line) lines[line] = static_cast<std::int64_t>(line);
  for (std::size_t tile = 0; tile < own.members.size(); ++tile) {
    const std::int32_t other = own.members[tile];
    if (is_mine(other)) continue;
    if (tile > 0) told_[owner_(other)].push_back({other, device, tile, lines});
    if (own.place > 0) asked_[owner_(other)].push_back({device, other, own.place, {}});
  }
  if (own.place == 0) return;
  Searcher& searcher = searchers_[device];
  searcher.come.resize(own.members.size());
  searcher.answers.resize(own.members.size());
  searcher.lines = std::move(lines);
}

bool CutSearch::is_over() const {
  const auto is_known = [](const auto& one) { return one.lines.empty(); };
  return std::ranges::all_of(searchers_, [&](const auto& one) { return is_known(one.second); }) &&
         std::ranges::all_of(told_, [&](const auto& one) { return std::ranges::all_of(one.second, is_known); });
}

void CutSearch::write_samples(const LineRuns& own, std::int64_t line, std::size_t tile, std::byte* at) const {
  const synth::Interval& stretch = own.stretches[own.at(line, tile)];
  const std::int64_t number = cuts_.number_bytes();
  const std::int64_t bytes = order_.bytes();
  const std::byte* const keys = own.keys(line, bytes);
  write_number(stretch.begin, number, at);
  write_number(stretch.length(), number, at + number);
  at += 2 * number;
  std::memset(at, 0, static_cast<std::size_t>(synth::SortCuts::kSamples * bytes));
  for (std::int64_t k = 0; k < sample_count(stretch.length()); ++k, at += bytes)
    std::memcpy(at, keys + (stretch.begin + sample_place(stretch.length(), k)) * bytes,
                static_cast<std::size_t>(bytes));
}

void CutSearch::read_sample(const std::byte* at, std::int64_t& before, Sampled& sampled) const {
  const std::int64_t number = cuts_.number_bytes();
  before = read_number(number, at);
  sampled = {read_number(number, at + number), at + 2 * number};
}

base::Status CutSearch::send_samples() {
  std::vector<Incoming> incoming;
  std::vector<Outgoing> outgoing;
  const std::int64_t each = cuts_.sample_bytes();
  for (const auto& [rank, pairs] : told_) {
    std::int64_t count = 0;
    for (const Pair& pair : pairs) count += std::ssize(pair.lines);
    if (count == 0) continue;
    const std::span<std::byte> samples = team_.room(count * each);
    std::byte* at = samples.data();
    for (const Pair& pair : pairs) {
      for (const std::int64_t line : pair.lines) {
        write_samples(runs(pair.member), line, pair.tile, at);
        at += each;
      }
    }
    outgoing.push_back({rank, samples});
  }
  for (const auto& [rank, pairs] : asked_) {
    std::int64_t count = 0;
    for (const Pair& pair : pairs) count += std::ssize(searchers_.at(pair.searcher).lines);
    if (count == 0) continue;
    const std::span<std::byte> samples = team_.room(count * each);
    answers_[rank] = team_.room(count * cuts_.answer_bytes());
    incoming.push_back({rank, samples});
    const std::byte* at = samples.data();
    std::byte* answer = answers_[rank].data();
    for (const Pair& pair : pairs) {
      Searcher& searcher = searchers_.at(pair.searcher);
      const LineRuns& own = runs(pair.searcher);
      const auto member = std::ranges::find(own.members, pair.member) - own.members.begin();
      searcher.come[static_cast<std::size_t>(member)] = at;
      searcher.answers[static_cast<std::size_t>(member)] = answer;
      at += std::ssize(searcher.lines) * each;
      answer += std::ssize(searcher.lines) * cuts_.answer_bytes();
    }
  }
  TESSERA_TRY_STATUS(team_.begin_messages(incoming, outgoing));
  return team_.await_messages();
}

void CutSearch::seek(std::int32_t device) {
  const auto found = searchers_.find(device);
  if (found == searchers_.end()) return;
  Searcher& searcher = found->second;
  searcher.remaining.clear();
  for (std::size_t number = 0; number < searcher.lines.size(); ++number) seek_line(runs(device), searcher, number);
}

// The line of this number among those whose cut is not known.
void CutSearch::seek_line(const LineRuns& own, Searcher& searcher, std::size_t number) {
  const std::int64_t line = searcher.lines[number];
  const auto skipped = static_cast<std::int64_t>(number) * cuts_.sample_bytes();
  std::vector<Sampled> devices(own.members.size());
  std::vector<std::byte> samples;  // of devices of this rank
  samples.resize(own.members.size() * static_cast<std::size_t>(cuts_.sample_bytes()));
  std::int64_t before = cuts_.positions(cuts_.filled()[own.place]).begin;
  bool is_last = true;
  for (std::size_t k = 0; k < own.members.size(); ++k) {
    std::byte* const written = samples.data() + k * static_cast<std::size_t>(cuts_.sample_bytes());
    const bool is_near = is_mine(own.members[k]);
    if (is_near) write_samples(runs(own.members[k]), line, own.place, written);
    std::int64_t passed = 0;
    read_sample(is_near ? written : searcher.come[k] + skipped, passed, devices[k]);
    before -= passed;
    is_last = is_last && devices[k].length <= synth::SortCuts::kSamples;
  }
  Enclosed found;
  enclose(order_, devices, before, found);
  write_answers(own, searcher, line, found, is_last);
  if (!is_last) searcher.remaining.push_back(line);
}

void CutSearch::write_answers(const LineRuns& own, Searcher& searcher, std::int64_t line, const Enclosed& found,
                              bool is_last) {
  const auto bytes = static_cast<std::size_t>(order_.bytes());
  for (std::size_t k = 0; k < own.members.size(); ++k) {
    const Enclosed::Sides& sides = found.of_devices[k];
    if (is_mine(own.members[k])) {
      LineRuns& other = runs(own.members[k]);
      synth::Interval& stretch = other.stretches[other.at(line, own.place)];
      stretch =
          narrowed(order_, other.keys(line, order_.bytes()), stretch, sides, found.lower.data(), found.upper.data());
      TESSERA_CHECK(!is_last || stretch.length() == 0, "a cut is not known in the end");
      continue;
    }
    std::byte*& at = searcher.answers[k];
    at[0] = static_cast<std::byte>(sides.lower) | (is_last ? kLast : std::byte{0});
    at[1] = static_cast<std::byte>(sides.upper);
    std::memcpy(at + 2, found.lower.data(), bytes);
    std::memcpy(at + 2 + bytes, found.upper.data(), bytes);
    at += cuts_.answer_bytes();
  }
}

void CutSearch::take_answers(Pair& pair, const std::byte* at) {
  LineRuns& own = runs(pair.member);
  std::vector<std::int64_t> rest;
  for (const std::int64_t line : pair.lines) {
    const Enclosed::Sides sides{static_cast<Side>(at[0] & ~kLast), static_cast<Side>(at[1])};
    const std::byte* const lower = at + 2;
    synth::Interval& stretch = own.stretches[own.at(line, pair.tile)];
    stretch = narrowed(order_, own.keys(line, order_.bytes()), stretch, sides, lower, lower + order_.bytes());
    if ((at[0] & kLast) == std::byte{0}) rest.push_back(line);
    at += cuts_.answer_bytes();
  }
  pair.lines = std::move(rest);
}

base::Status CutSearch::send_answers(Received& received) {
  std::vector<Incoming> incoming;
  std::vector<Outgoing> outgoing;
  std::vector<std::vector<Pair>*> told;
  const std::int64_t each = cuts_.answer_bytes();
  for (auto& [rank, pairs] : told_) {
    std::int64_t count = 0;
    for (const Pair& pair : pairs) {
      count += std::ssize(pair.lines);
      received.add(pair.member, std::ssize(pair.lines) * each);
    }
    if (count == 0) continue;
    incoming.push_back({rank, team_.room(count * each)});
    told.push_back(&pairs);
  }
  for (const auto& [rank, answers] : answers_) outgoing.push_back({rank, answers});
  answers_.clear();
  for (auto& [device, searcher] : searchers_) {
    const std::int64_t lines = std::ssize(searcher.lines);
    received.add(device, lines * (std::ssize(runs(device).members) - 1) * cuts_.sample_bytes());
    for (const std::int32_t member : runs(device).members) {
      if (member != device && is_mine(member)) received.add(member, lines * each);
    }
    searcher.lines.swap(searcher.remaining);
  }
  TESSERA_TRY_STATUS(team_.begin_messages(incoming, outgoing));
  TESSERA_TRY_STATUS(team_.await_messages());
  for (std::size_t k = 0; k < told.size(); ++k) {
    const std::byte* at = incoming[k].bytes.data();
    for (Pair& pair : *told[k]) {
      const std::int64_t bytes = std::ssize(pair.lines) * each;
      take_answers(pair, at);
      at += bytes;
    }
  }
  return base::Done{};
}

}  // namespace tessera::runtime
