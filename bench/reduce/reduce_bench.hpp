// `tessera-bench reduce`: reductions on machines of two levels, ours beside others, as modelled.
#pragma once

namespace tessera::bench {

struct ReduceBench {
  bool json = false;
};
void run(const ReduceBench& options);

}  // namespace tessera::bench
