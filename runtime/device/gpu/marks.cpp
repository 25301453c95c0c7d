#include "runtime/device/gpu/marks.hpp"

#include "base/check.hpp"
#include "runtime/engine/device_times.hpp"

namespace tessera::device {

namespace {

// The driver tells times from one event to another in milliseconds as f32: after so many the count begins anew.
constexpr std::size_t kPendingMost = 4096;
constexpr std::string_view kWhat = "an event";
// An event that is waited for in more time than this is tried again, so often.
constexpr double kMeetingSeconds = 2e-4;
constexpr int kMeetings = 8;

}  // namespace

Marks::~Marks() {
  const Current current(gpu_);
  for (const Pending& pending : pending_) free_.push_back(pending.event);
  if (anchor_ != nullptr) free_.push_back(anchor_);
  for (void* const event : free_) gpu_.calls().end_event(event);
}

base::Result<void*> Marks::event() {
  if (!free_.empty()) {
    void* const known = free_.back();
    free_.pop_back();
    return known;
  }
  void* made = nullptr;
  TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().new_event(&made, cuda::kEventWithTimes), kWhat));
  return made;
}

// The clock of this machine and that of the GPU meet where nothing is left to be done. Where the process had no core
// meanwhile they have not met, and do so again.
base::Status Marks::begin() {
  if (anchor_ == nullptr) {
    TESSERA_TRY(made, event());
    anchor_ = made;
  }
  TESSERA_TRY_STATUS(gpu_.wait());
  for (int turn = 0; turn < kMeetings; ++turn) {
    const double before = runtime::DeviceTimes::trace_clock();
    TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().record(anchor_, gpu_.stream()), kWhat));
    TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().wait_for_event(anchor_), kWhat));
    anchor_seconds_ = runtime::DeviceTimes::trace_clock();
    if (anchor_seconds_ - before < kMeetingSeconds) break;
  }
  return base::Done{};
}

base::Result<std::int64_t> Marks::add() {
  if (pending_.size() >= kPendingMost) TESSERA_TRY_STATUS(settle());
  if (pending_.empty()) TESSERA_TRY_STATUS(begin());
  TESSERA_TRY(made, event());
  pending_.push_back({next_, made});
  TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().record(made, gpu_.stream()), kWhat));
  return next_++;
}

base::Status Marks::settle() {
  if (pending_.empty()) return base::Done{};
  TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().wait_for_event(pending_.back().event), kWhat));
  for (const Pending& pending : pending_) {
    float milliseconds = 0;
    TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().elapsed(&milliseconds, anchor_, pending.event), kWhat));
    known_[pending.mark] = anchor_seconds_ + static_cast<double>(milliseconds) * 1e-3;
    free_.push_back(pending.event);
  }
  pending_.clear();
  return base::Done{};
}

base::Result<double> Marks::take(std::int64_t mark) {
  TESSERA_CHECK(mark < next_, "a mark is asked for that was not made");
  if (!known_.contains(mark)) TESSERA_TRY_STATUS(settle());
  const auto known = known_.extract(mark);
  TESSERA_CHECK(!known.empty(), "a mark is asked for twice");
  return known.mapped();
}

}  // namespace tessera::device
