// A launcher whose GPU is the host: kernels are emulated on the host's memory, at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/device/steps/launcher.hpp"
#include "tests/device/host_compiler.hpp"

namespace tessera::device {

class HostLauncher final : public Launcher {
 public:
  explicit HostLauncher(std::uint64_t seed, int processors = 4) : seed_(seed), processors_(processors) {}

  base::Result<Address> table(std::span<const std::byte> bytes) override;
  // Begins as nonsense, and so does what lies behind it.
  base::Result<Address> scratch(std::int64_t bytes) override;
  base::Status launch(const KernelText& text, std::int64_t blocks, std::span<const std::byte> args) override;
  FaultPlace fault(FaultReport report) override;
  int processors() const override { return processors_; }

  // Of the order in which threads take turns.
  void set_seed(std::uint64_t seed) { seed_ = seed; }
  // Since it was made.
  std::int64_t launches() const { return launches_; }
  // The step is over: its tables and room are gone.
  void step_ends() { rooms_.clear(); }
  // What is to be said of the first failure since the last time that this was asked.
  std::optional<base::Diagnostic> failure();

 private:
  base::Result<EmulatedKernel> kernel(const KernelText& text);
  std::byte* room(std::size_t bytes);

  std::uint64_t seed_;
  int processors_;
  std::int64_t launches_ = 0;
  std::map<KernelText, EmulatedKernel> kernels_;
  std::vector<std::unique_ptr<std::byte[]>> rooms_;
  std::vector<FaultReport> reports_;
  std::uint64_t noted_[2] = {~std::uint64_t{0}, 0};  // kernel::Fault's word, and the value behind it
};

inline Address address_of(const void* memory) { return reinterpret_cast<Address>(memory); }

}  // namespace tessera::device
