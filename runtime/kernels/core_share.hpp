// Several processes on one machine.
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>

#include <algorithm>

namespace tessera::runtime {

// While an object lives, this process uses only its share of the cores, which `processes` processes use together.
class CoreShare {
 public:
  explicit CoreShare(int processes)
      : control_(tbb::global_control::max_allowed_parallelism,
                 static_cast<std::size_t>(std::max(1, tbb::info::default_concurrency() / processes))) {}

 private:
  tbb::global_control control_;
};

}  // namespace tessera::runtime
