// The reasons for redistributions, in words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repl/session/commands.hpp"
#include "repl/session/interpreter.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

// The other ways to lay out operands that were priced, as a table; empty where all of them cost the same.
std::string alternatives_text(const std::vector<Redistribution::Alternative>& compared);

// Tells of a name that only a function whose layouts were chosen binds (choice.cpp), and whether that went well;
// nothing where the argument is no such name.
std::optional<bool> why_in_chosen(const CommandCall& call);

}  // namespace tessera::repl
