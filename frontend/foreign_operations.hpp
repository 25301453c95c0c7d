// Functions of NumPy, SciPy, JAX and PyTorch that are no operations here, and what is written instead.
#pragma once

#include <optional>
#include <string_view>

namespace tessera::frontend {

struct ForeignWord {
  std::string_view word;
  std::string_view help;
};

std::optional<std::string_view> help_for_operation(std::string_view name);

}  // namespace tessera::frontend
