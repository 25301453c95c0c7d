// Memory of a GPU that another library has, as an arena takes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/device/gpu/gpu_place.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

// Gives one range, whatever it is asked for. While it is there the place's memory holds the range; when it goes, the
// place has ended all work that it was asked for, and only then is `keep` let go of.
class BorrowedMemory final : public runtime::Pool {
 public:
  BorrowedMemory(std::shared_ptr<runtime::Engine> engine, GpuPlace& place, const std::byte* begin, std::int64_t bytes,
                 std::shared_ptr<const void> keep);
  ~BorrowedMemory() override;
  BorrowedMemory(const BorrowedMemory&) = delete;
  BorrowedMemory& operator=(const BorrowedMemory&) = delete;

  std::byte* take(std::int64_t /*bytes*/) override { return const_cast<std::byte*>(begin_); }
  void give_back(std::byte* /*begin*/, std::int64_t /*bytes*/) override {}
  bool give_back_early(std::byte* /*begin*/, std::int64_t /*bytes*/) override { return false; }
  std::shared_ptr<runtime::Engine> engine() const override { return engine_; }

 private:
  std::shared_ptr<runtime::Engine> engine_;
  GpuPlace& place_;
  const std::byte* begin_;
  std::shared_ptr<const void> keep_;
};

}  // namespace tessera::device
