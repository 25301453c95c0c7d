// A program's statement, ready to be timed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bench/programs/program_rows.hpp"
#include "bench/timing.hpp"

#include <tessera/tessera.hpp>

namespace tessera::bench {

// What a session gives; the rows are ours, so that a failure is a mistake in them.
template <class T>
T well_done(Result<T> result) {
  if (!result) throw std::runtime_error(result.diagnostics()[0].message);
  return std::move(result).value();
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
  TimedProgram(const ProgramRow& row, int devices, const Config& config = {}) : session_(config) {
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
  RunReport report() const { return well_done(session_.fork().run(*program_)); }
  // What the statement binds, as it lies in memory, one after the other.
  std::vector<std::byte> values() const {
    Session once = session_.fork();
    well_done(once.run(*program_));
    std::vector<std::byte> bytes;
    for (const Binding& binding : program_->bindings()) {
      const std::vector<std::byte> more = well_done(once.get(binding.name)).bytes();
      bytes.insert(bytes.end(), more.begin(), more.end());
    }
    return bytes;
  }

 private:
  Session session_;
  std::optional<Program> program_;
};

}  // namespace tessera::bench
