// What a session is made with: where its output goes, which files, machine, GPUs and ranks it has, and its limits.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tessera/files.hpp"
#include "tessera/machine.hpp"
#include "tessera/result.hpp"
#include "tessera/traced_step.hpp"

// Marks the names that the shared library exports.
#define TESSERA_API __attribute__((visibility("default")))

namespace tessera {

// How large products of floats are summed: by the machine's BLAS; in ascending order of their terms, which gives the
// same bits on every machine, and takes longer; or by the BLAS, with the operands of f32 products rounded to TF32 on
// GPUs, which keeps ten bits of their fractions, and is several times as fast.
enum class Products : std::uint8_t { blas, ordered, tf32 };

// The policy for steps that the checker inserts and that receive bytes.
enum class Reshard : std::uint8_t { silent, warn, error };

// The progress of a run: it is about to take step `step` (from 1) of the `steps` of its text. A loop is one step, which
// is reported again before each step of its turns.
struct Progress {
  std::int64_t step = 0;
  std::int64_t steps = 0;
  std::int64_t received_bytes = 0;  // so far, by all devices
};

// The ranks of a communicator, as `tessera/mpi.hpp` makes them. A copy stands for the same ranks.
class Team {
 public:
  Team() = default;  // this process alone
  explicit operator bool() const { return impl_ != nullptr; }

  struct Impl;
  explicit Team(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl* impl() const { return impl_.get(); }

 private:
  std::shared_ptr<const Impl> impl_;
};

// Stops all sessions that have it in their Config, make_plan and Function::call: work in progress fails with
// `interrupted`, and so does everything begun later. Call it from any thread or a signal handler. Copies are the same.
class TESSERA_API StopToken {
 public:
  StopToken();
  void stop();
  bool asked() const;

  struct Impl;
  const std::shared_ptr<Impl>& impl() const { return impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

struct Config {
  std::function<void(std::string_view)> output = {};   // what print, show and plan write; whole lines. None: dropped
  std::function<void(const Diagnostic&)> log = {};     // notes and warnings, as a text is checked. None: dropped
  std::function<double()> clock = {};                  // seconds, for statistics. None: statistics show 0
  std::function<int()> picture_columns = {};           // of the screen that `show` draws for. None: 100
  std::function<void(const Progress&)> progress = {};  // before each step of a run
  // Called after each step of a run, also of one that fails. Either all ranks have a trace or none has, and only rank
  // 0's is called: for the other ranks' steps after the run, in times of rank 0's machine.
  std::function<void(const TracedStep&)> trace = {};
  FilePolicy files = {};  // tessera/files.hpp; the default allows no file
  Machine machine = {};
  // true: devices are made as unequal as the machine says they are; RunReport::clock_seconds tells what that costs. All
  // ranks of a session alike.
  bool throttle = false;
  // The GPUs that programs run on (docs/accelerators.md): `all`, or numbers, `0,2`; none: on this process's cores. A
  // session that cannot have them fails in every call, `no-gpu` or `gpu-library`, and never runs elsewhere instead. A
  // process deals its devices to its GPUs; the ranks of a machine share them, and all ranks have some or none.
  std::string gpus = {};
  std::int64_t gpu_memory = 0;  // bytes that a run may take of each GPU; 0: nine tenths of what is free
  // On GPUs the seconds of statistics and of profiles are those that the GPUs took, as they are with a trace: steps
  // then begin one by one, which costs a loop of small steps some time. Without it they are those of asking for a step.
  bool gpu_times = false;
  Products products = Products::blas;
  // The placement of the text's meshes on the machine, instead of the one that the text gives: `auto` or a matrix,
  // `[[4,4],[1,4]]`.
  std::string place = {};
  Reshard reshard = Reshard::silent;
  // Replaces the value of a top-level `let NAME = ...` of every text that is checked; a text without one is refused.
  std::map<std::string, std::string> defines = {};
  // The number of devices that are dealt to ranks from the start, in equal blocks. If a larger mesh is declared, its
  // devices are dealt anew, and values move to the new ranks of their devices.
  std::int64_t devices = 0;
  // For all devices of the process: the arrays and texts that the session keeps, and the memory of a run besides. What
  // reading, checking and planning take is bounded by it, too: five times as much (docs/embedding.md, "Programs you do
  // not trust"). 0: three quarters of the machine's, for a run alone.
  std::int64_t memory_bytes_max = 0;
  // Limits for programs that the host does not trust; 0: none but the language's. A call that goes beyond one fails
  // with the kind beside it, and the session is as it was before the call. All ranks have the same limits. Negative
  // ones, and a time that is no number, are refused: every call of such a session fails with `bad-call`.
  std::int64_t text_bytes_max = 0;    // of one text, of 16 MiB at most; a larger one is not read: `bad-call`
  std::int64_t nesting_max = 0;       // brackets, operators and keywords open at once: `nested-too-deeply`
  std::int64_t devices_max = 0;       // of a mesh that a text declares: `too-many-devices`
  std::int64_t steps_max = 0;         // that a run takes on devices; loops count each turn: `too-many-steps`
  std::int64_t output_bytes_max = 0;  // that a run gives to `output`: `too-much-output`
  double seconds_max = 0;             // of each check, run, Session::function, Function::call: `over-time`
  bool keep_values = true;            // false: a script's; arrays are freed after their last use, get() has none
  bool bare_expressions = false;      // true: a bare expression is written to `output` and bound to `_`
  Team team = {};                     // the ranks that run the session together; none: this process alone
  bool share_memory = true;           // false: ranks of one machine send messages, too
  std::optional<StopToken> stop = {};
};

}  // namespace tessera
