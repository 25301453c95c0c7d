// Functions of NumPy, SciPy, JAX and PyTorch that are no operations here, and what is written instead.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace tessera::frontend {

struct ForeignWord {
  std::string_view word;
  std::string_view help;
};

// All of them, by what they are about.
std::span<const std::span<const ForeignWord>> foreign_operations();

std::optional<std::string_view> help_for_operation(std::string_view name);

}  // namespace tessera::frontend
