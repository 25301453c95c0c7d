#include "runtime/device/gpu/gpu_launcher.hpp"

#include <algorithm>

namespace tessera::device {

namespace {

// What boxes pass through (cut_boxes.hpp), too.
constexpr std::int64_t kScratchLeast = std::int64_t{8} << 20U;

// Launches that are begun together at most, but for those of one step.
constexpr std::size_t kQueueMost = 64;

constexpr std::int64_t kStrideMax = 1024;
constexpr double kLong = 0.025;  // seconds
constexpr double kShort = 0.005;

}  // namespace

ScratchRoom::~ScratchRoom() { give_back(); }

void ScratchRoom::give_back() {
  for (const Piece& piece : pieces_) memory_.give_back(piece.address);
  pieces_.clear();
  used_ = 0;
  full_ = 0;
}

base::Status ScratchRoom::make(std::int64_t bytes) {
  give_back();
  most_ = 0;
  const std::int64_t piece = std::max(bytes, kScratchLeast);
  const Address address = memory_.take(piece);
  if (address == 0) return no_room(gpu_, piece);
  pieces_.push_back({address, piece});
  return base::Done{};
}

base::Result<Address> ScratchRoom::take(std::int64_t bytes) {
  const std::int64_t size = scratch_bytes_of(bytes);
  if (pieces_.empty() || used_ + size > pieces_.back().bytes) {
    const std::int64_t piece = std::max(size, kScratchLeast);
    const Address address = memory_.take(piece);
    if (address == 0) return no_room(gpu_, piece);
    pieces_.push_back({address, piece});
    full_ += used_;
    used_ = 0;
  }
  const Address address = pieces_.back().address + static_cast<Address>(used_);
  used_ += size;
  most_ = std::max(most_, full_ + used_);
  return address;
}

// A step that needed several pieces has them as one when the next step begins.
bool ScratchRoom::begin_step() {
  used_ = 0;
  full_ = 0;
  if (pieces_.size() <= 1) return true;
  std::int64_t bytes = 0;
  for (const Piece& piece : pieces_) {
    bytes += piece.bytes;
    memory_.give_back(piece.address);
  }
  pieces_.clear();
  const Address address = memory_.take(bytes);
  if (address != 0) pieces_.push_back({address, bytes});
  return false;
}

GpuLauncher::GpuLauncher(Gpu& gpu, GpuMemory& memory, Compiler compiler)
    : gpu_(gpu),
      kernels_(gpu, std::move(compiler)),
      queue_(gpu),
      tables_(gpu, memory),
      scratch_(gpu, memory),
      faults_(gpu, memory) {}

GpuLauncher::~GpuLauncher() {
  const Current current(gpu_);
  for (void* const event : events_) {
    if (event != nullptr) gpu_.calls().end_event(event);
  }
}

base::Status GpuLauncher::begin() {
  for (void*& event : events_) {
    TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().new_event(&event, cuda::kEventNoTimes), "an event"));
  }
  return faults_.begin();
}

base::Status GpuLauncher::make_room(std::int64_t bytes) {
  TESSERA_TRY_STATUS(tables_.begin());
  steps_.forget();
  return scratch_.make(bytes);
}
void GpuLauncher::leave_room() {
  steps_.forget();
  scratch_.give_back();
}

base::Status GpuLauncher::begin_step(std::uint32_t origin) {
  origin_ = origin;
  if (queue_.size() >= std::min(kQueueMost, static_cast<std::size_t>(stride_))) TESSERA_TRY_STATUS(begin_work());
  if (!scratch_.begin_step()) steps_.forget();
  if (tables_.is_crowded()) {
    TESSERA_TRY_STATUS(begin_work());
    TESSERA_TRY_STATUS(tables_.forget());
    queue_.forget();
    steps_.forget();
    ++generation_;
  }
  if (faults_.is_full()) TESSERA_TRY_STATUS(wait());
  step_begins_ = queue_.size();
  can_repeat_ = true;
  return base::Done{};
}

bool GpuLauncher::repeat(const StepKey& key) {
  const std::vector<KeptLaunch>* const known = steps_.find(key);
  if (known == nullptr) return false;
  for (const KeptLaunch& launch : *known) queue_.add(launch.kernel, launch.blocks, launch.args);
  launches_ += static_cast<std::int64_t>(known->size());
  return true;
}

void GpuLauncher::end_step(const StepKey& key) {
  if (can_repeat_) steps_.keep(key, queue_.since(step_begins_));
}

// Failures are told by the number of a launch, which is another each time.
FaultPlace GpuLauncher::fault(FaultReport report) {
  can_repeat_ = false;
  return faults_.place(std::move(report), origin_, order_);
}

base::Status GpuLauncher::launch(const KernelText& text, std::int64_t blocks, std::span<const std::byte> args) {
  TESSERA_CHECK(blocks > 0 && blocks < std::int64_t{1} << 31U, "a launch has 1 to 2^31 - 1 blocks");
  TESSERA_TRY(kernel, kernels_.find(text));
  queue_.add(kernel, blocks, args);
  ++launches_;
  return base::Done{};
}

base::Status GpuLauncher::begin_work() {
  can_repeat_ = false;
  TESSERA_TRY_STATUS(queue_.begin());
  return launches_ < stride_ ? base::Done{} : stay_near();
}

// Waits for what was asked for two events ago, and puts events so that this takes some milliseconds.
base::Status GpuLauncher::stay_near() {
  launches_ = 0;
  void* const event = events_[next_event_];
  TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().record(event, gpu_.stream()), "an event"));
  next_event_ = 1 - next_event_;
  if (!has_event_) {
    has_event_ = true;
    return base::Done{};
  }
  const auto begin = std::chrono::steady_clock::now();
  TESSERA_TRY_STATUS(gpu_.check(gpu_.calls().wait_for_event(events_[next_event_]), "the work that it was asked for"));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (took.count() > kLong) stride_ = std::max(stride_ / 2, std::int64_t{1});
  if (took.count() < kShort) stride_ = std::min(stride_ * 2, kStrideMax);
  return base::Done{};
}

base::Status GpuLauncher::wait() {
  TESSERA_TRY_STATUS(begin_work());
  TESSERA_TRY_STATUS(faults_.ask());
  TESSERA_TRY_STATUS(gpu_.wait());
  return faults_.answer();
}

}  // namespace tessera::device
