// Elements that are delivered along lines: from devices that have them, each once, and every wrong delivery refused.
#include "synth/moves/collective/line_deliveries.hpp"

#include <array>
#include <map>
#include <set>

#include "synth/moves/prices/delivery_cost.hpp"
#include "synth/verify/delivered.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/random_layouts.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

std::vector<DeliveredBox> delivered_boxes(const LineDeliveries& deliveries, std::int32_t device) {
  std::vector<DeliveredBox> all;
  for (const BoxCopy& copy : deliveries.boxes(device)) all.push_back({copy.source, copy.box});
  return all;
}

TEST(ExampleOf, LineDeliveries) {
  const ArrayType values = type("f32[4@x, 3]", "x:2");
  const ArrayType ids = type("i64[4@x, 3]", "x:2");
  const ArrayType result = type("f32[4, 8@x]", "x:2");
  EXPECT_TRUE(adds_along_by_delivery(values, ids, result));
  const LineDeliveries deliveries(values, result);
  EXPECT_EQ(deliveries.places(0), (Interval{0, 4}));
  const std::vector<BoxCopy> boxes = deliveries.boxes(0);
  ASSERT_EQ(boxes.size(), 2U);
  EXPECT_EQ(boxes[1], (BoxCopy{1, 0, {{2, 4}, {0, 3}}}));
  EXPECT_EQ(deliveries.number_bytes(), 4);
  EXPECT_EQ(deliveries.values_at_most(0), 6);
  EXPECT_EQ(deliveries.values_at_most(), 12);
}

TEST(ExampleOf, DeliveredBox) {
  const ArrayType values = type("f32[4@x, 3]", "x:2");
  const ArrayType ids = type("i64[4@x, 3]", "x:2");
  const ArrayType result = type("f32[4, 8@x]", "x:2");
  const LineDeliveries deliveries(values, result);
  const auto fault = [&](std::int32_t source_of_the_rest) {
    const auto boxes = [&](std::int32_t device) {
      auto all = delivered_boxes(deliveries, device);
      if (device == 0) all.back().source = source_of_the_rest;
      return all;
    };
    return fault_of_line_deliveries(values, ids, result, boxes, 12).value_or("");
  };
  EXPECT_EQ(fault(1), "");
  EXPECT_EQ(fault(0), "device 0: device 0 does not have what it gives");
}

// Lines that lie as their sums do, whole, need no delivery; a sum that is left is none.
TEST(LineDeliveries, AreNotWhereWhatIsAddedLiesWhereItGoes) {
  const auto delivers = [](const char* values, const char* result) {
    ArrayType ids = *type(values, "x:2,y:2").with_element(ElementType::i64);
    return adds_along_by_delivery(type(values, "x:2,y:2"), ids, type(result, "x:2,y:2"));
  };
  EXPECT_FALSE(delivers("f32[4@x, 3]", "f32[4@x, 8@y]"));
  EXPECT_FALSE(delivers("f32[4@x, 3]", "f32[4@x, 8]"));
  EXPECT_FALSE(delivers("f32[4@x, 3@y]", "f32[4@x, 8]{+y}"));
  EXPECT_TRUE(delivers("f32[4@x, 3@y]", "f32[4@x, 8]"));
  EXPECT_TRUE(delivers("f32[4@x, 3@y]", "f32[4@x, 8@y]"));
  EXPECT_TRUE(delivers("f32[4, 3]", "f32[4@x, 8]"));
}

TEST(LineDeliveries, CostWhatTheirIdsMayName) {
  const RunMachine machine = on_run({{{"device", 2, 1e9, 1e-6}}});
  const StepCost cost = cost_of_deliveries(machine, type("f32[4@x, 100]", "x:2"), type("i64[4@x, 100]", "x:2"),
                                           type("f32[4, 200@x]", "x:2"));
  EXPECT_EQ(cost.received_bytes_total, 400 * 8);
  EXPECT_EQ(cost.received_bytes_max, 100 * 8);  // if half of the other's ids name places of a device
  EXPECT_NEAR(cost.seconds, 2e-6 + 800e-9, 1e-12);
}

struct Along {
  ArrayType values, ids, result;
};
std::optional<Along> random_along(Random& random) {
  const MeshRef on =
      mesh(std::array{"x:4,y:2", "x:3", "x:2,y:3", "x:2,y:2,z:2", "x:3 work(1,3,2),y:2"}[random.below(5)]);
  Shape shape;
  for (std::size_t d = 0; d <= 1 + random.below(2); ++d) shape.push_back(static_cast<std::int64_t>(random.below(8)));
  const Layout of_values = any_layout(*on, shape.size(), false, random);
  const auto values = ArrayType::make(ElementType::f32, shape, on, of_values);
  const auto ids = ArrayType::make(ElementType::i64, shape, on, of_values);
  shape.back() = static_cast<std::int64_t>(1 + random.below(9));
  const auto result = ArrayType::make(ElementType::f32, shape, on, any_layout(*on, shape.size(), false, random));
  if (!values.ok() || !ids.ok() || !result.ok() || !adds_along_by_delivery(*values, *ids, *result)) return std::nullopt;
  return Along{*values, *ids, *result};
}

// The positions in a box, in row-major order.
std::vector<Shape> positions_in(const Box& box) {
  std::vector<Shape> all;
  for (std::int64_t i = 0; i < elements(box); ++i) {
    Shape at(box.size());
    std::int64_t rest = i;
    for (std::size_t d = box.size(); d-- > 0; rest /= box[d].length()) at[d] = box[d].begin + rest % box[d].length();
    all.push_back(std::move(at));
  }
  return all;
}

// Every value of the device's lines once, from one that has it, each line's in their order, and its own from itself.
bool come_once(const Along& along, std::int32_t device, const std::vector<DeliveredBox>& given) {
  std::set<Shape> come;
  const Box own = tile(along.values, device);
  const Box sums = tile(along.result, device);
  std::map<Shape, std::int64_t> last;
  for (const DeliveredBox& one : given) {
    if (one.source < 0 || one.source >= along.values.devices()) return false;
    const Box held = tile(along.values, one.source);
    bool is_right = true;
    for (const Shape& at : positions_in(one.box)) {
      bool is_own = true;
      for (std::size_t d = 0; d < at.size(); ++d) {
        is_right = is_right && at[d] >= held[d].begin && at[d] < held[d].end;
        is_own = is_own && at[d] >= own[d].begin && at[d] < own[d].end;
        if (d + 1 < at.size()) is_right = is_right && at[d] >= sums[d].begin && at[d] < sums[d].end;
      }
      is_right = is_right && come.insert(at).second && (!is_own || one.source == device);
      const Shape line(at.begin(), at.end() - 1);
      const auto known = last.find(line);
      is_right = is_right && (known == last.end() || known->second < at.back());
      last[line] = at.back();
    }
    if (!is_right) return false;
  }
  std::int64_t needed = sums.back().length() == 0 ? 0 : along.values.shape().back();
  for (std::size_t d = 0; d + 1 < sums.size(); ++d) needed *= sums[d].length();
  return std::ssize(come) == needed;
}

TEST(LineDeliveries, BringEveryValueAndWrongOnesAreRefused) {
  Random random(17);
  int refused = 0;
  int taken = 0;
  while (refused < 1000) {
    const auto along = random_along(random);
    if (!along.has_value()) continue;
    const LineDeliveries deliveries(along->values, along->result);
    std::vector<std::vector<DeliveredBox>> all;
    for (std::int32_t device = 0; device < along->result.devices(); ++device)
      all.push_back(delivered_boxes(deliveries, device));
    const auto fault_of = [&](std::int64_t more) {
      return fault_of_line_deliveries(
          along->values, along->ids, along->result,
          [&](std::int32_t device) { return all[static_cast<std::size_t>(device)]; },
          deliveries.values_at_most() + more);
    };
    const auto come_right = [&] {
      for (std::int32_t device = 0; device < along->result.devices(); ++device)
        if (!come_once(*along, device, all[static_cast<std::size_t>(device)])) return false;
      return true;
    };
    ASSERT_TRUE(come_right()) << print(along->values) << print(along->result);
    ASSERT_EQ(fault_of(0), std::nullopt) << print(along->values) << print(along->result);
    EXPECT_TRUE(fault_of(1).has_value());
    std::vector<DeliveredBox>& boxes = all[random.below(all.size())];
    if (boxes.empty()) continue;
    const std::size_t at = random.below(boxes.size());
    const std::size_t d = random.below(along->values.rank());
    switch (random.below(5)) {
      case 0: boxes[at].source = static_cast<std::int32_t>(random.below(all.size() + 2)) - 1; break;
      case 1: boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(at)); break;
      case 2: boxes.push_back(boxes[at]); break;
      case 3: boxes[at].box[d] = {boxes[at].box[d].begin + 1, boxes[at].box[d].end + 1}; break;
      default: std::swap(boxes[at], boxes[random.below(boxes.size())]); break;
    }
    const auto fault = fault_of(0);
    ASSERT_TRUE(fault.has_value() || come_right()) << print(along->values) << print(along->result);
    ++(fault ? refused : taken);
  }
  EXPECT_GE(taken, 20);
}

}  // namespace
}  // namespace tessera::synth::test
