// The options of `tessera learn` on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "repl/line/options.hpp"

namespace tessera::repl {

// As CLI11 fills them in.
struct LearnWishes {
  LearnOptions options;
  std::vector<std::string> check;
  std::optional<std::string> answer;
  int seconds = LearnOptions().seconds;
};

void add_learn(CLI::App& app, LearnWishes& wishes);
// The options, or what is wrong with them.
Command finished_learn(LearnWishes& wishes);

}  // namespace tessera::repl
