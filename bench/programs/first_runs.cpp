#include "bench/programs/first_runs.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

#include "bench/mean.hpp"
#include "bench/programs/timed_program.hpp"
#include "bench/report.hpp"

namespace tessera::bench {

namespace {

constexpr int kWarmRuns = 3;

// Pages that the system has given this process at the first touch.
std::int64_t pages_touched() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_minflt;
}

// The first run of a process, and the best of those after it.
struct FirstRun {
  Seconds first, warm;
  std::int64_t first_pages = 0;
  std::int64_t warm_pages = 0;   // of the last run
  std::int64_t arena_bytes = 0;  // that a run reserves for what it makes, on the device that has most
};

// With `bytes` of pages on each device that an array before has touched and left to the session, if any.
FirstRun first_run(const ProgramRow& row, int devices, std::int64_t bytes) {
  const TimedProgram program(row, devices);
  if (bytes > 0) well_done(program.session().fork().run(fmt::format("let touched = zeros(f32[{}])\n", bytes / 4)));
  FirstRun result;
  const auto timed = [&](Seconds& best, std::int64_t& pages) {
    const std::int64_t before = pages_touched();
    best.lower(program.seconds());
    pages = pages_touched() - before;
  };
  timed(result.first, result.first_pages);
  for (int k = 0; k < kWarmRuns; ++k) timed(result.warm, result.warm_pages);
  result.arena_bytes = program.report().arena_bytes;
  return result;
}

// What this makes in a process of its own.
template <class F>
FirstRun in_a_process(const F& make) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("there is no pipe");
  const pid_t process = fork();
  if (process == 0) {
    try {
      const FirstRun made = make();
      _exit(write(ends[1], &made, sizeof made) == sizeof made ? 0 : 1);
    } catch (const std::exception& why) {
      fmt::print(stderr, "{}\n", why.what());
    }
    _exit(1);
  }
  close(ends[1]);
  FirstRun result;
  const bool came = process > 0 && read(ends[0], &result, sizeof result) == sizeof result;
  close(ends[0]);
  if (process > 0) waitpid(process, nullptr, 0);
  if (!came) throw std::runtime_error("a process has ended without its figures");
  return result;
}

// The best of so many processes.
FirstRun best_of(const ProgramRow& row, int devices, std::int64_t bytes, int goes) {
  FirstRun best;
  for (int go = 0; go < goes; ++go) {
    FirstRun run = in_a_process([&] { return first_run(row, devices, bytes); });
    run.first.lower(best.first);
    run.warm.lower(best.warm);
    best = run;
  }
  return best;
}

}  // namespace

int run_first(const ProgramsBench& options) {
  const Report report("program",
                      {"new_ms", "new_cpu_ms", "new_pages", "first_ms", "first_cpu_ms", "first_pages", "warm_ms",
                       "warm_cpu_ms", "warm_pages", "first_over_warm"},
                      options.json);
  Mean over_warm;
  for (const ProgramRow& row : program_rows()) {
    if (row.name.find(options.only) == std::string::npos) continue;
    for (const int devices : {1, 4}) {
      const FirstRun with_new = best_of(row, devices, 0, options.goes);
      const FirstRun apart = best_of(row, devices, with_new.arena_bytes, options.goes);
      const double over = apart.first.processor / apart.warm.processor;
      over_warm.add(over);
      report.row(fmt::format("{} x:{}", row.name, devices),
                 {with_new.first.wall * 1e3, with_new.first.processor * 1e3, with_new.first_pages,
                  apart.first.wall * 1e3, apart.first.processor * 1e3, apart.first_pages, apart.warm.wall * 1e3,
                  apart.warm.processor * 1e3, apart.warm_pages, over});
    }
  }
  if (!options.json) over_warm.print("a first run over a warm one, memory apart, in processor time");
  return 0;
}

}  // namespace tessera::bench
