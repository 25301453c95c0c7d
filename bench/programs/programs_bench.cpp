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
#include "bench/report.hpp"
#include "bench/timing.hpp"

#include <tessera/tessera.hpp>

namespace tessera::bench {

namespace {

// A program of the folder: its definitions are taken with these sizes, and what is timed is this statement.
struct ProgramRow {
  std::string name;
  std::map<std::string, std::string> sizes;
  std::string statement;
  std::vector<std::string> inputs;  // of the same in Python
  std::string settings = {};        // of Python, `turns=20`
};

const std::vector<ProgramRow>& program_rows() {
  static const std::vector<ProgramRow> rows = {
      {"adi", {{"n", "500"}}, "let made = adi(u0, 5)", {"u0"}, "turns=5"},
      {"atax", {{"rows", "4000"}, {"columns", "4000"}}, "let made = atax(a, x)", {"a", "x"}},
      {"attention", {{"heads", "8"}, {"length", "512"}}, "let made = attention(q, k, v)", {"q", "k", "v"}},
      {"bicg", {{"rows", "4000"}, {"columns", "4000"}}, "let (s, q) = bicg(a, p, r)", {"a", "p", "r"}},
      {"cholesky", {{"n", "500"}}, "let made = lower(a)", {"a"}},
      {"conjugate_gradients", {{"N", "256"}}, "let made = solved(b, guess)", {"b"}},
      {"correlation", {{"n", "4000"}, {"columns", "400"}}, "let made = correlations(data)", {"data"}},
      {"covariance", {{"n", "4000"}, {"columns", "400"}}, "let made = covariances(data)", {"data"}},
      {"deriche", {{"height", "1000"}, {"width", "1200"}}, "let made = deriche(picture, 0.25)", {"picture"}},
      {"doitgen", {{"r", "120"}, {"q", "120"}, {"p", "120"}}, "let made = doitgen(a, c)", {"a", "c"}},
      {"fdtd_2d", {{"n", "1000"}}, "let (e, f, h) = fields(ex0, ey0, hz0, drive)", {"ex0", "ey0", "hz0", "drive"}},
      {"floyd_warshall", {{"n", "400"}}, "let made = shortest(ways)", {"ways"}},
      {"gemver",
       {{"n", "3000"}},
       "let (p, q, w) = gemver(a, u1, v1, u2, v2, y, z)",
       {"a", "u1", "v1", "u2", "v2", "y", "z"}},
      {"gesummv", {{"n", "3000"}}, "let made = gesummv(a, b, x)", {"a", "b", "x"}},
      {"go_fast", {{"n", "3000"}}, "let made = go_fast(a)", {"a"}},
      {"gramschmidt", {{"rows", "500"}, {"columns", "400"}}, "let (q, r) = orthonormal(a)", {"a"}},
      {"hdiff", {{"n", "128"}, {"levels", "80"}}, "let made = hdiff(u, weight)", {"u", "weight"}},
      {"heat_3d", {{"n", "120"}}, "let made = heat(a0, 10)", {"a0"}, "turns=10"},
      {"jacobi_2d", {{"n", "1000"}}, "let (r, s) = jacobi(a0, b0, 10)", {"a0", "b0"}, "turns=10"},
      {"k_means", {{"n", "200000"}}, "let (c, t) = k_means(points, start)", {"points", "start"}},
      {"lu", {{"n", "500"}}, "let (p, q) = lu(a)", {"a"}},
      {"mandelbrot", {{"height", "600"}, {"width", "800"}}, "let made = counts(re, im, 20)", {"re", "im"}, "turns=20"},
      {"mlp",
       {{"n", "256"}, {"width", "1024"}},
       "let made = mlp(pictures, w1, b1, w2, b2, w3, b3)",
       {"pictures", "w1", "b1", "w2", "b2", "w3", "b3"}},
      {"moving_mean", {{"rows", "1000"}, {"columns", "4000"}}, "let (r, s) = smoothed(a)", {"a"}},
      {"mvt", {{"n", "4000"}}, "let (r, s) = mvt(a, x1, x2, y1, y2)", {"a", "x1", "x2", "y1", "y2"}},
      {"nbody", {{"n", "600"}}, "let (r, s) = moved(p0, v0, mass, 5)", {"p0", "v0", "mass"}, "turns=5"},
      {"softmax", {{"batch", "16"}, {"length", "256"}}, "let made = shares(scores)", {"scores"}},
      {"syrk", {{"n", "1000"}, {"k", "800"}}, "let made = syrk(a, c)", {"a", "c"}},
  };
  return rows;
}

// What a session gives; the rows are ours, so that a failure is a mistake in them.
template <class T>
T well_done(Result<T> result) {
  if (!result) throw std::runtime_error(result.diagnostics()[0].message);
  return std::move(result).value();
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t at = text.find(old);
  if (at == std::string::npos) throw std::runtime_error("a program lacks `" + old + "`");
  return text.replace(at, old.size(), by);
}

// The program's text up to what it calls itself: meshes, functions, arrays of the row's sizes.
std::string definitions(const ProgramRow& row, int devices) {
  std::ifstream file(fmt::format("{}/{}.tess", TESSERA_BENCH_PROGRAMS, row.name));
  std::string text;
  const std::size_t open = row.statement.find('(', row.statement.find('='));
  const std::size_t name = row.statement.rfind(' ', open) + 1;
  const std::string call = "= " + row.statement.substr(name, open + 1 - name);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("let ") && line.find(call) != std::string::npos) break;
    for (const auto& [size, value] : row.sizes) {
      if (line.starts_with("let " + size + " = ")) line = "let " + size + " = " + value;
    }
    text += line + "\n";
  }
  // No file may be opened: the solver keeps no checkpoints.
  const std::string save = "    if turns % 50 == 49 { save(next, \"potential.npy\") }\n";
  if (row.name == "conjugate_gradients") text = replaced(std::move(text), save, "");
  return replaced(std::move(text), "mesh m = [x: 4]", fmt::format("mesh m = [x: {}]", devices));
}

struct Seconds {
  double wall = INFINITY;
  double processor = INFINITY;
  void lower(const Seconds& other) {
    wall = std::min(wall, other.wall);
    processor = std::min(processor, other.processor);
  }
};

// A program's statement on some devices, run on forks: what it makes is dropped.
class TimedProgram {
 public:
  TimedProgram(const ProgramRow& row, int devices) {
    well_done(session_.run(definitions(row, devices)));
    program_.emplace(well_done(session_.check(row.statement + "\n")));
  }
  const Session& session() const { return session_; }
  Seconds seconds() const {
    Session once = session_.fork();
    Seconds took;
    took.processor =
        seconds_of([&] { took.wall = seconds_of([&] { well_done(once.run(*program_)); }, Clock::wall); }, Clock::cpu);
    return took;
  }

 private:
  Session session_;
  std::optional<Program> program_;
};

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

// A geometric mean.
class Mean {
 public:
  void add(double value) {
    logarithms_ += std::log(value);
    ++count_;
  }
  void print(const std::string& what) const {
    if (count_ > 0) fmt::print("{}: {:.2f}, the geometric mean of {}\n", what, std::exp(logarithms_ / count_), count_);
  }

 private:
  double logarithms_ = 0;
  int count_ = 0;
};

}  // namespace

int run(const ProgramsBench& options) {
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
