// Changes of layout between two meshes by name: nine cases on hosts of four devices, one device to many, and boxes that
// hosts hold together. Bounds and rivals are worked out by hand in units of 1 GiB over a host's link.
#include <gmock/gmock.h>

#include <ostream>
#include <string>
#include <vector>

#include "synth/layout/cluster/cluster.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/planner/rivals/alpa.hpp"
#include "synth/planner/text/print_text.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

using ::testing::TestWithParam;
using ::testing::ValuesIn;

constexpr double kGiB = 1024.0 * 1024 * 1024;

struct Hosts {
  double bandwidth;
  double latency;
  double device_bandwidth;
  double device_latency;
};
constexpr Hosts kCloud{1.25e9, 20e-6, 120e9, 5e-6};
constexpr Hosts kFast{12.5e9, 5e-6, 300e9, 1e-6};

Machine machine_of(const Hosts& of, std::int64_t hosts, std::int64_t devices) {
  return Machine{
      {{"host", hosts, of.bandwidth, of.latency}, {"device", devices, of.device_bandwidth, of.device_latency}}};
}

// `2: x - -`: so many hosts of four devices, and what splits each dimension.
struct End {
  std::int64_t hosts;
  std::vector<std::string> splits;
};

ArrayType type_on(const End& end, const std::vector<std::int64_t>& shape, std::int64_t first_device) {
  const std::int64_t devices = 4 * end.hosts;
  const MeshRef on = mesh("x:" + std::to_string(end.hosts) + ",y:4 on " + std::to_string(first_device) + ":" +
                          std::to_string(first_device + devices));
  std::string text;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    text += (text.empty() ? "i32[" : ",") + std::to_string(shape[d]);
    if (end.splits[d] != "-") text += "@" + end.splits[d];
  }
  return type(text + "]", on);
}

struct Case {
  const char* name;
  End source;
  End target;
  std::vector<std::int64_t> shape;
  // In GiB over a host's link.
  double bound;
  double sendrecv;
  double localgather;
  double broadcast_naive;
  double broadcast_balanced;
};

// What a test is called by, instead of the bytes of its parameter.
std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

const std::vector<std::int64_t> kShape = {1024, 1024, 512};

const std::vector<Case> kCases = {
    {"1", {2, {"x", "-", "-"}}, {2, {"x", "-", "-"}}, kShape, 1, 4, 1, 1, 1},
    {"2", {2, {"-", "-", "-"}}, {2, {"x", "-", "-"}}, kShape, 1, 4, 1, 2, 1},
    {"3", {2, {"-", "x", "-"}}, {2, {"x", "-", "-"}}, kShape, 1, 4, 1, 1.5, 1.5},
    {"4", {2, {"-", "(x,y)", "-"}}, {2, {"(x,y)", "-", "-"}}, kShape, 1, 1, 1, 1.875, 1.875},
    {"5", {2, {"y", "-", "-"}}, {2, {"x", "-", "-"}}, kShape, 1, 4, 1, 2, 1.5},
    {"6", {2, {"x", "-", "-"}}, {3, {"x", "-", "-"}}, {3072, 1024, 170}, 0.996, 3.98, 0.996, 1.992, 1.992},
    {"7", {1, {"y", "-", "-"}}, {2, {"-", "-", "-"}}, kShape, 2, 16, 16, 2, 2},
    {"8", {1, {"y", "-", "-"}}, {2, {"x", "-", "-"}}, kShape, 2, 8, 2, 2, 2},
    {"9", {2, {"-", "x", "-"}}, {2, {"-", "-", "x"}}, kShape, 1, 4, 1, 1.5, 1.5},
};

class NineCases : public TestWithParam<Case> {
 protected:
  ArrayType from() const { return type_on(GetParam().source, GetParam().shape, 0); }
  ArrayType to() const { return type_on(GetParam().target, GetParam().shape, 4 * GetParam().source.hosts); }
  Machine machine(const Hosts& of) const {
    return machine_of(of, GetParam().source.hosts + GetParam().target.hosts, 4);
  }
};

TEST_P(NineCases, HaveTheirBounds) {
  const Plan made = planned(from(), to(), {}, machine(kCloud));
  EXPECT_NEAR(made.lower_bound_seconds / (kGiB / kCloud.bandwidth), GetParam().bound, 0.01 * GetParam().bound);
}

TEST_P(NineCases, AreWithinTwoHundredthsOfThem) {
  const Plan made = planned(from(), to(), {}, machine(kCloud));
  EXPECT_LE(made.seconds, 1.02 * made.lower_bound_seconds) << print_text(made);
  RecordProperty("over_bound", std::to_string(made.seconds / made.lower_bound_seconds));
}

TEST_P(NineCases, AreWithinThreeHundredthsOnFastHosts) {
  const Plan made = planned(from(), to(), {}, machine(kFast));
  EXPECT_LE(made.seconds, 1.03 * made.lower_bound_seconds) << print_text(made);
}

TEST_P(NineCases, TakeTheRivalsAsLongAsIsKnown) {
  const auto seconds = [&](Planner planner) {
    PlanOptions options;
    options.planner = planner;
    return planned(from(), to(), options, machine(kCloud)).seconds / (kGiB / kCloud.bandwidth);
  };
  EXPECT_NEAR(seconds(Planner::sendrecv), GetParam().sendrecv, 0.01 * GetParam().sendrecv);
  EXPECT_NEAR(seconds(Planner::localgather), GetParam().localgather, 0.01 * GetParam().localgather);
  EXPECT_LE(seconds(Planner::alpa), 1.05 * GetParam().bound);
}

TEST_P(NineCases, TakeBroadcastsAsLongAsTheirOrderSays) {
  const Cluster cluster(*machine_for(machine(kCloud), run_devices(from(), to())));
  const auto boxes = rivals::host_boxes(cluster, relay_tasks(from(), to()), 4);
  const double unit = kGiB / kCloud.bandwidth;
  EXPECT_NEAR(rivals::as_they_come(boxes, false).seconds / unit, GetParam().broadcast_naive, 0.01);
  EXPECT_NEAR(rivals::as_they_come(boxes, true).seconds / unit, GetParam().broadcast_balanced, 0.01);
  EXPECT_NEAR(rivals::best_order(boxes).seconds / unit, GetParam().bound, 0.01);
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Case, NineCases, ValuesIn(kCases), name_of);

// Device 0 of a host has what all devices of others need.
struct Row {
  std::int64_t hosts;
  std::int64_t devices;
  double sendrecv;
  double localgather;
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.hosts << " hosts of " << row.devices; }

const std::vector<Row> kRows = {{1, 1, 1, 1}, {1, 2, 2, 1}, {1, 3, 3, 3}, {1, 4, 4, 1},
                                {2, 2, 4, 4}, {3, 2, 6, 6}, {4, 2, 8, 8}};

class OneDeviceToMany : public TestWithParam<Row> {
 protected:
  // Hosts of as many devices, of which the source's only has one that matters.
  ArrayType from() const { return type("i32[268435456]", mesh("on 0:1")); }
  ArrayType to() const {
    const std::int64_t first = GetParam().devices;
    return type("i32[268435456]",
                mesh("x:" + std::to_string(GetParam().hosts) + ",y:" + std::to_string(GetParam().devices) + " on " +
                     std::to_string(first) + ":" + std::to_string(first + GetParam().hosts * GetParam().devices)));
  }
  Machine machine() const { return machine_of(kCloud, GetParam().hosts + 1, GetParam().devices); }
};

TEST_P(OneDeviceToMany, TakesWhatItsLinkNeeds) {
  const Plan made = planned(from(), to(), {}, machine());
  EXPECT_NEAR(made.lower_bound_seconds / (kGiB / kCloud.bandwidth), 1, 0.01);
  EXPECT_LE(made.seconds, 1.03 * made.lower_bound_seconds) << print_text(made);
  RecordProperty("over_bound", std::to_string(made.seconds / made.lower_bound_seconds));
}

TEST_P(OneDeviceToMany, TakesTheRivalsAsLongAsIsKnown) {
  const auto seconds = [&](Planner planner) {
    PlanOptions options;
    options.planner = planner;
    return planned(from(), to(), options, machine()).seconds / (kGiB / kCloud.bandwidth);
  };
  EXPECT_NEAR(seconds(Planner::sendrecv), GetParam().sendrecv, 0.01 * GetParam().sendrecv);
  EXPECT_NEAR(seconds(Planner::localgather), GetParam().localgather, 0.01 * GetParam().localgather);
}

INSTANTIATE_TEST_SUITE_P(Row, OneDeviceToMany, ValuesIn(kRows));

// Three cells of 256 MiB, on hosts 0 and 1, 1 and 2, 0 and 2: for two hosts together one cell must leave over two
// links, which says half a cell; for all three, three cells over three links.
TEST(CellsOfThreeHosts, BindAllThreeTogether) {
  constexpr double kLink = 1e9;
  const MeshRef source = mesh("c:3,r:2 on (0:1,2:5,1:2,5:6)");
  const ArrayType from = type("i32[201326592@c]", source);
  const ArrayType to = type("i32[201326592@y]", mesh("y:12 on 6:18"));
  const Plan made = planned(from, to, {}, Machine{{{"host", 9, kLink, 0}, {"device", 2, 100e9, 0}}});
  EXPECT_NEAR(made.lower_bound_seconds, 0.268435456, 1e-9);
  EXPECT_LE(made.seconds, 1.03 * made.lower_bound_seconds) << print_text(made);
}

}  // namespace
}  // namespace tessera::synth::test
