// Names are looked up as of a moment: a function sees what was bound when it was defined.
#include "typeck/environment.hpp"

#include <gtest/gtest.h>

namespace tessera::typeck {
namespace {

Variable variable(Environment& environment, const std::string& name) {
  return Variable{name, ArrayType(), {}, environment.new_slot(), {}};
}

TEST(Environment, ALaterBindingHidesAnEarlierOneOnlyFromThenOn) {
  Environment environment;
  environment.bind(variable(environment, "a"));
  const Moment between = environment.now();
  environment.bind(variable(environment, "a"));
  EXPECT_EQ(environment.variable("a", between)->slot, 0U);
  EXPECT_EQ(environment.variable("a", environment.now())->slot, 1U);
  EXPECT_EQ(environment.variable("b", environment.now()), nullptr);
}

TEST(Environment, CopiesGoSeparateWays) {
  Environment first;
  Environment second = first;
  second.bind(variable(second, "a"));
  EXPECT_EQ(first.variable("a", first.now()), nullptr);
  EXPECT_NE(second.variable("a", second.now()), nullptr);
}

TEST(Environment, TheLastMeshIsTheDefault) {
  Environment environment;
  EXPECT_EQ(environment.default_mesh(environment.now())->devices(), 1);
  environment.bind(NamedMesh{"m", *synth::Mesh::make({{"x", 4}}), {}});
  const Moment between = environment.now();
  environment.bind(NamedMesh{"n", *synth::Mesh::make({{"y", 6}}), {}});
  EXPECT_EQ(environment.default_mesh(between)->devices(), 4);
  EXPECT_EQ(environment.default_mesh(environment.now())->devices(), 6);
}

TEST(Environment, TypesNameTheirMeshOnlyWhereItIsNotTheDefault) {
  Environment environment;
  const synth::MeshRef first = *synth::Mesh::make({{"x", 4}});
  environment.bind(NamedMesh{"m", first, {}});
  const ArrayType scalar = ArrayType::scalar(synth::ElementType::f32, first);
  EXPECT_EQ(print_type(scalar, environment, environment.now()), "f32");
  environment.bind(NamedMesh{"n", *synth::Mesh::make({{"y", 6}}), {}});
  EXPECT_EQ(print_type(scalar, environment, environment.now()), "f32 on m");
}

TEST(Environment, SlotsThatOnlyOldBindingsReachAreNotLive) {
  Environment environment;
  environment.bind(variable(environment, "a"));
  environment.bind(variable(environment, "a"));
  EXPECT_EQ(environment.live_slots(), std::vector<std::uint32_t>{1});
}

}  // namespace
}  // namespace tessera::typeck
