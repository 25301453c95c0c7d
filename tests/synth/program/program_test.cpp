// Device programs: text and back, hash, and the types of every operation.
#include "synth/program/program.hpp"

#include <fmt/format.h>

#include <sstream>

#include "synth/kinds.hpp"
#include "synth/planner/text/print_text.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

using ::testing::HasSubstr;

// Registers are given as types on mesh x:4,y:2; r0, r1, .. in order; the first `inputs` of them are inputs.
std::string text_of(const std::vector<std::string>& registers, std::size_t inputs, const std::string& body,
                    const std::string& tables = "") {
  std::ostringstream text;
  text << "program\nmesh m0 x:4,y:2\n" << tables;
  for (std::size_t i = 0; i < registers.size(); ++i) text << "register r" << i << " m0 " << registers[i] << "\n";
  text << "inputs (";
  for (std::size_t i = 0; i < inputs; ++i) text << (i == 0 ? "" : ", ") << "r" << i;
  text << ")\noutputs ()\nbody {\n" << body << "}\n";
  return text.str();
}

Program read(const std::string& text) {
  auto program = read_program(text);
  if (!program.ok()) throw std::runtime_error(first_message(program));
  return std::move(*program);
}

// One step with inputs r0.. and, where it has a result, the last register. Empty where it verifies.
std::string verdict_of_step(const std::string& step, const std::vector<std::string>& registers,
                            bool has_result = true) {
  const std::size_t inputs = registers.size() - (has_result ? 1 : 0);
  const std::string result = has_result ? fmt::format("r{} = ", inputs) : "";
  const std::string tables = "string s0 \"text\"\nliteral l0 f32[2] 0000803f00000040\n";
  const Program program = read(text_of(registers, inputs, fmt::format("  {}{} @7\n", result, step), tables));
  const base::Status status = verify(program);
  if (status.ok()) return "";
  EXPECT_EQ(first_error(status), "internal");
  return first_message(status);
}

#define EXPECT_FITS(step, ...) EXPECT_EQ(verdict_of_step(step, {__VA_ARGS__}), "")
#define EXPECT_WRONG(why, step, ...) EXPECT_THAT(verdict_of_step(step, {__VA_ARGS__}), HasSubstr(why))

constexpr const char* kExample = R"(program
mesh m0 x:4,y:2
mesh m1 a:8
string s0 "a \"quoted\"\\ line\nand \x01"
literal l0 f32[2] 0000803f00000040
literal l1 f32[0] -
register r0 m0 f32[16@x, 16]
register r1 m0 f32[16, 16@x]
register r2 m1 f32[16@a, 16]
register r3 m0 i64
register r4 m0 i64
register r5 m0 f32[16, 16@x]
register r6 m0 f32[16, 16@x]
register r7 m0 f32[16, 16@x]
register r8 m0 bool
register r9 m0 f32[16, 16@x]
register r10 m0 f32[16, 16@x]
register r11 m0 f32[16, 16@x]{+y}
inputs (r0, r3, r8)
outputs (r2, r10)
body {
  r1 = collect (r0) all_to_all axes (x) from 0 to 1 rounds 1 @3
  r2 = collect (r0) exchange target m1 f32[16@a, 16] rounds 4 @4
  repeat r3 index r4 initial (r1) parameters (r5) @5 {
    r6 = map (r5, r5) add @6
  } next (r6) results (r7)
  choose r8 @7 {
    print_text () s0 @8
  } then (r7) else {
    r9 = map (r7) negate @9
  } else (r9) results (r10)
  r11 = collect (r10) keep axes (y) reduce sum rounds 1 @10
  print (r10) [s0, %0] @11
}
)";

TEST(ProgramText, ReadsBackWhatItPrints) {
  const Program program = read(kExample);
  EXPECT_EQ(print(program), kExample);
  EXPECT_EQ(program.strings[StringId{0}], "a \"quoted\"\\ line\nand \x01");
  EXPECT_EQ(program.literals[LiteralId{0}].bytes.size(), 8U);
  EXPECT_EQ(program.body.size(), 6U);
  EXPECT_EQ(program.body[0].origin, 3U);
}

TEST(ProgramText, HashesItsText) {
  const Program program = read(kExample);
  EXPECT_EQ(hash(program), hash(read(print(program))));
  Program other = read(kExample);
  other.body[0].origin = 4;
  EXPECT_NE(hash(program), hash(other));
}

// Every operation's text, once.
TEST(ProgramText, KnowsEveryOperation) {
  std::string body;
  for (const char* step :
       {"r1 = constant () l0",
        "r1 = fill (r0)",
        "r1 = iota ()",
        "r1 = random (r0)",
        "r1 = normal (r0)",
        "r1 = load () s0",
        "r1 = map (r0, r0, r0) select",
        "r1 = reduce (r0) product [0, 2]",
        "r1 = arg_reduce (r0) max [1]",
        "r1 = arg_reduce (r0) min []",
        "r1 = find (r0, r0) max [1]",
        "r1 = find (r0, r0) min [0, 2]",
        "r1 = contract (r0, r0) [0, 1] [1, 2] -> [0, 2]",
        "r1 = candidates (r0) 3",
        "r1 = candidates (r0) 3 positions",
        "r1 = scan (r0) sum 1",
        "r1 = scan (r0) sum 1 reverse",
        "r1 = scan (r0) product 0",
        "r1 = scan (r0) min 1 reverse",
        "r1 = transpose (r0) [1, 0]",
        "r1 = reshape (r0)",
        "r1 = take (r0, r0)",
        "r1 = scatter_add (r0, r0)",
        "r1 = search (r0, r0)",
        "r1 = search (r0, r0) right",
        "r1 = one_hot (r0)",
        "r1 = matrix (r0, r0) solve",
        "r1 = matrix (r0) eigen",
        "r1 = assemble (r0, r0, r0) base part %1 [3, -2+%2, 0-%2 wraps 16]",
        "r1 = assemble (r0) cover part %0 []",
        "r1 = assemble (r0) cover part %0 [0 from 7 step -1, 2 spread 3, -1 spread 2 from 4 step -2]",
        "r1 = assemble (r0, r0, r0) base part %1 [-3+%2 clips, 0+%2 wraps 16 clips]",
        "r1 = collect (r0) slice axes (x,y:(1)2) to 1 rounds 1",
        "r1 = collect (r0) slice axes (#9:(3)5) to 1 rounds 1",
        "r1 = collect (r0) all_gather axes (x) from 1 rounds 1",
        "r1 = collect (r0) permute target m0 f32[2@y]{max x} rounds 1",
        "r1 = collect (r0) exchange target m0 f32[2@x] rounds 2",
        "r1 = collect (r0) reduce_scatter axes (x) to 0 rounds 1",
        "r1 = collect (r0) reduce_scatter axes (x) to 0 cut (y) rounds 1",
        "r1 = collect (r0) all_reduce axes () rounds 1",
        "r1 = collect (r0) keep axes (x) reduce min rounds 1",
        "r1 = collect (r0) keep axes (x) reduce product rounds 1",
        "print_text () s0",
        "print (r0) [s0, %0]",
        "print () []",
        "show (r0) s0",
        "save (r0) s0 whole",
        "save (r0) s0 shards",
        "assert (r0) s0"}) {
    body += fmt::format("  {} @1\n", step);
  }
  const std::string text =
      text_of({"f32[2@x]", "f32[2@y]{max x}"}, 1, body, "string s0 \"\"\nliteral l0 f32[2] 0000803f00000040\n");
  std::string expected = text;
  expected.replace(expected.find("y:(1)2"), 6, "y");  // the whole axis has one name
  EXPECT_EQ(print(read(text)), expected);
}

TEST(ProgramText, SaysWhereItCannotBeRead) {
  const std::string right = kExample;
  const auto with = [&](std::string_view old, std::string_view now) {
    std::string text = right;
    text.replace(text.find(old), old.size(), now);
    return text;
  };
  EXPECT_EQ(first_message(read_program(with("all_to_all", "all_to_some"))),
            "this is not a device program: line 22: an unknown collective");
  for (const std::string& text : {std::string(),
                                  right + "x",
                                  right.substr(0, right.size() - 2),
                                  with("r1 = collect", "r99 = collect"),
                                  with("(r0) all_to_all", "(r99) all_to_all"),
                                  with("literal l1", "literal l2"),
                                  with("0000803f", "0000803"),
                                  with("0000803f", "0000803g"),
                                  with("l1 f32[0] -", "l1 f32[1] -"),
                                  with("l1 f32[0]", "l1 f32[0]{+x}"),
                                  with("\\x01", "\\x0"),
                                  with("\\n", "\\q"),
                                  with("@3", "@"),
                                  with("@3", "@99999999999"),
                                  with("add", "plus"),
                                  with("index", "with"),
                                  with("rounds 4", "rounds"),
                                  with("m1 f32[16@a", "m5 f32[16@a"),
                                  with("axes (x)", "axes (w)"),
                                  with("%0", "%"),
                                  with("outputs", "output")}) {
    EXPECT_FALSE(read_program(text).ok()) << text;
  }
}

TEST(ProgramText, BoundsNesting) {
  std::string text = "program\nmesh m0 \nregister r0 m0 bool\ninputs (r0)\noutputs ()\nbody {\n";
  for (int i = 0; i < 2000; ++i) text += "choose r0 @0 {\n";
  EXPECT_EQ(first_error(read_program(text)), "program-too-large");
}

// ---- Structure ----

TEST(ProgramVerify, AcceptsTheExample) {
  const base::Status status = verify(read(kExample));
  EXPECT_TRUE(status.ok()) << first_message(status);
}

TEST(ProgramVerify, WantsSingleAssignmentAndScopes) {
  const std::string right = kExample;
  const auto verdict = [&](std::string_view old, std::string_view now) {
    std::string text = right;
    text.replace(text.find(old), old.size(), now);
    return first_message(verify(read(text)));
  };
  EXPECT_THAT(verdict("r6 = map (r5, r5)", "r5 = map (r5, r5)"), HasSubstr("register r5 is written twice"));
  EXPECT_THAT(verdict("r6 = map (r5, r5)", "r6 = map (r5, r7)"),
              HasSubstr("register r7 is read where it has no value"));
  EXPECT_THAT(verdict("print (r10) [s0", "print (r6) [s0"), HasSubstr("register r6 is read where it has no value"));
  EXPECT_THAT(verdict("then (r7)", "then (r9)"), HasSubstr("register r9 is read where it has no value"));
  EXPECT_THAT(verdict("next (r6)", "next (r0)"), HasSubstr("a value's type changes on its way"));
  EXPECT_THAT(verdict("next (r6)", "next ()"), HasSubstr("lists of values are of different lengths"));
  EXPECT_THAT(verdict("repeat r3", "repeat r8"), HasSubstr("its count is not an i64 scalar"));
  EXPECT_THAT(verdict("choose r8", "choose r3"), HasSubstr("its condition is not a bool scalar"));
  EXPECT_THAT(verdict("outputs (r2, r10)", "outputs (r6)"), HasSubstr("register r6 is read"));
  EXPECT_THAT(verdict("    print_text () s0", "    r11 = print_text () s0"), HasSubstr("wrong number of results"));
}

TEST(ProgramVerify, NamesTheStep) {
  const Program wrong = read(text_of({"f32", "i64"}, 1, "  r1 = map (r0) negate @42\n"));
  const base::Status status = verify(wrong);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.errors()[0].origin, std::optional<std::uint32_t>(42));
  EXPECT_THAT(first_message(status), HasSubstr("`map negate`: its element types do not fit"));
}

// ---- Types of operations ----

TEST(ProgramTypes, OfConstructors) {
  EXPECT_FITS("constant () l0", "f32[2]");
  EXPECT_FITS("constant () l0", "f32[2@x]{+y}");
  EXPECT_WRONG("its literal is of another type", "constant () l0", "f32[3]");
  EXPECT_FITS("fill (r0)", "f32", "f32[8@x]");
  EXPECT_WRONG("its operand is not a replicated scalar", "fill (r0)", "i64", "f32[8@x]");
  EXPECT_WRONG("its operand is not a replicated scalar", "fill (r0)", "f32{+x}", "f32[8@x]");
  EXPECT_FITS("iota ()", "i64[8@x]{+y}");
  EXPECT_FITS("random (r0)", "i64", "f64[8@x]");
  EXPECT_WRONG("its result is not of floats", "normal (r0)", "i64", "i64[8@x]");
  EXPECT_FITS("load () s0", "f32[8@x]");
  EXPECT_WRONG("its result is pending", "load () s0", "f32[8]{+x}");
}

TEST(ProgramTypes, OfElementwiseOperations) {
  EXPECT_FITS("map (r0, r1) add", "f32[8@x, 4]", "f32[4]", "f32[8@x, 4]");
  EXPECT_FITS("map (r0, r1) multiply", "f32[8@x, 4]", "f32[1, 4]", "f32[8@x, 4]");
  EXPECT_FITS("map (r0, r1) less", "f32[8@x]", "f32", "bool[8@x]");
  EXPECT_FITS("map (r0, r1, r2) select", "bool", "f32[8@x]", "f32[8@x]", "f32[8@x]");
  EXPECT_FITS("map (r0) cast", "bool[8@x]", "f64[8@x]");
  EXPECT_WRONG("an index is not cut alike", "map (r0, r1) add", "f32[8@x]", "f32[8]", "f32[8@x]");
  EXPECT_WRONG("its result is not cut as it should be", "map (r0) negate", "f32[8]", "f32[9]");
  EXPECT_WRONG("a dimension that must be whole is split", "map (r0) copy", "f32[1@x]", "f32[8]");
  EXPECT_WRONG("more dimensions than the result", "map (r0) copy", "f32[1, 8]", "f32[8]");
  EXPECT_WRONG("its element types do not fit", "map (r0, r1) add", "bool[8]", "bool[8]", "bool[8]");
  EXPECT_WRONG("its element types do not fit", "map (r0) exp", "i64[8]", "i64[8]");
  EXPECT_WRONG("its element types do not fit", "map (r0, r1) equal", "f32[8]", "f32[8]", "f32[8]");
  EXPECT_WRONG("its element types do not fit", "map (r0, r1) logical_and", "i32", "i32", "bool");
  EXPECT_WRONG("wrong number of operands", "map (r0) add", "f32[8]", "f32[8]");
}

TEST(ProgramTypes, OfPendingElementwiseOperations) {
  EXPECT_FITS("map (r0, r1) add", "f32[8]{+x}", "f32[8]{+x}", "f32[8]{+x}");
  EXPECT_FITS("map (r0) negate", "f32[8]{+x}", "f32[8]{+x}");
  EXPECT_FITS("map (r0, r1) multiply", "f32[8@y]{+x}", "f32[8@y]", "f32[8@y]{+x}");
  EXPECT_FITS("map (r0, r1) divide", "f32[8]{+x}", "f32", "f32[8]{+x}");
  EXPECT_FITS("map (r0, r1) maximum", "f32[8]{max x}", "f32[8]{max x}", "f32[8]{max x}");
  constexpr const char* kWhy = "a pending operand may not pass through it";
  EXPECT_WRONG(kWhy, "map (r0) relu", "f32[8]{+x}", "f32[8]{+x}");
  EXPECT_WRONG(kWhy, "map (r0, r1) add", "f32[8]{+x}", "f32[8]", "f32[8]{+x}");
  EXPECT_WRONG(kWhy, "map (r0, r1) multiply", "f32[8]{+x}", "f32[8]{+x}", "f32[8]{+x}");
  EXPECT_WRONG(kWhy, "map (r0, r1) divide", "f32[8]", "f32[8]{+x}", "f32[8]{+x}");
  EXPECT_WRONG(kWhy, "map (r0, r1) divide", "i64[8]{+x}", "i64", "i64[8]{+x}");
  EXPECT_WRONG(kWhy, "map (r0, r1) minimum", "f32[8]{max x}", "f32[8]{max x}", "f32[8]{max x}");
  EXPECT_WRONG(kWhy, "map (r0, r0) multiply", "f32[8]{+x}", "f32[8]{+x}");
  EXPECT_WRONG(kWhy, "map (r0, r0) divide", "f32[8]{+x}", "f32[8]{+x}");
  EXPECT_WRONG(kWhy, "map (r0) copy", "f32[8]{+x}", "f32[2, 8]{+x}");
  EXPECT_WRONG("not pending as it should be", "map (r0) negate", "f32[8]{+x}", "f32[8]");
  EXPECT_WRONG("not pending as it should be", "map (r0) negate", "f32[8]", "f32[8]{+x}");
}

TEST(ProgramTypes, OfReductions) {
  EXPECT_FITS("reduce (r0) sum [0]", "f32[8@x, 6@y]", "f32[6@y]{+x}");
  EXPECT_FITS("reduce (r0) sum [0, 1]", "f32[8@x, 6@y]", "f32{+x,y}");
  EXPECT_FITS("reduce (r0) max [0]", "f32[8@x, 6]", "f32[6]{max x}");
  EXPECT_FITS("reduce (r0) product [1]", "f32[8@x, 6]", "f32[8@x]");
  EXPECT_FITS("reduce (r0) sum [1]", "f32[8@y, 6]{+x}", "f32[8@y]{+x}");
  EXPECT_FITS("reduce (r0) product [0]", "f32[8@x, 6]", "f32[6]{*x}");
  EXPECT_WRONG("not pending as it should be", "reduce (r0) product [0]", "f32[8@x, 6]", "f32[6]{+x}");
  EXPECT_WRONG("may not pass through it", "reduce (r0) product [0]", "f32[8, 6]{+x}", "f32[6]{+x}");
  EXPECT_WRONG("not pending as it should be", "reduce (r0) sum [0]", "f32[8@x, 6]", "f32[6]");
  EXPECT_WRONG("not pending as it should be", "reduce (r0) max [0]", "f32[8@x, 6]", "f32[6]{+x}");
  EXPECT_WRONG("may not pass through it", "reduce (r0) max [0]", "f32[8@x, 6]{+y}", "f32[6]{max x,y}");
  EXPECT_WRONG("not ascending", "reduce (r0) sum [1, 0]", "f32[8, 6]", "f32");
  EXPECT_WRONG("its result is not cut as it should be", "reduce (r0) sum [1]", "f32[8@x, 6]", "f32[8]");
  EXPECT_WRONG("its element types do not fit", "reduce (r0) sum [0]", "bool[8]", "bool");
  EXPECT_FITS("arg_reduce (r0) max [1]", "f32[8@x, 6]", "i64[8@x]");
  EXPECT_WRONG("must be whole is split", "arg_reduce (r0) max [0]", "f32[8@x, 6]", "i64[6]");
  EXPECT_WRONG("may not pass through it", "arg_reduce (r0) max [0]", "f32[8]{+x}", "i64");
  EXPECT_WRONG("its element types do not fit", "arg_reduce (r0) max [0]", "f32[8]", "i32");
  EXPECT_FITS("find (r0, r1) max [0]", "f32[8@x, 6@y]", "f32[6@y]", "i64[6@y]{min x}");
  EXPECT_WRONG("not pending as it should be", "find (r0, r1) max [0]", "f32[8@x, 6]", "f32[6]", "i64[6]");
  EXPECT_WRONG("may not pass through it", "find (r0, r1) max [0]", "f32[8@x, 6]", "f32[6]{max x}", "i64[6]{min x}");
  EXPECT_WRONG("its element types do not fit", "find (r0, r1) max [0]", "f32[8]", "f64", "i64");
}

TEST(ProgramTypes, OfEinsteinSums) {
  const std::string matmul = "contract (r0, r1) [0, 1] [1, 2] -> [0, 2]";
  EXPECT_FITS(matmul, "f32[8@x, 4]", "f32[4, 6@y]", "f32[8@x, 6@y]");
  EXPECT_FITS(matmul, "f32[8, 4@x]", "f32[4@x, 6]", "f32[8, 6]{+x}");
  EXPECT_FITS(matmul, "f32[8, 4]{+x}", "f32[4, 6@y]", "f32[8, 6@y]{+x}");
  EXPECT_FITS("contract (r0) [0, 0] -> [0]", "f32[8, 8]", "f32[8]");
  EXPECT_WRONG("an index is not cut alike", matmul, "f32[8, 4@x]", "f32[4, 6]", "f32[8, 6]{+x}");
  EXPECT_WRONG("not pending as it should be", matmul, "f32[8, 4@x]", "f32[4@x, 6]", "f32[8, 6]");
  EXPECT_WRONG("its result is not cut", matmul, "f32[8@x, 4]", "f32[4, 6]", "f32[8, 6]");
  EXPECT_WRONG("may not pass through it", matmul, "f32[8, 4]{+x}", "f32[4, 6]{+x}", "f32[8, 6]{+x}");
  EXPECT_WRONG("may not pass through it", matmul, "f32[8, 4]{max x}", "f32[4, 6]", "f32[8, 6]{max x}");
  EXPECT_FITS("contract (r0) [0, 0] -> [0]", "f32[8@x, 8@y]", "f32[8@x]{+y}");
  EXPECT_FITS("contract (r0) [0, 0] -> []", "f32[8, 8@y]", "f32[]{+y}");
  EXPECT_WRONG("not pending as it should be", "contract (r0) [0, 0] -> [0]", "f32[8@x, 8@y]", "f32[8@x]");
  EXPECT_WRONG("its result is not cut", "contract (r0) [0, 0] -> [0]", "f32[8@x, 8@y]", "f32[8@y]{+x}");
  EXPECT_WRONG("its shapes do not fit", "contract (r0) [0, 0] -> [0]", "f32[8, 7]", "f32[8]");
  EXPECT_WRONG("in no operand, or twice", "contract (r0) [0] -> [1]", "f32[8]", "f32[8]");
  EXPECT_WRONG("in no operand, or twice", "contract (r0) [0] -> [0, 0]", "f32[8]", "f32[8, 8]");
  // The summed index is split over the axis that the other operand is pending over: the sum would count twice.
  EXPECT_WRONG("may not pass through it", "contract (r0, r1) [0] [1] -> [0]", "f32[8]{+x}", "f32[4@x]", "f32[8]{+x}");
}

TEST(ProgramTypes, OfLines) {
  EXPECT_FITS("sort (r0)", "f32[8@x, 6@y]", "f32[8@x, 6@y]");
  EXPECT_WRONG("its result is not cut", "sort (r0)", "f32[8, 6@x]", "f32[8, 6]");
  EXPECT_WRONG("must be whole is split", "greatest (r0) 2", "f32[8, 6@x]", "f32[8, 2]");
  EXPECT_WRONG("its element types do not fit", "sort (r0)", "f32[6]", "i64[6]");
  EXPECT_WRONG("its shapes do not fit", "sort (r0)", "f32", "f32");
  EXPECT_WRONG("it does not work on a storage type", "sort (r0)", "bf16[6]", "bf16[6]");
  EXPECT_WRONG("it does not work on a storage type", "iota ()", "bf16[6]");
  EXPECT_FITS("take (r0, r1)", "bf16[100, 6]", "i64[8@x]", "bf16[8@x, 6]");
  EXPECT_FITS("map (r0) copy", "bf16[6]", "bf16[8@x, 6]");
}

TEST(ProgramTypes, OfRearrangements) {
  EXPECT_FITS("transpose (r0) [1, 0]", "f32[8@x, 6]{+y}", "f32[6, 8@x]{+y}");
  EXPECT_WRONG("its result is not cut", "transpose (r0) [1, 0]", "f32[8@x, 6]", "f32[6@x, 8]");
  EXPECT_WRONG("not a permutation", "transpose (r0) [1, 1]", "f32[8, 6]", "f32[6, 6]");
  EXPECT_FITS("reshape (r0)", "f32[8@x, 6]", "f32[8@x, 2, 3]");
  EXPECT_FITS("reshape (r0)", "f32[8@x, 6]", "f32[48@x]");
  EXPECT_FITS("reshape (r0)", "f32[4@x, 1, 6]{+y}", "f32[4@x, 6]{+y}");
  EXPECT_FITS("reshape (r0)", "f32[0@x, 6]", "f32[3, 0]");
  EXPECT_WRONG("not made of the same elements", "reshape (r0)", "f32[8, 6@x]", "f32[48@x]");
  EXPECT_WRONG("not made of the same elements", "reshape (r0)", "f32[4, 4@y]", "f32[4@y, 4]");
  EXPECT_WRONG("another number of elements", "reshape (r0)", "f32[8]", "f32[9]");
  EXPECT_WRONG("another element type or pending set", "reshape (r0)", "f32[8]{+x}", "f32[8]");
  EXPECT_FITS("scan (r0) sum 1", "f32[8@x, 6]", "f32[8@x, 6]");
  EXPECT_FITS("scan (r0) max 0", "f32[8@x, 6]", "f32[8@x, 6]");
  EXPECT_WRONG("its result is not cut", "scan (r0) product 0", "f32[8@x, 6]", "f32[8, 6@x]");
}

TEST(ProgramTypes, OfLookUps) {
  EXPECT_FITS("take (r0, r1)", "f32[100, 16@y]", "i64[8@x]", "f32[8@x, 16@y]");
  EXPECT_FITS("take (r0, r1)", "f32[100@x, 16]", "i32[8@y, 2]", "f32[8@y, 2, 16]{+x}");
  EXPECT_FITS("take (r0, r1)", "f32[100@x, 16]", "i64[8]", "f32[8, 16]");
  EXPECT_FITS("take (r0, r1)", "bool[100@x, 16@y]", "i64[8@x]", "bool[8@x, 16@y]");
  EXPECT_WRONG("not pending as it should be", "take (r0, r1)", "f32[100@x, 16]", "i64[8]", "f32[8, 16]{+y}");
  EXPECT_WRONG("its result is not cut", "take (r0, r1)", "f32[100, 16@y]", "i64[8]", "f32[8, 16]");
  EXPECT_WRONG("element types do not fit", "take (r0, r1)", "f32[100, 16]", "f32[8]", "f32[8, 16]");
  EXPECT_WRONG("its shapes do not fit", "take (r0, r1)", "f32[100, 16]", "i64[8]", "f32[8]");
  EXPECT_WRONG("must be whole is split", "take (r0, r1)", "bool[100@x, 16]", "i64[8]", "bool[8, 16]{max x}");
  EXPECT_WRONG("may not pass through it", "take (r0, r1)", "f32[100, 16]{+x}", "i64[8]", "f32[8, 16]{+x}");
  EXPECT_FITS("scatter_add (r0, r1)", "f32[8@x, 16@y]", "i64[8@x]", "f32[100, 16@y]{+x}");
  EXPECT_FITS("scatter_add (r0, r1)", "f32[8, 2, 16]", "i32[8, 2]", "f32[100@x, 16]");
  EXPECT_FITS("scatter_add (r0, r1)", "f32[8@x, 16]", "i64[8@x]", "f32[100, 16]");
  EXPECT_FITS("scatter_add (r0, r1)", "f32[8@x, 2, 16@y]", "i32[8@x, 2]", "f32[100@x, 16@y]");
  EXPECT_WRONG("not pending as it should be", "scatter_add (r0, r1)", "f32[8@x, 16]", "i64[8@x]", "f32[100, 16]{+y}");
  EXPECT_WRONG("not pending as it should be", "scatter_add (r0, r1)", "f32[2, 8@x, 16]", "i64[2, 8@x]", "f32[100, 16]");
  EXPECT_WRONG("not cut alike", "scatter_add (r0, r1)", "f32[8, 16]", "i64[8@x]", "f32[100, 16]{+x}");
  EXPECT_WRONG("its shapes do not fit", "scatter_add (r0, r1)", "f32[8, 16]", "i64[8]", "f32[100]");
  EXPECT_WRONG("may not pass through it", "scatter_add (r0, r1)", "f32[8, 16]{+x}", "i64[8]", "f32[100, 16]{+x}");
  EXPECT_FITS("search (r0, r1)", "f32[100@x]", "f32[8@y, 3]", "i64[8@y, 3]{+x}");
  EXPECT_FITS("search (r0, r1) right", "f32[100]", "f32[8@x]", "i64[8@x]");
  EXPECT_WRONG("not pending as it should be", "search (r0, r1)", "f32[100@x]", "f32[8]", "i64[8]");
  EXPECT_WRONG("element types do not fit", "search (r0, r1)", "f32[100]", "f64[8]", "i64[8]");
  EXPECT_WRONG("element types do not fit", "search (r0, r1)", "bool[2]", "bool[8]", "i64[8]");
  EXPECT_WRONG("its shapes do not fit", "search (r0, r1)", "f32[10, 10]", "f32[8]", "i64[8]");
  EXPECT_WRONG("its result is not cut", "search (r0, r1)", "f32[10]", "f32[8]", "i64[9]");
  EXPECT_FITS("one_hot (r0)", "i64[8@x]", "f32[8@x, 10]");
  EXPECT_WRONG("its result is not cut", "one_hot (r0)", "i64[8]", "f32[8, 10@x]");
}

TEST(ProgramTypes, OfTheGreatestOfTiles) {
  EXPECT_FITS("candidates (r0) 2", "f32[3, 9@x]", "f32[3, 8@x]");
  EXPECT_FITS("candidates (r0) 2 positions", "f32[3@y, 9@x]", "i64[3@y, 8@x]");
  EXPECT_WRONG("there are not so many elements", "candidates (r0) 5", "f32[3, 9@x]", "f32[3, 10@x]");
  EXPECT_WRONG("a tile of its result has not so many elements", "candidates (r0) 2", "f32[3, 9@x]", "f32[3, 6@x]");
  EXPECT_WRONG("its result is not cut as it should be", "candidates (r0) 2", "f32[3, 9@x]", "f32[3, 8@y]");
  EXPECT_WRONG("a pending operand may not pass through it", "candidates (r0) 2", "f32[3, 9@x]{+y}", "f32[3, 8@x]");
}

TEST(ProgramTypes, OfAssembling) {
  EXPECT_FITS("assemble (r0) cover part %0 [-2, 0]", "f32[8@x, 6]", "f32[4@y, 6]");
  EXPECT_FITS("assemble (r0, r1) cover part %0 [0] part %1 [3]", "f32[3@x]", "f32[5]", "f32[8@y]");
  EXPECT_FITS("assemble (r0, r1) cover part %0 [0-%1]", "f32[8@x]", "i64", "f32[4@x]");
  EXPECT_FITS("assemble (r0, r1, r2) base part %1 [0+%2 wraps 8]", "f32[8@x]", "f32[2]", "i64", "f32[8@x]");
  EXPECT_FITS("assemble (r0) cover part %0 [0 from 7 step -2]", "f32[8@x]", "f32[4@y]");
  EXPECT_FITS("assemble (r0, r1) base part %1 [1 spread 3]", "f32[8@x]", "f32[4@y]", "f32[8@x]");
  EXPECT_WRONG("its parts do not cover the result", "assemble (r0) cover part %0 [0]", "f32[3]", "f32[8]");
  EXPECT_WRONG("its parts do not cover the result", "assemble (r0) cover part %0 [0 from 7 step -2]", "f32[8]",
               "f32[5]");
  EXPECT_WRONG("its parts do not cover the result", "assemble (r0) cover part %0 [0 spread 2]", "f32[8]", "f32[8]");
  EXPECT_WRONG("a placement has a step that is none", "assemble (r0) cover part %0 [0 from 0 step 0]", "f32[8]",
               "f32[8]");
  EXPECT_WRONG("a placement has a step that is none", "assemble (r0) cover part %0 [0 spread 0]", "f32[8]", "f32[8]");
  EXPECT_WRONG("a placement has a scalar and a step", "assemble (r0, r1) cover part %0 [0 from 7 step -1+%1]", "f32[8]",
               "i64", "f32[8]");
  EXPECT_WRONG("a placement has too large a number", "assemble (r0) cover part %0 [4 from 4611686018427387904 step -1]",
               "f32[8]", "f32[8]");
  EXPECT_WRONG("its parts do not cover the result", "assemble (r0, r1) cover part %0 [0+%1]", "f32[3]", "i64",
               "f32[8]");
  EXPECT_WRONG("its base is not of the result's type", "assemble (r0) base", "f32[8@x]", "f32[8]");
  EXPECT_WRONG("a part has another element type", "assemble (r0) cover part %0 [0]", "i32[8]", "f32[8]");
  EXPECT_WRONG("a part has another rank", "assemble (r0) cover part %0 [0]", "f32[8, 1]", "f32[8]");
  EXPECT_WRONG("a part has another pending set", "assemble (r0) cover part %0 [0]", "f32[8]{+x}", "f32[8]");
  EXPECT_WRONG("not placed in every dimension", "assemble (r0) cover part %0 []", "f32[8]", "f32[8]");
  EXPECT_WRONG("an operand that is not there", "assemble (r0) cover part %5 [0]", "f32[8]", "f32[8]");
  EXPECT_WRONG("scalar is not an i64 scalar", "assemble (r0, r1) cover part %0 [0-%1]", "f32[8]", "f32", "f32[8]");
}

TEST(ProgramTypes, OfCollectives) {
  EXPECT_FITS("collect (r0) all_gather axes (x) from 0 rounds 1", "f32[8@x]", "f32[8]");
  EXPECT_FITS("collect (r0) exchange target m0 f32[8@y] rounds 3", "f32[8@x]", "f32[8@y]");
  EXPECT_FITS("collect (r0) all_gather axes (x) from 0 also axes (y) from 1 rounds 1", "f32[8@x,4@y]", "f32[8,4]");
  EXPECT_WRONG("not of the type the collective gives", "collect (r0) all_gather axes (x) from 0 rounds 1", "f32[8@x]",
               "f32[8@y]");
  EXPECT_WRONG("is not possible here", "collect (r0) all_gather axes (y) from 0 rounds 1", "f32[8@x]", "f32[8]");
  EXPECT_WRONG("rounds that it cannot have", "collect (r0) all_gather axes (x) from 0 rounds 2", "f32[8@x]", "f32[8]");
  EXPECT_WRONG("rounds that it cannot have", "collect (r0) exchange target m0 f32[8] rounds 0", "f32[8@x]", "f32[8]");
}

TEST(ProgramTypes, OfEffects) {
  EXPECT_EQ(verdict_of_step("assert (r0) s0", {"bool"}, false), "");
  EXPECT_THAT(verdict_of_step("assert (r0) s0", {"i64"}, false), HasSubstr("it takes a bool scalar"));
  EXPECT_EQ(verdict_of_step("show (r0) s0", {"f32[8@x]{+y}"}, false), "");
  EXPECT_EQ(verdict_of_step("save (r0) s0 whole", {"f32[8@x]"}, false), "");
  EXPECT_EQ(verdict_of_step("print (r0) [s0, %0]", {"f32[8@x]"}, false), "");
  EXPECT_THAT(verdict_of_step("print (r0) [%3]", {"f32[8@x]"}, false), HasSubstr("names an operand that is not there"));
}

TEST(ProgramTables, CoverEveryOperation) {
  EXPECT_EQ(name(MapOp::greater_equal), "greater_equal");
  EXPECT_EQ(arity(MapOp::clip), 3U);
  EXPECT_EQ(arity(MapOp::logical_not), 1U);
  EXPECT_EQ(name(ReduceKind::product), "product");
  EXPECT_EQ(describe(Map{MapOp::add}), "map add");
  EXPECT_EQ(describe(Reduce{ReduceKind::sum, {0}}), "reduce sum");
  EXPECT_EQ(describe(ArgReduce{false, {0}}), "arg_reduce min");
  Collect gather;
  gather.collective.effect = AllGather{};
  EXPECT_EQ(describe(gather), "collect all_gather");
  EXPECT_EQ(describe(Assert{}), "assert");
}

TEST(Collects, OfSeveralMovesComeBack) {
  const std::string step = "collect (r0) all_to_all axes (x) from 0 to 1 also axes (y) from 1 to 2 rounds 1";
  const std::string text = text_of({"f32[8@x, 8@y, 8]", "f32[8, 8@x, 8@y]"}, 1, fmt::format("  r1 = {} @7\n", step));
  const Program program = read(text);
  const auto& collect = std::get<Collect>(std::get<Apply>(program.body[0].node).operation);
  const auto& moves = std::get<AllToAll>(collect.collective.effect).moves;
  ASSERT_EQ(moves.size(), 2U);
  EXPECT_EQ(moves[1].to, 2U);
  EXPECT_EQ(print(program), print(read(print(program))));
  EXPECT_THAT(print(program), HasSubstr(" also axes (y) from 1 to 2 "));
}
TEST(Collects, AcrossMeshes) {
  const Program program = read(kExample);
  const auto& collect = std::get<Collect>(std::get<Apply>(program.body[1].node).operation);
  EXPECT_EQ(collect.rounds, 4U);
  EXPECT_EQ(target_of(collect.collective)->mesh(), *mesh("a:8"));
}

TEST(ProgramText, WhatIsNotAProgramIsRefusedWithItsLine) {
  for (const char* text : {"", "program", "program\nmesh m0 x:4\nregister r0 m1 f32[4]\n", "program\nbody {\n"}) {
    const auto program = read_program(text);
    ASSERT_FALSE(program.ok()) << text;
    EXPECT_EQ(program.errors()[0].kind, Kind::bad_program_text) << text;
  }
}

}  // namespace
}  // namespace tessera::synth::test
