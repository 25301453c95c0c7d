// The engine of GPUs on the emulated driver: memory, copies both ways, kernels, and what happens when calls fail.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <numeric>
#include <vector>

#include "runtime/device/gpu/kernel_files.hpp"
#include "runtime/kinds.hpp"
#include "tests/device/emulated_gpus.hpp"

namespace tessera::device {
namespace {

using runtime::BoxMove;
using runtime::Engine;
using runtime::ItemList;
using runtime::TileOut;
using runtime::TileTarget;
using runtime::TileView;

std::shared_ptr<Engine> opened() {
  auto engine = open_gpus(emulated_request({0}, false));
  EXPECT_TRUE(engine.ok()) << engine.errors().front().message;
  return *engine;
}

std::vector<float> counted(std::size_t size) {
  std::vector<float> numbers(size);
  std::iota(numbers.begin(), numbers.end(), 1.0F);
  return numbers;
}
template <class T>
const std::byte* bytes_of(const std::vector<T>& numbers) {
  return reinterpret_cast<const std::byte*>(numbers.data());
}
template <class T>
std::byte* bytes_of(std::vector<T>& numbers) {
  return reinterpret_cast<std::byte*>(numbers.data());
}
TileView view(const synth::Shape& shape, const std::byte* data) {
  return runtime::dense_view(synth::ElementType::f32, shape, data);
}
TileTarget dense(const synth::Shape& shape, std::byte* data) { return {runtime::dense_strides(shape), data}; }

TEST(GpuEngine, BytesComeBackAsTheyWere) {
  const auto engine = opened();
  const auto pool = engine->pool(0);
  EXPECT_EQ(pool->engine(), engine);
  EXPECT_EQ(engine->name(0), "GPU 0 (Emulated GPU)");
  // More than both staging buffers hold.
  const auto size = static_cast<std::int64_t>(5'000'011);
  const std::vector<float> sent = counted(static_cast<std::size_t>(size));
  std::byte* const memory = pool->take(size * 4);
  ASSERT_NE(memory, nullptr);
  ASSERT_TRUE(engine->write(view({size}, bytes_of(sent)), dense({size}, memory)).ok());
  std::vector<float> read(sent.size());
  ASSERT_TRUE(engine->read(view({size}, memory), {synth::ElementType::f32, {size}, bytes_of(read)}).ok());
  EXPECT_EQ(read, sent);
  pool->give_back(memory, size * 4);
}

TEST(GpuEngine, StridedTilesAreWrittenCopiedAndRead) {
  const auto engine = opened();
  const auto pool = engine->pool(0);
  std::byte* const memory = pool->take(4096);
  const std::vector<float> sent = counted(6);
  // Rows of a matrix of 5 columns; then the transpose of that, elsewhere.
  ASSERT_TRUE(engine->write(view({2, 3}, bytes_of(sent)), {{5, 1}, memory}).ok());
  const BoxMove turned{{synth::ElementType::f32, {3, 2}, {1, 5}, memory}, dense({3, 2}, memory + 1024)};
  ASSERT_TRUE(engine->copy(ItemList<BoxMove>(1, [&](std::int64_t) { return turned; })).ok());
  std::vector<float> read(6);
  ASSERT_TRUE(engine->read(view({3, 2}, memory + 1024), {synth::ElementType::f32, {3, 2}, bytes_of(read)}).ok());
  EXPECT_EQ(read, (std::vector<float>{1, 4, 2, 5, 3, 6}));
  const TileView every_second{synth::ElementType::f32, {2, 2}, {5, 2}, memory};
  std::vector<float> some(4);
  ASSERT_TRUE(engine->read(every_second, {synth::ElementType::f32, {2, 2}, bytes_of(some)}).ok());
  EXPECT_EQ(some, (std::vector<float>{1, 3, 4, 6}));
  pool->give_back(memory, 4096);
}

TEST(GpuEngine, MemoryComesFromWhatWasGivenBack) {
  const auto engine = opened();
  const auto pool = engine->pool(0);
  std::byte* const first = pool->take(10 << 20U);
  pool->give_back(first, 10 << 20U);
  std::byte* const second = pool->take(9 << 20U);
  EXPECT_EQ(first, second);
  pool->give_back(second, 9 << 20U);
  EXPECT_EQ(pool->take(engine->memory_bytes_max(0) + 1), nullptr);
  // All of it, though some is kept.
  std::byte* const all = pool->take(engine->memory_bytes_max(0) - (16 << 20U));
  EXPECT_NE(all, nullptr);
  pool->give_back(all, 0);
}

TEST(GpuEngine, WhatThereIsNotIsSaid) {
  GpuRequest request = emulated_request({3});
  const auto engine = open_gpus(request);
  ASSERT_FALSE(engine.ok());
  EXPECT_EQ(engine.errors().front().kind, runtime::Kind::no_gpu);
  EXPECT_EQ(engine.errors().front().message,
            "there is no GPU to run on: there is no GPU 3; there are 3, counted from 0");
}

// Every call of an engine's life fails once: what was asked for fails with a diagnostic, and nothing crashes.
TEST(GpuEngine, EveryCallMayFail) {
  bool is_refused = false;
  for (int n = 1; n <= 60; ++n) {
    const Environment failing("TESSERA_EMULATED_FAILURE", "*:" + std::to_string(n) + ":701");
    const auto engine = open_gpus(emulated_request({0}, false));
    if (!engine.ok()) {
      EXPECT_TRUE(is_of_a_gpu(engine.errors().front())) << n;
      continue;
    }
    const auto pool = (*engine)->pool(0);
    std::byte* const memory = pool->take(1024);
    if (memory == nullptr) continue;
    std::vector<float> numbers = counted(6);
    const auto wrote = (*engine)->write(view({2, 3}, bytes_of(numbers)), {{5, 1}, memory});
    const auto read = (*engine)->read({synth::ElementType::f32, {2, 3}, {5, 1}, memory},
                                      {synth::ElementType::f32, {2, 3}, bytes_of(numbers)});
    if (wrote.ok() && read.ok()) {
      EXPECT_EQ(numbers, counted(6));
    }
    for (const auto* status : {&wrote, &read}) {
      EXPECT_TRUE(status->ok() || is_of_a_gpu(status->errors().front())) << n;
      is_refused |= !status->ok() && status->errors().front().kind == runtime::Kind::gpu_failed;
    }
    pool->give_back(memory, 1024);
  }
  EXPECT_TRUE(is_refused);
}

TEST(GpuEngine, AGpuThatIsLostStaysLost) {
  const auto engine = opened();
  const auto pool = engine->pool(0);
  std::byte* const memory = pool->take(1024);
  std::vector<float> numbers = counted(6);
  {
    const Environment failing("TESSERA_EMULATED_FAILURE", "cuStreamSynchronize:1:700");
    const TileOut to{synth::ElementType::f32, {6}, bytes_of(numbers)};
    for (int i = 0; i < 2; ++i) {
      const auto read = engine->read(view({6}, memory), to);
      ASSERT_FALSE(read.ok());
      EXPECT_EQ(read.errors().front().kind, runtime::Kind::gpu_lost);
    }
  }
  pool->give_back(memory, 1024);
}

TEST(KernelFiles, DamagedFilesAreNone) {
  const std::string folder = testing::TempDir() + "kernel_files";
  std::filesystem::remove_all(folder);
  const KernelFiles files(folder);
  EXPECT_FALSE(files.read("abc"));
  files.write("abc", std::string("co\0de\n", 6));
  EXPECT_EQ(files.read("abc"), std::string("co\0de\n", 6));
  EXPECT_EQ(files.extent().files, 1);
  std::filesystem::resize_file(folder + "/abc", 20);
  EXPECT_FALSE(files.read("abc"));
  const KernelFiles nowhere("/proc/nothing");
  nowhere.write("abc", "code");
  EXPECT_FALSE(nowhere.read("abc"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tessera::device
