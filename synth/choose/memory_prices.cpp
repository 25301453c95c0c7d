#include "synth/choose/memory_prices.hpp"

#include <algorithm>
#include <map>

namespace tessera::synth {

namespace {

// The tiles of a star's layouts on a device.
std::vector<double> bytes_of(const Star& star, const std::vector<int>& layouts, std::size_t device) {
  std::vector<double> bytes;
  for (const int number : layouts)
    bytes.push_back(static_cast<double>(tile_bytes(star.prices->type(number), static_cast<std::int64_t>(device))));
  return bytes;
}

}  // namespace

MemoryPrices::MemoryPrices(const ChoiceProblem& problem, const Model& model)
    : lives_(problem.values.size()), stars_(model.stars.size()) {
  for (const ChoiceLife& life : problem.lives) lives_[life.value.value].push_back(&life);
  find_readers(model);
}

// A use reads its star. If the star's maker is a join that was added, that reads another star for it, and so on.
void MemoryPrices::find_readers(const Model& model) {
  std::map<std::size_t, std::size_t> numbers;  // of a given node that in the model
  for (std::size_t n = 0; n < model.nodes.size(); ++n) {
    if (model.joins_of[n] != Model::kAdded) numbers[model.joins_of[n]] = n;
  }
  for (const auto& lives : lives_) {
    for (const ChoiceLife* life : lives) {
      std::map<std::size_t, StarLife> of_stars;
      for (const ChoiceRead& read : life->reads) {
        ModelSlot slot = model.nodes[numbers.at(read.node)].slots[read.use];
        while (true) {
          of_stars[slot.star].push_back({slot.place - 1, read.moment, read.until});
          const std::size_t maker = model.stars[slot.star].places[0].node;
          if (model.joins_of[maker] != Model::kAdded) break;
          slot = model.nodes[maker].slots[0];
        }
      }
      for (auto& [star, own] : of_stars) stars_[star].push_back(std::move(own));
    }
  }
}

Model MemoryPrices::priced(const Model& model, const std::vector<MemoryPrice>& prices, double time) const {
  Model priced = model;
  for (ModelNode& node : priced.nodes) {
    for (ModelStrategy& strategy : node.strategies) strategy.seconds = strategy.local_seconds * time;
  }
  for (std::size_t s = 0; s < priced.stars.size(); ++s) {
    for (double& seconds : priced.stars[s].seconds) {
      if (seconds != kEndless) seconds *= time;
    }
    price_made(priced, s, prices);
    price_copies(priced, s, prices);
  }
  return priced;
}

void MemoryPrices::price_made(Model& model, std::size_t number, const std::vector<MemoryPrice>& prices) const {
  if (number >= lives_.size()) return;  // of a join that was added: there already
  const Star& star = model.stars[number];
  ModelNode& maker = model.nodes[star.places[0].node];
  for (const MemoryPrice& price : prices) {
    double times = 0;
    for (const ChoiceLife* life : lives_[number])
      times += life->has_room && life->born <= price.moment && price.moment <= life->dies ? 1 : 0;
    if (times == 0) continue;
    const std::vector<double> bytes = bytes_of(star, star.made, price.device);
    for (ModelStrategy& strategy : maker.strategies)
      strategy.seconds += times * price.seconds_per_byte * bytes[strategy.labels.back()];
  }
}

void MemoryPrices::price_copies(Model& model, std::size_t number, const std::vector<MemoryPrice>& prices) const {
  Star& star = model.stars[number];
  const std::size_t groups = std::size_t{1} << star.readers();
  if (stars_[number].empty() || star.readers() == 0) return;
  star.kept.assign(groups * star.wanted.size(), 0);
  for (const MemoryPrice& price : prices) {
    const std::vector<double> bytes = bytes_of(star, star.wanted, price.device);
    for (std::size_t group = 1; group < groups; ++group) {
      double times = 0;
      for (const StarLife& life : stars_[number]) {
        bool is_before = false;
        bool is_behind = false;
        for (const ReaderStay& stay : life) {
          if ((group >> stay.reader & 1U) == 0) continue;
          is_before = is_before || stay.first <= price.moment;
          is_behind = is_behind || stay.last >= price.moment;
        }
        times += is_before && is_behind ? 1 : 0;
      }
      if (times == 0) continue;
      for (std::size_t m = 0; m < bytes.size(); ++m)
        star.kept[group * bytes.size() + m] += times * price.seconds_per_byte * bytes[m];
    }
  }
}

}  // namespace tessera::synth
