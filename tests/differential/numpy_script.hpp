// Generated programs as one Python script, and what it computed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/differential/outcome.hpp"
#include "tests/generator/program.hpp"

namespace tessera::differential {

// A script that writes FOLDER/SEED.bin for each program: the bytes of all bound names, in order; or FOLDER/SEED.error.
std::string numpy_script(const std::vector<generator::Program>& programs, const std::string& folder);

// The outcome that the script left for one program: the values, or the reason why there are none.
Outcome numpy_outcome(const generator::Program& program, const std::string& folder);

// Runs a script with Python; the exit status.
int run_python(const std::string& script_path);

}  // namespace tessera::differential
