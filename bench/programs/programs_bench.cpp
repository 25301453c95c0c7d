#include "bench/programs/programs_bench.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/kernels/rival.hpp"
#include "bench/mean.hpp"
#include "bench/programs/first_runs.hpp"
#include "bench/programs/on_ranks.hpp"
#include "bench/programs/timed_program.hpp"
#include "bench/report.hpp"

namespace tessera::bench {

namespace {

// The inputs as files for the rival, and what is asked of it.
class RivalInputs {
 public:
  RivalInputs(const ProgramRow& row, const Session& session) : line_(row.name) {
    std::array<char, 32> name = {"/tmp/tessera-bench-XXXXXX"};
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("there is no room for files in /tmp");
    folder_ = name.data();
    if (!row.settings.empty()) line_ += "\t" + row.settings;
    for (const std::string& input : row.inputs) add(input, well_done(session.get(input)));
  }
  RivalInputs(const RivalInputs&) = delete;
  RivalInputs& operator=(const RivalInputs&) = delete;
  ~RivalInputs() { std::filesystem::remove_all(folder_); }
  const std::string& line() const { return line_; }

 private:
  void add(const std::string& name, const Array& array) {
    const std::string path = folder_ + "/" + name;
    const std::vector<std::byte> bytes = array.bytes();
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    line_ += fmt::format("\t{} {} {} ", name, path, array.element() == Element::f64 ? "f8" : "i8");
    for (const std::int64_t extent : array.shape()) line_ += fmt::format("{},", extent);
  }
  std::string folder_;
  std::string line_;
};

struct ProgramTimes {
  Seconds one, four;
  std::optional<Seconds> rival;
};

std::optional<Seconds> seconds_of_rival(Rival& rival) {
  std::istringstream answer(rival.ask("go"));
  Seconds took;
  if (!(answer >> took.wall >> took.processor)) return std::nullopt;
  return took;
}

// The best of so many goes by turns, after one that does not count.
ProgramTimes measure(const ProgramRow& row, Rival* rival, int goes) {
  const TimedProgram one(row, 1);
  const TimedProgram four(row, 4);
  ProgramTimes best;
  if (rival != nullptr && rival->ask(RivalInputs(row, one.session()).line()) == "ready") best.rival.emplace();
  for (int go = 0; go <= goes; ++go) {
    const Seconds on_one = one.seconds();
    const Seconds on_four = four.seconds();
    const std::optional<Seconds> of_rival = best.rival ? seconds_of_rival(*rival) : std::nullopt;
    if (go == 0) continue;
    best.one.lower(on_one);
    best.four.lower(on_four);
    if (best.rival) best.rival->lower(of_rival.value_or(Seconds{}));
  }
  return best;
}

}  // namespace

int run(const ProgramsBench& options) {
  if (Launch::ranks_by_launcher() > 1) {
    auto launch = Launch::begin();
    if (launch && options.against.empty() && !options.first) return run_on_ranks(options, launch.value());
    fmt::print(
        stderr, "{}\n",
        launch ? "on ranks neither --against nor --first measures anything" : launch.diagnostics().front().message);
    return 2;
  }
  if (options.first) return run_first(options);
  const auto rival = options.against.empty()
                         ? nullptr
                         : Rival::start(options.python, TESSERA_BENCH_PROGRAMS_RIVAL, options.against, "");
  if (!options.against.empty() && rival == nullptr) {
    fmt::print(stderr, "{} has no {}; name another Python with --python\n", options.python, options.against);
    return 2;
  }
  std::vector<std::string> columns = {"one_ms", "one_cpu_ms", "four_ms", "four_cpu_ms", "four_over_one"};
  if (rival != nullptr)
    columns.insert(columns.end(),
                   {options.against + "_ms", options.against + "_cpu_ms", "over_" + options.against, "over_cpu"});
  const Report report("program", columns, options.json);
  Mean over_one, over_rival, over_rival_cpu;
  for (const ProgramRow& row : program_rows()) {
    if (row.name.find(options.only) == std::string::npos) continue;
    const ProgramTimes times = measure(row, rival.get(), options.goes);
    std::vector<std::optional<double>> figures = {times.one.wall * 1e3, times.one.processor * 1e3,
                                                  times.four.wall * 1e3, times.four.processor * 1e3,
                                                  times.four.wall / times.one.wall};
    over_one.add(times.four.wall / times.one.wall);
    if (times.rival) {
      const double wall = times.one.wall / times.rival->wall;
      const double processor = times.one.processor / times.rival->processor;
      over_rival.add(wall);
      over_rival_cpu.add(processor);
      figures.insert(figures.end(), {times.rival->wall * 1e3, times.rival->processor * 1e3, wall, processor});
    } else if (rival != nullptr) {
      figures.insert(figures.end(), 4, std::nullopt);
    }
    report.row(row.name, figures);
  }
  if (options.json) return 0;
  over_one.print("four devices over one");
  over_rival.print("one device over " + options.against);
  over_rival_cpu.print("the same in processor time");
  return 0;
}

}  // namespace tessera::bench
