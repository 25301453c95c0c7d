// Rows that a scatter_add delivers to the devices that have their sums. Every device gives the others what its ids name
// in their tiles; an owner adds in the order of all ids. How many move is known only here, and ranks tell each other
// first.
#include "synth/moves/collective/deliveries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/engine/failures.hpp"
#include "runtime/engine/host/devices.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/take.hpp"
#include "runtime/kinds.hpp"
#include "runtime/memory/boxes.hpp"
#include "runtime/transfers/row_numbers.hpp"
#include "runtime/transfers/row_stream.hpp"

namespace tessera::runtime {

namespace {

// Tiles of ids are delivered together as far as that brings no device more bytes than this; else one after the other.
constexpr std::int64_t kDeliveredAtOnce = std::int64_t{16} << 20U;

class RowDelivery : public std::enable_shared_from_this<RowDelivery> {
 public:
  RowDelivery(Team& team, const Storage& storage, const synth::Apply& apply)
      : team_(team),
        storage_(storage),
        rows_(apply.operands[0]),
        ids_(apply.operands[1]),
        result_(apply.results[0]),
        deliveries_(storage.type(ids_), storage.type(result_)),
        named_(static_cast<std::size_t>(storage.devices(result_))) {}

  const Block& block() const { return block_; }

  Failure find_rows(std::size_t device) {
    const std::int64_t extent = storage_.type(result_).shape()[0];
    const auto bad = read_rows(storage_.view(ids_, device), extent, named_[device]);
    if (bad) return outside_of_sums(bad->id, extent);
    return std::nullopt;
  }
  base::Status tell_numbers();
  // Tiles of ids, from one to before another, that are delivered together.
  std::vector<synth::Interval> rounds() const;
  base::Status bring_rows(const synth::Interval& tiles);
  void add(std::size_t device, const synth::Interval& tiles) const;
  // What devices of this rank receive.
  Received received() const;

 private:
  class End;

  bool is_mine(std::int32_t device) const { return block_.holds(device); }
  int owner(std::int32_t device) const { return storage_.owner(result_, static_cast<std::size_t>(device)); }
  std::int64_t row_bytes(std::int32_t device) const { return deliveries_.row_bytes(device); }
  const synth::Interval& rows_of(std::int32_t device) const {
    return storage_.tiles(result_).boxes[static_cast<std::size_t>(device)][0];
  }
  bool has(std::int32_t device, std::int64_t row) const {
    return row >= rows_of(device).begin && row < rows_of(device).end;
  }
  synth::Shape row_shape(std::int32_t device) const {
    const synth::Shape tile = synth::shape_of(storage_.tiles(result_).boxes[static_cast<std::size_t>(device)]);
    return {tile.begin() + 1, tile.end()};
  }
  synth::ElementType element() const { return storage_.type(result_).element(); }
  void give(std::int32_t source, std::int32_t target);
  // Where they have begun or end, in these tiles.
  std::vector<RowPiece> pieces_of(const std::vector<RowNumbers>& lists, const synth::Interval& tiles) const;
  std::shared_ptr<RowStream> stream(int rank, const std::vector<RowNumbers>& lists, const synth::Interval& tiles,
                                    RowStream::Way way);

  Team& team_;
  const Storage& storage_;
  synth::RegisterId rows_, ids_, result_;
  synth::RowDeliveries deliveries_;
  Block block_ = storage_.block(result_);
  std::vector<std::vector<std::int64_t>> named_;                  // of every device of this rank the row of each id
  NumbersByRank given_;                                           // by the rank that gets them
  NumbersByRank taken_;                                           // by the rank that gives them
  std::map<int, std::vector<std::vector<std::int64_t>>> places_;  // of each number given: its id in the source's tile
  std::map<int, std::vector<std::vector<std::byte>>> come_;       // rows of each list that is taken
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> taken_at_;  // by both devices, the list in taken_
};

void RowDelivery::give(std::int32_t source, std::int32_t target) {
  RowNumbers list{source, target};
  std::vector<std::int64_t> places;
  const std::vector<std::int64_t>& rows = named_[static_cast<std::size_t>(source)];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!has(target, rows[i])) continue;
    list.numbers.push_back(rows[i]);
    places.push_back(static_cast<std::int64_t>(i));
  }
  given_[owner(target)].push_back(std::move(list));
  places_[owner(target)].push_back(std::move(places));
}

// Both ranks have their lists by tile of the ids, then by the device that gets them.
base::Status RowDelivery::tell_numbers() {
  std::vector<std::tuple<std::int64_t, std::int32_t, std::int32_t>> all;  // tile, target, source
  for (auto device = static_cast<std::int32_t>(block_.begin); device < block_.end; ++device) {
    if (row_bytes(device) == 0) continue;
    for (const std::int32_t target : deliveries_.targets(device))
      if (!is_mine(target)) all.emplace_back(deliveries_.own_tile(device), target, device);
    for (std::int64_t tile = 0; tile < deliveries_.tiles(); ++tile) {
      const std::int32_t source = deliveries_.source(device, tile);
      if (!is_mine(source)) all.emplace_back(tile, device, source);
    }
  }
  std::ranges::sort(all);
  for (const auto& [tile, target, source] : all) {
    if (is_mine(source)) {
      give(source, target);
      continue;
    }
    std::vector<RowNumbers>& lists = taken_[owner(source)];
    taken_at_[{source, target}] = lists.size();
    lists.push_back({source, target});
  }
  for (const auto& [rank, lists] : taken_) come_[rank].resize(lists.size());
  return exchange_numbers(team_, given_, taken_, deliveries_.number_bytes());
}

std::vector<synth::Interval> RowDelivery::rounds() const {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(deliveries_.tiles()), 0);  // the most of a tile's devices
  for (std::size_t device = 0; device < named_.size(); ++device) {
    std::int64_t& most = bytes[static_cast<std::size_t>(deliveries_.own_tile(static_cast<std::int32_t>(device)))];
    most = std::max(most, storage_.tiles(rows_).bytes[device]);
  }
  std::vector<synth::Interval> all;
  std::int64_t together = 0;
  for (std::int64_t tile = 0; tile < deliveries_.tiles(); ++tile) {
    together += bytes[static_cast<std::size_t>(tile)];
    if (all.empty() || together > kDeliveredAtOnce) {
      all.push_back({tile, tile});
      together = bytes[static_cast<std::size_t>(tile)];
    }
    all.back().end = tile + 1;
  }
  return all;
}

// One end of a message: rows are packed from a device's tile, or put one behind the other as they come.
class RowDelivery::End final : public RowsEnd {
 public:
  End(std::shared_ptr<RowDelivery> delivery, int rank, const std::vector<RowNumbers>& lists)
      : delivery_(std::move(delivery)), rank_(rank), lists_(lists) {}
  void pack(const RowPiece& piece, std::byte* at) override {
    const auto source = static_cast<std::size_t>(lists_[piece.run].from);
    const TileView tile = delivery_->storage_.view(delivery_->rows_, source);
    const std::vector<std::int64_t>& places = delivery_->places_.at(rank_)[piece.run];
    const std::int64_t bytes = synth::elements(piece.box) * synth::bytes_of(tile.element);
    for (std::int64_t k = piece.first; k < piece.end; ++k, at += bytes)
      pack_row(tile, places[static_cast<std::size_t>(k)], piece.box, at);
  }
  void unpack(const RowPiece& piece, const std::byte* at) override {
    const std::int32_t device = lists_[piece.run].to;
    std::byte* const rows = delivery_->come_.at(rank_)[piece.run].data();
    const synth::Shape row = delivery_->row_shape(device);
    const std::int64_t bytes = synth::elements(piece.box) * synth::bytes_of(delivery_->element());
    for (std::int64_t k = piece.first; k < piece.end; ++k, at += bytes) {
      const TileOut target{delivery_->element(), row, rows + k * delivery_->row_bytes(device)};
      copy_elements(dense_view(target.element, synth::shape_of(piece.box), at),
                    target_part(target, synth::whole(row), piece.box));
    }
  }

 private:
  // Elements of the row at this place among the ids of the tile, whose first dimensions are those of the ids.
  void pack_row(const TileView& tile, std::int64_t place, const synth::Box& box, std::byte* at) const {
    const std::size_t of_ids = tile.shape.size() - box.size();
    TileView row{tile.element, {}, {}, tile.data};
    for (std::size_t d = of_ids; d-- > 0; place /= tile.shape[d])
      row.data += place % tile.shape[d] * tile.strides[d] * synth::bytes_of(tile.element);
    for (std::size_t d = of_ids; d < tile.shape.size(); ++d) {
      row.shape.push_back(box[d - of_ids].length());
      row.strides.push_back(tile.strides[d]);
      row.data += box[d - of_ids].begin * tile.strides[d] * synth::bytes_of(tile.element);
    }
    copy_elements(row, TileOut{row.element, row.shape, at});
  }

  std::shared_ptr<RowDelivery> delivery_;
  int rank_;
  const std::vector<RowNumbers>& lists_;
};

std::vector<RowPiece> RowDelivery::pieces_of(const std::vector<RowNumbers>& lists, const synth::Interval& tiles) const {
  std::vector<RowRun> runs;
  for (const RowNumbers& list : lists) {
    const std::int64_t tile = deliveries_.own_tile(list.from);
    const bool is_now = tile >= tiles.begin && tile < tiles.end;
    runs.push_back({row_shape(list.to), is_now ? std::ssize(list.numbers) : 0});
  }
  return row_pieces(runs, synth::bytes_of(element()));
}

std::shared_ptr<RowStream> RowDelivery::stream(int rank, const std::vector<RowNumbers>& lists,
                                               const synth::Interval& tiles, RowStream::Way way) {
  std::vector<RowPiece> pieces = pieces_of(lists, tiles);
  if (pieces.empty()) return nullptr;
  return std::make_shared<RowStream>(std::make_shared<End>(shared_from_this(), rank, lists), std::move(pieces),
                                     synth::bytes_of(element()), way);
}

base::Status RowDelivery::bring_rows(const synth::Interval& tiles) {
  std::vector<Incoming> incoming;
  std::vector<Outgoing> outgoing;
  for (const auto& [rank, lists] : taken_) {
    for (std::size_t k = 0; k < lists.size(); ++k) {
      const std::int64_t tile = deliveries_.own_tile(lists[k].from);
      const bool is_now = tile >= tiles.begin && tile < tiles.end;
      const std::int64_t bytes = is_now ? std::ssize(lists[k].numbers) * row_bytes(lists[k].to) : 0;
      come_[rank][k] = std::vector<std::byte>(static_cast<std::size_t>(bytes));
    }
    if (auto in = stream(rank, lists, tiles, RowStream::Way::in)) incoming.push_back({rank, {}, std::move(in)});
  }
  for (const auto& [rank, lists] : given_) {
    if (auto out = stream(rank, lists, tiles, RowStream::Way::out)) outgoing.push_back({rank, {}, std::move(out)});
  }
  TESSERA_TRY_STATUS(team_.begin_messages(incoming, outgoing));
  return team_.await_messages();
}

void RowDelivery::add(std::size_t device, const synth::Interval& tiles) const {
  const auto number = static_cast<std::int32_t>(device);
  const TileOut out = storage_.out(result_, device);
  if (tiles.begin == 0) fill_zeros(out);
  if (row_bytes(number) == 0) return;
  for (std::int64_t tile = tiles.begin; tile < tiles.end; ++tile) {
    const std::int32_t source = deliveries_.source(number, tile);
    if (is_mine(source)) {
      const auto at = static_cast<std::size_t>(source);
      add_rows(storage_.view(rows_, at), named_[at], rows_of(number).begin, out);
      continue;
    }
    const std::size_t at = taken_at_.at({source, number});
    const RowNumbers& list = taken_.at(owner(source))[at];
    synth::Shape shape = {std::ssize(list.numbers)};
    for (const std::int64_t extent : row_shape(number)) shape.push_back(extent);
    add_rows(dense_view(element(), shape, come_.at(owner(source))[at].data()), list.numbers, rows_of(number).begin,
             out);
  }
}

Received RowDelivery::received() const {
  Received all{0, std::vector<std::int64_t>(named_.size(), 0)};
  const auto add = [&](std::int32_t device, std::int64_t rows) {
    all.add(device, rows * (deliveries_.number_bytes() + row_bytes(device)));
  };
  for (auto device = static_cast<std::int32_t>(block_.begin); device < block_.end; ++device) {
    if (row_bytes(device) == 0) continue;
    for (std::int64_t tile = 0; tile < deliveries_.tiles(); ++tile) {
      const std::int32_t source = deliveries_.source(device, tile);
      if (source == device || !is_mine(source)) continue;
      add(device, std::ranges::count_if(named_[static_cast<std::size_t>(source)],
                                        [&](std::int64_t row) { return has(device, row); }));
    }
  }
  for (const auto& [rank, lists] : taken_) {
    for (const RowNumbers& list : lists) add(list.to, std::ssize(list.numbers));
  }
  return all;
}

}  // namespace

base::Status Executor::run_scatter_add(const synth::Apply& apply, const StepPlan& plan) {
  if (!synth::adds_by_delivery(storage_.type(apply.operands[0]), storage_.type(apply.operands[1]),
                               storage_.type(apply.results[0])))
    return take_local(apply, plan);
  const bool is_along = !synth::adds_rows_by_delivery(
      storage_.type(apply.operands[0]), storage_.type(apply.operands[1]), storage_.type(apply.results[0]));
  return on_host(apply, plan, [&] { return is_along ? add_delivered_elements(apply) : add_delivered_rows(apply); });
}

base::Status Executor::add_delivered_rows(const synth::Apply& apply) {
  const auto delivery = std::make_shared<RowDelivery>(team_, storage_, apply);
  TESSERA_TRY_STATUS(on_devices(delivery->block(), work_of(storage_, apply), device_times(),
                                [&](std::size_t device) { return delivery->find_rows(device); }));
  if (stop_asked(world_.stop)) return base::make(base::Kind::interrupted);  // ids may be anything
  if (!team_.alone()) TESSERA_TRY_STATUS(delivery->tell_numbers());
  for (const synth::Interval& tiles : delivery->rounds()) {
    if (!team_.alone()) TESSERA_TRY_STATUS(delivery->bring_rows(tiles));
    const auto add = [&](std::size_t device) -> Failure {
      delivery->add(device, tiles);
      return std::nullopt;
    };
    TESSERA_TRY_STATUS(on_devices(delivery->block(), work_of(storage_, apply), device_times(), add));
  }
  count_received(delivery->received());
  counts_apart_ = !team_.alone();
  return base::Done{};
}

}  // namespace tessera::runtime
