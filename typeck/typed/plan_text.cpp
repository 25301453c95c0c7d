#include "typeck/typed/plan_text.hpp"

#include <fmt/format.h>

#include <functional>

#include "synth/program/running.hpp"
#include "typeck/typed/moved_parts.hpp"
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

std::string_view how_it_moves(const synth::Operation& operation) {
  if (synth::running_of(operation).has_value()) return "carried";
  if (std::holds_alternative<synth::ScatterAdd>(operation)) return "delivered";
  if (std::holds_alternative<synth::Sort>(operation)) return "sorted by cuts";
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
                          place(sources, first_line, node.span), print(moved_parts(typed, node)));
    }
  };
  Walk(typed, visit).region(region);
  if (text.empty()) return "nothing is redistributed";
  text.pop_back();  // the line end is the printer's
  return text;
}

}  // namespace tessera::typeck
