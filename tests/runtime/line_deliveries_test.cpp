// Elements that are added up along lines that lie over several devices: the bits of one device in every layout, no more
// received than tiles lack, on simulated devices and on ranks.
#include "synth/moves/collective/line_deliveries.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>

#include "tests/runtime/crowd.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::IsEmpty;

struct Along {
  synth::ArrayType values, ids, result;
  std::vector<std::int64_t> named;
};

std::optional<Along> random_along(synth::test::Random& random, std::size_t extent_max) {
  const auto mesh =
      mesh_of(std::array{"x:4,y:2", "x:3", "x:2,y:3", "x:2,y:2,z:2", "x:3 work(1,3,2),y:2"}[random.below(5)]);
  Shape shape;
  for (std::size_t d = 0; d <= 1 + random.below(2); ++d)
    shape.push_back(static_cast<std::int64_t>(random.below(extent_max)));
  const synth::Layout of_values = any_layout(*mesh, shape.size(), false, random);
  const auto values = synth::ArrayType::make(ElementType::f32, shape, mesh, of_values);
  const auto ids = synth::ArrayType::make(ElementType::i64, shape, mesh, of_values);
  Shape sums = shape;
  sums.back() = static_cast<std::int64_t>(1 + random.below(extent_max));
  const auto result =
      synth::ArrayType::make(ElementType::f32, sums, mesh, any_layout(*mesh, sums.size(), false, random));
  if (!values.ok() || !ids.ok() || !result.ok() || !synth::adds_along_by_delivery(*values, *ids, *result))
    return std::nullopt;
  Along along{*values, *ids, *result, {}};
  for (std::int64_t left = synth::elements(shape); left > 0; --left)
    along.named.push_back(static_cast<std::int64_t>(random.below(static_cast<std::size_t>(2 * sums.back()))) -
                          sums.back());
  return along;
}

// Numbers of many sizes: in another order their sums have other bits.
synth::Program along_program(const Along& along) {
  Builder builder(synth::print(along.result.mesh()));
  Array<float> values(along.values.shape());
  for (std::int64_t i = 0; i < values.size(); ++i)
    values.data()[i] = static_cast<float>(std::sin(static_cast<double>(i) * 1.7) * std::pow(10.0, i % 7 - 2));
  Array<std::int64_t> ids(along.ids.shape());
  std::ranges::copy(along.named, ids.data());
  const auto constant = [&](synth::Literal literal, const synth::ArrayType& type) {
    return builder.apply(synth::Constant{builder.program().literals.add(std::move(literal))}, {}, synth::print(type));
  };
  const RegisterId added = constant(values.literal(), along.values);
  const RegisterId named = constant(ids.literal(), along.ids);
  builder.output(builder.apply(synth::ScatterAdd{}, {added, named}, synth::print(along.result)));
  return builder.program();
}

Along on_one_device(const Along& along) {
  const auto whole = [](const synth::ArrayType& type) {
    return *synth::ArrayType::replicated(type.element(), type.shape(), synth::Mesh::single_device());
  };
  return {whole(along.values), whole(along.ids), whole(along.result), along.named};
}

std::int64_t bytes_along(const Outcome& outcome) {
  std::int64_t bytes = 0;
  for (const OriginStatistics& one : outcome.statistics) bytes += one.received_bytes;
  return bytes;
}

// A number and a value for each id that names a place of a device that has not the id itself.
std::int64_t delivered_by_hand(const Along& along) {
  std::int64_t bytes = 0;
  const Shape& shape = along.values.shape();
  for (std::int32_t device = 0; device < along.result.devices(); ++device) {
    const synth::Box sums = synth::tile(along.result, device);
    const synth::Box own = synth::tile(along.values, device);
    for (std::size_t i = 0; i < along.named.size(); ++i) {
      bool is_own = true;
      bool is_wanted = true;
      auto rest = static_cast<std::int64_t>(i);
      for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
        const std::int64_t at = rest % shape[d];
        is_own = is_own && at >= own[d].begin && at < own[d].end;
        if (d + 1 < shape.size()) is_wanted = is_wanted && at >= sums[d].begin && at < sums[d].end;
      }
      const std::int64_t id = along.named[i] < 0 ? along.named[i] + along.result.shape().back() : along.named[i];
      if (!is_own && is_wanted && id >= sums.back().begin && id < sums.back().end) bytes += 4 + 4;
    }
  }
  return bytes;
}

TEST(LineDeliveries, HaveTheBitsOfOneDeviceAndBringWhatTilesLack) {
  synth::test::Random random(7);
  int delivered = 0;
  for (int i = 0; i < 600 && !HasFailure(); ++i) {
    const auto along = random_along(random, i % 50 == 0 ? 60 : 9);
    if (!along.has_value()) continue;
    const auto outcome = run_well(along_program(*along));
    const auto alone = run_well(along_program(on_one_device(*along)));
    EXPECT_EQ(gather(outcome.outputs[0])->bytes, gather(alone.outputs[0])->bytes)
        << synth::print(along->values) << " to " << synth::print(along->result);
    EXPECT_EQ(bytes_along(outcome), delivered_by_hand(*along)) << synth::print(along->result);
    const synth::LineDeliveries deliveries(along->values, along->result);
    EXPECT_LE(bytes_along(outcome), deliveries.values_at_most() * deliveries.element_bytes());
    delivered += bytes_along(outcome) > 0 ? 1 : 0;
  }
  EXPECT_GE(delivered, 200);
}

TEST(LineDeliveries, GiveTheSameOnRanksHoweverLateMessagesCome) {
  synth::test::Random random(31);
  const int wanted = std::getenv("TESSERA_FULL") == nullptr ? 60 : 1000;
  for (int i = 0; i < wanted && !HasFailure(); ++i) {
    const auto along = random_along(random, 12);
    if (!along.has_value()) continue;
    const synth::Program program = along_program(*along);
    const MemorySharing sharing = random.coin() ? MemorySharing::off : kCrowdSharing;
    EXPECT_THAT(differences(any_machines(random), sharing, program, static_cast<unsigned>(i) + 1), IsEmpty())
        << synth::print(along->values) << synth::print(along->result);
    const std::int64_t simulated = bytes_along(run_well(program));
    const auto counts = [&](const std::shared_ptr<Team>& team) -> std::string {
      World world;
      world.team = team;
      const auto outcome = run(program, {}, world);
      if (!outcome.ok()) return outcome.errors()[0].message;
      return bytes_along(*outcome) == simulated ? "" : "other counts";
    };
    EXPECT_THAT(in_crowd(any_machines(random), sharing, counts), IsEmpty());
  }
}

// An id that names no place is refused as on one device.
TEST(LineDeliveries, RefuseIdsOutsideOfALine) {
  synth::test::Random random(3);
  std::optional<Along> along;
  while (!along.has_value() || along->named.empty()) along = random_along(random, 9);
  along->named.front() = along->result.shape().back();
  const auto outcome = run(along_program(*along), {}, World{});
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.errors()[0].message, run(along_program(on_one_device(*along)), {}, World{}).errors()[0].message);
}

}  // namespace
}  // namespace tessera::runtime::test
