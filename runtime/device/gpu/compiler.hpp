// From the text of a kernel to a GPU's machine code: by the vendor's compiler, or from the disk where it is kept.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runtime/device/door/door.hpp"
#include "runtime/device/gpu/kernel_files.hpp"

namespace tessera::device {

// Copies share what one of them has found.
class Compiler {
 public:
  // `architecture`: 90 for sm_90.
  Compiler(std::shared_ptr<const Nvrtc> nvrtc, int architecture, KernelFiles files);

  base::Result<std::string> code_of(const std::string& source) const;
  // What the code is kept as: a digest of the text, of all headers that it includes, of the options and the compiler.
  std::string name_of(const std::string& source) const;

 private:
  struct Compiled {
    std::string code;
    bool needs_stack = false;  // a thread has memory beside its registers
  };
  base::Result<std::string> compile(const std::string& source) const;
  base::Result<Compiled> compile_with(const std::vector<std::string>& options, const std::string& source) const;

  std::shared_ptr<const Nvrtc> nvrtc_;
  std::vector<std::string> options_;
  KernelFiles files_;
  struct Known {
    std::mutex mutex;
    std::map<std::string, std::string> codes;  // by their names
  };
  std::shared_ptr<Known> known_ = std::make_shared<Known>();
};

}  // namespace tessera::device
