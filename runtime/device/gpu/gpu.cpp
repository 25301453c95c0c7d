#include "runtime/device/gpu/gpu.hpp"

#include <fmt/format.h>

#include "base/units_text.hpp"
#include "runtime/kinds.hpp"

namespace tessera::device {

base::Result<std::unique_ptr<Gpu>> Gpu::open(std::shared_ptr<const Cuda> cuda, int number, std::int64_t budget,
                                             std::int64_t times) {
  std::unique_ptr<Gpu> gpu(new Gpu(std::move(cuda), number));
  TESSERA_TRY_STATUS(gpu->begin(budget, times));
  return gpu;
}

// The context is there before the GPU is asked what it is: that needs one, and to make one takes a while.
base::Status Gpu::begin(std::int64_t budget, std::int64_t times) {
  TESSERA_TRY_STATUS(check(calls().device(&device_, number_), "to be found"));
  TESSERA_TRY_STATUS(check(calls().retain_context(&context_, device_), "to be opened"));
  TESSERA_TRY(facts, facts_of(*cuda_, number_));
  facts_ = std::move(facts);
  if (facts_.architecture < kOldestArchitecture) {
    return base::make(runtime::Kind::no_gpu,
                      fmt::format("GPU {} ({}) is of architecture sm_{}; sm_{} or newer is needed", number_,
                                  facts_.name, facts_.architecture, kOldestArchitecture));
  }
  const Current current(*this);
  TESSERA_TRY_STATUS(check(calls().new_stream(&stream_, cuda::kStreamNonBlocking), "a stream"));
  std::size_t free = 0;
  std::size_t total = 0;
  TESSERA_TRY_STATUS(check(calls().memory(&free, &total), "to say how much memory is free"));
  budget_ = (budget > 0 ? budget : static_cast<std::int64_t>(free / 10 * 9)) / times;
  return base::Done{};
}

Gpu::~Gpu() {
  if (context_ == nullptr) return;
  if (stream_ != nullptr) {
    const Current current(*this);
    calls().wait_for_stream(stream_);
    calls().end_stream(stream_);
  }
  calls().release_context(device_);
}

std::string Gpu::label() const { return fmt::format("{} ({})", number_, facts_.name); }

base::Status Gpu::check(int code, std::string_view what) {
  if (code == 0) return base::Done{};
  const std::string name = error_name(*cuda_, code);
  if (cuda::is_loss(code)) {
    lost_ = code;
    const std::string step = operation_ == nullptr ? std::string(what) : synth::describe(*operation_);
    return base::make(runtime::Kind::gpu_lost, label(), step, name)
        .suggest("values that lay there are gone; the host's memory and files are as they were");
  }
  const std::string words =
      operation_ == nullptr ? std::string(what) : fmt::format("{} of a step, `{}`", what, synth::describe(*operation_));
  return base::make(runtime::Kind::gpu_failed, label(), words, name);
}

base::Diagnostic no_room(Gpu& gpu, std::int64_t bytes) {
  if (gpu.is_lost()) return gpu.check(gpu.lost_code(), "an allocation of memory").errors().front();
  return base::make(runtime::Kind::out_of_memory_plan, base::exact_bytes_text(bytes),
                    fmt::format("GPU {} has {} for a program", gpu.label(), base::bytes_text(gpu.budget())));
}

base::Status Gpu::wait() { return check(calls().wait_for_stream(stream_), "the work that it was asked for"); }

}  // namespace tessera::device
