// Ast -> open::Program: who is meant by a name, and which shape and element type everything has. Private to
// typeck/elaborate/. One Elaborator reads one text; its member functions are spread over the files named beside them. A
// function that fails reports once and returns nothing; its callers then return nothing, too, without another report.
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
#include "synth/cluster/machine.hpp"
#include "typeck/elaborate/options.hpp"
#include "typeck/kinds.hpp"
#include "typeck/open/messages.hpp"
#include "typeck/open/open.hpp"
#include "typeck/typed/auto_placed.hpp"
#include "typeck/typed/environment.hpp"

namespace tessera::typeck {

using base::Diagnostic;
using base::Span;
using frontend::Ast;
using frontend::BlockId;
using frontend::ExprId;
using frontend::StatementId;
using frontend::TypeId;
using open::ValueId;
using synth::AxisList;
using synth::ElementType;
using synth::MeshRef;
using synth::Shape;

// An i64 scalar as a sum of run-time scalars and a constant, so that the length of `a[i:i+8]` is known.
struct Affine {
  std::map<ValueId, std::int64_t> atoms;
  std::int64_t constant = 0;
};

// A checked expression.
struct Checked {
  std::vector<ValueId> nodes;  // one; several for a tuple
  Span span;
  ExprId expr;  // the text it came from; not valid for values made on the way
  std::optional<KnownScalar> known;
  std::optional<Affine> affine;

  ValueId node() const { return nodes.at(0); }
};
using MaybeValue = std::optional<Checked>;

// The element type that the surrounding expression prefers: literals take it.
struct Preference {
  std::optional<ElementType> element;
  ExprId beside = {};  // the operand whose element type a literal takes, for help
};

// A type as written, its extents evaluated.
struct WrittenType {
  std::optional<ElementType> element;
  Shape shape;
  open::WrittenLayout layout;
  MeshRef mesh;
  bool any_layout = false;
  bool names_axes = false;
  Span span;

  // Of a type that says its elements.
  open::Type type() const { return {element.value(), shape, mesh}; }
  open::Type type(ElementType if_absent) const { return {element.value_or(if_absent), shape, mesh}; }
};

// One dimension's part of a subscript, resolved.
struct Selection {
  std::int64_t start = 0;          // where it is known
  std::optional<Checked> dynamic;  // a run-time start
  std::int64_t length = 0;
  bool single = false;    // an integer: the dimension goes
  std::int64_t step = 1;  // of a range: every so many elements
};

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
  std::vector<open::Let> lets;
  bool top_level = false;
  std::size_t block_depth = 0;

  // Does a `let` here bind a name of the program?
  bool binds_globally() const { return top_level && block_depth == 0; }
};

// What an elaboration leaves: the graph, and what the names mean afterwards. The types of the names that this text
// binds are not known yet; a variable has the type of a whole array in their place.
struct Elaborated {
  open::Program program;
  Environment after;
  std::set<std::uint32_t> hidden_slots;
  std::vector<AutoPlaced> placed_by_search;
  std::string remark_on_defines;  // on those of another kind than the text's value, for the first error
};

// `[512, 256]`, for messages.
std::string print_shape(const Shape& shape);

class Elaborator {
 public:
  Elaborator(std::shared_ptr<const Ast> ast, base::SourceMap& sources, const Environment& environment,
             const synth::Machine& machine, const CheckOptions& options, Messages& messages,
             const Placements& placements = {});
  Elaborated run();

  // ---- infrastructure: elaborator.cpp
  void report(Diagnostic diagnostic) { messages_.report(std::move(diagnostic), program_.nodes.size()); }
  const Ast& ast() const { return *frame_->ast; }
  const open::Type& type(const Checked& value) const { return program_.type(value.node()); }
  const open::Type& type(ValueId node) const { return program_.type(node); }
  // The value's type, for a message; it is written when its layout is known.
  std::string text(const Checked& value) { return text(value.node()); }
  std::string text(ValueId value) { return messages_.type_of(value, environment_.now()); }
  std::string text(Span span) const;
  std::string text(const WrittenType& written) {
    return messages_.type_of(written.type(), written.layout, environment_.now());
  }
  // A type without a layout.
  std::string text(const open::Type& type) const;
  Moment mesh_moment() const;
  MeshRef default_mesh() const;
  ValueId emit(Span span, std::vector<open::Type> types, decltype(open::Node::body) body);
  ValueId parameter(Span span, const open::Type& type) {
    return program_.nodes.add(open::Node{span, {type}, open::Parameter{}});
  }
  Checked compute(Span span, const open::Type& result, open::Operation operation, const std::vector<Checked>& operands,
                  std::string who = {});
  // The same for an operation that goes by what is wished for its result.
  Checked compute_as_wished(Span span, const open::Type& result, open::Operation operation,
                            const std::vector<Checked>& operands, std::string who);
  // The same value, which a gradient takes for a constant.
  MaybeValue flat(const MaybeValue& value);
  Checked scalar(Span span, const KnownScalar& value, ElementType element, const MeshRef& mesh);
  Checked constant(Span span, synth::Literal literal, const MeshRef& mesh);
  // The type of an array that there can be; a failure is reported at span.
  std::optional<open::Type> made(Span span, ElementType element, const Shape& shape, const MeshRef& mesh);
  std::optional<open::Type> made(const WrittenType& written) {
    return made(written.span, written.element.value(), written.shape, written.mesh);
  }
  static open::Use use(const Checked& value) { return {value.node(), value.span, value.expr, value.known}; }
  static std::vector<open::Use> uses(const std::vector<Checked>& values);
  // Runs f with a region of its own, which it returns in `region`.
  template <class F>
  auto in_region(open::Region& region, F&& f) {
    open::Region* const outer = std::exchange(region_, &region);
    auto result = std::forward<F>(f)();
    region_ = outer;
    return result;
  }
  // Tells the operation that made the value of an expression what the text around it wants; `begun` is how many nodes
  // there were before the expression.
  void wish(const MaybeValue& value, ExprId expr, std::size_t begun, open::Wish wish);
  // What is wished for the value goes for this step of its operation, too.
  void share_wish(const Checked& value, const Checked& step) { program_.nodes[value.node()].shares_wish = step.node(); }
  std::size_t begun() const { return program_.nodes.size(); }
  // The value without pending sums: in place of it, where it may hold some.
  Checked finished(const Checked& value, const std::string& who, Span asked_at, bool is_output = false);
  bool may_be_pending(ValueId value) const;

  // ---- several meshes: meshes.cpp
  // Makes scalars that can be computed again on the others' mesh; false (reported) if values on two meshes meet.
  bool unify_meshes(std::vector<Checked>& values, Span span);
  // For diagnostics: `this is on mesh a (x:2)`; and the name alone, or this where the mesh has none.
  std::string mesh_remark(const synth::Mesh& mesh) const;
  std::string name_or(const synth::Mesh& mesh, std::string_view otherwise) const;
  // `a (x:2)`; the default mesh is understood.
  std::string with_name(const synth::Mesh& mesh) const;
  // Computes a scalar again on a mesh, if it is known or made of known scalars and loop indices alone; returns the
  // value itself if it is on that mesh. Any other value gives nothing, without a report.
  MaybeValue again_on(const Checked& value, const MeshRef& mesh);
  // While f makes a loop's body, the loop's index may be asked for on any mesh.
  template <class F>
  auto in_loop(open::Loop& loop, F&& f) {
    open_loops_.push_back(&loop);
    auto result = std::forward<F>(f)();
    open_loops_.pop_back();
    return result;
  }

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
  std::optional<WrittenType> lone_type();
  std::optional<MeshRef> lone_mesh();
  Preference want_of(const Ast& tree, TypeId id) const;
  open::Wish wish_of(const Ast& tree, TypeId id) const;
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
  // The same for an expression that stands by a type.
  MaybeValue check_array_as(ExprId id, const Ast& tree, TypeId type);
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
  MaybeValue check_cast(ExprId id, const frontend::Cast& cast);
  MaybeValue check_as(ExprId id, const frontend::As& as);
  MaybeValue check_if(ExprId id, const frontend::If& node, const Preference& want);
  MaybeValue check_loop(ExprId id, const frontend::Loop& loop, const Preference& want);
  MaybeValue check_local(ExprId id, const frontend::Local& local, const Preference& want);
  MaybeValue check_again(ExprId id, const frontend::Again& again, const Preference& want);
  MaybeValue check_tuple(ExprId id, const frontend::Tuple& tuple);
  MaybeValue check_block(BlockId id, const Preference& want, bool tuple_allowed);
  MaybeValue annotated(const Checked& value, const WrittenType& written, const std::string& who, Span asked_at,
                       const frontend::As* as = nullptr, ValueId operand_begins = {});
  Checked elements_of(ValueId node, Span span);
  std::optional<synth::Schedule> written_schedule(const frontend::Loop& loop);
  bool loop_keeps_shapes(const frontend::Loop& loop, const open::Loop& made_loop, const Checked& body);
  MaybeValue scalar_of(const Checked& value, ElementType element, const std::string& who);
  std::vector<Checked> parts(const Checked& value);  // of a tuple
  static std::vector<open::Use> results_of(const Checked& value);

  // ---- elementwise and products: index_wise.cpp
  MaybeValue map(Span span, synth::MapOp op, std::vector<Checked> operands, ElementType result_element,
                 const std::string& who, bool takes_wish = true);
  // The values without pending sums, laid out alike where they are elements of one shape.
  std::optional<std::vector<Checked>> brought_together(Span span, std::vector<Checked> values, ElementType element,
                                                       const std::string& who);
  // The shape that all of them broadcast to.
  std::optional<Shape> broadcast_shape(Span span, const std::vector<Checked>& operands, const std::string& who);
  MaybeValue cast_to(Span span, const Checked& value, ElementType element);
  // The type that operations take a value's elements as; and the value with such elements, where it lies.
  ElementType element(const Checked& value) const { return synth::computed_as(type(value).element()); }
  Checked widened(const Checked& value);
  MaybeValue matmul(Span span, const Checked& left, const Checked& right);
  MaybeValue matmul_broadcast(Span span, const Checked& left, const Checked& right);
  MaybeValue contract(Span span, std::vector<Checked> operands, const std::vector<std::vector<int>>& indices,
                      const std::vector<int>& result, const std::string& who,
                      std::vector<std::string> index_names = {});
  Checked drop_dimensions(const Checked& value, std::vector<std::size_t> dimensions, const std::string& who, Span span);
  MaybeValue reduce(Span span, const std::string& who, const Checked& a, synth::ReduceKind kind,
                    const std::vector<std::size_t>& dimensions, bool takes_wish);

  // ---- subscripts: subscripts.cpp
  MaybeValue check_index(ExprId id, const frontend::Index& index);
  MaybeValue take_part(Span span, const Checked& value, const std::vector<Selection>& taken,
                       const char* who = "a slice");
  MaybeValue take_steps(Span span, const Checked& value, std::vector<Selection> taken);

  // The `let` that names so many values of an expression; `written` are the names in a `let` that has another number.
  std::string help_for_names(ExprId id, std::size_t values, const std::vector<std::string>& written) const;

  // ---- calls: calls.cpp
  MaybeValue check_call(ExprId id, const frontend::Call& call, const Preference& want);
  MaybeValue call_function(ExprId id, const frontend::Call& call, const Function& function);
  struct InstanceUse {
    open::InstanceId instance;
    std::vector<open::Type> results;
    std::size_t height = 1;  // of the calls in it, itself included
    bool is_complete = true;
  };
  // A call's arguments, and what it calls.
  struct BoundCall {
    InstanceUse use;
    std::vector<open::Use> arguments;
  };
  std::optional<BoundCall> bind_call(Span span, const frontend::Call& call, const Function& function);
  const Function* callable(const frontend::Name& callee);  // reports where there is none
  std::optional<InstanceUse> instance_of(const Function& function, const std::vector<WrittenType>& written,
                                         Span call_span);
  InstanceUse make_instance(const Function& function, const std::vector<WrittenType>& types, Span call_span);
  bool declares_later(std::string_view name) const;
  void report_unknown_function(const frontend::Name& callee, Moment moment);
  void check_definition(const Function& function);
  MaybeValue check_gradient(ExprId id, const frontend::Gradient& gradient);  // gradient.cpp

  // ---- statements: statements.cpp
  void check_statement(StatementId id);
  bool check_let(StatementId id, const frontend::Let& let);
  bool check_assert(Span span, const frontend::Assert& node);

  const Environment& environment() const { return environment_; }
  const CheckOptions& options() const { return options_; }
  synth::StringId add_string(std::string text_value) { return program_.strings.add(std::move(text_value)); }
  std::optional<std::int64_t> known_integer(const Checked& value) const;
  Frame& frame() { return *frame_; }
  const open::Program& program() const { return program_; }

 private:
  void check_mesh_statement(Span span, const frontend::MeshStatement& statement);
  void check_fn_statement(StatementId id, const frontend::Fn& fn);
  bool check_block_statement(StatementId id);
  bool check_print(Span span, const frontend::Print& print);
  bool stands_without_parentheses(const frontend::Print& print);
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
  bool has_effect(const open::Region& region, std::size_t first = 0);
  MaybeValue finished_for_output(ExprId expr, const std::string& who);
  void effect(Span span, synth::Operation operation, const std::vector<Checked>& operands);
  void bind_name(const frontend::Name& name, const MaybeValue& value);
  MaybeValue let_value(StatementId id, const frontend::Let& let);
  void report_names(const frontend::Let& let, std::size_t values);
  MaybeValue defined_value(const std::string& name, const std::string& value_text, const frontend::Let& let);
  ValueId input_node(const Variable& variable, Moment moment);
  const Checked* local(std::string_view name, bool& poisoned) const;
  bool bind_extents(const frontend::Parameter& parameter, const open::Type& argument, const std::string& argument_text,
                    Span call_span, std::map<std::string, std::string>& bound_by);
  std::optional<std::vector<Checked>> arguments_for(const frontend::Call& call, const Function& function);
  std::optional<WrittenType> parameter_type(const frontend::Parameter& parameter, const open::Type& argument,
                                            const std::string& argument_text, Span call_span);
  std::optional<std::vector<WrittenType>> parameter_types(const Function& function,
                                                          const std::vector<Checked>& arguments);
  MaybeValue function_result(const frontend::Fn& fn);
  MaybeValue joined(ExprId id, open::If both, const MaybeValue& condition, const MaybeValue& then_value,
                    const MaybeValue& else_value);

  base::SourceMap& sources_;
  Environment environment_;
  const synth::Machine& machine_;
  CheckOptions options_;
  Messages& messages_;
  Placements placements_;
  open::Program program_;
  std::set<std::uint32_t> hidden_slots_;
  std::vector<AutoPlaced> placed_by_search_;
  std::set<std::string, std::less<>> poisoned_;  // top-level names whose definition failed
  bool mesh_failed_ = false;                     // the last mesh statement's: its axes are not known
  std::map<std::uint32_t, ValueId> slot_nodes_;
  std::map<std::uint32_t, Affine> slot_affines_;
  std::map<std::string, std::vector<std::pair<std::vector<open::Type>, std::optional<InstanceUse>>>> instances_;
  std::vector<const Function*> calls_;
  std::vector<std::size_t> heights_;  // of what each of them has called so far
  std::set<std::string> defines_used_;
  std::string remark_on_defines_;
  Frame* frame_ = nullptr;
  open::Region* region_ = nullptr;
  std::vector<open::Loop*> open_loops_;
  std::map<open::InstanceId, bool> effects_;  // of functions: do they print, save or assert something?
  std::size_t local_depth_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace tessera::typeck
