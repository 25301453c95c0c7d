// A launcher that launches nothing, and counts the room that steps would have.
#pragma once

#include <span>

#include "runtime/device/steps/launcher.hpp"

namespace tessera::device {

class CountingLauncher final : public Launcher {
 public:
  explicit CountingLauncher(int processors) : processors_(processors) {}

  base::Result<Address> table(std::span<const std::byte> /*bytes*/) override { return kSomewhere; }
  base::Result<Address> scratch(std::int64_t bytes) override {
    const Address address = kSomewhere + static_cast<Address>(bytes_);
    bytes_ += scratch_bytes_of(bytes);
    return address;
  }
  base::Status launch(const KernelText& /*text*/, std::int64_t /*blocks*/, std::span<const std::byte>) override {
    return base::Done{};
  }
  FaultPlace fault(FaultReport /*report*/) override { return {}; }
  int processors() const override { return processors_; }

  std::int64_t bytes() const { return bytes_; }

 private:
  static constexpr Address kSomewhere = Address{1} << 40U;
  int processors_;
  std::int64_t bytes_ = 0;
};

}  // namespace tessera::device
