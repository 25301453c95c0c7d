// `tessera-bench kernels`: what the processor and the memory allow, and what a program gets of it.
#pragma once

#include <string>

namespace tessera::bench {

struct KernelsBench {
  int goes = 7;
  std::string only;  // `chain` or `product`
  bool json = false;
};
void run(const KernelsBench& options);

}  // namespace tessera::bench
