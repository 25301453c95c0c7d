// Names are looked up as of a moment: a function sees what was bound when it was defined.
#include "typeck/typed/environment.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "frontend/parse.hpp"
#include "typeck/typed/mentions.hpp"

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

// Is the name the same in both, as of a moment?
void expect_same(const Environment& swept, const Environment& plain, const std::string& name, const Seen& at) {
  const Variable* const variable = swept.variable(name, at);
  const Variable* const plain_variable = plain.variable(name, at);
  ASSERT_EQ(variable != nullptr, plain_variable != nullptr) << name;
  if (variable != nullptr) {
    EXPECT_EQ(variable->slot, plain_variable->slot) << name;
  }
  const NamedText* const text = swept.text(name, at);
  const NamedText* const plain_text = plain.text(name, at);
  ASSERT_EQ(text != nullptr, plain_text != nullptr) << name;
  if (text != nullptr) {
    EXPECT_EQ(text->text, plain_text->text) << name;
  }
  const Constant* const constant = swept.constant(name, at);
  const Constant* const plain_constant = plain.constant(name, at);
  ASSERT_EQ(constant != nullptr, plain_constant != nullptr) << name;
  if (constant != nullptr) {
    EXPECT_EQ(constant->moment, plain_constant->moment) << name;
    for (const Mention& mention : mentions(*constant->ast)) expect_same(swept, plain, mention.name, constant->sees());
  }
  EXPECT_EQ(swept.default_mesh(at.at), plain.default_mesh(at.at));
  const NamedMesh* const mesh = swept.mesh("m", at.at);
  const NamedMesh* const plain_mesh = plain.mesh("m", at.at);
  ASSERT_EQ(mesh != nullptr, plain_mesh != nullptr);
  if (mesh != nullptr) {
    EXPECT_EQ(mesh->mesh, plain_mesh->mesh);
  }
}

const std::vector<std::string> kNames = {"a", "b", "c"};
const std::vector<std::string> kFunctions = {"f", "g", "h"};

// And all that a function of that name means, by way of those that it calls.
void expect_same_function(const Environment& swept, const Environment& plain, const std::string& name, const Seen& at,
                          std::set<Moment>& seen) {
  const Function* const function = swept.function(name, at);
  const Function* const plain_function = plain.function(name, at);
  ASSERT_EQ(function != nullptr, plain_function != nullptr) << name;
  if (function == nullptr) return;
  ASSERT_EQ(function->moment, plain_function->moment) << name;
  if (!seen.insert(function->moment).second) return;
  for (const Mention& mention : mentions(*function->ast)) {
    expect_same(swept, plain, mention.name, function->sees());
    if (mention.name != name) expect_same_function(swept, plain, mention.name, function->sees(), seen);
  }
}

std::shared_ptr<const frontend::Ast> tree_of(base::SourceMap& sources, const std::string& text) {
  return std::make_shared<const frontend::Ast>(*frontend::parse(sources, sources.add("test", text + "\n")));
}

// Binds what a text of one statement declares in a file, and in the program under the same name.
void use_one(Environment& environment, const std::shared_ptr<const frontend::Ast>& ast, base::SourceId file) {
  const frontend::StatementId statement = ast->program.at(0);
  const base::Span span = (*ast)[statement].span;
  if (const auto* let = std::get_if<frontend::Let>(&(*ast)[statement].node)) {
    const Constant constant{let->names[0].text, ast, statement, environment.now(), span, file};
    environment.bind_in(file, constant);
    environment.bind_in({}, constant);
  } else {
    const Function function{ast, statement, environment.now(), span, file};
    environment.bind_in(file, function);
    environment.bind_in({}, function);
  }
}

// Three declarations of a file, which is there whole before anything is forgotten.
void use_some(std::mt19937& random, base::SourceMap& sources, const std::vector<Environment*>& environments,
              base::SourceId file) {
  const auto one_of = [&](const std::vector<std::string>& names) { return names[random() % names.size()]; };
  for (int k = 0; k < 3; ++k) {
    const std::string sum = one_of(kNames) + " + " + one_of(kFunctions) + "(v)";
    const auto ast = tree_of(sources, random() % 2 == 0 ? "let " + one_of(kNames) + " = " + one_of(kNames)
                                                        : "fn " + one_of(kFunctions) + "(v: f32) = " + sum);
    for (Environment* one : environments) use_one(*one, ast, file);
  }
}

// Whatever is bound in whatever order, and whenever what is unreachable is forgotten: nothing changes for what is left,
// and what is left does not grow.
TEST(Environment, ForgettingChangesNothingThatIsReached) {
  std::mt19937 random(9);
  const auto one_of = [&](const std::vector<std::string>& names) { return names[random() % names.size()]; };
  for (int round = 0; round < 60; ++round) {
    base::SourceMap sources;
    Environment swept;
    Environment plain;
    for (int step = 0; step < 80; ++step) {
      const std::string name = one_of(kNames);
      switch (random() % 6) {
        case 0: {
          Environment* const both[] = {&swept, &plain};
          for (Environment* one : both) one->bind(NamedText{name, std::to_string(step), {}});
          for (Environment* one : both) static_cast<void>(one->new_slot());
          break;
        }
        case 1: {
          const synth::MeshRef mesh = *synth::Mesh::make({{"x", 1 + step % 7}});
          swept.bind(NamedMesh{"m", mesh, {}});
          plain.bind(NamedMesh{"m", mesh, {}});
          break;
        }
        case 2: {
          const auto ast = tree_of(sources, "fn " + one_of(kFunctions) + "(v: f32) = " + name + " + " +
                                                one_of(kFunctions) + "(v) + " + one_of(kNames));
          const frontend::StatementId statement = ast->program.at(0);
          const base::Span span = (*ast)[statement].span;
          swept.bind(Function{ast, statement, swept.now(), span});
          plain.bind(Function{ast, statement, plain.now(), span});
          break;
        }
        case 3: {
          use_some(random, sources, {&swept, &plain}, base::SourceId{1000 + static_cast<std::uint32_t>(step)});
          break;
        }
        default: {
          swept.bind(variable(swept, name));
          plain.bind(variable(plain, name));
        }
      }
      if (random() % 4 == 0) {
        const Environment::Reached reached = swept.forget_unreachable();
        for (const std::string& known : kNames) {
          const Variable* const bound = plain.variable(known, plain.now());
          EXPECT_TRUE(bound == nullptr || reached.slots.contains(bound->slot));
        }
      }
      ASSERT_EQ(swept.now(), plain.now());
      std::set<Moment> seen;
      for (const std::string& known : kNames) expect_same(swept, plain, known, plain.now());
      for (const std::string& known : kFunctions) expect_same_function(swept, plain, known, plain.now(), seen);
    }
  }
}

TEST(Environment, AFileSeesItsOwnNamesAndTheProgramThoseThatItBrings) {
  base::SourceMap sources;
  Environment environment;
  const auto parsed = [&](const std::string& text) {
    return std::make_shared<const frontend::Ast>(*frontend::parse(sources, sources.add("test", text)));
  };
  const base::SourceId file{7};
  const auto own = parsed("fn own(v: f32) = v\n");
  environment.bind_in(file, Function{own, own->program[0], environment.now(), {}, file});
  environment.bind(variable(environment, "a"));
  use_one(environment, parsed("let b = 1\n"), file);
  const Seen in_file{environment.now(), file};
  EXPECT_NE(environment.function("own", in_file), nullptr);
  EXPECT_EQ(environment.function("own", environment.now()), nullptr);
  EXPECT_EQ(environment.variable("a", in_file), nullptr);
  EXPECT_NE(environment.constant("b", in_file), nullptr);
  EXPECT_EQ(environment.function_names(environment.now()), std::vector<std::string>{});
  EXPECT_EQ(environment.function_names(in_file), std::vector<std::string>{"own"});
  EXPECT_EQ(environment.constant_names(environment.now()), std::vector<std::string>{"b"});
  environment.bind(variable(environment, "b"));
  EXPECT_EQ(environment.constant("b", environment.now()), nullptr);
  EXPECT_NE(environment.variable("b", environment.now()), nullptr);
}

TEST(Environment, WhatIsLeftDoesNotGrow) {
  base::SourceMap sources;
  Environment environment;
  std::size_t most = 0;
  for (int round = 0; round < 300; ++round) {
    environment.bind(variable(environment, "a"));
    environment.bind(NamedText{"b", "text", {}});
    environment.bind(NamedMesh{"m", *synth::Mesh::make({{"x", 1 + round % 7}}), {}});
    bind_function(environment, sources, "fn f(x: f32) = x + a\n");
    environment.forget_unreachable();
    most = std::max(most, environment.size());
  }
  EXPECT_LE(most, 5U);
}

}  // namespace
}  // namespace tessera::typeck
