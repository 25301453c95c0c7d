// Several meshes at run time: which rank has which device, where arrays lie that share no device, what every rank
// knows, and arrays that go from mesh to mesh on crowds of ranks.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "runtime/memory/device_ranks.hpp"
#include "runtime/memory/known_scalars.hpp"
#include "runtime/memory/places.hpp"
#include "runtime/memory/plan.hpp"
#include "tests/runtime/crowd.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::IsEmpty;

// A mesh of one axis on a few of the first twenty devices, in one or two ranges.
synth::MeshRef random_mesh_on(const std::string& axis) {
  const auto size = *rc::gen::inRange<std::int64_t>(1, 6);
  const auto begin = *rc::gen::inRange<std::int64_t>(0, 15);
  const auto first = *rc::gen::inRange<std::int64_t>(0, size);
  std::vector<synth::DeviceRange> ranges = {{begin + first, begin + size}};
  if (first > 0) ranges.push_back({begin, begin + first});
  const auto mesh = synth::Mesh::make_on({{axis, size}}, ranges);
  RC_ASSERT(mesh.ok());
  return *mesh;
}

RC_GTEST_PROP(MeshRanks, EveryNumberIsInTheBlockOfItsOwner, ()) {
  const synth::MeshRef mesh = random_mesh_on("x");
  const DeviceRanks ranks(*rc::gen::inRange(1, 30), mesh->devices_end() + *rc::gen::inRange<std::int64_t>(0, 5));
  std::int64_t next = 0;
  for (int rank = 0; rank < ranks.ranks(); ++rank) {
    const Block block = ranks.block(rank, *mesh);
    RC_ASSERT(block.begin == next);
    for (next = block.begin; next < block.end; ++next) {
      RC_ASSERT(ranks.owner(*mesh, next) == rank);
      RC_ASSERT(ranks.owner(mesh->run_device(next)) == rank);
    }
  }
  RC_ASSERT(next == mesh->devices());
}

// Arrays that are alive at once on one device never overlap.
RC_GTEST_PROP(PlacesProperty, NoDeviceHasTwoArraysInOnePlace, ()) {
  synth::Program program;
  for (const char* axis : {"x", "y", "z"}) {
    const synth::MeshRef mesh = random_mesh_on(axis);
    for (int k = 0; k < 4; ++k) program.registers.add(*synth::ArrayType::replicated(ElementType::f32, {64}, mesh));
  }
  Places places(TileMaps(program), program);
  struct Held {
    std::int64_t begin;
    std::int64_t end;
  };
  std::map<std::uint32_t, Held> held;
  for (int step = 0; step < 40; ++step) {
    const RegisterId id{*rc::gen::inRange<std::uint32_t>(0, 12)};
    if (const auto found = held.find(id.value); found != held.end()) {
      places.give_back(id, found->second.begin, found->second.end - found->second.begin);
      held.erase(found);
      continue;
    }
    const auto bytes = *rc::gen::inRange<std::int64_t>(1, 300);
    const std::int64_t begin = places.take(id, bytes);
    const synth::Mesh& mesh = program.registers[id].mesh();
    for (const auto& [other, place] : held) {
      const synth::Mesh& others = program.registers[RegisterId{other}].mesh();
      bool shares = false;
      for (std::int64_t n = 0; n < mesh.devices(); ++n) shares = shares || others.number_of(mesh.device_of_run(n));
      RC_ASSERT(!shares || place.end <= begin || begin + bytes <= place.begin);
    }
    held[id.value] = {begin, begin + bytes};
  }
}

synth::ArrayType type_on(std::string_view type, std::string_view mesh) { return type_of(type, mesh_of(mesh)); }

TEST(MemoryPlan, DevicesHaveRoomForTheirOwnMeshesOnly) {
  Builder builder("");
  const auto made = [&](const synth::ArrayType& type) {
    const RegisterId id = builder.apply(synth::Iota{}, {}, type);
    builder.output(id);
    return id;
  };
  const RegisterId a = made(type_on("f32[64@x]", "x:2"));
  const RegisterId b = made(type_on("f32[512@y]", "y:2 on 2:4"));
  const RegisterId c = made(type_on("f32[64]", "z:2 on 3:5"));
  const MemoryPlan plan = plan_memory(builder.program(), TileMaps(builder.program()));
  EXPECT_EQ(plan[a].offset, 0);
  EXPECT_EQ(plan[b].offset, 0);     // no device is in both meshes
  EXPECT_EQ(plan[c].offset, 1024);  // device 3 has b, too
  EXPECT_EQ(plan.arena_bytes, (std::vector<std::int64_t>{128, 128, 1024, 1280, 1280}));
  EXPECT_EQ(plan.peak_bytes, 1024 + 256);
}

TEST(KnownScalars, AreConstantsIndicesAndWhatIsComputedOfThem) {
  Builder builder("x:2");
  const RegisterId two = builder.number(2);
  const RegisterId made = builder.apply(synth::Iota{}, {}, "i64[4]");
  const RegisterId total = builder.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {made}, "i64[]");
  const RegisterId twice = builder.apply(synth::Map{synth::MapOp::add}, {two, two}, "i64[]");
  const RegisterId more = builder.apply(synth::Map{synth::MapOp::add}, {two, total}, "i64[]");
  const std::vector<bool> known = known_scalars(builder.program());
  EXPECT_TRUE(known[two.value] && known[twice.value]);
  EXPECT_FALSE(known[made.value] || known[total.value] || known[more.value]);
}

// The part of a rank's outcome that is not as simulated.
std::string difference_of(const Outcome& outcome, const Outcome& simulated) {
  for (std::size_t k = 0; k < simulated.outputs.size(); ++k) {
    const Value& mine = outcome.outputs.at(k);
    for (std::int64_t device = 0; device < mine.type().devices(); ++device) {
      if (mine.has_device(device) && !std::ranges::equal(mine.tile(device), simulated.outputs[k].tile(device)))
        return fmt::format("another tile of number {}", device);
    }
  }
  for (std::size_t k = 0; k < simulated.statistics.size(); ++k) {
    if (outcome.statistics.at(k).received_bytes != simulated.statistics[k].received_bytes) return "other statistics";
  }
  return outcome.peak_bytes == simulated.peak_bytes ? "" : "another peak";
}

std::vector<std::string> differences_on_ranks(const Machines& machines, MemorySharing sharing,
                                              const synth::Program& program) {
  const Outcome simulated = run_well(program);
  return in_crowd(machines, sharing, [&](const std::shared_ptr<Team>& team) -> std::string {
    World world;
    world.team = team;
    const auto outcome = run(program, {}, world);
    return outcome.ok() ? difference_of(*outcome, simulated) : outcome.errors()[0].message;
  });
}

Machines random_machines_of_ranks() {
  const auto ranks = *rc::gen::inRange(2, 10);
  const auto labels = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(ranks), rc::gen::inRange(0, 3));
  Machines machines;
  for (const int label : labels)
    machines.push_back(static_cast<int>(std::find(labels.begin(), labels.end(), label) - labels.begin()));
  return machines;
}

// There and back again; the value ends where it began.
RC_GTEST_PROP(CrowdProperty, AnyCrossingGivesTheSameBits, ()) {
  const Shape shape{*rc::gen::inRange<std::int64_t>(0, 9), *rc::gen::inRange<std::int64_t>(0, 9)};
  const synth::ArrayType from = random_type(ElementType::f32, shape, random_mesh_on("x"));
  const synth::ArrayType to = random_type(ElementType::f32, shape, random_mesh_on("y"));
  Builder builder("");
  const RegisterId in = builder.apply(synth::Iota{}, {}, from);
  const RegisterId there = builder.collect(synth::CollectiveKind::exchange, in, to);
  builder.output(there);
  builder.output(builder.collect(synth::CollectiveKind::exchange, there, from));
  const Outcome simulated = run_well(builder.program());
  const Value& back = simulated.outputs[1];
  for (std::int64_t device = 0; device < from.devices(); ++device) {
    const synth::Box box = synth::tile(from, device);
    const auto* const elements = reinterpret_cast<const float*>(back.tile(device).data());
    std::int64_t at = 0;
    for (std::int64_t i = box[0].begin; i < box[0].end; ++i) {
      for (std::int64_t j = box[1].begin; j < box[1].end; ++j)
        RC_ASSERT(elements[at++] == static_cast<float>(i * shape[1] + j));
    }
  }
  const auto sharing = *rc::gen::element(kCrowdSharing, MemorySharing::off);
  RC_ASSERT(differences_on_ranks(random_machines_of_ranks(), sharing, builder.program()).empty());
}

// A loop on one mesh whose count is data of another, with its index on both.
TEST(Crowd, LoopsCountByScalarsOfOtherMeshes) {
  const synth::MeshRef a = mesh_of("x:2");
  const synth::MeshRef b = mesh_of("y:3 on 4:7");
  Builder builder("");
  const RegisterId numbers = builder.apply(synth::Iota{}, {}, type_of("i64[3]", a));
  synth::Repeat repeat;
  repeat.count = builder.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {numbers}, type_of("i64[]", a));
  const RegisterId one = builder.apply(synth::Iota{}, {}, type_of("i64[6@y]", b));
  repeat.index = builder.reg(type_of("i64[]", a));
  repeat.indices_elsewhere = {builder.reg(type_of("i64[]", b))};
  repeat.initial = {numbers, one};
  repeat.parameters = {builder.reg(type_of("i64[3]", a)), builder.reg(type_of("i64[6@y]", b))};
  builder.into(&repeat.body);
  repeat.next = {
      builder.apply(synth::Map{synth::MapOp::add}, {repeat.parameters[0], repeat.index}, type_of("i64[3]", a)),
      builder.apply(synth::Map{synth::MapOp::add}, {repeat.parameters[1], repeat.indices_elsewhere[0]},
                    type_of("i64[6@y]", b))};
  builder.into(nullptr);
  repeat.results = {builder.reg(type_of("i64[3]", a)), builder.reg(type_of("i64[6@y]", b))};
  const std::vector<RegisterId> results = repeat.results;
  builder.add(std::move(repeat));
  for (const RegisterId id : results) builder.output(id);
  const std::string text = synth::print(builder.program());
  const auto again = synth::read_program(text);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(synth::print(*again), text);
  const Outcome simulated = run_well(builder.program());
  EXPECT_EQ(reinterpret_cast<const std::int64_t*>(simulated.outputs[1].tile(2).data())[1], 5 + 3);
  for (const Machines& machines : {Machines{0, 0, 0}, Machines{0, 1, 2, 3, 4, 5, 6}, Machines{0, 0, 2, 2, 2}}) {
    EXPECT_THAT(differences_on_ranks(machines, MemorySharing::off, builder.program()), IsEmpty());
    EXPECT_THAT(differences_on_ranks(machines, kCrowdSharing, builder.program()), IsEmpty());
  }
}

}  // namespace
}  // namespace tessera::runtime::test
