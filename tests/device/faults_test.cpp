// Every function of the driver, of its compiler and of cuBLAS fails at each of its first twenty calls: refused, or with
// the GPU lost. What comes of it is words of the kind that they should be or the right output, the program before ends,
// nothing is left with the driver, and the next run is a good one.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/device/emulated_gpus.hpp"

namespace tessera::device {
namespace {

using runtime::Kind;
using runtime::test::Builder;
using runtime::test::Recorder;

constexpr int kFirstCalls = 20;
constexpr int kRefused = 701;
constexpr int kLost = 700;

// One of the emulated libraries, which is open already or will be opened by the door.
class Emulated {
 public:
  explicit Emulated(const std::string& file)
      : library_(dlopen((std::string(TESSERA_EMULATED_FOLDER) + "/" + file).c_str(), RTLD_NOW | RTLD_LOCAL)) {
    EXPECT_NE(library_, nullptr) << dlerror();
  }
  bool has_failed() const { return function<int()>("tessera_emulated_has_failed")() != 0; }
  // Of the driver.
  std::string held() const { return function<const char*()>("tessera_emulated_held")(); }
  void forget() const { function<void()>("tessera_emulated_forget")(); }

 private:
  template <class F>
  F* function(const char* name) const {
    void* const found = dlsym(library_, name);
    EXPECT_NE(found, nullptr) << name;
    return reinterpret_cast<F*>(found);
  }
  void* library_;
};

// Tables, copies both ways, graphs of launches, reductions, a kernel that can fail, and prints in all turns of a loop;
// products alone and in batches, whose room takes a while to make, where they are wanted. All sums are exact: a library
// adds up in an order of its own.
synth::Program program_of_all_calls(bool has_products) {
  Builder b("x:2");
  const auto gathered = [&](synth::RegisterId from, std::string_view type) {
    return b.collect(synth::CollectiveKind::all_gather, from, type);
  };
  runtime::test::Array<float> table({32, 32});
  for (std::int64_t i = 0; i < table.size(); ++i) table.data()[i] = static_cast<float>(i % 3);
  const auto small = b.constant(table, "f32[32, 32]");
  if (has_products) {
    const auto large = b.apply(synth::Iota{}, {}, "f32[64@x, 32]");
    const auto product = b.apply(synth::Contract{{{0, 1}, {1, 2}}, {0, 2}}, {large, small}, "f32[64@x, 32]");
    b.effect(synth::Print{{{{}, 0}}}, {gathered(product, "f32[64, 32]")});
    const auto batch = b.apply(synth::Reshape{}, {large}, "f32[2@x, 32, 32]");
    const auto products = b.apply(synth::Contract{{{0, 1, 2}, {2, 3}}, {0, 1, 3}}, {batch, small}, "f32[2@x, 32, 32]");
    runtime::test::Array<float> tables({2, 32, 32});
    for (std::int64_t i = 0; i < tables.size(); ++i) tables.data()[i] = static_cast<float>(i % 3);
    const auto factors = b.constant(tables, "f32[2@x, 32, 32]");
    const auto of_batches =
        b.apply(synth::Contract{{{0, 1, 2}, {0, 2, 3}}, {0, 1, 3}}, {products, factors}, "f32[2@x, 32, 32]");
    const auto greatest = b.apply(synth::Reduce{synth::ReduceKind::max, {1, 2}}, {of_batches}, "f32[2@x]");
    b.effect(synth::Print{{{{}, 0}}}, {gathered(greatest, "f32[2]")});
  }
  const auto ids = b.constant(runtime::test::Array<std::int64_t>({4}, {3, 1, 0, 2}), "i64[4@x]");
  const auto rows = b.apply(synth::Take{}, {small, ids}, "f32[4@x, 32]");
  b.effect(synth::Print{{{{}, 0}}}, {gathered(rows, "f32[4, 32]")});
  synth::Repeat repeat;
  repeat.count = b.number(24);
  repeat.index = b.reg("i64[]");
  repeat.initial = {rows};
  repeat.parameters = {b.reg("f32[4@x, 32]")};
  b.into(&repeat.body);
  const auto half = b.constant(runtime::test::Array<float>::scalar(0.5F), "f32[]");
  const auto less = b.apply(synth::Map{synth::MapOp::multiply}, {repeat.parameters[0], half}, "f32[4@x, 32]");
  const auto sums = b.apply(synth::Reduce{synth::ReduceKind::sum, {0, 1}}, {less}, "f32[]{+x}");
  const auto sum = b.collect(synth::CollectiveKind::all_reduce, sums, "f32[]");
  b.effect(synth::Print{{{{}, 0}}}, {sum});
  const auto turn = b.apply(synth::Map{synth::MapOp::cast}, {repeat.index}, "f32[]");
  repeat.next = {b.apply(synth::Map{synth::MapOp::add}, {less, turn}, "f32[4@x, 32]")};
  repeat.results = {b.reg("f32[4@x, 32]")};
  const auto result = repeat.results[0];
  b.into(nullptr);
  b.add(std::move(repeat));
  const auto across = b.collect(synth::CollectiveKind::all_to_all, result, "f32[4, 32@x]");
  b.effect(synth::Print{{{{}, 0}}}, {gathered(across, "f32[4, 32]")});
  b.output(across);
  return b.program();
}

struct KnownProgram {
  explicit KnownProgram(bool has_products)
      : program(program_of_all_calls(has_products)), prints(printed(program, nullptr)) {}
  synth::Program program;
  std::string prints;
};
const KnownProgram& known_program(bool has_products) {
  static const KnownProgram plain(false);
  static const KnownProgram with_products(true);
  return has_products ? with_products : plain;
}

struct Places {
  std::string name;
  std::vector<int> gpus;
  bool apart = false;
};

// What has some of a GPU when it is not called rightly.
bool gives_back(const std::string& symbol) {
  for (const char* const word : {"Free", "Destroy", "Unload", "Release", "Push"}) {
    if (symbol.find(word) != std::string::npos) return true;
  }
  return false;
}

class Fault {
 public:
  Fault(const Places& places, std::string library, std::string symbol)
      : places_(places),
        library_(library),
        symbol_(std::move(symbol)),
        is_of_compiler_(library == "libnvrtc.so.13"),
        known_(known_program(library == "libcublas.so.13")) {
    if (places.apart) apart_.emplace("TESSERA_EMULATED_APART", "1");
  }

  // As long as there are so many calls of the function. How many there are, twenty at the most.
  int at_first_calls(int code) {
    for (int n = 1; n <= kFirstCalls; ++n) {
      SCOPED_TRACE(symbol_ + ":" + std::to_string(n) + ":" + std::to_string(code) + " on " + places_.name);
      if (!fails_at(n, code)) return n - 1;
    }
    return kFirstCalls;
  }

  void next_run_is_good() {
    auto engine = open_gpus(request());
    ASSERT_TRUE(engine.ok()) << engine.errors().front().message;
    EXPECT_EQ(printed(known_.program, *engine), known_.prints);
    engine = base::make(Kind::no_gpu, "");
    EXPECT_EQ(driver_.held(), "");
  }

 private:
  GpuRequest request() const {
    GpuRequest asked = emulated_request(places_.gpus, false);
    if (is_of_compiler_) {  // nothing is known yet
      const std::string folder = testing::TempDir() + "no_kernels";
      std::filesystem::remove_all(folder);
      setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    }
    return asked;
  }

  bool fails_at(int n, int code) {
    const Environment failing("TESSERA_EMULATED_FAILURE",
                              symbol_ + ":" + std::to_string(n) + ":" + std::to_string(code));
    auto engine = open_gpus(request());
    if (!engine.ok()) {
      check_kind(engine.errors().front(), code);
    } else {
      run_twice(*engine, code);
      engine = base::make(Kind::no_gpu, "");  // it ends
    }
    const bool has_failed = library_.has_failed();
    const bool may_hold = cuda::is_loss(code) || gives_back(symbol_);
    if (!may_hold) {
      EXPECT_EQ(driver_.held(), "");
    }
    driver_.forget();
    return has_failed;
  }

  void run_twice(const std::shared_ptr<runtime::Engine>& engine, int code) {
    for (int run = 0; run < 2; ++run) {
      const bool failed_before = library_.has_failed();
      Recorder recorder;
      recorder.world.engine = engine;
      if (symbol_ == "cuEventElapsedTime") recorder.world.trace = [](const runtime::TracedStep&) {};
      const auto outcome = runtime::run(known_.program, {}, recorder.world);
      bool lost = false;
      for (int place = 0; place < engine->places(); ++place) lost = lost || engine->is_lost(place);
      if (outcome.ok()) {
        EXPECT_EQ(recorder.written, known_.prints);
        continue;
      }
      EXPECT_TRUE(known_.prints.starts_with(recorder.written)) << recorder.written;
      check_kind(outcome.errors().front(), code);
      EXPECT_TRUE(lost || !failed_before) << outcome.errors().front().message;
    }
  }

  void check_kind(const base::Diagnostic& why, int code) const {
    SCOPED_TRACE(why.message);
    if (is_of_compiler_) {
      EXPECT_TRUE(why.kind == base::Kind::internal || why.kind == Kind::gpu_library);
    } else if (cuda::is_loss(code)) {
      EXPECT_TRUE(why.kind == Kind::gpu_lost || why.kind == Kind::no_gpu);
    } else {
      EXPECT_TRUE(is_of_a_gpu(why) && why.kind != Kind::gpu_lost);
    }
  }

  Places places_;
  std::optional<Environment> apart_;
  Emulated driver_{"libcuda.so.1"};
  Emulated library_;
  std::string symbol_;
  bool is_of_compiler_;
  const KnownProgram& known_;
};

class OfTheDriver : public testing::TestWithParam<std::string> {};

#define NAME(member, symbol, parameters) #symbol,
const std::vector<std::string> kOfDriver = {TESSERA_CUDA_FUNCTIONS(NAME)};
const std::vector<std::string> kOfCompiler = {TESSERA_NVRTC_FUNCTIONS(NAME)};
const std::vector<std::string> kOfProducts = {TESSERA_CUBLAS_FUNCTIONS(NAME)};
#undef NAME

INSTANTIATE_TEST_SUITE_P(Faults, OfTheDriver, testing::ValuesIn(kOfDriver),
                         [](const auto& about) { return about.param; });

TEST_P(OfTheDriver, FirstTwentyCalls) {
  // What several GPUs alone need; boxes go packed where these cannot reach each other.
  static const std::map<std::string, Places> kOfSeveral = {{"cuMemcpyPeerAsync", {"two GPUs apart", {0, 1}, true}},
                                                           {"cuDeviceCanAccessPeer", {"two GPUs", {0, 1}}},
                                                           {"cuCtxEnablePeerAccess", {"two GPUs", {0, 1}}},
                                                           {"cuStreamWaitEvent", {"two GPUs", {0, 1}}}};
  const auto of_several = kOfSeveral.find(GetParam());
  const Places places = of_several == kOfSeveral.end() ? Places{"one GPU", {0}} : of_several->second;
  Fault fault(places, "libcuda.so.1", GetParam());
  for (const int code : {kRefused, kLost}) fault.at_first_calls(code);
  if (GetParam().starts_with("cuMemAlloc")) fault.at_first_calls(cuda::kOutOfMemory);
  fault.next_run_is_good();
}

// All codes that mean that a GPU is lost.
TEST(Faults, AllLosses) {
  Fault fault({"one GPU", {0}}, "libcuda.so.1", "cuEventSynchronize");
  for (const int code : {214, 220, 700, 702, 710, 714, 715, 716, 717, 718, 719, 999})
    EXPECT_EQ(fault.at_first_calls(code), kFirstCalls);
  fault.next_run_is_good();
}

TEST(Faults, OfTheCompiler) {
  for (const std::string& symbol : kOfCompiler) {
    Fault fault({"one GPU", {0}}, "libnvrtc.so.13", symbol);
    fault.at_first_calls(6);
    fault.next_run_is_good();
  }
}

TEST(Faults, OfProducts) {
  int failures = 0;
  for (const std::string& symbol : kOfProducts) {
    Fault fault({"one GPU", {0}}, "libcublas.so.13", symbol);
    failures += fault.at_first_calls(14);
    fault.next_run_is_good();
  }
  EXPECT_GE(failures, 6);
}

}  // namespace
}  // namespace tessera::device
