// Worked example: `take(t, i)` of f32[4096@x, 1024] and i64[1024@x] on x:4. Left as a sum, ids are gathered, each
// device has 1,024 rows, most of them zeros, and finishing them as [1024@x, 1024] brings every device 3 MiB. Fetched, a
// device gets the rows of its 256 ids, 1 MiB at most.
#include "typeck/layouts/fetching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "synth/moves/collective/deliveries.hpp"
#include "synth/moves/collective/line_deliveries.hpp"
#include "synth/moves/collective/requests.hpp"
#include "synth/moves/prices/delivery_cost.hpp"
#include "synth/moves/prices/request_cost.hpp"
#include "synth/verify/delivered.hpp"
#include "synth/verify/requested.hpp"
#include "typeck/layouts/dealing.hpp"
#include "typeck/layouts/records.hpp"

namespace tessera::typeck {

using synth::ArrayType;
using synth::AxisList;
using synth::Layout;

namespace {

// Ids in a layout, and the rows that they name; nothing where one axis would split ids and what is within a row.
std::optional<std::pair<ArrayType, ArrayType>> fetched_as(const ArrayType& table, const ArrayType& ids,
                                                          std::vector<AxisList> splits) {
  auto of_ids = Layout::make(ids.mesh(), splits);
  synth::Shape shape = ids.shape();
  for (std::size_t d = 1; d < table.rank(); ++d) {
    shape.push_back(table.shape()[d]);
    splits.push_back(table.layout().split(d));
  }
  auto of_rows = Layout::make(table.mesh(), std::move(splits));
  if (!of_ids.ok() || !of_rows.ok()) return std::nullopt;
  auto laid_out = ids.with_layout(std::move(of_ids).value());
  auto rows = ArrayType::make(table.element(), shape, table.mesh_ref(), std::move(of_rows).value());
  if (!laid_out.ok() || !rows.ok()) return std::nullopt;
  return std::pair(std::move(laid_out).value(), std::move(rows).value());
}

// The ids' first dimension split further over the axes of the table's rows, if it has a position for every tile.
std::vector<AxisList> split_as_rows(const ArrayType& table, const ArrayType& ids) {
  std::vector<AxisList> splits = ids.layout().splits();
  if (splits.empty()) return splits;
  const AxisList& rows = table.layout().split(0);
  splits[0].insert(splits[0].end(), rows.begin(), rows.end());
  return synth::shard_count(splits[0]) <= ids.shape()[0] ? splits : ids.layout().splits();
}

bool goes_along_lines(const std::vector<Operand>& operands, const NodeLayouts& layouts) {
  return synth::goes_along_lines(operands[0].type.rank(), operands[1].type.rank(), layouts.types.at(0).rank());
}

// Do these changes bring devices rows that others keep, of more than a small table?
bool gathers_much(const ArrayType& table, const Changes& changes) {
  if (changes.empty() || synth::array_bytes(table) <= kGatheredBytesMax) return false;
  return synth::copies(changes.back().to) > synth::copies(table);
}

// Devices that get rows look through the ids of all others, which of more devices and tiles than these takes long.
constexpr std::int64_t kGivenPairsMax = std::int64_t{1} << 24U;

bool are_few_givers(const ArrayType& ids) {
  return ids.devices() * synth::shard_count(ids.layout().split(0)) <= kGivenPairsMax;
}

// Every device lists the boxes that it gets, and a rank those of all devices.
constexpr std::int64_t kGivenBoxesMax = std::int64_t{1} << 20U;

bool are_few_boxes(const ArrayType& values, const ArrayType& ids, const ArrayType& result) {
  return !synth::adds_along_by_delivery(values, ids, result) ||
         synth::LineDeliveries(values, result).boxes_at_most() <= kGivenBoxesMax;
}

}  // namespace

std::int64_t bytes_of_requests(const ArrayType& table, const ArrayType& ids, const ArrayType& result) {
  if (!synth::takes_by_request(table, ids, result)) return 0;
  const synth::RowRequests requests(table);
  const std::int64_t bytes = synth::requested_bytes_at_most(requests, ids);
  const auto leader = [&](std::int32_t device) { return requests.leader(device); };
  const auto asked = [&](std::int32_t device, std::int64_t tile) { return requests.source(device, tile); };
  const auto fault = synth::fault_of_requests(table, ids, result, leader, asked, bytes);
  if (fault) throw base::InternalError(fmt::format("rows are not fetched right: {}", *fault));
  return bytes;
}

// As ids lie, split over the axes of the rows, and as the text wants the result.
std::vector<FetchingRule::Fetch> FetchingRule::ways(const ArrayType& table, const ArrayType& ids,
                                                    const Want& want) const {
  std::vector<Fetch> all;
  const auto add = [&](std::string description, std::vector<AxisList> splits) {
    auto types = fetched_as(table, ids, std::move(splits));
    if (!types.has_value()) return;
    const auto is_same = [&](const Fetch& other) { return other.ids.layout() == types->first.layout(); };
    if (std::ranges::any_of(all, is_same)) return;
    all.push_back({std::move(types->first), std::move(types->second), {}});
    all.back().price.description = std::move(description);
  };
  add("rows fetched, as the ids lie", ids.layout().splits());
  add("rows fetched, split as those of the table", split_as_rows(table, ids));
  if (want.fits(ids.rank() + table.rank() - 1, table.mesh())) {
    const std::vector<AxisList>& splits = want.layout->splits();
    add("rows fetched, as the annotation wants",
        {splits.begin(), splits.begin() + static_cast<std::ptrdiff_t>(ids.rank())});
  }
  return all;
}

bool FetchingRule::add_price_of(Fetch& fetch, const ArrayType& table, const ArrayType& ids, const Want& want) const {
  const auto machine = synth::machine_for(plans_.machine(), table.mesh().devices_end());
  const auto moved = price_of_change(plans_, ids, fetch.ids, span_, {});
  const auto after = price_of_change(plans_, fetch.result, fetch.result, span_, want);
  if (!machine.ok() || !moved.has_value() || !after.has_value()) return false;
  const synth::StepCost cost = synth::cost_of_requests(*machine, synth::RowRequests(table), fetch.ids);
  fetch.price.seconds = cost.seconds;
  fetch.price.received_bytes = cost.received_bytes_total;
  fetch.price.peak_bytes =
      synth::tile_bytes_max(table) + synth::tile_bytes_max(fetch.ids) + synth::tile_bytes_max(fetch.result);
  add_price(fetch.price, *moved);
  add_price(fetch.price, *after);
  return true;
}

// What is changed before, and what finishes the sum as the text wants it, or as rule 2 says.
std::optional<Alternative> FetchingRule::price_of_sum(const std::vector<Operand>& operands, const NodeLayouts& sum,
                                                      const Want& want) const {
  const ArrayType& result = sum.types.at(0);
  const bool is_wanted = want.fits(result.rank(), result.mesh());
  const ArrayType after = is_wanted || result.layout().pending().empty() ? result : finished_along(result);
  auto price = price_of_change(plans_, result, after, span_, want);
  if (!price.has_value()) return std::nullopt;
  price->description = "a sum over the devices that hold rows";
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const ArrayType* from = &operands[k].type;
    for (const Change& change : sum.uses[k]) {
      const auto own = price_of_change(plans_, *from, change.to, span_, {});
      if (!own.has_value()) return std::nullopt;
      add_price(*price, *own);
      from = &change.to;
    }
  }
  return price;
}

std::optional<NodeLayouts> FetchingRule::rows(const std::vector<Operand>& operands, NodeLayouts sum,
                                              const Want& want) const {
  NodeLayouts fetched{std::vector<Changes>(operands.size())};
  const bool wants_sum =
      want.is_summed || !want.written_pending.empty() || (want.layout.has_value() && !want.layout->pending().empty());
  if (wants_sum || goes_along_lines(operands, sum) || operands[0].type.layout().split(0).empty()) return sum;
  const auto table = greedy_.finish(operands[0], who_, span_, nullptr, fetched.uses[0]);
  const auto ids = greedy_.finish(operands[1], who_, span_, nullptr, fetched.uses[1]);
  auto of_sum = price_of_sum(operands, sum, want);
  if (!table.has_value() || !ids.has_value() || !of_sum.has_value()) return std::nullopt;
  std::vector<Alternative> compared = {std::move(*of_sum)};
  std::vector<Fetch> fetches = ways(*table, *ids, want);
  std::size_t chosen = 0;
  // Operands that are pending are finished first, which the sum's price has, too.
  const auto table_finished = price_of_change(plans_, operands[0].type, *table, span_, {});
  const auto ids_finished = price_of_change(plans_, operands[1].type, *ids, span_, {});
  if (!table_finished.has_value() || !ids_finished.has_value()) return std::nullopt;
  for (Fetch& fetch : fetches) {
    if (!add_price_of(fetch, *table, *ids, want)) return std::nullopt;
    add_price(fetch.price, *table_finished);
    add_price(fetch.price, *ids_finished);
    compared.push_back(fetch.price);
    if (cheaper(compared.back(), compared[chosen])) chosen = compared.size() - 1;
  }
  // A table is not gathered to save a launch.
  const bool gathers = gathers_much(operands[0].type, sum.uses[0]);
  for (std::size_t k = 1; gathers && k < compared.size(); ++k) {
    if (compared[k].received_bytes > compared[0].received_bytes) continue;
    if (chosen == 0 || cheaper(compared[k], compared[chosen])) chosen = k;
  }
  if (chosen == 0) return sum;
  compared[chosen].chosen = true;
  const Fetch& best = fetches[chosen - 1];
  Greedy::change(fetched.uses[1], *ids, best.ids, {Reason::Asker::operation, who_, span_, operands[0].span, compared});
  fetched.types.push_back(best.result);
  fetched.compared = std::move(compared);
  return fetched;
}

namespace {

std::int64_t bytes_of_line_deliveries(const ArrayType& values, const ArrayType& ids, const ArrayType& result) {
  const synth::LineDeliveries deliveries(values, result);
  const auto given = [&](std::int32_t device) {
    std::vector<synth::DeliveredBox> boxes;
    for (const synth::BoxCopy& copy : deliveries.boxes(device)) boxes.push_back({copy.source, copy.box});
    return boxes;
  };
  const std::int64_t moved = deliveries.values_at_most();
  const auto fault = synth::fault_of_line_deliveries(values, ids, result, given, moved);
  if (fault) throw base::InternalError(fmt::format("values are not delivered right: {}", *fault));
  return moved * deliveries.element_bytes();
}

}  // namespace

std::int64_t bytes_of_deliveries(const ArrayType& rows, const ArrayType& ids, const ArrayType& result) {
  if (synth::adds_along_by_delivery(rows, ids, result)) return bytes_of_line_deliveries(rows, ids, result);
  if (!synth::adds_rows_by_delivery(rows, ids, result)) return 0;
  const synth::RowDeliveries deliveries(ids, result);
  const std::int64_t bytes = synth::delivered_bytes_at_most(deliveries);
  const auto giver = [&](std::int32_t device, std::int64_t tile) { return deliveries.source(device, tile); };
  const auto leader = [&](std::int32_t device) { return deliveries.leader(device); };
  const auto fault = synth::fault_of_deliveries(rows, ids, result, leader, giver, bytes);
  if (fault) throw base::InternalError(fmt::format("rows are not delivered right: {}", *fault));
  return bytes;
}

// The result's rows split as wanted: what is added lies as it does, if it can be delivered, or on every device.
std::vector<FetchingRule::Added> FetchingRule::ways_to_add(const ArrayType& rows, const ArrayType& ids,
                                                           const ArrayType& result, const AxisList& wanted) const {
  std::vector<Added> all;
  const auto laid_out = [](const ArrayType& type, std::vector<AxisList> splits) -> base::Result<ArrayType> {
    TESSERA_TRY(layout, Layout::make(type.mesh(), std::move(splits)));
    return type.with_layout(std::move(layout));
  };
  const auto add = [&](std::string description, const std::vector<AxisList>& of_ids) {
    std::vector<AxisList> of_rows = rows.layout().splits();
    std::ranges::copy(of_ids, of_rows.begin());
    std::vector<AxisList> of_result = {wanted};
    of_result.insert(of_result.end(), of_rows.begin() + static_cast<std::ptrdiff_t>(ids.rank()), of_rows.end());
    auto own_rows = laid_out(rows, std::move(of_rows));
    auto own_ids = laid_out(ids, of_ids);
    auto own_result = laid_out(result, std::move(of_result));
    if (!own_rows.ok() || !own_ids.ok() || !own_result.ok()) return;
    all.push_back({std::move(own_rows).value(), std::move(own_ids).value(), std::move(own_result).value(), {}});
    all.back().price.description = std::move(description);
  };
  if (synth::may_deliver(ids) && are_few_givers(ids)) add("rows delivered", ids.layout().splits());
  add("all that is added on every device", std::vector<AxisList>(ids.rank()));
  return all;
}

// Along lines: values are delivered from where their ids lie; or what is added lies as the lines of the wanted result,
// whole in each of them.
std::vector<FetchingRule::Added> FetchingRule::ways_along(const ArrayType& rows, const ArrayType& ids,
                                                          const ArrayType& result, const Layout& wanted) {
  std::vector<Added> all;
  const auto add = [&](std::string description, const Layout& own) {
    auto own_rows = rows.with_layout(own);
    auto own_ids = ids.with_layout(own);
    auto own_result = result.with_layout(wanted);
    if (!own_rows.ok() || !own_ids.ok() || !own_result.ok()) return;
    Added way{std::move(own_rows).value(), std::move(own_ids).value(), std::move(own_result).value(), {}};
    const auto is_same = [&](const Added& other) { return other.rows.layout() == own; };
    if (std::ranges::any_of(all, is_same) || !are_few_boxes(way.rows, way.ids, way.result)) return;
    way.price.description = std::move(description);
    all.push_back(std::move(way));
  };
  std::vector<AxisList> of_lines = wanted.splits();
  of_lines.back().clear();
  auto whole = Layout::make(result.mesh(), std::move(of_lines));
  TESSERA_CHECK(whole.ok(), "a layout without a split is none");
  add("what is added on every device that has a part of its line", whole.value());
  for (const ArrayType* const giver : {&ids, &rows})
    add("values delivered to the parts of their line", giver->layout());
  return all;
}

bool FetchingRule::add_price_of(Added& way, const ArrayType& rows, const ArrayType& ids, const Want& want) const {
  const auto machine = synth::machine_for(plans_.machine(), rows.mesh().devices_end());
  const auto of_rows = price_of_change(plans_, rows, way.rows, span_, {});
  const auto of_ids = price_of_change(plans_, ids, way.ids, span_, {});
  const auto after = price_of_change(plans_, way.result, way.result, span_, want);
  if (!machine.ok() || !of_rows.has_value() || !of_ids.has_value() || !after.has_value()) return false;
  way.price.peak_bytes = synth::tile_bytes_max(way.rows) + synth::tile_bytes_max(way.result);
  if (synth::adds_by_delivery(way.rows, way.ids, way.result)) {
    const synth::StepCost cost = synth::cost_of_deliveries(*machine, way.rows, way.ids, way.result);
    way.price.seconds = cost.seconds;
    way.price.received_bytes = cost.received_bytes_total;
  }
  for (const auto& own : {of_rows, of_ids, after}) add_price(way.price, *own);
  return true;
}

std::optional<NodeLayouts> FetchingRule::added(const std::vector<Operand>& operands, NodeLayouts sum,
                                               const Want& want) const {
  const ArrayType& result = sum.types.at(0);
  const bool is_along = goes_along_lines(operands, sum);
  if (!want.fits(result.rank(), result.mesh()) || !want.layout->pending().empty()) return sum;
  if (is_along ? result.layout() == *want.layout : result.layout().pending().empty()) return sum;
  NodeLayouts given{std::vector<Changes>(operands.size())};
  const auto rows = greedy_.finish(operands[0], who_, span_, nullptr, given.uses[0]);
  const auto ids = greedy_.finish(operands[1], who_, span_, nullptr, given.uses[1]);
  auto of_sum = price_of_sum(operands, sum, want);
  if (!rows.has_value() || !ids.has_value() || !of_sum.has_value()) return std::nullopt;
  auto finished = price_of_change(plans_, operands[0].type, *rows, span_, {});
  const auto of_ids = price_of_change(plans_, operands[1].type, *ids, span_, {});
  if (!finished.has_value() || !of_ids.has_value()) return std::nullopt;
  add_price(*finished, *of_ids);
  std::vector<Added> ways = is_along ? ways_along(*rows, *ids, result, *want.layout)
                                     : ways_to_add(*rows, *ids, result, want.layout->split(0));
  std::vector<Alternative> compared = {std::move(*of_sum)};
  std::size_t chosen = 0;
  for (Added& way : ways) {
    if (!add_price_of(way, *rows, *ids, want)) return std::nullopt;
    add_price(way.price, *finished);
    compared.push_back(way.price);
    if (cheaper(compared.back(), compared[chosen])) chosen = compared.size() - 1;
  }
  if (chosen == 0) return sum;
  compared[chosen].chosen = true;
  const Added& best = ways[chosen - 1];
  const Reason why{Reason::Asker::operation, who_, span_, {}, compared};
  Greedy::change(given.uses[0], *rows, best.rows, why);
  Greedy::change(given.uses[1], *ids, best.ids, why);
  given.types.push_back(best.result);
  given.compared = std::move(compared);
  return given;
}

}  // namespace tessera::typeck
