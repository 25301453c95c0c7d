#include "tests/differential/checks.hpp"

#include <fmt/format.h>

#include "tests/cases/stages.hpp"
#include "tests/differential/outcome.hpp"
#include "tests/generator/generator.hpp"
#include "tests/generator/shrink.hpp"

namespace tessera::differential {

namespace {

using generator::MeshSizes;
using generator::Program;

// The elaborated program, checked again, elaborates to itself.
std::optional<std::string> check_elaborated(const tessera::Program& program) {
  const auto text = program.elaborated();
  if (!text.ok()) return "elaborated: " + first_failure(text.diagnostics());
  Session session;
  const auto again = session.check(*text, "elaborated");
  if (!again.ok()) return fmt::format("elaborated: refused: {}\n{}", first_failure(again.diagnostics()), *text);
  const auto second = again->elaborated();
  if (second.ok() && *second == *text) return std::nullopt;
  return fmt::format("elaborated: prints differently:\n{}then:\n{}", *text,
                     second.ok() ? *second : first_failure(second.diagnostics()));
}

std::optional<std::string> check_formatted(const std::string& text) {
  const auto once = format(text);
  if (!once.ok()) return "format: " + first_failure(once.diagnostics());
  const auto twice = format(*once);
  if (twice.ok() && *twice == *once) return std::nullopt;
  return "format: a second time it gives another text:\n" + (twice.ok() ? *twice : first_failure(twice.diagnostics()));
}

std::optional<std::string> first_fault(std::string_view check, const cases::Faults& faults) {
  if (faults.empty()) return std::nullopt;
  return fmt::format("{}: {}", check, faults[0]);
}

std::optional<std::string> on_mesh(std::string failure, const MeshSizes& mesh) {
  return fmt::format("{}\n(on the mesh {})", failure, generator::print(mesh));
}

std::optional<std::string> check_facts(const Program& program, const Outcome& outcome) {
  for (const generator::Statement& statement : program.statements) {
    for (std::size_t k = 0; k < statement.names.size(); ++k) {
      const auto found = outcome.values.find(statement.names[k]);
      if (found == outcome.values.end()) return fmt::format("facts: there is no `{}`", statement.names[k]);
      if (auto wrong = contradiction(statement.facts[k], found->second))
        return fmt::format("facts: `{}`: {}", statement.names[k], *wrong);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> check_stages(const std::string& text) {
  if (auto fault = first_fault("parse-print", cases::check_parse_print(text))) return fault;
  if (auto fault = check_formatted(text)) return fault;
  Session session;
  const auto program = session.check(text, "generated");
  if (!program.ok()) return first_failure(program.diagnostics());
  const cases::Settings settings;
  if (auto fault = first_fault("plans", cases::check_plans(text, settings, cases::RunFolder(settings)))) return fault;
  if (auto fault = check_elaborated(*program)) return fault;
  const auto steps = program->device_program();
  if (!steps.ok()) return "program: " + first_failure(steps.diagnostics());
  return first_fault("program-print", cases::check_program_print(*steps));
}

std::optional<std::string> check_devices(const Program& program, const std::vector<MeshSizes>& meshes) {
  const Outcome expected = run(tessera_text(program, generator::kOneDevice));
  if (!expected.failure.empty()) return on_mesh(expected.failure, generator::kOneDevice);
  if (auto wrong = check_facts(program, expected)) return wrong;
  for (const MeshSizes& mesh : meshes) {
    if (auto found = difference(program, expected, run(tessera_text(program, mesh)))) return on_mesh(*found, mesh);
    const auto weighted = difference(program, expected, run(weighted_text(program, mesh)));
    if (weighted) return on_mesh(*weighted + "\n" + weighted_text(program, mesh), mesh);
    const auto several = difference(program, expected, run(several_meshes_text(program, mesh)));
    if (several) return on_mesh(*several + "\n" + several_meshes_text(program, mesh), mesh);
  }
  return std::nullopt;
}

std::optional<std::string> check_program(const Program& program) {
  std::vector<MeshSizes> meshes = {program.mesh};
  for (const MeshSizes& mesh : generator::other_meshes(program, 2)) meshes.push_back(mesh);
  for (const MeshSizes& mesh : meshes) {
    for (const auto& text :
         {tessera_text(program, mesh), weighted_text(program, mesh), several_meshes_text(program, mesh)})
      if (auto fault = check_stages(text)) return on_mesh(*fault + "\n" + text, mesh);
  }
  return check_devices(program, meshes);
}

std::string kind_of(const std::optional<std::string>& failure) {
  if (!failure.has_value()) return "";
  std::string kind = failure->substr(0, failure->find(": "));
  // The message tells one bug of our own from another, but for the numbers in it.
  const bool own = kind == "internal" || kind == "elaborated" || kind == "plans";
  if (own) kind = failure->substr(0, std::min(failure->find('\n'), failure->find(';')));
  std::erase_if(kind, [](char c) { return c >= '0' && c <= '9'; });
  return kind;
}

std::string report(const Program& program, const std::string& failure) {
  const auto kind = [](const Program& candidate) { return kind_of(check_program(candidate)); };
  const Program small = generator::shrunk(program, kind);
  return fmt::format("seed {}: {}\n\nthe program:\n{}\na smaller one ({}):\n{}", program.seed, failure,
                     tessera_text(program, program.mesh), check_program(small).value_or("which does not fail"),
                     tessera_text(small, small.mesh));
}

}  // namespace tessera::differential
