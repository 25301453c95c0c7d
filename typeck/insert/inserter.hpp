// open::Program -> Typed: where a value is used in another layout than it has, a redistribution is inserted, with its
// reason. Private to typeck. One Inserter closes one program; its member functions are spread over the files named
// beside them. A function that fails reports once and returns nothing; what needs the value is then passed over.
//
// The layouts are those of an assignment (typeck/layouts). Without one given they are found by the rules of the
// language when their node's turn comes: a cotangent lies as redistributions say that were inserted. A function is
// closed once for each list of its arguments' types.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "typeck/insert/cotangents.hpp"
#include "typeck/layouts/assignment.hpp"
#include "typeck/layouts/operation_layouts.hpp"
#include "typeck/open/open.hpp"

namespace tessera::synth {
struct PlanWords;
}

namespace tessera::typeck {

struct WholeFunction;

class Inserter : public ClosedValues {
 public:
  // `given` are the layouts that are wanted; null: those that the rules of the language give.
  Inserter(const open::Program& program, const base::SourceMap& sources, Environment& environment,
           synth::PlanCache& plans, const CheckOptions& options, Messages& messages, Assignment* given = nullptr);
  Typed run();
  // The seconds of all that the program moves, if they are no more than that and nothing is wrong with it. Its plans
  // are not verified: for comparing placements.
  std::optional<double> seconds(double most);
  // Before run(): of what it makes, only what it moves is asked for.
  void only_price() { plans_.only_price(); }
  // The layouts that were found, where the options ask for them.
  const Assignment& assignment() const { return assignment_; }
  // The type of a value for a message; without a layout where it has none.
  std::string type_text(const Messages::Asked& asked) const;

 private:
  struct Closed {
    std::vector<ArrayType> types;
    std::optional<InstanceId> instance;  // nothing: something in it is wrong
  };

  // ---- values and nodes: inserter.cpp
  void note_lets(const std::vector<open::Let>& lets, Body& body);
  MaybeHeld held(const open::Use& use) { return cotangents_.held(use); }
  Want want_of(const open::Node& node);
  std::optional<std::vector<Held>> held(const std::vector<open::Use>& uses);
  TypedStatement statement(const open::Statement& statement);
  void region(const open::Region& nodes);
  void insert(open::ValueId id) { insert(id, program_.nodes[id]); }
  void insert(open::ValueId id, const open::Node& node);
  // The layouts of a node: those that are given, those of the node that it copies, or those that `rules` finds.
  template <class Rules>
  std::optional<NodeLayouts> assigned(open::ValueId id, const std::vector<Held>& operands, const Rules& rules) {
    if (!is_given_) {
      const NodeLayouts* const known = copied(id, operands);
      std::optional<NodeLayouts> found = known != nullptr ? std::optional(*known) : rules();
      if (found.has_value() && body_->layouts != nullptr) body_->layouts->nodes[id] = *found;
      return found;
    }
    const auto given = body_->layouts->nodes.find(id);
    TESSERA_CHECK(given != body_->layouts->nodes.end(), "a value has no layout");
    NodeLayouts own = given->second;
    own.uses.resize(operands.size());
    return own;
  }
  // Keeps the types of a node that has no choice.
  void note(open::ValueId id, std::vector<ArrayType> types) {
    if (!is_given_ && body_->layouts != nullptr) body_->layouts->nodes[id] = {{}, std::move(types)};
  }
  // Keeps those of a node whose uses were noted one by one.
  void note_types(open::ValueId id, std::vector<ArrayType> types) {
    if (!is_given_ && body_->layouts != nullptr) body_->layouts->nodes[id].types = std::move(types);
  }
  // The way of a node's use, one after the other: the one that is given, or the one that `rules` finds.
  template <class Rules>
  std::optional<Changes> way_of_use(open::ValueId id, std::size_t number, const Rules& rules) {
    if (is_given_) return given_way(id, number);
    std::optional<Changes> found = rules();
    if (!found.has_value() || body_->layouts == nullptr) return found;
    auto& uses = body_->layouts->nodes[id].uses;
    uses.resize(number + 1);
    uses[number] = *found;
    return found;
  }
  std::optional<Changes> given_way(open::ValueId id, std::size_t number) const {
    const auto given = body_->layouts->nodes.find(id);
    const bool is_there = given != body_->layouts->nodes.end() && number < given->second.uses.size();
    return is_there ? given->second.uses[number] : Changes();
  }
  BodyLayouts* layouts_of(open::InstanceId callee, const std::vector<ArrayType>& types);

  // ---- one for each kind of node: operations.cpp, control.cpp, loops.cpp, statements.cpp, gradient.cpp
  void insert(open::ValueId id, const open::Node& node, const open::Parameter& body);
  void insert(open::ValueId id, const open::Node& node, const open::Input& body);
  void insert(open::ValueId id, const open::Node& node, const open::Compute& body);
  void insert(open::ValueId id, const open::Node& node, const open::As& body);
  void insert(open::ValueId id, const open::Node& node, const open::Call& body);
  void insert(open::ValueId id, const open::Node& node, const open::Loop& body);
  void insert(open::ValueId id, const open::Node& node, const open::If& body);
  void insert(open::ValueId id, const open::Node& node, const open::Again& body);
  void insert(open::ValueId id, const open::Node& node, const open::Element& body);
  void insert(open::ValueId id, const open::Node& node, const open::Enter& body);
  void insert(open::ValueId id, const open::Node& node, const open::Gradient& body);
  void insert(open::ValueId id, const open::Node& node, const open::PlanText& body);
  void insert(open::ValueId id, const open::Node& node, const open::Definition& body);

  // One for each operation of an open program: operations.cpp.
  friend struct Operations;
  MaybeHeld constructed(const open::Node& node, const open::Compute& body, const open::Make& make,
                        std::vector<NodeId> operands, const ArrayType& wanted);
  Held numbers(Span span, const ArrayType& type, const synth::Operation& operation, std::vector<NodeId> operands);
  MaybeHeld by_hand(const open::Node& node, const open::ByHand& step, const Held& value, Change change);

  // ---- gradient.cpp
  // The layouts of the node that this one copies, if its operands lay as these do; else null.
  const NodeLayouts* copied(open::ValueId id, const std::vector<Held>& operands) const;

  // ---- redistribute.cpp
  bool may_live_on(NodeId node, std::size_t made_before) const;
  void note_accidental_gather(const Held& result, const open::As& as);

  // ---- loops.cpp
  // What there is before a loop's body is closed that may be closed again.
  struct Mark;
  Mark mark() const;
  void forget_since(Mark mark);
  void lay_start(const open::Use& start, const Layout& layout);
  // Numbers of the starts whose layout is not what the turn gives, and what it gives.
  std::vector<std::pair<std::uint32_t, Layout>> starts_to_lay(const open::Loop& body, const Loop& made) const;
  Loop closed_turn(const open::Loop& body, const std::vector<MaybeHeld>& initial);
  std::optional<Loop> closed_body(const open::Loop& body);
  std::optional<std::vector<NodeId>> carried_nodes(Span span, const open::Loop& body,
                                                   const std::vector<MaybeHeld>& initial, Loop& made);
  bool loop_keeps_types(const open::Loop& loop, const Loop& made);

  // ---- control.cpp, pipeline.cpp
  // The else branch's values come to the layouts of the then branch's. A branch without a value gives zeros.
  std::optional<NodeId> join_branches(open::ValueId id, Span span, If both, const std::vector<MaybeHeld>& then_values,
                                      const std::vector<MaybeHeld>& else_values);
  Held or_zeros(Region& region, Span span, const MaybeHeld& value, const MaybeHeld& other);
  // Of results and of what loops carry, some may be without a value. Nothing where one with a value has none here.
  std::optional<std::vector<MaybeHeld>> held_or_open(const std::vector<open::Use>& uses);
  bool plan_pipeline(Span span, const open::Loop& loop, Loop& made);
  // Brings a call's arguments to the layouts that its parameters declare.
  std::optional<std::vector<NodeId>> bring_arguments(open::ValueId id, const open::Instance& callee,
                                                     const std::vector<open::Use>& uses);
  std::optional<InstanceId> close(open::InstanceId callee, const std::vector<ArrayType>& given, Span call_span);
  std::optional<InstanceId> closed_now(open::InstanceId callee, const std::vector<ArrayType>& types);
  // Are the layouts of this function chosen here? By choose.cpp.
  bool chooses(const open::Instance& function) const {
    return function.chosen.has_value() && whole_ == nullptr && !is_by_rules_;
  }
  // Can a function that contains this not be closed on whole arrays? By choose.cpp, which reports it.
  bool refuses(const open::Node& node);
  friend class Choosing;
  bool local_allows(InstanceId instance, const std::string& name, Span span);
  std::string plan_statement_text(const Region& scratch);
  synth::PlanWords plan_words() const;

  const base::SourceMap& sources_;
  Cotangents cotangents_{*this};
  OperationLayouts layouts_{greedy_, reports_};
  Assignment assignment_;
  Assignment* given_ = nullptr;
  bool is_given_ = false;
  std::map<open::InstanceId, std::vector<Closed>> closed_;
  std::map<base::Span, std::vector<Body>> printed_;  // what was inserted into functions of this text, by their names
  // What open loops carry from starts that take a layout: the layout that a loop inside has found for it.
  std::map<open::ValueId, std::optional<Layout>> starts_;
  bool is_by_rules_ = false;        // layouts are chosen for no function
  WholeFunction* whole_ = nullptr;  // where a function is closed on whole arrays: what the text says of layouts
};

}  // namespace tessera::typeck
