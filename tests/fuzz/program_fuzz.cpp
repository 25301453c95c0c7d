// Any bytes as the text of a device program: what is read prints, and reads back to the same text; what is in order and
// wants no inputs runs within small limits.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "runtime/execute/run.hpp"
#include "synth/program/program.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/fuzz/within_limits.hpp"

namespace {

constexpr std::chrono::milliseconds kTime{500};

// Asks for a stop when the time is over.
class Ending {
 public:
  Ending() : thread_([this] { wait(); }) {}
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;
  ~Ending() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }
  const std::atomic<bool>& stop() const { return stop_; }

 private:
  void wait() {
    std::unique_lock lock(mutex_);
    if (!wake_.wait_for(lock, kTime, [this] { return done_; })) stop_ = true;
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

void run_within_limits(const tessera::synth::Program& program) {
  const tessera::fuzz::WithinLimits limits(1.5);
  const Ending ending;
  tessera::runtime::World world;
  world.output = [](std::string_view) {};
  world.clock = [] { return 0.0; };
  world.files.kind = tessera::runtime::FilePolicy::Kind::none;
  world.stop = &ending.stop();
  world.memory_bytes_max = 64 << 20;
  world.steps_max = 20'000;
  world.output_bytes_max = 100'000;
  tessera::fuzz::expect_no_bug(tessera::runtime::run(program, {}, world));
}

}  // namespace

void tessera::fuzz::one_input(std::string_view text) {
  const auto program = synth::read_program(text);
  expect_no_bug(program);
  if (!program.ok()) return;
  if (synth::verify(*program).ok() && program->inputs.empty()) run_within_limits(*program);
  const std::string printed = synth::print(*program);
  const auto again = synth::read_program(printed);
  expect(again.ok(), "what is printed cannot be read");
  expect(synth::print(*again) == printed, "what is printed reads back differently");
}
