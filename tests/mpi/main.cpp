// Runs programs on the ranks that a launcher has started and compares them with simulated devices, to the bit:
//
//   mpirun -np N tessera_ranks cases | generated COUNT [FIRST-SEED] | meshes COUNT [FIRST-SEED] | sums COUNT
//       [FIRST-SEED] | stopped ROUNDS | long_message | growing | crossings REQUESTS MACHINE TRIES WAY...
//       | reductions MACHINE MESH SUMMED BYTES TRIES all|best [options]
//
// Every rank runs every test; each says what went wrong on it, rank 0 says the rest.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "runtime/mpi/mpi.hpp"
#include "runtime/ranks/team.hpp"
#include "tests/cases/case_file.hpp"
#include "tests/generator/generator.hpp"
#include "tests/mpi/comparison.hpp"
#include "tests/mpi/crew.hpp"
#include "tests/mpi/crossings.hpp"
#include "tests/mpi/reductions.hpp"
#include "tests/mpi/sums.hpp"

namespace tessera::ranks {
namespace {

namespace fs = std::filesystem;

// A test that is its body.
class Test : public testing::Test {
 public:
  explicit Test(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

void add_test(const std::string& suite, const std::string& name, const std::string& file, std::function<void()> body) {
  testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, file.c_str(), 1,
                        [body = std::move(body)]() -> testing::Test* { return new Test(body); });
}

void expect_none(const cases::Faults& faults, const std::string& where) {
  for (const std::string& fault : faults) ADD_FAILURE() << where << ": " << fault;
}

// The program of a case, if it has one that is to be run; `wrong` says why it cannot be read.
std::optional<Program> program_of_case(const fs::path& path, std::string& wrong) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const auto file = cases::read_case(bytes);
  const auto* known = std::get_if<cases::CaseFile>(&file);
  if (known == nullptr) wrong = "it is no case";
  if (known == nullptr) return std::nullopt;
  const auto settings = cases::read_settings(*known);
  const auto* wanted = std::get_if<cases::Settings>(&settings);
  if (wanted == nullptr) wrong = "its settings cannot be read";
  if (wanted == nullptr) return std::nullopt;
  // A session's transcript is no program.
  const auto* source = known->find(cases::SectionKind::source);
  if (source == nullptr || known->skipped(cases::Check::run).has_value()) return std::nullopt;
  return Program{std::string(cases::content(*source)), path.filename().string(), *wanted};
}

using SharedComparisons = std::shared_ptr<Comparisons>;

void add_program(const SharedComparisons& all, const std::string& suite, const std::string& name,
                 const std::string& where, std::function<Program()> program) {
  const std::size_t number = all->add(std::move(program));
  add_test(suite, name, where, [all, number, where] { expect_none(all->run(number), where); });
}

void add_cases(const SharedComparisons& all) {
  const fs::path folder = fs::path(TESSERA_SOURCE_DIR) / "tests" / "cases";
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".case") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    std::string wrong;
    const auto program = program_of_case(path, wrong);
    if (!program && wrong.empty()) continue;
    std::string name = path.lexically_relative(folder).replace_extension();
    std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    if (program) {
      add_program(all, "ranks_cases", name, path.string(), [program] { return *program; });
    } else {
      add_test("ranks_cases", name, path.string(), [wrong] { FAIL() << wrong; });
    }
  }
}

// The forms of a program in turn, or all on several meshes.
void add_generated(const SharedComparisons& all, std::uint64_t first, std::uint64_t count, bool on_several_meshes) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::size_t form = on_several_meshes ? 2 : seed % 3;
    constexpr std::array kWords = {"", " weighted", " meshes"};
    const std::string where = fmt::format("tessera_generate {}{}", seed, kWords[form]);
    add_program(all, "ranks_generated", fmt::format("seed_{}", seed), where, [seed, form] {
      const generator::Program program = generator::generate(seed);
      constexpr std::array kForms = {generator::tessera_text, generator::weighted_text, generator::several_meshes_text};
      return Program{kForms[form](program, program.mesh), "generated"};
    });
  }
}

// None for a crew of one.
std::shared_ptr<runtime::Team> meet(const Crew& crew, runtime::MemorySharing sharing) {
  if (crew.size() == 1) return nullptr;
  return runtime::Team::meet(runtime::make_messenger(crew.communicator()).value(), sharing).value();
}

void add_sums(Crew& crew, std::uint64_t first, std::uint64_t count) {
  using runtime::MemorySharing;
  const auto team = meet(crew, Crew::shares_memory() ? MemorySharing::wanted : MemorySharing::off);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    add_test("ranks_sums", fmt::format("seed_{}", seed), __FILE__,
             [team, seed] { EXPECT_EQ(differences_of_sum(seed, team), "") << "seed " << seed; });
  }
}

std::byte element_of_long_message(std::size_t at) { return static_cast<std::byte>((at * 2'654'435'761U) >> 24U); }

// Longer than MPI counts: rank 0 sends it to the last rank.
void send_long_message(Crew& crew) {
  const auto team = meet(crew, runtime::MemorySharing::off);
  const std::size_t size = (std::size_t{1} << 31U) + 12'345;
  const int last = crew.size() - 1;
  std::vector<std::byte> bytes(crew.rank() == 0 || crew.rank() == last ? size : 0);
  for (std::size_t at = 0; crew.rank() == 0 && at < size; ++at) bytes[at] = element_of_long_message(at);
  const runtime::Incoming incoming{0, bytes};
  const runtime::Outgoing outgoing{last, bytes};
  const auto begun = team->begin_messages(std::span(&incoming, crew.rank() == last ? 1U : 0U),
                                          std::span(&outgoing, crew.rank() == 0 ? 1U : 0U));
  ASSERT_TRUE(begun.ok());
  ASSERT_TRUE(team->await_messages().ok());
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) wrong += bytes[at] == element_of_long_message(at) ? 0 : 1;
  EXPECT_EQ(wrong, 0U);
}

// One rank after another gives up amid messages of many pieces, of which some are on their way and some have not begun.
// The next run of the ranks has the right elements, and nothing of the messages given up.
void stop_amid_messages(Crew& crew, int rounds) {
  Session session(crew.together(Config{}));
  const int parts = crew.size();
  const int extent = parts << 21;
  ASSERT_TRUE(session.run(fmt::format("mesh m = [x: {}]\nlet a = iota(i32[{}@x])\n", parts, extent)));
  const std::string long_run =
      fmt::format("let w = loop w = i32(0) for i < 100000 {{ let c = a as [{}]; w + max(c) }}\n", extent);
  for (int round = 0; round < rounds; ++round) {
    std::atomic<bool> over = false;
    std::thread stopping([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(1'000 + round * 7'919 % 60'000));
      for (; round % parts == crew.rank() && !over; std::this_thread::sleep_for(std::chrono::milliseconds(20)))
        session.stop();
    });
    const auto stopped = session.run(long_run);
    over = true;
    stopping.join();
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.diagnostics().front().slug, "interrupted");
    const auto sums = session.run(fmt::format("let c = (a + {}) as [{}]\n", round, extent));
    ASSERT_TRUE(sums) << sums.diagnostics().front().message;
    const auto elements = session.get("c").value().to_vector<std::int32_t>();
    ASSERT_TRUE(elements);
    for (std::size_t at = 0; at < elements->size(); ++at)
      ASSERT_EQ((*elements)[at], static_cast<std::int32_t>(at) + round) << "round " << round;
  }
}

// The tiles of a name: of this rank's devices those of the simulation, and no others.
void expect_tiles(Crew& crew, const Session& simulated, const Session& together, const std::string& name) {
  const auto [first, end] = together.devices().at(static_cast<std::size_t>(crew.rank()));
  const Array expected = simulated.get(name).value();
  const Array actual = together.get(name).value();
  for (std::int64_t device = 0; device < expected.devices(); ++device) {
    const auto tile = actual.tile(device);
    ASSERT_EQ(tile.ok(), first <= device && device < end) << name << ", device " << device;
    if (!tile) continue;
    EXPECT_EQ(tile->bytes, expected.tile(device)->bytes) << name << ", device " << device;
  }
  EXPECT_EQ(actual.bytes(), expected.bytes()) << name;
}

// A session that goes on with larger and larger meshes: each time the values move to where their devices are then.
// Arrays that the host took out before stay what they were.
void grow(Crew& crew) {
  Session simulated(Config{});
  Session together(crew.together(Config{}));
  std::vector<std::string> names;
  std::vector<Array> taken;
  for (const std::int64_t devices : {2, 3, 7, 16, 5}) {
    const std::string text =
        fmt::format("mesh m{0} = [x: {0}]\nlet a{0} = iota(f32[11@x, 6])\nlet s{0} = iota(f32[2, 4]{{+x}})\n", devices);
    ASSERT_TRUE(simulated.run(text));
    ASSERT_TRUE(together.run(text));
    for (const char kind : {'a', 's'}) names.push_back(fmt::format("{}{}", kind, devices));
    for (const std::string& name : names) expect_tiles(crew, simulated, together, name);
    taken.push_back(together.get(names[names.size() - 2]).value());
    const auto plan = make_plan({.mesh = "x:2", .from = "f32[11@x, 6]", .to = "f32[11, 6@x]"});
    const auto moved = together.run(*plan, taken.front());
    ASSERT_TRUE(moved) << moved.diagnostics().front().message;
    EXPECT_EQ(moved->after.back().bytes(), taken.front().bytes());
  }
  ASSERT_EQ(together.devices().back().second, 16);
}

// The listener of ranks other than the first, which report failures only.
class FailuresOnly : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOnly(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed()) fmt::print(stderr, "rank {}: {}\n", rank_, result.message());
  }

 private:
  int rank_;
};

void quieten(int rank) {
  if (rank == 0) return;
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new FailuresOnly(rank));
}

bool add_wanted(Crew& crew, const std::vector<std::string>& words) {
  if (words == std::vector<std::string>{"cases"}) {
    add_cases(std::make_shared<Comparisons>(crew));
    return true;
  }
  if (words == std::vector<std::string>{"long_message"} && crew.size() > 1) {
    add_test("ranks", "long_message", __FILE__, [&crew] { send_long_message(crew); });
    return true;
  }
  if (words == std::vector<std::string>{"growing"}) {
    add_test("ranks", "growing", __FILE__, [&crew] { grow(crew); });
    return true;
  }
  if (words.size() == 2 && words[0] == "stopped") {
    const int rounds = std::atoi(words[1].c_str());
    add_test("ranks", "stopped", __FILE__, [&crew, rounds] { stop_amid_messages(crew, rounds); });
    return true;
  }
  if (words.size() > 4 && words[0] == "crossings") {
    add_test("ranks", "crossings", __FILE__, [&crew, words] {
      race_crossings(crew, words[1], words[2], std::atoi(words[3].c_str()), {words.begin() + 4, words.end()});
    });
    return true;
  }
  if (words.size() == 7 && words[0] == "reductions") {
    const SumRace race{words[1],         words[2], words[3], std::atoll(words[4].c_str()), std::atoi(words[5].c_str()),
                       words[6] == "all"};
    add_test("ranks", "reductions", __FILE__, [&crew, race] { race_reductions(crew, race); });
    return true;
  }
  const bool of_meshes = !words.empty() && words[0] == "meshes";
  if (words.size() < 2 || words.size() > 3 || (words[0] != "generated" && words[0] != "sums" && !of_meshes))
    return false;
  const std::uint64_t first = words.size() == 3 ? std::strtoull(words[2].c_str(), nullptr, 10) : 1;
  const std::uint64_t count = std::strtoull(words[1].c_str(), nullptr, 10);
  if (words[0] == "sums")
    add_sums(crew, first, count);
  else
    add_generated(std::make_shared<Comparisons>(crew), first, count, of_meshes);
  return true;
}

}  // namespace
}  // namespace tessera::ranks

int main(int count, char** words) {
  testing::InitGoogleTest(&count, words);
  auto launch = tessera::Launch::begin();
  if (!launch) {
    fmt::print(stderr, "{}\n", launch.diagnostics().front().message);
    return 2;
  }
  tessera::ranks::Crew crew(std::move(*launch));
  tessera::ranks::quieten(crew.rank());
  if (!tessera::ranks::add_wanted(crew, {words + 1, words + count})) {
    fmt::print(stderr,
               "usage: tessera_ranks cases | generated COUNT [FIRST-SEED] | meshes COUNT [FIRST-SEED] | sums COUNT "
               "[FIRST-SEED] | stopped ROUNDS | long_message | growing | crossings REQUESTS MACHINE TRIES WAY... | "
               "reductions MACHINE MESH SUMMED BYTES TRIES all|best [options]\n");
    return 2;
  }
  return RUN_ALL_TESTS();
}
