// Slices that are read where they lie give what copies of them give, and take no memory.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "runtime/memory/plan.hpp"
#include "runtime/memory/window_edges.hpp"
#include "tests/runtime/support.hpp"
#include "tests/synth/random_layouts.hpp"

namespace tessera::runtime::test {
namespace {

using synth::MapOp;
using synth::test::Random;

enum class Slices : std::uint8_t { perhaps_windows, copied };

synth::Assemble slice_from(const Shape& begin) {
  synth::Assemble slice;
  slice.parts.push_back({0, {}});
  for (const std::int64_t at : begin) slice.parts[0].placements.push_back(synth::Placement{-at});
  return slice;
}
synth::Assemble laid_from(const Shape& begin) {
  synth::Assemble update{true, {{1, {}}}};
  for (const std::int64_t at : begin) update.parts[0].placements.push_back(synth::Placement{at});
  return update;
}

// A slice is copied where more than elementwise steps and reductions read it.
RegisterId slice_of(Builder& b, RegisterId from, const Shape& begin, const std::string& type, Slices how) {
  const RegisterId made = b.apply(slice_from(begin), {from}, type);
  if (how == Slices::copied) b.apply(synth::Scan{0}, {made}, type);
  return made;
}

bool is_window(const RegisterPlan& each) { return each.where == RegisterPlan::Where::slice && !each.begin.empty(); }
std::size_t windows_in(const synth::Program& program) {
  const MemoryPlan plan = plan_memory(program, TileMaps(program));
  return static_cast<std::size_t>(std::count_if(plan.registers.begin(), plan.registers.end(), is_window));
}

std::size_t edged_windows_in(const synth::Program& program) {
  const MemoryPlan plan = plan_memory(program, TileMaps(program));
  return static_cast<std::size_t>(std::count_if(plan.registers.begin(), plan.registers.end(), [](const auto& each) {
    return is_window(each) && each.edges != nullptr;
  }));
}

// Windows that see their array in a frame which is not made.
std::size_t frames_in(const synth::Program& program) {
  const MemoryPlan plan = plan_memory(program, TileMaps(program));
  return static_cast<std::size_t>(
      std::count_if(plan.registers.begin(), plan.registers.end(),
                    [](const RegisterPlan& each) { return each.edges != nullptr && each.edges->frame.has_value(); }));
}

// A stencil of some points on an array of some layout.
struct Stencil {
  std::string mesh, layout;  // the layout with {} for the extents
  std::int64_t rows, columns, fewer_rows, fewer_columns;
  std::vector<Shape> points;
  std::size_t reduced;     // a dimension that is summed in the end; 2: none
  std::int64_t frame = 0;  // so many elements of a number lie around the array
};

Stencil random_stencil(Random& random) {
  const std::vector<std::pair<std::string, std::string>> lies = {
      {"", "[{}, {}]"},       {"x:2", "[{}@x, {}]"},       {"x:3", "[{}, {}@x]"},
      {"x:2", "[{}, {}]"},    {"x:2,y:2", "[{}@x, {}@y]"}, {"x:2,y:2", "[{}@(x,y), {}]"},
      {"x:64", "[{}@x, {}]"},
  };
  const auto& [mesh, layout] = lies[random.below(lies.size())];
  const auto number = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random.below(static_cast<std::size_t>(most - least + 1)));
  };
  Stencil made{mesh,         layout, number(4, 60),  random.coin() ? number(4, 70) : number(500, 1200), number(0, 3),
               number(0, 3), {},     random.below(3)};
  if (random.coin()) made.frame = number(1, 3);
  for (std::int64_t k = number(1, 6); k > 0; --k) {
    made.points.push_back(
        {number(0, made.fewer_rows + 2 * made.frame), number(0, made.fewer_columns + 2 * made.frame)});
  }
  return made;
}

std::string type_of_array(const Stencil& s, std::int64_t rows, std::int64_t columns) {
  return "f64" + fmt::format(fmt::runtime(s.layout), rows, columns);
}

// The points' mean, written over the middle of what they are read from.
RegisterId stencil_step(Builder& b, const Stencil& s, RegisterId u, Slices how, RegisterId* mean = nullptr) {
  const std::string inner = type_of_array(s, s.rows - s.fewer_rows, s.columns - s.fewer_columns);
  const RegisterId part = b.constant(Array<double>::scalar(1.0 / static_cast<double>(s.points.size())), "f64[]");
  RegisterId seen = u;
  if (s.frame > 0) {
    const std::string framed = type_of_array(s, s.rows + 2 * s.frame, s.columns + 2 * s.frame);
    seen = b.apply(laid_from({s.frame, s.frame}), {b.apply(synth::Fill{}, {part}, framed), u}, framed);
  }
  RegisterId sum = b.apply(synth::Map{MapOp::multiply}, {slice_of(b, seen, s.points[0], inner, how), part}, inner);
  for (std::size_t k = 1; k < s.points.size(); ++k) {
    const RegisterId point = slice_of(b, seen, s.points[k], inner, how);
    sum = b.apply(synth::Map{MapOp::subtract}, {b.apply(synth::Map{MapOp::sin}, {sum}, inner), point}, inner);
  }
  if (mean != nullptr) *mean = sum;
  return b.apply(laid_from({s.fewer_rows / 2, s.fewer_columns / 2}), {u, sum}, type_of_array(s, s.rows, s.columns));
}

synth::Program stencil_program(const Stencil& s, Slices how) {
  Builder b(s.mesh);
  const std::string type = type_of_array(s, s.rows, s.columns);
  synth::Repeat repeat;
  repeat.initial = {b.apply(synth::Map{MapOp::sin}, {b.apply(synth::Iota{}, {}, type)}, type)};
  repeat.count = b.number(3);
  repeat.index = b.reg("i64[]");
  repeat.parameters = {b.reg(type)};
  repeat.results = {b.reg(type)};
  b.into(&repeat.body);
  repeat.next = {stencil_step(b, s, repeat.parameters[0], how)};
  b.into(nullptr);
  b.add(repeat);
  RegisterId mean;
  b.output(stencil_step(b, s, repeat.results[0], how, &mean));
  if (s.reduced < 2) {
    const std::int64_t kept = s.reduced == 0 ? s.columns - s.fewer_columns : s.rows - s.fewer_rows;
    const auto all = type_of(type_of_array(s, s.rows - s.fewer_rows, s.columns - s.fewer_columns), b.mesh());
    if (all.layout().split(s.reduced).empty()) {
      const auto layout =
          synth::Layout::make(all.mesh(), {all.layout().split(1 - s.reduced)}, {}, synth::ReduceOp::sum);
      b.output(b.apply(synth::Reduce{synth::ReduceKind::sum, {static_cast<std::uint8_t>(s.reduced)}}, {mean},
                       *synth::ArrayType::make(ElementType::f64, Shape{kept}, all.mesh_ref(), *layout)));
    }
  }
  EXPECT_TRUE(synth::verify(b.program()).ok());
  return std::move(b.program());
}

std::vector<std::vector<double>> stencil_outputs(const synth::Program& program) {
  std::vector<std::vector<double>> all;
  const Outcome outcome = run_well(program);
  EXPECT_LE(outcome.peak_bytes, plan_memory(program, TileMaps(program)).peak_bytes);
  for (const Value& value : outcome.outputs) all.push_back(gathered<double>(value).values());
  return all;
}

TEST(Windows, GiveWhatCopiesGive) {
  Random random(41);
  int with_windows = 0;
  int with_edges = 0;
  int with_frames = 0;
  constexpr int kPrograms = 300;
  for (int i = 0; i < kPrograms && !HasFailure(); ++i) {
    const Stencil stencil = random_stencil(random);
    const synth::Program program = stencil_program(stencil, Slices::perhaps_windows);
    const synth::Program copied = stencil_program(stencil, Slices::copied);
    EXPECT_EQ(windows_in(copied), 0U);
    EXPECT_EQ(stencil_outputs(program), stencil_outputs(copied)) << i << "\n" << print(program);
    with_windows += windows_in(program) > 0 ? 1 : 0;
    with_edges += edged_windows_in(program) > 0 ? 1 : 0;
    with_frames += frames_in(program) > 0 ? 1 : 0;
  }
  EXPECT_GE(with_windows, kPrograms / 4);
  EXPECT_GE(with_edges, kPrograms / 4);
  EXPECT_GE(with_frames, kPrograms / 8);
}

// On one device a step makes what it computes, and nothing else.
TEST(Windows, TakeNoMemory) {
  const Stencil stencil{"", "[{}, {}]", 100, 200, 2, 2, {{0, 1}, {2, 1}, {1, 0}, {1, 2}}, 2};
  const synth::Program program = stencil_program(stencil, Slices::perhaps_windows);
  EXPECT_EQ(windows_in(program), 8U);
  const std::int64_t peak = plan_memory(program, TileMaps(program)).peak_bytes;
  EXPECT_LE(peak, 8 * (100 * 200 + 98 * 198) + 64);
  EXPECT_EQ(run_well(program).peak_bytes, peak);
}

// Where rows are split, a device has the rows of its neighbours beside its arrays, and no copy of its own.
TEST(Windows, TakeTheRowsThatOthersHave) {
  const Stencil stencil{"x:4", "[{}@x, {}]", 400, 200, 2, 2, {{0, 1}, {2, 1}, {1, 0}, {1, 2}}, 2};
  const synth::Program program = stencil_program(stencil, Slices::perhaps_windows);
  EXPECT_EQ(windows_in(program), 8U);
  // Of 398 rows devices have 100, 100, 99, 99, and of 400 a hundred each. Row r of the windows is row r, r+1 and r+2.
  EXPECT_EQ(edged_windows_in(program), 8U);
  const std::int64_t peak = plan_memory(program, TileMaps(program)).peak_bytes;
  const std::int64_t arrays = 100 * 200 + 100 * 198;
  const std::int64_t edges = 4 * 2 * 198;
  EXPECT_LE(peak, 8 * (arrays + edges) + 64);
  EXPECT_EQ(run_well(program).peak_bytes, peak);
}

TEST(Windows, HaveEdgesOfRows) {
  Builder b("x:4");
  const RegisterId u = b.apply(synth::Iota{}, {}, "f64[1000@x, 40]");
  const RegisterId last = b.apply(slice_from({2, 1}), {u}, "f64[998@x, 38]");
  const RegisterId first = b.apply(slice_from({0, 1}), {u}, "f64[998@x, 38]");
  b.output(b.apply(synth::Map{MapOp::subtract}, {last, first}, "f64[998@x, 38]"));
  const MemoryPlan plan = plan_memory(b.program(), TileMaps(b.program()));
  ASSERT_NE(plan[last].edges, nullptr);
  const WindowEdges& edges = *plan[last].edges;
  const TileMaps tiles(b.program());
  for (std::size_t device = 0; device < 4; ++device) {
    const synth::Interval wanted = tiles[last].boxes[device][0];
    const synth::Interval has = tiles[u].boxes[device][0];
    const synth::Interval inside{std::max(wanted.begin, has.begin - 2), std::min(wanted.end, has.end - 2)};
    EXPECT_EQ(edges.inside[device][0], inside) << device;
    EXPECT_EQ(edges.memory.bytes[device], (wanted.length() - inside.length()) * 38 * 8) << device;
  }
  EXPECT_GT(edges.memory.bytes_total, 0);
}

// Where both dimensions are split, a device has a line of its neighbours at each side.
TEST(Windows, TakeTheColumnsThatOthersHave) {
  const Stencil stencil{"x:2,y:2", "[{}@x, {}@y]", 400, 400, 2, 2, {{0, 1}, {2, 1}, {1, 0}, {1, 2}}, 2};
  const synth::Program program = stencil_program(stencil, Slices::perhaps_windows);
  EXPECT_EQ(edged_windows_in(program), 8U);
  const std::int64_t peak = plan_memory(program, TileMaps(program)).peak_bytes;
  EXPECT_LE(peak, 8 * (200 * 200 + 199 * 199 + 4 * 4 * 200) + 64);
  EXPECT_EQ(run_well(program).peak_bytes, peak);
}

// Of an array in a frame the edges of the windows are made, and nothing else.
TEST(Windows, SeeArraysInFramesThatAreNotMade) {
  for (const char* const lies : {"[{}, {}]", "[{}@x, {}]", "[{}, {}@x]"}) {
    const Stencil stencil{"x:2", lies, 300, 400, 0, 0, {{0, 1}, {2, 1}, {1, 0}, {1, 2}}, 2, 1};
    const synth::Program program = stencil_program(stencil, Slices::perhaps_windows);
    EXPECT_EQ(frames_in(program), 8U) << lies;
    const std::int64_t peak = plan_memory(program, TileMaps(program)).peak_bytes;
    const std::int64_t tile = lies == std::string("[{}, {}]") ? 300 * 400 : 150 * 400;
    EXPECT_LE(peak, 8 * (2 * tile + 4 * 3 * 400) + 64) << lies;
    EXPECT_EQ(run_well(program).peak_bytes, peak) << lies;
  }
}

// A frame that something else reads is made, and windows see it.
TEST(Windows, OfAFrameThatIsReadOtherwiseAreItsOwn) {
  Builder b("");
  const RegisterId u = b.apply(synth::Iota{}, {}, "f64[100, 90]");
  const RegisterId zero = b.constant(Array<double>::scalar(0.0), "f64[]");
  const RegisterId base = b.apply(synth::Fill{}, {zero}, "f64[102, 92]");
  const RegisterId framed = b.apply(laid_from({1, 1}), {base, u}, "f64[102, 92]");
  const RegisterId part = b.apply(slice_from({0, 1}), {framed}, "f64[100, 90]");
  b.output(b.apply(synth::Map{MapOp::add}, {part, u}, "f64[100, 90]"));
  b.output(b.apply(synth::Scan{0}, {framed}, "f64[102, 92]"));
  const MemoryPlan plan = plan_memory(b.program(), TileMaps(b.program()));
  EXPECT_EQ(plan[part].source, framed);
  EXPECT_EQ(frames_in(b.program()), 0U);
  run_well(b.program());
}

// A window may be repeated along the rows of the result. Steps that add up its rows get a copy.
TEST(Windows, AreCopiedWhereRowsAreAddedUp) {
  for (const bool adds_up : {false, true}) {
    Builder b("x:2");
    const RegisterId all = b.apply(synth::Iota{}, {}, "f64[30, 198@x]");
    const RegisterId line = b.apply(synth::Iota{}, {}, "f64[200@x]");
    const RegisterId later = b.apply(slice_from({2}), {line}, "f64[198@x]");
    const RegisterId sum = b.apply(synth::Map{MapOp::add}, {all, later}, "f64[30, 198@x]");
    b.output(adds_up ? b.apply(synth::Reduce{synth::ReduceKind::sum, {1}}, {sum}, "f64[30]{+x}") : sum);
    const MemoryPlan plan = plan_memory(b.program(), TileMaps(b.program()));
    EXPECT_EQ(plan[later].where, adds_up ? RegisterPlan::Where::arena : RegisterPlan::Where::slice);
    run_well(b.program());
  }
}

// A sum of whole columns adds in the order that it has without windows; one over the split rows reads a copy.
TEST(Windows, OfAllRowsAreReducedAsCopiesAre) {
  for (const std::uint8_t dimension : {std::uint8_t{0}, std::uint8_t{1}}) {
    std::vector<std::vector<double>> given;
    for (const Slices how : {Slices::perhaps_windows, Slices::copied}) {
      Builder b("x:4");
      const RegisterId u =
          b.apply(synth::Map{MapOp::sin}, {b.apply(synth::Iota{}, {}, "f64[402@x, 300]")}, "f64[402@x, 300]");
      const RegisterId part = slice_of(b, u, {1, 1}, "f64[400@x, 298]", how);
      b.output(b.apply(synth::Reduce{synth::ReduceKind::sum, {dimension}}, {part},
                       dimension == 0 ? "f64[298]{+x}" : "f64[400@x]"));
      for (const Value& value : run_well(b.program()).outputs) given.push_back(gathered<double>(value).values());
    }
    EXPECT_EQ(given[0], given[1]) << int{dimension};
  }
}

// A window of a large array would keep it while others are made.
TEST(Windows, AreCopiedWhereThePeakIsLowerSo) {
  Builder b("");
  const RegisterId large = b.apply(synth::Iota{}, {}, "f64[1000, 100]");
  const RegisterId part = b.apply(slice_from({10, 0}), {large}, "f64[900, 100]");
  const RegisterId other = b.apply(synth::Iota{}, {}, "f64[1000, 100]");
  const RegisterId sums = b.apply(synth::Scan{0}, {other}, "f64[1000, 100]");
  b.output(b.apply(synth::Map{MapOp::sin}, {part}, "f64[900, 100]"));
  b.output(sums);
  const MemoryPlan plan = plan_memory(b.program(), TileMaps(b.program()));
  EXPECT_EQ(plan[part].where, RegisterPlan::Where::arena);
}

}  // namespace
}  // namespace tessera::runtime::test
