#include "runtime/device/gpu/launch_queue.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <utility>

namespace tessera::device {

namespace {

// A graph is worth making for what has come so often already, and of so many launches.
constexpr int kTimesBeforeGraph = 2;
constexpr int kNever = std::numeric_limits<int>::min();
constexpr std::size_t kLaunchesForGraph = 2;
// Queues that are remembered, with a graph or without.
constexpr std::size_t kQueuesKept = 64;

constexpr std::size_t kArgsAligned = 16;

std::uint64_t queue_hash(std::span<const std::byte> bytes) {
  std::uint64_t hash = bytes.size();
  for (std::size_t at = 0; at + sizeof(hash) <= bytes.size(); at += sizeof(hash)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 29U;
  }
  return hash;
}

template <class T>
void append(std::vector<std::byte>& bytes, const T& value) {
  const auto view = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), view.begin(), view.end());
}

}  // namespace

LaunchQueue::~LaunchQueue() {
  const Current current(gpu_);
  forget();
}

void LaunchQueue::add(const Kernel& kernel, std::int64_t blocks, std::span<const std::byte> args) {
  launches_.push_back({kernel, static_cast<unsigned>(blocks), args_.size(), args.size()});
  args_.insert(args_.end(), args.begin(), args.end());
  args_.resize((args_.size() + kArgsAligned - 1) / kArgsAligned * kArgsAligned);
}

std::vector<KeptLaunch> LaunchQueue::since(std::size_t size) const {
  std::vector<KeptLaunch> kept;
  for (std::size_t i = size; i < launches_.size(); ++i) {
    const Launch& launch = launches_[i];
    const std::byte* const args = args_.data() + launch.args;
    kept.push_back({launch.kernel, launch.blocks, {args, args + launch.args_size}});
  }
  return kept;
}

std::vector<std::byte> LaunchQueue::key() const {
  std::vector<std::byte> key;
  key.reserve(args_.size() + launches_.size() * 16);
  for (const Launch& launch : launches_) {
    append(key, launch.kernel.function);
    append(key, static_cast<std::uint64_t>(launch.blocks));
  }
  key.insert(key.end(), args_.begin(), args_.end());
  return key;
}

base::Status LaunchQueue::begin() {
  if (launches_.empty()) return base::Done{};
  base::Status begun = base::Done{};
  if (launches_.size() < kLaunchesForGraph) {
    begun = launch_all();
  } else {
    Seen& seen = find(key());
    if (seen.graph == nullptr && seen.times++ >= kTimesBeforeGraph) {
      begun = make_graph(seen);
    }
    if (begun.ok() && seen.graph != nullptr) {
      begun = gpu_.check(gpu_.calls().launch_graph(seen.graph, gpu_.stream()), "a graph of launches");
    } else if (begun.ok()) {
      begun = launch_all();
    }
  }
  launches_.clear();
  args_.clear();
  return begun;
}

base::Status LaunchQueue::launch_all() {
  for (const Launch& launch : launches_) {
    std::size_t size = launch.args_size;
    std::array<void*, 5> extra{reinterpret_cast<void*>(cuda::kLaunchBuffer), args_.data() + launch.args,
                               reinterpret_cast<void*>(cuda::kLaunchBufferSize), &size,
                               reinterpret_cast<void*>(cuda::kLaunchEnd)};
    const int code = gpu_.calls().launch(launch.kernel.function, launch.blocks, 1, 1, launch.kernel.threads, 1, 1, 0,
                                         gpu_.stream(), nullptr, extra.data());
    TESSERA_TRY_STATUS(gpu_.check(code, "the launch of a kernel"));
  }
  return base::Done{};
}

LaunchQueue::Seen& LaunchQueue::find(std::vector<std::byte> key) {
  const std::uint64_t hash = queue_hash(key);
  const auto known = entries_.find(hash);
  if (known != entries_.end()) {
    Entry& entry = known->second;
    recent_.splice(recent_.begin(), recent_, entry.place);
    if (entry.seen.key != key) {
      end(entry.seen);
      entry.seen = {std::move(key), 0, nullptr};
    }
    return entry.seen;
  }
  if (entries_.size() >= kQueuesKept) {
    const auto oldest = entries_.find(recent_.back());
    end(oldest->second.seen);
    entries_.erase(oldest);
    recent_.pop_back();
  }
  recent_.push_front(hash);
  return entries_.emplace(hash, Entry{{std::move(key), 0, nullptr}, recent_.begin()}).first->second.seen;
}

// A driver that does not want to make one is no failure: what was added is launched one by one.
base::Status LaunchQueue::make_graph(Seen& seen) {
  const CudaCalls& calls = gpu_.calls();
  TESSERA_TRY_STATUS(gpu_.check(calls.begin_capture(gpu_.stream(), cuda::kCaptureOfThread), "a graph of launches"));
  const base::Status noted = launch_all();
  void* graph = nullptr;
  const int code = calls.end_capture(gpu_.stream(), &graph);
  if (noted.ok() && code == 0 && calls.instantiate(&seen.graph, graph, 0) != 0)
    seen = {std::move(seen.key), kNever, nullptr};
  if (graph != nullptr) calls.end_graph(graph);
  TESSERA_TRY_STATUS(noted);
  return gpu_.check(code, "a graph of launches");
}

void LaunchQueue::end(Seen& seen) {
  if (seen.graph != nullptr) gpu_.calls().end_instance(seen.graph);
  seen.graph = nullptr;
}

void LaunchQueue::forget() {
  for (auto& [hash, entry] : entries_) end(entry.seen);
  entries_.clear();
  recent_.clear();
}

}  // namespace tessera::device
