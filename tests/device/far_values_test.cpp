// Values between the host and an engine whose memory the host cannot look into, and what is said of its memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/device/far_engine.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::HasSubstr;

// The elements of an array and one, and the array itself.
synth::Program one_more(const char* type) {
  Builder builder("x:2");
  const RegisterId in = builder.input(type);
  const RegisterId one = builder.constant(Array<float>::scalar(1), "f32[]");
  builder.output(builder.apply(synth::Map{synth::MapOp::add}, {in, one}, type));
  builder.output(in);
  return builder.program();
}

Value numbers(const char* type) {
  const synth::ArrayType as = type_of(type, mesh_of("x:2"));
  return *scatter(counting<float>(as.shape()).literal(), as);
}

Outcome run_on(const std::shared_ptr<FarEngine>& engine, const synth::Program& program, const Value& input) {
  World world;
  world.engine = engine;
  auto outcome = run(program, {input}, world);
  EXPECT_TRUE(outcome.ok());
  return std::move(*outcome);
}

std::vector<float> elements(const Value& value) { return array_of<float>(*gather(value)).values(); }

TEST(FarValues, GoThereAndBack) {
  const auto engine = std::make_shared<FarEngine>(FarSteps::some);
  const synth::Program program = one_more("f32[6@x]");
  const Value here = numbers("f32[6@x]");
  const Outcome there = run_on(engine, program, here);
  EXPECT_EQ(there.outputs[0].engine(), engine);
  EXPECT_EQ(elements(there.outputs[0]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(elements(there.outputs[1]), elements(here));
  EXPECT_EQ(*format_value(there.outputs[0]), "[1. 2. 3. 4. 5. 6.]");
  EXPECT_EQ(elements(run_on(engine, program, there.outputs[0]).outputs[0]), (std::vector<float>{2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(elements(run_on(nullptr, program, there.outputs[0]).outputs[0]), (std::vector<float>{2, 3, 4, 5, 6, 7}));
}

TEST(FarValues, AreBroughtOnce) {
  const auto engine = std::make_shared<FarEngine>(FarSteps::all);
  const Value here = numbers("f32[6@x]");
  const Value there = *here.on(engine);
  EXPECT_EQ(there.tile(0).data(), here.on(engine)->tile(0).data());
  EXPECT_EQ(there.on_host()->tile(1).data(), there.on_host()->tile(1).data());
  EXPECT_EQ(here.on_host()->tile(0).data(), here.tile(0).data());
  EXPECT_EQ(there.on(engine)->tile(0).data(), there.tile(0).data());
}

TEST(FarValues, GiveTheirMemoryBack) {
  const auto engine = std::make_shared<FarEngine>(FarSteps::all);
  {
    const Value here = numbers("f32[100000@x]");
    const Outcome there = run_on(engine, one_more("f32[100000@x]"), here);
    EXPECT_GT(engine->memory().taken_bytes(), 0);
  }
  EXPECT_EQ(engine->memory().taken_bytes(), 0);
}

TEST(FarValues, OfFewBytesDoNotKeepTheArena) {
  Builder builder("x:2");
  const RegisterId all = builder.apply(synth::Iota{}, {}, "f32[2@x, 2000000]");
  const RegisterId sorted = builder.apply(synth::Sort{}, {all}, "f32[2@x, 2000000]");
  builder.output(builder.apply(synth::Reduce{synth::ReduceKind::max, {0, 1}}, {sorted}, "f32[]{max x}"));
  builder.output(builder.apply(synth::Iota{}, {}, "f32[40000@x]"));
  const auto engine = std::make_shared<FarEngine>(FarSteps::all);
  World world;
  world.engine = engine;
  const auto outcome = run(builder.program(), {}, world);
  ASSERT_TRUE(outcome.ok());
  EXPECT_LT(engine->memory().taken_bytes(), 1'000'000);
}

TEST(FarSteps, OnTheHostAreCounted) {
  const synth::Program program = one_more("f32[6@x]");
  const auto on_host = [&](FarSteps steps) {
    std::int64_t count = 0;
    for (const auto& [step, times] :
         run_on(std::make_shared<FarEngine>(steps), program, numbers("f32[6@x]")).host_steps)
      count += times;
    return count;
  };
  EXPECT_EQ(on_host(FarSteps::all), 0);
  EXPECT_EQ(on_host(FarSteps::none), 1);
}

TEST(FarMemory, ThatDoesNotSufficeIsNamedBeforeTheFirstStep) {
  const auto engine = std::make_shared<FarEngine>(FarSteps::all);
  engine->set_memory_bytes_max(1000);
  World world;
  world.engine = engine;
  const auto outcome = run(one_more("f32[1000@x]"), {numbers("f32[1000@x]")}, world);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.errors()[0].kind.slug, "out-of-memory-plan");
  EXPECT_THAT(outcome.errors()[0].message, HasSubstr("GPU 0 (far)"));
}

}  // namespace
}  // namespace tessera::runtime::test
