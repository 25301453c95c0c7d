#include "embed/session/gpu_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "embed/kinds.hpp"
#include "runtime/device/door/door.hpp"
#include "runtime/device/gpu/open.hpp"
#include "runtime/engine/engine.hpp"
#include "runtime/kinds.hpp"
#include "runtime/memory/device_ranks.hpp"
#include "runtime/ranks/team.hpp"

namespace tessera::embed {

namespace {

// `0,2`; nothing where the text is no such list.
std::optional<std::vector<int>> read_numbers(std::string_view text) {
  std::vector<int> numbers;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + comma, number);
    if (error != std::errc() || end != text.data() + comma || number < 0) return std::nullopt;
    numbers.push_back(number);
    if (comma == text.size()) return numbers;
    text.remove_prefix(comma + 1);
  }
}

base::Diagnostic none(std::string why) { return base::make(runtime::Kind::no_gpu, std::move(why)); }

// All that programs can run on; where that is none, all: then it is said why.
std::vector<int> usable(const device::Cuda& cuda, int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  std::vector<int> usable;
  std::copy_if(all.begin(), all.end(), std::back_inserter(usable),
               [&](int number) { return device::architecture_of(cuda, number) >= device::kOldestArchitecture; });
  return usable.empty() ? all : usable;
}

// The numbers of a list or of all GPUs, of those that there are.
base::Result<std::vector<int>> numbers_of(const std::string& gpus, const device::Cuda& cuda) {
  if (!cuda.is_there()) {
    return none(cuda.missing).suggest("install NVIDIA's driver; looked for here:\n" + text_of(cuda.search));
  }
  TESSERA_TRY(count, device::count_gpus(cuda));
  if (count == 0) return none("the driver knows of none").suggest("`nvidia-smi` lists those that the driver knows");
  if (gpus == "all") return usable(cuda, count);
  const auto numbers = read_numbers(gpus);
  if (!numbers) {
    return base::make(Kind::bad_call,
                      fmt::format("`{}` are no GPUs: `all` is, and a list of their numbers, `0,2`", gpus));
  }
  for (const int number : *numbers) {
    if (number < count) continue;
    const std::string those = count == 1 ? "GPU 0 is the only one" : fmt::format("they are 0 to {}", count - 1);
    return none(fmt::format("no GPU has number {}", number)).suggest(those + "; `tessera gpu` lists them");
  }
  return *numbers;
}

// Products of floats have other last bits on GPUs of another kind: a device's elements would depend on where it lies.
base::Status are_alike(const device::Cuda& cuda, const std::vector<int>& mine) {
  TESSERA_TRY(first, device::facts_of(cuda, mine.front()));
  for (const int number : mine) {
    TESSERA_TRY(facts, device::facts_of(cuda, number));
    if (facts.name == first.name && facts.architecture == first.architecture && facts.processors == first.processors)
      continue;
    return base::make(Kind::bad_call, fmt::format("GPU {} ({}) and GPU {} ({}) are of different kinds, whose large "
                                                  "products have other last bits",
                                                  mine.front(), first.name, number, facts.name))
        .suggest("choose GPUs of one kind, as by `--gpu 0,1`, or add up in order, `--products ordered`");
  }
  return base::Done{};
}

// A process's place among those of its machine, and how many these are.
std::pair<int, int> place_of(const runtime::Team* team) {
  if (team == nullptr) return {0, 1};
  int place = 0;
  int places = 0;
  for (int rank = 0; rank < team->size(); ++rank) {
    if (team->machine(rank) != team->machine(team->rank())) continue;
    if (rank < team->rank()) ++place;
    ++places;
  }
  return {place, places};
}

EngineRef open_here(const Config& config, const runtime::Team* team) {
  if (config.gpus.empty()) return std::shared_ptr<runtime::Engine>();
  if (config.throttle) return base::make(Kind::bad_call, "GPUs cannot be throttled: leave out one of the two");
  if (config.gpu_memory < 0) {
    return base::make(Kind::bad_call,
                      fmt::format("Config::gpu_memory is {}, which is no limit: give a number, or 0 for "
                                  "nine tenths of what is free",
                                  config.gpu_memory));
  }
  const device::Folders folders = device::folders_of_environment();
  const device::Cuda cuda = device::open_cuda(folders);
  TESSERA_TRY(all, numbers_of(config.gpus, cuda));
  const auto [place, places] = place_of(team);
  device::GpuRequest request;
  request.numbers = gpus_of_place(all, place, places);
  request.memory_bytes = config.gpu_memory;
  request.ordered_products = config.products == Products::ordered;
  request.tf32_products = config.products == Products::tf32;
  request.folders = folders;
  TESSERA_TRY(engine, device::open_gpus(request));
  // Each is open now, and asked in no time.
  if (!request.ordered_products) TESSERA_TRY_STATUS(are_alike(cuda, request.numbers));
  return engine;
}

}  // namespace

std::vector<int> gpus_of_place(const std::vector<int>& all, int place, int places) {
  const auto count = static_cast<std::int64_t>(all.size());
  if (places > count) return {all[static_cast<std::size_t>(place * count / places)]};
  const runtime::Block mine = runtime::DeviceRanks(places, count).block(place);
  return {all.begin() + mine.begin, all.begin() + mine.end};
}

EngineRef open_engine(const Config& config, const TeamRef& team) {
  if (!team) return std::shared_ptr<runtime::Engine>();  // what is wrong with the team is said instead
  return base::guarded([&]() -> EngineRef {
    EngineRef mine = open_here(config, team->get());
    if (*team == nullptr || config.gpus.empty()) return mine;  // all have some or none has: they met so
    const base::Status status = mine ? base::Status(base::Done{}) : base::Status(mine.errors());
    TESSERA_TRY_STATUS((*team)->agree(status, {0, 0}));
    return mine;
  });
}

EngineRef engine_of_fork(const EngineRef& engine, const Config& before, const Config& config, const TeamRef& team) {
  const bool is_same = before.gpus == config.gpus && before.gpu_memory == config.gpu_memory &&
                       before.products == config.products && before.throttle == config.throttle;
  return is_same ? engine : open_engine(config, team);
}

}  // namespace tessera::embed
