// `tessera-bench planner`: every planner on every class of problems.
#pragma once

#include <cstdint>
#include <string>

namespace tessera::bench {

struct PlannerBench {
  std::size_t count = 3000;
  std::uint64_t seed = 1;
  bool json = false;
  std::size_t worst = 0;  // instead of scores: our plans that are furthest from their bound
  std::string only;       // classes whose name contains this
};
// Prints a table for each class of problems, or a line of JSON for each class and planner.
void run(const PlannerBench& options);

}  // namespace tessera::bench
