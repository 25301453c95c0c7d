#include "typeck/typed/plan_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/units_text.hpp"
#include "typeck/typed/place_text.hpp"
#include "typeck/typed/walk.hpp"

namespace tessera::typeck {

std::vector<const Redistribute*> redistributions(const Typed& typed, const Region& region) {
  std::vector<const Redistribute*> all;
  const std::function<void(const Node&)> visit = [&](const Node& node) {
    if (const auto* step = std::get_if<Redistribute>(&node.body)) all.push_back(step);
  };
  Walk(typed, visit).region(region);
  return all;
}

std::vector<const Node*> parts_moved(const Typed& typed, const Region& region) {
  std::vector<const Node*> all;
  const std::function<void(const Node&)> visit = [&](const Node& node) {
    const auto* compute = std::get_if<Compute>(&node.body);
    if (compute != nullptr && compute->received_bytes > 0) all.push_back(&node);
  };
  Walk(typed, visit).region(region);
  return all;
}

namespace {

// Is it known at run time only how much moves?
bool is_most(const synth::Operation& operation) {
  const auto* assemble = std::get_if<synth::Assemble>(&operation);
  if (assemble == nullptr) return !std::holds_alternative<synth::Scan>(operation);
  return std::ranges::any_of(assemble->parts, [](const synth::Part& part) {
    return std::ranges::any_of(part.placements, [](const synth::Placement& own) { return own.scalar >= 0; });
  });
}

// The operands whose elements move, each once.
std::vector<NodeId> moved_operands(const Compute& compute) {
  std::vector<NodeId> all;
  const auto add = [&](NodeId node) {
    if (std::ranges::find(all, node) == all.end()) all.push_back(node);
  };
  if (const auto* assemble = std::get_if<synth::Assemble>(&compute.operation)) {
    for (const synth::Part& part : assemble->parts) add(compute.operands[part.operand]);
  } else {
    for (const NodeId node : compute.operands) add(node);
  }
  return all;
}

// What devices would receive to have all of the array.
std::int64_t gathered_bytes(const synth::ArrayType& type) {
  std::int64_t bytes = 0;
  for (std::int64_t device = 0; device < type.devices(); ++device)
    bytes += synth::array_bytes(type) - synth::tile_bytes(type, device);
  return bytes;
}

// The types, and the bytes beside the least between them and beside those of arrays that are gathered first. Boxes and
// carries are the least: each device receives just what it lacks, once.
std::string moved_text(const Typed& typed, const Node& node, const Compute& compute) {
  std::string types;
  std::int64_t gathered = 0;
  for (const NodeId operand : moved_operands(compute)) {
    const synth::ArrayType& type = typed.type(operand);
    types += fmt::format("{}{}", types.empty() ? "" : ", ", synth::print(type));
    gathered += gathered_bytes(type);
  }
  const std::string bytes = base::bytes_text(compute.received_bytes);
  const std::string least = fmt::format("at least {} between these layouts; ", bytes);
  const bool most = is_most(compute.operation);
  return fmt::format("{} -> {}\n  received  {}{} in all ({}gathered first: {})\n", types, synth::print(node.types[0]),
                     most ? "at most " : "", bytes, most ? "" : least, base::bytes_text(gathered));
}

std::string_view how_it_moves(const synth::Operation& operation) {
  if (std::holds_alternative<synth::Scan>(operation)) return "carried";
  if (std::holds_alternative<synth::ScatterAdd>(operation)) return "delivered";
  return std::holds_alternative<synth::Take>(operation) ? "fetched" : "moved";
}

}  // namespace

std::int64_t received_bytes_of(const Typed& typed, const Region& region) {
  std::int64_t bytes = 0;
  const std::function<void(const Node&)> visit = [&](const Node& node) {
    if (const auto* step = std::get_if<Redistribute>(&node.body)) bytes += step->plan->received_bytes_total;
    if (const auto* step = std::get_if<Compute>(&node.body)) bytes += step->received_bytes;
  };
  Walk(typed, visit).region(region);
  return bytes;
}

std::string plan_text(const Typed& typed, const Region& region, const base::SourceMap& sources,
                      const FirstLine& first_line, const synth::PlanWords& words) {
  std::string text;
  const std::function<void(const Node&)> visit = [&](const Node& node) {
    if (const auto* step = std::get_if<Redistribute>(&node.body)) {
      const std::string_view kind = step->why.inserted() ? "inserted for" : "asked for by";
      text += fmt::format("{} {}{}\n{}", kind, step->why.who, place(sources, first_line, step->why.asked_at),
                          synth::print_text(*step->plan, words));
    } else if (const auto* compute = std::get_if<Compute>(&node.body);
               compute != nullptr && compute->received_bytes > 0) {
      text += fmt::format("{} by {}{}\n{}", how_it_moves(compute->operation), compute->who,
                          place(sources, first_line, node.span), moved_text(typed, node, *compute));
    }
  };
  Walk(typed, visit).region(region);
  if (text.empty()) return "nothing is redistributed";
  text.pop_back();  // the line end is the printer's
  return text;
}

}  // namespace tessera::typeck
