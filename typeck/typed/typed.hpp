// The typed program: every value with its type, every redistribution with its plan and its reason. A graph of nodes; a
// node is computed where a region lists it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "synth/planner/plan.hpp"
#include "synth/program/pass.hpp"
#include "synth/program/program.hpp"
#include "synth/program/schedule/pipeline_plan.hpp"
#include "typeck/typed/auto_placed.hpp"
#include "typeck/typed/chosen_cut.hpp"
#include "typeck/typed/chosen_function.hpp"
#include "typeck/typed/environment.hpp"

namespace tessera::typeck {

using NodeId = base::Id<struct NodeTag>;
using InstanceId = base::Id<struct InstanceTag>;

// A priced way to lay out an operation's operands.
struct Alternative {
  std::string description;  // `as the left operand: i@x, k, j`
  double seconds = 0;
  std::int64_t received_bytes = 0;
  std::int64_t peak_bytes = 0;
  bool chosen = false;
};
inline bool cheaper(const Alternative& a, const Alternative& b) {
  return std::tie(a.seconds, a.received_bytes, a.peak_bytes) < std::tie(b.seconds, b.received_bytes, b.peak_bytes);
}

// Why a redistribution is there.
struct Reason {
  enum class Asker : std::uint8_t {
    operation,           // operands of an operation disagreed; inserted
    argument,            // a parameter wants another layout; inserted
    pending_resolution,  // an operation needs a finished sum; inserted
    annotation,          // `as`, an annotated let, a declared result; explicit
    collective,          // written out by hand; explicit
    output,              // print, save, show; explicit
    chosen,              // a choice of layouts for an `auto fn`; explicit
  };
  Asker asker = Asker::operation;
  std::string who;      // `@`, `softmax`, `argument w of dense`
  base::Span asked_at;  // the expression that asked
  base::Span because;   // the annotation or operand it was compared with; may be unknown
  std::vector<Alternative> compared;

  bool inserted() const {
    return asker == Asker::operation || asker == Asker::argument || asker == Asker::pending_resolution;
  }
};

struct Parameter {};  // of an instance or a loop body: given from outside
struct Input {        // a value of the session
  std::uint32_t slot = 0;
};
struct Compute {
  synth::Operation operation;
  std::vector<NodeId> operands;
  // Of an Assemble over split dimensions: what it moves (static placements); of a Scan or Recur along one: what it
  // carries; of a Take, ScatterAdd or Sort: what moves at most. And which operation asked: `a slice`.
  std::int64_t received_bytes = 0;
  std::string who;
  std::vector<Alternative> compared = {};  // the layouts that a result made of parts could have had
};
struct Redistribute {
  NodeId operand;
  std::shared_ptr<const synth::Plan> plan;
  Reason why;
};
struct Call {
  InstanceId instance;
  std::vector<NodeId> arguments;
};

struct Region {
  std::vector<NodeId> order;    // everything computed here, in order, asserts included
  std::vector<NodeId> results;  // may also name nodes of enclosing regions
};
struct Loop {
  NodeId count;
  std::optional<std::int64_t> known_count;  // where it is known when the program is checked
  NodeId index;                             // a Parameter
  std::vector<NodeId> initial;
  std::vector<NodeId> parameters;  // Parameters
  Region body;
  std::vector<NodeId> indices_elsewhere = {};  // Parameters: the index on other meshes that the body needs it on
  std::shared_ptr<const synth::PipelinePlan> pipeline = {};  // null: a plain loop
  std::optional<std::uint32_t> condition = {};               // the carried bool that says whether there is another turn
  bool is_limited = false;                                   // to need more turns than the count is an error
};
struct If {
  NodeId condition;
  Region then_region;
  Region else_region;
};
struct Again {  // computed here, and computed again, not kept, where a gradient needs what is inside
  Region body;
};
struct Element {  // one of several results of a Call, Loop, If or Again
  NodeId tuple;
  std::uint32_t index = 0;
};

struct Node {
  base::Span span;
  std::vector<ArrayType> types;  // one; several for Call, Loop, If and Again with several results; none for effects
  std::variant<Parameter, Input, Compute, Redistribute, Call, Loop, If, Again, Element> body;
  synth::Pass pass = synth::Pass::none;
};

// A function checked for one list of argument types.
struct Instance {
  std::string name;
  std::vector<NodeId> parameters;
  Region body;
};

struct Bound {
  std::string name;
  base::Span span;  // of the name
  NodeId node;
  std::uint32_t slot = 0;
};

struct TypedStatement {
  base::Span span;
  Region region;                // results unused
  std::vector<Bound> bound;     // of a `let`
  std::optional<NodeId> shown;  // of a bare expression (REPL)
};

struct Typed {
  std::shared_ptr<const frontend::Ast> ast;
  base::Store<Node, NodeId> nodes;
  base::Store<Instance, InstanceId> instances;
  std::vector<TypedStatement> statements;
  base::Store<synth::Literal, synth::LiteralId> literals;
  base::Store<std::string, synth::StringId> strings;
  Environment after;
  std::set<std::uint32_t> hidden_slots;  // what nothing reaches any more, of bindings here and before
  base::Diagnostics notes;               // notes and warnings
  // For printing: what was inserted around which expression of the text, and the type of each `let`. Expressions of a
  // function body only where the function has one instance.
  std::map<frontend::ExprId, std::string> inserted_as;
  std::map<frontend::StatementId, std::string> let_types;
  std::vector<AutoPlaced> placed_by_search;  // in the order of their statements
  std::vector<ChosenCut> chosen_cuts;        // in the order of the text
  // The file that each `use` of the text brought.
  std::vector<std::pair<frontend::StatementId, base::SourceId>> used_files;
  std::vector<ChosenFunction> choices;  // in the order of their first calls
  std::string stage_text;               // the program as a stage left it, where that was asked for

  const ArrayType& type(NodeId id) const { return nodes[id].types.at(0); }
};

// Are the graph's types and uses in order? The next stage calls it first; a failure is our bug.
base::Status verify(const Typed& typed);

// The program with every type and every redistribution written out; checking the text again gives the same text.
std::string print(const Typed& typed, const base::SourceMap& sources);

// All redistributions a statement performs (those of called functions included, once per instance), in order.
std::vector<const Redistribute*> redistributions(const Typed& typed, const Region& region);
// The computations of a statement that receive bytes from other devices (Compute::received_bytes), in the same order.
// Each is a node whose body is a Compute.
std::vector<const Node*> parts_moved(const Typed& typed, const Region& region);

}  // namespace tessera::typeck
