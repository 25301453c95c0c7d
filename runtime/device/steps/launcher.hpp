// What steps on a GPU are made of: kernels, their tables, and room for a step's own use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tessera::device {

// The memory of a GPU, as a number.
using Address = std::uint64_t;

// A kernel as text: a header of ours, and the kernel's type in it. `Copy<std::uint32_t>` of
// `runtime/device/text/copy.hpp` is one, and the type that the compiler is given is
// tessera::kernel::Copy<std::uint32_t>. A chain has a text of its own.
struct KernelText {
  std::vector<std::string> includes;  // as they stand in #include "..."
  std::string type;                   // inside of tessera::kernel
  std::string own;                    // a text that stands between; of chains
  friend auto operator<=>(const KernelText&, const KernelText&) = default;
};

// The whole text that is compiled; its entry is called `tessera_kernel`.
inline constexpr std::string_view kEntry = "tessera_kernel";
std::string source_of(const KernelText& text);

// What is said of the first failure of a launch: in the tile of this row of its table, at this row-major position, of
// an operand's element of this value (0 where the kernel notes none).
using FaultReport = std::function<base::Diagnostic(std::int64_t row, std::int64_t position, std::int64_t value)>;

// What a kernel that can fail is told (text/fault.hpp): where failures are noted, and the launch's number.
struct FaultPlace {
  Address word = 0;
  std::uint64_t launch = 0;
};

// What `scratch` takes for so many bytes.
inline std::int64_t scratch_bytes_of(std::int64_t bytes) {
  constexpr std::int64_t kAligned = 256;
  return (bytes + kAligned - 1) / kAligned * kAligned;
}

// One GPU's stream. Everything happens in the order of the calls.
class Launcher {
 public:
  virtual ~Launcher() = default;
  // Plain data where kernels can read it, until the step after this one is over.
  virtual base::Result<Address> table(std::span<const std::byte> bytes) = 0;
  // Room that the step alone uses, aligned to 256 bytes; what it holds is unknown.
  virtual base::Result<Address> scratch(std::int64_t bytes) = 0;
  virtual base::Status launch(const KernelText& text, std::int64_t blocks, std::span<const std::byte> args) = 0;
  // Of the step's launches that can fail, with what is to be said if they do: launches that are given the same place
  // fail as one.
  virtual FaultPlace fault(FaultReport report) = 0;
  // Multiprocessors of the GPU: how many blocks are needed to keep it busy.
  virtual int processors() const = 0;
};

template <class Args>
base::Status launch(Launcher& launcher, const KernelText& text, std::int64_t blocks, const Args& args) {
  return launcher.launch(text, blocks, std::as_bytes(std::span(&args, 1)));
}
template <class Row>
base::Result<Address> table_of(Launcher& launcher, const std::vector<Row>& rows) {
  return launcher.table(std::as_bytes(std::span(rows)));
}

}  // namespace tessera::device
