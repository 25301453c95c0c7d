// A GPU: its primary context, which everybody's libraries in the process share, one stream, and what its errors mean.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "runtime/device/door/door.hpp"
#include "synth/program/operation.hpp"

namespace tessera::device {

class Gpu {
 public:
  // `budget`: bytes of its memory that programs may have; 0: nine tenths of what is free. It is opened so many times,
  // and each has an equal part of them.
  static base::Result<std::unique_ptr<Gpu>> open(std::shared_ptr<const Cuda> cuda, int number, std::int64_t budget,
                                                 std::int64_t times);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const CudaCalls& calls() const { return cuda_->calls; }
  int number() const { return number_; }
  const GpuFacts& facts() const { return facts_; }
  std::int64_t budget() const { return budget_; }
  int device() const { return device_; }  // the driver's own number of it
  void* context() const { return context_; }
  void* stream() const { return stream_; }
  // `0 (NVIDIA H100)`.
  std::string label() const;

  // What a driver's code means: `what` was refused, or the GPU is lost. Without memory a program does not fit.
  base::Status check(int code, std::string_view what);
  bool is_lost() const { return lost_ != 0; }
  int lost_code() const { return lost_; }
  // The operation that the calls to come are for, while the pointer is good; null: none that has a name.
  void works_for(const synth::Operation* operation) { operation_ = operation; }

  // Until everything that the stream was asked for is done.
  base::Status wait();

 private:
  Gpu(std::shared_ptr<const Cuda> cuda, int number) : cuda_(std::move(cuda)), number_(number) {}
  base::Status begin(std::int64_t budget, std::int64_t times);

  std::shared_ptr<const Cuda> cuda_;
  int number_ = 0;
  GpuFacts facts_;
  int device_ = 0;
  void* context_ = nullptr;
  void* stream_ = nullptr;
  std::int64_t budget_ = 0;
  int lost_ = 0;  // the code that said so
  const synth::Operation* operation_ = nullptr;
};

// So many bytes are not to be had of it, which may be because it is lost.
base::Diagnostic no_room(Gpu& gpu, std::int64_t bytes);

// While it lives the thread's calls are for this GPU; then what the host had is back.
class Current {
 public:
  explicit Current(const Gpu& gpu) : gpu_(gpu), is_pushed_(gpu.calls().push_context(gpu.context()) == 0) {}
  ~Current() {
    void* ours = nullptr;
    if (is_pushed_) gpu_.calls().pop_context(&ours);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  const Gpu& gpu_;
  bool is_pushed_;  // else calls are refused, and what would be popped is the host's
};

}  // namespace tessera::device
