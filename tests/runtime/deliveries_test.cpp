// Rows that are added up where a split table has its rows: the bits of one device in every layout, no more received
// than owners lack, on simulated devices and on ranks.
#include "synth/moves/collective/deliveries.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/runtime/crowd.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::IsEmpty;

struct Adding {
  synth::Literal rows;
  std::vector<std::int64_t> ids;
  Shape ids_shape;
  std::int64_t extent;  // of the table
};

// Numbers of many sizes: in another order their sums have other bits.
synth::Literal uneven_numbers(const Shape& shape) {
  Array<float> array(shape);
  for (std::int64_t i = 0; i < array.size(); ++i)
    array.data()[i] = static_cast<float>(std::sin(static_cast<double>(i) * 1.7) * std::pow(10.0, i % 7 - 2));
  return array.literal();
}

struct AddingTypes {
  synth::ArrayType rows, ids, result;
};

std::optional<AddingTypes> adding_types(const Adding& adding, const synth::MeshRef& mesh, synth::test::Random& random) {
  Shape table = {adding.extent};
  for (std::size_t d = adding.ids_shape.size(); d < adding.rows.shape.size(); ++d)
    table.push_back(adding.rows.shape[d]);
  const synth::Layout of_result = any_layout(*mesh, table.size(), false, random);
  const synth::Layout of_ids = any_layout(*mesh, adding.ids_shape.size(), false, random);
  std::vector<synth::AxisList> ids(adding.ids_shape.size());
  ids[0] = of_ids.split(0);
  std::vector<synth::AxisList> rows = ids;
  for (std::size_t d = 1; d < table.size(); ++d) rows.push_back(of_result.split(d));
  const auto made = [&](ElementType element, const Shape& shape,
                        const std::vector<synth::AxisList>& splits) -> std::optional<synth::ArrayType> {
    auto layout = synth::Layout::make(*mesh, splits);
    if (!layout.ok()) return std::nullopt;
    return *synth::ArrayType::make(element, shape, mesh, std::move(layout).value());
  };
  const auto rows_type = made(ElementType::f32, adding.rows.shape, rows);
  const auto ids_type = made(ElementType::i64, adding.ids_shape, ids);
  const auto result_type = made(ElementType::f32, table, of_result.splits());
  if (ids[0].empty() || !rows_type || !ids_type || !result_type) return std::nullopt;
  return AddingTypes{*rows_type, *ids_type, *result_type};
}

AddingTypes on_one_device(const Adding& adding, const AddingTypes& types) {
  const auto whole = [](const synth::ArrayType& type) {
    return *synth::ArrayType::replicated(type.element(), type.shape(), synth::Mesh::single_device());
  };
  EXPECT_EQ(types.ids.shape(), adding.ids_shape);
  return {whole(types.rows), whole(types.ids), whole(types.result)};
}

synth::Program adding_program(const Adding& adding, const AddingTypes& types) {
  Builder builder(synth::print(types.result.mesh()));
  Array<std::int64_t> ids(adding.ids_shape);
  std::ranges::copy(adding.ids, ids.data());
  const auto constant = [&](synth::Literal literal, const synth::ArrayType& type) {
    return builder.apply(synth::Constant{builder.program().literals.add(std::move(literal))}, {}, synth::print(type));
  };
  const RegisterId rows = constant(adding.rows, types.rows);
  const RegisterId named = constant(ids.literal(), types.ids);
  builder.output(builder.apply(synth::ScatterAdd{}, {rows, named}, synth::print(types.result)));
  return builder.program();
}

Adding random_adding(synth::test::Random& random, std::size_t extent_max) {
  Adding adding{{},
                {},
                {static_cast<std::int64_t>(random.below(extent_max))},
                static_cast<std::int64_t>(1 + random.below(extent_max))};
  if (random.coin()) adding.ids_shape.push_back(static_cast<std::int64_t>(1 + random.below(4)));
  for (std::int64_t left = synth::elements(adding.ids_shape); left > 0; --left)
    adding.ids.push_back(static_cast<std::int64_t>(random.below(static_cast<std::size_t>(2 * adding.extent))) -
                         adding.extent);
  Shape rows = adding.ids_shape;
  for (std::size_t d = random.below(3); d > 0; --d) rows.push_back(static_cast<std::int64_t>(random.below(6)));
  adding.rows = uneven_numbers(rows);
  return adding;
}

synth::MeshRef mesh_for_adding(synth::test::Random& random) {
  return mesh_of(std::array{"x:4,y:2", "x:3", "x:2,y:3", "x:2,y:2,z:2", "x:3 work(1,3,2),y:2"}[random.below(5)]);
}

// A number and a row for each id, of those that devices with a row's sums do not have themselves.
std::int64_t delivered_by_hand(const Adding& adding, const AddingTypes& types) {
  std::int64_t bytes = 0;
  std::int64_t inner = 1;  // ids of a position of the first dimension
  for (std::size_t d = 1; d < adding.ids_shape.size(); ++d) inner *= adding.ids_shape[d];
  for (std::int64_t device = 0; device < types.result.devices(); ++device) {
    const synth::Box sums = synth::tile(types.result, device);
    const synth::Interval own = synth::tile_interval(types.ids, 0, device);
    std::int64_t row_bytes = 4;
    for (std::size_t d = 1; d < sums.size(); ++d) row_bytes *= sums[d].length();
    for (std::size_t i = 0; row_bytes > 0 && i < adding.ids.size(); ++i) {
      const std::int64_t at = static_cast<std::int64_t>(i) / inner;
      const std::int64_t row = adding.ids[i] < 0 ? adding.ids[i] + adding.extent : adding.ids[i];
      const bool is_own = at >= own.begin && at < own.end;
      if (!is_own && row >= sums[0].begin && row < sums[0].end) bytes += 4 + row_bytes;
    }
  }
  return bytes;
}

std::int64_t all_received(const Outcome& outcome) {
  std::int64_t bytes = 0;
  for (const OriginStatistics& one : outcome.statistics) bytes += one.received_bytes;
  return bytes;
}

TEST(Deliveries, HaveTheBitsOfOneDeviceAndBringWhatOwnersLack) {
  synth::test::Random random(5);
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    const Adding adding = random_adding(random, i % 50 == 0 ? 200 : 12);
    const auto types = adding_types(adding, mesh_for_adding(random), random);
    if (!types.has_value()) continue;
    const auto outcome = run_well(adding_program(adding, *types));
    const auto alone = run_well(adding_program(adding, on_one_device(adding, *types)));
    EXPECT_EQ(gather(outcome.outputs[0])->bytes, gather(alone.outputs[0])->bytes)
        << synth::print(types->rows) << " to " << synth::print(types->result);
    EXPECT_EQ(all_received(outcome), delivered_by_hand(adding, *types)) << synth::print(types->result);
    EXPECT_LE(all_received(outcome), synth::delivered_bytes_at_most(synth::RowDeliveries(types->ids, types->result)));
  }
}

TEST(Deliveries, GiveTheSameOnRanksHoweverLateMessagesCome) {
  synth::test::Random random(29);
  const int wanted = std::getenv("TESSERA_FULL") == nullptr ? 60 : 1000;
  for (int i = 0; i < wanted && !HasFailure(); ++i) {
    const Adding adding = random_adding(random, 40);
    const auto types = adding_types(adding, mesh_for_adding(random), random);
    if (!types.has_value()) continue;
    const synth::Program program = adding_program(adding, *types);
    const MemorySharing sharing = random.coin() ? MemorySharing::off : kCrowdSharing;
    EXPECT_THAT(differences(any_machines(random), sharing, program, static_cast<unsigned>(i) + 1), IsEmpty())
        << synth::print(types->rows) << synth::print(types->result);
    const std::int64_t simulated = all_received(run_well(program));
    const auto counts = [&](const std::shared_ptr<Team>& team) -> std::string {
      World world;
      world.team = team;
      const auto outcome = run(program, {}, world);
      if (!outcome.ok()) return outcome.errors()[0].message;
      return all_received(*outcome) == simulated ? "" : "other counts";
    };
    EXPECT_THAT(in_crowd(any_machines(random), sharing, counts), IsEmpty());
  }
}

// More than is delivered at once: tiles of ids follow each other.
TEST(Deliveries, OfLargeTilesGoOneAfterTheOther) {
  Adding adding{uneven_numbers({6, 1'000'000}), {5, 0, 5, 1, 0, 5}, {6}, 6};
  const AddingTypes types{type_of("f32[6@x, 1000000]", mesh_of("x:3")), type_of("i64[6@x]", mesh_of("x:3")),
                          type_of("f32[6@x, 1000000]", mesh_of("x:3"))};
  EXPECT_THAT(differences({0, 1, 2}, MemorySharing::off, adding_program(adding, types), 3), IsEmpty());
}

}  // namespace
}  // namespace tessera::runtime::test
