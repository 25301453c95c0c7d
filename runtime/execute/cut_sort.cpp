// Lines that are sorted over several tiles (synth/moves/collective/sort_cuts.hpp). Each device sorts its part of a
// line; the cuts of the whole line are sought; then each receives its parts of all runs, one behind the other, and
// merges them. How many elements go where is known only here, and ranks tell each other first.
#include "synth/moves/collective/sort_cuts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "runtime/engine/host/devices.hpp"
#include "runtime/execute/cut_search.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/execute/stopping.hpp"
#include "runtime/kernels/sorted_runs.hpp"
#include "runtime/kinds.hpp"
#include "runtime/memory/boxes.hpp"
#include "runtime/transfers/row_numbers.hpp"
#include "runtime/transfers/row_stream.hpp"

namespace tessera::runtime {

namespace {

class CutSort : public std::enable_shared_from_this<CutSort> {
 public:
  // Every device has room for its runs, and for positions and elements that come, at `beside`.
  CutSort(Team& team, const Storage& storage, const synth::Apply& apply, const synth::Sort& sort, std::int64_t beside)
      : team_(team),
        storage_(storage),
        lines_(apply.operands[0]),
        result_(apply.results[0]),
        cuts_(storage.type(lines_), sort.positions),
        order_{storage.type(lines_).element(), sort.positions},
        received_{0, std::vector<std::int64_t>(static_cast<std::size_t>(storage.devices(result_)), 0)} {
    for (std::int64_t device = block_.begin; device < block_.end; ++device)
      add(static_cast<std::int32_t>(device), beside);
  }

  const Block& block() const { return block_; }
  LineRuns& runs(std::size_t device) { return runs_[device - static_cast<std::size_t>(block_.begin)]; }
  const LineRuns& runs(std::size_t device) const { return runs_[device - static_cast<std::size_t>(block_.begin)]; }

  void sort(std::size_t device) {
    if (runs(device).is_empty()) return;
    const std::int64_t first = cuts_.positions(cuts_.own_tile(static_cast<std::int32_t>(device))).begin;
    sort_runs(order_, storage_.view(lines_, device), first, runs(device).run);
  }
  CutSearch search() {
    return {team_, cuts_, order_, block_, runs_, [this](std::int32_t device) { return owner(device); }};
  }
  Received& received() { return received_; }

  // How many elements each device gets from each other one of its lines.
  base::Status tell_counts();
  base::Status begin_runs();
  void put_near_runs(std::size_t device);
  void merge(std::size_t device);
  void count();

 private:
  // What comes of others' runs.
  struct Merging {
    Run come;                          // where it is put
    std::vector<std::int64_t> begins;  // of line l, where what comes of tile k begins: at [l * (members + 1) + k]
  };
  class End;

  bool is_mine(std::int32_t device) const { return block_.holds(device); }
  int owner(std::int32_t device) const { return storage_.owner(result_, static_cast<std::size_t>(device)); }
  Merging& merging(std::size_t device) { return merging_[device - static_cast<std::size_t>(block_.begin)]; }
  void add(std::int32_t device, std::int64_t beside);
  std::size_t place_of(std::int32_t device, std::int32_t member) const {
    const std::vector<std::int32_t>& all = runs(static_cast<std::size_t>(device)).members;
    return static_cast<std::size_t>(std::ranges::find(all, member) - all.begin());
  }
  std::vector<RowRun> stream_runs(const std::vector<RowNumbers>& lists) const;
  void put(std::size_t device, std::size_t tile, std::int64_t line, const Run& from, std::int64_t count);

  Team& team_;
  const Storage& storage_;
  synth::RegisterId lines_, result_;
  synth::SortCuts cuts_;
  RunOrder order_;
  Block block_ = storage_.block(result_);
  std::vector<LineRuns> runs_;    // of this rank's devices
  std::vector<Merging> merging_;  // likewise
  NumbersByRank given_;           // by the rank that gets them: of each line how many elements
  NumbersByRank taken_;           // by the rank that gives them
  Received received_;
};

void CutSort::add(std::int32_t device, std::int64_t beside) {
  LineRuns& runs = runs_.emplace_back();
  Merging& merging = merging_.emplace_back();
  runs.lines = cuts_.lines(device);
  runs.length = cuts_.positions(cuts_.own_tile(device)).length();
  if (runs.is_empty()) return;
  for (const std::int64_t tile : cuts_.filled()) runs.members.push_back(cuts_.member(device, tile));
  runs.place = static_cast<std::size_t>(std::ranges::find(runs.members, device) - runs.members.begin());
  const auto at = static_cast<std::size_t>(device);
  std::byte* const room = storage_.room(result_, at, beside);
  std::byte* const out = storage_.out(result_, at).data;
  const std::int64_t elements = runs.lines * runs.length;
  if (!order_.positions) {
    runs.run = {room, nullptr};
    merging.come = {out, nullptr};
    return;
  }
  const std::int64_t of_positions = elements * static_cast<std::int64_t>(sizeof(std::int64_t));
  std::byte* const keys = room + of_positions;
  runs.run = {keys, reinterpret_cast<std::int64_t*>(room)};
  merging.come = {keys + elements * order_.bytes(), reinterpret_cast<std::int64_t*>(out)};
}

// Devices of one rank look how much they get. Tiles must come out exactly full.
base::Status CutSort::tell_counts() {
  for (std::int64_t device = block_.begin; device < block_.end; ++device) {
    const LineRuns& own = runs(static_cast<std::size_t>(device));
    for (std::size_t tile = 0; tile < own.members.size(); ++tile) {
      const std::int32_t other = own.members[tile];
      if (is_mine(other)) continue;
      RowNumbers given{static_cast<std::int32_t>(device), other};
      for (std::int64_t line = 0; line < own.lines; ++line) given.numbers.push_back(own.part(line, tile).length());
      given_[owner(other)].push_back(std::move(given));
      taken_[owner(other)].push_back({other, static_cast<std::int32_t>(device)});
    }
  }
  const auto ends = [](const RowNumbers& list) { return std::pair(list.from, list.to); };
  for (auto* const all : {&given_, &taken_}) {
    for (auto& [rank, lists] : *all) std::ranges::sort(lists, {}, ends);
  }
  if (!team_.alone()) TESSERA_TRY_STATUS(exchange_numbers(team_, given_, taken_, cuts_.number_bytes()));
  std::map<std::pair<std::int32_t, std::int32_t>, const RowNumbers*> told;
  for (const auto& [rank, lists] : taken_) {
    for (const RowNumbers& list : lists) told[ends(list)] = &list;
  }
  for (std::int64_t device = block_.begin; device < block_.end; ++device) {
    Merging& own = merging(static_cast<std::size_t>(device));
    const LineRuns& lines = runs(static_cast<std::size_t>(device));
    for (std::int64_t line = 0; line < lines.lines && !lines.is_empty(); ++line) {
      std::int64_t next = line * lines.length;
      for (const std::int32_t other : lines.members) {
        own.begins.push_back(next);
        next += is_mine(other)
                    ? runs(static_cast<std::size_t>(other)).part(line, lines.place).length()
                    : told.at({other, static_cast<std::int32_t>(device)})->numbers[static_cast<std::size_t>(line)];
      }
      own.begins.push_back(next);
      TESSERA_CHECK(next == (line + 1) * lines.length, "a tile of a sorted line does not come out full");
    }
  }
  return base::Done{};
}

// Elements with their positions, one behind the other, of a stretch that is to be merged.
void CutSort::put(std::size_t device, std::size_t tile, std::int64_t line, const Run& from, std::int64_t count) {
  const Merging& to = merging(device);
  const std::size_t width = runs(device).members.size() + 1;
  const std::int64_t begin = to.begins[static_cast<std::size_t>(line) * width + tile];
  const std::int64_t bytes = order_.bytes();
  std::memcpy(to.come.keys + begin * bytes, from.keys, static_cast<std::size_t>(count * bytes));
  if (order_.positions) std::copy_n(from.places, count, to.come.places + begin);
}

void CutSort::put_near_runs(std::size_t device) {
  const LineRuns& own = runs(device);
  for (std::size_t tile = 0; tile < own.members.size(); ++tile) {
    if (!is_mine(own.members[tile])) continue;
    const LineRuns& other = runs(static_cast<std::size_t>(own.members[tile]));
    parallel_ranges(own.lines, std::max<std::int64_t>(1, kGrain / own.length),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t line = begin; line < end; ++line) {
                        const synth::Interval part = other.part(line, own.place);
                        const std::int64_t first = line * other.length + part.begin;
                        const Run from{other.run.keys + first * order_.bytes(),
                                       order_.positions ? other.run.places + first : nullptr};
                        put(device, tile, line, from, part.length());
                      }
                    });
  }
}

// Each element is followed by its position. They are numbered through all lines.
class CutSort::End final : public RowsEnd {
 public:
  End(std::shared_ptr<CutSort> sort, const std::vector<RowNumbers>& lists) : sort_(std::move(sort)), lists_(lists) {
    for (const RowNumbers& list : lists_) {
      std::vector<std::int64_t>& ends = ends_.emplace_back();
      for (const std::int64_t count : list.numbers) ends.push_back((ends.empty() ? 0 : ends.back()) + count);
    }
  }
  void pack(const RowPiece& piece, std::byte* at) override {
    const RowNumbers& list = lists_[piece.run];
    const LineRuns& own = sort_->runs(static_cast<std::size_t>(list.from));
    const std::size_t tile = sort_->place_of(list.from, list.to);
    walk(piece, [&](std::int64_t line, std::int64_t first, std::int64_t count) {
      const std::int64_t begin = line * own.length + own.part(line, tile).begin + first;
      for (std::int64_t k = begin; k < begin + count; ++k, at += each()) {
        std::memcpy(at, own.run.keys + k * key(), static_cast<std::size_t>(key()));
        if (own.run.places != nullptr) write(own.run.places[k], at + key());
      }
    });
  }
  void unpack(const RowPiece& piece, const std::byte* at) override {
    const RowNumbers& list = lists_[piece.run];
    const Merging& own = sort_->merging(static_cast<std::size_t>(list.to));
    const std::size_t width = sort_->runs(static_cast<std::size_t>(list.to)).members.size() + 1;
    const std::size_t tile = sort_->place_of(list.to, list.from);
    walk(piece, [&](std::int64_t line, std::int64_t first, std::int64_t count) {
      const std::int64_t begin = own.begins[static_cast<std::size_t>(line) * width + tile] + first;
      for (std::int64_t k = begin; k < begin + count; ++k, at += each()) {
        std::memcpy(own.come.keys + k * key(), at, static_cast<std::size_t>(key()));
        if (own.come.places != nullptr) own.come.places[k] = read(at + key());
      }
    });
  }

 private:
  std::int64_t key() const { return sort_->order_.bytes(); }
  std::int64_t each() const { return sort_->cuts_.record_bytes(); }
  void write(std::int64_t place, std::byte* at) const {
    const auto narrow = static_cast<std::int32_t>(place);
    const auto bytes = static_cast<std::size_t>(each() - key());
    std::memcpy(at, bytes == sizeof(narrow) ? static_cast<const void*>(&narrow) : &place, bytes);
  }
  std::int64_t read(const std::byte* at) const {
    std::int64_t place = 0;
    std::int32_t narrow = 0;
    const auto bytes = static_cast<std::size_t>(each() - key());
    std::memcpy(bytes == sizeof(narrow) ? static_cast<void*>(&narrow) : &place, at, bytes);
    return bytes == sizeof(narrow) ? narrow : place;
  }
  // Calls f(line, first, count) for the lines of a piece.
  template <class F>
  void walk(const RowPiece& piece, const F& f) const {
    const std::vector<std::int64_t>& ends = ends_[piece.run];
    auto line = std::ranges::upper_bound(ends, piece.first) - ends.begin();
    for (std::int64_t at = piece.first; at < piece.end; ++line) {
      const std::int64_t before = line == 0 ? 0 : ends[static_cast<std::size_t>(line - 1)];
      const std::int64_t end = std::min(piece.end, ends[static_cast<std::size_t>(line)]);
      if (end > at) f(line, at - before, end - at);
      at = std::max(at, end);
    }
  }

  std::shared_ptr<CutSort> sort_;
  const std::vector<RowNumbers>& lists_;
  std::vector<std::vector<std::int64_t>> ends_;  // of each list, where the elements of each line end
};

std::vector<RowRun> CutSort::stream_runs(const std::vector<RowNumbers>& lists) const {
  std::vector<RowRun> all;
  for (const RowNumbers& list : lists) {
    RowRun& run = all.emplace_back();
    for (const std::int64_t count : list.numbers) run.rows += count;
  }
  return all;
}

base::Status CutSort::begin_runs() {
  std::vector<Incoming> incoming;
  std::vector<Outgoing> outgoing;
  const std::int64_t each = cuts_.record_bytes();
  const auto stream = [&](const std::vector<RowNumbers>& lists, RowStream::Way way) -> std::shared_ptr<RowStream> {
    std::vector<RowPiece> pieces = row_pieces(stream_runs(lists), each);
    if (pieces.empty()) return nullptr;
    return std::make_shared<RowStream>(std::make_shared<End>(shared_from_this(), lists), std::move(pieces), each, way);
  };
  for (const auto& [rank, lists] : taken_) {
    if (auto in = stream(lists, RowStream::Way::in)) incoming.push_back({rank, {}, std::move(in)});
  }
  for (const auto& [rank, lists] : given_) {
    if (auto out = stream(lists, RowStream::Way::out)) outgoing.push_back({rank, {}, std::move(out)});
  }
  return team_.begin_messages(incoming, outgoing);
}

// The device's own run is not needed any more.
void CutSort::merge(std::size_t device) {
  const LineRuns& lines = runs(device);
  const Merging& own = merging(device);
  const auto width = std::ssize(lines.members) + 1;
  if (lines.is_empty()) return;
  parallel_ranges(lines.lines, std::max<std::int64_t>(1, kGrain / lines.length),
                  [&](std::int64_t first, std::int64_t end) {
                    for (std::int64_t line = first; line < end; ++line) {
                      const auto begin = own.begins.begin() + line * width;
                      merge_runs(order_, {begin, begin + width}, own.come, lines.run);
                    }
                  });
}

// Numbers and elements, beside what the search has counted. No more may come than was announced.
void CutSort::count() {
  for (std::int64_t device = block_.begin; device < block_.end; ++device) {
    const auto number = static_cast<std::int32_t>(device);
    const LineRuns& lines = runs(static_cast<std::size_t>(device));
    const Merging& own = merging(static_cast<std::size_t>(device));
    if (lines.is_empty()) continue;
    const std::size_t width = lines.members.size() + 1;
    received_.add(number, lines.lines * static_cast<std::int64_t>(width - 2) * cuts_.number_bytes());
    for (std::size_t at = 0; at + 1 < own.begins.size(); ++at) {
      const std::size_t tile = at % width;
      if (tile + 1 == width || tile == lines.place) continue;
      received_.add(number, (own.begins[at + 1] - own.begins[at]) * cuts_.record_bytes());
    }
    TESSERA_CHECK(received_.by_device[static_cast<std::size_t>(device)] <=
                      cuts_.search_bytes_at_most(number) + cuts_.run_bytes_at_most(number),
                  "sorting by cuts receives more than it may");
  }
}

}  // namespace

base::Status Executor::run_sort(const synth::Apply& apply, const synth::Sort& sort, const StepPlan& plan) {
  if (!synth::sorts_by_cuts(storage_.type(apply.operands[0]))) return take_local(apply, plan);
  return on_host(apply, plan, [&] { return sort_over_tiles(apply, sort, plan.beside_offset); });
}

base::Status Executor::sort_over_tiles(const synth::Apply& apply, const synth::Sort& sort, std::int64_t beside) {
  const auto all = std::make_shared<CutSort>(team_, storage_, apply, sort, beside);
  const auto on_all = [&](const auto& f) {
    return on_devices(all->block(), work_of(storage_, apply), device_times(), [&](std::size_t device) -> Failure {
      f(device);
      return std::nullopt;
    });
  };
  TESSERA_TRY_STATUS(on_all([&](std::size_t device) { all->sort(device); }));
  if (stop_asked(world_.stop)) return base::make(base::Kind::interrupted);  // runs may be anything
  CutSearch search = all->search();
  while (!search.is_over()) {
    if (!team_.alone()) TESSERA_TRY_STATUS(search.send_samples());
    TESSERA_TRY_STATUS(on_all([&](std::size_t device) { search.seek(static_cast<std::int32_t>(device)); }));
    TESSERA_TRY_STATUS(search.send_answers(all->received()));
  }
  TESSERA_TRY_STATUS(all->tell_counts());
  if (!team_.alone()) TESSERA_TRY_STATUS(all->begin_runs());
  TESSERA_TRY_STATUS(on_all([&](std::size_t device) { all->put_near_runs(device); }));
  if (!team_.alone()) TESSERA_TRY_STATUS(team_.await_messages());
  TESSERA_TRY_STATUS(on_all([&](std::size_t device) { all->merge(device); }));
  all->count();
  count_received(all->received());
  counts_apart_ = !team_.alone();
  return base::Done{};
}

}  // namespace tessera::runtime
