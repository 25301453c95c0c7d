// Options that take layouts of other systems: those of `convert`, and the ends of `plan`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "repl/line/options.hpp"

namespace tessera::repl {

struct ConvertWishes {
  ConvertOptions options;
  int texts = 0;  // how many were given
};
void add_convert(CLI::App* convert, ConvertWishes& wishes);
Command finished_convert(ConvertWishes& wishes);

// `--from-hlo`, `--to-hlo` and so on, and what goes with them.
void add_foreign_ends(CLI::App* plan, PlanOptions& options);
// What is wrong with the ends of a plan, one of which is foreign.
std::optional<std::string> misused_ends(const PlanOptions& options);

}  // namespace tessera::repl
