// The memory of a GPU, in pieces that are kept when they are given back: a program that runs again finds what it had.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

#include "runtime/device/gpu/gpu.hpp"
#include "runtime/device/steps/launcher.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

class GpuMemory {
 public:
  // `before` is called before memory goes back to the driver: work that waits to be begun may need it.
  GpuMemory(Gpu& gpu, std::recursive_mutex& mutex, std::function<void()> before)
      : gpu_(gpu), mutex_(mutex), before_(std::move(before)) {}
  ~GpuMemory();
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;

  // 0 if there is no room: of the GPU, or of its budget. Any thread may call these. What the stream was asked for
  // before with memory that is given back is done before anything that it is asked for with the same memory later.
  Address take(std::int64_t bytes);
  void give_back(Address address);
  // Memory of somebody else's on the same GPU, which is as if it had given it until it is let go of.
  void adopt(Address address, std::int64_t bytes);
  void let_go(Address address);
  // Did it give the memory that this address is in, or adopt it?
  bool holds(Address address) const;
  // Bytes that programs have now, and those that are kept for the next.
  std::int64_t taken_bytes() const;
  std::int64_t kept_bytes() const;

 private:
  Address take_kept(std::int64_t bytes);
  Address allocate(std::int64_t bytes);
  bool give_up_one();

  Gpu& gpu_;
  std::recursive_mutex& mutex_;
  std::function<void()> before_;
  std::map<Address, std::int64_t> taken_;
  std::multimap<std::int64_t, Address> kept_;     // by their sizes
  std::multimap<Address, std::int64_t> adopted_;  // an array may be there for several devices
  std::int64_t taken_bytes_ = 0;
  std::int64_t kept_bytes_ = 0;
};

// What arenas have of it. It keeps the engine, which has the memory.
class GpuPool final : public runtime::Pool {
 public:
  GpuPool(std::shared_ptr<runtime::Engine> engine, GpuMemory& memory) : engine_(std::move(engine)), memory_(memory) {}
  std::byte* take(std::int64_t bytes) override { return std::bit_cast<std::byte*>(memory_.take(bytes)); }
  void give_back(std::byte* begin, std::int64_t /*bytes*/) override {
    memory_.give_back(reinterpret_cast<Address>(begin));
  }
  bool give_back_early(std::byte* /*begin*/, std::int64_t /*bytes*/) override { return false; }
  std::shared_ptr<runtime::Engine> engine() const override { return engine_; }

 private:
  std::shared_ptr<runtime::Engine> engine_;
  GpuMemory& memory_;
};

}  // namespace tessera::device
