#include "typeck/typed/moved_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/units_text.hpp"
#include "base/wide.hpp"
#include "synth/layout/tiling.hpp"
#include "synth/moves/collective/carries.hpp"
#include "synth/moves/collective/deliveries.hpp"
#include "synth/moves/collective/moves.hpp"
#include "synth/moves/collective/requests.hpp"
#include "synth/moves/collective/sort_cuts.hpp"
#include "synth/moves/prices/cut_cost.hpp"
#include "synth/moves/prices/delivery_cost.hpp"
#include "synth/moves/prices/request_cost.hpp"
#include "synth/program/fetched_parts.hpp"
#include "synth/program/running.hpp"

namespace tessera::typeck {

namespace {

using synth::Assemble;
using synth::Part;

std::string_view word_of(const synth::Operation& operation) {
  if (synth::running_of(operation).has_value()) return "carry";
  if (std::holds_alternative<synth::Take>(operation)) return "fetch";
  if (std::holds_alternative<synth::Sort>(operation)) return "cut";
  return std::holds_alternative<synth::ScatterAdd>(operation) ? "deliver" : "assemble";
}

bool is_placed_at_run_time(const Part& part) {
  return std::ranges::any_of(part.placements, [](const synth::Placement& own) { return own.scalar >= 0; });
}

bool is_most(const synth::Operation& operation) {
  const auto* assemble = std::get_if<Assemble>(&operation);
  if (assemble == nullptr) return !synth::running_of(operation).has_value();
  return std::ranges::any_of(assemble->parts, is_placed_at_run_time);
}

// The operands whose elements move, each once.
std::vector<NodeId> moved_operands(const Compute& compute) {
  std::vector<NodeId> all;
  const auto add = [&](NodeId node) {
    if (std::ranges::find(all, node) == all.end()) all.push_back(node);
  };
  if (const auto* assemble = std::get_if<Assemble>(&compute.operation)) {
    for (const Part& part : assemble->parts) add(compute.operands[part.operand]);
  } else {
    for (const NodeId node : compute.operands) add(node);
  }
  return all;
}

// Devices that would have all of an array lack what their tile has not. No type says that they do, so that there may be
// more bytes than 63 bits can count.
base::Wide gathered_bytes(const ArrayType& type) {
  base::Wide bytes = 0;
  for (std::int64_t device = 0; device < type.devices(); ++device)
    bytes += synth::array_bytes(type) - synth::tile_bytes(type, device);
  return bytes;
}

// What each device receives, at most where values decide.
std::vector<std::int64_t> received_by(const Typed& typed, const Compute& compute, const ArrayType& result) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(result.devices()), 0);
  const auto type = [&](std::size_t operand) -> const ArrayType& { return typed.type(compute.operands[operand]); };
  const auto add = [&](std::int64_t device, std::int64_t own) { bytes[static_cast<std::size_t>(device)] += own; };
  if (const auto running = synth::running_of(compute.operation)) {
    for (const synth::CarryHop& hop : synth::carry_hops(result, running->dimension, running->reverse))
      add(hop.target, synth::carry_bytes(hop, result.element(), running->kind));
  } else if (const auto* sort = std::get_if<synth::Sort>(&compute.operation)) {
    const synth::SortCuts cuts(type(0), sort->positions);
    for (std::int32_t device = 0; device < result.devices(); ++device)
      add(device, cuts.search_bytes_at_most(device) + cuts.run_bytes_at_most(device));
  } else if (std::holds_alternative<synth::Take>(compute.operation)) {
    const synth::RowRequests requests(type(0));
    for (std::int32_t device = 0; device < result.devices(); ++device) {
      const std::int64_t rows = requests.rows_at_most(device, synth::elements(synth::tile(type(1), device)));
      add(device, rows * (requests.number_bytes() + requests.row_bytes(device)));
    }
  } else if (std::holds_alternative<synth::ScatterAdd>(compute.operation)) {
    for (std::int32_t device = 0; device < result.devices(); ++device)
      add(device, synth::delivered_bytes_at_most(type(0), type(1), result, device));
  } else if (const auto* assemble = std::get_if<Assemble>(&compute.operation)) {
    for (const Part& part : assemble->parts) {
      const ArrayType& own = type(part.operand);
      const synth::Offset offset = synth::offset_of(part);
      const synth::CopyWalk walk(own, result, &offset);
      for (std::int32_t device = 0; device < result.devices(); ++device) {
        const std::int64_t most = std::min(synth::tile_bytes(result, device), synth::array_bytes(own));
        const std::int64_t exact = walk.received_elements(device) * synth::bytes_of(result.element());
        add(device, !is_placed_at_run_time(part) ? exact : own.layout().is_replicated() ? 0 : most);
      }
    }
  }
  return bytes;
}

// Operands, each once, and the result. What parts are laid over is the result's memory.
std::int64_t peak_bytes(const Typed& typed, const std::vector<NodeId>& operands, const ArrayType& result) {
  std::int64_t most = 0;
  for (std::int64_t device = 0; device < result.devices(); ++device) {
    std::int64_t bytes = synth::tile_bytes(result, device);
    for (const NodeId operand : operands) bytes += synth::tile_bytes(typed.type(operand), device);
    most = std::max(most, bytes);
  }
  return most;
}

}  // namespace

MovedParts moved_parts(const Typed& typed, const Node& node) {
  const auto& compute = std::get<Compute>(node.body);
  const std::vector<NodeId> operands = moved_operands(compute);
  const ArrayType& result = node.types.at(0);
  MovedParts moved{word_of(compute.operation), is_most(compute.operation), {}, result, compute.received_bytes};
  base::Wide gathered = 0;
  for (const NodeId operand : operands) {
    moved.from.push_back(typed.type(operand));
    gathered += gathered_bytes(typed.type(operand));
  }
  constexpr base::Wide kMost = std::numeric_limits<std::int64_t>::max();
  moved.gathered_bytes = static_cast<std::int64_t>(std::min(gathered, kMost));
  const std::vector<std::int64_t> received = received_by(typed, compute, result);
  moved.received_max = *std::ranges::max_element(received);
  moved.peak_bytes = peak_bytes(typed, operands, result);
  return moved;
}

// Boxes and carries are the least between these types: each device receives just what it lacks, once.
std::string print(const MovedParts& moved) {
  std::string types;
  for (const ArrayType& type : moved.from) types += (types.empty() ? "" : ", ") + synth::print(type);
  const std::string_view most = moved.is_most ? "at most " : "";
  const std::string each = fmt::format("{}{}", most, base::bytes_text(moved.received_max));
  const std::string bytes = base::bytes_text(moved.received_bytes);
  const std::string least = moved.is_most ? "" : fmt::format("at least {} between these layouts; ", bytes);
  std::string text = fmt::format("{} -> {}\n", types, synth::print(moved.to));
  const std::size_t width = std::max(each.size(), std::string_view("received by each").size());
  text += fmt::format("  {:<8}  {:<{}}  peak\n", "step", "received by each", width);
  text += fmt::format("  {:<8}  {:<{}}  {}\n", moved.op, each, width, base::bytes_text(moved.peak_bytes));
  return text + fmt::format("  received  {}{} in all ({}gathered first: {})\n", most, bytes, least,
                            base::bytes_text(moved.gathered_bytes));
}

namespace {

// The elements of the part that lie in a box of the numbers of copies.
synth::Box source_box(const synth::Box& numbers, const synth::Offset& offset) {
  synth::Box box;
  for (std::size_t d = 0; d < numbers.size(); ++d) {
    const synth::Shift& shift = offset[d];
    const std::int64_t first = shift.offset + shift.step * numbers[d].begin;
    const std::int64_t last = shift.offset + shift.step * (numbers[d].end - 1);
    box.push_back({std::min(first, last), std::max(first, last) + 1});
  }
  return box;
}

MovedArray of_part(const Part& part, const ArrayType& own, const ArrayType& result, const synth::RunMachine& machine) {
  MovedArray array{{}, own, result, {}};
  if (is_placed_at_run_time(part)) return array;
  const synth::Offset offset = synth::offset_of(part);
  for (const synth::BoxCopy& copy : synth::copies(machine, own, result, &offset)) {
    if (copy.source == copy.target) continue;
    array.moves.push_back({copy.source, copy.target, source_box(copy.box, offset),
                           synth::elements(copy.box) * synth::bytes_of(result.element()), 0});
  }
  return array;
}

std::vector<MovedArray> of_assemble(const Typed& typed, const Compute& compute, const Assemble& assemble,
                                    const ArrayType& result, const synth::RunMachine& machine) {
  std::vector<MovedArray> all;
  for (std::size_t k = 0; k < assemble.parts.size(); ++k) {
    const Part& part = assemble.parts[k];
    all.push_back(of_part(part, typed.type(compute.operands[part.operand]), result, machine));
    if (assemble.parts.size() > 1) all.back().what = fmt::format("part {} of {}", k + 1, assemble.parts.size());
  }
  return all;
}

// A hop for each boundary; what goes over it stands at the end of the tile before.
MovedArray of_carries(const synth::Running& running, const ArrayType& result) {
  MovedArray array{{}, result, result, {}};
  std::int64_t hop = -1;
  std::int64_t position = -1;
  for (const synth::CarryHop& one : synth::carry_hops(result, running.dimension, running.reverse)) {
    if (one.position != position) ++hop;
    position = one.position;
    synth::Box box = synth::tile(result, one.source);
    synth::Interval& side = box[running.dimension];
    side = running.reverse ? synth::Interval{side.begin, side.begin + 1} : synth::Interval{side.end - 1, side.end};
    array.moves.push_back(
        {one.source, one.target, std::move(box), synth::carry_bytes(one, result.element(), running.kind), hop});
  }
  return array;
}

}  // namespace

std::vector<MovedArray> moved_arrays(const Typed& typed, const Node& node, const synth::RunMachine& machine) {
  const auto& compute = std::get<Compute>(node.body);
  const ArrayType& result = node.types.at(0);
  const ArrayType& first = typed.type(compute.operands.at(0));
  if (const auto* assemble = std::get_if<Assemble>(&compute.operation))
    return of_assemble(typed, compute, *assemble, result, machine);
  if (const auto running = synth::running_of(compute.operation)) return {of_carries(*running, result)};
  const auto adds_to = [](MovedArray& array) {
    return [&array](std::int32_t source, std::int32_t target, std::int64_t bytes) {
      array.moves.push_back({source, target, synth::tile(array.from, source), bytes, 0});
    };
  };
  if (const auto* sort = std::get_if<synth::Sort>(&compute.operation)) {
    MovedArray told{"cuts", first, first, {}};
    MovedArray elements{"elements", first, result, {}};
    synth::for_cut_messages(synth::SortCuts(first, sort->positions), adds_to(told), adds_to(elements));
    return {std::move(told), std::move(elements)};
  }
  const ArrayType& ids = typed.type(compute.operands.at(1));
  MovedArray numbers{"numbers", ids, ids, {}};
  MovedArray rows{"rows", first, result, {}};
  if (std::holds_alternative<synth::Take>(compute.operation)) {
    synth::for_request_messages(synth::RowRequests(first), ids, adds_to(numbers), adds_to(rows));
  } else {
    synth::for_delivery_messages(first, ids, result, adds_to(numbers), adds_to(rows));
  }
  return {std::move(numbers), std::move(rows)};
}

}  // namespace tessera::typeck
