// Names are looked up as of a moment: a function sees what was bound when it was defined.
#include "typeck/typed/environment.hpp"

#include <gtest/gtest.h>

#include "frontend/parse.hpp"

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

// Binds the function that a text of its own declares.
void bind_function(Environment& environment, base::SourceMap& sources, const std::string& text) {
  auto ast = frontend::parse(sources, sources.add("test", text));
  ASSERT_TRUE(ast.ok());
  const frontend::StatementId statement = ast->program.at(0);
  const base::Span span = (*ast)[statement].span;
  environment.bind(
      Function{std::make_shared<const frontend::Ast>(std::move(*ast)), statement, environment.now(), span});
}

using Slot = std::optional<std::uint32_t>;

TEST(Environment, NothingReachesWhatALaterBindingHides) {
  Environment environment;
  EXPECT_EQ(environment.bind(variable(environment, "a")), Slot());
  EXPECT_EQ(environment.bind(variable(environment, "b")), Slot());
  EXPECT_EQ(environment.bind(variable(environment, "a")), Slot(0));
  EXPECT_EQ(environment.bind(variable(environment, "a")), Slot(2));
}

TEST(Environment, AFunctionReachesWhatItsTextMentions) {
  base::SourceMap sources;
  Environment environment;
  environment.bind(variable(environment, "a"));
  environment.bind(variable(environment, "b"));
  bind_function(environment, sources, "fn f(x: f32) = x + a\n");
  EXPECT_EQ(environment.bind(variable(environment, "a")), Slot());
  EXPECT_EQ(environment.bind(variable(environment, "b")), Slot(1));
}

TEST(Environment, AFunctionDoesNotReachWhatIsBoundAfterIt) {
  base::SourceMap sources;
  Environment environment;
  bind_function(environment, sources, "fn f(x: f32) = x + x\n");
  environment.bind(variable(environment, "x"));
  EXPECT_EQ(environment.bind(variable(environment, "x")), Slot(0));
  bind_function(environment, sources, "fn g(y: f32) = x + y\n");
  EXPECT_EQ(environment.bind(variable(environment, "x")), Slot());
}

}  // namespace
}  // namespace tessera::typeck
