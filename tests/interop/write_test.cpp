// What emitters of plans are made of: rounds of messages, and phases that carry out any plan.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "interop/write/emit.hpp"
#include "interop/write/rounds_of_sends.hpp"
#include "synth/layout/array_type.hpp"
#include "synth/planner/plan.hpp"

namespace tessera::interop {
namespace {

using testing::HasSubstr;

using Edge = std::pair<std::int32_t, std::int32_t>;

std::vector<std::vector<Edge>> rounds_of(const std::vector<Edge>& edges, std::int64_t devices) {
  std::vector<Message> messages;
  for (const auto& [source, target] : edges) messages.push_back({source, target, {}, {}});
  std::vector<std::vector<Edge>> result;
  for (const auto& round : rounds_of_sends(messages, devices)) {
    result.emplace_back();
    for (const Message& message : round) result.back().emplace_back(message.source, message.target);
    std::sort(result.back().begin(), result.back().end());
  }
  return result;
}

TEST(ExampleOf, RoundsOfSends) {
  const auto rounds = rounds_of({{0, 1}, {0, 2}, {1, 2}}, 3);
  EXPECT_EQ(rounds, (std::vector<std::vector<Edge>>{{{0, 1}, {1, 2}}, {{0, 2}}}));
}

TEST(ExampleOf, MpiCText) {
  const auto mesh = *synth::parse_mesh("x:2");
  const auto from = *synth::parse_array_type("f32[4]{+x}", mesh);
  const auto to = *synth::parse_array_type("f32[4@x]", mesh);
  const synth::Machine machine;
  const auto text = emit(*synth::plan(from, to, machine), machine, Target::mpi_c, "");
  ASSERT_TRUE(text.ok());
  EXPECT_THAT(*text, HasSubstr("static const piece pieces[] = {\n  {0, 0},\n  {1, 0},\n  {0, 0},\n  {1, 0},\n"));
  EXPECT_THAT(*text, HasSubstr("static const move moves[] = {\n  {0, 0, 2, {{{0,2}}}},\n  {1, 2, 2, {{{2,4}}}},\n"));
  EXPECT_THAT(*text, HasSubstr("static const stage stages[] = {\n  {0, 0, 2, 0},\n"));
  EXPECT_THAT(*text, HasSubstr("static int waits(const stage *s, const move *m) { return s->aside || m->count > 1; }"));
}

TEST(RoundsOfSends, AreAsManyAsTheBusiestDeviceHasMessages) {
  std::mt19937 draw(3);
  for (int i = 0; i < 500; ++i) {
    const std::int64_t devices = 1 + draw() % 12;
    std::vector<Edge> edges;
    for (std::size_t k = draw() % 40; k > 0; --k)
      edges.emplace_back(draw() % static_cast<unsigned>(devices), draw() % static_cast<unsigned>(devices));
    std::size_t busiest = 0;
    for (std::int32_t device = 0; device < devices; ++device) {
      const auto sends = std::count_if(edges.begin(), edges.end(), [&](const Edge& e) { return e.first == device; });
      const auto gets = std::count_if(edges.begin(), edges.end(), [&](const Edge& e) { return e.second == device; });
      busiest = std::max({busiest, static_cast<std::size_t>(sends), static_cast<std::size_t>(gets)});
    }
    const auto rounds = rounds_of(edges, devices);
    EXPECT_EQ(rounds.size(), busiest);
    std::vector<Edge> all;
    for (const auto& round : rounds) {
      std::set<std::int32_t> senders, receivers;
      for (const auto& [source, target] : round) {
        EXPECT_TRUE(senders.insert(source).second);
        EXPECT_TRUE(receivers.insert(target).second);
        all.emplace_back(source, target);
      }
    }
    std::sort(all.begin(), all.end());
    std::sort(edges.begin(), edges.end());
    EXPECT_EQ(all, edges);
  }
}

}  // namespace
}  // namespace tessera::interop
