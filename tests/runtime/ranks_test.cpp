// The parts that several ranks need, in one process: who has which device, the region, diagnostics as bytes, a team
// whose messages fail. Real teams are tested in tests/mpi.
#include <gtest/gtest.h>
#include <poll.h>
#include <rapidcheck/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "runtime/kinds.hpp"
#include "runtime/memory/device_ranks.hpp"
#include "runtime/ranks/diagnostic_bytes.hpp"
#include "runtime/ranks/launcher_watch.hpp"
#include "runtime/ranks/parts.hpp"
#include "runtime/ranks/region.hpp"
#include "runtime/ranks/team.hpp"

namespace tessera::runtime {
namespace {

TEST(ExampleOf, DeviceRanks) {
  const DeviceRanks ranks(4, 8);
  for (std::int64_t device = 0; device < 8; ++device) EXPECT_EQ(ranks.owner(device), device / 2);
  const synth::MeshRef mesh = *synth::Mesh::make_on({{"x", 3}}, {{2, 5}});
  for (std::int64_t number = 0; number < 3; ++number) EXPECT_EQ(ranks.owner(*mesh, number), number < 2 ? 1 : 2);
}

RC_GTEST_PROP(DeviceRanks, GiveEveryDeviceToOneRankInOrder, ()) {
  const auto ranks = *rc::gen::inRange(1, 40);
  const auto devices = *rc::gen::inRange<std::int64_t>(1, 100);
  const DeviceRanks dealt(ranks, devices);
  std::int64_t next = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const Block block = dealt.block(rank);
    RC_ASSERT(block.begin == next);
    RC_ASSERT(block.size() >= devices / ranks && block.size() <= (devices + ranks - 1) / ranks);
    for (std::int64_t device = block.begin; device < block.end; ++device) RC_ASSERT(dealt.owner(device) == rank);
    next = block.end;
  }
  RC_ASSERT(next == devices);
  RC_ASSERT(dealt.owner(0) == 0);
}

// The first devices of a run lie where they lie in arrays on all of them.
RC_GTEST_PROP(DeviceRanks, GiveADeviceToTheSameRankInEveryMesh, ()) {
  const auto ranks = *rc::gen::inRange(1, 40);
  const auto devices = *rc::gen::inRange<std::int64_t>(1, 100);
  const auto count = *rc::gen::inRange<std::int64_t>(1, devices + 1);
  const DeviceRanks dealt(ranks, devices);
  for (std::int64_t device = 0; device < devices; ++device)
    RC_ASSERT(dealt.block(dealt.owner(device), count).holds(device) == (device < count));
}

TEST(PartMap, LaysOutWhatARankHas) {
  const std::vector<std::int64_t> bytes = {100, 200, 300, 400};
  const PartMap map(DeviceRanks(2, 4), bytes);
  EXPECT_EQ(map.offset(0, 0), 0);
  EXPECT_EQ(map.offset(0, 1), 128);
  EXPECT_EQ(map.arena_bytes(0), 128 + 256);
  EXPECT_EQ(map.offset(1, 2), 0);
  EXPECT_EQ(map.offset(1, 3), 320);
  EXPECT_EQ(map.arena_bytes(1), 320 + 448);
}

TEST(PartMap, HasNothingForDevicesThatNeedNothing) {
  const std::vector<std::int64_t> bytes(3, 64);
  const PartMap map(DeviceRanks(2, 8), bytes);  // a run of eight devices, of which this program has three
  EXPECT_EQ(map.offset(0, 2), 2 * 64);
  EXPECT_EQ(map.arena_bytes(0), 3 * 64);
  EXPECT_EQ(map.arena_bytes(1), 0);
}

TEST(DiagnosticBytes, AreReadBackAsTheyWere) {
  base::Diagnostic first = base::make(Kind::assertion_failed, "no\nwonder").from_step(7);
  first =
      std::move(first).at(base::Span{base::SourceId{3}, 10, 20}, "here").also(base::Span{}, "").suggest("try again");
  const base::Diagnostics given = {first, base::make(base::Kind::interrupted)};
  const base::Diagnostics back = diagnostics_from(to_bytes(given));
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(back[0].kind, Kind::assertion_failed);
  EXPECT_EQ(back[0].message, "no\nwonder");
  EXPECT_EQ(back[0].help, "try again");
  EXPECT_EQ(back[0].origin, 7U);
  ASSERT_EQ(back[0].labels.size(), 2U);
  EXPECT_EQ(back[0].labels[0].span, first.labels[0].span);
  EXPECT_EQ(back[0].labels[0].text, "here");
  EXPECT_TRUE(back[0].labels[0].primary);
  EXPECT_FALSE(back[1].origin.has_value());
}

TEST(Region, IsSeenByBothSides) {
  const auto mine = Region::create(2);
  ASSERT_NE(mine, nullptr);
  const auto other = Region::open(mine->address(), 2, 1);
  ASSERT_NE(other, nullptr);
  std::byte* const given = other->take(5000);
  ASSERT_NE(given, nullptr);
  std::memset(given, 42, 5000);
  const std::byte* const seen = mine->at(1, other->offset_of(given));
  EXPECT_NE(seen, given);
  EXPECT_EQ(seen[4999], std::byte{42});
  other->line(1).arrived.store(9);
  EXPECT_EQ(mine->line(1).arrived.load(), 9);
  EXPECT_EQ(mine->failed_step().load(), kNever);
}

// Rank 3 is gone, rank 2 ends because of it, and rank 0 finds rank 2 gone before it looks for rank 3.
TEST(Region, NamesTheRankThatWasLostFirst) {
  const auto mine = Region::create(2);
  ASSERT_NE(mine, nullptr);
  const auto other = Region::open(mine->address(), 2, 1);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->first_lost(3), 3);
  EXPECT_EQ(mine->first_lost(2), 3);
  EXPECT_EQ(other->first_lost(0), 3);
}

// Its first pages are kept for the next who asks; what lies beyond an eighth of the memory is forgotten.
TEST(Region, KeepsItsFirstPagesOnly) {
  const auto region = Region::create(1);
  ASSERT_NE(region, nullptr);
  std::byte* const first = region->take(4096);
  const std::int64_t most = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  std::byte* const between = region->take(most);
  std::byte* const last = region->take(4096);
  ASSERT_NE(last, nullptr);
  EXPECT_NE(first, last);
  for (std::byte* const page : {first, between + most - 1, last}) *page = std::byte{1};
  region->give_back(last, 4096);
  EXPECT_EQ(region->take(4096), last);
  EXPECT_EQ(*last, std::byte{0});
  region->give_back(between, most);
  EXPECT_EQ(region->take(most), between);
  EXPECT_EQ(between[most - 1], std::byte{0});
  region->give_back(first, 4096);
  EXPECT_EQ(region->take(4096), first);
  EXPECT_EQ(*first, std::byte{1});
}

// The next arena has the pages of what a value's arena does not need any more, and only those.
TEST(Region, HandsOutPartsOfAnArenaThatAreGivenBackEarly) {
  const auto region = Region::create(1);
  ASSERT_NE(region, nullptr);
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  const std::vector<std::int64_t> eight_pages = {8 * page};
  auto arena = *Arena::reserve(eight_pages, region);
  std::byte* const first = arena->part(0);
  first[0] = std::byte{1};
  first[5 * page] = std::byte{5};
  arena->release_all_but({{first + 5 * page, page}});
  std::byte* const again = region->take(5 * page);
  EXPECT_EQ(again, first);
  EXPECT_EQ(again[0], std::byte{1});
  arena = nullptr;
  EXPECT_EQ(again[0], std::byte{1});
  std::byte* const rest = region->take(3 * page);
  EXPECT_EQ(rest, first + 5 * page);
  EXPECT_EQ(*rest, std::byte{5});
}

TEST(Region, RefusesWhatIsNoRegion) {
  const auto region = Region::create(2);
  ASSERT_NE(region, nullptr);
  Region::Address address = region->address();
  ++address.secret;
  EXPECT_EQ(Region::open(address, 2, 1), nullptr);
  EXPECT_EQ(Region::open({address.process, 1'000'000, 0}, 2, 1), nullptr);
  EXPECT_EQ(region->take(std::int64_t{1} << 62U), nullptr);
  EXPECT_NE(region->take(64), nullptr);
}

// Two ranks, of which the other is never heard of.
class BrokenMessenger final : public Messenger {
 public:
  int rank() const override { return 0; }
  int size() const override { return 2; }
  const std::vector<int>& machines() const override { return machines_; }
  void begin_sharing(std::span<const std::byte>, std::span<std::byte>) override {
    throw MessagesFailed{"the wire is cut"};
  }
  bool is_shared() override { return false; }
  void begin_messages(std::span<const Incoming>, std::span<const Outgoing>) override {}
  bool is_done(std::int64_t) override { return false; }
  std::int64_t begin_beside(std::span<const Incoming>, std::span<const Outgoing>) override { return 0; }
  bool is_done_beside(std::int64_t) override { return false; }
  bool serves_threads() const override { return false; }
  void send_notice(std::int64_t, const std::vector<int>&) override {}
  std::optional<std::int64_t> noticed() override { return std::nullopt; }
  void settle(const std::vector<int>&) override {}

 private:
  std::vector<int> machines_ = {0, 1};
};

TEST(Team, SaysWhenMessagesFail) {
  const auto team = Team::meet(std::make_unique<BrokenMessenger>(), MemorySharing::wanted);
  ASSERT_FALSE(team.ok());
  EXPECT_EQ(team.errors().front().kind, Kind::mpi_failed);
  EXPECT_NE(team.errors().front().message.find("the wire is cut"), std::string::npos);
}

TEST(Team, AloneAgreesWithItself) {
  Team alone;
  const auto words = alone.agree_on(base::Done{}, {1, 2});
  ASSERT_TRUE(words.ok());
  EXPECT_EQ((*words)[0], (Team::Words{1, 2}));
  EXPECT_FALSE(alone.agree(base::make(base::Kind::interrupted), {0, 0}).ok());
}

// A launcher that starts a rank and ends as soon as the rank watches it. The rank keeps the pipe open until it ends.
void launch_and_leave(int to_test) {
  std::array<int, 2> ready = {-1, -1};
  if (pipe(ready.data()) != 0) _exit(1);
  if (fork() == 0) {
    end_with_launcher(3);
    (void)!write(ready[1], "r", 1);
    while (true) pause();
  }
  close(to_test);
  char byte = 0;
  (void)!read(ready[0], &byte, 1);
  _exit(0);
}

TEST(LauncherWatch, EndsARankWhoseLauncherIsGone) {
  std::array<int, 2> ends = {-1, -1};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t launcher = fork();
  if (launcher == 0) launch_and_leave(ends[1]);
  close(ends[1]);
  EXPECT_EQ(waitpid(launcher, nullptr, 0), launcher);
  struct pollfd closed = {ends[0], POLLIN, 0};
  EXPECT_EQ(poll(&closed, 1, 20'000), 1) << "the rank is still there";
  close(ends[0]);
}

}  // namespace
}  // namespace tessera::runtime
