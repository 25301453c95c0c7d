// Words of NumPy, JAX, PyTorch and MPI, for `:doc`: what docs/bridge.md says of them, or an error message would.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tessera::repl {

// `np.linspace` or `linspace`: what is written here; nothing of a word that nobody knows.
std::optional<std::string> bridge_entry(std::string_view word);

}  // namespace tessera::repl
