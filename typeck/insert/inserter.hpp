// open::Program -> Typed: where a value is used in another layout than it has, a redistribution is inserted, with its
// reason. Private to typeck. One Inserter closes one program; its member functions are spread over the files named
// beside them. A function that fails reports once and returns nothing; what needs the value is then passed over.
//
// The layouts are those of an assignment (typeck/layouts). Without one given they are found by the rules of the
// language when their node's turn comes: what a gradient leaves is known only when it was inserted. A function is
// closed once for each list of its arguments' types.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "synth/collective/moves.hpp"
#include "typeck/elaborate/options.hpp"
#include "typeck/kinds.hpp"
#include "typeck/layouts/assignment.hpp"
#include "typeck/layouts/operation_layouts.hpp"
#include "typeck/open/messages.hpp"
#include "typeck/open/open.hpp"
#include "typeck/typed/pipelines.hpp"
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

// The bytes that filling `result` from `part` moves between devices; result element r is part element r + offset.
std::int64_t moved_bytes(const ArrayType& part, const ArrayType& result, const synth::Offset& offset);

// The typed nodes of open values; the ids of one body lie close together.
class ValueNodes {
 public:
  const std::vector<NodeId>* find(open::ValueId value) const {
    const bool is_there = value.value >= first_ && value.value - first_ < nodes_.size();
    if (!is_there || nodes_[value.value - first_].empty()) return nullptr;
    return &nodes_[value.value - first_];
  }
  void set(open::ValueId value, std::vector<NodeId> nodes);

 private:
  std::uint32_t first_ = 0;
  std::vector<std::vector<NodeId>> nodes_;
};

class Inserter {
 public:
  // `given` are the layouts that are wanted; null: those that the rules of the language give.
  Inserter(const open::Program& program, const base::SourceMap& sources, Environment& environment,
           synth::PlanCache& plans, const CheckOptions& options, Messages& messages, Assignment* given = nullptr);
  Typed run();
  // The layouts that were found, where the options ask for them.
  const Assignment& assignment() const { return assignment_; }
  // The type of a value for a message; without a layout where it has none.
  std::string type_text(const Messages::Asked& asked) const;

  // ---- infrastructure: inserter.cpp
  void report(Diagnostic diagnostic) { reports_.report(std::move(diagnostic)); }
  const ArrayType& type(const Held& value) const { return typed_.nodes[value.node()].types.at(0); }
  const ArrayType& type(NodeId node) const { return typed_.nodes[node].types.at(0); }
  std::string text(const ArrayType& array) const { return reports_.text(array); }
  NodeId emit(Span span, std::vector<ArrayType> types, decltype(Node::body) body);
  Held compute(Span span, const ArrayType& result, synth::Operation operation, std::vector<NodeId> operands,
               std::int64_t received_bytes = 0, std::string who = {});
  // The same value, which a gradient takes for a constant.
  MaybeHeld flat(const MaybeHeld& value);
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
  // Runs f; the nodes that it makes belong to a pass of a gradient.
  template <class F>
  auto in_pass(synth::Pass pass, F&& f) {
    const synth::Pass outer = std::exchange(pass_, pass);
    auto result = std::forward<F>(f)();
    pass_ = outer;
    return result;
  }

  // ---- redistributions: redistribute.cpp
  MaybeHeld redistribute(const Held& value, const ArrayType& target, Reason why,
                         const synth::PlanOptions& options = {});
  MaybeHeld resolve_pending(const Held& value, const std::string& who, Span asked_at);
  // The value on its way to where it is used.
  MaybeHeld brought(Held value, Changes way);
  bool allow_received(std::int64_t bytes, const Reason& why, Span span);

  // ---- operations: index_wise.cpp, shapes.cpp
  ElementType element(const Held& value) const { return synth::computed_as(type(value).element()); }
  Held widened(const Held& value);
  static Operand seen(const Inserter& inserter, const Held& value) {
    return {inserter.type(value), value.span, value.known};
  }
  std::vector<Operand> seen(const std::vector<Held>& values) const;
  // The operands, each on its way, in the type that an operation computes in.
  std::optional<std::vector<Held>> brought(std::vector<Held> operands, std::vector<Changes> uses, bool computes);
  // An operation with an index signature in these layouts.
  MaybeHeld built(Span span, const synth::Operation& operation, std::vector<Held> operands, NodeLayouts layouts,
                  bool computes);
  // The same in the layouts that the rules give.
  MaybeHeld compute_solved(const Signature& signature, const synth::Operation& operation, std::vector<Held> operands,
                           const Want& want);
  // The operation's signature, for a result of that element type and shape.
  Signature signature(Span span, const std::string& who, const synth::Operation& operation,
                      const std::vector<Held>& operands, ElementType element, const Shape& shape) const;
  MaybeHeld map(Span span, synth::MapOp op, std::vector<Held> operands, ElementType result_element,
                const std::string& who, const Want& want);
  MaybeHeld contract(Span span, std::vector<Held> operands, const synth::Contract& contract, const std::string& who,
                     const Want& want);
  MaybeHeld reduce(Span span, const std::string& who, const Held& a, synth::ReduceKind kind,
                   const std::vector<std::size_t>& dimensions, const Want& want);
  MaybeHeld broadcast(Span span, const std::string& who, const Held& a, const Shape& shape, const Want& want);
  MaybeHeld padded(Span span, const std::string& who, const Held& a,
                   const std::vector<std::pair<std::int64_t, std::int64_t>>& widths, const Held& value,
                   const ArrayType& result);
  MaybeHeld slice(Span span, const std::string& who, const std::vector<Held>& operands,
                  const std::vector<open::Selected>& taken, const ArrayType& result);
  MaybeHeld every(Span span, const std::string& who, const Held& value, const open::Every& every, Changes way);
  MaybeHeld concat(Span span, const std::string& who, std::vector<Held> all, const open::Concat& concat,
                   NodeLayouts layouts);
  MaybeHeld update(Span span, const std::string& who, const std::vector<Held>& operands, const open::Update& update);
  // The same elements in the same order, in tiles that hold the same.
  Held reshaped(const Held& value, const ArrayType& result, Span span);
  // The same tiles under a type that is written differently (a split of extent 1 that cuts nothing away).
  Held retyped(const Held& value, const ArrayType& target) {
    return {reshaped(value, target, value.span).nodes, value.span, value.expr, value.known};
  }

  // ---- branches: control.cpp
  // The ways of the else branch's values: to the layouts that the then branch's have.
  std::vector<Changes> ways_to_join(Span span, const std::vector<Held>& then_values,
                                    const std::vector<Held>& else_values) const;
  std::optional<NodeId> join_branches(Span span, If both, const std::vector<Held>& then_values,
                                      const std::vector<Held>& else_values, std::vector<Changes> ways);

  // ---- gradients: gradient/again.cpp
  // Computes a scalar again on a mesh, if it is made of constants and indices of loops that are being made; returns the
  // value itself if it is on that mesh.
  MaybeHeld again_on(const Held& value, const MeshRef& mesh);
  // While f makes a loop's body, the loop's index may be asked for on any mesh.
  template <class F>
  auto in_loop(Loop& loop, F&& f) {
    open_loops_.push_back(&loop);
    auto result = std::forward<F>(f)();
    open_loops_.pop_back();
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

 private:
  // What is made of one text, or of a function for one list of types.
  struct Body {
    std::shared_ptr<const frontend::Ast> ast;
    ValueNodes values;
    std::map<ExprId, std::string> inserted_as;
    std::map<frontend::StatementId, std::string> let_types;
    // How many typed nodes there were when an open node was begun, in the order of their beginnings.
    std::vector<std::pair<open::ValueId, std::size_t>> begun;
    BodyLayouts* layouts = nullptr;  // those that are given or kept; null: neither
  };
  struct Closed {
    std::vector<ArrayType> types;
    std::optional<InstanceId> instance;  // nothing: something in it is wrong
  };

  // ---- values and nodes: inserter.cpp
  void note_lets(const std::vector<open::Let>& lets, Body& body);
  const std::vector<NodeId>* nodes_of(open::ValueId value);
  MaybeHeld held(const open::Use& use);
  std::optional<std::vector<Held>> held(const std::vector<open::Use>& uses);
  void region(const open::Region& nodes);
  void insert(open::ValueId id);
  void keep(open::ValueId id, const MaybeHeld& value);
  void keep(open::ValueId id, std::vector<NodeId> nodes);
  // The layouts of a node: those that are given, or those that `rules` finds.
  template <class Rules>
  std::optional<NodeLayouts> assigned(open::ValueId id, std::size_t operands, const Rules& rules) {
    if (!is_given_) {
      std::optional<NodeLayouts> found = rules();
      if (found.has_value() && body_->layouts != nullptr) body_->layouts->nodes[id] = *found;
      return found;
    }
    const auto given = body_->layouts->nodes.find(id);
    TESSERA_CHECK(given != body_->layouts->nodes.end(), "a value has no layout");
    NodeLayouts own = given->second;
    own.uses.resize(operands);
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

  // ---- one for each kind of node: operations.cpp, control.cpp, statements.cpp; gradient in gradient/gradient.cpp
  void insert(open::ValueId id, const open::Node& node, const open::Parameter& body);
  void insert(open::ValueId id, const open::Node& node, const open::Input& body);
  void insert(open::ValueId id, const open::Node& node, const open::Compute& body);
  void insert(open::ValueId id, const open::Node& node, const open::As& body);
  void insert(open::ValueId id, const open::Node& node, const open::Call& body);
  void insert(open::ValueId id, const open::Node& node, const open::Loop& body);
  void insert(open::ValueId id, const open::Node& node, const open::If& body);
  void insert(open::ValueId id, const open::Node& node, const open::Again& body);
  void insert(open::ValueId id, const open::Node& node, const open::Element& body);
  void insert(open::ValueId id, const open::Node& node, const open::Gradient& body);
  void insert(open::ValueId id, const open::Node& node, const open::PlanText& body);
  void insert(open::ValueId id, const open::Node& node, const open::Definition& body);

  // One for each operation of an open program: operations.cpp.
  friend struct Operations;
  MaybeHeld constructed(const open::Node& node, const open::Compute& body, const open::Make& make,
                        std::vector<NodeId> operands, const ArrayType& wanted);
  Held numbers(Span span, const ArrayType& type, const synth::Operation& operation, std::vector<NodeId> operands);
  MaybeHeld by_hand(const open::Node& node, const open::ByHand& step, const Held& value, Change change);

  // ---- redistribute.cpp
  // The same move made before, if there was one and its result may be kept: the value then moves only once.
  std::optional<NodeId> moved_before(NodeId source, const ArrayType& target) const;
  void note_moved(NodeId source, NodeId made);
  void note_inserted(const Held& value, const ArrayType& target);
  bool may_live_on(NodeId node, std::size_t made_before) const;
  std::size_t made_before(open::ValueId operand_begins) const;
  void note_accidental_gather(const Held& result, const open::As& as);

  // ---- control.cpp, pipeline.cpp
  bool loop_keeps_types(const open::Loop& loop, const Loop& made);
  bool plan_pipeline(Span span, const open::Loop& loop, Loop& made);
  // Brings a call's arguments to the layouts that its parameters declare.
  std::optional<std::vector<NodeId>> bring_arguments(open::ValueId id, const open::Instance& callee,
                                                     const std::vector<open::Use>& uses);
  std::optional<InstanceId> close(open::InstanceId callee, const std::vector<ArrayType>& types, Span call_span);
  std::optional<InstanceId> closed_now(open::InstanceId callee, const std::vector<ArrayType>& types);
  bool local_allows(InstanceId instance, const std::string& name, Span span);
  std::string plan_statement_text(const Region& scratch);
  PeaksByPlace peaks_of_pipelines(const Region& region);
  synth::PlanWords plan_words() const;
  std::vector<NodeId> compared_in(NodeId condition) const;

  const open::Program& program_;
  const base::SourceMap& sources_;
  Environment& environment_;
  CheckOptions options_;
  Messages& messages_;
  Reports reports_;
  Plans plans_;
  Greedy greedy_{plans_, reports_};
  OperationLayouts layouts_{greedy_, reports_};
  Assignment assignment_;
  Assignment* given_ = nullptr;
  bool is_given_ = false;
  Typed typed_;
  Body top_;
  Body* body_ = &top_;
  std::map<open::InstanceId, std::vector<Closed>> closed_;
  std::map<base::Span, std::vector<Body>> printed_;  // what was inserted into functions of this text, by their names
  std::set<open::ValueId> asked_;                    // values that messages mention
  std::map<open::ValueId, ArrayType> asked_types_;   // theirs, as they were closed first
  base::Span statement_;
  Moment moment_ = 0;  // when the statement began
  std::size_t spent_ = 0;
  Region* region_ = nullptr;
  std::vector<Loop*> open_loops_;
  std::vector<std::uint64_t> open_regions_;  // numbers of those that are being made, outermost first
  std::uint64_t regions_begun_ = 0;
  // What a value has become by a redistribution: in which region, and with which type.
  struct Move {
    ArrayType type;
    NodeId made;
    std::uint64_t region = 0;
  };
  std::map<NodeId, std::vector<Move>> moves_;
  synth::Pass pass_ = synth::Pass::none;
  bool is_local_ = false;
};

}  // namespace tessera::typeck
