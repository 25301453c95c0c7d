// What launches have failed with, as they noted it in a GPU's memory (text/fault.hpp).
#pragma once

#include <vector>

#include "runtime/device/gpu/gpu_memory.hpp"

namespace tessera::device {

class FaultWord {
 public:
  FaultWord(Gpu& gpu, GpuMemory& memory) : gpu_(gpu), memory_(memory) {}
  ~FaultWord();
  FaultWord(const FaultWord&) = delete;
  FaultWord& operator=(const FaultWord&) = delete;

  // The word is ready. The GPU is current.
  base::Status begin();
  // A failure belongs to the step of this origin.
  FaultPlace place(FaultReport report, std::uint32_t origin);
  // Should be waited for before there are more?
  bool is_full() const { return reports_.size() >= kLaunchesMax; }
  // Asks the stream for what was noted; then, once the stream was waited for, the first failure.
  base::Status ask();
  base::Status answer();

 private:
  static constexpr std::size_t kLaunchesMax = 60'000;
  struct Noted {
    std::uint64_t key = 0;
    std::int64_t value = 0;
  };
  base::Status reset();

  Gpu& gpu_;
  GpuMemory& memory_;
  Address word_ = 0;
  Noted* noted_ = nullptr;  // pinned
  struct Report {
    FaultReport words;
    std::uint32_t origin = 0;
  };
  std::vector<Report> reports_;  // of launches since the last wait
};

}  // namespace tessera::device
