#include "tests/device/host_launcher.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "runtime/device/text/fault.hpp"

namespace tessera::device {

// Aligned to 256 bytes, which are what is asked for and no more, for who watches the ends.
std::byte* HostLauncher::room(std::size_t bytes) {
  constexpr std::size_t kAligned = 256;
  const std::size_t all = bytes + kAligned;
  rooms_.push_back(std::make_unique<std::byte[]>(all));
  std::byte* const begin = rooms_.back().get();
  std::memset(begin, 0xff, all);
  return begin + (kAligned - address_of(begin) % kAligned) % kAligned;
}

base::Result<Address> HostLauncher::table(std::span<const std::byte> bytes) {
  std::byte* const to = room(bytes.size());
  std::copy(bytes.begin(), bytes.end(), to);
  return address_of(to);
}

base::Result<Address> HostLauncher::scratch(std::int64_t bytes) {
  return address_of(room(static_cast<std::size_t>(bytes)));
}

base::Result<EmulatedKernel> HostLauncher::kernel(const KernelText& text) {
  const auto known = kernels_.find(text);
  if (known != kernels_.end()) return known->second;
  TESSERA_TRY(library, compiled_library(source_of(text)));
  TESSERA_TRY(entry, emulated_kernel(library));
  kernels_.emplace(text, entry);
  return entry;
}

base::Status HostLauncher::launch(const KernelText& text, std::int64_t blocks, std::span<const std::byte> args) {
  TESSERA_CHECK(blocks > 0 && blocks < std::int64_t{1} << 31U, "a launch has 1 to 2^31 - 1 blocks");
  TESSERA_CHECK(args.size() <= 2048, "the arguments of a kernel are 2 KiB at most");
  TESSERA_TRY(entry, kernel(text));
  entry.run(args.data(), blocks, seed_);
  ++launches_;
  return base::Done{};
}

FaultPlace HostLauncher::fault(FaultReport report) {
  reports_.push_back(std::move(report));
  return {address_of(&noted_), reports_.size() - 1};
}

std::optional<base::Diagnostic> HostLauncher::failure() {
  std::optional<base::Diagnostic> said;
  if (const std::uint64_t word = noted_[0]; word != kernel::kNoFault) {
    const auto row = static_cast<std::int64_t>(word >> kernel::kFaultRowBit) % kernel::kFaultRows;
    const auto position = static_cast<std::int64_t>(word & ((std::uint64_t{1} << kernel::kFaultRowBit) - 1));
    said = reports_[word >> kernel::kFaultLaunchBit](row, position, static_cast<std::int64_t>(noted_[1]));
  }
  noted_[0] = kernel::kNoFault;
  noted_[1] = 0;
  return said;
}

}  // namespace tessera::device
