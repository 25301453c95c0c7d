// What is said of a statement that has run, and of types and plans in one line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/interactive/screen.hpp"
#include "tessera/tessera.hpp"

namespace tessera::repl {

// A line for every name that was bound: its type and, where somebody looks, what it takes or what it cost.
std::string bindings_text(const RunReport& report, const Screen& screen);

// `each device 8x16x4 (2 KiB), 1 copy`
std::string placement_text(const Placement& placement);

// The redistributions that one statement performs and that have steps.
std::vector<Redistribution> changes_of(const Program& program, std::uint32_t statement);

// `all_to_all x, all_to_all y`
std::string steps_text(const std::vector<Redistribution>& changes);

// What a program writes, as the screen shows it: pictures painted.
std::string written(std::string_view text, const Screen& screen);

}  // namespace tessera::repl
