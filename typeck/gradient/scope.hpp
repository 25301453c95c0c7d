// The reverse pass over one region of a function: a call's body, a branch, a turn of a loop, a block of `again`.
//
// A scope first computes the region once more where it stands (`compute`), with given values for everything that comes
// from outside; then it goes backwards (`reverse`): every operation turns the cotangent of its result into
// contributions to those of its operands. Nodes are named as in the function, whose graph does not change:
//
//     y = x @ w        here(y): the node that holds y in this scope
//     l = sum(y)       cotangent of l: 1; add(y, ones); add(w, x' @ ones)
//
// Calls are computed inside their caller, so that their values can be used in reverse. A loop keeps its carried values
// of every turn, with a leading dimension, and computes each turn again; an `if` computes the branch taken again.
//
// All of it is an open program: shapes and elements are known, layouts are not. A contribution goes to its operand by
// `open::Back`, which brings it to where the operand lies when the program is closed. The cotangent of a value of type
// T is split as T is and whole over T's pending axes; over other axes it is whole or a pending sum, as it comes. This
// rule alone produces the transposes of collectives.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "typeck/gradient/activity.hpp"
#include "typeck/gradient/build.hpp"

namespace tessera::typeck::gradient {

// Does a scope print, save and assert, or was that done when its region was first computed?
enum class Effects : std::uint8_t { kept, left_out };
// Will a scope be reversed? If so its loops keep their carried values.
enum class Purpose : std::uint8_t { value, reverse };

class Scope {
 public:
  // `outer` is the scope of the region around this one in the same function. All outlive the scope.
  Scope(Graph& graph, const open::Region& region, const Activity& activity, const Scope* outer, Purpose purpose,
        Effects effects)
      : graph_(graph),
        region_(region),
        activity_(activity),
        outer_(outer),
        purpose_(purpose),
        effects_(effects),
        entered_(outer != nullptr ? outer->entered_ : ValueId{}),
        numbers_(outer != nullptr && purpose == Purpose::value ? outer->numbers_ : std::make_shared<Numbers>()) {}

  void give(ValueId original, ValueId value) { values_[original] = {value}; }
  // Where the function was entered that the region is of, unless the outer scope's was.
  void enter(ValueId entered) { entered_ = entered; }
  bool compute();
  bool reverse();

  // Adds to the cotangent of a result of a node of the function.
  void add(ValueId original, const Use& cotangent, const Build& build, std::uint32_t result = 0);
  // A contribution of an operation to the cotangent of one of its operands; the only one goes home.
  void add_back(const open::Back& back, ValueId original, const Use& contribution, const Build& build);
  // Has only one of them a cotangent?
  bool wants_one(const std::vector<Use>& operands) const;
  bool wants(const Use& original) const { return activity_.flags(original.value).active; }
  std::optional<Use> cotangent(ValueId original, std::uint32_t result = 0) const;

  ValueId here(ValueId original) const;
  // The copy here of a node of the function; a scalar that is a constant is known.
  Use value(ValueId original) const;
  // The node here that made the values of that one.
  ValueId maker(ValueId original) const;
  std::vector<ValueId> results() const { return all_here(region_.results); }

 private:
  using Key = std::pair<ValueId, std::uint32_t>;  // a result of a node of the function
  using Cotangents = std::map<Key, Use>;
  using Numbers = std::map<std::uint32_t, std::uint32_t>;
  struct Turn;
  struct Branch;

  const std::vector<ValueId>* held(ValueId original) const;
  Use here(const Use& use) const;
  std::vector<Use> uses_here(const std::vector<Use>& originals) const;
  std::vector<ValueId> all_here(const std::vector<Use>& originals) const;
  // Computes a region inside a node that is being made.
  bool copy_region(const open::Region& from, open::Region& to, Scope& inner) const;
  ValueId made_for_operand(ValueId begins) const;
  std::uint32_t number_of(const open::Node& original);
  void bring_home(ValueId by, const std::vector<Use>& operands, const Build& build);
  void emit(ValueId original, std::vector<open::Type> types, decltype(open::Node::body) body);

  bool compute(ValueId id, const open::Node& node, const open::Parameter& body);
  bool compute(ValueId id, const open::Node& node, const open::Input& body);
  bool compute(ValueId id, const open::Node& node, const open::Compute& body);
  bool compute(ValueId id, const open::Node& node, const open::As& body);
  bool compute(ValueId id, const open::Node& node, const open::Call& body);
  bool compute(ValueId id, const open::Node& node, const open::Loop& body);
  bool compute(ValueId id, const open::Node& node, const open::If& body);
  bool compute(ValueId id, const open::Node& node, const open::Again& body);
  bool compute(ValueId id, const open::Node& node, const open::Element& body);
  bool compute(ValueId id, const open::Node& node, const open::Enter& body);
  bool compute(ValueId id, const open::Node& node, const open::Gradient& body);
  bool compute(ValueId id, const open::Node& node, const open::PlanText& body);
  bool compute(ValueId id, const open::Node& node, const open::Definition& body);

  // Under which a cotangent is kept. A gradient inside of the function names values anew, as arguments that it was
  // entered with and as operands that operations used; the contributions to all of them meet where the value was made.
  Key key(ValueId original, std::uint32_t result = 0) const;
  // The value that this one is another name of, if it is one.
  std::optional<ValueId> used_value(ValueId original) const;
  std::optional<ValueId> argument_of(ValueId original) const;
  bool has_cotangent(const std::vector<Use>& operands) const;
  // What is no operation that a derivative passes: what was done with it while it was computed is all.
  template <class Body>
  bool reverse(ValueId, const open::Node&, const Body&) {
    return true;
  }
  bool reverse(ValueId id, const open::Node& node, const open::Compute& body);
  bool reverse(ValueId id, const open::Node& node, const open::As& body);
  bool reverse(ValueId id, const open::Node& node, const open::Call& body);
  bool reverse(ValueId id, const open::Node& node, const open::Loop& body);
  bool reverse(ValueId id, const open::Node& node, const open::If& body);
  bool reverse(ValueId id, const open::Node& node, const open::Again& body);
  bool reverse(ValueId id, const open::Node& node, const open::Element& body);
  bool reverse(ValueId id, const open::Node& node, const open::Gradient& body);

  bool reverse_row_put(ValueId id, const open::Compute& body, const Build& build);
  void seed(Scope& inner, ValueId id, const std::vector<Use>& results, const Build& build) const;
  // ---- loops and branches: control.cpp
  bool stack_carried(ValueId id, const open::Node& node, const open::Loop& body);
  open::Loop same_loop(const open::Loop& body, Scope& inner) const;
  // `last` are the values after the last turn.
  std::optional<Turn> turn(const open::Loop& body, const std::vector<ValueId>& stacks, const std::vector<ValueId>& last,
                           open::Loop& made, const std::map<std::size_t, ValueId>& cotangents,
                           const Build& build) const;
  std::map<std::size_t, Use> carried_cotangents(ValueId id, const open::Loop& body, const Build& build);
  bool unturned(ValueId id, const open::Loop& body, const Build& build);
  bool reverse_loop(ValueId id, const open::Loop& body, const Build& build);
  std::optional<Branch> branch(ValueId id, const open::If& body, bool is_else, const Build& build) const;

  Graph& graph_;
  open::Region region_;
  const Activity& activity_;
  const Scope* outer_;
  Purpose purpose_;
  Effects effects_;
  ValueId entered_;
  std::map<ValueId, std::vector<ValueId>> values_;   // by node of the function, a node for each result
  std::map<ValueId, ValueId> makers_;                // where these are results of one node
  std::vector<std::pair<ValueId, ValueId>> begun_;   // nodes of the function, and the first one made for each
  std::map<ValueId, std::vector<ValueId>> stacks_;   // of a loop: its carried values of all turns that are read
  std::map<ValueId, std::unique_ptr<Scope>> calls_;  // computed inside this one
  Cotangents cotangents_;
  std::shared_ptr<Numbers> numbers_;  // by Node::again of the function
};

// The contributions of one operation to the cotangents of its operands: rules.cpp.
void reverse_operation(Scope& scope, const Build& build, const open::Compute& compute, ValueId id,
                       const Use& cotangent);

// A value with its argument's layout, where the parameter declares one.
Use argument(Graph& graph, const open::Instance& callee, std::size_t k, const Use& value);

}  // namespace tessera::typeck::gradient
