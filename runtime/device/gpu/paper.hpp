// GPUs on paper: a driver that says yes to everything and does nothing, for an architecture that no GPU here has. What
// a program asks such an engine for is compiled, and kept, as for a GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "runtime/device/door/search.hpp"

namespace tessera::runtime {
class Engine;
}

namespace tessera::device {

struct PaperRequest {
  int architecture = 0;  // 90 for sm_90
  bool ordered_products = false;
  Folders folders;
};

// The only one of the process while it is there.
class PaperGpu {
 public:
  static base::Result<PaperGpu> open(const PaperRequest& request);

  const std::shared_ptr<runtime::Engine>& engine() const { return engine_; }
  // That the engine has been asked for so far.
  std::int64_t kernels() const;
  const std::string& compiler_version() const { return compiler_version_; }

 private:
  PaperGpu(std::shared_ptr<runtime::Engine> engine, std::string version)
      : engine_(std::move(engine)), compiler_version_(std::move(version)) {}

  std::shared_ptr<runtime::Engine> engine_;
  std::string compiler_version_;
};

}  // namespace tessera::device
