#include "runtime/execute/throttle.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <map>
#include <set>
#include <thread>

#include "synth/moves/prices/carry_cost.hpp"
#include "synth/moves/prices/cut_cost.hpp"
#include "synth/moves/prices/delivery_cost.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/moves/prices/request_cost.hpp"

namespace tessera::runtime {

namespace {

double seconds_of(clockid_t clock) {
  constexpr double kNanosecond = 1e-9;
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * kNanosecond;
}

// Measures what this process, or this thread, has used of its cores, without the time in which others had them.
double process_seconds() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
double thread_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

std::vector<double> slowness_of(const synth::Machine& machine, std::int64_t devices) {
  std::vector<double> slowness;
  double fastest = 0;
  for (const synth::DeviceKind& kind : synth::kinds_of_devices(machine)) {
    fastest = std::max(fastest, kind.flops_per_second);
    slowness.push_back(kind.flops_per_second);
  }
  for (double& each : slowness) each = fastest / each;
  slowness.resize(static_cast<std::size_t>(devices), 1);
  return slowness;
}

// The first of the devices that exchange with this one: that with the same places along all other axes.
std::int64_t first_of_group(const synth::Mesh& mesh, const synth::AxisList& axes, std::int64_t device) {
  std::int64_t place = mesh.place(device);
  for (const synth::AxisPart& part : axes) {
    const std::int64_t stride = mesh.stride(part.axis) * (mesh.axes()[part.axis].size / (part.before * part.size));
    place -= place / stride % part.size * stride;
  }
  return mesh.device_at(place);
}

std::size_t index_of(const synth::Mesh& mesh, std::int64_t number) {
  return static_cast<std::size_t>(mesh.run_device(number));
}

}  // namespace

Throttle::Throttle(const synth::Machine& machine, std::int64_t devices, const Team& team)
    : machine_(machine),
      slowness_(slowness_of(machine, devices)),
      is_alone_(team.alone()),
      begun_(DeviceTimes::trace_clock()) {
  if (is_alone_) {
    one_core_.emplace(tbb::global_control::max_allowed_parallelism, 1);
    clocks_.assign(static_cast<std::size_t>(devices), 0);
    return;
  }
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  const double ranks = team.machine_count();
  if (ranks > cores) stretch_ = 2 * ranks / cores;
}

void Throttle::begin(const Block& block, bool is_single) {
  block_ = block;
  times_.reset();
  if (is_alone_ && is_single) times_.emplace(block, thread_seconds);
  step_begun_ = is_alone_ ? thread_seconds() : process_seconds();
}

void Throttle::end(const TileMap& result) {
  const double seconds = (is_alone_ ? thread_seconds() : process_seconds()) - step_begun_;
  if (is_alone_) {
    advance(result, seconds);
  } else {
    sleep(result, seconds);
  }
  times_.reset();
}

// Gives a device's share of the block's work: its tile's share of all tiles.
double Throttle::share(const TileMap& result, std::int64_t device) const {
  double all = 0;
  for (std::int64_t d = block_.begin; d < block_.end; ++d) {
    all += static_cast<double>(result.bytes[static_cast<std::size_t>(d)]);
  }
  if (all == 0) return 1 / static_cast<double>(std::max<std::int64_t>(1, block_.size()));
  return static_cast<double>(result.bytes[static_cast<std::size_t>(device)]) / all;
}

void Throttle::advance(const TileMap& result, double all) {
  for (std::int64_t device = block_.begin; device < block_.end; ++device) {
    const DeviceTimes::Time time = times_ ? (*times_)[device] : DeviceTimes::Time{};
    const double own = time.known ? time.end - time.begin : all * share(result, device);
    const std::size_t d = index_of(*result.mesh, device);
    clocks_[d] += own * slowness_[d];
  }
}

void Throttle::sleep(const TileMap& result, double seconds) const {
  double slower = 0;
  for (std::int64_t device = block_.begin; device < block_.end; ++device) {
    slower += share(result, device) * slowness_[index_of(*result.mesh, device)];
  }
  const double more = seconds * (slower * stretch_ - 1);
  if (more > 0) std::this_thread::sleep_for(std::chrono::duration<double>(more));
}

void Throttle::joined(const synth::Collective& step, const synth::ArrayType& before, const synth::ArrayType& after) {
  if (!is_alone_ || synth::movement(step) == synth::Movement::none) return;
  const synth::Mesh& mesh = after.mesh();
  const auto machine = synth::machine_for(machine_, std::ssize(clocks_));
  const double seconds = machine.ok() ? synth::cost(*machine, step, before, after).seconds : 0;
  const synth::AxisList& axes = synth::axes_of(step);
  if (axes.empty()) return join_all(before.mesh(), mesh, seconds);
  std::map<std::int64_t, double> last;  // of every group
  const auto group = [&](std::int64_t device) { return first_of_group(mesh, axes, device); };
  for (std::int64_t device = 0; device < mesh.devices(); ++device) {
    double& latest = last[group(device)];
    latest = std::max(latest, clocks_[index_of(mesh, device)]);
  }
  for (std::int64_t device = 0; device < mesh.devices(); ++device)
    clocks_[index_of(mesh, device)] = last[group(device)] + seconds;
}

void Throttle::joined(const synth::ArrayType& after, std::int64_t received_bytes) {
  if (!is_alone_ || received_bytes == 0) return;
  const auto machine = synth::machine_for(machine_, std::ssize(clocks_));
  const synth::MachineLevel link = machine.ok() ? machine->levels.back() : synth::MachineLevel{};
  const double own = static_cast<double>(received_bytes) / static_cast<double>(after.devices());
  join_all(after.mesh(), after.mesh(), own / synth::least_bandwidth(link) + link.latency_seconds);
}

void Throttle::carried(const synth::ArrayType& after, const synth::Running& running) {
  const std::vector<synth::CarryHop> hops = synth::carry_hops(after, running.dimension, running.reverse);
  if (!is_alone_ || hops.empty()) return;
  const auto machine = synth::machine_for(machine_, std::ssize(clocks_));
  const double seconds = machine.ok() ? synth::cost_of_carries(*machine, after, running.kind, hops).seconds : 0;
  join_all(after.mesh(), after.mesh(), seconds);
}

void Throttle::requested(const synth::ArrayType& table, const synth::ArrayType& ids, const synth::ArrayType& after) {
  if (!is_alone_ || !synth::takes_by_request(table, ids, after)) return;
  const auto machine = synth::machine_for(machine_, std::ssize(clocks_));
  if (machine.ok())
    join_all(after.mesh(), after.mesh(), synth::cost_of_requests(*machine, synth::RowRequests(table), ids).seconds);
}

void Throttle::delivered(const synth::ArrayType& rows, const synth::ArrayType& ids, const synth::ArrayType& after) {
  if (!is_alone_ || !synth::adds_by_delivery(rows, ids, after)) return;
  const auto machine = synth::machine_for(machine_, std::ssize(clocks_));
  if (machine.ok()) join_all(after.mesh(), after.mesh(), synth::cost_of_deliveries(*machine, rows, ids, after).seconds);
}

void Throttle::cut(const synth::ArrayType& lines, const synth::Sort& sort) {
  if (!is_alone_ || !synth::sorts_by_cuts(lines)) return;
  const auto machine = synth::machine_for(machine_, std::ssize(clocks_));
  if (machine.ok())
    join_all(lines.mesh(), lines.mesh(), synth::cost_of_cuts(*machine, synth::SortCuts(lines, sort.positions)).seconds);
}

void Throttle::join_all(const synth::Mesh& from, const synth::Mesh& to, double seconds) {
  std::set<std::size_t> devices;
  for (std::int64_t device = 0; device < from.devices(); ++device) devices.insert(index_of(from, device));
  for (std::int64_t device = 0; device < to.devices(); ++device) devices.insert(index_of(to, device));
  double last = 0;
  for (const std::size_t device : devices) last = std::max(last, clocks_[device]);
  for (const std::size_t device : devices) clocks_[device] = last + seconds;
}

double Throttle::clock() const {
  if (is_alone_) return *std::max_element(clocks_.begin(), clocks_.end());
  return (DeviceTimes::trace_clock() - begun_) / stretch_;
}

}  // namespace tessera::runtime
