// Several emulated GPUs as one engine: programs give the host's bits, copies and sums go from any to any, and failures
// are those of the program's order. GPUs that are apart cannot reach each other's memory.
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/kinds.hpp"
#include "tests/device/emulated_gpus.hpp"
#include "tests/device/random_tiles.hpp"

namespace tessera::device {
namespace {

using runtime::BoxMove;
using runtime::BoxSum;
using runtime::Engine;
using runtime::ItemList;
using runtime::TileOut;
using runtime::TileTarget;
using runtime::TileView;
using runtime::test::Builder;
using runtime::test::Recorder;
using synth::ElementType;

struct Gpus {
  std::vector<int> numbers;
  bool apart = false;
};

class SeveralGpus : public testing::TestWithParam<Gpus> {
 protected:
  void SetUp() override {
    if (GetParam().apart) apart_.emplace("TESSERA_EMULATED_APART", "1");
    engine_ = emulated_engine(GetParam().numbers);
    ASSERT_NE(engine_, nullptr);
    ASSERT_EQ(engine_->places(), static_cast<int>(GetParam().numbers.size()));
  }
  void prints_the_same(const synth::Program& program) {
    const std::string host = printed(program, nullptr);
    EXPECT_FALSE(host.empty());
    EXPECT_EQ(printed(program, engine_), host);
  }

  std::optional<Environment> apart_;
  std::shared_ptr<Engine> engine_;
};

INSTANTIATE_TEST_SUITE_P(Places, SeveralGpus,
                         testing::Values(Gpus{{0, 0}}, Gpus{{0, 1}}, Gpus{{0, 1}, true}, Gpus{{2, 0, 1}},
                                         Gpus{{0, 1, 2}, true}),
                         [](const auto& about) {
                           std::string name = about.param.apart ? "Apart" : "";
                           for (const int number : about.param.numbers) name += std::to_string(number);
                           return name;
                         });

// Memory of a place, filled from the host.
class PlaceMemory {
 public:
  PlaceMemory(Engine& engine, int place, const std::vector<std::byte>& bytes)
      : engine_(engine), pool_(engine.pool(place)), size_(static_cast<std::int64_t>(bytes.size())) {
    begin_ = pool_->take(size_);
    const TileView all = runtime::dense_view(ElementType::u8, {size_}, bytes.data());
    EXPECT_TRUE(engine_.write(all, {{1}, begin_}).ok());
    EXPECT_EQ(engine_.place_of(begin_), place);
  }
  ~PlaceMemory() { pool_->give_back(begin_, size_); }
  PlaceMemory(const PlaceMemory&) = delete;
  PlaceMemory& operator=(const PlaceMemory&) = delete;

  std::byte* begin() const { return begin_; }
  std::vector<std::byte> read() const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(size_));
    EXPECT_TRUE(engine_
                    .read(runtime::dense_view(ElementType::u8, {size_}, begin_),
                          TileOut{ElementType::u8, {size_}, bytes.data()})
                    .ok());
    return bytes;
  }

 private:
  Engine& engine_;
  std::shared_ptr<runtime::Pool> pool_;
  std::int64_t size_;
  std::byte* begin_ = nullptr;
};

// A box in a place's memory, and the same in the host's.
struct TwoBoxes {
  ElementType element = ElementType::f32;
  synth::Shape shape;
  Lying host;
  std::unique_ptr<PlaceMemory> there;

  TwoBoxes(Engine& engine, RandomTiles& random, ElementType type, const synth::Shape& extents, const LyingWays& ways)
      : element(type), shape(extents), host(lying(random, type, extents, ways)) {
    if (type != ElementType::u8) host.memory = random.numbers(type, host.memory.size());
    const int place = static_cast<int>(random.number(0, engine.places() - 1));
    there = std::make_unique<PlaceMemory>(engine, place, host.memory);
  }
  std::byte* at() const { return there->begin() + host.offset * synth::bytes_of(element); }
  TileView on_host() { return {element, shape, host.strides, host.begin(element)}; }
  TileView view() const { return {element, shape, host.strides, at()}; }
  TileTarget target() const { return {host.strides, at()}; }
  bool is_alike() const { return are_same(element, there->read(), host.memory); }
};

TEST_P(SeveralGpus, BoxesGoFromAnyToAny) {
  RandomTiles random(3);
  for (int turn = 0; turn < 12; ++turn) {
    std::vector<TwoBoxes> from;
    std::vector<TwoBoxes> to;
    for (int k = 0; k < 7; ++k) {
      const synth::Shape shape = random.shape(static_cast<std::size_t>(random.number(0, 4)), 300);
      const ElementType element = random.one_of<ElementType>({ElementType::u8, ElementType::f32, ElementType::f64});
      from.emplace_back(*engine_, random, element, shape, LyingWays{});
      to.emplace_back(*engine_, random, element, shape, LyingWays{true, true, false, false});
      runtime::copy_elements(from.back().on_host(), {to.back().host.strides, to.back().host.begin(element)});
    }
    const auto move = [&](std::int64_t i) -> BoxMove {
      return {from[static_cast<std::size_t>(i)].view(), to[static_cast<std::size_t>(i)].target()};
    };
    ASSERT_TRUE(engine_->copy(ItemList<BoxMove>(7, move)).ok());
    // What is copied is changed at once: the copies are of what was there before.
    const auto changed = [&](std::int64_t i) -> TileOut {
      const TwoBoxes& box = from[static_cast<std::size_t>(i)];
      return {ElementType::boolean, {static_cast<std::int64_t>(box.host.memory.size())}, box.there->begin()};
    };
    const std::byte zero{0};
    ASSERT_TRUE(engine_->fill(ItemList<TileOut>(7, changed), std::span(&zero, 1)).ok());
    for (const TwoBoxes& box : to) EXPECT_TRUE(box.is_alike());
  }
}

TEST_P(SeveralGpus, SumsHavePartsAnywhere) {
  RandomTiles random(4);
  for (int turn = 0; turn < 12; ++turn) {
    const ElementType element = random.one_of<ElementType>({ElementType::i32, ElementType::f32, ElementType::f64});
    std::vector<std::vector<TwoBoxes>> parts(3);
    std::vector<TwoBoxes> to;
    for (auto& of_one : parts) {
      const synth::Shape shape = random.shape(static_cast<std::size_t>(random.number(0, 3)), 300);
      for (std::int64_t k = random.number(1, 5); k-- > 0;)
        of_one.emplace_back(*engine_, random, element, shape, LyingWays{true, true, false, false});
      to.emplace_back(*engine_, random, element, shape, LyingWays{false, true, false, false});
      std::vector<TileView> here;
      for (TwoBoxes& part : of_one) here.push_back(part.on_host());
      runtime::combine_parts(synth::ReduceOp::sum, here, {to.back().host.strides, to.back().host.begin(element)});
    }
    const auto sum = [&](std::int64_t i) {
      BoxSum made{{}, to[static_cast<std::size_t>(i)].target()};
      for (const TwoBoxes& part : parts[static_cast<std::size_t>(i)]) made.parts.push_back(part.view());
      return made;
    };
    ASSERT_TRUE(engine_->combine(synth::ReduceOp::sum, ItemList<BoxSum>(3, sum)).ok());
    for (const TwoBoxes& box : to) EXPECT_TRUE(box.is_alike());
  }
}

// More than what is packed at once.
TEST_P(SeveralGpus, LargeBoxesGoInParts) {
  const std::int64_t rows = 1100;
  const std::int64_t columns = 16384;
  std::vector<std::byte> bytes(static_cast<std::size_t>(rows * columns * 4));
  for (std::size_t i = 0; i < bytes.size(); i += 64) bytes[i] = static_cast<std::byte>(i / 64 % 251);
  const PlaceMemory from(*engine_, 0, bytes);
  const PlaceMemory to(*engine_, 1, std::vector<std::byte>(bytes.size()));
  const auto move = [&](std::int64_t) -> BoxMove {
    return {runtime::dense_view(ElementType::f32, {rows, columns}, from.begin()), {{columns, 1}, to.begin()}};
  };
  ASSERT_TRUE(engine_->copy(ItemList<BoxMove>(1, move)).ok());
  EXPECT_TRUE(to.read() == bytes);
}

// Split arrays, sums of all devices, a loop, and changes of layout.
synth::Program program() {
  Builder b("x:6");
  const auto a = b.apply(synth::Iota{}, {}, "f32[12@x, 6]");
  const auto part = b.constant(runtime::test::Array<float>::scalar(0.3F), "f32[]");
  const auto less = b.apply(synth::Map{synth::MapOp::multiply}, {a, part}, "f32[12@x, 6]");
  const auto sums = b.apply(synth::Reduce{synth::ReduceKind::sum, {0, 1}}, {less}, "f32[]{+x}");
  b.effect(synth::Print{{{{}, 0}}}, {b.collect(synth::CollectiveKind::all_reduce, sums, "f32[]")});
  synth::Repeat repeat;
  repeat.count = b.number(5);
  repeat.index = b.reg("i64[]");
  repeat.initial = {less};
  repeat.parameters = {b.reg("f32[12@x, 6]")};
  b.into(&repeat.body);
  const auto across = b.collect(synth::CollectiveKind::all_to_all, repeat.parameters[0], "f32[12, 6@x]");
  const auto turned = b.apply(synth::Map{synth::MapOp::exp}, {across}, "f32[12, 6@x]");
  const auto back = b.collect(synth::CollectiveKind::all_to_all, turned, "f32[12@x, 6]");
  const auto turn = b.apply(synth::Map{synth::MapOp::cast}, {repeat.index}, "f32[]");
  const auto divided = b.apply(synth::Map{synth::MapOp::divide}, {back, less}, "f32[12@x, 6]");
  const auto rooted = b.apply(synth::Map{synth::MapOp::tanh}, {divided}, "f32[12@x, 6]");
  repeat.next = {b.apply(synth::Map{synth::MapOp::add}, {rooted, turn}, "f32[12@x, 6]")};
  repeat.results = {b.reg("f32[12@x, 6]")};
  const auto result = repeat.results[0];
  b.into(nullptr);
  b.add(std::move(repeat));
  b.effect(synth::Print{{{{}, 0}}}, {b.collect(synth::CollectiveKind::all_gather, result, "f32[12, 6]")});
  const auto pending = b.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {result}, "f32[6]{+x}");
  const auto scattered = b.collect(synth::CollectiveKind::reduce_scatter, pending, "f32[6@x]");
  b.effect(synth::Print{{{{}, 0}}}, {scattered});
  b.output(result);
  return b.program();
}

TEST_P(SeveralGpus, ProgramsPrintTheSame) { prints_the_same(program()); }

// Recurrences along whole dimensions stay on the GPUs; one along a split dimension goes from tile to tile on the host.
TEST_P(SeveralGpus, RecurrencesAreTheHosts) {
  for (const bool is_split : {false, true}) {
    Builder b("x:6");
    const char* const type = is_split ? "f32[7, 19@x]" : "f32[7@x, 19]";
    const auto values = b.apply(synth::Iota{}, {}, type);
    const auto third = b.constant(runtime::test::Array<float>::scalar(0.3F), "f32[]");
    const auto less = b.apply(synth::Map{synth::MapOp::multiply}, {values, third}, type);
    const auto factors = b.apply(synth::Map{synth::MapOp::tanh}, {less}, type);
    const auto along = b.apply(synth::Recur{1, false}, {factors, less}, type);
    const auto back = b.apply(synth::Recur{1, true}, {third, along}, type);
    for (const auto of : {along, back})
      b.effect(synth::Print{{{{}, 0}}}, {b.collect(synth::CollectiveKind::all_gather, of, "f32[7, 19]")});
    prints_the_same(b.program());
    Recorder recorder;
    recorder.world.engine = engine_;
    const auto outcome = runtime::run(b.program(), {}, recorder.world);
    ASSERT_TRUE(outcome.ok());
    EXPECT_EQ(outcome->host_steps.empty(), !is_split);
  }
}

// A mesh of fewer devices than GPUs: some have none.
TEST_P(SeveralGpus, SomeMayHaveNothingToDo) {
  Builder b("x:1");
  const auto a = b.apply(synth::Iota{}, {}, "f32[5]");
  b.effect(synth::Print{{{{}, 0}}}, {b.apply(synth::Map{synth::MapOp::exp}, {a}, "f32[5]")});
  prints_the_same(b.program());
}

// The second GPU's index is the program's first mistake, though the first GPU finds one of its own.
TEST_P(SeveralGpus, TheFirstFailureIsTheProgramsFirst) {
  Builder b("x:6");
  const auto table = b.apply(synth::Iota{}, {}, "f32[4, 2]");
  const auto last = b.constant(runtime::test::Array<std::int64_t>({6}, {3, 1, 0, 2, 1, 9}), "i64[6@x]");
  const auto first = b.constant(runtime::test::Array<std::int64_t>({6}, {7, 1, 0, 2, 1, 8}), "i64[6@x]");
  const auto one = b.apply(synth::Take{}, {table, last}, "f32[6@x, 2]");
  const auto two = b.apply(synth::Take{}, {table, first}, "f32[6@x, 2]");
  const auto both = b.apply(synth::Map{synth::MapOp::add}, {one, two}, "f32[6@x, 2]");
  b.effect(synth::Print{{{{}, 0}}}, {b.collect(synth::CollectiveKind::all_gather, both, "f32[6, 2]")});
  Recorder recorder;
  recorder.world.engine = engine_;
  const auto host = runtime::test::run_badly(b.program());
  for (int time = 0; time < 2; ++time) {
    const auto there = runtime::run(b.program(), {}, recorder.world);
    ASSERT_FALSE(there.ok());
    EXPECT_EQ(there.errors().front().message, host.message);
    EXPECT_EQ(there.errors().front().origin, host.origin);
  }
  EXPECT_EQ(recorder.written, "");
  prints_the_same(program());
}

// Values of a run whose devices were dealt otherwise are brought to where they are now.
TEST_P(SeveralGpus, ValuesFollowTheirDevices) {
  Builder b("x:2");
  b.output(b.apply(synth::Iota{}, {}, "f32[70000@x]"));
  Recorder recorder;
  recorder.world.engine = engine_;
  auto made = runtime::run(b.program(), {}, recorder.world);
  ASSERT_TRUE(made.ok());
  Builder c("x:2");
  const auto input = c.input("f32[70000@x]");
  const auto sums = c.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {input}, "f32[]{+x}");
  c.effect(synth::Print{{{{}, 0}}}, {c.collect(synth::CollectiveKind::all_reduce, sums, "f32[]")});
  std::string once;
  for (const std::int64_t devices : {2, 6, 12, 2}) {
    recorder.written.clear();
    recorder.world.devices = devices;
    ASSERT_TRUE(runtime::run(c.program(), made->outputs, recorder.world).ok());
    if (once.empty()) once = recorder.written;
    EXPECT_EQ(recorder.written, once);
  }
}

TEST_P(SeveralGpus, EachHasMemoryOfItsOwn) {
  const bool is_one_card = GetParam().numbers[0] == GetParam().numbers[1];
  const std::int64_t limit = engine_->memory_bytes_max(0);
  EXPECT_LE(engine_->memory_bytes_max(1), is_one_card ? limit + (1 << 20) : limit);
  if (is_one_card) {
    EXPECT_LT(2 * limit, std::int64_t{512} << 20U);
  }
  EXPECT_EQ(engine_->name(1), "GPU " + std::to_string(GetParam().numbers[1]) + " (Emulated GPU)");
}

TEST(SeveralGpusMemory, IsThatOfAll) {
  Builder b("x:2");
  const auto a = b.apply(synth::Iota{}, {}, "f32[15000000@x]");
  const auto sums = b.apply(synth::Reduce{synth::ReduceKind::sum, {0}}, {a}, "f32[]{+x}");
  b.effect(synth::Print{{{{}, 0}}}, {b.collect(synth::CollectiveKind::all_reduce, sums, "f32[]")});
  b.output(a);
  for (const std::vector<int>& gpus : {std::vector<int>{0}, {0, 0}, {0, 1}}) {
    GpuRequest request = emulated_request(gpus);
    request.memory_bytes = std::int64_t{48} << 20U;
    Recorder recorder;
    recorder.world.engine = *open_gpus(request);
    const auto outcome = runtime::run(b.program(), {}, recorder.world);
    ASSERT_EQ(outcome.ok(), gpus.back() == 1);
    if (outcome.ok()) continue;
    EXPECT_EQ(outcome.errors().front().kind, runtime::Kind::out_of_memory_plan);
    EXPECT_NE(outcome.errors().front().message.find(" of GPU 0 (Emulated GPU)"), std::string::npos)
        << outcome.errors().front().message;
  }
}

// One call after the other fails: words come of it, or the right output, and the next engine is a good one.
TEST_P(SeveralGpus, AnyCallMayFail) {
  const std::string host = printed(program(), nullptr);
  engine_ = nullptr;
  int failures = 0;
  for (int n = 1; n <= 400; n += n < 40 ? 1 : 29) {
    Recorder recorder;
    const Environment failing("TESSERA_EMULATED_FAILURE", "*:" + std::to_string(n) + (n % 2 == 0 ? ":700" : ":701"));
    auto engine = open_gpus(emulated_request(GetParam().numbers));
    if (!engine.ok()) {
      EXPECT_TRUE(is_of_a_gpu(engine.errors().front())) << engine.errors().front().message;
      continue;
    }
    recorder.world.engine = *std::move(engine);
    const auto outcome = runtime::run(program(), {}, recorder.world);
    if (outcome.ok()) {
      EXPECT_EQ(recorder.written, host) << n;
      continue;
    }
    ++failures;
    EXPECT_TRUE(is_of_a_gpu(outcome.errors().front())) << n << outcome.errors().front().message;
  }
  EXPECT_GE(failures, 5);
  engine_ = emulated_engine(GetParam().numbers);
  EXPECT_EQ(printed(program(), engine_), host);
}

// What lies on the other GPU can still be read.
TEST(SeveralGpusLost, OneIsLostTheOtherIsNot) {
  const auto engine = emulated_engine({0, 1});
  ASSERT_NE(engine, nullptr);
  const std::vector<std::byte> bytes(1000, std::byte{7});
  const PlaceMemory first(*engine, 0, bytes);
  const PlaceMemory second(*engine, 1, bytes);
  {
    // The first wait is that of the other GPU.
    const Environment failing("TESSERA_EMULATED_FAILURE", "cuStreamSynchronize:1:700");
    std::vector<std::byte> read(1000);
    const TileOut to{ElementType::u8, {1000}, read.data()};
    const auto lost = engine->read(runtime::dense_view(ElementType::u8, {1000}, first.begin()), to);
    ASSERT_FALSE(lost.ok());
    EXPECT_EQ(lost.errors().front().kind, runtime::Kind::gpu_lost);
    EXPECT_FALSE(engine->is_lost(0));
    EXPECT_TRUE(engine->is_lost(1));
  }
  EXPECT_EQ(first.read(), bytes);
}

}  // namespace
}  // namespace tessera::device
