// Runs a case: the outcome of its program, section by section, and the faults found by the checks made of every
// program.
#pragma once

#include <string_view>

#include "tests/cases/case_file.hpp"
#include "tests/cases/expectation.hpp"
#include "tests/cases/scenario.hpp"

namespace tessera::cases {

struct Evaluation {
  Outcome outcome;
  Faults faults;  // of the checks made of every program; what the sections say is not compared here
};

Evaluation evaluate(const CaseFile& file, const Settings& settings, std::string_view name);

}  // namespace tessera::cases
