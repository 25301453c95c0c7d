// `tessera-bench session`: the times that a user waits.
#pragma once

#include <string>
#include <vector>

namespace tessera::bench {

// Further arguments are Google Benchmark's own, such as --benchmark_filter=check.
void run_session_benchmarks(std::string program, std::vector<std::string> arguments);

}  // namespace tessera::bench
