#include "runtime/device/steps/launcher.hpp"

#include <fmt/format.h>

namespace tessera::device {

std::string source_of(const KernelText& text) {
  std::string source = "#define TESSERA_KERNEL_ALONE\n#include \"runtime/device/text/dialect.hpp\"\n";
  for (const std::string& name : text.includes) source += fmt::format("#include \"{}\"\n", name);
  source += text.own;
  source += fmt::format("\nnamespace tessera::kernel {{\nusing ChosenKernel = {};\n}}\n", text.type);
  return source + fmt::format("TESSERA_KERNEL({}, tessera::kernel::ChosenKernel)\n", kEntry);
}

}  // namespace tessera::device
