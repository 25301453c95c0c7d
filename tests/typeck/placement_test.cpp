// `place auto` against the same text with every matrix written out.
#include "typeck/placement/search.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "frontend/parse.hpp"
#include "synth/layout/place/fit.hpp"
#include "typeck/check.hpp"
#include "typeck/typed/lower.hpp"

namespace tessera::typeck {
namespace {

synth::Machine nodes(std::int64_t count, std::int64_t inside) {
  return {{{"node", count, 8e9, 5e-6}, {"device", inside, 270e9, 1e-6}}};
}

// What comes of a text whose meshes are placed by what is written in place of `AUTO`.
struct Outcome {
  std::string program;  // for devices, with the values of literals in place
  std::string notes;
  double seconds = 0;
  bool all_verified = true;
};

// A device program with every literal's value in place of its number: a matrix that is written out has literals of its
// own, which shift the numbers of those behind it.
std::string with_literal_values(const std::string& program) {
  static const std::regex line("literal (l[0-9]+) ([^\n]*)\n");
  static const std::regex number("\\bl[0-9]+\\b");
  std::map<std::string, std::string> values;
  for (std::sregex_iterator at(program.begin(), program.end(), line), end; at != end; ++at)
    values[at->str(1)] = at->str(2);
  const std::string steps = std::regex_replace(program, line, "");
  std::string told;
  auto rest = steps.begin();
  for (std::sregex_iterator at(steps.begin(), steps.end(), number), end; at != end; ++at) {
    told.append(rest, steps.begin() + at->position()).append(values.at(at->str()));
    rest = steps.begin() + at->position() + at->length();
  }
  return told.append(rest, steps.end());
}

std::optional<Outcome> outcome(std::string text, const std::string& place, const synth::Machine& machine) {
  for (std::size_t at = text.find("AUTO"); at != std::string::npos; at = text.find("AUTO")) text.replace(at, 4, place);
  base::SourceMap sources;
  auto ast = frontend::parse(sources, sources.add("test", text));
  EXPECT_TRUE(ast.ok()) << text;
  synth::PlanCache plans{machine};
  auto typed = check(std::make_shared<const frontend::Ast>(std::move(ast).value()), sources, Environment(), plans);
  if (!typed.ok()) return std::nullopt;
  const auto lowered = lower(*typed, Keep::nothing);
  EXPECT_TRUE(lowered.ok()) << text;
  EXPECT_TRUE(verify(*typed).ok()) << text;
  Outcome found{with_literal_values(print(lowered->program)), {}, seconds_of(moved(*typed))};
  for (const base::Diagnostic& note : typed->notes) found.notes += note.message + "\n";
  for (const Moved& one : moved(*typed)) found.all_verified = found.all_verified && one.plan->verified;
  return found;
}

std::vector<std::string> matrices(const std::string& mesh, const synth::Machine& machine) {
  const auto made = synth::parse_mesh(mesh);
  const synth::PlaceProblem problem = synth::place_problem(**made, machine);
  std::vector<std::string> all;
  const auto usual = synth::row_major_placement(problem);
  if (usual) all.push_back(print(*usual));
  synth::for_each_placement(problem, [&](const synth::PlaceMatrix& matrix) {
    if (matrix != usual) all.push_back(print(matrix));
    return true;
  });
  return all;
}

// Under the least matrix of all the program is the one that is found.
void expect_least_of_all(const std::string& mesh, const std::string& text, const synth::Machine& machine) {
  const auto found = outcome(text, "place auto", machine);
  ASSERT_TRUE(found.has_value()) << text;
  EXPECT_TRUE(found->all_verified) << text;
  std::optional<Outcome> least;
  std::string where;
  for (const std::string& matrix : matrices(mesh, machine)) {
    auto own = outcome(text, "place " + matrix, machine);
    if (!own.has_value() || (least.has_value() && own->seconds >= least->seconds)) continue;
    least = std::move(own);
    where = matrix;
  }
  ASSERT_TRUE(least.has_value()) << text;
  EXPECT_EQ(found->program, least->program) << text;
  EXPECT_EQ(found->seconds, least->seconds) << text;
  EXPECT_NE(found->notes.find("placed by `" + where + "`"), std::string::npos) << found->notes << where;
}

// Of more matrices than are checked, the one that is found gives the program that it gives where it is written.
void expect_as_written(const std::string& text, const synth::Machine& machine) {
  const auto found = outcome(text, "place auto", machine);
  ASSERT_TRUE(found.has_value()) << text;
  const std::size_t begin = found->notes.find("placed by `") + 11;
  const std::string where = found->notes.substr(begin, found->notes.find('`', begin) - begin);
  const auto own = outcome(text, "place " + where, machine);
  ASSERT_TRUE(own.has_value()) << found->notes;
  EXPECT_EQ(found->program, own->program) << text;
  EXPECT_EQ(found->seconds, own->seconds) << text;
}

const std::vector<std::string>& bodies() {
  static const std::vector<std::string> all = {
      // products that disagree, so that layouts follow prices
      "let x = iota(f32[64@d, 256])\nlet w = iota(f32[256@t, 512])\nlet y = relu(x @ w)\n"
      "let v = iota(f32[512@d, 128])\nlet z = (y @ v) + sum(y)\nprint sum(z)\n",
      // a function, a loop, a gradient
      "fn loss(x: f32[B, D]?, w: f32[D, F]?) = sum((x @ w)**2.0)\nlet x = iota(f32[32@d, 64])\n"
      "let w = loop w = iota(f32[64, 128@t]) for i < 7 {\n  let (l, g) = grad(loss, wrt=w)(x, w)\n  w - g * 0.1\n}\n"
      "print sum(w)\n",
      // a value that a name of the mesh is written for, joined parts, a collective by hand
      "let x = iota(f32[96@(d,t), 8] on m)\nlet y = concat([x as [96@t, 8], x as [96, 8@d]], 0)\n"
      "print sum(all_gather(x, 0, t) * 2.0), sum(y)\n"};
  return all;
}

TEST(PlaceAuto, FindsTheLeastOfAllMatrices) {
  for (const std::string& body : bodies()) {
    expect_least_of_all("d:4,t:4", "mesh m = [d: 4, t: 4] AUTO\n" + body, nodes(2, 8));
    expect_least_of_all("d:2,t:4,p:2", "mesh m = [d: 2, t: 4, p: 2] AUTO\n" + body, nodes(4, 4));
    expect_as_written("mesh m = [p: 4, d: 4, t: 6] AUTO\n" + body, nodes(12, 8));
  }
}

// Another mesh of the same devices is the same mesh only where both are placed alike.
TEST(PlaceAuto, IsReadAnewWhereAnotherMeshMayBeTheSame) {
  const std::string text =
      "mesh n = [d: 4, t: 4]\nmesh m = [d: 4, t: 4] AUTO\nlet a = iota(f32[64@d, 64] on n)\n"
      "let x = iota(f32[64@d, 64] on m)\nlet y = x as [64, 64@t] on n\nprint sum(a * y), sum(x as [64, 64])\n";
  expect_least_of_all("d:4,t:4", text, nodes(2, 8));
}

}  // namespace
}  // namespace tessera::typeck
