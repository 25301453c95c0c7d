// The exit statuses of the command line.
#pragma once

namespace tessera::repl {

inline constexpr int kExitDone = 0;
inline constexpr int kExitProgram = 1;  // the program is wrong
inline constexpr int kExitCommand = 2;  // the command line is wrong
inline constexpr int kExitWorld = 3;    // a file, memory or a peer failed
inline constexpr int kExitOurBug = 4;

}  // namespace tessera::repl
