// What running sums and recurrences carry from tile to tile: right on real data, no more than it has to be, and every
// wrong list of hops refused.
#include "synth/moves/collective/carries.hpp"

#include <array>
#include <map>

#include "synth/moves/prices/carry_cost.hpp"
#include "synth/verify/carried.hpp"
#include "tests/synth/generators.hpp"
#include "tests/synth/random_layouts.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

TEST(ExampleOf, Carries) {
  const std::vector<CarryHop> hops = carry_hops(type("f32[1000@x]", "x:4"), 0, false);
  EXPECT_EQ(hops, (std::vector<CarryHop>{{0, 1, 250, 1}, {1, 2, 500, 1}, {2, 3, 750, 1}}));
  std::vector<int> values;
  for (const CarryHop& hop : hops)
    values.push_back(carry_form(ElementType::f32, CarryKind::sums, hop.position).values());
  EXPECT_EQ(values, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(carried_bytes(hops, ElementType::f32, CarryKind::sums), 24);
  EXPECT_EQ(carried_bytes(hops, ElementType::f32, CarryKind::products), 20);
  EXPECT_EQ(carried_bytes(hops, ElementType::f32, CarryKind::single), 12);
}

TEST(ExampleOf, Carried) {
  const ArrayType type = test::type("i64[6@x]", "x:3");
  const CarryHop first{0, 1, 2, 1};
  const CarryHop second{1, 2, 4, 1};
  const auto fault = [&](const std::vector<CarryHop>& hops) {
    const std::int64_t bytes = carried_bytes(hops, ElementType::i64, CarryKind::sums);
    return fault_of_carries(type, {0, false, CarryKind::sums}, hops, bytes).value_or("");
  };
  EXPECT_EQ(fault({first, second}), "");
  EXPECT_EQ(fault({second, first}), "1 -> 2: the source does not know it yet");
  EXPECT_EQ(fault({first, {0, 2, 4, 1}}), "0 -> 2: the source's tile ends elsewhere");
  EXPECT_EQ(fault({first}), "device 2 does not learn what stands in front of its tile");
  EXPECT_EQ(fault({second}), "1 -> 2: the source does not know it yet");
}

TEST(ExampleOf, CarryCost) {
  const RunMachine machine = on_run({{{"device", 4, 1e9, 1e-6}}});
  const ArrayType four = type("f32[4096@x]", "x:4");
  const StepCost all = cost_of_carries(machine, four, CarryKind::sums, carry_hops(four, 0, false));
  const StepCost one = cost_of_carries(machine, four, CarryKind::sums, {{0, 1, 1024, 1}});
  EXPECT_EQ(one.received_bytes_total, 8);
  EXPECT_NEAR(one.seconds, 1e-6 + 8e-9, 1e-15);
  EXPECT_EQ(all.received_bytes_total, 24);
  EXPECT_EQ(all.received_bytes_max, 8);
  EXPECT_NEAR(all.seconds, 3 * one.seconds, 1e-15);
}

// A dimension that is not split needs nothing, and neither do tiles without elements.
TEST(Carries, OfWholeDimensionsAndEmptyTiles) {
  EXPECT_TRUE(carry_hops(type("f32[1000, 6@x]", "x:4"), 0, false).empty());
  EXPECT_TRUE(carry_hops(type("f32[1000@x, 0]", "x:4"), 0, false).empty());
  EXPECT_TRUE(carry_hops(type("f32[0@x, 3]", "x:4"), 0, false).empty());
  EXPECT_EQ(carry_hops(type("f32[2@x]", "x:4"), 0, false), (std::vector<CarryHop>{{1, 3, 1, 1}}));
  EXPECT_EQ(carry_hops(type("f32[2@x]", "x:4"), 0, true), (std::vector<CarryHop>{{3, 1, 1, 1}}));
}

// Devices with equal tiles do not ask one and the same.
TEST(Carries, ComeFromDifferentCopies) {
  const std::vector<CarryHop> hops = carry_hops(type("f32[8@x, 3]", "x:2,y:3"), 0, false);
  EXPECT_EQ(hops, (std::vector<CarryHop>{{0, 3, 4, 3}, {1, 4, 4, 3}, {2, 5, 4, 3}}));
}

struct Running {
  ArrayType type;
  std::size_t dimension;
  bool reverse;
  CarryKind kind;

  std::vector<CarryHop> hops() const { return carry_hops(type, dimension, reverse); }
  std::int64_t bytes(const std::vector<CarryHop>& some) const { return carried_bytes(some, type.element(), kind); }
  std::optional<std::string> fault(const std::vector<CarryHop>& some, std::int64_t received_bytes) const {
    return fault_of_carries(type, synth::Running{dimension, reverse, kind}, some, received_bytes);
  }
};

constexpr std::array kKinds = {CarryKind::sums, CarryKind::products, CarryKind::single};

Running any_running(std::int64_t extent_max) {
  const MeshRef on = any_mesh();
  const Shape shape = any_shape(*rc::gen::inRange<std::size_t>(1, 4), extent_max);
  const auto element = *rc::gen::element(ElementType::i32, ElementType::i64, ElementType::f32, ElementType::f64);
  const ArrayType type = any_type(on, shape, false);
  return {*ArrayType::make(element, shape, on, type.layout()), *rc::gen::inRange<std::size_t>(0, shape.size()),
          *rc::gen::arbitrary<bool>(), *rc::gen::elementOf(kKinds)};
}

// What a device needs of each line follows from where its tile begins alone: the bound, and not a byte more.
RC_GTEST_PROP(CarriesProperty, AreWhatTilesNeed, ()) {
  const Running running = any_running(1500);
  const std::vector<CarryHop> hops = running.hops();
  RC_ASSERT(!running.fault(hops, running.bytes(hops)).has_value());
  const bool is_sum = running.kind == CarryKind::sums;
  const bool rounds = is_float(running.type.element()) && running.kind != CarryKind::single;
  std::int64_t bytes = 0;
  for (std::int64_t device = 0; device < running.type.devices(); ++device) {
    const Box box = tile(running.type, device);
    const std::int64_t extent = running.type.shape()[running.dimension];
    const Interval& along = box[running.dimension];
    const std::int64_t before = running.reverse ? extent - along.end : along.begin;
    if (empty(box) || before == 0) continue;
    const std::int64_t of_blocks = std::min<std::int64_t>(is_sum ? 2 : 1, before / 256);
    const std::int64_t values = rounds ? of_blocks + (before % 256 != 0 ? 1 : 0) : 1;
    bytes += elements(box) / along.length() * values * bytes_of(running.type.element());
  }
  RC_ASSERT(running.bytes(hops) == bytes);
}

// The sums of an array of random numbers, carried as the hops say; nothing where a hop says what cannot be.
class CarriedSums {
 public:
  explicit CarriedSums(const Running& running) : running_(running) {
    std::uint64_t number = 1;
    std::int64_t size = 1;
    for (const std::int64_t extent : running.type.shape()) size *= extent;
    for (std::int64_t i = 0; i < size; ++i)
      data_.push_back(
          static_cast<std::int64_t>((number = number * 6364136223846793005U + 1442695040888963407U) >> 40U));
  }

  // Does every device come to know, once, what stands in front of each of its lines?
  bool come_right(const std::vector<CarryHop>& hops) const {
    std::map<std::int64_t, Lines> known;
    for (std::int64_t device = 0; device < running_.type.devices(); ++device) {
      if (empty(box(device)) || front(device) == 0) known[device] = in_front(device);
    }
    for (const CarryHop& hop : hops) {
      const bool is_there =
          std::min(hop.source, hop.target) >= 0 && std::max(hop.source, hop.target) < running_.type.devices();
      if (!is_there || !known.contains(hop.source) || known.contains(hop.target) || empty(box(hop.source)))
        return false;
      Lines told = known[hop.source];
      const Lines own = sums_of(box(hop.source));
      for (const auto& [line, sum] : own) told[line] += sum;
      known[hop.target] = told;
      if (hop.position != front(hop.target) || hop.lines != std::ssize(told)) return false;
    }
    for (std::int64_t device = 0; device < running_.type.devices(); ++device) {
      if (!known.contains(device) || known[device] != in_front(device)) return false;
    }
    return true;
  }

 private:
  using Lines = std::map<Shape, std::int64_t>;  // by the position of a line

  Box box(std::int64_t device) const { return tile(running_.type, device); }
  std::int64_t extent() const { return running_.type.shape()[running_.dimension]; }
  std::int64_t front(std::int64_t device) const {
    const Interval along = box(device)[running_.dimension];
    return running_.reverse ? extent() - along.end : along.begin;
  }
  Lines in_front(std::int64_t device) const {
    Box before = box(device);
    if (empty(before)) return {};
    Interval& along = before[running_.dimension];
    along = running_.reverse ? Interval{along.end, extent()} : Interval{0, along.begin};
    Lines lines = sums_of(before);
    if (along.length() == 0) {
      Box one = box(device);
      one[running_.dimension] = {0, 1};
      for (auto& [line, sum] : lines = sums_of(one)) sum = 0;
    }
    return lines;
  }
  Lines sums_of(const Box& some) const {
    Lines sums;
    if (empty(some)) return sums;
    Shape at;
    for (const Interval& interval : some) at.push_back(interval.begin);
    for (std::int64_t left = elements(some); left > 0; --left) {
      std::int64_t number = 0;
      for (std::size_t d = 0; d < at.size(); ++d) number = number * running_.type.shape()[d] + at[d];
      Shape line = at;
      line[running_.dimension] = 0;
      sums[line] += data_[static_cast<std::size_t>(number)];
      for (std::size_t d = at.size(); d-- > 0;) {
        if (++at[d] < some[d].end) break;
        at[d] = some[d].begin;
      }
    }
    return sums;
  }

  const Running& running_;
  std::vector<std::int64_t> data_;
};

RC_GTEST_PROP(CarriesProperty, ComeRightOnRealData, ()) {
  const Running running = any_running(12);
  RC_ASSERT(CarriedSums(running).come_right(running.hops()));
}

// One hop dropped, sent twice, from or to another device, at another boundary, of other lines or out of turn.
void change_one(std::vector<CarryHop>& hops, std::int64_t devices, Random& random) {
  const std::size_t at = random.below(hops.size());
  const auto device = static_cast<std::int32_t>(random.below(static_cast<std::size_t>(devices) + 2)) - 1;
  const int by = random.coin() ? 1 : -1;
  switch (random.below(7)) {
    case 0: hops.erase(hops.begin() + static_cast<std::ptrdiff_t>(at)); return;
    case 1: hops.insert(hops.begin() + static_cast<std::ptrdiff_t>(at), hops[at]); return;
    case 2: hops[at].source = device; return;
    case 3: hops[at].target = device; return;
    case 4: hops[at].position += by; return;
    case 5: hops[at].lines += by; return;
    default: std::swap(hops[at], hops[random.below(hops.size())]); return;
  }
}

Running random_running(Random& random) {
  const MeshRef on = mesh(std::array{"x:4,y:2", "x:3", "x:2,y:3", "x:2,y:2,z:2", "x:6"}[random.below(5)]);
  Shape shape;
  for (std::size_t d = 0; d <= random.below(3); ++d) shape.push_back(static_cast<std::int64_t>(1 + random.below(9)));
  const ElementType element = random.coin() ? ElementType::i64 : ElementType::f32;
  return {*ArrayType::make(element, shape, on, any_layout(*on, shape.size(), false, random)),
          random.below(shape.size()), random.coin(), kKinds[random.below(3)]};
}

// The verifier refuses what does not come right, and takes what does: other copies of a source, say.
TEST(Carries, OfChangedHopsAreRefused) {
  Random random(5);
  int refused = 0;
  int taken = 0;
  while (refused < 1000) {
    const Running running = random_running(random);
    const std::vector<CarryHop> hops = running.hops();
    if (hops.empty()) continue;
    const auto fault_of = [&](const std::vector<CarryHop>& some, std::int64_t more_bytes) {
      return running.fault(some, running.bytes(some) + more_bytes);
    };
    EXPECT_FALSE(fault_of(hops, 0).has_value());
    EXPECT_TRUE(fault_of(hops, 4).has_value());
    std::vector<CarryHop> changed = hops;
    change_one(changed, running.type.devices(), random);
    const auto fault = fault_of(changed, 0);
    ASSERT_EQ(fault.has_value(), !CarriedSums(running).come_right(changed)) << print(running.type);
    ++(fault ? refused : taken);
  }
  EXPECT_GE(taken, 50);
}

}  // namespace
}  // namespace tessera::synth::test
