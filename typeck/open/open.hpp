// The open program: every name found, every shape and element type known, and no layout. A graph of nodes, as the typed
// program is; what the text says of layouts stands in it as wishes. `insert` closes it: it gives every value a layout.
//
// Example: `let c = a @ b` and `print c as [8@x, 4]` are
//
//     %2 = contract ik,kj->ij(%0, %1)      no layout: it follows from those of a and b
//     %3 = as [8@x, 4] (%2)                a wish of the text
//     print(finished %3)                   what leaves the program holds no pending sum
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/source.hpp"
#include "frontend/ast.hpp"
#include "synth/layout/axis_part.hpp"
#include "synth/layout/element.hpp"
#include "synth/layout/mesh.hpp"
#include "synth/layout/shape.hpp"
#include "synth/program/literal.hpp"
#include "synth/program/operation.hpp"
#include "synth/program/pass.hpp"
#include "synth/program/schedule/schedule.hpp"
#include "typeck/typed/environment.hpp"

namespace tessera::typeck::open {

using ValueId = base::Id<struct ValueTag>;  // a node
using InstanceId = base::Id<struct OpenInstanceTag>;

// An array without its layout.
class Type {
 public:
  Type(synth::ElementType element, synth::Shape shape, synth::MeshRef mesh)
      : element_(element), shape_(shape), mesh_(std::move(mesh)) {}

  synth::ElementType element() const { return element_; }
  const synth::Shape& shape() const { return shape_; }
  std::size_t rank() const { return shape_.size(); }
  const synth::MeshRef& mesh_ref() const { return mesh_; }
  const synth::Mesh& mesh() const { return *mesh_; }

  friend bool operator==(const Type& a, const Type& b) {
    return a.element_ == b.element_ && a.shape_ == b.shape_ && *a.mesh_ == *b.mesh_;
  }

 private:
  synth::ElementType element_;
  synth::Shape shape_;
  synth::MeshRef mesh_;
};

// A value where it is used.
struct Use {
  ValueId value;
  base::Span span;                        // of the expression that stands for it here; not known: where it was made
  frontend::ExprId expr;                  // not valid for values made on the way
  std::optional<KnownScalar> known = {};  // a scalar that is known when the program is checked
};

// A layout as a text writes it, for an array of known extents; `insert` finds out whether it is one.
struct WrittenLayout {
  std::vector<synth::AxisList> splits;
  synth::AxisList pending;
  synth::ReduceOp reduce = synth::ReduceOp::sum;
};

// What the text around an operation wants of its result. It decides between equally good ways, and nothing else.
struct Wish {
  std::optional<WrittenLayout> layout;
  synth::MeshRef mesh;  // of the layout
  base::Span because;   // the annotation
  // Mesh axes over which the program says that the value is a pending sum.
  std::vector<std::string> written_pending;
  // In place of a layout: split as this value is, and whole.
  ValueId as_that = {};
  // The rows that a take gives are added up by the operation around it, and nothing else is done with them.
  bool is_summed = false;
};

// ---- Operations beside those of device programs: how they move depends on the layouts that they meet.

struct Squeeze {  // these dimensions, of extent 1, go
  std::vector<std::size_t> dimensions;
};
struct Unsqueeze {  // ones of extent 1 come at these places of the result, in ascending order
  std::vector<std::size_t> dimensions;
};
// One dimension of a slice: from `start`, or from the scalar operand of that number; every step-th element, backwards
// if the step is below 0, `length` in all. A scalar has a step of 1.
struct Selected {
  std::int64_t start = 0;
  std::int64_t length = 0;
  std::int32_t scalar = -1;
  bool single = false;  // an integer: what it selects lies whole
  std::int64_t step = 1;
};
struct Slice {
  std::vector<Selected> dimensions;
};
struct Pad {  // operands: an array and a scalar
  std::vector<std::pair<std::int64_t, std::int64_t>> widths;
};
struct Concat {
  std::size_t dimension = 0;
};
// One dimension of a box that is replaced: `length` positions from `start` on, or only every step-th of them.
struct Laid {
  std::optional<std::int64_t> start;  // nothing: from the next scalar operand
  std::int64_t length = 0;
  std::int64_t step = 1;
  bool wraps = false;  // a negative scalar counts from the end
};
// A box of an array is replaced. Operands: the array, the new elements, then the scalars. The new elements have the
// array's rank; in a dimension they have the box' length, of which each lies at its own position, or the extent 1,
// which is repeated.
//
// Example: `a with [i, ::2] = v` of f32[4, 6] and f32[3] spreads v to f32[1, 5], v[0] 0 v[1] 0 v[2], and lays it at
// (scalar for 1, 0 for 5 step 2).
struct Update {
  std::vector<Laid> dimensions;  // one for each dimension of the array
};
struct Roll {  // operands: an array and, where it is not known, by how many positions it goes on, 0 to the extent
  std::size_t dimension = 0;
  std::optional<std::int64_t> by;
};
struct Product {  // an Einstein sum, with the names of its indices for messages
  synth::Contract contract;
  std::vector<std::string> names;
};
struct Broadcast {};  // to the shape of the result
struct Widen {};      // to the type that elements are computed in, where they lie
struct Together {};   // several results: the operands, laid out alike
// Finished, with these dimensions whole, in the type that elements are computed in. If they are sorted along the only
// one, it may stay as it lies, for lines are sorted by cuts, too.
struct Whole {
  std::vector<std::size_t> dimensions;
  base::Span asked_at;
  std::optional<synth::Sort> sorted = {};
};
struct Finish {  // no pending sum is left; in the layout that is wished for, where it may be
  bool is_output = false;
};
// A constructor, in a layout that is written, or split as its last operand is, which says nothing else.
struct Make {
  synth::Operation operation;
  WrittenLayout layout;
  base::Span written;  // the type, or the array that it lies as
  bool is_like = false;
};
struct ByHand {  // a collective that the text names
  synth::CollectiveKind kind = synth::CollectiveKind::all_reduce;
  synth::AxisList axes;
  std::size_t from = 0;  // dimensions, of those that name any
  std::size_t to = 0;
  std::optional<WrittenLayout> target;  // of those that name a type
};

// ---- Operations that gradients are made of. "As that value lies" is split as it is and whole over its pending axes;
// ---- over axes that it does not use, a cotangent is whole or a pending sum, as it comes.

struct Used {  // the operand, brought together with the others as that operation had it
  ValueId by;
  std::size_t operand = 0;
};
// A contribution to the cotangent of an operand goes from the operation to the operand: through the operation's moves
// of elements, and back through the changes of layout that it asked for. Of a branch, to a result of `else`. It is
// added to what there is of the cotangent, the second operand, if there is one. If others asked for the same change
// before, it waits there for their contributions.
struct Back {
  ValueId by;
  std::size_t operand = 0;
  bool goes_home = false;  // at once, as by Home: no other operand of the operation has a cotangent
};
struct Both {};  // two contributions to one cotangent: they are added where they meet
struct Home {    // all contributions go back through the changes that this operation was the first to ask for
  ValueId by;
};
struct FinishAs {};  // operands: a value, and one as which it is laid out, with no sum left pending
struct ZerosAs {};   // operand: a value as which they lie
struct Sum {};       // operands: what a loop carries, and a value; the former begins with zeros that lie as the latter
struct PutRow {};    // operands: rows that a loop carries, a row, its number; begins with zeros that lie as the row
struct TakeRow {};   // operands: rows, a number

using Operation = std::variant<synth::Operation, Squeeze, Unsqueeze, Slice, Pad, Concat, Update, Roll, Product,
                               Broadcast, Widen, Together, Whole, Finish, Make, ByHand, Used, Back, Both, Home,
                               FinishAs, ZerosAs, Sum, PutRow, TakeRow>;

// ---- Nodes

struct Parameter {};  // of an instance or a loop's body: given from outside
struct Input {        // a value of the session
  std::uint32_t slot = 0;
  std::string name;
  Moment moment = 0;  // under which the name means it
};
struct Compute {
  Operation operation;
  std::vector<Use> operands;
  std::string who;  // for reasons: `@`, a slice
  // A gradient takes it for a constant: comparisons that gradients are made of, and the greatest element by which
  // softmax shifts, whose derivatives cancel.
  bool is_flat = false;
};
struct As {  // the value as a text writes it
  Use operand;
  WrittenLayout layout;
  std::string who;  // `as`, or the name or result whose type it is
  base::Span asked_at;
  base::Span written;  // the type
  bool names_axes = true;
  bool is_as = false;
  std::optional<std::int64_t> within_bytes = {};
  ValueId operand_begins = {};  // nodes from here on were made for the operand
  bool is_argument = false;     // of a function that a gradient is taken of, or that it calls
};
struct Call {
  InstanceId instance;
  std::vector<Use> arguments;
};

struct Region {
  std::vector<ValueId> order;
  std::vector<Use> results;
};
struct Loop {
  Use count;
  std::optional<std::int64_t> known_count;
  ValueId index;
  std::vector<Use> initial;  // without a value: zeros, as the parameter is first used
  std::vector<ValueId> parameters;
  Region body;
  std::vector<ValueId> indices_elsewhere;
  std::vector<frontend::Name> names;             // of what it carries
  std::optional<synth::Schedule> pipeline = {};  // of a pipeline
  base::Span body_span;
  // The carried value that says whether there is another turn: of `while`. It is computed from the values that the loop
  // starts with, and in each turn from those that it ends with.
  std::optional<std::uint32_t> condition = {};
  bool is_limited = false;  // to need more turns than `count` is an error
  // Numbers of starts that constructors and literals make where they stand, in a text that names no axis: such a start
  // takes the layout of what the body gives.
  std::vector<std::uint32_t> fresh = {};
};
struct If {  // a result without a value: zeros, laid out as the other branch's
  ValueId condition;
  Region then_region;
  Region else_region;
  base::Span then_span;
  base::Span else_span;
  bool is_statement = false;
};
struct Again {
  Region body;
};
struct Element {
  ValueId tuple;
  std::uint32_t index = 0;
};
// The arguments of a function that a gradient is taken of, once the function could be closed for them; or of one that
// is computed again where that function calls it.
struct Enter {
  InstanceId instance;
  std::vector<Use> arguments;
};
// What a gradient gives: the results of the function, which was computed here, and the cotangents of parameters.
struct Gradient {
  std::vector<Use> results;
};
struct PlanText {  // prints what a region would move
  Region region;
};
struct Definition {  // a function that says all of its layouts, checked where it stands
  InstanceId instance;
  base::Span function;
};

struct Node {
  base::Span span;
  std::vector<Type> types;
  std::variant<Parameter, Input, Compute, As, Call, Loop, If, Again, Element, Enter, Gradient, PlanText, Definition>
      body;
  bool is_local = false;          // inside `local`
  bool is_complete = true;        // false: something inside was wrong, and it is looked at for more mistakes
  std::optional<Wish> wish = {};  // of its result
  ValueId shares_wish = {};       // an earlier step of the same operation that goes by the same wish
  bool takes_wish = false;
  synth::Pass pass = synth::Pass::none;  // of a gradient
  // Not 0: computed again as in its function, which was closed for the same types before, so that what there is to say
  // was said then. Nodes of one number were made of one region there, outside of every gradient or of one copy in it,
  // and in these passes.
  std::uint32_t again = 0;
  synth::Pass pass_there = synth::Pass::none;
  // In a gradient: the node of a function that it was made for, to compute it again or to reverse it, and the node by
  // which that function was entered here. Two calls of one function are entered by two nodes, and what is made for the
  // same node in both belongs together.
  ValueId made_for = {};
  ValueId entered = {};
  // The node of that function that it copies, which it lies as.
  ValueId copy_of = {};
};

// A `let` whose type a printed program shows.
struct Let {
  frontend::StatementId statement;
  ValueId value;
  Moment moment = 0;
};

// An `auto fn`: the layouts of its body are chosen.
struct ChosenLayouts {
  synth::MeshRef mesh;
  std::vector<std::size_t> axes;                       // that are chosen over
  std::vector<std::optional<std::size_t>> results_as;  // of every result the parameter that it lies as
  // Of every result that is a record's field, which of the function's results that is, from 1 on, and the field: `2.w`;
  // empty where none is.
  std::vector<std::string> result_names = {};
};
// A name that a function's body binds.
struct Named {
  std::string name;
  base::Span span;
  ValueId value;
};

// A function, elaborated for one list of shapes.
struct Instance {
  struct Parameter {
    ValueId value;
    std::string name;
    std::optional<WrittenLayout> layout;  // nothing: as the argument lies, or as it is chosen
    base::Span written;
    bool is_chosen = false;  // `T auto`
  };
  std::shared_ptr<const frontend::Ast> ast;
  std::string name;
  base::Span name_span;
  base::Span defined_at;
  std::vector<Parameter> parameters;
  Region body;
  std::vector<Let> lets;
  bool is_complete = true;
  std::optional<ChosenLayouts> chosen = {};  // of an `auto fn`
  std::vector<Named> named = {};             // of an `auto fn`: what its body binds
};

struct Bound {
  std::string name;
  base::Span span;
  ValueId value;
  std::uint32_t slot = 0;
  VariableType type;  // to be found
};
struct Statement {
  base::Span span;
  Moment moment = 0;  // when it began
  Region region;
  std::vector<Bound> bound;
  std::optional<ValueId> shown;
};

struct Program {
  std::shared_ptr<const frontend::Ast> ast;
  base::Store<Node, ValueId> nodes;
  base::Store<Instance, InstanceId> instances;
  std::vector<Statement> statements;
  base::Store<synth::Literal, synth::LiteralId> literals;
  base::Store<std::string, synth::StringId> strings;
  std::vector<Let> lets;
  std::uint32_t copies = 0;  // of regions, in gradients: numbers for Node::again

  const Type& type(ValueId id) const { return nodes[id].types.at(0); }
};

// Is the graph in order? What closes it asks first; a failure is our bug.
base::Status verify(const Program& program);

// As text, for people and for `read`, whose program prints the same: typeck/open/form.hpp has an example. The syntax
// trees that it was made from are not in it.
std::string print(const Program& program);
// All numbers of values in what is read are in range; `verify` decides whether it makes sense.
base::Result<Program> read(std::string_view text);

}  // namespace tessera::typeck::open
