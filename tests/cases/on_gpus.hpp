// A case's program on the host and on GPUs: every name holds the same bits, every message is the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/cases/case_file.hpp"
#include "tests/cases/scenario.hpp"

namespace tessera::cases {

struct OnGpus {
  bool runs = false;  // false: there is no program, or it is refused before anything runs
  Faults faults;
  std::vector<std::pair<std::string, std::int64_t>> host_steps;  // that GPUs did not take
};

// Products are ordered on both sides. A NaN is any NaN.
OnGpus compared_on_gpus(const CaseFile& file, const Settings& settings, std::string_view name, std::string_view gpus);

}  // namespace tessera::cases
