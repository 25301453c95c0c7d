#include "tests/device/emulated_machine.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/device/door/cuda.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(begin, bytes) (static_cast<void>(begin), static_cast<void>(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(begin, bytes) (static_cast<void>(begin), static_cast<void>(bytes))
#endif

namespace tessera::emulated {

namespace {

constexpr std::size_t kAligned = 256;
constexpr int kNewMemory = 0xff;
constexpr int kBeforeMemory = 0xdb;

std::size_t number_of(const char* variable, std::size_t otherwise) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? otherwise : static_cast<std::size_t>(std::strtoull(value, nullptr, 10));
}

std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }
std::byte* pointer(Address address) { return reinterpret_cast<std::byte*>(address); }

// What lies between the first page that may be touched and the allocation: nobody has written there.
void check_untouched(Address address, const Allocation& allocation) {
  for (const std::byte* at = allocation.mapped + page(); at < pointer(address); ++at) {
    if (*at != std::byte{kBeforeMemory}) {
      std::fputs("emulated driver: memory before an allocation was written\n", stderr);
      std::abort();
    }
  }
}

}  // namespace

Machine::Machine() : order_(number_of("TESSERA_EMULATED_SEED", 1)) {
  memory_ = number_of("TESSERA_EMULATED_MEMORY", std::size_t{512} << 20U);
  const std::size_t gpus = number_of("TESSERA_EMULATED_GPUS", 1);
  for (std::size_t i = 0; i < gpus; ++i)
    contexts_.push_back(std::make_unique<Context>(Context{static_cast<int>(i), 0, {}}));
}

std::size_t Machine::left(int gpu) const {
  std::size_t taken = 0;
  for (const auto& [address, allocation] : allocations_) taken += allocation.gpu == gpu ? allocation.bytes : 0;
  return memory_ - taken;
}

// It ends where a page ends that may be touched.
bool Machine::allocate(int gpu, std::size_t bytes, Address& address) {
  if (bytes == 0 || bytes > left(gpu)) return false;
  const std::size_t room = rounded(bytes, kAligned);
  const std::size_t inside = rounded(room, page());
  const std::size_t all = inside + 2 * page();
  void* const mapped = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return false;
  auto* const first = static_cast<std::byte*>(mapped);
  std::byte* const begin = first + page() + (inside - room);
  std::memset(first + page(), kBeforeMemory, inside - room);
  std::memset(begin, kNewMemory, room);
  ASAN_POISON_MEMORY_REGION(begin + bytes, room - bytes);
  mprotect(mapped, all, PROT_NONE);
  address = reinterpret_cast<Address>(begin);
  allocations_[address] = {first, all, bytes, gpu};
  return true;
}

bool Machine::free(Address address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return false;
  go_on_until_idle();
  const Allocation& allocation = found->second;
  mprotect(allocation.mapped + page(), allocation.mapped_bytes - 2 * page(), PROT_READ);
  check_untouched(address, allocation);
  unmap(allocation);
  allocations_.erase(found);
  return true;
}

void Machine::unmap(const Allocation& allocation) {
  ASAN_UNPOISON_MEMORY_REGION(allocation.mapped, allocation.mapped_bytes);
  munmap(allocation.mapped, allocation.mapped_bytes);
}

const Allocation* Machine::holder(Address begin, std::size_t bytes) const {
  auto found = allocations_.upper_bound(begin);
  if (found == allocations_.begin()) return nullptr;
  --found;
  const bool holds =
      begin - found->first <= found->second.bytes && bytes <= found->second.bytes - (begin - found->first);
  return holds ? &found->second : nullptr;
}

bool Machine::is_pinned(const void* begin, std::size_t bytes) const {
  const auto* const at = static_cast<const std::byte*>(begin);
  auto found = pinned_.upper_bound(at);
  if (found == pinned_.begin()) return false;
  --found;
  return static_cast<std::size_t>(at - found->first) + bytes <= found->second;
}

void* Machine::give(std::shared_ptr<Thing> thing) {
  Thing* const handle = thing.get();
  things_[handle] = std::move(thing);
  return handle;
}

std::string Machine::held() const {
  std::map<std::string, std::size_t> counts{
      {"allocation of memory", allocations_.size()}, {"pinned buffer", pinned_.size()}, {"stream", streams_.size()}};
  for (const auto& [handle, thing] : things_) ++counts[thing->name()];
  for (const auto& context : contexts_) counts["context"] += static_cast<std::size_t>(context->holders);
  std::string text;
  for (const auto& [name, count] : counts) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name + (count > 1 ? "s" : "");
  }
  return text;
}

void Machine::forget() {
  streams_.clear();
  things_.clear();
  for (const auto& [address, allocation] : allocations_) unmap(allocation);
  allocations_.clear();
  for (const auto& [begin, bytes] : pinned_) std::free(const_cast<std::byte*>(begin));
  pinned_.clear();
  for (const auto& context : contexts_) context->holders = 0;
  open_ = kNobody;
}

Stream* Machine::new_stream(Context& context) {
  auto stream = std::make_unique<Stream>();
  stream->context = &context;
  Stream* const made = stream.get();
  streams_[made] = std::move(stream);
  return made;
}

bool Machine::end_stream(Stream* stream) {
  if (!knows(stream)) return false;
  go_on_until([&] { return stream->tasks.empty(); });
  streams_.erase(stream);
  return true;
}

void Machine::add(Stream& stream, Task task) {
  task.gpu = stream.context->gpu;
  if (stream.capture != nullptr) {
    stream.capture->tasks.push_back(std::move(task));
  } else {
    stream.tasks.push_back(std::move(task));
  }
}

void Machine::add_graph(Stream& stream, const Graph& graph) {
  for (const Task& task : graph.tasks) stream.tasks.push_back(task);
}

// A GPU reaches its own memory and that of its peers, while it works; the host none at any time. What one GPU does
// after the other's work is not closed in between.
void Machine::open_for(int gpu) {
  if (open_ == gpu) return;
  close();
  open_ = gpu;
  protect(gpu, true);
}
void Machine::close() {
  if (open_ != kNobody) protect(open_, false);
  open_ = kNobody;
}
void Machine::protect(int gpu, bool open) {
  const std::set<int>& peers = context(gpu).peers;
  for (const auto& [address, allocation] : allocations_) {
    if (allocation.gpu != gpu && !peers.contains(allocation.gpu)) continue;
    mprotect(allocation.mapped + page(), allocation.mapped_bytes - 2 * page(),
             open ? PROT_READ | PROT_WRITE : PROT_NONE);
  }
}

void Machine::run(Task& task) {
  if (!task.run) return;
  open_for(task.gpu);
  task.run();
}

void Machine::copy_between(Address to, Address from, std::size_t bytes) {
  close();
  for (int gpu = 0; gpu < gpus(); ++gpu) protect(gpu, true);
  std::memcpy(pointer(to), pointer(from), bytes);
  for (int gpu = 0; gpu < gpus(); ++gpu) protect(gpu, false);
}

bool Machine::step() {
  std::vector<Stream*> ready;
  for (const auto& [stream, owned] : streams_) {
    if (stream->tasks.empty()) continue;
    const Task& next = stream->tasks.front();
    if (next.waits_for == nullptr || next.waits_for->done >= next.record) ready.push_back(stream);
  }
  if (ready.empty()) return false;
  // Addresses give no order that a seed could repeat, but that of one run.
  Stream& chosen = *ready[order_() % ready.size()];
  Task task = std::move(chosen.tasks.front());
  chosen.tasks.pop_front();
  run(task);
  return true;
}

bool Machine::go_on_until(const std::function<bool()>& holds) {
  bool can = true;
  while (!holds() && can) can = step();
  close();
  return holds();
}

bool Machine::go_on_until_idle() {
  while (step()) {
  }
  close();
  return true;
}

void Machine::take_one() {
  step();
  close();
}

// After a loss nothing works until the variable changes; of several GPUs that is so for the one that the call was for.
int Machine::failure_of(const char* symbol, int gpu) {
  if (failing_.is_told_anew()) lost_ = 0;
  const bool is_of_driver = symbol == std::string_view("cuInit") || symbol == std::string_view("cuDriverGetVersion");
  if (lost_ != 0 && !is_of_driver && (lost_gpu_ == kNobody || lost_gpu_ == gpu)) return lost_;
  const int code = failing_.code_of(symbol);
  if (device::cuda::is_loss(code)) {
    lost_ = code;
    lost_gpu_ = gpus() > 1 ? gpu : kNobody;
  }
  return code;
}

Machine& machine() {
  static Machine* const one = new Machine;  // is there as long as the process is
  return *one;
}

int enqueue(void* stream, std::function<void()> run) {
  Machine& m = machine();
  const std::scoped_lock lock(m.mutex());
  if (!m.knows(static_cast<Stream*>(stream))) return 400;
  m.add(*static_cast<Stream*>(stream), {0, std::move(run)});
  return 0;
}

}  // namespace tessera::emulated
