// `--define N=V`, an option of several commands. Private to repl.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "repl/line/options.hpp"

namespace tessera::repl {

void add_define_option(CLI::App* command, std::vector<std::string>& target);
// Splits names from values; says what is wrong with the first that is not `N=V`.
std::optional<Answer> read_defines(const std::vector<std::string>& written,
                                   std::map<std::string, std::string>& defines);

}  // namespace tessera::repl
