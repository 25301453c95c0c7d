// All programs of tests/cases on an engine whose memory the host cannot look into: the same values to the bit, and the
// same failures, as on the host.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "embed/host/convert.hpp"
#include "embed/session/session_impl.hpp"
#include "runtime/execute/run.hpp"
#include "tests/cases/case_file.hpp"
#include "tests/cases/scenario.hpp"
#include "tests/device/far_engine.hpp"
#include "tests/runtime/crowd.hpp"
#include "typeck/typed/lower.hpp"

namespace tessera::runtime::test {
namespace {

namespace fs = std::filesystem;

struct Ran {
  std::string output;
  std::vector<std::string> failures;  // with the number of the step that failed
  std::vector<synth::Literal> values;
  std::int64_t peak_bytes = 0;
};

// A case that is read, checked and lowered; nothing where it is refused.
struct Lowered {
  cases::Settings settings;
  Program program;
  typeck::Lowered lowered;
};

World world_of(const Lowered& of, const cases::RunFolder& folder, std::string& output) {
  World world;
  world.output = [&](std::string_view text) { output += text; };
  world.files = embed::to_policy(tessera::FilePolicy{tessera::FilePolicy::Kind::rooted, folder.path()});
  world.machine = of.program.impl()->machine;
  world.devices = of.program.impl()->typed->after.devices();
  return world;
}

std::vector<std::string> texts(const base::Diagnostics& failures) {
  std::vector<std::string> all;
  for (const base::Diagnostic& why : failures)
    all.push_back(fmt::format("{} at {}", why.message, why.origin.value_or(0)));
  return all;
}

Ran run_on(std::shared_ptr<Engine> engine, const Lowered& of) {
  const cases::RunFolder folder(of.settings);
  Ran ran;
  World world = world_of(of, folder, ran.output);
  world.engine = std::move(engine);
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

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::optional<Lowered> lowered(const fs::path& path) {
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
  return Lowered{with, std::move(*program), std::move(*steps)};
}

// Every so many-th case.
template <class F>
void for_cases(std::size_t every, const F& f) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(TESSERA_SOURCE_DIR) / "tests" / "cases")) {
    if (entry.path().extension() == ".case") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (std::size_t k = 0; k < paths.size(); k += every) {
    SCOPED_TRACE(paths[k].string());
    const auto of = lowered(paths[k]);
    if (of) f(*of);
  }
}

void compare_all(FarSteps steps) {
  for_cases(1, [&](const Lowered& of) {
    const Ran there = run_on(std::make_shared<FarEngine>(steps), of);
    const Ran here = run_on(nullptr, of);
    EXPECT_EQ(there.output, here.output);
    EXPECT_EQ(there.failures, here.failures);
    EXPECT_EQ(there.peak_bytes, here.peak_bytes);
    ASSERT_EQ(there.values.size(), here.values.size());
    for (std::size_t k = 0; k < here.values.size(); ++k)
      EXPECT_EQ(there.values[k].bytes, here.values[k].bytes) << "output " << k;
  });
}

// What is not as the host's in a rank's outcome.
std::string difference(const std::vector<Value>& mine, const std::vector<Value>& simulated) {
  for (std::size_t k = 0; k < simulated.size(); ++k) {
    const Value here = *mine.at(k).on_host();
    for (std::int64_t device = 0; device < here.type().devices(); ++device) {
      if (here.has_device(device) && !std::ranges::equal(here.tile(device), simulated[k].tile(device)))
        return fmt::format("another tile of output {} on device {}", k, device);
    }
  }
  return {};
}

// Three ranks, each with an engine of its own.
void compare_on_ranks(const Lowered& of) {
  const cases::RunFolder folder(of.settings);
  const Ran here = run_on(nullptr, of);
  std::string ignored;
  const auto simulated = run(of.lowered.program, {}, world_of(of, folder, ignored));
  std::string output;
  const auto on_rank = [&](const std::shared_ptr<Team>& team) -> std::string {
    std::string others;
    World world = world_of(of, folder, team->rank() == 0 ? output : others);
    world.team = team;
    world.engine = std::make_shared<FarEngine>(FarSteps::some, static_cast<unsigned>(team->rank()) + 1);
    const auto outcome = run(of.lowered.program, {}, world);
    if (outcome.ok() != simulated.ok()) return outcome.ok() ? "goes well" : outcome.errors()[0].message;
    return outcome.ok() ? difference(outcome->outputs, simulated->outputs) : "";
  };
  EXPECT_THAT(in_crowd(Machines{0, 0, 0}, MemorySharing::off, on_rank), testing::IsEmpty());
  EXPECT_EQ(output, here.output);
}

TEST(FarCases, GiveTheHostsBitsInStepsOfTheEngine) { compare_all(FarSteps::all); }
TEST(FarCases, GiveTheHostsBitsInStepsOnTheHost) { compare_all(FarSteps::none); }
TEST(FarCases, GiveTheHostsBitsInStepsOfBoth) { compare_all(FarSteps::some); }
TEST(FarCases, GiveTheHostsBitsOnRanks) { for_cases(5, compare_on_ranks); }

}  // namespace
}  // namespace tessera::runtime::test
