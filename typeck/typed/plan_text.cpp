#include "typeck/typed/plan_text.hpp"

#include <fmt/format.h>

#include <functional>
#include <set>

namespace tessera::typeck {

namespace {

// Calls f with every node that a region computes, those of loops, branches and called functions included, each
// function's instance once.
class Walk {
 public:
  Walk(const Typed& typed, const std::function<void(const Node&)>& visit) : typed_(typed), visit_(visit) {}

  void region(const Region& nodes) {
    for (const NodeId id : nodes.order) node(typed_.nodes[id]);
  }

 private:
  void node(const Node& one) {
    visit_(one);
    if (const auto* call = std::get_if<Call>(&one.body)) {
      if (seen_.insert(call->instance).second) region(typed_.instances[call->instance].body);
    } else if (const auto* loop = std::get_if<Loop>(&one.body)) {
      region(loop->body);
    } else if (const auto* branch = std::get_if<If>(&one.body)) {
      region(branch->then_region);
      region(branch->else_region);
    } else if (const auto* again = std::get_if<Again>(&one.body)) {
      region(again->body);
    }
  }

  const Typed& typed_;
  const std::function<void(const Node&)>& visit_;
  std::set<InstanceId> seen_;
};

using FirstLine = std::function<std::uint32_t(base::SourceId)>;

std::string place(const base::SourceMap& sources, const FirstLine& first_line, base::Span span) {
  if (!span.known()) return "";
  const base::Position at = sources[span.source].position(span.begin);
  const std::uint32_t before = first_line ? first_line(span.source) - 1 : 0;
  return fmt::format(" at line {}, column {}", at.line + before, at.column);
}

}  // namespace

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
                      const FirstLine& first_line) {
  std::string text;
  const std::function<void(const Node&)> visit = [&](const Node& node) {
    if (const auto* step = std::get_if<Redistribute>(&node.body)) {
      const std::string_view kind = step->why.inserted() ? "inserted for" : "asked for by";
      text += fmt::format("{} {}{}\n{}", kind, step->why.who, place(sources, first_line, step->why.asked_at),
                          synth::print_text(*step->plan));
    } else if (const auto* compute = std::get_if<Compute>(&node.body);
               compute != nullptr && compute->received_bytes > 0) {
      text += fmt::format("moved by {}{}: {} bytes received\n", compute->who, place(sources, first_line, node.span),
                          compute->received_bytes);
    }
  };
  Walk(typed, visit).region(region);
  if (text.empty()) return "nothing is redistributed";
  text.pop_back();  // the line end is the printer's
  return text;
}

}  // namespace tessera::typeck
