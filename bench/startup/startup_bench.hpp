// `tessera-bench startup`: from the start of a process to its end.
#pragma once

#include <string>

namespace tessera::bench {

struct StartupBench {
  std::string tessera;  // the executable
  int goes = 50;
  bool json = false;
};
// The exit status of the process: a command that fails is told of, and 3.
int run(const StartupBench& options);

}  // namespace tessera::bench
