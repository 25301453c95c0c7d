// Slices that begin where a turn of a loop says are read where they lie, and give what copies of them give.
#include <gmock/gmock.h>

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

enum class Reads : std::uint8_t { where_they_lie, copied };

// Rows or columns of two arrays, at some places from the turn's number on, computed with and laid over one of them.
struct LinesRead {
  std::string mesh, rows_split, columns_split;
  std::int64_t rows, columns;
  std::size_t along;                               // the dimension whose indices turns go through
  std::int64_t extent;                             // lines side by side
  std::vector<std::int64_t> of_first, of_carried;  // where they begin, from the turn's number on
  std::int64_t laid;                               // and where they are laid

  std::int64_t span() const {
    std::int64_t most = laid;
    for (const auto* all : {&of_first, &of_carried}) most = std::max(most, *std::ranges::max_element(*all));
    return most + extent;
  }
  std::string type(std::int64_t n) const {
    return along == 0 ? fmt::format("f64[{}, {}{}]", n, columns, columns_split)
                      : fmt::format("f64[{}{}, {}]", rows, rows_split, n);
  }
  std::string line() const {
    return along == 0 ? fmt::format("f64[{}{}]", columns, columns_split) : fmt::format("f64[{}{}]", rows, rows_split);
  }
  std::string whole() const { return fmt::format("f64[{}{}, {}{}]", rows, rows_split, columns, columns_split); }
};

LinesRead random_lines_read(Random& random) {
  const std::vector<std::array<std::string, 3>> lies = {{"", "", ""},      {"x:2", "@x", ""},       {"x:3", "", "@x"},
                                                        {"x:2", "", ""},   {"x:2,y:2", "@x", "@y"}, {"x:8", "", "@x"},
                                                        {"x:4", "@x", ""}, {"x:64", "@x", ""}};
  const auto number = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random.below(static_cast<std::size_t>(most - least + 1)));
  };
  const auto& [mesh, rows, columns] = lies[random.below(lies.size())];
  LinesRead made{mesh,
                 rows,
                 columns,
                 number(16, 90),
                 random.coin() ? number(16, 90) : number(500, 700),
                 random.below(2),
                 random.coin() ? 1 : 3,
                 {},
                 {},
                 number(0, 3)};
  for (auto* all : {&made.of_first, &made.of_carried}) {
    for (std::int64_t k = number(1, 3); k > 0; --k) all->push_back(number(0, 3));
  }
  return made;
}

synth::Part line_part(const LinesRead& lines, std::uint32_t operand, std::int32_t scalar, bool subtract) {
  synth::Part part{operand, {synth::Placement{}, synth::Placement{}}};
  part.placements[lines.along].scalar = scalar;
  part.placements[lines.along].subtract = subtract;
  return part;
}

// A slice is copied where more than elementwise steps and reductions read it.
RegisterId line_at(Builder& b, const LinesRead& lines, RegisterId from, RegisterId at, Reads how) {
  const std::string type = lines.type(lines.extent);
  const RegisterId slice = b.apply(synth::Assemble{false, {line_part(lines, 0, 1, true)}}, {from, at}, type);
  if (how == Reads::copied) b.apply(synth::Scan{0}, {slice}, type);
  return lines.extent == 1 ? b.apply(synth::Reshape{}, {slice}, lines.line()) : slice;
}

synth::Program program_of_lines(const LinesRead& lines, Reads how) {
  Builder b(lines.mesh);
  const RegisterId iota = b.apply(synth::Iota{}, {}, lines.whole());
  const RegisterId first = b.apply(synth::Map{MapOp::sin}, {iota}, lines.whole());
  synth::Repeat repeat;
  repeat.initial = {b.apply(synth::Map{MapOp::cos}, {iota}, lines.whole())};
  repeat.count = b.number((lines.along == 0 ? lines.rows : lines.columns) - lines.span() + 1);
  repeat.index = b.reg("i64[]");
  repeat.parameters = {b.reg(lines.whole())};
  repeat.results = {b.reg(lines.whole())};
  b.into(&repeat.body);
  const auto from_turn = [&](std::int64_t k) {
    return b.apply(synth::Map{MapOp::add}, {repeat.index, b.number(k)}, "i64[]");
  };
  std::vector<std::pair<RegisterId, RegisterId>> read;
  for (const std::int64_t k : lines.of_first) read.emplace_back(first, from_turn(k));
  for (const std::int64_t k : lines.of_carried) read.emplace_back(repeat.parameters[0], from_turn(k));
  const RegisterId laid_at = from_turn(lines.laid);
  const std::string type = lines.extent == 1 ? lines.line() : lines.type(lines.extent);
  RegisterId made = b.constant(Array<double>::scalar(0.5), "f64[]");
  for (const auto& [array, at] : read) {
    const RegisterId line = line_at(b, lines, array, at, how);
    made = b.apply(synth::Map{MapOp::subtract}, {line, made}, type);
  }
  if (lines.extent == 1) made = b.apply(synth::Reshape{}, {made}, lines.type(1));
  repeat.next = {b.apply(synth::Assemble{true, {line_part(lines, 1, 2, false)}}, {repeat.parameters[0], made, laid_at},
                         lines.whole())};
  b.into(nullptr);
  b.add(repeat);
  b.output(repeat.results[0]);
  EXPECT_TRUE(synth::verify(b.program()).ok());
  return std::move(b.program());
}

std::size_t moving_in(const synth::Program& program) {
  const MemoryPlan plan = plan_memory(program, TileMaps(program));
  return static_cast<std::size_t>(std::ranges::count_if(plan.registers, &RegisterPlan::moves));
}

std::vector<double> output_of_lines(const synth::Program& program) {
  const Outcome outcome = run_well(program);
  EXPECT_EQ(outcome.peak_bytes, plan_memory(program, TileMaps(program)).peak_bytes);
  return gathered<double>(outcome.outputs[0]).values();
}

TEST(MovingWindows, GiveWhatCopiesGive) {
  Random random(58);
  constexpr int kPrograms = 120;
  int with_windows = 0;
  for (int i = 0; i < kPrograms && !HasFailure(); ++i) {
    const LinesRead lines = random_lines_read(random);
    const synth::Program program = program_of_lines(lines, Reads::where_they_lie);
    const synth::Program copied = program_of_lines(lines, Reads::copied);
    EXPECT_EQ(moving_in(copied), 0U);
    EXPECT_EQ(output_of_lines(program), output_of_lines(copied)) << i << "\n" << print(program);
    with_windows += moving_in(program) > 0 ? 1 : 0;
  }
  EXPECT_GE(with_windows, kPrograms / 3);
}

TEST(MovingWindows, GiveTheSameOnRanks) {
  Random random(59);
  for (int i = 0; i < 12 && !HasFailure(); ++i) {
    const synth::Program program = program_of_lines(random_lines_read(random), Reads::where_they_lie);
    const MemorySharing sharing = random.coin() ? MemorySharing::off : kCrowdSharing;
    EXPECT_THAT(differences(any_machines(random), sharing, program, static_cast<unsigned>(i) + 1), IsEmpty())
        << print(program);
  }
}

// Two arrays, the line that a turn makes, and numbers: no line of what is read.
TEST(MovingWindows, TakeNoMemory) {
  for (const std::size_t along : {0U, 1U}) {
    const LinesRead lines{"", "", "", 200, 300, along, 1, {0, 1, 2}, {0, 1}, 2};
    const synth::Program program = program_of_lines(lines, Reads::where_they_lie);
    EXPECT_EQ(moving_in(program), 5U);
    const std::int64_t line = along == 0 ? 300 : 200;
    const std::int64_t peak = plan_memory(program, TileMaps(program)).peak_bytes;
    EXPECT_LE(peak, 8 * (2 * 200 * 300 + line) + 128);
    EXPECT_EQ(run_well(program).peak_bytes, peak);
  }
}

TEST(MovingWindows, LieInsideOfTheirArray) {
  LinesRead lines{"x:2", "@x", "", 40, 30, 1, 1, {0, 1}, {0}, 1};
  synth::Program program = program_of_lines(lines, Reads::where_they_lie);
  EXPECT_GT(moving_in(program), 0U);
  // One turn too many.
  for (synth::Step& step : program.body) {
    auto* const apply = std::get_if<synth::Apply>(&step.node);
    if (apply == nullptr || !std::holds_alternative<synth::Constant>(apply->operation)) continue;
    const auto literal = std::get<synth::Constant>(apply->operation).literal;
    if (program.literals[literal].element == ElementType::i64) {
      const std::int64_t turns = 30;
      program.literals[literal].bytes = Array<std::int64_t>::scalar(turns).bytes;
    }
  }
  const base::Diagnostic failed = run_badly(program);
  EXPECT_THAT(failed.message, testing::HasSubstr("30"));
}

}  // namespace
}  // namespace tessera::runtime::test
