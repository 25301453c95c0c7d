// Engines of emulated GPUs, and programs that run on them.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "runtime/device/gpu/open.hpp"
#include "runtime/kinds.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::device {

// A variable of the environment while it lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

// The emulated driver has so many GPUs in all tests of this process: it asks once.
inline constexpr int kEmulatedGpus = 3;
inline const int kAreToldOf = setenv("TESSERA_EMULATED_GPUS", std::to_string(kEmulatedGpus).c_str(), 1);

// What the emulated compiler makes is kept beside it: it is of no use to other builds. Kernels with sanitizers and
// those without have folders of their own.
inline GpuRequest emulated_request(const std::vector<int>& gpus, bool ordered_products = true) {
  const bool is_plain = std::getenv("TESSERA_EMULATED_PLAIN") != nullptr;
  setenv("XDG_CACHE_HOME", is_plain ? TESSERA_EMULATED_FOLDER "/cache-plain" : TESSERA_EMULATED_FOLDER "/cache", 1);
  return {gpus, 0, ordered_products, {TESSERA_EMULATED_FOLDER, "", {}}};
}

inline std::shared_ptr<runtime::Engine> emulated_engine(const std::vector<int>& gpus = {0}) {
  auto engine = open_gpus(emulated_request(gpus));
  EXPECT_TRUE(engine.ok()) << (engine.ok() ? "" : engine.errors().front().message);
  return engine.ok() ? *engine : nullptr;
}

// Is it what is said when a call of the driver fails?
inline bool is_of_a_gpu(const base::Diagnostic& why) {
  using runtime::Kind;
  return why.kind == Kind::no_gpu || why.kind == Kind::gpu_failed || why.kind == Kind::gpu_lost ||
         why.kind == Kind::gpu_library || why.kind == Kind::out_of_memory_plan;
}

// What the program prints with this engine; null: the host's.
inline std::string printed(const synth::Program& program, std::shared_ptr<runtime::Engine> engine) {
  runtime::test::Recorder recorder;
  recorder.world.engine = std::move(engine);
  const auto outcome = runtime::run(program, {}, recorder.world);
  EXPECT_TRUE(outcome.ok()) << (outcome.ok() ? "" : outcome.errors().front().message);
  return recorder.written;
}

}  // namespace tessera::device
