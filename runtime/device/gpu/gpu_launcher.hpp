// A GPU's stream as steps see it: kernels, their tables, and room.
#pragma once

#include <array>
#include <chrono>

#include "runtime/device/gpu/fault_word.hpp"
#include "runtime/device/gpu/kernels.hpp"
#include "runtime/device/gpu/launch_queue.hpp"
#include "runtime/device/gpu/step_memory.hpp"
#include "runtime/device/gpu/table_room.hpp"

namespace tessera::device {

// Room that grows, for what a step needs beside its arrays. Steps follow each other in the stream, so that all have the
// same.
class ScratchRoom {
 public:
  ScratchRoom(Gpu& gpu, GpuMemory& memory) : gpu_(gpu), memory_(memory) {}
  ~ScratchRoom();
  ScratchRoom(const ScratchRoom&) = delete;
  ScratchRoom& operator=(const ScratchRoom&) = delete;

  base::Result<Address> take(std::int64_t bytes);
  // The next step begins. False: addresses that were given before may mean something else from now on.
  bool begin_step();
  // From now on steps find so much, and take no memory unless they need more.
  base::Status make(std::int64_t bytes);
  void give_back();
  // What steps have used since then, the most.
  std::int64_t most() const { return most_; }

 private:
  struct Piece {
    Address address = 0;
    std::int64_t bytes = 0;
  };
  Gpu& gpu_;
  GpuMemory& memory_;
  std::vector<Piece> pieces_;
  std::int64_t used_ = 0;  // of the last one
  std::int64_t full_ = 0;  // those before it
  std::int64_t most_ = 0;
};

class GpuLauncher final : public Launcher {
 public:
  GpuLauncher(Gpu& gpu, GpuMemory& memory, Compiler compiler);
  ~GpuLauncher() override;
  base::Status begin();

  // Between runs: what steps and their tables need, and nothing of it.
  base::Status make_room(std::int64_t bytes);
  void leave_room();
  std::int64_t scratch_most() const { return scratch_.most(); }

  base::Result<Address> table(std::span<const std::byte> bytes) override { return tables_.find(bytes); }
  base::Result<Address> scratch(std::int64_t bytes) override { return scratch_.take(bytes); }
  base::Status launch(const KernelText& text, std::int64_t blocks, std::span<const std::byte> args) override;
  FaultPlace fault(FaultReport report) override;
  int processors() const override { return gpu_.facts().processors; }

  // Between steps; all calls come with the GPU current.
  // `origin`: of the step whose failures may be found later.
  base::Status begin_step(std::uint32_t origin = 0);
  // When the steps to come are asked for, among those of several GPUs.
  void set_order(std::uint64_t order) { order_ = order; }
  std::optional<FoundFault> take_found() { return faults_.take_found(); }
  // Adds what the step launched when it was taken last; false: that is not known, and `end_step` notes it for the key.
  bool repeat(const StepKey& key);
  void end_step(const StepKey& key);
  // A run is over: another program may be where its steps were.
  void forget_steps() { steps_.forget(); }
  // Begins what was asked for: before anybody else asks the stream for something, and where the host stops for a while.
  base::Status begin_work();
  // Until everything is done. What has failed first, if anything has.
  base::Status wait();
  // How often all tables were forgotten: addresses of tables mean something else then.
  std::int64_t generation() const { return generation_; }

 private:
  base::Status stay_near();

  Gpu& gpu_;
  Kernels kernels_;
  LaunchQueue queue_;
  StepMemory steps_;
  std::size_t step_begins_ = 0;  // in the queue
  bool can_repeat_ = true;       // the step that is being taken
  TableRoom tables_;
  std::int64_t generation_ = 0;
  ScratchRoom scratch_;
  FaultWord faults_;
  std::uint32_t origin_ = 0;
  std::uint64_t order_ = 0;
  // The host is this far ahead at most: two events, each behind so many launches.
  std::array<void*, 2> events_{};
  std::size_t next_event_ = 0;
  bool has_event_ = false;
  std::int64_t launches_ = 0;  // since the last event
  std::int64_t stride_ = 64;
};

}  // namespace tessera::device
