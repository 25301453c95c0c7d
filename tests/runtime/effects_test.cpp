// Print, show, save, assert.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/io/files.hpp"
#include "runtime/kinds.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string written(const synth::Program& program) {
  Recorder recorder;
  const auto outcome = run(program, {}, recorder.world);
  EXPECT_TRUE(outcome.ok()) << (outcome.ok() ? "" : outcome.errors()[0].message);
  return recorder.written;
}

TEST(Print, StringsScalarsAndArrays) {
  Builder builder("x:2");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f32[2, 3@x]");
  const RegisterId n = builder.number(5);
  builder.effect(synth::PrintText{builder.string("a line")});
  builder.effect(synth::Print{{{builder.string("a"), -1}, {{}, 1}, {{}, 0}}}, {a, n});
  builder.effect(synth::Print{}, {});
  EXPECT_EQ(written(builder.program()), "a line\na 5 [[0. 1. 2.]\n [3. 4. 5.]]\n\n");
}

TEST(Print, ALargeArrayIsSummarised) {
  Builder builder("x:3");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "i64[2000@x]");
  builder.effect(synth::Print{{{{}, 0}}}, {a});
  EXPECT_EQ(written(builder.program()), "[   0    1    2 ... 1997 1998 1999]\n");
}

TEST(Print, APendingArrayIsResolved) {
  Builder builder("x:2");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "i64[4@x]");
  const RegisterId sum = builder.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {a}, "i64[]{+x}");
  builder.effect(synth::Print{{{{}, 0}}}, {sum});
  EXPECT_EQ(written(builder.program()), "6\n");
}

TEST(Show, WhoHoldsWhat) {
  Builder builder("x:2");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "i64[2@x]");
  builder.effect(synth::Show{builder.string("a")}, {a});
  const std::string text = written(builder.program());
  EXPECT_THAT(text, HasSubstr("a: i64[2@x] on [x:2]\n"));
  EXPECT_THAT(text, HasSubstr("device 1"));
}

TEST(Output, IsDroppedWhereNobodyListens) {
  Builder builder("");
  builder.effect(synth::PrintText{builder.string("a")});
  run_well(builder.program());
}

TEST(Save, WholeArraysAndShards) {
  const Folder folder;
  Builder builder("x:3");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f32[4@x, 2]");
  builder.effect(synth::Save{builder.string(folder / "a.npy"), false}, {a});
  builder.effect(synth::Save{builder.string(folder / "part"), true}, {a});
  written(builder.program());
  EXPECT_THAT(folder.names(), ElementsAre("a.npy", "part.dev0.npy", "part.dev1.npy", "part.dev2.npy"));
  EXPECT_EQ(read_npy_header({}, folder / "a.npy")->shape, (Shape{4, 2}));
  EXPECT_EQ(read_npy_header({}, folder / "part.dev2.npy")->shape, (Shape{2, 2}));
  Builder again("x:2");
  again.output(again.apply(synth::Load{again.string(folder / "a.npy")}, {}, "f32[4, 2@x]"));
  EXPECT_THAT(gathered<float>(run_well(again.program()).outputs[0]).values(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(Save, ByThePolicy) {
  Builder builder("");
  const RegisterId a = builder.apply(synth::Iota{}, {}, "f32[4]");
  builder.effect(synth::Save{builder.string("a.npy"), false}, {a});
  World world;
  world.files.kind = FilePolicy::Kind::none;
  const auto outcome = run(builder.program(), {}, world);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.errors()[0].kind, Kind::file_not_allowed);
  EXPECT_EQ(outcome.errors()[0].origin, 2U);
}

TEST(Assert, FalseIsARunTimeError) {
  Builder builder("x:2");
  const RegisterId yes = builder.constant(Array<bool>::scalar(true), "bool[]");
  const RegisterId no = builder.constant(Array<bool>::scalar(false), "bool[]");
  builder.effect(synth::Assert{builder.string("fine")}, {yes});
  builder.effect(synth::Assert{builder.string("too small")}, {no});
  const auto failure = run_badly(builder.program());
  EXPECT_EQ(failure.kind, Kind::assertion_failed);
  EXPECT_THAT(failure.message, HasSubstr("too small"));
  EXPECT_EQ(failure.origin, 4U);
}

}  // namespace
}  // namespace tessera::runtime::test
