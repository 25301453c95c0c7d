// Programs on several ranks against the same programs on simulated devices, which run in the same processes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/cases/scenario.hpp"
#include "tests/mpi/crew.hpp"

namespace tessera::ranks {

struct Program {
  std::string text;
  std::string name;  // of its file, in diagnostics
  cases::Settings settings = {};
};

// Programs that all ranks run in turn. Each is simulated by one rank, and as many at a time as there are ranks.
class Comparisons {
 public:
  explicit Comparisons(Crew& crew);
  ~Comparisons();

  // The number of the program.
  std::size_t add(std::function<Program()> program);
  // Runs it on all ranks, which call this for the same numbers in the same order. What the rank that simulates it finds
  // different, of itself or another: what was written (by rank 0 alone), what failed and where, the files that were
  // made, the types of the names, every tile that a rank has, to the bit, and the whole arrays.
  cases::Faults run(std::size_t number);

 private:
  struct Simulated;

  void simulate_own_of(std::size_t turn);

  Crew& crew_;
  std::vector<std::function<Program()>> programs_;
  std::unique_ptr<Simulated> own_;  // of the turn of this program
};

}  // namespace tessera::ranks
