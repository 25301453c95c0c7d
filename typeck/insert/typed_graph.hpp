// The typed graph while it is made: nodes, and the regions and passes that they are made in. Private to typeck.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "typeck/elaborate/options.hpp"
#include "typeck/kinds.hpp"
#include "typeck/layouts/reports.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

using base::Diagnostic;
using base::Span;
using frontend::ExprId;
using synth::AxisList;
using synth::ElementType;
using synth::Layout;
using synth::MeshRef;
using synth::Shape;

// A value of the typed program where it is used.
struct Held {
  std::vector<NodeId> nodes;  // one; several for a tuple
  Span span;
  ExprId expr;  // the text it came from; not valid for values made on the way
  std::optional<KnownScalar> known;

  NodeId node() const { return nodes.at(0); }
};
using MaybeHeld = std::optional<Held>;

class TypedGraph {
 public:
  TypedGraph(Environment& environment, const CheckOptions& options, Messages& messages)
      : environment_(environment), options_(options), reports_(messages, environment) {}

  void report(Diagnostic diagnostic) { reports_.report(std::move(diagnostic)); }
  const ArrayType& type(const Held& value) const { return typed_.nodes[value.node()].types.at(0); }
  const ArrayType& type(NodeId node) const { return typed_.nodes[node].types.at(0); }
  std::string text(const ArrayType& array) const { return reports_.text(array); }
  NodeId emit(Span span, std::vector<ArrayType> types, decltype(Node::body) body);
  Held compute(Span span, const ArrayType& result, synth::Operation operation, std::vector<NodeId> operands,
               std::int64_t received_bytes = 0, std::string who = {});
  Held scalar(Span span, const KnownScalar& value, ElementType element, const MeshRef& mesh);
  NodeId parameter(Span span, const ArrayType& type) { return typed_.nodes.add(Node{span, {type}, Parameter{}}); }
  // Types that must exist (checked arithmetic on valid types); a failure is reported at span.
  std::optional<ArrayType> made(base::Result<ArrayType> result, Span span) {
    return reports_.made(std::move(result), span);
  }
  std::optional<ArrayType> make_type(Span span, ElementType element, const Shape& shape, const MeshRef& mesh,
                                     std::vector<AxisList> splits, AxisList pending = {},
                                     synth::ReduceOp reduce = synth::ReduceOp::sum) {
    return reports_.make_type(span, element, shape, mesh, std::move(splits), std::move(pending), reduce);
  }
  Held elements_of(NodeId node, Span span);
  // Runs f with a region of its own, which it returns in `region`.
  template <class F>
  auto in_region(Region& region, F&& f) {
    Region* const outer = std::exchange(region_, &region);
    open_regions_.push_back(++regions_begun_);
    auto result = std::forward<F>(f)();
    open_regions_.pop_back();
    region_ = outer;
    return result;
  }
  // Counts a piece of work that may be met again and again, such as a value or a call inside of a gradient. Throws
  // TooManyValues.
  void spend() {
    options_.stop.look();
    if (++spent_ > options_.values_max) throw TooManyValues{statement_};
  }

  const CheckOptions& options() const { return options_; }
  Typed& typed() { return typed_; }

 protected:
  Environment& environment_;
  CheckOptions options_;
  Reports reports_;
  Typed typed_;
  base::Span statement_;
  Moment moment_ = 0;  // when the statement began
  std::size_t spent_ = 0;
  Region* region_ = nullptr;
  std::vector<std::uint64_t> open_regions_;  // numbers of those that are being made, outermost first
  std::uint64_t regions_begun_ = 0;
  synth::Pass pass_ = synth::Pass::none;
};

}  // namespace tessera::typeck
