#include "tests/device/case_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <variant>

#include "embed/host/convert.hpp"
#include "embed/session/session_impl.hpp"
#include "tests/cases/case_file.hpp"
#include "typeck/typed/lower.hpp"

namespace tessera::runtime::test {

namespace fs = std::filesystem;

World world_of(const LoweredCase& of, const cases::RunFolder& folder, std::string& output) {
  World world;
  world.output = [&](std::string_view text) { output += text; };
  world.files = embed::to_policy(tessera::FilePolicy{tessera::FilePolicy::Kind::rooted, folder.path()});
  world.machine = of.program.impl()->machine;
  world.devices = of.program.impl()->typed->after.devices();
  return world;
}

static std::vector<std::string> texts(const base::Diagnostics& failures) {
  std::vector<std::string> all;
  for (const base::Diagnostic& why : failures)
    all.push_back(fmt::format("{} at {}", why.message, why.origin.value_or(0)));
  return all;
}

RanCase run_on(std::shared_ptr<Engine> engine, const LoweredCase& of, Products products) {
  const cases::RunFolder folder(of.settings);
  RanCase ran;
  World world = world_of(of, folder, ran.output);
  world.engine = std::move(engine);
  world.ordered_products = products == Products::ordered;
  const auto outcome = run(of.lowered.program, {}, world);
  if (!outcome.ok()) {
    ran.failures = texts(outcome.errors());
    return ran;
  }
  ran.peak_bytes = outcome->peak_bytes;
  for (const Value& value : outcome->outputs) {
    const auto whole = gather(value);
    if (whole.ok())
      ran.values.push_back(*whole);
    else
      ran.failures.push_back(whole.errors().front().message);
  }
  return ran;
}

static std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::optional<LoweredCase> lowered_case(const std::string& path) {
  const auto file = cases::read_case(read_file(path));
  const auto& read = std::get<cases::CaseFile>(file);
  const cases::Section* const source = read.find(cases::SectionKind::source);
  const auto settings = cases::read_settings(read);
  if (source == nullptr || !std::holds_alternative<cases::Settings>(settings)) return {};
  const auto& with = std::get<cases::Settings>(settings);
  const cases::RunFolder folder(with);
  std::string ignored;
  Session session(cases::configuration(with, folder, cases::KeepValues::yes, ignored));
  auto program = session.check(std::string(cases::content(*source)), "case");
  if (!program.ok()) return {};
  auto steps = typeck::lower(*program->impl()->typed, typeck::Keep::bound_names);
  if (!steps.ok()) return {};
  return LoweredCase{with, std::move(*program), std::move(*steps)};
}

std::vector<std::string> case_paths() {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(TESSERA_SOURCE_DIR) / "tests" / "cases")) {
    if (entry.path().extension() == ".case") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace tessera::runtime::test
