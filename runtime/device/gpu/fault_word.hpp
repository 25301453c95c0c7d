// What launches have failed with, as they noted it in a GPU's memory (text/fault.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/device/gpu/gpu_memory.hpp"

namespace tessera::device {

// A failure that was found, and when what failed was asked for.
struct FoundFault {
  std::uint64_t order = 0;
  base::Diagnostic why;
};

class FaultWord {
 public:
  FaultWord(Gpu& gpu, GpuMemory& memory) : gpu_(gpu), memory_(memory) {}
  ~FaultWord();
  FaultWord(const FaultWord&) = delete;
  FaultWord& operator=(const FaultWord&) = delete;

  // The word is ready. The GPU is current.
  base::Status begin();
  // A failure belongs to the step of this origin, which was asked for then.
  FaultPlace place(FaultReport report, std::uint32_t origin, std::uint64_t order);
  // Should be waited for before there are more?
  bool is_full() const { return reports_.size() >= kLaunchesMax; }
  // Asks the stream for what was noted; then, once the stream was waited for, the first failure.
  base::Status ask();
  base::Status answer();
  // The failure that `answer` told last, once.
  std::optional<FoundFault> take_found() { return std::exchange(found_, std::nullopt); }

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
    std::uint64_t order = 0;
  };
  std::optional<FoundFault> found_;
  std::vector<Report> reports_;  // of launches since the last wait
};

}  // namespace tessera::device
