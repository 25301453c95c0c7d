#include "runtime/device/gpu/kernels.hpp"

namespace tessera::device {

Kernels::~Kernels() {
  const Current current(gpu_);
  for (void* const module : modules_) gpu_.calls().unload_module(module);
}

base::Result<Kernel> Kernels::find(const KernelText& text) {
  const auto known = known_.find(text);
  if (known != known_.end()) return known->second;
  TESSERA_TRY(code, compiler_.code_of(source_of(text)));
  TESSERA_TRY(kernel, load(code));
  known_.emplace(text, kernel);
  return kernel;
}

base::Result<Kernel> Kernels::load(const std::string& code) {
  constexpr std::string_view kWhat = "a kernel";
  void* module = nullptr;
  TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().load_module(&module, code.c_str(), 0, nullptr, nullptr), kWhat));
  modules_.push_back(module);
  Kernel kernel;
  TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().function(&kernel.function, module, std::string(kEntry).c_str()), kWhat));
  int threads = 0;
  TESSERA_TRY_STATUS(
      gpu_.check(gpu_.calls().function_attribute(&threads, cuda::kFunctionThreads, kernel.function), kWhat));
  kernel.threads = static_cast<unsigned>(threads);
  return kernel;
}

}  // namespace tessera::device
