// Parts that are made where they belong give what parts do that are made apart and copied there, and take no memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>

#include "runtime/memory/plan.hpp"
#include "tests/runtime/crowd.hpp"
#include "tests/runtime/support.hpp"
#include "tests/synth/random_layouts.hpp"

namespace tessera::runtime::test {
namespace {

using synth::MapOp;
using synth::test::Random;
using testing::IsEmpty;

enum class Made : std::uint8_t { perhaps_there, apart };

// A loop over two arrays: a part of the second becomes a formula of parts of both.
struct PartLoop {
  std::string mesh, layout, line;  // the layouts with {} for the extents; a line has one row
  std::int64_t rows, columns, part_rows, part_columns;
  Shape at;                             // where the part goes
  std::vector<Shape> points = {};       // where windows of the first array begin
  std::vector<Shape> base_points = {};  // and of the second one, before anything is written
  bool lays_row = false;                // a row is written before the part is
  std::int64_t row = 0;
  bool swaps = true;         // the arrays change places from turn to turn
  bool reads_later = false;  // something reads the second array after it would be written over
  std::int64_t turns = 3;

  std::string type(std::int64_t n, std::int64_t m) const { return "f64" + fmt::format(fmt::runtime(layout), n, m); }
  std::string all() const { return type(rows, columns); }
  std::string part() const { return type(part_rows, part_columns); }
};

RegisterId window_at(Builder& b, RegisterId from, const Shape& begin, const std::string& type) {
  synth::Assemble slice{false, {{0, {}}}};
  for (const std::int64_t at : begin) slice.parts[0].placements.push_back(synth::Placement{-at});
  return b.apply(slice, {from}, type);
}

RegisterId laid_at(Builder& b, RegisterId base, RegisterId part, const Shape& begin, const std::string& type) {
  synth::Assemble update{true, {{1, {}}}};
  for (const std::int64_t at : begin) update.parts[0].placements.push_back(synth::Placement{at});
  return b.apply(update, {base, part}, type);
}

std::vector<RegisterId> part_turn(Builder& b, const PartLoop& p, RegisterId first, RegisterId second, Made how) {
  RegisterId base = second;
  if (p.lays_row) {
    const RegisterId number = b.constant(Array<double>::scalar(0.25), "f64[]");
    const RegisterId line = b.apply(synth::Fill{}, {number}, "f64" + fmt::format(fmt::runtime(p.line), p.columns));
    base = b.apply(synth::Lay{{{p.row, 1}, {0, p.columns}}}, {second, line}, p.all());
  }
  const RegisterId half = b.constant(Array<double>::scalar(0.5), "f64[]");
  RegisterId sum = b.apply(synth::Map{MapOp::multiply}, {window_at(b, first, p.points[0], p.part()), half}, p.part());
  const auto add = [&](RegisterId from, const Shape& point) {
    const RegisterId angle = b.apply(synth::Map{MapOp::sin}, {sum}, p.part());
    sum = b.apply(synth::Map{MapOp::subtract}, {angle, window_at(b, from, point, p.part())}, p.part());
  };
  for (std::size_t k = 1; k < p.points.size(); ++k) add(first, p.points[k]);
  for (const Shape& point : p.base_points) add(p.lays_row && point[0] % 2 == 0 ? base : second, point);
  if (how == Made::apart) b.apply(synth::Scan{0}, {sum}, p.part());
  RegisterId made = laid_at(b, base, sum, p.at, p.all());
  if (p.reads_later) made = b.apply(synth::Map{MapOp::maximum}, {made, base}, p.all());
  return p.swaps ? std::vector{made, first} : std::vector{first, made};
}

synth::Program part_program(const PartLoop& p, Made how) {
  Builder b(p.mesh);
  synth::Repeat repeat;
  const RegisterId counted = b.apply(synth::Iota{}, {}, p.all());
  repeat.initial = {b.apply(synth::Map{MapOp::sin}, {counted}, p.all()),
                    b.apply(synth::Map{MapOp::cos}, {counted}, p.all())};
  repeat.count = b.number(p.turns);
  repeat.index = b.reg("i64[]");
  for (int k = 0; k < 2; ++k) {
    repeat.parameters.push_back(b.reg(p.all()));
    repeat.results.push_back(b.reg(p.all()));
  }
  b.into(&repeat.body);
  repeat.next = part_turn(b, p, repeat.parameters[0], repeat.parameters[1], how);
  b.into(nullptr);
  b.add(repeat);
  // Once more, outside of loops.
  const auto last = part_turn(b, p, repeat.results[0], repeat.results[1], how);
  b.output(last[p.swaps ? 0 : 1]);
  b.output(last[p.swaps ? 1 : 0]);
  EXPECT_TRUE(synth::verify(b.program()).ok());
  return std::move(b.program());
}

std::size_t parts_in(const synth::Program& program) {
  const MemoryPlan plan = plan_memory(program, TileMaps(program));
  return static_cast<std::size_t>(std::count_if(plan.registers.begin(), plan.registers.end(), [](const auto& each) {
    return each.where == RegisterPlan::Where::part;
  }));
}

std::vector<std::vector<double>> part_outputs(const synth::Program& program) {
  std::vector<std::vector<double>> all;
  const Outcome outcome = run_well(program);
  EXPECT_LE(outcome.peak_bytes, plan_memory(program, TileMaps(program)).peak_bytes);
  for (const Value& value : outcome.outputs) all.push_back(gathered<double>(value).values());
  return all;
}

PartLoop random_part_loop(Random& random) {
  const std::vector<std::array<std::string, 3>> lies = {
      {"", "[{}, {}]", "[1, {}]"},
      {"x:2", "[{}@x, {}]", "[1, {}]"},
      {"x:4", "[{}@x, {}]", "[1, {}]"},
      {"x:3", "[{}, {}@x]", "[1, {}@x]"},
      {"x:2", "[{}, {}]", "[1, {}]"},
      {"x:2,y:2", "[{}@x, {}]", "[1, {}]"},
      {"x:2,y:2", "[{}@x, {}@y]", "[1, {}@y]"},
      {"x:2,y:2", "[{}@(x,y), {}]", "[1, {}]"},
      {"x:64", "[{}@x, {}]", "[1, {}]"},
  };
  const auto& [mesh, layout, line] = lies[random.below(lies.size())];
  const auto number = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random.below(static_cast<std::size_t>(most - least + 1)));
  };
  const std::int64_t fewer_rows = number(0, 3);
  const std::int64_t fewer_columns = number(0, 3);
  const std::int64_t rows = number(5, 60);
  const std::int64_t columns = random.coin() ? number(40, 200) : number(500, 1200);
  PartLoop made{mesh, layout, line, rows, columns, rows - fewer_rows, columns - fewer_columns, {}};
  const auto point = [&]() -> Shape { return {number(0, fewer_rows), number(0, fewer_columns)}; };
  made.at = point();
  for (std::int64_t k = number(1, 4); k > 0; --k) made.points.push_back(point());
  // What is read of the base most often lies where the part goes.
  for (std::int64_t k = number(0, 2); k > 0; --k) made.base_points.push_back(number(0, 3) > 0 ? made.at : point());
  made.lays_row = number(0, 2) == 0;
  made.row = number(0, 1) * (rows - 1);
  made.swaps = random.coin();
  made.reads_later = number(0, 5) == 0;
  made.turns = number(0, 4);
  return made;
}

TEST(WrittenParts, GiveWhatCopiesGive) {
  Random random(61);
  int with_parts = 0;
  constexpr int kPrograms = 300;
  for (int i = 0; i < kPrograms && !HasFailure(); ++i) {
    const PartLoop loop = random_part_loop(random);
    const synth::Program program = part_program(loop, Made::perhaps_there);
    const synth::Program apart = part_program(loop, Made::apart);
    EXPECT_EQ(parts_in(apart), 0U);
    EXPECT_EQ(part_outputs(program), part_outputs(apart)) << i << "\n" << print(program);
    with_parts += parts_in(program) > 0 ? 1 : 0;
  }
  EXPECT_GE(with_parts, kPrograms / 4);
}

TEST(WrittenParts, AreTheSameOnRanksHoweverLateMessagesCome) {
  Random random(62);
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    const synth::Program program = part_program(random_part_loop(random), Made::perhaps_there);
    const MemorySharing sharing = random.coin() ? MemorySharing::off : kCrowdSharing;
    EXPECT_THAT(differences(any_machines(random), sharing, program, static_cast<unsigned>(i) + 1), IsEmpty())
        << print(program);
  }
}

PartLoop sweep(const std::string& mesh, const std::string& layout, const std::string& line) {
  PartLoop made{mesh, layout, line, 400, 300, 398, 298, {1, 1}, {{1, 0}, {1, 2}, {0, 1}, {2, 1}}};
  made.swaps = false;
  return made;
}

// Two arrays, and of each what the devices lack at their borders: no array for the formula.
TEST(WrittenParts, TakeNoMemory) {
  const synth::Program program = part_program(sweep("", "[{}, {}]", "[1, {}]"), Made::perhaps_there);
  EXPECT_EQ(parts_in(program), 2U);
  const std::int64_t peak = plan_memory(program, TileMaps(program)).peak_bytes;
  EXPECT_LE(peak, 8 * 2 * 400 * 300 + 64);
  EXPECT_EQ(run_well(program).peak_bytes, peak);
}

TEST(WrittenParts, TakeTheRowsThatGoToOthers) {
  const synth::Program program = part_program(sweep("x:4", "[{}@x, {}]", "[1, {}]"), Made::perhaps_there);
  EXPECT_EQ(parts_in(program), 2U);
  // Of 398 rows two devices have a hundred, of which the last one goes to the next device.
  const std::int64_t peak = plan_memory(program, TileMaps(program)).peak_bytes;
  EXPECT_LE(peak, 8 * (2 * 100 * 300 + 5 * 2 * 298) + 64);
  EXPECT_EQ(run_well(program).peak_bytes, peak);
}

// The old array is needed afterwards: around the part it is copied, and the part is made in the new one.
TEST(WrittenParts, AreMadeInACopyOfTheFrame) {
  PartLoop loop = sweep("", "[{}, {}]", "[1, {}]");
  loop.swaps = true;
  loop.reads_later = true;
  const synth::Program program = part_program(loop, Made::perhaps_there);
  EXPECT_EQ(parts_in(program), 2U);
  EXPECT_EQ(part_outputs(program), part_outputs(part_program(loop, Made::apart)));
}

// What the caller has, and what is handed back beside the result, stays as it is.
TEST(WrittenParts, LeaveInputsAndOutputsAlone) {
  PartLoop loop = sweep("x:2", "[{}@x, {}]", "[1, {}]");
  loop.swaps = true;
  loop.base_points = {{1, 1}};
  Builder b(loop.mesh);
  const RegisterId first = b.input(loop.all());
  const RegisterId second = b.input(loop.all());
  synth::Repeat repeat;
  repeat.initial = {first, second};
  repeat.count = b.number(3);
  repeat.index = b.reg("i64[]");
  for (int k = 0; k < 2; ++k) {
    repeat.parameters.push_back(b.reg(loop.all()));
    repeat.results.push_back(b.reg(loop.all()));
  }
  b.into(&repeat.body);
  repeat.next = part_turn(b, loop, repeat.parameters[0], repeat.parameters[1], Made::perhaps_there);
  b.into(nullptr);
  b.add(repeat);
  const auto later = part_turn(b, loop, first, second, Made::perhaps_there);
  const auto last = part_turn(b, loop, later[0], repeat.results[0], Made::perhaps_there);
  for (const RegisterId id : {repeat.results[0], repeat.results[1], later[0], last[0]}) b.output(id);
  EXPECT_EQ(parts_in(b.program()), 3U);
  const Array<double> numbers = counting<double>({loop.rows, loop.columns});
  const auto given = [&] { return value_of(numbers, type_of(loop.all(), b.mesh())); };
  const std::vector<Value> inputs = {given(), given()};
  const Outcome outcome = run_well(b.program(), inputs);
  for (const Value& input : inputs) EXPECT_EQ(gathered<double>(input).values(), numbers.values());
  const auto once = [&](std::int64_t turns) {
    Builder written_out(loop.mesh);
    std::vector<RegisterId> now = {written_out.input(loop.all()), written_out.input(loop.all())};
    for (std::int64_t turn = 0; turn < turns; ++turn) now = part_turn(written_out, loop, now[0], now[1], Made::apart);
    written_out.output(now[0]);
    return gathered<double>(run_well(written_out.program(), inputs).outputs[0]).values();
  };
  EXPECT_EQ(gathered<double>(outcome.outputs[0]).values(), once(3));
  EXPECT_EQ(gathered<double>(outcome.outputs[1]).values(), once(2));
  EXPECT_EQ(gathered<double>(outcome.outputs[2]).values(), once(1));
}

}  // namespace
}  // namespace tessera::runtime::test
