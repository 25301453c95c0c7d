// Moments in a GPU's stream, by events of the driver: when all that was asked for before is done.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "runtime/device/gpu/gpu.hpp"

namespace tessera::device {

// All calls come with the GPU current, and with all work begun that was asked for.
class Marks {
 public:
  explicit Marks(Gpu& gpu) : gpu_(gpu) {}
  ~Marks();
  Marks(const Marks&) = delete;
  Marks& operator=(const Marks&) = delete;

  // Marks are counted from 0.
  base::Result<std::int64_t> add();
  // In seconds of DeviceTimes::trace_clock. Waits for it; it is forgotten.
  base::Result<double> take(std::int64_t mark);

 private:
  base::Result<void*> event();
  base::Status begin();
  base::Status settle();

  Gpu& gpu_;
  std::vector<void*> free_;  // events
  void* anchor_ = nullptr;   // the event from which times are counted
  double anchor_seconds_ = 0;
  struct Pending {
    std::int64_t mark = 0;
    void* event = nullptr;
  };
  std::vector<Pending> pending_;
  std::unordered_map<std::int64_t, double> known_;
  std::int64_t next_ = 0;
};

}  // namespace tessera::device
