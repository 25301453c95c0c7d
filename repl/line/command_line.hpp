// The command line as typed.
#pragma once

#include "repl/line/options.hpp"

namespace tessera::repl {

// Never fails: what cannot be understood comes back as an Answer.
Command parse_command_line(int argument_count, const char* const* arguments);

}  // namespace tessera::repl
