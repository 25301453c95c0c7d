// Rows that a take fetches by request. Every device finds out which rows its ids name that it lacks; their numbers go
// to the devices that hold them, and the rows come back. How many move is known only here, and ranks tell each other
// first.
#include "synth/moves/collective/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/engine/host/devices.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/take.hpp"
#include "runtime/kinds.hpp"
#include "runtime/memory/boxes.hpp"
#include "runtime/transfers/row_numbers.hpp"
#include "runtime/transfers/row_stream.hpp"

namespace tessera::runtime {

namespace {

// What a device's ids name: a row for each, and those of other devices once each, ascending.
struct WantedRows {
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> lacking;

  std::span<const std::int64_t> lacking_in(const synth::Interval& interval) const {
    const auto begin = std::ranges::lower_bound(lacking, interval.begin);
    return {begin, std::ranges::lower_bound(lacking, interval.end)};
  }
};

// The numbers outside of `own`, once each, ascending. Where they are many, a bit for each row that there is takes less
// time than sorting them.
std::vector<std::int64_t> lacking_rows(const std::vector<std::int64_t>& rows, const synth::Interval& own,
                                       std::int64_t extent) {
  const auto is_lacking = [&](std::int64_t row) { return row < own.begin || row >= own.end; };
  std::vector<std::int64_t> lacking;
  constexpr std::int64_t kFewIds = std::int64_t{1} << 16U;
  if (std::ssize(rows) <= kFewIds && std::ssize(rows) < extent / 64) {
    std::ranges::copy_if(rows, std::back_inserter(lacking), is_lacking);
    std::ranges::sort(lacking);
    lacking.erase(std::ranges::unique(lacking).begin(), lacking.end());
    return lacking;
  }
  std::vector<bool> named(static_cast<std::size_t>(extent));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % kGrain == 0 && is_given_up()) return {};
    named[static_cast<std::size_t>(rows[i])] = true;
  }
  for (std::int64_t row = 0; row < extent; ++row) {
    if (row % kGrain == 0 && is_given_up()) return {};
    if (named[static_cast<std::size_t>(row)] && is_lacking(row)) lacking.push_back(row);
  }
  return lacking;
}

class RowFetch : public std::enable_shared_from_this<RowFetch> {
 public:
  RowFetch(Team& team, const Storage& storage, const synth::Apply& apply)
      : team_(team),
        storage_(storage),
        table_(apply.operands[0]),
        ids_(apply.operands[1]),
        result_(apply.results[0]),
        requests_(storage.type(table_)),
        wanted_(static_cast<std::size_t>(storage.devices(result_))) {}

  const Block& block() const { return block_; }

  Failure find_rows(std::size_t device) {
    WantedRows& wanted = wanted_[device];
    const std::int64_t extent = storage_.type(table_).shape()[0];
    const auto bad = read_rows(storage_.view(ids_, device), extent, wanted.rows);
    if (bad) return base::make(Kind::index_out_of_range, bad->id, fmt::format("the table has {} rows", extent));
    const std::int64_t own = requests_.own_tile(static_cast<std::int32_t>(device));
    if (!is_given_up() && row_bytes(device) > 0)
      wanted.lacking = lacking_rows(wanted.rows, requests_.rows(own), extent);
    return std::nullopt;
  }

  // Copies the rows that devices of this rank hold.
  void put_near_rows(std::size_t device) const {
    if (row_bytes(device) == 0) return;
    const WantedRows& wanted = wanted_[device];
    const TileOut out = storage_.out(result_, device);
    const std::int64_t bytes = row_bytes(device);
    const std::int64_t grain = std::max<std::int64_t>(1, kGrain * synth::bytes_of(out.element) / bytes);
    parallel_ranges(std::ssize(wanted.rows), grain, [&](std::int64_t begin, std::int64_t end) {
      std::map<std::int64_t, std::optional<TableRows>> tiles;  // those that were named so far
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t row = wanted.rows[static_cast<std::size_t>(i)];
        const std::int64_t number = requests_.tile_of(row);
        auto tile = tiles.find(number);
        if (tile == tiles.end()) tile = tiles.emplace(number, near_tile(device, number)).first;
        if (tile->second) tile->second->copy(row, out.data + i * bytes);
      }
    });
  }

  base::Status tell_numbers();
  base::Status begin_rows();
  // What devices of this rank receive: numbers that they are asked for, and rows.
  Received received() const;

 private:
  class Giver;
  class Taker;

  bool is_mine(std::int32_t device) const { return block_.holds(device); }
  int owner(std::int32_t device) const { return storage_.owner(result_, static_cast<std::size_t>(device)); }
  std::int64_t row_bytes(std::size_t device) const { return requests_.row_bytes(static_cast<std::int32_t>(device)); }
  synth::Shape row_shape(std::int32_t device) const {
    const synth::Shape tile = synth::shape_of(storage_.tiles(table_).boxes[static_cast<std::size_t>(device)]);
    return {tile.begin() + 1, tile.end()};
  }
  TableRows rows_of(std::int32_t device) const {
    const auto at = static_cast<std::size_t>(device);
    return {storage_.view(table_, at), storage_.tiles(table_).boxes[at][0].begin};
  }
  // A tile of rows, as the device would get it; nothing where another rank has it.
  std::optional<TableRows> near_tile(std::size_t device, std::int64_t tile) const {
    const std::int32_t source = requests_.source(static_cast<std::int32_t>(device), tile);
    return is_mine(source) ? std::optional(rows_of(source)) : std::nullopt;
  }
  void list_asks();
  std::vector<RowRun> runs_of(const std::vector<RowNumbers>& asks) const;

  Team& team_;
  const Storage& storage_;
  synth::RegisterId table_, ids_, result_;
  synth::RowRequests requests_;
  Block block_ = storage_.block(result_);
  std::vector<WantedRows> wanted_;  // of every device of this rank
  NumbersByRank mine_;              // by the rank that is asked: of this rank's devices
  NumbersByRank theirs_;            // by the rank that asks: of rows that this rank has
};

// Both ranks list them in one order: by the device that asks, then by rows.
void RowFetch::list_asks() {
  for (auto device = static_cast<std::int32_t>(block_.begin); device < block_.end; ++device) {
    if (row_bytes(static_cast<std::size_t>(device)) == 0) continue;
    const WantedRows& wanted = wanted_[static_cast<std::size_t>(device)];
    for (std::int64_t tile = 0; tile < requests_.tiles(); ++tile) {
      const std::int32_t source = requests_.source(device, tile);
      if (is_mine(source)) continue;
      const auto numbers = wanted.lacking_in(requests_.rows(tile));
      mine_[owner(source)].push_back({device, source, {numbers.begin(), numbers.end()}});
    }
    for (const std::int32_t asker : requests_.askers(device)) {
      if (!is_mine(asker)) theirs_[owner(asker)].push_back({asker, device});
    }
  }
  for (auto& [rank, asks] : theirs_) {
    std::ranges::sort(asks, {}, [&](const RowNumbers& ask) { return std::pair(ask.from, requests_.own_tile(ask.to)); });
  }
}

base::Status RowFetch::tell_numbers() {
  list_asks();
  return exchange_numbers(team_, mine_, theirs_, requests_.number_bytes());
}

// Rows that others have asked for.
class RowFetch::Giver final : public RowsEnd {
 public:
  Giver(std::shared_ptr<RowFetch> fetch, const std::vector<RowNumbers>& asks) : fetch_(std::move(fetch)), asks_(asks) {}
  void pack(const RowPiece& piece, std::byte* at) override {
    const RowNumbers& ask = asks_[piece.run];
    const TableRows rows = fetch_->rows_of(ask.to);
    const synth::ElementType element = fetch_->storage_.type(fetch_->table_).element();
    for (std::int64_t k = piece.first; k < piece.end; ++k) {
      rows.copy_part(ask.numbers[static_cast<std::size_t>(k)], piece.box, at);
      at += synth::elements(piece.box) * synth::bytes_of(element);
    }
  }
  void unpack(const RowPiece&, const std::byte*) override {}

 private:
  std::shared_ptr<RowFetch> fetch_;
  const std::vector<RowNumbers>& asks_;
};

// Rows that come in: each goes to all places whose ids name it.
class RowFetch::Taker final : public RowsEnd {
 public:
  Taker(std::shared_ptr<RowFetch> fetch, const std::vector<RowNumbers>& asks) : fetch_(std::move(fetch)), asks_(asks) {
    for (const RowNumbers& ask : asks_) {
      std::vector<std::pair<std::int64_t, std::int64_t>>& places = places_[ask.from];
      if (!places.empty()) continue;
      const std::vector<std::int64_t>& rows = fetch_->wanted_[static_cast<std::size_t>(ask.from)].rows;
      for (std::size_t i = 0; i < rows.size(); ++i) places.emplace_back(rows[i], static_cast<std::int64_t>(i));
      std::ranges::sort(places);
    }
  }
  void pack(const RowPiece&, std::byte*) override {}
  void unpack(const RowPiece& piece, const std::byte* at) override {
    const RowNumbers& ask = asks_[piece.run];
    const auto& places = places_.at(ask.from);
    const TileOut out = fetch_->storage_.out(fetch_->result_, static_cast<std::size_t>(ask.from));
    const synth::Shape row = fetch_->row_shape(ask.from);
    const std::int64_t row_bytes = fetch_->row_bytes(static_cast<std::size_t>(ask.from));
    for (std::int64_t k = piece.first; k < piece.end; ++k) {
      const std::int64_t number = ask.numbers[static_cast<std::size_t>(k)];
      const TileView come = dense_view(out.element, synth::shape_of(piece.box), at);
      auto place = std::ranges::lower_bound(places, std::pair(number, std::int64_t{0}));
      for (; place != places.end() && place->first == number; ++place) {
        const TileOut target{out.element, row, out.data + place->second * row_bytes};
        copy_elements(come, target_part(target, synth::whole(row), piece.box));
      }
      at += count(come.shape) * synth::bytes_of(out.element);
    }
  }

 private:
  std::shared_ptr<RowFetch> fetch_;
  const std::vector<RowNumbers>& asks_;
  // Of every device that asks: the row of each id and the id's place, by row.
  std::map<std::int32_t, std::vector<std::pair<std::int64_t, std::int64_t>>> places_;
};

std::vector<RowRun> RowFetch::runs_of(const std::vector<RowNumbers>& asks) const {
  std::vector<RowRun> runs;
  for (const RowNumbers& ask : asks) runs.push_back({row_shape(ask.from), std::ssize(ask.numbers)});
  return runs;
}

base::Status RowFetch::begin_rows() {
  const std::int64_t element_bytes = synth::bytes_of(storage_.type(table_).element());
  std::vector<Incoming> incoming;
  std::vector<Outgoing> outgoing;
  for (const auto& [rank, asks] : mine_) {
    std::vector<RowPiece> pieces = row_pieces(runs_of(asks), element_bytes);
    if (pieces.empty()) continue;
    incoming.push_back({rank,
                        {},
                        std::make_shared<RowStream>(std::make_shared<Taker>(shared_from_this(), asks),
                                                    std::move(pieces), element_bytes, RowStream::Way::in)});
  }
  for (const auto& [rank, asks] : theirs_) {
    std::vector<RowPiece> pieces = row_pieces(runs_of(asks), element_bytes);
    if (pieces.empty()) continue;
    outgoing.push_back({rank,
                        {},
                        std::make_shared<RowStream>(std::make_shared<Giver>(shared_from_this(), asks),
                                                    std::move(pieces), element_bytes, RowStream::Way::out)});
  }
  return team_.begin_messages(incoming, outgoing);
}

Received RowFetch::received() const {
  Received received{0, std::vector<std::int64_t>(wanted_.size(), 0)};
  for (auto device = static_cast<std::int32_t>(block_.begin); device < block_.end; ++device) {
    const WantedRows& wanted = wanted_[static_cast<std::size_t>(device)];
    received.add(device, std::ssize(wanted.lacking) * row_bytes(static_cast<std::size_t>(device)));
    for (auto row = wanted.lacking.begin(); row != wanted.lacking.end();) {  // tile by tile of those that have some
      const std::int64_t tile = requests_.tile_of(*row);
      const auto end = std::lower_bound(row, wanted.lacking.end(), requests_.rows(tile).end);
      const std::int32_t source = requests_.source(device, tile);
      if (is_mine(source)) received.add(source, (end - row) * requests_.number_bytes());
      row = end;
    }
  }
  for (const auto& [rank, asks] : theirs_) {
    for (const RowNumbers& ask : asks) received.add(ask.to, std::ssize(ask.numbers) * requests_.number_bytes());
  }
  return received;
}

}  // namespace

base::Status Executor::run_take(const synth::Apply& apply, const StepPlan& plan) {
  if (!synth::takes_by_request(storage_.type(apply.operands[0]), storage_.type(apply.operands[1]),
                               storage_.type(apply.results[0])))
    return take_local(apply, plan);
  return on_host(apply, plan, [&] { return take_rows(apply); });
}

base::Status Executor::take_rows(const synth::Apply& apply) {
  const auto fetch = std::make_shared<RowFetch>(team_, storage_, apply);
  TESSERA_TRY_STATUS(on_devices(fetch->block(), work_of(storage_, apply), device_times(),
                                [&](std::size_t device) { return fetch->find_rows(device); }));
  if (stop_asked(world_.stop)) return base::make(base::Kind::interrupted);  // ids may be anything
  if (!team_.alone()) {
    TESSERA_TRY_STATUS(fetch->tell_numbers());
    TESSERA_TRY_STATUS(fetch->begin_rows());
  }
  TESSERA_TRY_STATUS(
      on_devices(fetch->block(), work_of(storage_, apply), device_times(), [&](std::size_t device) -> Failure {
        fetch->put_near_rows(device);
        return std::nullopt;
      }));
  if (!team_.alone()) TESSERA_TRY_STATUS(team_.await_messages());
  count_received(fetch->received());
  counts_apart_ = !team_.alone();
  return base::Done{};
}

}  // namespace tessera::runtime
