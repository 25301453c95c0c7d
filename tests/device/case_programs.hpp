// The programs of tests/cases, for engines: lowered, and run on one of them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/execute/run.hpp"
#include "tessera/tessera.hpp"
#include "tests/cases/scenario.hpp"
#include "typeck/typed/lower.hpp"

namespace tessera::runtime::test {

// A case that is read, checked and lowered.
struct LoweredCase {
  cases::Settings settings;
  Program program;
  typeck::Lowered lowered;
};
// Nothing where it is refused.
std::optional<LoweredCase> lowered_case(const std::string& path);

// Where it runs, in a folder of its own.
World world_of(const LoweredCase& of, const cases::RunFolder& folder, std::string& output);

struct RanCase {
  std::string output;
  std::vector<std::string> failures;  // with the number of the step that failed
  std::vector<synth::Literal> values;
  std::int64_t peak_bytes = 0;
};
// Null: the host's engine.
RanCase run_on(std::shared_ptr<Engine> engine, const LoweredCase& of, Products products = Products::blas);

// All files, in alphabetical order.
std::vector<std::string> case_paths();

// Every so many-th case, from this one on.
template <class F>
void for_cases(std::size_t every, std::size_t first, const F& f) {
  const std::vector<std::string> paths = case_paths();
  for (std::size_t k = first; k < paths.size(); k += every) {
    SCOPED_TRACE(paths[k]);
    const auto of = lowered_case(paths[k]);
    if (of) f(*of);
  }
}

}  // namespace tessera::runtime::test
