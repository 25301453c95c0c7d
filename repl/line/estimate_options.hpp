// The options of `tessera estimate` on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "repl/line/options.hpp"
#include "repl/process/files.hpp"

namespace tessera::repl {

// As CLI11 fills them in.
struct EstimateWishes {
  EstimateOptions options;
  std::vector<std::string> defines;
  std::vector<std::string> machines;
  std::string devices;
  std::string order = "time";
};

void add_estimate(CLI::App& app, EstimateWishes& wishes);
// The options, or what is wrong with them.
Read<EstimateOptions> finished_estimate(EstimateWishes& wishes);

}  // namespace tessera::repl
