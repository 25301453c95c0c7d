// Which values of a function carry a derivative from given parameters, and where the way of a derivative ends. A value
// is active if it holds floats and depends on the parameters through operations that have a derivative. It is severed
// if it depends on an active value through an operation that has none: `x * f32(argmax(x))` is both.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "typeck/typed/typed.hpp"

namespace tessera::typeck::gradient {

// An operation that ends the way of a derivative.
struct End {
  base::Span span;
  std::string what;  // `argmax`
  friend auto operator<=>(const End&, const End&) = default;
};

struct Flags {
  bool active = false;
  bool severed = false;
  void operator|=(const Flags& other) {
    active = active || other.active;
    severed = severed || other.severed;
  }
  friend bool operator==(const Flags&, const Flags&) = default;
};

class Activity {
 public:
  explicit Activity(const Typed& typed) : typed_(typed), own_(std::make_unique<Known>()), known_(own_.get()) {}

  void start(NodeId parameter, Flags flags) { flags_[{parameter, 0}] |= flags; }
  void region(const Region& region);

  Flags flags(NodeId node, std::uint32_t result = 0) const;
  bool any_active(NodeId node) const;
  // The activity inside a call of this function's region.
  const Activity& callee(NodeId call) const { return *callees_.at(call); }
  const std::set<End>& ends() const { return ends_; }

 private:
  // What was found of functions: by instance, and by the flags of its arguments. A function that calls another twice
  // looks at it once.
  using Known = std::map<std::pair<InstanceId, std::vector<bool>>, std::shared_ptr<const Activity>>;
  Activity(const Typed& typed, Known* known) : typed_(typed), known_(known) {}

  void visit(NodeId id, const Parameter& body);
  void visit(NodeId id, const Input& body);
  void visit(NodeId id, const Compute& body);
  void visit(NodeId id, const Redistribute& body);
  void visit(NodeId id, const Call& body);
  void visit(NodeId id, const Loop& body);
  void visit(NodeId id, const If& body);
  void visit(NodeId id, const Again& body);
  void visit(NodeId id, const Element& body);
  void results_from(NodeId id, const std::vector<NodeId>& results);

  const Typed& typed_;
  std::map<std::pair<NodeId, std::uint32_t>, Flags> flags_;
  std::map<NodeId, std::shared_ptr<const Activity>> callees_;
  std::unique_ptr<Known> own_;  // of the function that a gradient is taken of
  Known* known_;                // its
  std::set<End> ends_;
};

// How a person calls an operation: `@` is a product, a comparison has its operator.
std::string spelling(const synth::Operation& operation);

}  // namespace tessera::typeck::gradient
