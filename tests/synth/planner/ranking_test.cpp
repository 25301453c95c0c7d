// Placements of a mesh ranked by what is moved on it.
#include "synth/planner/ranking/ranking.hpp"
#include "synth/moves/prices/prices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "synth/layout/place/fit.hpp"
#include "tests/synth/random_layouts.hpp"
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

Machine nodes(std::int64_t count, std::int64_t inside) {
  return {{{"node", count, 8e9, 5e-6}, {"device", inside, 270e9, 1e-6}}};
}

double seconds_under(const Machine& machine, const MeshRef& on, const std::vector<PlaceRequest>& requests) {
  double sum = 0;
  for (const PlaceRequest& request : requests) {
    const auto made = plan(on_mesh(request.from, on), on_mesh(request.to, on), machine);
    EXPECT_TRUE(made.ok()) << first_message(made);
    if (made.ok()) sum += request.times * made->seconds;
  }
  return sum;
}

// 1 GB is summed over dp once, 50 MB over tp 48 times. Sums of whole payloads would take 764, 2,653 and 7,208 ms; those
// over replicated axes are cut along these first, and take less.
TEST(Ranking, OfAnMlp) {
  const MeshRef on = mesh("dp:16,tp:4");
  const std::vector<PlaceRequest> requests{{type("f32[250000000]{+dp}", on), type("f32[250000000]", on), 1},
                                           {type("f32[12500000]{+tp}", on), type("f32[12500000]", on), 48}};
  const auto ranking = rank_placements(nodes(4, 16), on, requests, 8);
  ASSERT_TRUE(ranking.ok());
  ASSERT_EQ(ranking->best.size(), 3U);
  EXPECT_EQ(print(ranking->best[0].matrix), "[[4,4],[1,4]]");
  EXPECT_EQ(print(ranking->best[1].matrix), "[[2,8],[2,2]]");
  EXPECT_EQ(print(ranking->best[2].matrix), "[[1,16],[4,1]]");
  EXPECT_EQ(print(ranking->row_major->matrix), "[[4,4],[1,4]]");
  const std::vector<double> whole{0.764, 2.653, 7.208};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LE(ranking->best[i].seconds, whole[i]);
    EXPECT_GE(ranking->best[i].seconds, ranking->best[i].bound_seconds);
    for (const auto& made : ranking->best[i].plans) EXPECT_TRUE(made->verified);
  }
  EXPECT_NEAR(ranking->best[0].seconds, 0.202, 0.001);
}

// What is cut off by bounds is no better: the same as pricing all matrices.
TEST(Ranking, FindsTheBestOfAll) {
  Random random(11);
  for (int round = 0; round < 30; ++round) {
    const MeshRef on = mesh(std::vector<const char*>{"a:4,b:2", "a:2,b:2,c:4", "a:8,b:2", "a:2,b:6"}[random.below(4)]);
    const std::int64_t inside = random.coin() ? 2 : 4;
    const Machine machine = nodes(on->devices() / inside, inside);
    std::vector<PlaceRequest> requests;
    for (std::size_t i = 0; i <= random.below(2); ++i) {
      const auto layout = [&](bool pending) { return any_layout(*on, 2, pending, random); };
      requests.push_back({*ArrayType::make(ElementType::f32, {48, 96}, on, layout(true)),
                          *ArrayType::make(ElementType::f32, {48, 96}, on, layout(false)),
                          static_cast<double>(1 + random.below(5))});
    }
    const auto ranking = rank_placements(machine, on, requests, 2);
    ASSERT_TRUE(ranking.ok()) << first_message(ranking);
    std::vector<double> all;
    for_each_placement(place_problem(*on, machine), [&](const PlaceMatrix& matrix) {
      all.push_back(seconds_under(machine, *Mesh::placed(on->axes(), matrix), requests));
      return true;
    });
    std::sort(all.begin(), all.end());
    ASSERT_EQ(ranking->count, static_cast<std::int64_t>(all.size()));
    for (std::size_t i = 0; i < ranking->best.size(); ++i) EXPECT_DOUBLE_EQ(ranking->best[i].seconds, all[i]);
  }
}

// Above 512 devices what devices lack is worked out once for all matrices; the links that a sum crosses depend on each.
TEST(Ranking, BoundsOfManyDevicesAreThoseOfTheirMeshesOrOfTheirSums) {
  const RunMachine machine = on_run({{{"node", 32, 8e9, 5e-6}, {"device", 32, 270e9, 1e-6}}});
  const MeshRef on = mesh("x:32,y:32");
  const std::vector<PlaceRequest> requests{{type("f32[4096@x,8]", on), type("f32[4096@y,8]", on), 2},
                                           {type("f32[4096]{+x}", on), type("f32[4096]", on), 1}};
  const auto ranking = rank_placements(machine, on, requests, 4);
  ASSERT_TRUE(ranking.ok());
  ASSERT_GE(ranking->best.size(), 2U);
  for (const RankedPlacement& one : ranking->best) {
    EXPECT_EQ(*one.mesh->matrix(), one.matrix);
    double bound = 0;
    for (const PlaceRequest& request : requests)
      bound +=
          request.times * lower_bound(machine, on_mesh(request.from, one.mesh), on_mesh(request.to, one.mesh)).seconds;
    EXPECT_GE(one.bound_seconds, bound);
    EXPECT_LE(one.bound_seconds, one.seconds);
  }
}

// Of more matrices than are priced the best is among those that are: bounds and estimates say where a sum crosses slow
// links, and which part of it is gathered again from afar.
TEST(Ranking, PricesThePromisingOnManyDevices) {
  const RunMachine machine = on_run({{{"rack", 4, 8e9, 5e-6}, {"node", 16, 25e9, 5e-6}, {"device", 16, 270e9, 1e-6}}});
  const MeshRef on = mesh("x:4,y:16,z:16");
  const PlaceRequest y{type("f32[1048576]{+y}", on), type("f32[1048576]", on), 1};
  const PlaceRequest z{type("f32[1048576]{+z}", on), type("f32[1048576]", on), 3};
  const PlaceRequest gather{type("f32[1048576@y]", on), type("f32[1048576]", on), 1};
  for (const std::vector<PlaceRequest>& requests : {std::vector{y, z}, std::vector{y}, std::vector{gather}}) {
    const auto ranking = rank_placements(machine, on, requests, 1);
    ASSERT_TRUE(ranking.ok());
    EXPECT_GT(ranking->count, kLargePlacementsMax);
    EXPECT_LE(ranking->priced, kLargePlacementsMax);
    constexpr std::size_t kEvery = 9;  // matrix: all of them take a while
    std::size_t met = 0;
    for_each_placement(place_problem(*on, machine), [&](const PlaceMatrix& matrix) {
      if (met++ % kEvery != 0) return true;
      EXPECT_LE(ranking->best[0].seconds, seconds_under(machine, *Mesh::placed(on->axes(), matrix), requests));
      return true;
    });
  }
}

TEST(Ranking, RowMajorOrderWinsTies) {
  const MeshRef on = mesh("a:4,b:4");
  const std::vector<PlaceRequest> nothing{{type("f32[8@a]", on), type("f32[8@a]", on), 1}};
  const auto ranking = rank_placements(nodes(4, 4), on, nothing, 1);
  ASSERT_TRUE(ranking.ok());
  EXPECT_EQ(print(ranking->best.at(0).matrix), "[[4,1],[1,4]]");
}

TEST(Ranking, RefusesAMachineOfOtherDevices) {
  const MeshRef on = mesh("a:4,b:4");
  EXPECT_EQ(first_error(rank_placements(nodes(2, 4), on, {}, 1)), "machine-mismatch");
  for (const char* beyond : {"a:4,b:4 on 1:17", "a:4 on 16:20", "a:2 on 60000:60002"}) {
    EXPECT_EQ(first_error(rank_placements(nodes(4, 4), mesh(beyond), {}, 1)), "machine-mismatch") << beyond;
  }
}

TEST(Ranking, RefusesAMeshThatDoesNotDivideIntoTheLevels) {
  for (const char* other : {"a:3", "a:3 on 1:4", "a:5", "a:12", "a:3,b:2"}) {
    EXPECT_EQ(first_error(rank_placements(nodes(4, 4), mesh(other), {}, 1)), "bad-place") << other;
  }
}

}  // namespace
}  // namespace tessera::synth::test
