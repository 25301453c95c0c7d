#include "synth/program/compute_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "synth/moves/prices/carry_cost.hpp"
#include "synth/moves/prices/cut_cost.hpp"
#include "synth/moves/prices/delivery_cost.hpp"
#include "synth/moves/prices/request_cost.hpp"
#include "synth/program/contraction.hpp"
#include "synth/program/fetched_parts.hpp"
#include "synth/program/running.hpp"

namespace tessera::synth {

namespace {

double elements_of(const Box& box) { return static_cast<double>(elements(box)); }

double elements_of(const std::vector<Box>& boxes) {
  double all = 0;
  for (const Box& box : boxes) all += elements_of(box);
  return all;
}

// A device's tiles of the operands and of the result.
struct Tiles {
  std::vector<Box> operands;
  Box result;
};

using Lengths = std::array<double, 256>;

// Every combination of the indices' values is a multiply-add for each operand after the first, or an addition.
double operations(const Contract& contract, const Lengths& lengths) {
  std::array<bool, 256> met{};
  double combinations = 1;
  for (const auto& indices : contract.operand_indices) {
    for (const std::uint8_t index : indices) {
      if (!met.at(index)) combinations *= lengths.at(index);
      met.at(index) = true;
    }
  }
  return combinations * static_cast<double>(std::max<std::size_t>(1, 2 * (contract.operand_indices.size() - 1)));
}
// Several operands are multiplied in pairs.
double operations(const Contract& contract, const Tiles& tiles) {
  std::array<std::optional<std::int64_t>, 256> extents;  // of a diagonal no more than its tile has
  for (std::size_t k = 0; k < tiles.operands.size(); ++k) {
    for (std::size_t d = 0; d < tiles.operands[k].size(); ++d) {
      auto& extent = extents.at(contract.operand_indices[k][d]);
      const std::int64_t own = tiles.operands[k][d].length();
      extent = std::min(extent.value_or(own), own);
    }
  }
  Lengths lengths{};
  std::vector<Shape> shapes;
  for (const auto& indices : contract.operand_indices) {
    shapes.emplace_back();
    for (const std::uint8_t index : indices) {
      shapes.back().push_back(*extents.at(index));
      lengths.at(index) = static_cast<double>(*extents.at(index));
    }
  }
  const std::vector<ContractionStep> steps = contraction_steps(contract, shapes);
  if (steps.empty()) return operations(contract, lengths);
  double all = 0;
  for (const ContractionStep& step : steps) all += operations(step.how, lengths);
  return all;
}
double operations(const Map&, const Tiles& tiles) { return elements_of(tiles.result); }
double operations(const Reduce&, const Tiles& tiles) { return elements_of(tiles.operands); }
double operations(const ArgReduce&, const Tiles& tiles) { return elements_of(tiles.operands); }
double operations(const Find&, const Tiles& tiles) { return elements_of(tiles.operands); }
double operations(const Scan&, const Tiles& tiles) { return elements_of(tiles.result); }
double operations(const Recur&, const Tiles& tiles) { return 2 * elements_of(tiles.result); }
double operations(const ScatterAdd&, const Tiles& tiles) { return elements_of(tiles.operands.front()); }
double operations(const Search&, const Tiles& tiles) {
  return elements_of(tiles.result) * std::log2(std::max(elements_of(tiles.operands.front()), 1.0));
}
double operations(const Sort&, const Tiles& tiles) {
  const double line = tiles.result.empty() ? 1 : static_cast<double>(tiles.result.back().length());
  return elements_of(tiles.result) * std::log2(std::max(line, 1.0));
}
double operations(const Greatest& greatest, const Tiles& tiles) {
  return elements_of(tiles.operands) +
         elements_of(tiles.result) * std::log2(std::max(static_cast<double>(greatest.count), 1.0));
}
double operations(const Candidates& candidates, const Tiles& tiles) {
  return operations(Greatest{candidates.count}, tiles);
}
// Some five operations for an element and a doubling of the line; a multiplication of complex numbers is six.
double operations(const Fourier& fourier, const Tiles& tiles) {
  const auto line = static_cast<double>(tiles.operands.front()[fourier.dimension].length());
  return 5 * elements_of(tiles.operands.front()) * std::log2(std::max(line, 2.0));
}
// For every matrix. An eigenvalue decomposition takes some ten times the operations of a product.
double operations(const MatrixFunction& function, const Tiles& tiles) {
  const Box& matrix = tiles.operands.front();
  const auto rows = static_cast<double>(matrix[matrix.size() - 2].length());
  const auto columns = static_cast<double>(matrix.back().length());
  const double less = std::min(rows, columns);
  const double all = elements_of(matrix) * less;  // rows * columns * less, of all matrices
  switch (function.op) {
    case MatrixOp::cholesky: return all / 3;
    case MatrixOp::solve: return all * 2 / 3 + elements_of(tiles.result) * rows * 2;
    case MatrixOp::solve_lower:
    case MatrixOp::solve_upper: return elements_of(tiles.result) * rows;
    case MatrixOp::determinant: return all * 2 / 3;
    case MatrixOp::factor_qr: return all * 4;
    case MatrixOp::eigen: return all * 10;
    case MatrixOp::singular: return all * 30;
  }
  return 0;
}
// Operations that copy, look up or make values compute nothing: they cost their bytes alone.
template <class Other>
double operations(const Other&, const Tiles&) {
  return 0;
}

template <class T>
constexpr bool is_local =
    !(std::is_same_v<T, Assemble> || std::is_same_v<T, Collect> || std::is_same_v<T, PrintText> ||
      std::is_same_v<T, Print> || std::is_same_v<T, Show> || std::is_same_v<T, Save> || std::is_same_v<T, Assert>);

double bytes_of_tiles(const Operation& operation, const std::vector<ArrayType>& operands, const ArrayType& result,
                      const Tiles& tiles, const AtHand& at_hand) {
  if (std::holds_alternative<Reshape>(operation)) return 0;  // another look at the same bytes
  double bytes = at_hand.result ? 0 : elements_of(tiles.result) * static_cast<double>(bytes_of(result.element()));
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (k < at_hand.operands.size() && at_hand.operands[k]) continue;
    bytes += elements_of(tiles.operands[k]) * static_cast<double>(bytes_of(operands[k].element()));
  }
  return bytes;
}

// The result is read and written once.
double seconds_to_copy(const Machine& machine, const ArrayType& result) {
  double seconds = 0;
  for (std::int64_t device = 0; device < result.devices(); ++device) {
    const double bytes = 2 * static_cast<double>(tile_bytes(result, device));
    const DeviceKind& kind = machine.devices.at(result.mesh().device_of_run(device).value);
    seconds = std::max(seconds, bytes / kind.bandwidth_bytes_per_second);
  }
  return seconds;
}

// What goes from tile to tile along a split dimension. A machine file that does not fit was refused where a change of
// layout was planned.
double carry_seconds(const Machine& machine, const Operation& operation, const ArrayType& result) {
  const auto running = running_of(operation);
  if (!running.has_value() || result.layout().split(running->dimension).empty()) return 0;
  const auto fitting = machine_for(machine, result.mesh().devices_end());
  const auto hops = carry_hops(result, running->dimension, running->reverse);
  return fitting.ok() ? cost_of_carries(*fitting, result, running->kind, hops).seconds : 0;
}

// The rows that a take fetches by request.
double request_seconds(const Machine& machine, const Operation& operation, const std::vector<ArrayType>& operands,
                       const ArrayType& result) {
  if (!std::holds_alternative<Take>(operation) || !takes_by_request(operands[0], operands[1], result)) return 0;
  const auto fitting = machine_for(machine, result.mesh().devices_end());
  return fitting.ok() ? cost_of_requests(*fitting, RowRequests(operands[0]), operands[1]).seconds : 0;
}

// The rows that a scatter_add delivers.
double delivery_seconds(const Machine& machine, const Operation& operation, const std::vector<ArrayType>& operands,
                        const ArrayType& result) {
  if (!std::holds_alternative<ScatterAdd>(operation) || !adds_by_delivery(operands[0], operands[1], result)) return 0;
  const auto fitting = machine_for(machine, result.mesh().devices_end());
  return fitting.ok() ? cost_of_deliveries(*fitting, operands[0], operands[1], result).seconds : 0;
}

// The cuts of lines that are sorted over several tiles.
double cut_seconds(const Machine& machine, const Operation& operation, const std::vector<ArrayType>& operands) {
  const auto* sort = std::get_if<Sort>(&operation);
  if (sort == nullptr || !sorts_by_cuts(operands[0])) return 0;
  const auto fitting = machine_for(machine, operands[0].mesh().devices_end());
  return fitting.ok() ? cost_of_cuts(*fitting, SortCuts(operands[0], sort->positions)).seconds : 0;
}

// What the parts of an array fetch.
double fetch_seconds(const Machine& machine, const Assemble& assemble, const std::vector<ArrayType>& operands,
                     const ArrayType& result) {
  if (received_by_parts(assemble, operands, result) == 0) return 0;
  const auto fitting = machine_for(machine, result.mesh().devices_end());
  return fitting.ok() ? fetched_parts(assemble, operands, result, *fitting).seconds : 0;
}

double slowness(ElementType element) { return part_of(element) == ElementType::f64 ? 2 : 1; }

// What a device does for a step, and how long it takes.
struct DeviceWork {
  std::int64_t device = 0;
  double operations = 0;
  double bytes = 0;
  double seconds = 0;
};

// Gives `take` the work of one device after the other. False where compute_cost gives nothing.
template <class F>
bool each_work(const Machine& machine, const Operation& operation, const std::vector<ArrayType>& operands,
               const ArrayType& result, const AtHand& at_hand, const F& take) {
  const bool local = std::visit([](const auto& each) { return is_local<std::decay_t<decltype(each)>>; }, operation);
  const std::vector<DeviceKind> kinds = kinds_of_devices(machine);
  if (!local || kinds.empty() || std::ssize(kinds) < result.mesh().devices_end()) return false;
  for (std::int64_t device = 0; device < result.devices(); ++device) {
    Tiles tiles{{}, tile(result, device)};
    for (const ArrayType& operand : operands) tiles.operands.push_back(tile(operand, device));
    const DeviceKind& kind = kinds[result.mesh().device_of_run(device).value];
    const double count = std::visit([&](const auto& each) { return operations(each, tiles); }, operation);
    const double bytes = bytes_of_tiles(operation, operands, result, tiles, at_hand);
    const double seconds =
        std::max(count * slowness(result.element()) / kind.flops_per_second, bytes / kind.bandwidth_bytes_per_second);
    take(DeviceWork{device, count, bytes, seconds});
  }
  return true;
}

}  // namespace

std::optional<ComputeCost> compute_cost(const Machine& machine, const Operation& operation,
                                        const std::vector<ArrayType>& operands, const ArrayType& result,
                                        const AtHand& at_hand) {
  ComputeCost cost{-1, 0, std::numeric_limits<double>::infinity(), 0, 0};
  const bool is_known = each_work(machine, operation, operands, result, at_hand, [&](const DeviceWork& work) {
    cost.operations += work.operations;
    cost.bytes += work.bytes;
    cost.fastest_seconds = std::min(cost.fastest_seconds, work.seconds);
    if (work.seconds <= cost.seconds) return;
    cost.seconds = work.seconds;
    cost.slowest = work.device;
  });
  return is_known ? std::optional(cost) : std::nullopt;
}

std::vector<double> seconds_by_device(const Machine& machine, const Operation& operation,
                                      const std::vector<ArrayType>& operands, const ArrayType& result,
                                      const AtHand& at_hand) {
  std::vector<double> seconds;
  each_work(machine, operation, operands, result, at_hand,
            [&](const DeviceWork& work) { seconds.push_back(work.seconds); });
  return seconds;
}

Machine with_every_device(const Machine& machine, std::int64_t devices) {
  Machine all{machine.levels, kinds_of_devices(machine)};
  for (DeviceKind& kind : all.devices) kind.count = 1;
  all.devices.resize(std::max(all.devices.size(), static_cast<std::size_t>(devices)));
  return all;
}

double local_seconds(const Machine& machine, const Operation& operation, const std::vector<ArrayType>& operands,
                     const ArrayType& result) {
  if (const auto* assemble = std::get_if<Assemble>(&operation))
    return seconds_to_copy(machine, result) + fetch_seconds(machine, *assemble, operands, result);
  const auto cost = compute_cost(machine, operation, operands, result);
  const double carried = carry_seconds(machine, operation, result) + cut_seconds(machine, operation, operands);
  return (cost ? cost->seconds : 0) + carried + request_seconds(machine, operation, operands, result) +
         delivery_seconds(machine, operation, operands, result);
}

}  // namespace tessera::synth
