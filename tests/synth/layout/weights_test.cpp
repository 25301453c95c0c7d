// The rule of tiles for parts with weights.
#include "synth/layout/weights.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <random>

#include "base/wide.hpp"
#include "synth/layout/cuts.hpp"

namespace tessera::synth::test {
namespace {

using ::testing::ElementsAre;

using Begins = std::vector<std::int64_t>;

Weights weights(std::vector<std::int64_t> values) { return *Weights::make(std::move(values)); }

// Parts of a list, each a mesh axis of its own, cut by these weights.
class Split {
 public:
  explicit Split(const std::vector<Weights>& parts) {
    std::vector<MeshAxis> axes;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      axes.push_back({fmt::format("a{}", i), parts[i].positions(), {NamedCut{"work", parts[i]}}});
    }
    auto made = Mesh::make(std::move(axes));
    if (!made.ok()) return;
    mesh_ = std::move(made).value();
    for (std::size_t i = 0; i < parts.size(); ++i) list_.push_back(*named_cut(*mesh_, i, "work"));
  }
  bool ok() const { return mesh_ != nullptr; }
  Cuts cuts(std::int64_t extent) const { return {*mesh_, extent, list_}; }

 private:
  MeshRef mesh_;
  AxisList list_;
};

// Where the tiles begin, and the extent.
std::optional<Begins> tile_begins(std::int64_t extent, const std::vector<Weights>& parts) {
  const Split split(parts);
  if (!split.ok()) return std::nullopt;
  const Cuts cuts = split.cuts(extent);
  Begins begins;
  for (std::int64_t place = 0; place < cuts.tiles(); ++place) {
    const Interval tile = cuts.tile(place);
    EXPECT_EQ(tile.begin, place == 0 ? 0 : cuts.tile(place - 1).end);
    begins.push_back(tile.begin);
  }
  EXPECT_EQ(cuts.tile(cuts.tiles() - 1).end, extent);
  begins.push_back(extent);
  return begins;
}

std::int64_t place_of(std::int64_t element, const std::vector<Weights>& parts, std::int64_t extent) {
  return Split(parts).cuts(extent).place_of(element);
}

TEST(ExampleOf, Cuts) {
  EXPECT_EQ(tile_begins(8, {weights({1, 2, 1})}), (Begins{0, 2, 6, 8}));
  EXPECT_EQ(tile_begins(10, {weights({5, 1}), weights({3, 1})}), (Begins{0, 6, 8, 9, 10}));
  EXPECT_EQ(tile_begins(7, {weights({2, 1}), Weights::even(2)}), (Begins{0, 2, 4, 5, 7}));
}

TEST(WeightsTest, AreKeptInLowestTerms) {
  EXPECT_THAT(weights({4, 2, 2}).values(), ElementsAre(2, 1, 1));
  EXPECT_EQ(weights({4, 2, 2}), weights({1'048'576, 524'288, 524'288}));
  EXPECT_NE(weights({4, 2, 1}), weights({4, 2, 2}));
  EXPECT_EQ(weights({7, 7, 7}), Weights::even(3));
  EXPECT_TRUE(weights({7, 7, 7}).is_even());
  EXPECT_FALSE(weights({1, 2}).is_even());
  EXPECT_EQ(weights({1, 2, 4}).sum(), 7);
}

TEST(WeightsTest, AreIntegersFromOneToTheLargest) {
  EXPECT_FALSE(Weights::make({}));
  EXPECT_FALSE(Weights::make({1, 0}));
  EXPECT_FALSE(Weights::make({-1, 2}));
  EXPECT_TRUE(Weights::make({1, kWeightMax}));
  EXPECT_FALSE(Weights::make({1, kWeightMax + 1}));
}

TEST(TileBeginsTest, FollowTheWeights) {
  EXPECT_THAT(*tile_begins(8, {weights({1, 2, 1})}), ElementsAre(0, 2, 6, 8));
  EXPECT_THAT(*tile_begins(10, {weights({5, 1}), weights({3, 1})}), ElementsAre(0, 6, 8, 9, 10));
  EXPECT_THAT(*tile_begins(7, {weights({2, 1}), Weights::even(2)}), ElementsAre(0, 2, 4, 5, 7));
  EXPECT_THAT(*tile_begins(8, {weights({4, 2, 1, 1})}), ElementsAre(0, 4, 6, 7, 8));
}

TEST(TileBeginsTest, OfFewOrNoElements) {
  EXPECT_THAT(*tile_begins(5, {}), ElementsAre(0, 5));
  EXPECT_THAT(*tile_begins(0, {weights({3, 1})}), ElementsAre(0, 0, 0));
  EXPECT_THAT(*tile_begins(1, {weights({1, 1, 6})}), ElementsAre(0, 0, 0, 1));
}

TEST(TileBeginsTest, OfTheLargestExtentAndWeights) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  const Weights ends = weights({kWeightMax - 1, 1});
  const auto begins = tile_begins(kHuge, {ends, ends, ends});
  ASSERT_TRUE(begins);
  EXPECT_TRUE(std::is_sorted(begins->begin(), begins->end()));
  EXPECT_EQ((*begins)[7], kHuge - 8);  // 2^63 - 1 less the 2^60th part of it, rounded down
  EXPECT_FALSE(tile_begins(kHuge, {ends, ends, ends, Weights::even(2)}));  // above 2^60
}

TEST(PlaceOfTest, SkipsEmptyTiles) {
  const std::vector<Weights> parts{weights({6, 1, 1, 8})};
  EXPECT_THAT(*tile_begins(4, parts), ElementsAre(0, 1, 1, 2, 4));
  EXPECT_EQ(place_of(0, parts, 4), 0);
  EXPECT_EQ(place_of(1, parts, 4), 2);
  EXPECT_EQ(place_of(3, parts, 4), 3);
}

// A random list of up to four parts of up to six positions, and an extent, which is often small.
struct Sample {
  std::int64_t extent = 0;
  std::vector<Weights> parts;
};

class Samples {
 public:
  explicit Samples(std::uint64_t seed) : random_(seed) {}

  Sample next() {
    Sample sample{below(2) == 0 ? below(30) : below(kExtentMax), {}};
    const std::int64_t count = below(5);
    for (std::int64_t i = 0; i < count; ++i) sample.parts.push_back(part());
    return sample;
  }

 private:
  static constexpr std::int64_t kExtentMax = std::int64_t{1} << 40;

  std::int64_t below(std::int64_t end) { return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random_); }
  Weights part() {
    const std::int64_t positions = 1 + below(6);
    if (below(3) == 0) return Weights::even(positions);
    const std::int64_t most = below(2) == 0 ? 4 : 2'000;
    Begins values;
    for (std::int64_t i = 0; i < positions; ++i) values.push_back(1 + below(most));
    return weights(std::move(values));
  }

  std::mt19937_64 random_;
};

constexpr std::uint64_t kSeed = 20'261'123;
constexpr int kSamples = 20'000;

// The tiles of a list begin among those of every longer list: each list is compared with all that it begins with.
TEST(TileBeginsProperty, OfAListAreAmongThoseOfEveryLongerOne) {
  Samples samples(kSeed);
  for (int i = 0; i < kSamples; ++i) {
    const Sample sample = samples.next();
    Begins longer = *tile_begins(sample.extent, sample.parts);
    std::vector<Weights> parts = sample.parts;
    while (!parts.empty()) {
      parts.pop_back();
      Begins shorter = *tile_begins(sample.extent, parts);
      ASSERT_TRUE(std::includes(longer.begin(), longer.end(), shorter.begin(), shorter.end())) << "sample " << i;
      longer = std::move(shorter);
    }
  }
}

// A tile begins at the greatest element that is not beyond the share of all tiles before it. Their shares are added up
// here tile by tile, each the product of its weights.
TEST(TileBeginsProperty, AreThoseOfTheSharesBefore) {
  Samples samples(kSeed + 1);
  for (int i = 0; i < kSamples; ++i) {
    const Sample sample = samples.next();
    std::vector<std::int64_t> shares{1};
    for (const Weights& part : sample.parts) {
      std::vector<std::int64_t> smaller;
      for (const std::int64_t share : shares) {
        for (const std::int64_t weight : part.values()) smaller.push_back(share * weight);
      }
      shares = std::move(smaller);
    }
    base::Wide all = 0;
    for (const std::int64_t share : shares) all += share;
    const Begins begins = *tile_begins(sample.extent, sample.parts);
    ASSERT_EQ(begins.size(), shares.size() + 1);
    base::Wide before = 0;
    for (std::size_t t = 0; t < begins.size(); ++t) {
      const base::Wide ideal = before * sample.extent;
      ASSERT_TRUE(begins[t] * all <= ideal && ideal < (base::Wide{begins[t]} + 1) * all) << "sample " << i;
      if (t < shares.size()) before += shares[t];
    }
  }
}

TEST(TileBeginsProperty, OfEqualWeightsAreTheEvenCuts) {
  Samples samples(kSeed + 2);
  for (int i = 0; i < kSamples; ++i) {
    Sample sample = samples.next();
    std::int64_t tiles = 1;
    for (Weights& part : sample.parts) {
      part = weights(Begins(static_cast<std::size_t>(part.positions()), 5));
      tiles *= part.positions();
    }
    const Begins begins = *tile_begins(sample.extent, sample.parts);
    for (std::int64_t t = 0; t < tiles; ++t) {
      const auto at = static_cast<std::size_t>(t);
      ASSERT_EQ((Interval{begins[at], begins[at + 1]}), share(sample.extent, tiles, t)) << "sample " << i;
    }
  }
}

TEST(PlaceOfProperty, IsTheTileThatHoldsTheElement) {
  Samples samples(kSeed + 3);
  for (int i = 0; i < kSamples; ++i) {
    const Sample sample = samples.next();
    const Split split(sample.parts);
    const Cuts cuts = split.cuts(sample.extent);
    for (const std::int64_t element : {std::int64_t{0}, sample.extent / 3, sample.extent - 1}) {
      if (element < 0 || element >= sample.extent) continue;
      const Interval tile = cuts.tile(cuts.place_of(element));
      ASSERT_TRUE(tile.begin <= element && element < tile.end) << "sample " << i;
    }
  }
}

}  // namespace
}  // namespace tessera::synth::test
