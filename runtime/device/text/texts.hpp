// The texts that kernels are made of, in the library: so that a GPU's compiler needs no file of ours.
#pragma once

#include <span>
#include <string_view>

namespace tessera::device {

// A header of ours by the name that #include has. The compiler of a GPU has no headers of its own for <cmath> and the
// like: `cmath` is among them, too.
struct Text {
  std::string_view name;
  std::string_view text;
};

// By their names, ascending.
std::span<const Text> texts();

}  // namespace tessera::device
