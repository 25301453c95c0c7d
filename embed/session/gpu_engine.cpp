#include "embed/session/gpu_engine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
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

// The numbers of a list or of all GPUs, of those that there are.
base::Result<std::vector<int>> numbers_of(const std::string& gpus, const device::Cuda& cuda) {
  if (!cuda.is_there()) {
    return none(cuda.missing).suggest("install NVIDIA's driver; looked for here:\n" + text_of(cuda.search));
  }
  TESSERA_TRY(count, device::count_gpus(cuda));
  if (count == 0) return none("the driver knows of none").suggest("`nvidia-smi` lists those that the driver knows");
  if (gpus == "all") {
    std::vector<int> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
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

// A process runs on one GPU. That of a list has others is said, not passed over.
base::Status is_one(const std::string& gpus, const std::vector<int>& mine) {
  const bool is_alike = std::all_of(mine.begin(), mine.end(), [&](int number) { return number == mine.front(); });
  if (gpus == "all" || is_alike) return base::Done{};
  return base::make(Kind::bad_call, fmt::format("GPUs {} are too many for one process", fmt::join(mine, " and ")))
      .suggest("a process runs on one GPU: start a rank for each, `mpirun -np N tessera run --gpu FILE`");
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
  TESSERA_TRY_STATUS(is_one(config.gpus, request.numbers));
  request.memory_bytes = config.gpu_memory;
  request.ordered_products = config.products == Products::ordered;
  request.folders = folders;
  return device::open_gpus(request);
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
