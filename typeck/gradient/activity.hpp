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

#include "typeck/open/open.hpp"

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
  explicit Activity(const open::Program& program)
      : program_(program), own_(std::make_unique<Known>()), known_(own_.get()) {}

  void start(open::ValueId parameter, Flags flags) { flags_[{parameter, 0}] |= flags; }
  void region(const open::Region& region);

  Flags flags(open::ValueId node, std::uint32_t result = 0) const;
  bool any_active(open::ValueId node) const;
  // The activity inside a call of this function's region.
  const Activity& callee(open::ValueId call) const { return *callees_.at(call); }
  const std::set<End>& ends() const { return ends_; }

 private:
  // What was found of functions: by instance, and by the flags of its arguments. A function that calls another twice
  // looks at it once.
  using Known = std::map<std::pair<open::InstanceId, std::vector<bool>>, std::shared_ptr<const Activity>>;
  Activity(const open::Program& program, Known* known) : program_(program), known_(known) {}

  void visit(open::ValueId id, const open::Parameter& body);
  void visit(open::ValueId id, const open::Input& body);
  void visit(open::ValueId id, const open::Compute& body);
  void visit(open::ValueId id, const open::As& body);
  void visit(open::ValueId id, const open::Call& body);
  void visit(open::ValueId id, const open::Loop& body);
  void visit(open::ValueId id, const open::If& body);
  void visit(open::ValueId id, const open::Again& body);
  void visit(open::ValueId id, const open::Element& body);
  void visit(open::ValueId id, const open::Enter& body);
  void visit(open::ValueId id, const open::Gradient& body);
  void visit(open::ValueId id, const open::PlanText& body);
  void visit(open::ValueId id, const open::Definition& body);
  void results_from(open::ValueId id, const std::vector<open::Use>& results);

  const open::Program& program_;
  std::map<std::pair<open::ValueId, std::uint32_t>, Flags> flags_;
  std::map<open::ValueId, std::shared_ptr<const Activity>> callees_;
  std::unique_ptr<Known> own_;  // of the function that a gradient is taken of
  Known* known_;                // its
  std::set<End> ends_;
};

}  // namespace tessera::typeck::gradient
