// Rows of a split table that ids name: the elements of one device in every layout, no more received than tiles lack, on
// simulated devices and on ranks.
#include "synth/moves/collective/requests.hpp"

#include <gmock/gmock.h>

#include <set>

#include "runtime/transfers/row_stream.hpp"
#include "tests/runtime/crowd.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::IsEmpty;

struct Taking {
  synth::Literal table;
  std::vector<std::int64_t> ids;
  Shape ids_shape;
};

synth::Literal numbered(ElementType element, const Shape& shape) {
  return synth::visit_element(element, [&](auto zero) {
    using T = decltype(zero);
    Array<T> array(shape);
    for (std::int64_t i = 0; i < array.size(); ++i) array.data()[i] = static_cast<T>(i % 251);
    return array.literal();
  });
}

// Types of a table whose rows are split, of ids, and of the rows that they fetch; nothing where they do not go
// together.
struct TakingTypes {
  synth::ArrayType table, ids, result;
};
std::optional<TakingTypes> types_of(const Taking& taking, const synth::MeshRef& mesh, synth::test::Random& random) {
  const auto laid_out = [&](ElementType element, const Shape& shape) {
    return synth::ArrayType::make(element, shape, mesh, any_layout(*mesh, shape.size(), false, random));
  };
  const auto table = laid_out(taking.table.element, taking.table.shape);
  const auto ids = laid_out(ElementType::i64, taking.ids_shape);
  if (!table.ok() || !ids.ok() || table->layout().split(0).empty()) return std::nullopt;
  Shape shape = taking.ids_shape;
  std::vector<synth::AxisList> splits = ids->layout().splits();
  for (std::size_t d = 1; d < taking.table.shape.size(); ++d) {
    shape.push_back(taking.table.shape[d]);
    splits.push_back(table->layout().split(d));
  }
  auto layout = synth::Layout::make(*mesh, splits);
  if (!layout.ok()) return std::nullopt;
  return TakingTypes{*table, *ids, *synth::ArrayType::make(taking.table.element, shape, mesh, *layout)};
}

synth::Program program_of(const Taking& taking, const TakingTypes& types) {
  Builder builder(synth::print(types.table.mesh()));
  Array<std::int64_t> ids(taking.ids_shape);
  std::ranges::copy(taking.ids, ids.data());
  const auto constant = [&](synth::Literal literal, const synth::ArrayType& type) {
    return builder.apply(synth::Constant{builder.program().literals.add(std::move(literal))}, {}, synth::print(type));
  };
  const RegisterId table = constant(taking.table, types.table);
  const RegisterId named = constant(ids.literal(), types.ids);
  builder.output(builder.apply(synth::Take{}, {table, named}, synth::print(types.result)));
  return builder.program();
}

std::vector<std::byte> rows_by_hand(const Taking& taking) {
  const std::size_t row = taking.table.bytes.size() / static_cast<std::size_t>(taking.table.shape[0]);
  std::vector<std::byte> all;
  for (const std::int64_t id : taking.ids) {
    const auto number = static_cast<std::size_t>(id < 0 ? id + taking.table.shape[0] : id);
    const auto begin = taking.table.bytes.begin() + static_cast<std::ptrdiff_t>(number * row);
    all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(row));
  }
  return all;
}

// A number for each row that the ids of a device's tile name and its tile of the table lacks, and the row.
std::int64_t bytes_by_hand(const Taking& taking, const TakingTypes& types) {
  std::int64_t bytes = 0;
  for (std::int64_t device = 0; device < types.table.devices(); ++device) {
    const synth::Box own = synth::tile(types.table, device);
    std::int64_t row_bytes = synth::bytes_of(types.table.element());
    for (std::size_t d = 1; d < own.size(); ++d) row_bytes *= own[d].length();
    const synth::Box held = synth::tile(types.ids, device);
    std::set<std::int64_t> lacking;
    for (std::size_t i = 0; i < taking.ids.size(); ++i) {
      auto rest = static_cast<std::int64_t>(i);
      bool is_held = true;
      for (std::size_t d = held.size(); d-- > 0; rest /= taking.ids_shape[d]) {
        const std::int64_t at = rest % taking.ids_shape[d];
        is_held = is_held && at >= held[d].begin && at < held[d].end;
      }
      const std::int64_t row = taking.ids[i] < 0 ? taking.ids[i] + taking.table.shape[0] : taking.ids[i];
      if (is_held && (row < own[0].begin || row >= own[0].end)) lacking.insert(row);
    }
    if (row_bytes > 0) bytes += std::ssize(lacking) * (4 + row_bytes);
  }
  return bytes;
}

Taking random_taking(synth::test::Random& random, std::size_t extent_max) {
  Shape table = {static_cast<std::int64_t>(1 + random.below(extent_max))};
  for (std::size_t d = random.below(3); d > 0; --d) table.push_back(static_cast<std::int64_t>(random.below(7)));
  Taking taking{numbered(random.coin() ? ElementType::f32 : ElementType::boolean, table), {}, {}};
  for (std::size_t d = random.below(3); d > 0; --d)
    taking.ids_shape.push_back(static_cast<std::int64_t>(random.below(extent_max)));
  const auto rows = static_cast<std::size_t>(table[0]);
  for (std::int64_t left = synth::elements(taking.ids_shape); left > 0; --left)
    taking.ids.push_back(static_cast<std::int64_t>(random.below(2 * rows)) - table[0]);
  return taking;
}

synth::MeshRef random_mesh_of_five(synth::test::Random& random) {
  return mesh_of(std::array{"x:4,y:2", "x:3", "x:2,y:3", "x:2,y:2,z:2", "x:3 work(1,3,2),y:2"}[random.below(5)]);
}

// Steps that received something, and bytes, of all origins.
std::pair<std::int64_t, std::int64_t> counted(const Outcome& outcome) {
  std::pair<std::int64_t, std::int64_t> all;
  for (const OriginStatistics& one : outcome.statistics) {
    all.first += one.steps;
    all.second += one.received_bytes;
  }
  return all;
}

TEST(Requests, FetchWhatIdsNameAndTilesLack) {
  synth::test::Random random(3);
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    const Taking taking = random_taking(random, i % 50 == 0 ? 300 : 12);
    const auto types = types_of(taking, random_mesh_of_five(random), random);
    if (!types.has_value()) continue;
    const auto outcome = run_well(program_of(taking, *types));
    EXPECT_EQ(gather(outcome.outputs[0])->bytes, rows_by_hand(taking)) << synth::print(types->table);
    const std::int64_t received = counted(outcome).second;
    EXPECT_EQ(received, bytes_by_hand(taking, *types)) << synth::print(types->table) << synth::print(types->ids);
    EXPECT_LE(received, synth::requested_bytes_at_most(synth::RowRequests(types->table), types->ids));
  }
}

// What a run on these ranks counts, or says, where that is not what the simulation does.
std::vector<std::string> other_counts(const Machines& machines, const synth::Program& program) {
  const auto simulated = run(program, {}, World{});
  return in_crowd(machines, MemorySharing::off, [&](const std::shared_ptr<Team>& team) -> std::string {
    World world;
    world.team = team;
    const auto outcome = run(program, {}, world);
    if (outcome.ok() != simulated.ok()) return outcome.ok() ? "no failure" : outcome.errors()[0].message;
    if (outcome.ok()) return counted(*outcome) == counted(*simulated) ? "" : "other counts";
    return outcome.errors()[0].message == simulated.errors()[0].message ? "" : outcome.errors()[0].message;
  });
}

TEST(Requests, AreCountedAlikeOnRanks) {
  synth::test::Random random(31);
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    const Taking taking = random_taking(random, 40);
    const auto types = types_of(taking, random_mesh_of_five(random), random);
    if (!types.has_value()) continue;
    EXPECT_THAT(other_counts(any_machines(random), program_of(taking, *types)), IsEmpty());
  }
}

TEST(Requests, GiveTheSameOnRanksHoweverLateMessagesCome) {
  synth::test::Random random(23);
  const int wanted = std::getenv("TESSERA_FULL") == nullptr ? 60 : 1000;
  for (int i = 0; i < wanted && !HasFailure(); ++i) {
    const Taking taking = random_taking(random, 40);
    const auto types = types_of(taking, random_mesh_of_five(random), random);
    if (!types.has_value()) continue;
    const MemorySharing sharing = random.coin() ? MemorySharing::off : kCrowdSharing;
    EXPECT_THAT(differences(any_machines(random), sharing, program_of(taking, *types), static_cast<unsigned>(i) + 1),
                IsEmpty())
        << synth::print(types->table) << synth::print(types->ids);
  }
}

// Rows longer than a piece of a message, and more of them than a piece holds.
TEST(Requests, GoInPiecesOnRanks) {
  for (const Shape& shape : {Shape{4, 700'000}, Shape{4, 3, 200'000}, Shape{9000, 100}}) {
    Taking taking{numbered(ElementType::f32, shape), {}, {shape[0]}};
    for (std::int64_t k = 0; k < shape[0]; ++k) taking.ids.push_back(shape[0] - 1 - k);
    const synth::MeshRef mesh = mesh_of("x:2");
    const synth::AxisList x = {synth::whole_axis(*mesh, 0)};
    const auto split = [&](ElementType element, const Shape& own) {
      std::vector<synth::AxisList> splits(own.size());
      splits[0] = x;
      return *synth::ArrayType::make(element, own, mesh, *synth::Layout::make(*mesh, splits));
    };
    const TakingTypes types{split(ElementType::f32, shape), split(ElementType::i64, {shape[0]}),
                            split(ElementType::f32, shape)};
    EXPECT_THAT(differences({0, 1}, MemorySharing::off, program_of(taking, types), 7), IsEmpty());
  }
}

// A rank whose ids are wrong says so, and the others do not wait for its requests.
TEST(Requests, WithAWrongIdFailAlikeOnRanks) {
  Taking taking{numbered(ElementType::f32, {8, 2}), {0, 1, 2, 8}, {4}};
  const TakingTypes types{type_of("f32[8@x, 2]", mesh_of("x:4")), type_of("i64[4@x]", mesh_of("x:4")),
                          type_of("f32[4@x, 2]", mesh_of("x:4"))};
  EXPECT_THAT(other_counts({0, 0, 2, 2}, program_of(taking, types)), IsEmpty());
}

TEST(RowPieces, AreNoLongerThanAPieceAndLeaveNothingOut) {
  const std::vector<RowRun> runs = {{{3, 5}, 4}, {{}, 3}, {{0}, 9}, {{2, 500'000}, 2}, {{1}, 600'000}, {{7}, 0}};
  std::vector<std::int64_t> elements(runs.size());
  for (const RowPiece& piece : row_pieces(runs, 4)) {
    const std::int64_t own = (piece.end - piece.first) * synth::elements(piece.box);
    EXPECT_GT(own, 0);
    EXPECT_LE(own * 4, static_cast<std::int64_t>(kPieceBytes));
    elements[piece.run] += own;
  }
  EXPECT_THAT(elements, testing::ElementsAre(60, 3, 0, 2'000'000, 600'000, 0));
}

}  // namespace
}  // namespace tessera::runtime::test
