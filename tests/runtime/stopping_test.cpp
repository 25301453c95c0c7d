// Kernels that walk long by themselves end when the work is given up, and leave the rest of the memory alone.
#include "runtime/execute/stopping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "runtime/io/npy.hpp"
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

TEST(Stopping, ACumsumAlongOneLine) {
  const auto in = counting<std::int64_t>(Shape{kLong});
  auto out = untouched();
  when_given_up([&] { cumsum(in.view(), 0, out.out()); });
  EXPECT_EQ(out.values(), untouched().values());
  cumsum(in.view(), 0, out.out());
  EXPECT_EQ(out[kLong - 1], kLong * (kLong - 1) / 2);
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
