#include "bench/kernels/kernels_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/kernels/bounds.hpp"
#include "bench/kernels/rival.hpp"
#include "bench/kernels/rows.hpp"
#include "bench/report.hpp"
#include "bench/timing.hpp"

#include <tessera/tessera.hpp>

namespace tessera::bench {

namespace {

// What a session gives; the rows are ours, so that a failure is a mistake in them.
template <class T>
T well(Result<T> result) {
  if (!result) throw std::runtime_error(result.diagnostics()[0].message);
  return std::move(result).value();
}

// A statement of a session, run on a fork: what it makes is dropped.
class Statement {
 public:
  explicit Statement(const Row& row) {
    well(session_.run(declarations(row)));
    program_.emplace(well(session_.check("let result = " + row.statement + "\n")));
  }
  double seconds(Clock clock) const {
    Session once = session_.fork();
    return seconds_of([&] { well(once.run(*program_)); }, clock);
  }

 private:
  static std::string declarations(const Row& row) {
    std::string text = row.mesh.empty() ? "" : fmt::format("mesh m = [{}]\n", row.mesh);
    for (std::size_t k = 0; k < row.inputs.size(); ++k) {
      const RowInput& input = row.inputs[k];
      const std::string floats = "f32" + input.type.substr(input.type.find('['));
      if (input.below > 0)
        text += fmt::format("let {} = i32(random({}, {}) * {}.0)\n", input.name, floats, k + 1, input.below);
      else
        text += fmt::format("let {} = normal({}, {})\n", input.name, input.type, k + 1);
    }
    return text;
  }

  Session session_;
  std::optional<Program> program_;
};

std::function<void()> bound_of(const Row& row) {
  if (row.bound == Bound::product) {
    const RowType result = row_type(row.result, row.mesh);
    return result.element == "f32" ? product_by_hand<float>(result.shape[0]) : product_by_hand<double>(result.shape[0]);
  }
  std::vector<std::int64_t> read;
  for (const RowInput& input : row.inputs) read.push_back(row_type(input.type, row.mesh).bytes());
  const RowType result = row_type(row.result, row.mesh);
  return stream_loop(read, result.bytes() * result.copies);
}

// The best times of a row, in turns; no time where a rival has nothing like it.
struct Times {
  double tessera = 0;
  double bound = 0;
  std::optional<double> rival;
};

Times measure(const Row& row, Rival* rival, int goes, Clock clock) {
  const Statement statement(row);
  const std::function<void()> bound = bound_of(row);
  const bool with_rival = rival != nullptr && rival->prepare(row);
  const auto best = best_in_turns(with_rival ? 3 : 2, goes, [&](std::size_t i) {
    if (i == 0) return statement.seconds(clock);
    return i == 1 ? seconds_of(bound, clock) : rival->seconds().value_or(INFINITY);
  });
  return {best[0], best[1], with_rival ? std::optional(best[2]) : std::nullopt};
}

// What all rows say together.
class Summary {
 public:
  void add(const std::string& name, const Times& times) {
    if (times.tessera / times.bound > furthest_) {
      furthest_ = times.tessera / times.bound;
      name_ = name;
    }
    if (!times.rival) return;
    logarithms_ += std::log(times.tessera / *times.rival);
    ++rivals_;
  }
  void print(const std::string& against) const {
    if (furthest_ > 0) fmt::print("furthest from its bound: {}, {:.1f} times\n", name_, furthest_);
    if (rivals_ > 0)
      fmt::print("{:.2f} of the time of {}, the geometric mean of {} rows\n", std::exp(logarithms_ / rivals_), against,
                 rivals_);
  }

 private:
  double furthest_ = 0;
  std::string name_;
  double logarithms_ = 0;
  int rivals_ = 0;
};

std::string name_of(const Row& row) {
  std::string types;
  for (const RowInput& input : row.inputs) types += (types.empty() ? "" : " ") + input.type;
  return types.empty() ? row.statement : fmt::format("{}; {}", row.statement, types);
}

}  // namespace

int run(const KernelsBench& options) {
  const Clock clock = options.clock == "cpu" ? Clock::cpu : Clock::wall;
  const auto rival = options.against.empty()
                         ? nullptr
                         : Rival::start(options.python, TESSERA_BENCH_RIVAL, options.against, options.clock);
  if (!options.against.empty() && rival == nullptr) {
    fmt::print(stderr, "{} has no {}; name another Python with --python\n", options.python, options.against);
    return 2;
  }
  std::vector<std::string> columns = {"tessera_ms", "bound_ms", "over_bound"};
  if (rival != nullptr) columns.insert(columns.end(), {options.against + "_ms", "over_" + options.against});
  const Report report("kernel", columns, options.json);
  Summary summary;
  for (const Row& row : kernel_rows()) {
    const std::string name = name_of(row);
    if (row.sort != options.only && name.find(options.only) == std::string::npos) continue;
    const Times times = measure(row, rival.get(), options.goes, clock);
    std::vector<std::optional<double>> figures = {times.tessera * 1e3, times.bound * 1e3, times.tessera / times.bound};
    if (rival != nullptr) {
      figures.push_back(times.rival ? std::optional(*times.rival * 1e3) : std::nullopt);
      figures.push_back(times.rival ? std::optional(times.tessera / *times.rival) : std::nullopt);
    }
    report.row(name, figures);
    summary.add(name, times);
  }
  if (!options.json) summary.print(options.against);
  return 0;
}

}  // namespace tessera::bench
