// Memory of the host's that arrays read, arrays that the host reads in place, and what a session may keep.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <tessera/function.hpp>
#include <vector>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

std::vector<float> first_numbers(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

Session on_four() {
  Session session;
  EXPECT_TRUE(succeeded(session.run("mesh m = [x: 2, y: 2]\n")));
  return session;
}

TEST(Memory, IsReadWhereTheHostHasIt) {
  Session session = on_four();
  auto keep = std::make_shared<std::vector<float>>(first_numbers(40));
  const std::weak_ptr<std::vector<float>> watched = keep;
  auto array = session.array("f32[10@x, 4]", {keep->data()}, keep);
  ASSERT_TRUE(succeeded(array));
  EXPECT_TRUE(array->borrowed());
  EXPECT_EQ(array->type(), "f32[10@x, 4]");
  EXPECT_EQ(array->to_vector<float>().value(), first_numbers(40));
  const auto view = array->view(2);
  ASSERT_TRUE(succeeded(view));
  EXPECT_EQ(static_cast<const void*>(view->data), keep->data() + 20);
  EXPECT_EQ(view->shape, (std::vector<std::int64_t>{5, 4}));
  EXPECT_EQ(view->strides_bytes, (std::vector<std::int64_t>{16, 4}));
  EXPECT_EQ(view->box, (Box{{5, 10}, {0, 4}}));
  // Kept by the session, its fork and what they make of it; then let go.
  keep.reset();
  ASSERT_TRUE(succeeded(session.set("a", *array)));
  array = Diagnostics{};
  ASSERT_TRUE(succeeded(session.run("let b = a\nlet s = sum(a)\n")));
  EXPECT_EQ(session.get("s")->to_vector<float>().value(), std::vector<float>{780});
  EXPECT_FALSE(watched.expired());
  {
    Session fork = session.fork();
    session = Session();
    EXPECT_EQ(fork.get("b")->to_vector<float>().value(), first_numbers(40));
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

TEST(Memory, ThatIsNotDenseIsCopied) {
  Session session = on_four();
  const std::vector<float> values = first_numbers(24);
  // The transpose of a 6 x 4 matrix, split over its columns.
  const auto array = session.array("f32[4, 6@(x,y)]", {values.data(), {4, 16}}, nullptr);
  ASSERT_TRUE(succeeded(array));
  EXPECT_FALSE(array->borrowed());
  std::vector<float> expected;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 6; ++column) expected.push_back(static_cast<float>(column * 4 + row));
  }
  EXPECT_EQ(array->to_vector<float>().value(), expected);
}

TEST(Memory, ThatIsNotAlignedIsCopied) {
  Session session = on_four();
  std::vector<std::byte> bytes(41);
  const std::vector<float> values = first_numbers(10);
  std::memcpy(bytes.data() + 1, values.data(), 40);
  const auto array = session.array("f32[10]", {bytes.data() + 1}, nullptr);
  ASSERT_TRUE(succeeded(array));
  EXPECT_FALSE(array->borrowed());
  EXPECT_EQ(array->to_vector<float>().value(), values);
}

TEST(Memory, OfEachDeviceMayLieAnywhere) {
  Session session = on_four();
  const std::vector<std::vector<float>> parts = {{1, 2}, {30, 40}, {5, 6}, {70, 80}};
  std::vector<HostMemory> tiles;
  for (const auto& part : parts) tiles.push_back({part.data()});
  const auto split = session.borrow("f32[8@(x,y)]", tiles, nullptr);
  ASSERT_TRUE(succeeded(split));
  EXPECT_EQ(split->to_vector<float>().value(), (std::vector<float>{1, 2, 30, 40, 5, 6, 70, 80}));
  // The contributions of a pending sum.
  const auto pending = session.borrow("f32[4@x]{+y}", tiles, nullptr);
  ASSERT_TRUE(succeeded(pending));
  EXPECT_EQ(pending->to_vector<float>().value(), (std::vector<float>{31, 42, 75, 86}));
  EXPECT_EQ(slug_of(session.array("f32[4@x]{+y}", {parts[0].data()}, nullptr).diagnostics()), "bad-call");
}

TEST(Memory, IsRefusedWhereItDoesNotFit) {
  Session session = on_four();
  const std::vector<float> values = first_numbers(16);
  const std::vector<std::uint8_t> bools = {0, 1, 2, 1};
  EXPECT_EQ(slug_of(session.borrow("f32[8@x]", {{values.data()}}, nullptr).diagnostics()), "bad-call");
  EXPECT_EQ(slug_of(session.array("f32[4, 4]", {values.data(), {16}}, nullptr).diagnostics()), "bad-call");
  EXPECT_EQ(slug_of(session.array("f32[4, 4]", {values.data(), {16, 3}}, nullptr).diagnostics()), "bad-call");
  EXPECT_EQ(slug_of(session.array("f32[4]", {nullptr}, nullptr).diagnostics()), "bad-call");
  EXPECT_EQ(slug_of(session.array("bool[4]", {bools.data()}, nullptr).diagnostics()), "bad-call");
  EXPECT_EQ(slug_of(session.array("f32[4@z]", {values.data()}, nullptr).diagnostics()), "unknown-axis");
  EXPECT_TRUE(succeeded(session.array("f32[0@x]", {nullptr}, nullptr)));
}

TEST(Memory, IsFilledWithStrides) {
  Session session = on_four();
  ASSERT_TRUE(succeeded(session.run("let a = iota(f32[5@x, 3@y])\nlet p = iota(f32[4]{+x})\n")));
  const Array a = session.get("a").value();
  std::vector<float> dense(15, -1);
  ASSERT_TRUE(succeeded(a.copy_to(dense.data())));
  EXPECT_EQ(dense, first_numbers(15));
  std::vector<float> columns(15, -1);
  ASSERT_TRUE(succeeded(a.copy_to(columns.data(), {4, 20})));
  for (std::size_t row = 0; row < 5; ++row) {
    for (std::size_t column = 0; column < 3; ++column) EXPECT_EQ(columns[column * 5 + row], dense[row * 3 + column]);
  }
  std::vector<float> sums(4, -1);
  ASSERT_TRUE(succeeded(session.get("p")->copy_to(sums.data())));
  EXPECT_EQ(sums, first_numbers(4));
  EXPECT_EQ(slug_of(a.copy_to(dense.data(), {4}).diagnostics()), "bad-call");
  EXPECT_EQ(slug_of(a.copy_to(reinterpret_cast<std::byte*>(dense.data()) + 1).diagnostics()), "bad-call");
  EXPECT_EQ(slug_of(a.copy_to(nullptr).diagnostics()), "bad-call");
  EXPECT_EQ(slug_of(a.view(4).diagnostics()), "bad-call");
  EXPECT_EQ(slug_of(a.view(-1).diagnostics()), "bad-call");
}

TEST(Memory, ThatASessionKeepsIsBounded) {
  Config config;
  config.memory_bytes_max = std::int64_t{64} << 20U;
  Session session(config);
  const auto text = [](int number) { return "let a" + std::to_string(number) + " = iota(f32[8000000])\n"; };
  EXPECT_TRUE(succeeded(session.run(text(1))));
  EXPECT_TRUE(succeeded(session.run(text(2))));
  for (int number = 3; number <= 40; ++number)
    EXPECT_EQ(slug_of(session.run(text(number)).diagnostics()), "out-of-memory-plan");
  EXPECT_EQ(slug_of(session.set("b", std::vector<float>(8000000), {8000000}).diagnostics()), "out-of-memory-plan");
  // A value whose name is bound again is kept no longer.
  ASSERT_TRUE(succeeded(session.run("let a1 = 0\n")));
  EXPECT_TRUE(succeeded(session.run(text(3))));
}

TEST(Misuse, ACallbackCannotChangeItsOwnSession) {
  Session* running = nullptr;
  std::vector<std::string> slugs;
  Config config;
  config.output = [&](std::string_view) {
    slugs.push_back(slug_of(running->run("let lost = 1\n").diagnostics()));
    slugs.push_back(slug_of(running->check("let lost = 1\n").diagnostics()));
    slugs.push_back(slug_of(running->set("lost", std::vector<float>{1}, {}).diagnostics()));
    slugs.push_back(slug_of(running->function("f").diagnostics()));
    EXPECT_TRUE(running->get("before").ok());
    EXPECT_TRUE(running->fork().run("let own = before\n").ok());
  };
  Session session(config);
  running = &session;
  ASSERT_TRUE(succeeded(session.run("let before = 1\nfn f(a: f32) = a\n")));
  ASSERT_TRUE(succeeded(session.run("print before\nlet after = 2\n")));
  EXPECT_EQ(slugs, std::vector<std::string>(4, "bad-call"));
  EXPECT_FALSE(session.get("lost").ok());
  EXPECT_TRUE(succeeded(session.run("let again = after\n")));
}

TEST(Misuse, AnExceptionOfACallbackLeavesTheSessionUsable) {
  Config config;
  config.output = [](std::string_view) { throw 7; };
  Session session(config);
  EXPECT_THROW(static_cast<void>(session.run("print 1\n")), int);
  EXPECT_TRUE(succeeded(session.run("let a = 1\n")));
}

}  // namespace
}  // namespace tessera
