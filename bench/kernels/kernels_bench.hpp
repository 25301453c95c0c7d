// `tessera-bench kernels`: the speed that the processor and the memory allow, and the speed of programs.
#pragma once

#include <string>

namespace tessera::bench {

struct KernelsBench {
  int goes = 5;
  std::string only;                // part of a row's sort or statement
  std::string against;             // `numpy`, `jax`, or nothing
  std::string python = "python3";  // with what `against` names
  std::string clock = "wall";      // or `cpu`: of all cores together
  bool json = false;
};
// 0; 2 if what it is to be measured against is not there.
int run(const KernelsBench& options);

}  // namespace tessera::bench
