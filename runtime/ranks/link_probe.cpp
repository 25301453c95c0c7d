#include "runtime/ranks/link_probe.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "runtime/engine/engine.hpp"
#include "runtime/memory/arena.hpp"
#include "runtime/ranks/region.hpp"

namespace tessera::runtime {

namespace {

using std::chrono::steady_clock;

constexpr int kMeasurements = 8;

double seconds_since(steady_clock::time_point begin) {
  return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

}  // namespace

LinkProbe::LinkProbe(Team& team, std::int64_t bytes_max, Engine* engine)
    : team_(team), bytes_max_(bytes_max), engine_(engine), taken_(static_cast<std::size_t>(bytes_max)) {}

LinkProbe::~LinkProbe() {
  if (given_ != nullptr && own_.empty()) team_.region()->give_back(given_, bytes_max_);
}

base::Result<std::unique_ptr<LinkProbe>> LinkProbe::make(Team& team, std::int64_t bytes_max, Engine* engine) {
  std::unique_ptr<LinkProbe> probe(new LinkProbe(team, bytes_max, engine));
  TESSERA_TRY_STATUS(probe->find_memory());
  return probe;
}

// Pages are written before anything is measured: that takes longer than to read them.
base::Status LinkProbe::find_memory() {
  if (team_.region() != nullptr) {
    given_ = team_.region()->take(bytes_max_);
  } else {
    own_.resize(static_cast<std::size_t>(bytes_max_));
    given_ = own_.data();
  }
  std::fill_n(given_, bytes_max_, std::byte{1});
  const std::int64_t offset = team_.region() != nullptr ? team_.region()->offset_of(given_) : 0;
  base::Status status = base::Done{};
  if (engine_ != nullptr) {
    auto arena = Arena::reserve(std::span(&bytes_max_, 1), engine_->pool(0));
    if (arena)
      there_ = std::move(*arena);
    else
      status = arena.errors();
  }
  TESSERA_TRY(everyones, team_.agree(std::move(status), {offset, 0}));
  for (const Team::Words& words : everyones) offsets_.push_back(words[0]);
  return base::Done{};
}

// What goes to other ranks comes out of the engine's memory, and what they send goes there.
base::Status LinkProbe::bring_out(std::int64_t bytes) {
  if (there_ == nullptr) return base::Done{};
  return engine_->read(dense_view(synth::ElementType::u8, {bytes}, there_->part(0)),
                       TileOut{synth::ElementType::u8, {bytes}, given_});
}

base::Status LinkProbe::bring_in(std::size_t sources, std::int64_t bytes) {
  if (there_ == nullptr) return base::Done{};
  for (std::size_t i = 0; i < sources; ++i) {
    const std::byte* const from = taken_.data() + i * static_cast<std::size_t>(bytes);
    TESSERA_TRY_STATUS(
        engine_->write(dense_view(synth::ElementType::u8, {bytes}, from), TileTarget{{1}, there_->part(0)}));
  }
  return engine_->wait();
}

base::Status LinkProbe::perform(const Exchange& exchange) {
  TESSERA_TRY_STATUS(team_.begin_step());
  if (!exchange.readers.empty()) TESSERA_TRY_STATUS(bring_out(exchange.bytes));
  const auto bytes = static_cast<std::size_t>(exchange.bytes);
  std::vector<int> near_sources;
  std::vector<int> near_readers;
  std::vector<Incoming> incoming;
  std::vector<Outgoing> outgoing;
  for (std::size_t i = 0; i < exchange.sources.size(); ++i) {
    const int source = exchange.sources[i];
    if (team_.is_near(source))
      near_sources.push_back(source);
    else
      incoming.push_back({source, std::span(taken_).subspan(i * bytes, bytes)});
  }
  for (const int reader : exchange.readers) {
    if (team_.is_near(reader))
      near_readers.push_back(reader);
    else
      outgoing.push_back({reader, std::span<const std::byte>(given_, bytes)});
  }
  TESSERA_TRY_STATUS(team_.begin_messages(incoming, outgoing));
  TESSERA_TRY_STATUS(team_.arrive(near_sources));
  for (std::size_t i = 0; i < exchange.sources.size(); ++i) {
    const int source = exchange.sources[i];
    if (!team_.is_near(source)) continue;
    std::memcpy(taken_.data() + i * bytes, team_.near_memory(source, offsets_[static_cast<std::size_t>(source)]),
                bytes);
  }
  TESSERA_TRY_STATUS(team_.finish(near_readers));
  TESSERA_TRY_STATUS(team_.await_messages());
  return bring_in(exchange.sources.size(), exchange.bytes);
}

base::Result<double> LinkProbe::measured(const Exchange& exchange, int times) {
  team_.begin_run(nullptr);
  base::Status status = base::Done{};
  const auto begin = steady_clock::now();
  for (int i = 0; i < times && status.ok(); ++i) status = perform(exchange);
  const double mine = seconds_since(begin) / times;
  TESSERA_TRY(everyones, team_.agree(std::move(status), {std::bit_cast<std::int64_t>(mine), 0}));
  double most = 0;
  for (const Team::Words& words : everyones) most = std::max(most, std::bit_cast<double>(words[0]));
  return most;
}

base::Result<double> LinkProbe::median(const Exchange& exchange, int times, double seconds_max) {
  TESSERA_TRY(first, measured(exchange, 1));  // connections are made when they are first used
  std::vector<double> all;
  double spent = first;
  while (all.size() < kMeasurements && (all.empty() || spent < seconds_max)) {
    TESSERA_TRY(one, measured(exchange, times));
    all.push_back(one);
    spent += one * times;
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

}  // namespace tessera::runtime
