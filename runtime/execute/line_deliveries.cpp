// Elements that a scatter_add delivers along lines. Every device gives the others what its ids name in their parts of
// the lines; they add in the order of each line's ids. How many move is known only here, and ranks tell each other
// first.
#include "synth/moves/collective/line_deliveries.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/engine/failures.hpp"
#include "runtime/engine/host/devices.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/kernels/take.hpp"
#include "runtime/memory/boxes.hpp"
#include "runtime/transfers/row_numbers.hpp"

namespace tessera::runtime {

namespace {

class LineDelivery {
 public:
  LineDelivery(Team& team, const Storage& storage, const synth::Apply& apply)
      : team_(team),
        storage_(storage),
        values_(apply.operands[0]),
        ids_(apply.operands[1]),
        result_(apply.results[0]),
        deliveries_(storage.type(values_), storage.type(result_)),
        received_{0, std::vector<std::int64_t>(static_cast<std::size_t>(storage.devices(result_)), 0)} {}

  const Block& block() const { return block_; }

  Failure check_ids(std::size_t device) const {
    std::vector<std::int64_t> places;
    const auto bad = read_rows(storage_.view(ids_, device), line(), places);
    if (bad) return outside_of_sums(bad->id, storage_.type(result_).shape()[0]);
    return std::nullopt;
  }
  // Elements on their way between ranks: their places, then themselves.
  base::Status bring();
  void add(std::size_t device);
  // What devices of this rank receive.
  Received received() const {
    Received all = received_;
    for (const std::int64_t bytes : all.by_device) all.bytes += bytes;
    return all;
  }

 private:
  bool is_mine(std::int32_t device) const { return block_.holds(device); }
  int owner(std::int32_t device) const { return storage_.owner(result_, static_cast<std::size_t>(device)); }
  std::int64_t line() const { return storage_.type(result_).shape().back(); }
  std::int64_t element_bytes() const { return synth::bytes_of(storage_.type(result_).element()); }
  TileView part(synth::RegisterId array, const synth::BoxCopy& copy) const {
    const auto source = static_cast<std::size_t>(copy.source);
    return part_in(storage_.view(array, source), storage_.tiles(array).boxes[source], SteppedBox{copy.box, {}});
  }
  // The places that the ids of a box name, in its row-major order.
  std::vector<std::int64_t> places_of(const synth::BoxCopy& copy) const {
    std::vector<std::int64_t> places;
    const auto bad = read_rows(part(ids_, copy), line(), places);
    TESSERA_CHECK(!bad, "ids have been looked at");
    return places;
  }
  synth::Box lines_of(const synth::BoxCopy& copy) const {
    synth::Box lines = copy.box;
    lines.back() = storage_.tiles(result_).boxes[static_cast<std::size_t>(copy.target)].back();
    return lines;
  }
  void give(const synth::BoxCopy& copy);
  base::Status bring_values();

  Team& team_;
  const Storage& storage_;
  synth::RegisterId values_, ids_, result_;
  synth::LineDeliveries deliveries_;
  Block block_ = storage_.block(result_);
  NumbersByRank given_;                                     // by the rank that gets them, a list for each box
  NumbersByRank taken_;                                     // by the rank that gives them
  std::map<int, std::vector<std::byte>> sent_;              // their elements, one list behind the other
  std::map<int, std::span<std::byte>> come_;                // likewise
  std::map<std::int32_t, std::vector<std::size_t>> lists_;  // of a device: which of its ranks' lists its boxes are
  std::map<int, std::vector<std::int64_t>> begins_;         // of each list that is taken, among the rank's elements
  Received received_;                                       // by device alone
};

// Elements of a box that lie in the target's part of the lines: the number of their place in its tile, and their bytes.
void LineDelivery::give(const synth::BoxCopy& copy) {
  const synth::Box& tile = storage_.tiles(result_).boxes[static_cast<std::size_t>(copy.target)];
  const TileView values = part(values_, copy);
  const std::vector<std::int64_t> places = places_of(copy);
  RowNumbers list{copy.source, copy.target};
  std::vector<std::byte>& bytes = sent_[owner(copy.target)];
  const std::int64_t element = element_bytes();
  const std::int64_t length = copy.box.back().length();
  for (std::int64_t i = 0; i < std::ssize(places); ++i) {
    const std::int64_t place = places[static_cast<std::size_t>(i)];
    if (place < tile.back().begin || place >= tile.back().end) continue;
    std::int64_t number = 0;                                 // of the line in the target's tile
    std::int64_t from = i % length * values.strides.back();  // of the element in the view
    std::int64_t rest = i / length;
    std::int64_t apart = 1;
    for (std::size_t d = copy.box.size() - 1; d-- > 0; rest /= values.shape[d]) {
      const std::int64_t at = rest % values.shape[d];
      number += (copy.box[d].begin - tile[d].begin + at) * apart;
      apart *= tile[d].length();
      from += at * values.strides[d];
    }
    list.numbers.push_back(number * tile.back().length() + place - tile.back().begin);
    const std::byte* const value = values.data + from * element;
    bytes.insert(bytes.end(), value, value + element);
  }
  given_[owner(copy.target)].push_back(std::move(list));
}

// Both ranks have their lists by the device that gets them, then in the order of its boxes.
base::Status LineDelivery::bring() {
  for (std::int32_t target = 0; target < deliveries_.result().devices(); ++target) {
    for (const synth::BoxCopy& copy : deliveries_.boxes(target)) {
      const bool gives = is_mine(copy.source);
      if (gives == is_mine(target)) continue;
      if (gives) {
        give(copy);
        continue;
      }
      std::vector<RowNumbers>& lists = taken_[owner(copy.source)];
      lists_[target].push_back(lists.size());
      lists.push_back({copy.source, target});
    }
  }
  TESSERA_TRY_STATUS(exchange_numbers(team_, given_, taken_, deliveries_.number_bytes()));
  return bring_values();
}

base::Status LineDelivery::bring_values() {
  std::vector<Incoming> incoming;
  std::vector<Outgoing> outgoing;
  for (const auto& [rank, bytes] : sent_) {
    if (bytes.empty()) continue;
    const std::span<std::byte> room = team_.room(std::ssize(bytes));
    std::memcpy(room.data(), bytes.data(), bytes.size());
    outgoing.push_back({rank, room});
  }
  for (const auto& [rank, lists] : taken_) {
    std::int64_t count = 0;
    for (const RowNumbers& list : lists) {
      begins_[rank].push_back(count);
      count += std::ssize(list.numbers);
    }
    if (count == 0) continue;
    come_[rank] = team_.room(count * element_bytes());
    incoming.push_back({rank, come_[rank]});
  }
  TESSERA_TRY_STATUS(team_.begin_messages(incoming, outgoing));
  return team_.await_messages();
}

void LineDelivery::add(std::size_t device) {
  const auto target = static_cast<std::int32_t>(device);
  const TileOut out = storage_.out(result_, device);
  const synth::Box& tile = storage_.tiles(result_).boxes[device];
  fill_zeros(out);
  std::int64_t elements = 0;
  std::size_t far = 0;
  for (const synth::BoxCopy& copy : deliveries_.boxes(target)) {
    if (is_mine(copy.source)) {
      const std::vector<std::int64_t> places = places_of(copy);
      add_along(part(values_, copy), places, tile.back(), target_part(out, tile, lines_of(copy)));
      const auto has = [&](std::int64_t place) { return place >= tile.back().begin && place < tile.back().end; };
      if (copy.source != target) elements += std::ranges::count_if(places, has);
      continue;
    }
    const int rank = owner(copy.source);
    const std::size_t list = lists_.at(target)[far++];
    const std::vector<std::int64_t>& numbers = taken_.at(rank)[list].numbers;
    elements += std::ssize(numbers);
    if (numbers.empty()) continue;
    add_elements(come_.at(rank).data() + begins_.at(rank)[list] * element_bytes(), numbers, out);
  }
  received_.by_device[device] = elements * deliveries_.element_bytes();
}

}  // namespace

base::Status Executor::add_delivered_elements(const synth::Apply& apply) {
  const auto delivery = std::make_shared<LineDelivery>(team_, storage_, apply);
  TESSERA_TRY_STATUS(on_devices(delivery->block(), work_of(storage_, apply), device_times(),
                                [&](std::size_t device) { return delivery->check_ids(device); }));
  if (stop_asked(world_.stop)) return base::make(base::Kind::interrupted);  // ids may be anything
  if (!team_.alone()) TESSERA_TRY_STATUS(delivery->bring());
  TESSERA_TRY_STATUS(
      on_devices(delivery->block(), work_of(storage_, apply), device_times(), [&](std::size_t device) -> Failure {
        delivery->add(device);
        return std::nullopt;
      }));
  count_received(delivery->received());
  counts_apart_ = !team_.alone();
  return base::Done{};
}

}  // namespace tessera::runtime
