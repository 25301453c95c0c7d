// Values between host and session.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

template <class T>
std::vector<T> round_trip(const std::vector<T>& values, const std::vector<std::int64_t>& shape) {
  Session session;
  EXPECT_TRUE(succeeded(session.set("a", values, shape)));
  const Array array = session.get("a").value();
  EXPECT_EQ(array.shape(), shape);
  return array.to_vector<T>().value();
}

RC_GTEST_PROP(Array, ValuesRoundTrip, (const std::vector<double>& values)) {
  RC_ASSERT(round_trip(values, {static_cast<std::int64_t>(values.size())}) == values);
}

TEST(Array, EveryElementTypeRoundTrips) {
  EXPECT_EQ(round_trip<bool>({true, false, true, true}, {2, 2}), (std::vector<bool>{true, false, true, true}));
  EXPECT_EQ(round_trip<std::int32_t>({-1, 0, 7}, {3}), (std::vector<std::int32_t>{-1, 0, 7}));
  EXPECT_EQ(round_trip<std::int64_t>({std::numeric_limits<std::int64_t>::min()}, {1, 1}),
            std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min()});
  EXPECT_EQ(round_trip<float>({0.1F}, {}), std::vector<float>{0.1F});
  EXPECT_EQ(round_trip<double>({}, {0, 5}), std::vector<double>{});
}

TEST(Array, StorageTypesAreHandedOutAsTheirBitsOrWidened) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("mesh m = [x: 2]\nlet h = f16([0.1, -2.0] as [2@x])\nlet b = bf16(f32(h))")));
  const Array h = session.get("h").value();
  EXPECT_EQ(h.element(), Element::f16);
  EXPECT_EQ(h.placement().tile_bytes, 2);
  std::array<std::uint16_t, 2> bits = {};
  ASSERT_EQ(h.bytes().size(), sizeof(bits));
  std::memcpy(bits.data(), h.bytes().data(), sizeof(bits));
  EXPECT_EQ(bits, (std::array<std::uint16_t, 2>{0x2e66, 0xc000}));
  EXPECT_EQ(h.to_vector<float>().value(), (std::vector<float>{0.0999755859375F, -2.0F}));
  EXPECT_EQ(slug_of(h.to_vector<double>().diagnostics()), "bad-call");
  EXPECT_EQ(session.get("b").value().to_vector<float>().value(), (std::vector<float>{0.10009765625F, -2.0F}));
  // A host's own 16 bits are read where they are.
  const std::array<std::uint16_t, 2> own = {0x3dcd, 0x4000};
  const auto read = session.array("bf16[2]", {own.data()}, nullptr);
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->borrowed());
  EXPECT_EQ(read->text(), "[0.1 2. ]");
}

TEST(Array, SaysWhatItIs) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("mesh m = [x: 2, y: 2]\nlet a = iota(i32[4@x, 3])")));
  const Array array = session.get("a").value();
  EXPECT_EQ(array.element(), Element::i32);
  EXPECT_EQ(array.shape(), (std::vector<std::int64_t>{4, 3}));
  EXPECT_EQ(array.type(), "i32[4@x, 3]");
  EXPECT_EQ(array.devices(), 4);
  EXPECT_EQ(array.bytes().size(), 48U);
  EXPECT_EQ(array.text(), "[[ 0  1  2]\n [ 3  4  5]\n [ 6  7  8]\n [ 9 10 11]]");
  EXPECT_NE(array.picture().find('a'), std::string::npos);
}

TEST(Array, TilesAreWhatDevicesHold) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("mesh m = [x: 2]\nlet a = iota(i32[5@x])")));
  const Array array = session.get("a").value();
  const Array::Tile tile = array.tile(1).value();
  EXPECT_EQ(tile.box, (std::vector<std::pair<std::int64_t, std::int64_t>>{{2, 5}}));
  std::vector<std::int32_t> held(3);
  ASSERT_EQ(tile.bytes.size(), 12U);
  std::memcpy(held.data(), tile.bytes.data(), 12);
  EXPECT_EQ(held, (std::vector<std::int32_t>{2, 3, 4}));
  EXPECT_EQ(slug_of(array.tile(2).diagnostics()), "bad-call");
  EXPECT_EQ(slug_of(array.tile(-1).diagnostics()), "bad-call");
}

TEST(Array, PendingSumsAreResolved) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("mesh m = [x: 2]\nlet a = sum(iota(f32[4@x, 2]), dim=0)")));
  const Array array = session.get("a").value();
  EXPECT_EQ(array.to_vector<float>().value(), (std::vector<float>{12, 16}));
}

TEST(Array, NothingIsConverted) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("let a = [1.0]")));
  EXPECT_EQ(slug_of(session.get("a").value().to_vector<double>().diagnostics()), "bad-call");
}

TEST(Set, BindsOnTheDefaultMesh) {
  Recording recording;
  ASSERT_TRUE(succeeded(recording.session.run("mesh m = [x: 2]")));
  ASSERT_TRUE(succeeded(recording.session.set("a", std::vector<float>{1, 2, 3, 4}, {4})));
  ASSERT_TRUE(succeeded(recording.session.run("let b = a as [4@x]\nprint sum(b)")));
  EXPECT_EQ(*recording.text, "10.0\n");
  EXPECT_EQ(recording.session.get("a").value().devices(), 2);
}

TEST(Set, AnIntegerMayBeAnExtent) {
  Recording recording;
  ASSERT_TRUE(succeeded(recording.session.set("N", std::vector<std::int64_t>{3}, {})));
  ASSERT_TRUE(succeeded(recording.session.run("print ones(f32[N])")));
  EXPECT_EQ(*recording.text, "[1. 1. 1.]\n");
}

TEST(Set, RefusesWhatIsNoNameOrDoesNotFit) {
  Session session;
  const std::vector<float> two = {1, 2};
  for (const char* name : {"", "let", "a b", "1a", "a = 1\nlet b", "a: f32", "(a)", "a # b"}) {
    EXPECT_EQ(slug_of(session.set(name, two, {2}).diagnostics()), "bad-call") << name;
  }
  const std::vector<std::vector<std::int64_t>> shapes = {{3}, {}, {-2}, {0}, {2, 2}, {1LL << 62, 1LL << 62, 2}};
  for (const auto& shape : shapes) EXPECT_EQ(slug_of(session.set("a", two, shape).diagnostics()), "bad-call");
  EXPECT_EQ(slug_of(session.set("a", std::vector<float>{1}, std::vector<std::int64_t>(17, 1)).diagnostics()),
            "bad-call");
  EXPECT_TRUE(session.names().empty());
}

TEST(Get, OfAnUnknownNameFails) { EXPECT_EQ(slug_of(Session().get("a").diagnostics()), "bad-call"); }

TEST(Result, AFailureHasNoValue) {
  const Result<int> failure = Diagnostics{};
  EXPECT_FALSE(failure.ok());
  EXPECT_THROW((void)failure.value(), std::logic_error);
  EXPECT_TRUE(Result<int>(1).diagnostics().empty());
  try {
    (void)Session().get("a").value();
    FAIL();
  } catch (const std::logic_error& error) {
    EXPECT_EQ(std::string(error.what()), "tessera::Result: value() of a failure: there is no variable `a`");
  }
}

}  // namespace
}  // namespace tessera
