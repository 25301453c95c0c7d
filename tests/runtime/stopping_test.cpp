// Kernels that walk long by themselves end when the work is given up, and leave the rest of the memory alone.
#include "runtime/execute/stopping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "runtime/io/npy.hpp"
#include "runtime/kernels/contract.hpp"
#include "runtime/kernels/given_up.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/kernels/take.hpp"
#include "runtime/memory/plan.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

constexpr std::int64_t kLong = 1'000'000;

// Calls f once the work around it has been given up.
void when_given_up(const std::function<void()>& f) {
  const std::atomic<bool> stop = true;
  const base::Status done = run_stoppable(&stop, [&](const BeginWatch& watch) -> base::Status {
    watch();
    while (!is_given_up()) std::this_thread::yield();
    f();
    return base::Done{};
  });
  EXPECT_TRUE(done.ok());
}

Array<std::int64_t> untouched() { return Array<std::int64_t>(Shape{kLong}, std::vector<std::int64_t>(kLong, -7)); }

TEST(Stopping, AScanAlongOneLine) {
  const auto in = counting<std::int64_t>(Shape{kLong});
  auto out = untouched();
  when_given_up([&] { scan(synth::ReduceOp::sum, in.view(), 0, out.out()); });
  EXPECT_EQ(out.values(), untouched().values());
  scan(synth::ReduceOp::sum, in.view(), 0, out.out());
  EXPECT_EQ(out[kLong - 1], kLong * (kLong - 1) / 2);
}

// Views that repeat one element so often that nobody waits for the end: each ends soon after it has been given up.
void expect_ends_soon(const std::function<void()>& f) {
  constexpr auto kBefore = std::chrono::milliseconds(40);
  constexpr auto kSoon = std::chrono::milliseconds(200);
  auto least = std::chrono::steady_clock::duration::max();
  for (int tries = 0; tries < 5 && least > kSoon; ++tries) {
    std::atomic<bool> stop = false;
    std::chrono::steady_clock::time_point stopped;
    std::thread stopper([&] {
      std::this_thread::sleep_for(kBefore);
      stopped = std::chrono::steady_clock::now();
      stop = true;
    });
    const base::Status done = run_stoppable(&stop, [&](const BeginWatch& watch) -> base::Status {
      watch();
      EXPECT_NO_THROW(f());
      EXPECT_TRUE(stop) << "it has come to an end";
      return base::Done{};
    });
    const auto ended = std::chrono::steady_clock::now();
    stopper.join();
    EXPECT_TRUE(done.ok());
    least = std::min(least, ended - stopped);
  }
  EXPECT_LE(least, kSoon);
}

TEST(Stopping, ReductionsOfVeryMany) {
  constexpr std::int64_t kVeryMany = std::int64_t{1} << 42U;
  const auto one = counting<float>(Shape{16});
  const auto whole = counting<std::int64_t>(Shape{16});
  Array<float> out(Shape{16});
  Array<std::int64_t> positions(Shape{});
  const std::uint8_t first[] = {0};
  for (const std::int64_t columns : {1, 16}) {
    const TileView rows{ElementType::f32, Shape{kVeryMany, columns}, Shape{0, 1}, one.bytes.data()};
    expect_ends_soon([&] {
      reduce(synth::ReduceKind::sum, rows, first, TileOut{ElementType::f32, Shape{columns}, out.bytes.data()});
    });
  }
  const TileView line{ElementType::f32, Shape{kVeryMany}, Shape{0}, one.bytes.data()};
  const TileView numbers{ElementType::i64, Shape{kVeryMany}, Shape{0}, whole.bytes.data()};
  for (const TileView& view : {line, numbers}) {
    expect_ends_soon([&] { arg_reduce(true, view, first, positions.out()); });
    expect_ends_soon(
        [&] { reduce(synth::ReduceKind::product, view, first, TileOut{view.element, Shape{}, out.bytes.data()}); });
  }
}

TEST(Stopping, EinsteinSumsOfVeryManyTerms) {
  constexpr std::int64_t kVeryMany = std::int64_t{1} << 20U;
  const auto one = counting<float>(Shape{16});
  const auto whole = counting<std::int64_t>(Shape{16});
  Array<float> out(Shape{16, 16});
  Array<std::int64_t> sums(Shape{16, 16});
  const auto line = [&](ElementType element, const std::byte* data, std::int64_t results) {
    return TileView{element, Shape{kVeryMany, kVeryMany, results}, Shape{0, 0, 1}, data};
  };
  const synth::Contract of_one{{{0, 1, 2}}, {2}};
  const synth::Contract of_two{{{0, 1, 2}, {0, 1, 2}}, {2}};
  const synth::Contract of_three{{{0, 1, 2}, {0, 1, 2}, {1, 0, 2}}, {2}};
  const synth::Contract product{{{0, 1, 2}, {0, 1, 3}}, {2, 3}};
  for (const std::int64_t results : {1, 16}) {
    for (const synth::Contract& how : {of_one, of_two, of_three, product}) {
      const Shape shape = how.result_indices.size() == 1 ? Shape{results} : Shape{results, results};
      const std::vector<TileView> floats(how.operand_indices.size(), line(ElementType::f32, one.bytes.data(), results));
      const std::vector<TileView> integers(how.operand_indices.size(),
                                           line(ElementType::i64, whole.bytes.data(), results));
      expect_ends_soon([&] { contract(how, floats, TileOut{ElementType::f32, shape, out.bytes.data()}); });
      expect_ends_soon([&] { contract(how, integers, TileOut{ElementType::i64, shape, sums.bytes.data()}); });
    }
  }
}

TEST(Stopping, TakingRows) {
  const auto table = counting<std::int64_t>(Shape{10});
  const Array<std::int64_t> ids(Shape{kLong}, std::vector<std::int64_t>(kLong, 1'000));  // outside, if anybody looked
  auto out = untouched();
  when_given_up([&] { EXPECT_FALSE(take(table.view(), 0, 10, ids.view(), out.out()).has_value()); });
  EXPECT_EQ(out.values(), untouched().values());
  EXPECT_TRUE(take(table.view(), 0, 10, ids.view(), out.out()).has_value());
}

TEST(Stopping, LoadingAndSaving) {
  const Folder folder;
  const auto array = counting<std::int64_t>(Shape{kLong});
  const auto fill = [&](const synth::Box& box, const TileOut& out) {
    std::copy_n(array.bytes.data() + box[0].begin * 8, box[0].length() * 8, out.data);
  };
  const FilePolicy anywhere{FilePolicy::Kind::allowed, ""};
  const std::atomic<bool> stop = true;
  const auto element = ElementType::i64;
  const auto stopped = save_npy(anywhere, folder / "a.npy", element, array.shape, fill, base::StopToken(&stop));
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.errors()[0].kind, base::Kind::interrupted);
  EXPECT_TRUE(folder.names().empty());
  ASSERT_TRUE(save_npy(anywhere, folder / "a.npy", element, array.shape, fill).ok());
  const auto reader = NpyReader::open(anywhere, folder / "a.npy", element, array.shape);
  ASSERT_TRUE(reader.ok());
  auto out = untouched();
  when_given_up([&] { EXPECT_TRUE(reader->read(synth::whole(array.shape), out.out()).ok()); });
  EXPECT_EQ(out.values(), untouched().values());
}

TEST(Stopping, PlanningTheMemory) {
  Builder builder("");
  builder.output(builder.apply(synth::Iota{}, {}, "f32[4]"));
  const TileMaps tiles(builder.program());
  const std::atomic<bool> stop = true;
  EXPECT_THROW(plan_memory(builder.program(), tiles, base::StopToken(&stop)), base::Interrupted);
}

}  // namespace
}  // namespace tessera::runtime::test
