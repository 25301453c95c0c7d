// What a machine says of its devices: kinds, weights in proportion to them, and the price of local steps.
#include <gmock/gmock.h>

#include "synth/moves/prices/prices.hpp"
#include "synth/planner/steps.hpp"
#include "synth/program/compute_cost.hpp"
#include "synth/program/shares.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

constexpr double kMega = 1e6;

// Two devices of 18 Mflop/s and 32 bytes, then six of 10 Mflop/s and 16 bytes.
Machine two_and_six() { return {{}, {{2, 18 * kMega, kMega, 32}, {6, 10 * kMega, kMega, 16}}}; }

TEST(DeviceKinds, AddUpToTheDevices) {
  EXPECT_TRUE(machine_for(two_and_six(), 8).ok());
  EXPECT_EQ(first_error(machine_for(two_and_six(), 9)), "machine-mismatch");
  EXPECT_EQ(kinds_of_devices(two_and_six()).size(), 8U);
  EXPECT_EQ(kinds_of_devices(two_and_six())[2].memory_bytes, 16);
  EXPECT_EQ(machine_for(two_and_six(), 8)->levels.size(), 1U);
}

TEST(DeviceKinds, HaveSpeedsThatAreNumbers) {
  for (const DeviceKind& bad : {DeviceKind{0, 1, 1, 0}, DeviceKind{1, 0, 1, 0}, DeviceKind{1, 1, -1, 0},
                                DeviceKind{1, 1, 1, -1}, DeviceKind{1, 1e300, 1, 0}}) {
    EXPECT_EQ(first_error(machine_for(Machine{{}, {bad}}, 1)), "bad-device-kind");
  }
}

TEST(WeightsBy, AreInProportionByLargestRemainders) {
  // 1000 * 18/96 = 187.5 and 1000 * 10/96 = 104.17: the first two get what is left.
  EXPECT_EQ(weights_by(DeviceFigure::speed, two_and_six(), *mesh("x:8"), 0),
            Weights::make({188, 188, 104, 104, 104, 104, 104, 104}));
  EXPECT_EQ(weights_by(DeviceFigure::memory, two_and_six(), *mesh("x:8"), 0), Weights::make({2, 2, 1, 1, 1, 1, 1, 1}));
}

TEST(WeightsBy, TakeTheLeastDeviceOfAPosition) {
  const Machine mixed{{}, {{1, 30, 1, 0}, {1, 10, 1, 0}, {2, 20, 1, 0}}};
  EXPECT_EQ(weights_by(DeviceFigure::speed, mixed, *mesh("x:2,y:2"), 0),
            Weights::make({333, 667}));  // 10, the least of two, and 20
  EXPECT_EQ(weights_by(DeviceFigure::speed, mixed, *mesh("x:2,y:2"), 1), Weights::make({667, 333}));  // 20 and 10
}

// The machine may have more devices than a mesh, which has those that `on` says.
TEST(WeightsBy, AreThoseOfTheMeshOwnDevices) {
  EXPECT_EQ(weights_by(DeviceFigure::memory, two_and_six(), *mesh("x:3 on 1:4"), 0), Weights::make({500, 250, 250}));
  EXPECT_EQ(weights_by(DeviceFigure::memory, two_and_six(), *mesh("x:2"), 0), Weights::make({500, 500}));
}

TEST(WeightsBy, AddUpToSixteenForEachOfManyPositions) {
  Machine many{{}, {{1, 3, 1, 0}, {499, 1, 1, 0}}};
  const auto weights = weights_by(DeviceFigure::speed, many, *mesh("x:500"), 0);
  ASSERT_TRUE(weights.has_value());
  // 8000 in all: 3/502 of it is 47.81, 1/502 is 15.94; what is left after rounding down goes to those that lose most.
  EXPECT_EQ(weights->at(0), 47);
  EXPECT_EQ(weights->sum(), 8000);
}

TEST(WeightsBy, AreNotGuessed) {
  EXPECT_FALSE(weights_by(DeviceFigure::speed, Machine{}, *mesh("x:8"), 0));
  EXPECT_FALSE(weights_by(DeviceFigure::speed, two_and_six(), *mesh("x:9"), 0));
  EXPECT_FALSE(weights_by(DeviceFigure::speed, two_and_six(), *mesh("x:4 on 5:9"), 0));
  EXPECT_FALSE(weights_by(DeviceFigure::memory, Machine{{}, {{2, 1, 1, 0}}}, *mesh("x:2"), 0));  // no limit is no share
}

// 8 rows of 4 by 4 columns: 32 operations for each row.
TEST(ComputeCost, OfAProductIsThatOfTheDeviceThatIsLast) {
  const MeshRef on = mesh("d:8 work(9,9,5,5,5,5,5,5)");
  const Operation product = Contract{{{0, 1}, {1, 2}}, {0, 2}};
  const Machine machine{{}, {{2, 18, 1e9, 0}, {6, 10, 1e9, 0}}};
  const auto even =
      compute_cost(machine, product, {type("f32[48@d,4]", on), type("f32[4,4]", on)}, type("f32[48@d,4]", on));
  ASSERT_TRUE(even.has_value());
  EXPECT_DOUBLE_EQ(even->seconds, 6 * 32 / 10.0);
  EXPECT_EQ(even->slowest, 2);
  EXPECT_DOUBLE_EQ(even->fastest_seconds, 6 * 32 / 18.0);
  const auto by_speed = compute_cost(machine, product, {type("f32[48@d.work,4]", on), type("f32[4,4]", on)},
                                     type("f32[48@d.work,4]", on));
  EXPECT_DOUBLE_EQ(by_speed->seconds, 9 * 32 / 18.0);
  EXPECT_DOUBLE_EQ(by_speed->fastest_seconds, 5 * 32 / 10.0);
}

TEST(ComputeCost, IsOfBytesWhereTheyTakeLonger) {
  const MeshRef on = mesh("d:2");
  const Machine machine{{}, {{2, 1e9, 8, 0}}};
  const ArrayType f32 = type("f32[8@d]", on);
  EXPECT_DOUBLE_EQ(compute_cost(machine, Map{MapOp::add}, {f32, f32}, f32)->seconds, 3 * 16 / 8.0);
  EXPECT_DOUBLE_EQ(compute_cost(machine, Transpose{{0}}, {f32}, f32)->seconds, 2 * 16 / 8.0);
  EXPECT_DOUBLE_EQ(compute_cost(machine, Reshape{}, {f32}, f32)->seconds, 0);
}

TEST(ComputeCost, OfF64IsTwice) {
  const MeshRef on = mesh("d:2");
  const Machine machine{{}, {{2, 2, 1e9, 0}}};
  const auto cost = [&](const char* text) {
    return compute_cost(machine, Map{MapOp::exp}, {type(text, on)}, type(text, on))->seconds;
  };
  EXPECT_DOUBLE_EQ(cost("f32[8@d]"), 2);
  EXPECT_DOUBLE_EQ(cost("f64[8@d]"), 4);
}

TEST(ComputeCost, IsNotOfStepsThatMoveDataNorOfOtherMachines) {
  const MeshRef on = mesh("d:2");
  const ArrayType f32 = type("f32[8@d]", on);
  const Machine two{{}, {{2, 2, 1, 0}}};
  EXPECT_FALSE(compute_cost(two, Collect{all_gather_step({whole_axis(*on, 0)}, 0), 1}, {f32}, type("f32[8]", on)));
  EXPECT_FALSE(compute_cost(two, Assemble{}, {f32}, f32));
  EXPECT_FALSE(compute_cost(Machine{}, Map{MapOp::add}, {f32, f32}, f32));
  EXPECT_FALSE(compute_cost(Machine{{}, {{1, 2, 1, 0}}}, Map{MapOp::add}, {f32, f32}, f32));
  EXPECT_TRUE(compute_cost(Machine{{}, {{3, 2, 1, 0}}}, Map{MapOp::add}, {f32, f32}, f32));
}

}  // namespace
}  // namespace tessera::synth::test
