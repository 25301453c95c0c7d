// How long kernels take on a GPU, beside the driver's own copy of as many bytes: device_times [GIGABYTES].
#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/device/gpu/gpu_launcher.hpp"
#include "runtime/device/gpu/gpu_memory.hpp"
#include "runtime/device/gpu/kernel_cache.hpp"
#include "runtime/device/steps/arg_reductions.hpp"
#include "runtime/device/steps/copies.hpp"
#include "runtime/device/steps/reductions.hpp"
#include "runtime/device/steps/sums.hpp"

namespace tessera::device {
namespace {

using runtime::BoxMove;
using runtime::BoxSum;
using runtime::TileOut;
using runtime::TileTarget;
using runtime::TileView;
using synth::ElementType;
using synth::Shape;

class Times {
 public:
  Times(Gpu& gpu, GpuLauncher& launcher, std::byte* from, std::byte* to, std::int64_t bytes)
      : gpu_(gpu), launcher_(launcher), from_(from), to_(to), bytes_(bytes) {}

  void run() {
    const auto driver = [&] {
      return gpu_.check(gpu_.calls().copy_within(reinterpret_cast<Address>(to_), reinterpret_cast<Address>(from_),
                                                 static_cast<std::size_t>(bytes_), gpu_.stream()),
                        "a copy");
    };
    of_driver_ = time("the driver's copy", 2 * bytes_, driver);
    copies();
    transposes();
    sums();
    reductions();
    searches();
  }

 private:
  // Gigabytes a second.
  template <class F>
  double time(const std::string& name, std::int64_t moved, const F& act) {
    constexpr int kTurns = 10;
    const auto some = [&](int turns) -> base::Status {
      for (int turn = 0; turn < turns; ++turn) {
        TESSERA_TRY_STATUS(launcher_.begin_step());
        TESSERA_TRY_STATUS(act());
      }
      return launcher_.wait();
    };
    base::Status status = some(2);
    const auto begin = std::chrono::steady_clock::now();
    if (status.ok()) status = some(kTurns);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / kTurns;
    if (!status.ok()) {
      fmt::print("{:<44} {}\n", name, status.errors()[0].message);
      return 0;
    }
    const double speed = static_cast<double>(moved) / seconds / 1e9;
    fmt::print("{:<44} {:>9.1f} us {:>8.1f} GB/s  {:.2f}\n", name, seconds * 1e6, speed,
               of_driver_ > 0 ? speed / of_driver_ : 1.0);
    std::fflush(stdout);
    return speed;
  }

  void move(const std::string& name, ElementType element, const Shape& shape, const Shape& from, const Shape& to,
            std::int64_t offset = 0) {
    const std::int64_t bytes = synth::bytes_of(element);
    const std::vector<BoxMove> moves{{TileView{element, shape, from, from_ + offset * bytes}, TileTarget{to, to_}}};
    time(name, 2 * runtime::count(shape) * bytes, [&] { return copy(launcher_, moves); });
  }
  void copies() {
    const std::int64_t n = bytes_ / 4 / 16384;
    move("copy f32, dense", ElementType::f32, {n * 16384}, {1}, {1});
    move("copy f32, rows of 16000 of 16384", ElementType::f32, {n, 16000}, {16384, 1}, {16000, 1});
    move("copy f32, rows that begin at an odd place", ElementType::f32, {n, 16000}, {16384, 1}, {16000, 1}, 1);
    move("copy f32, rows of 100 of 128", ElementType::f32, {n * 128, 100}, {128, 1}, {100, 1});
    move("copy f32, 2 of every 4 elements", ElementType::f32, {n * 4096, 2}, {4, 1}, {2, 1});
    move("copy f32, 2 of every 16 elements", ElementType::f32, {n * 1024, 2}, {16, 1}, {2, 1});
    move("copy u8, dense from an odd place", ElementType::u8, {n * 16384}, {1}, {1}, 1);
  }
  void transposes() {
    const std::int64_t n = bytes_ / 4 / 16384;
    move("transposed f32, n x 16384", ElementType::f32, {16384, n}, {1, 16384}, {n, 1});
    move("transposed f64, n x 8192", ElementType::f64, {8192, n}, {1, 8192}, {n, 1});
    move("transposed bf16, n x 16384", ElementType::bf16, {16384, n}, {1, 16384}, {n, 1});
    move("transposed u8, n x 16384", ElementType::u8, {16384, n}, {1, 16384}, {n, 1});
    move("transposed f32, n x 3", ElementType::f32, {3, n * 4096}, {1, 3}, {n * 4096, 1});
    move("f32 (a, b, c) to (a, c, b)", ElementType::f32, {n, 128, 128}, {16384, 1, 128}, {16384, 128, 1});
    move("f32 (a, b, c) to (b, a, c)", ElementType::f32, {128, n, 128}, {128, 16384, 1}, {128 * n, 128, 1});
    move("f32 (a, b, c) to (c, b, a)", ElementType::f32, {128, 128, n}, {1, 128, 16384}, {128 * n, n, 1});
    move("f32 (a, b, 2) to (b, a, 2)", ElementType::f32, {8192, n, 2}, {2, 16384, 1}, {2 * n, 2, 1});
  }
  void sums() {
    const Shape shape{bytes_ / 16};
    std::vector<TileView> parts;
    for (std::int64_t k = 0; k < 4; ++k)
      parts.push_back(runtime::dense_view(ElementType::f32, shape, from_ + k * (bytes_ / 4)));
    const std::vector<BoxSum> all{{parts, TileTarget{{1}, to_}}};
    time("sum of 4 parts, f32", bytes_ / 4 * 5, [&] { return combine(launcher_, synth::ReduceOp::sum, all); });
  }
  void reduce_to(const std::string& name, synth::ReduceKind kind, ElementType element, const Shape& shape,
                 const std::vector<std::uint8_t>& dimensions) {
    Shape out;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (std::find(dimensions.begin(), dimensions.end(), d) == dimensions.end()) out.push_back(shape[d]);
    }
    const std::vector<ReducePart> parts{{runtime::dense_view(element, shape, from_), TileOut{element, out, to_}}};
    time(name, runtime::count(shape) * synth::bytes_of(element),
         [&] { return reduce(launcher_, kind, dimensions, parts); });
  }
  void reductions() {
    using synth::ReduceKind;
    const std::int64_t n = bytes_ / 4 / 16384;
    reduce_to("sum f32, all", ReduceKind::sum, ElementType::f32, {n * 16384}, {0});
    reduce_to("sum f32, rows of 16384", ReduceKind::sum, ElementType::f32, {n, 16384}, {1});
    reduce_to("sum f32, rows of 4096", ReduceKind::sum, ElementType::f32, {n * 4, 4096}, {1});
    reduce_to("sum f32, rows of 1000", ReduceKind::sum, ElementType::f32, {n * 16, 1000}, {1});
    reduce_to("sum f32, rows of 1001", ReduceKind::sum, ElementType::f32, {n * 16, 1001}, {1});
    reduce_to("sum f32, rows of 64", ReduceKind::sum, ElementType::f32, {n * 256, 64}, {1});
    reduce_to("sum f32, 100 long rows", ReduceKind::sum, ElementType::f32, {100, n * 160}, {1});
    reduce_to("sum f64, all", ReduceKind::sum, ElementType::f64, {n * 8192}, {0});
    reduce_to("max f32, rows of 16384", ReduceKind::max, ElementType::f32, {n, 16384}, {1});
    reduce_to("max f32, columns of n x 16384", ReduceKind::max, ElementType::f32, {n, 16384}, {0});
    reduce_to("sum f64, columns of n x 8192", ReduceKind::sum, ElementType::f64, {n, 8192}, {0});
    reduce_to("sum f32, columns of 4096 n x 4", ReduceKind::sum, ElementType::f32, {n * 4096, 4}, {0});
    reduce_to("sum f32, columns of 16 x 1024 n", ReduceKind::sum, ElementType::f32, {16, n * 1024}, {0});
    reduce_to("sum f32, 0 and 2 of n x 64 x 256", ReduceKind::sum, ElementType::f32, {n, 64, 256}, {0, 2});
    reduce_to("any of bool", ReduceKind::sum, ElementType::boolean, {bytes_}, {0});
  }
  void search(const std::string& name, const Shape& shape, std::uint8_t dimension) {
    const TileOut out{ElementType::i64, {shape[1 - dimension]}, to_};
    const std::vector<ArgReducePart> parts{{runtime::dense_view(ElementType::f32, shape, from_), out}};
    const std::vector<std::uint8_t> dimensions{dimension};
    time(name, runtime::count(shape) * 4, [&] { return arg_reduce(launcher_, true, dimensions, parts); });
  }
  void searches() {
    const std::int64_t n = bytes_ / 4 / 16384;
    search("argmax f32, rows of 16384", {n, 16384}, 1);
    search("argmax f32, one row", {1, n * 16384}, 1);
    search("argmax f32, columns of n x 16384", {n, 16384}, 0);
  }

  Gpu& gpu_;
  GpuLauncher& launcher_;
  std::byte* from_;
  std::byte* to_;
  std::int64_t bytes_;
  double of_driver_ = 0;
};

base::Status run(std::int64_t bytes) {
  const auto cuda = std::make_shared<Cuda>(open_cuda(folders_of_environment()));
  if (!cuda->is_there()) return base::make(base::Kind::internal, cuda->missing);
  const auto nvrtc = std::make_shared<Nvrtc>(open_nvrtc(folders_of_environment(), cuda->version));
  if (!nvrtc->is_there()) return base::make(base::Kind::internal, nvrtc->missing);
  TESSERA_TRY(gpu, Gpu::open(cuda, 0, 0));
  const Current current(*gpu);
  std::recursive_mutex mutex;
  GpuMemory memory(*gpu, mutex, [] {});
  GpuLauncher launcher(*gpu, memory, Compiler(nvrtc, gpu->facts().architecture, KernelFiles(kernel_cache_folder())));
  TESSERA_TRY_STATUS(launcher.begin());
  fmt::print("{}, {} multiprocessors, {} bytes\n", gpu->label(), gpu->facts().processors, bytes);
  const Address from = memory.take(bytes + 4096);
  const Address to = memory.take(bytes + 4096);
  const std::vector<TileOut> all{{ElementType::f32, {bytes / 4 + 1024}, std::bit_cast<std::byte*>(from)}};
  TESSERA_TRY_STATUS(launcher.begin_step());
  TESSERA_TRY_STATUS(fill_repeated(launcher, all, 0x3f8000003f800000U));
  Times(*gpu, launcher, std::bit_cast<std::byte*>(from), std::bit_cast<std::byte*>(to), bytes).run();
  TESSERA_TRY_STATUS(launcher.wait());
  memory.give_back(from);
  memory.give_back(to);
  return base::Done{};
}

}  // namespace
}  // namespace tessera::device

int main(int count, char** words) {
  const double gigabytes = count > 1 ? std::atof(words[1]) : 1.0;
  const auto bytes = static_cast<std::int64_t>(gigabytes * 1024) * (std::int64_t{1} << 20U);
  const auto status = tessera::base::guarded([&] { return tessera::device::run(bytes); });
  if (!status.ok()) fmt::print("{}\n", status.errors()[0].message);
  return status.ok() ? 0 : 1;
}
