// The checker's state, private to typeck/. One Checker checks one text; its member functions are spread over the files
// named beside them. A check that fails reports once and returns nothing; its callers then return nothing, too, without
// another report.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/diagnostic.hpp"
#include "frontend/ast.hpp"
#include "synth/collective/moves.hpp"
#include "typeck/checker/options.hpp"
#include "typeck/kinds.hpp"
#include "typeck/layouts/problem.hpp"
#include "typeck/layouts/signature.hpp"
#include "typeck/typed/environment.hpp"
#include "typeck/typed/pipelines.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

using base::Diagnostic;
using base::Span;
using frontend::Ast;
using frontend::BlockId;
using frontend::ExprId;
using frontend::StatementId;
using frontend::TypeId;
using synth::AxisList;
using synth::ElementType;
using synth::Layout;
using synth::MeshRef;
using synth::Shape;

// An i64 scalar as a sum of run-time scalars and a constant, so that the length of `a[i:i+8]` is known.
struct Affine {
  std::map<NodeId, std::int64_t> atoms;
  std::int64_t constant = 0;
};

// A checked expression.
struct Checked {
  std::vector<NodeId> nodes;  // one; several for a tuple
  Span span;
  ExprId expr;  // the text it came from; not valid for values made on the way
  std::optional<KnownScalar> known;
  std::optional<Affine> affine;

  NodeId node() const { return nodes.at(0); }
};
using MaybeValue = std::optional<Checked>;

// The element type and layout that the surrounding expression prefers; only rule 2 and literals use it.
struct Preference {
  std::optional<ElementType> element;
  std::optional<Layout> layout;
  MeshRef mesh;  // of the layout
  Span because;  // the annotation
  // Mesh axes over which the program says that the value is a pending sum: in the type around it, or by a collective
  // that finishes it.
  std::vector<std::string> written_pending = {};
  ExprId beside = {};  // the operand whose element type a literal takes, for help

  // Is the wanted layout one for such an array?
  bool fits(std::size_t rank, const synth::Mesh& own) const {
    return layout.has_value() && layout->rank() == rank && *mesh == own;
  }
};

// A type as written, its extents evaluated.
struct WrittenType {
  std::optional<ElementType> element;
  Shape shape;
  std::vector<AxisList> splits;
  AxisList pending;
  synth::ReduceOp reduce = synth::ReduceOp::sum;
  MeshRef mesh;
  bool any_layout = false;
  bool names_axes = false;
  Span span;
};

// One dimension's part of a subscript, resolved.
struct Selection {
  std::int64_t start = 0;          // where it is known
  std::optional<Checked> dynamic;  // a run-time start
  std::int64_t length = 0;
  bool single = false;    // an integer: the dimension goes
  std::int64_t step = 1;  // of a range: every so many elements
};

// How many elements come before and after, for each dimension.
using Widths = std::vector<std::pair<std::int64_t, std::int64_t>>;

// A name bound inside a function, block or loop. Empty if its definition failed, which was reported.
struct Local {
  std::string name;
  MaybeValue value;
  std::optional<std::string> text = {};  // in place of a value: a string
};

// A file's name. With numbers, each of them fills a `{}` of the form, in which other braces are doubled; without
// numbers the form is the name.
struct FileName {
  std::string form;
  std::vector<Checked> numbers;
};

// One text being walked: the program, a function body, a define.
struct Frame {
  std::shared_ptr<const Ast> ast;
  Moment moment = 0;  // names outside are looked up as of here; the top level moves on
  std::vector<Local> locals;
  const Function* function = nullptr;
  std::map<ExprId, std::string> inserted_as;
  std::map<StatementId, std::string> let_types;
  bool top_level = false;
  std::size_t block_depth = 0;

  // Does a `let` here bind a name of the program?
  bool binds_globally() const { return top_level && block_depth == 0; }
};

// `[512, 256]`, for messages.
std::string print_shape(const Shape& shape);
// The bytes that filling `result` from `part` moves between devices; result element r is part element r + offset.
std::int64_t moved_bytes(const ArrayType& part, const ArrayType& result, const synth::Offset& offset);

// The program is too large to be checked.
struct TooManyValues {};

class Checker {
 public:
  Checker(std::shared_ptr<const Ast> ast, base::SourceMap& sources, const Environment& environment,
          synth::PlanCache& plans, const CheckOptions& options, const Placements& placements = {});
  base::Result<Typed> run();

  // ---- infrastructure: checker.cpp
  void report(Diagnostic diagnostic);
  bool failed() const { return has_error(diagnostics_); }
  const Ast& ast() const { return *frame_->ast; }
  const ArrayType& type(const Checked& value) const { return typed_.nodes[value.node()].types.at(0); }
  const ArrayType& type(NodeId node) const { return typed_.nodes[node].types.at(0); }
  std::string text(const ArrayType& array) const;
  std::string text(Span span) const;
  Moment mesh_moment() const;
  MeshRef default_mesh() const;
  NodeId emit(Span span, std::vector<ArrayType> types, decltype(Node::body) body);
  Checked compute(Span span, const ArrayType& result, synth::Operation operation, std::vector<NodeId> operands,
                  std::int64_t received_bytes = 0, std::string who = {});
  // The same value, which a gradient takes for a constant.
  MaybeValue flat(const MaybeValue& value);
  Checked scalar(Span span, const KnownScalar& value, ElementType element, const MeshRef& mesh);
  Checked constant(Span span, synth::Literal literal, const MeshRef& mesh);
  // Types that must exist (checked arithmetic on valid types); a failure is reported at span.
  std::optional<ArrayType> made(base::Result<ArrayType> result, Span span);
  std::optional<ArrayType> make_type(Span span, ElementType element, const Shape& shape, const MeshRef& mesh,
                                     std::vector<AxisList> splits, AxisList pending = {},
                                     synth::ReduceOp reduce = synth::ReduceOp::sum);
  std::optional<ArrayType> with_layout(Span span, const ArrayType& array, Layout layout);
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
  MaybeValue redistribute(const Checked& value, const ArrayType& target, Reason why,
                          const synth::PlanOptions& options = {});
  MaybeValue resolve_pending(const Checked& value, const std::string& who, Span asked_at,
                             const Preference* want = nullptr);
  bool allow_received(std::int64_t bytes, const Reason& why, Span span);
  // The same move made before, if there was one and its result may be kept: the value then moves only once.
  std::optional<NodeId> moved_before(NodeId source, const ArrayType& target) const;
  void note_moved(NodeId source, NodeId made);
  void note_inserted(const Checked& value, const ArrayType& target);
  std::optional<std::shared_ptr<const synth::Plan>> plan(const ArrayType& from, const ArrayType& to, Span span,
                                                         const synth::PlanOptions& options = {});
  // The plan of a step that was written out.
  std::optional<std::shared_ptr<const synth::Plan>> plan_by_hand(const ArrayType& from, const synth::Collective& step,
                                                                 Span span);

  // ---- several meshes: meshes.cpp
  // Makes scalars that can be computed again on the others' mesh; false (reported) if values on two meshes meet.
  bool unify_meshes(std::vector<Checked>& values, Span span);
  // For diagnostics: `this is on mesh a (x:2)`; and the name alone, or this where the mesh has none.
  std::string mesh_remark(const synth::Mesh& mesh) const;
  std::string name_or(const synth::Mesh& mesh, std::string_view otherwise) const;
  // `a (x:2)`; the default mesh is understood.
  std::string with_name(const synth::Mesh& mesh) const;
  synth::PlanWords plan_words() const;
  // Computes a scalar again on a mesh, if it is known or made of known scalars and loop indices alone; returns the
  // value itself if it is on that mesh. Any other value gives nothing, without a report.
  MaybeValue again_on(const Checked& value, const MeshRef& mesh);
  // While f makes a loop's body, the loop's index may be asked for on any mesh.
  template <class F>
  auto in_loop(Loop& loop, F&& f) {
    open_loops_.push_back(&loop);
    auto result = std::forward<F>(f)();
    open_loops_.pop_back();
    return result;
  }

  // ---- index signatures: solve.cpp
  struct Solution {
    std::vector<Checked> operands;
    ArrayType result;
  };
  std::optional<Solution> solve(const Signature& signature, std::vector<Checked> operands, const Preference& want);
  std::vector<ArrayType> types_of(const std::vector<Checked>& operands) const;
  bool finish_pending(const Signature& signature, std::vector<Checked>& operands, const Preference& want);
  std::vector<std::optional<Layout>> finishing_layouts(const Signature& signature, const std::vector<ArrayType>& types,
                                                       const Preference& want);
  std::optional<Alternative> finishing_price(const Signature& signature, const std::vector<ArrayType>& types,
                                             const std::vector<std::optional<Layout>>& layouts, const Preference& want);
  std::optional<Assignment> cheapest(const Signature& signature, const Problem& problem,
                                     const std::vector<Checked>& operands, const Preference& want, Reason& why);
  void report_clash(const Signature& signature, const std::vector<Checked>& operands, std::size_t a, std::size_t b);

  // ---- types: types.cpp
  std::optional<WrittenType> written_type(const Ast& ast, TypeId id, const Shape* file_shape = nullptr);
  void report_unknown_mesh(const frontend::Name& mesh);
  bool add_dimension(const frontend::Dimension& dimension, std::size_t number, const Shape* file_shape,
                     WrittenType& written);
  // `sizes` are those of the mesh's axes, of which this is one.
  std::optional<std::vector<synth::NamedCut>> named_cuts(const frontend::MeshAxis& axis, const synth::Mesh& mesh,
                                                         std::size_t number);
  std::optional<synth::Weights> weights_by_machine(const frontend::MeshAxis& axis, const frontend::NamedCut& cut,
                                                   const synth::Mesh& mesh, std::size_t number);
  std::optional<MeshRef> made_mesh(Span span, const frontend::MeshStatement& statement);
  // The mesh; what is wrong with it is reported there.
  std::optional<MeshRef> reported(base::Result<MeshRef> mesh, Span span);
  std::optional<std::vector<synth::DeviceRange>> device_ranges(const frontend::OnDevices& on);
  // The mesh where the text or a wish puts it.
  std::optional<MeshRef> placed_mesh(Span span, const frontend::MeshStatement& statement, const MeshRef& mesh);
  std::optional<synth::PlaceMatrix> written_matrix(const frontend::Placement& place);
  bool may_search_placement(Span span);
  base::Result<ArrayType> lone_type();
  base::Result<MeshRef> lone_mesh();
  Preference want_of(const Ast& ast, TypeId id);
  std::optional<ArrayType> full_type(const WrittenType& written, std::optional<ElementType> element_if_absent = {});
  std::optional<std::int64_t> constant_integer(ExprId expr, std::string_view what);
  std::optional<std::size_t> axis_number(const frontend::Name& name, const synth::Mesh& mesh);
  std::optional<AxisList> axis_list(const std::vector<frontend::Name>& names, const synth::Mesh& mesh);
  std::optional<AxisList> axis_list(const std::vector<frontend::AxisUse>& uses, const synth::Mesh& mesh);
  static ElementType element_type(frontend::ElementKeyword keyword);

  // ---- expressions: expressions.cpp, control.cpp
  MaybeValue check_expr(ExprId id, const Preference& want = {});
  MaybeValue check_node(ExprId id, const frontend::Expr& expr, const Preference& want);
  MaybeValue check_stored_literal(ExprId id, const frontend::Expr& expr, const Preference& want);
  void report_unknown_name(const std::string& name, Span span);
  Checked with_affine(Checked value) const;
  MaybeValue check_array(ExprId id, const Preference& want = {});  // one value, not a tuple
  bool is_literal(ExprId id) const;
  std::string help_for_fraction(ExprId beside) const;
  MaybeValue check_int_literal(Span span, const frontend::IntLiteral& literal, const Preference& want);
  MaybeValue check_float_literal(Span span, const frontend::FloatLiteral& literal, const Preference& want);
  MaybeValue check_list(ExprId id, const frontend::ListLiteral& list, const Preference& want);
  MaybeValue check_name(ExprId id, const frontend::NameRef& name);
  MaybeValue named_value(const std::string& name, Span span, ExprId id);
  std::optional<std::string> text_of(ExprId id) const;  // of a string, or of a name of one: file_name.cpp
  std::optional<FileName> file_name(const std::string& who, const std::string& written, Span span);
  MaybeValue check_least_integer(Span span, const Preference& want);
  MaybeValue check_unary(ExprId id, const frontend::Unary& unary, const Preference& want);
  MaybeValue check_binary(ExprId id, const frontend::Binary& binary, const Preference& want);
  std::optional<std::pair<Checked, Checked>> check_operands(ExprId left, ExprId right, const Preference& want);
  MaybeValue check_cast(ExprId id, const frontend::Cast& cast, const Preference& want);
  bool may_live_on(NodeId node, std::size_t made_before) const;
  MaybeValue check_as(ExprId id, const frontend::As& as);
  MaybeValue check_if(ExprId id, const frontend::If& node, const Preference& want);
  MaybeValue check_loop(ExprId id, const frontend::Loop& loop, const Preference& want);
  MaybeValue check_local(ExprId id, const frontend::Local& local, const Preference& want);
  MaybeValue check_again(ExprId id, const frontend::Again& again, const Preference& want);
  MaybeValue check_tuple(ExprId id, const frontend::Tuple& tuple);
  MaybeValue check_block(BlockId id, const Preference& want, bool tuple_allowed);
  MaybeValue annotated(const Checked& value, const WrittenType& written, const std::string& who, Span asked_at,
                       const synth::PlanOptions& options = {});
  void note_accidental_gather(const Checked& result, const WrittenType& written, const synth::PlanOptions& options);
  Checked elements_of(NodeId node, Span span);
  MaybeValue join_branches(Span span, If both, const Checked& then_value, const Checked& else_value);
  // pipeline.cpp: what is decided about a pipeline whose body is checked; false (reported) where it is none.
  bool plan_pipeline(Span span, const frontend::Loop& loop, Loop& made_loop);
  std::optional<synth::Schedule> written_schedule(const frontend::Loop& loop);
  bool loop_keeps_types(const frontend::Loop& loop, Loop& made_loop, const Checked& body);
  MaybeValue scalar_of(const Checked& value, ElementType element, const std::string& who);
  std::vector<Checked> parts(const Checked& value);  // of a tuple

  // ---- elementwise: elementwise.cpp
  MaybeValue map(Span span, synth::MapOp op, std::vector<Checked> operands, ElementType result_element,
                 const std::string& who, const Preference& want);
  std::optional<Solution> aligned(Span span, std::vector<Checked> operands, ElementType result_element,
                                  PendingRule pending, const std::string& who, const Preference& want);
  MaybeValue cast_to(Span span, const Checked& value, ElementType element);
  // The type that operations take a value's elements as; and the value with such elements, where it lies.
  ElementType element(const Checked& value) const { return synth::computed_as(type(value).element()); }
  Checked widened(const Checked& value);
  MaybeValue matmul(Span span, const Checked& left, const Checked& right, const Preference& want);
  MaybeValue matmul_broadcast(Span span, const Checked& left, const Checked& right, const Preference& want);
  MaybeValue drop_dimensions(const Checked& value, const std::vector<std::size_t>& dimensions, const std::string& who,
                             Span span);
  MaybeValue with_whole_dimensions(const Checked& value, const std::vector<std::size_t>& dimensions,
                                   const std::string& who, Span span);
  Checked retyped(const Checked& value, const ArrayType& target);
  MaybeValue contract(Span span, std::vector<Checked> operands, std::vector<std::vector<int>> indices,
                      std::vector<int> result, const std::string& who, const Preference& want,
                      const std::vector<std::string>& index_names = {});

  // ---- shapes: shapes.cpp
  // Splits that the new shape cannot have are given up first.
  MaybeValue reshaped(Span span, const std::string& who, const Checked& a, const Shape& shape);
  // Elements of a scalar before and after each dimension of an array without pending sets.
  MaybeValue padded(Span span, const std::string& who, const Checked& a, const Widths& widths, const Checked& value);

  // ---- subscripts: subscripts.cpp
  MaybeValue check_index(ExprId id, const frontend::Index& index);
  MaybeValue take_part(Span span, const Checked& value, const std::vector<Selection>& taken,
                       const char* who = "a slice");
  // With steps; and every so many elements of one dimension.
  MaybeValue take_steps(Span span, const Checked& value, std::vector<Selection> taken);
  MaybeValue every(Span span, const Checked& value, std::size_t dimension, std::int64_t step, std::int64_t first);

  // The `let` that names so many values of an expression; `written` are the names in a `let` that has another number.
  std::string help_for_names(ExprId id, std::size_t values, const std::vector<std::string>& written) const;

  // ---- calls: calls.cpp
  MaybeValue check_call(ExprId id, const frontend::Call& call, const Preference& want);
  MaybeValue call_function(ExprId id, const frontend::Call& call, const Function& function);
  struct InstanceUse {
    InstanceId instance;
    std::vector<ArrayType> results;
    std::size_t height = 1;  // of the calls in it, itself included
  };
  // A call's arguments, brought to the parameters' layouts, and what it calls.
  struct BoundCall {
    InstanceUse use;
    std::vector<NodeId> arguments;
  };
  std::optional<BoundCall> bind_call(Span span, const frontend::Call& call, const Function& function);
  const Function* callable(const frontend::Name& callee);  // reports where there is none
  std::optional<InstanceUse> instance_of(const Function& function, const std::vector<ArrayType>& types, Span call_span);
  std::optional<InstanceUse> make_instance(const Function& function, const std::vector<ArrayType>& types,
                                           Span call_span);
  bool local_allows(const InstanceUse& use, const std::string& name, Span span);
  bool declares_later(std::string_view name) const;
  void report_unknown_function(const frontend::Name& callee, Moment moment);
  void check_definition(const Function& function);

  // ---- gradients: gradient/gradient.cpp
  MaybeValue check_gradient(ExprId id, const frontend::Gradient& gradient);

  // ---- statements: statements.cpp
  void check_statement(StatementId id);
  bool check_let(StatementId id, const frontend::Let& let);
  bool check_assert(Span span, const frontend::Assert& node);

  // Counts a piece of work that may be met again and again, such as a value or a call inside of a gradient. Throws
  // TooManyValues, which ends in run().
  void spend() {
    options_.stop.look();
    if (++spent_ > options_.values_max) throw TooManyValues();
  }

  const Environment& environment() const { return environment_; }
  const CheckOptions& options() const { return options_; }
  synth::StringId add_string(std::string text_value) { return typed_.strings.add(std::move(text_value)); }
  const synth::PlanCache& plans() const { return plans_; }
  std::optional<std::int64_t> known_integer(const Checked& value) const;
  Frame& frame() { return *frame_; }
  Typed& typed() { return typed_; }

 private:
  void check_mesh_statement(Span span, const frontend::MeshStatement& statement);
  void check_fn_statement(StatementId id, const frontend::Fn& fn);
  bool check_block_statement(StatementId id);
  bool check_print(Span span, const frontend::Print& print);
  bool stands_without_parentheses(const frontend::Print& print);
  PeaksByPlace peaks_of_pipelines(const Region& region);
  bool check_plan_statement(Span span, const frontend::PlanStatement& statement);
  bool check_save(Span span, const frontend::Save& save);
  std::optional<std::string> named_text(std::string_view name) const;
  std::optional<std::variant<std::string, Checked>> file_name_part(const std::string& name, Span span);
  bool check_let_text(const frontend::Let& let);
  bool check_show(Span span, const frontend::Show& show);
  bool check_called_for_effect(Span span, const frontend::ExprStatement& node);
  bool check_expression_statement(Span span, const frontend::ExprStatement& node);
  bool check_if_statement(Span span, const frontend::IfStatement& node);
  bool check_statements(BlockId id);
  bool has_effect(const Region& region, std::size_t first = 0);
  MaybeValue finished_for_output(ExprId expr, const std::string& who);
  void bind_name(const frontend::Name& name, const MaybeValue& value);
  MaybeValue let_value(StatementId id, const frontend::Let& let);
  void report_names(const frontend::Let& let, std::size_t values);
  MaybeValue defined_value(const std::string& name, const std::string& value_text, const Preference& want);
  NodeId input_node(const Variable& variable);
  const Checked* local(std::string_view name, bool& poisoned) const;
  bool bind_extents(const frontend::Parameter& parameter, const ArrayType& argument, Span call_span,
                    std::map<std::string, std::string>& bound_by);
  std::optional<std::vector<Checked>> arguments_for(const frontend::Call& call, const Function& function);
  std::optional<ArrayType> parameter_type(const frontend::Parameter& parameter, const ArrayType& argument,
                                          Span call_span);
  std::optional<std::vector<ArrayType>> parameter_types(const Function& function,
                                                        const std::vector<ArrayType>& arguments,
                                                        const std::vector<Span>& spans);
  MaybeValue function_result(const frontend::Fn& fn);

  base::SourceMap& sources_;
  Environment environment_;
  synth::PlanCache& plans_;
  CheckOptions options_;
  Typed typed_;
  base::Diagnostics diagnostics_;
  std::set<std::pair<Span, std::string_view>> reported_;
  std::set<std::string, std::less<>> poisoned_;  // top-level names whose definition failed
  Placements placements_;
  bool mesh_failed_ = false;  // the last mesh statement's: its axes are not known
  std::map<std::uint32_t, NodeId> slot_nodes_;
  std::map<std::uint32_t, Affine> slot_affines_;
  std::map<std::string, std::vector<std::pair<std::vector<ArrayType>, std::optional<InstanceUse>>>> instances_;
  std::map<std::string, std::vector<Frame>> instance_frames_;  // by function, for printing
  std::vector<const Function*> calls_;
  std::vector<std::size_t> heights_;  // of what each of them has called so far
  std::set<std::string> defines_used_;
  std::string remark_on_defines_;  // on those of another kind than the text's value, for the first error
  Frame* frame_ = nullptr;
  Region* region_ = nullptr;
  std::vector<std::uint64_t> open_regions_;  // numbers of those that are being made, outermost first
  std::uint64_t regions_begun_ = 0;
  std::vector<Loop*> open_loops_;
  // What a value has become by a redistribution: in which region, and with which type.
  struct Move {
    ArrayType type;
    NodeId made;
    std::uint64_t region = 0;
  };
  std::map<NodeId, std::vector<Move>> moves_;
  std::map<InstanceId, bool> effects_;  // of functions: do they print, save or assert something?
  std::size_t spent_ = 0;
  synth::Pass pass_ = synth::Pass::none;
  std::size_t local_depth_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace tessera::typeck
