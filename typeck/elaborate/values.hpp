// What the parts of an elaboration hand each other: checked expressions, types as they are written, and the text that
// is being walked. Private to typeck.
#pragma once

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
#include "typeck/open/open.hpp"
#include "typeck/typed/auto_placed.hpp"
#include "typeck/typed/chosen_cut.hpp"
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

// The names of a record's fields, in their order; those of a record in it follow behind a point, as `layer.w`. An array
// has none.
using Fields = std::vector<std::string>;

// A checked expression: an array, a record or a tuple of these.
struct Checked {
  std::vector<ValueId> nodes;  // one; several for a tuple, and one for each field of a record
  Span span;
  ExprId expr;  // the text it came from; not valid for values made on the way
  std::optional<KnownScalar> known;
  std::optional<Affine> affine;
  std::vector<Fields> items = {};                             // empty where there are arrays alone
  std::vector<std::optional<KnownScalar>> known_fields = {};  // of a record or tuple, where some are known

  ValueId node() const { return nodes.at(0); }
  // How many values a tuple has; 1 for an array or a record.
  std::size_t count() const { return items.empty() ? nodes.size() : items.size(); }
  bool is_record() const { return items.size() == 1 && !items.front().empty(); }
  bool is_array() const { return count() == 1 && !is_record(); }
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
  bool single = false;       // an integer: the dimension goes
  std::int64_t step = 1;     // of a range: every so many elements, backwards if it is below 0
  std::int64_t spanned = 0;  // of a range with a step: how many elements there are from its start to its stop
};

// A name bound inside a function, block or loop. Empty if its definition failed, which was reported.
struct Local {
  std::string name;
  MaybeValue value;
  std::optional<std::string> text = {};  // in place of a value: a string
};

// A file as a call names it: its path, and of a file that holds several arrays which one.
struct WrittenFile {
  std::string path;
  Span span;
  std::optional<std::string> array = {};
  Span array_span = {};
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
  std::vector<open::Named> named = {};  // of an `auto fn`
  base::SourceId file = {};             // a file that `use` brought, in which names are looked up
  std::size_t unrolled = 0;             // how many unrolled loops its text is in
  std::size_t idle_loops = 0;           // unrolled loops of no turns: what these would print is not in the graph

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
  std::vector<ChosenCut> chosen_cuts;
  std::vector<std::pair<StatementId, base::SourceId>> used_files;
  std::string remark_on_defines;  // on those of another kind than the text's value, for the first error
};

// `[512, 256]`, for messages.
std::string print_shape(const Shape& shape);

}  // namespace tessera::typeck
