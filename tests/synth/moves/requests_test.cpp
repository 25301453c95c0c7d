// Rows that devices fetch by request: from a device that has them, no more than they lack, and every wrong request
// refused.
#include "synth/moves/collective/requests.hpp"

#include <array>
#include <map>
#include <set>

#include "synth/moves/collective/deliveries.hpp"
#include "synth/moves/prices/delivery_cost.hpp"
#include "synth/moves/prices/request_cost.hpp"
#include "synth/verify/delivered.hpp"
#include "synth/verify/requested.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/random_layouts.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

TEST(ExampleOf, Requests) {
  const RowRequests requests(type("f32[9@x, 2]", "x:2"));
  EXPECT_EQ(requests.rows(0), (Interval{0, 4}));
  EXPECT_EQ(requests.rows(1), (Interval{4, 9}));
  EXPECT_EQ(requests.tile_of(7), 1);
  EXPECT_EQ(requests.source(0, 1), 1);
  EXPECT_EQ(requests.leader(1), 0);
  EXPECT_EQ(requested_bytes_at_most(requests, type("i64[4@x]", "x:2")), 4 * 4 + 4 * 8);
}

TEST(ExampleOf, Requested) {
  const ArrayType table = type("f32[4@x, 6@y]", "x:2,y:2");
  const ArrayType ids = type("i64[4]", "x:2,y:2");
  const ArrayType result = type("f32[4, 6@y]", "x:2,y:2");
  const RowRequests requests(table);
  const auto leader = [&](std::int32_t device) { return requests.leader(device); };
  const auto fault = [&](std::int32_t of_device_0) {
    const auto asked = [&](std::int32_t device, std::int64_t tile) {
      return device == 0 && tile == 1 ? of_device_0 : requests.source(device, tile);
    };
    return fault_of_requests(table, ids, result, leader, asked, requested_bytes_at_most(requests, ids)).value_or("");
  };
  EXPECT_EQ(fault(2), "");
  EXPECT_EQ(fault(3), "device 0: device 3 has other columns");
  EXPECT_EQ(fault(1), "device 0: device 1 has other rows");
}

TEST(ExampleOf, RequestCost) {
  const RunMachine machine = on_run({{{"device", 2, 1e9, 1e-6}}});
  const StepCost cost = cost_of_requests(machine, RowRequests(type("f32[8@x, 100]", "x:2")), type("i64[4@x]", "x:2"));
  EXPECT_EQ(cost.received_bytes_total, 2 * (2 * 4 + 2 * 400));
  EXPECT_EQ(cost.received_bytes_max, 2 * 4 + 2 * 400);
  EXPECT_NEAR(cost.seconds, 2e-6 + 808e-9, 1e-12);
}

// Of a table with fewer rows than ids a device lacks no more than there are.
TEST(Requests, AreNoMoreThanThereAreRows) {
  const ArrayType ids = type("i64[1000@x]", "x:4");
  EXPECT_EQ(requested_bytes_at_most(RowRequests(type("f32[8@x, 3]", "x:4")), ids), 4 * 6 * (4 + 12));
  EXPECT_EQ(requested_bytes_at_most(RowRequests(type("f32[8@x, 0]", "x:4")), ids), 0);
  EXPECT_EQ(requested_bytes_at_most(RowRequests(type("f32[8@x]", "x:4")), type("i64[0@x]", "x:4")), 0);
}

// The numbers of 2^31 rows and more take 8 bytes.
TEST(Requests, HaveNumbersThatHoldEveryRow) {
  EXPECT_EQ(RowRequests(type("bool[2147483647@x]", "x:2")).number_bytes(), 4);
  EXPECT_EQ(RowRequests(type("bool[2147483648@x]", "x:2")).number_bytes(), 8);
}

struct Taking {
  ArrayType table;
  ArrayType ids;
  ArrayType result;
};

// A table whose rows are split, ids in any layout that goes with its columns.
std::optional<Taking> random_taking(Random& random) {
  const MeshRef on =
      mesh(std::array{"x:4,y:2", "x:3", "x:2,y:3", "x:2,y:2,z:2", "x:3 work(1,3,2),y:2"}[random.below(5)]);
  Shape shape;
  for (std::size_t d = 0; d <= random.below(3); ++d) shape.push_back(static_cast<std::int64_t>(1 + random.below(9)));
  Shape of_ids;
  for (std::size_t d = random.below(3); d > 0; --d) of_ids.push_back(static_cast<std::int64_t>(random.below(9)));
  const auto table = ArrayType::make(ElementType::f32, shape, on, any_layout(*on, shape.size(), false, random));
  const auto ids = ArrayType::make(ElementType::i64, of_ids, on, any_layout(*on, of_ids.size(), false, random));
  if (!table.ok() || !ids.ok() || table->layout().split(0).empty()) return std::nullopt;
  std::vector<AxisList> splits = ids->layout().splits();
  for (std::size_t d = 1; d < shape.size(); ++d) {
    of_ids.push_back(shape[d]);
    splits.push_back(table->layout().split(d));
  }
  auto layout = Layout::make(*on, splits);
  if (!layout.ok()) return std::nullopt;
  return Taking{*table, *ids, *ArrayType::make(ElementType::f32, of_ids, on, *layout)};
}

// Who leads each device's group, and whom each group asks.
struct Asked {
  std::vector<std::int32_t> leaders;
  std::map<std::pair<std::int32_t, std::int64_t>, std::int32_t> sources;

  // Of a leader that leads nobody there is none.
  std::int32_t source(std::int32_t leader, std::int64_t tile) const {
    const auto known = sources.find({leader, tile});
    return known == sources.end() ? -1 : known->second;
  }
  std::int32_t of(std::int32_t device, std::int64_t tile) const {
    return source(leaders.at(static_cast<std::size_t>(device)), tile);
  }
};

template <class Groups>
Asked asked_of(const Groups& groups, std::int64_t devices) {
  Asked all;
  for (std::int32_t device = 0; device < devices; ++device) {
    const std::int32_t leader = groups.leader(device);
    all.leaders.push_back(leader);
    for (std::int64_t tile = 0; tile < groups.tiles(); ++tile)
      all.sources[{leader, tile}] = groups.source(device, tile);
  }
  return all;
}

// Another source, or another leader.
void spoil(Asked& asked, Random& random) {
  const std::size_t devices = asked.leaders.size();
  const auto other = static_cast<std::int32_t>(random.below(devices + 2)) - 1;
  if (random.below(4) == 0) {
    asked.leaders[random.below(devices)] = other;
  } else {
    std::next(asked.sources.begin(), static_cast<std::ptrdiff_t>(random.below(asked.sources.size())))->second = other;
  }
}

// Does every device that asks get each row, in its own columns, and nobody ask for what it has? Row by row.
bool come_right(const Taking& taking, const RowRequests& requests, const Asked& asked) {
  for (std::int32_t device = 0; device < taking.table.devices(); ++device) {
    const Box own = tile(taking.table, device);
    for (std::int64_t row = 0; row < taking.table.shape()[0]; ++row) {
      const std::int32_t source = asked.of(device, requests.tile_of(row));
      if (source < 0 || source >= taking.table.devices()) return false;
      Box held = tile(taking.table, source);
      if (row < held[0].begin || row >= held[0].end) return false;
      const bool has_it = row >= own[0].begin && row < own[0].end;
      if (has_it && source != device) return false;
      held[0] = own[0];
      if (held != own) return false;
    }
  }
  return true;
}

TEST(Requests, BringEveryRowAndWrongOnesAreRefused) {
  Random random(11);
  int refused = 0;
  int taken = 0;
  while (refused < 1000) {
    const auto taking = random_taking(random);
    if (!taking.has_value()) continue;
    const RowRequests requests(taking->table);
    const auto fault_of = [&](const Asked& asked, std::int64_t more_bytes) {
      return fault_of_requests(
          taking->table, taking->ids, taking->result,
          [&](std::int32_t device) { return asked.leaders.at(static_cast<std::size_t>(device)); },
          [&](std::int32_t leader, std::int64_t tile) { return asked.source(leader, tile); },
          requested_bytes_at_most(requests, taking->ids) + more_bytes);
    };
    Asked asked = asked_of(requests, taking->table.devices());
    ASSERT_TRUE(come_right(*taking, requests, asked)) << print(taking->table);
    ASSERT_EQ(fault_of(asked, 0), std::nullopt) << print(taking->table);
    EXPECT_TRUE(fault_of(asked, 4).has_value());
    spoil(asked, random);
    const auto fault = fault_of(asked, 0);
    ASSERT_TRUE(fault.has_value() || come_right(*taking, requests, asked)) << print(taking->table);
    ++(fault ? refused : taken);
  }
  EXPECT_GE(taken, 50);
}

TEST(ExampleOf, Deliveries) {
  const RowDeliveries deliveries(type("i64[4@x]", "x:2"), type("f32[9@x, 2]", "x:2"));
  EXPECT_EQ(deliveries.tiles(), 2);
  EXPECT_EQ(deliveries.source(1, 0), 0);
  EXPECT_EQ(deliveries.targets(0), (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(delivered_bytes_at_most(deliveries), 4 * 4 + 4 * 8);
}

TEST(ExampleOf, Delivered) {
  const ArrayType rows = type("f32[4@x, 6@y]", "x:2,y:2");
  const ArrayType ids = type("i64[4@x]", "x:2,y:2");
  const ArrayType result = type("f32[8@x, 6@y]", "x:2,y:2");
  const RowDeliveries deliveries(ids, result);
  const auto leader = [&](std::int32_t device) { return deliveries.leader(device); };
  const auto fault = [&](std::int32_t of_device_0) {
    const auto giver = [&](std::int32_t device, std::int64_t tile) {
      return device == 0 && tile == 1 ? of_device_0 : deliveries.source(device, tile);
    };
    return fault_of_deliveries(rows, ids, result, leader, giver, delivered_bytes_at_most(deliveries)).value_or("");
  };
  EXPECT_EQ(fault(2), "");
  EXPECT_EQ(fault(3), "device 0: device 3 has other columns");
  EXPECT_EQ(fault(1), "device 0: device 1 has other ids");
}

TEST(ExampleOf, DeliveryCost) {
  const RunMachine machine = on_run({{{"device", 2, 1e9, 1e-6}}});
  const StepCost cost =
      cost_of_deliveries(machine, RowDeliveries(type("i64[4@x]", "x:2"), type("f32[8@x, 100]", "x:2")));
  EXPECT_EQ(cost.received_bytes_total, 4 * (4 + 400));
  EXPECT_EQ(cost.received_bytes_max, 4 + 400);
  EXPECT_NEAR(cost.seconds, 2e-6 + 404e-9, 1e-12);
}

// Ids, rows and sums in any layouts that go together.
struct Delivering {
  ArrayType rows;
  ArrayType ids;
  ArrayType result;
};
std::optional<Delivering> random_delivering(Random& random) {
  const MeshRef on =
      mesh(std::array{"x:4,y:2", "x:3", "x:2,y:3", "x:2,y:2,z:2", "x:3 work(1,3,2),y:2"}[random.below(5)]);
  Shape table;
  for (std::size_t d = 0; d <= random.below(3); ++d) table.push_back(static_cast<std::int64_t>(1 + random.below(9)));
  const Shape of_ids = {static_cast<std::int64_t>(random.below(9)), 2};
  const Layout result = any_layout(*on, table.size(), false, random);
  std::vector<AxisList> splits = {any_layout(*on, 2, false, random).split(0), {}};
  auto ids = Layout::make(*on, splits);
  if (splits[0].empty() || !ids.ok()) return std::nullopt;
  Shape of_rows = of_ids;
  for (std::size_t d = 1; d < table.size(); ++d) {
    of_rows.push_back(table[d]);
    splits.push_back(result.split(d));
  }
  auto rows = Layout::make(*on, splits);
  if (!rows.ok()) return std::nullopt;
  return Delivering{*ArrayType::make(ElementType::f32, of_rows, on, *rows),
                    *ArrayType::make(ElementType::i64, of_ids, on, *ids),
                    *ArrayType::make(ElementType::f32, table, on, result)};
}

// Does every device get what each id names, once, from one that has it in the same columns, and its own from itself?
bool deliver_right(const Delivering& own, const RowDeliveries& deliveries, const Asked& givers) {
  for (std::int32_t device = 0; device < own.result.devices(); ++device) {
    std::int64_t next = 0;
    for (std::int64_t at = 0; at < deliveries.tiles(); ++at) {
      const std::int32_t source = givers.of(device, at);
      if (source < 0 || source >= own.result.devices()) return false;
      const Interval held = tile_interval(own.ids, 0, source);
      if (held.begin != next) return false;
      next = held.end;
      if (held.length() > 0 && held == tile_interval(own.ids, 0, device) && source != device) return false;
      for (std::size_t d = 1; d < own.result.rank(); ++d) {
        if (tile_interval(own.rows, d + 1, source) != tile_interval(own.result, d, device)) return false;
      }
    }
    if (next != own.ids.shape()[0]) return false;
  }
  return true;
}

TEST(Deliveries, BringWhatEveryIdNamesAndWrongOnesAreRefused) {
  Random random(13);
  int refused = 0;
  int taken = 0;
  while (refused < 1000) {
    const auto own = random_delivering(random);
    if (!own.has_value()) continue;
    const RowDeliveries deliveries(own->ids, own->result);
    Asked givers = asked_of(deliveries, own->result.devices());
    const auto fault_of = [&](std::int64_t more_bytes) {
      return fault_of_deliveries(
          own->rows, own->ids, own->result,
          [&](std::int32_t device) { return givers.leaders.at(static_cast<std::size_t>(device)); },
          [&](std::int32_t leader, std::int64_t at) { return givers.source(leader, at); },
          delivered_bytes_at_most(deliveries) + more_bytes);
    };
    ASSERT_TRUE(deliver_right(*own, deliveries, givers)) << print(own->rows) << print(own->result);
    ASSERT_EQ(fault_of(0), std::nullopt) << print(own->rows) << print(own->result);
    EXPECT_TRUE(fault_of(4).has_value());
    spoil(givers, random);
    const auto fault = fault_of(0);
    ASSERT_TRUE(fault.has_value() || deliver_right(*own, deliveries, givers)) << print(own->rows);
    ++(fault ? refused : taken);
  }
  EXPECT_GE(taken, 20);
}

// Of several devices with equal tiles each is asked as often.
TEST(Requests, AskEveryCopyAlike) {
  const RowRequests requests(type("f32[8@x, 3]", "x:2,y:3"));
  std::map<std::int32_t, int> times;
  for (std::int32_t device = 0; device < 6; ++device) {
    EXPECT_EQ(requests.askers(device).size(), 2U);
    for (const std::int32_t asker : requests.askers(device)) {
      EXPECT_EQ(requests.source(asker, requests.own_tile(device)), device);
      ++times[asker];
    }
  }
  for (const auto& [device, count] : times) EXPECT_EQ(count, 2);
}

}  // namespace
}  // namespace tessera::synth::test
