// A program on several meshes: what its statements name goes to another mesh and comes back. At its end there are
// pipelines. No axis of a mesh beside that of the program has a name of that one's.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/generator/pipelines.hpp"
#include "tests/generator/program.hpp"
#include "tests/generator/random.hpp"

namespace tessera::generator {

namespace {

// The range of a mesh of so many devices beside one on first:first+devices: behind it, amid it, or from device 0.
std::string range_of(Random& random, std::int64_t count, std::int64_t first, std::int64_t devices) {
  const std::int64_t begin = random.chance(40) ? first + devices + random.below(3) : random.below(first + devices);
  const std::int64_t turned = count > 1 && random.chance(30) ? random.between(1, count - 1) : 0;
  if (turned == 0) return fmt::format("{}:{}", begin, begin + count);
  return fmt::format("({}:{}, {}:{})", begin + turned, begin + count, begin, begin + turned);
}

NamedMesh declare(std::string& text, Random& random, std::string name, std::vector<std::string> axes,
                  std::int64_t first, std::int64_t devices) {
  std::vector<std::string> declared;
  std::int64_t count = 1;
  for (const std::string& axis : axes) {
    const std::int64_t size = random.between(1, 3);
    declared.push_back(fmt::format("{}: {}", axis, size));
    count *= size;
  }
  text +=
      fmt::format("mesh {} = [{}] on {}\n", name, fmt::join(declared, ", "), range_of(random, count, first, devices));
  return {std::move(name), std::move(axes)};
}

// A type on another mesh for a value of this shape: each axis splits a dimension, or is pending now and then.
std::string type_on(const NamedMesh& mesh, const Facts& facts, Random& random) {
  std::vector<std::vector<std::string>> splits(facts.shape.size());
  std::vector<std::string> pending;
  for (const std::string& axis : mesh.axes) {
    if (!splits.empty() && random.chance(70))
      splits[random.index(splits)].push_back(axis);
    else if (facts.element != Element::boolean && random.chance(20))
      pending.push_back(axis);
  }
  std::vector<std::string> dimensions;
  for (std::size_t d = 0; d < splits.size(); ++d) {
    dimensions.push_back(fmt::format("{}", facts.shape[d]));
    if (!splits[d].empty()) dimensions.back() += fmt::format("@({})", fmt::join(splits[d], ", "));
  }
  std::string text(name(facts.element));
  if (!dimensions.empty()) text += fmt::format("[{}]", fmt::join(dimensions, ", "));
  if (!pending.empty()) text += fmt::format("{{+{}}}", fmt::join(pending, ", "));
  return text + " on " + mesh.name;
}

// There and back, for what a statement names.
std::string detours(const Statement& statement, const std::vector<NamedMesh>& others, Random& random) {
  std::string text;
  for (std::size_t k = 0; k < statement.names.size(); ++k) {
    const Facts& facts = statement.facts[k];
    if (!random.chance(60)) continue;
    const std::string& value = statement.names[k];
    text += fmt::format("let {0} = {0}", value);
    for (std::int64_t hops = random.between(1, 2); hops > 0; --hops)
      text += " as " + type_on(others[random.index(others)], facts, random);
    text += fmt::format(" as {}{} on m\n", name(facts.element), facts.shape.empty() ? "" : list_text(facts.shape));
  }
  return text;
}

}  // namespace

std::string several_meshes_text(const Program& program, const MeshSizes& mesh) {
  Random random(program.seed);
  const std::int64_t devices = mesh[0] * mesh[1] * mesh[2];
  const std::int64_t first = random.chance(30) ? random.between(1, 3) : 0;
  std::string result = fmt::format("# Generated from seed {}, on several meshes.\n", program.seed);
  std::vector<NamedMesh> others = {declare(result, random, "n", {"u", "v"}, first, devices)};
  if (random.chance(50)) others.push_back(declare(result, random, "o", {"w"}, first, devices));
  result += fmt::format("mesh m = [x: {}, y: {}, z: {}]", mesh[0], mesh[1], mesh[2]);
  result += first == 0 ? "\n" : fmt::format(" on {}:{}\n", first, first + devices);
  for (const Statement& statement : program.statements) {
    result += tessera_statement(statement) + "\n";
    if (!statement.facts.empty()) result += detours(statement, others, random);
  }
  others.push_back({"m", {"x", "y", "z"}});
  for (int k = 0; k < 2; ++k) result += pipeline_text(random, others, k);
  return result;
}

}  // namespace tessera::generator
