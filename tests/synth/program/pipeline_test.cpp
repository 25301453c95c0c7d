// Pipelines of device programs: what the verifier refuses, how many microbatches of a value are there at once, and how
// bodies are cut into visits.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <variant>

#include "synth/program/pipeline_order.hpp"
#include "synth/program/program.hpp"
#include "synth/program/schedule/visits.hpp"

namespace tessera::synth {
namespace {

// Two stages; `%` stands for what a test is about.
constexpr std::string_view kProgram = R"(program
mesh m0 x:2
mesh m1 x:2 on 2:4
register r0 m0 f32[2@x]
register r1 m1 f32[2@x]
register r2 m0 i64
register r3 m1 f32[2@x]
register r4 m0 f32[2@x]
register r5 m1 f32[2@x]
register r6 m1 f32[2@x]
register r7 m1 f32[2@x]
register r8 m1 f32[2@x]
inputs (r0, r1)
outputs (r8)
body {
  pipeline 3 indices (r2) initial (r1) parameters (r3) carried [%carried] order [%order] @0 visit {
    r4 = map (r0, r0) add @1
    r5 = collect (r4) exchange target m1 f32[2@x] rounds 1 @2
  } visit {
    r6 = map (r5, r5) add @3
    r7 = map (%read, r6) add @4
  } next (r7) results (r8)
}
)";

std::string with(std::string_view carried, std::string_view order, std::string_view read = "r3") {
  std::string text(kProgram);
  const auto put = [&](std::string_view name, std::string_view value) {
    text.replace(text.find(name), name.size(), value);
  };
  put("%carried", carried);
  put("%order", order);
  put("%read", read);
  return text;
}

std::string fault_of(const std::string& text) {
  const auto program = read_program(text);
  if (!program.ok()) return program.errors().front().message;
  const base::Status verified = verify(*program);
  return verified.ok() ? "" : verified.errors().front().message;
}

TEST(Pipeline, PrintsAndReads) {
  const std::string text = with("1", "0, 0, 1, 0, 1, 1");
  const auto program = read_program(text);
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(print(*program), text);
  EXPECT_EQ(fault_of(text), "");
  EXPECT_NE(hash(*program), hash(*read_program(with("1", "0, 1, 0, 1, 0, 1"))));
}

TEST(Pipeline, WrongOrdersAreRefused) {
  const auto says = [](const std::string& text, std::string_view why) {
    EXPECT_NE(fault_of(text).find(why), std::string::npos) << fault_of(text);
  };
  says(with("1", "0, 1, 1, 0, 0, 1"), "before what it reads is made");
  says(with("1", "0, 0, 1, 1"), "does not take all microbatches");
  says(with("1", "0, 0, 0, 0, 1, 1, 1"), "does not take all microbatches");
  says(with("1", "0, 0, 0, 1, 1, 2"), "names no visit");
  says(with("2", "0, 0, 0, 1, 1, 1"), "carried by no visit");
  says(with("0", "0, 0, 0, 1, 1, 1"), "does not carry it");
  says(with("1, 1", "0, 0, 0, 1, 1, 1"), "not told apart");
  says(with("1", "0, 0, 0, 1, 1, 1", "r8"), "where it has no value");
}

TEST(Pipeline, PlacesAreAsManyAsTheOrderNeeds) {
  const auto places = [](std::string_view order) {
    const auto program = read_program(with("1", order));
    return buffers_of_value(std::get<Pipeline>(program->body[0].node), 0, {1});
  };
  EXPECT_EQ(places("0, 1, 0, 1, 0, 1"), 1);
  EXPECT_EQ(places("0, 0, 1, 0, 1, 1"), 2);
  EXPECT_EQ(places("0, 0, 0, 1, 1, 1"), 3);
}

// A body: its steps between the braces of a pipeline that nobody runs.
class Cutting {
 public:
  explicit Cutting(const std::string& steps) {
    const std::string head =
        "program\nmesh m0 x:2\nmesh m1 x:2 on 2:4\nregister r0 m0 f32[8]\nregister r1 m0 f32[8]\nregister r2 m1 "
        "f32[8]\n"
        "register r3 m0 f32[8]\nregister r4 m1 f32[8]\nregister r5 m1 f32[8]\nregister r6 m0 f32[8]\nregister r7 m0 "
        "f32[8]\n"
        "register r8 m1 f32[8]\nregister r9 m0 f32[8]\ninputs ()\noutputs ()\nbody {\n";
    auto read = read_program(head + steps + "}\n");
    EXPECT_TRUE(read.ok());
    program_ = std::move(read).value();
  }
  // Parameters are r1 on m0 and r2 on m1.
  std::variant<Cut, CutFault> cut(RegisterId next_a, RegisterId next_b) const {
    return cut_visits(program_, program_.body, {RegisterId{1}, RegisterId{2}}, {next_a, next_b});
  }

 private:
  Program program_;
};

TEST(Pipeline, BodiesAreCutAtBorders) {
  const Cutting body(
      "  r3 = map (r0, r0) add @0\n"
      "  r4 = collect (r3) exchange target m1 f32[8] rounds 1 @0\n"
      "  r5 = map (r4, r4) add @0\n"
      "  r6 = collect (r5) exchange target m0 f32[8] rounds 1 @0\n"
      "  r7 = map (r1, r6) add @0\n"
      "  r8 = map (r2, r4) add @0\n");
  const auto cut = body.cut(RegisterId{7}, RegisterId{8});
  ASSERT_TRUE(std::holds_alternative<Cut>(cut));
  const auto& visits = std::get<Cut>(cut).visits;
  ASSERT_EQ(visits.size(), 3);
  EXPECT_EQ(visits[0].main, (std::vector<std::size_t>{0}));
  EXPECT_EQ(visits[0].borders, (std::vector<std::size_t>{1}));
  EXPECT_EQ(visits[1].main, (std::vector<std::size_t>{2}));
  EXPECT_EQ(visits[1].borders, (std::vector<std::size_t>{3}));
  EXPECT_EQ(visits[1].rest, (std::vector<std::size_t>{5}));
  EXPECT_TRUE(visits[2].main.empty());
  EXPECT_EQ(visits[2].rest, (std::vector<std::size_t>{4}));
  EXPECT_EQ(std::get<Cut>(cut).carried_by, (std::vector<std::uint32_t>{2, 1}));
}

// r9 is as large as r3, of which nothing else is kept: it is made where it is needed.
TEST(Pipeline, WhatOnlyALaterVisitNeedsIsMadeThere) {
  const Cutting body(
      "  r3 = map (r0, r0) add @0\n"
      "  r9 = map (r3) negate @0\n"
      "  r4 = collect (r3) exchange target m1 f32[8] rounds 1 @0\n"
      "  r6 = collect (r4) exchange target m0 f32[8] rounds 1 @0\n"
      "  r7 = map (r9, r6) add @0\n"
      "  r8 = map (r2, r4) add @0\n");
  const auto cut = body.cut(RegisterId{7}, RegisterId{8});
  ASSERT_TRUE(std::holds_alternative<Cut>(cut));
  EXPECT_EQ(std::get<Cut>(cut).visits.back().rest, (std::vector<std::size_t>{1, 4}));
}

TEST(Pipeline, ACarriedValueOverABorderIsAFault) {
  const Cutting body(
      "  r3 = map (r1, r0) add @0\n"
      "  r4 = collect (r3) exchange target m1 f32[8] rounds 1 @0\n");
  const auto cut = body.cut(RegisterId{3}, RegisterId{4});
  ASSERT_TRUE(std::holds_alternative<CutFault>(cut));
  EXPECT_EQ(std::get<CutFault>(cut).reason, CutFault::Reason::chained);
  EXPECT_EQ(std::get<CutFault>(cut).step, 1);
  EXPECT_EQ(std::get<CutFault>(cut).parameter, 0);
}

// The next value comes over a border itself: it is taken over in a visit after that.
TEST(Pipeline, AValueThatCrossesMayBeTheNext) {
  const Cutting body(
      "  r3 = map (r0, r0) add @0\n"
      "  r4 = collect (r3) exchange target m1 f32[8] rounds 1 @0\n");
  const auto cut = body.cut(RegisterId{1}, RegisterId{4});
  ASSERT_TRUE(std::holds_alternative<Cut>(cut));
  EXPECT_EQ(std::get<Cut>(cut).visits.size(), 2);
  EXPECT_EQ(std::get<Cut>(cut).carried_by, (std::vector<std::uint32_t>{0, 1}));
}

}  // namespace
}  // namespace tessera::synth
