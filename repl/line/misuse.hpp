// What is said of a command line that is wrong.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "repl/line/options.hpp"

namespace tessera::repl {

// The answer to a command line that cannot be.
Answer misused(std::string text);

// That to one that CLI11 could not read: which word it was, and what to type instead.
Answer usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tessera::repl
