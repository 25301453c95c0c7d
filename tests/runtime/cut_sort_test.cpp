// Lines that are sorted over several tiles: the bits of one device in every layout, no element received twice, on
// simulated devices and on ranks.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "synth/moves/collective/sort_cuts.hpp"
#include "tests/runtime/crowd.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::IsEmpty;

// Few different elements, many, or an order that is there already; of floats also zeros of both signs and NaN.
template <class T>
std::vector<T> random_elements(std::size_t count, synth::test::Random& random) {
  std::vector<T> all(count);
  const std::uint64_t different = std::array<std::uint64_t, 4>{1, 3, 40, 1'000'000}[random.below(4)];
  for (T& each : all) each = static_cast<T>(static_cast<double>(random.below(different)) - 1);
  if (random.below(3) == 0) std::ranges::sort(all);
  if (random.below(6) == 0) std::ranges::reverse(all);
  if constexpr (std::is_floating_point_v<T>) {
    for (std::size_t k = 0; k < count / 5; ++k) {
      const T some = std::array<T, 3>{T{0}, -T{0}, std::numeric_limits<T>::quiet_NaN()}[random.below(3)];
      all[random.below(count)] = some;
    }
  }
  return all;
}

synth::Literal random_literal(ElementType element, const Shape& shape, synth::test::Random& random) {
  return synth::visit_element(element, [&](auto zero) {
    using T = decltype(zero);
    Array<T> array(shape);
    const auto all = random_elements<std::conditional_t<std::is_same_v<T, bool>, std::int32_t, T>>(
        static_cast<std::size_t>(array.size()), random);
    std::ranges::transform(all, array.data(), [](auto each) { return static_cast<T>(each); });
    return array.literal();
  });
}

synth::Program program_of(const synth::Literal& array, const synth::ArrayType& type, bool positions) {
  Builder builder(synth::print(type.mesh()));
  const RegisterId lines =
      builder.apply(synth::Constant{builder.program().literals.add(array)}, {}, synth::print(type));
  const auto result = positions ? *type.with_element(ElementType::i64) : type;
  builder.output(builder.apply(synth::Sort{positions}, {lines}, synth::print(result)));
  return builder.program();
}

std::optional<synth::ArrayType> random_type(ElementType element, const Shape& shape, synth::test::Random& random) {
  const synth::MeshRef mesh =
      mesh_of(std::array{"x:4,y:2", "x:3", "x:2,y:3", "x:2,y:2,z:2", "x:3 work(1,3,2),y:2", "x:8"}[random.below(6)]);
  auto type = synth::ArrayType::make(element, shape, mesh, any_layout(*mesh, shape.size(), false, random));
  return type.ok() && synth::sorts_by_cuts(*type) ? std::optional(*type) : std::nullopt;
}

struct Sorting {
  synth::Literal array;
  synth::ArrayType type;
  bool positions = false;
};
std::optional<Sorting> random_sorting(synth::test::Random& random, std::size_t extent_max) {
  const ElementType element = std::array{ElementType::f32, ElementType::f64, ElementType::i32, ElementType::i64,
                                         ElementType::boolean}[random.below(5)];
  Shape shape;
  for (std::size_t d = random.below(3); d > 0; --d) shape.push_back(static_cast<std::int64_t>(random.below(5)));
  shape.push_back(static_cast<std::int64_t>(random.below(extent_max)));
  const auto type = random_type(element, shape, random);
  if (!type.has_value()) return std::nullopt;
  return Sorting{random_literal(element, shape, random), *type, random.coin()};
}

std::vector<std::byte> on_one_device(const Sorting& own) {
  const auto whole = synth::ArrayType::replicated(own.type.element(), own.type.shape(), mesh_of("x:1"));
  return gather(run_well(program_of(own.array, *whole, own.positions)).outputs[0])->bytes;
}

std::int64_t received_bytes(const Outcome& outcome) {
  std::int64_t bytes = 0;
  for (const OriginStatistics& one : outcome.statistics) bytes += one.received_bytes;
  return bytes;
}

// The elements that each tile of the result is made of and the operand's lacks, by the positions where they were.
std::int64_t elements_lacking(const Sorting& own) {
  Sorting positions = own;
  positions.positions = true;
  const std::vector<std::byte> bytes = on_one_device(positions);
  const auto* const places = reinterpret_cast<const std::int64_t*>(bytes.data());
  const std::size_t last = own.type.rank() - 1;
  const std::int64_t length = own.type.shape()[last];
  std::int64_t lacking = 0;
  for (std::int64_t device = 0; device < own.type.devices(); ++device) {
    const synth::Box tile = synth::tile(own.type, device);
    for (std::int64_t i = 0; i < synth::elements(own.type.shape()); ++i) {
      std::int64_t rest = i;
      bool is_held = true;
      for (std::size_t d = own.type.rank(); d-- > 0; rest /= own.type.shape()[d])
        is_held = is_held && tile[d].begin <= rest % own.type.shape()[d] && rest % own.type.shape()[d] < tile[d].end;
      const bool was_here = length > 0 && tile[last].begin <= places[i] && places[i] < tile[last].end;
      lacking += is_held && !was_here ? 1 : 0;
    }
  }
  return lacking;
}

TEST(CutSort, HasTheBitsOfOneDeviceAndReceivesWhatTilesLack) {
  synth::test::Random random(5);
  int sorted = 0;
  for (int i = 0; i < 600 && !HasFailure(); ++i) {
    const auto own = random_sorting(random, i % 20 == 0 ? 3000 : 60);
    if (!own.has_value()) continue;
    ++sorted;
    const auto outcome = run_well(program_of(own->array, own->type, own->positions));
    EXPECT_EQ(gather(outcome.outputs[0])->bytes, on_one_device(*own)) << synth::print(own->type) << own->positions;
    if (synth::is_float(own->type.element()) && !own->positions) continue;  // zeros of two signs, which positions lack
    const synth::SortCuts cuts(own->type, own->positions);
    std::int64_t searched = 0;
    for (std::int32_t device = 0; device < own->type.devices(); ++device) searched += cuts.search_bytes_at_most(device);
    const std::int64_t rest = received_bytes(outcome) - elements_lacking(*own) * cuts.record_bytes();
    EXPECT_GE(rest, 0) << synth::print(own->type);
    EXPECT_LE(rest, searched) << synth::print(own->type);
  }
  EXPECT_GE(sorted, 150);
}

// What is told beside elements: 300 bytes for each pair of tiles and line, and 450 where elements have 8 bytes.
TEST(CutSort, SeeksCutsInFewBytes) {
  synth::test::Random random(7);
  for (const auto element : {ElementType::f32, ElementType::f64}) {
    for (const std::uint64_t different : {std::uint64_t{1}, std::uint64_t{100}, std::uint64_t{1} << 40U}) {
      const Shape shape = {1 << 17};
      const auto type =
          *synth::ArrayType::make(element, shape, mesh_of("x:4"),
                                  *synth::Layout::make(*mesh_of("x:4"), {{synth::whole_axis(*mesh_of("x:4"), 0)}}));
      const synth::Literal array = synth::visit_element(element, [&](auto zero) {
        using T = decltype(zero);
        Array<T> all(shape);
        for (std::int64_t k = 0; k < all.size(); ++k) all.data()[k] = static_cast<T>(random.below(different));
        return all.literal();
      });
      const Sorting own{array, type, false};
      const std::int64_t bytes = received_bytes(run_well(program_of(array, type, false)));
      const std::int64_t beside = bytes - elements_lacking(own) * synth::bytes_of(element);
      EXPECT_LE(beside, (element == ElementType::f32 ? 300 : 450) * 16) << different;
    }
  }
}

TEST(CutSort, GivesAndCountsTheSameOnRanksHoweverLateMessagesCome) {
  synth::test::Random random(29);
  const int wanted = std::getenv("TESSERA_FULL") == nullptr ? 80 : 1000;
  for (int i = 0; i < wanted && !HasFailure(); ++i) {
    const auto own = random_sorting(random, i % 10 == 0 ? 2000 : 50);
    if (!own.has_value()) continue;
    const synth::Program program = program_of(own->array, own->type, own->positions);
    const Machines machines = any_machines(random);
    EXPECT_THAT(differences(machines, random.coin() ? MemorySharing::off : kCrowdSharing, program,
                            static_cast<unsigned>(i) + 1),
                IsEmpty())
        << synth::print(own->type);
    const std::int64_t simulated = received_bytes(*run(program, {}, World{}));
    const auto other = in_crowd(machines, MemorySharing::off, [&](const std::shared_ptr<Team>& team) -> std::string {
      World world;
      world.team = team;
      const auto outcome = run(program, {}, world);
      if (!outcome.ok()) return outcome.errors()[0].message;
      return received_bytes(*outcome) == simulated ? "" : "other counts";
    });
    EXPECT_THAT(other, IsEmpty()) << synth::print(own->type);
  }
}

// More elements than a piece of a message holds, all of which move.
TEST(CutSort, GoesInPiecesOnRanks) {
  const Shape shape = {2, 700'000};
  const synth::MeshRef mesh = mesh_of("x:2");
  const auto type = *synth::ArrayType::make(ElementType::f32, shape, mesh,
                                            *synth::Layout::make(*mesh, {{}, {synth::whole_axis(*mesh, 0)}}));
  Array<float> array(shape);
  for (std::int64_t k = 0; k < array.size(); ++k) array.data()[k] = static_cast<float>(array.size() - k);
  for (const bool positions : {false, true})
    EXPECT_THAT(differences({0, 1}, MemorySharing::off, program_of(array.literal(), type, positions), 7), IsEmpty());
}

}  // namespace
}  // namespace tessera::runtime::test
