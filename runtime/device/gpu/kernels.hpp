// The kernels that a GPU has loaded, by their texts.
#pragma once

#include <map>
#include <vector>

#include "runtime/device/gpu/compiler.hpp"
#include "runtime/device/gpu/gpu.hpp"
#include "runtime/device/steps/launcher.hpp"

namespace tessera::device {

struct Kernel {
  void* function = nullptr;
  unsigned threads = 0;  // of a block
};

class Kernels {
 public:
  Kernels(Gpu& gpu, Compiler compiler) : gpu_(gpu), compiler_(std::move(compiler)) {}
  ~Kernels();
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;

  // Compiled and loaded now if it is not there. The GPU is current.
  base::Result<Kernel> find(const KernelText& text);

 private:
  base::Result<Kernel> load(const std::string& code);

  Gpu& gpu_;
  Compiler compiler_;
  std::map<KernelText, Kernel> known_;
  std::vector<void*> modules_;
};

}  // namespace tessera::device
