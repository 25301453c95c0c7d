// Ast -> open::Program: who is meant by a name, and which shape and element type everything has. Private to
// typeck/elaborate/. One Elaborator reads one text: expressions are its own, the rest is done by its parts, which call
// each other through it. A function that fails reports once and returns nothing; its callers then return nothing, too,
// without another report.
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

#include "typeck/elaborate/calls.hpp"
#include "typeck/elaborate/index_wise.hpp"
#include "typeck/elaborate/names.hpp"
#include "typeck/elaborate/open_graph.hpp"
#include "typeck/elaborate/statements.hpp"
#include "typeck/elaborate/written_types.hpp"

namespace tessera::typeck {

class RangedFormula;
struct RunTimeRange;

class Elaborator : public OpenGraph {
 public:
  Elaborator(std::shared_ptr<const Ast> ast, base::SourceMap& sources, const Environment& environment,
             const synth::Machine& machine, const CheckOptions& options, Messages& messages,
             const Placements& placements = {});
  Elaborated run();
  WrittenTypes& types() { return types_; }
  const WrittenTypes& types() const { return types_; }
  Names& names() { return names_; }
  const Names& names() const { return names_; }
  Calls& calls() { return calls_; }
  IndexWise& index_wise() { return index_wise_; }
  Statements& statements() { return statements_; }
  // Makes scalars that can be computed again on the others' mesh; false (reported) if values on two meshes meet.
  bool unify_meshes(std::vector<Checked>& values, Span span);
  // For diagnostics: `this is on mesh a (x:2)`; and the name alone, or this where the mesh has none.
  std::string mesh_remark(const synth::Mesh& mesh) const;
  std::string name_or(const synth::Mesh& mesh, std::string_view otherwise) const;
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
  // While f checks a formula of parts, these may have ranges whose length only run time knows; of null, none may.
  template <class F>
  auto in_formula(RangedFormula* formula, F&& f) {
    RangedFormula* const outer = std::exchange(formula_, formula);
    auto result = std::forward<F>(f)();
    formula_ = outer;
    return result;
  }
  MaybeValue check_expr(ExprId id, const Preference& want = {});
  MaybeValue check_array(ExprId id, const Preference& want = {});  // one value, no tuple and no record
  // The same for an expression that stands by a type.
  MaybeValue check_array_as(ExprId id, const Ast& tree, TypeId type);
  bool is_literal(ExprId id) const;
  MaybeValue check_int_literal(Span span, const frontend::IntLiteral& literal, const Preference& want);
  MaybeValue check_float_literal(Span span, const frontend::FloatLiteral& literal, const Preference& want);
  MaybeValue check_list(ExprId id, const frontend::ListLiteral& list, const Preference& want);
  MaybeValue check_name(ExprId id, const frontend::NameRef& name);
  MaybeValue check_unary(ExprId id, const frontend::Unary& unary, const Preference& want);
  MaybeValue check_binary(ExprId id, const frontend::Binary& binary, const Preference& want);
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
  Checked elements_of(ValueId node, Span span, std::vector<Fields> items = {});
  MaybeValue scalar_of(const Checked& value, ElementType element, const std::string& who);
  std::vector<Checked> parts(const Checked& value);  // of a tuple
  static std::vector<open::Use> results_of(const Checked& value);
  // With `ranges`, lengths may be known only at run time: the dimension is taken whole, and what is meant is told.
  MaybeValue check_index(ExprId id, const frontend::Index& index, std::vector<RunTimeRange>* ranges = nullptr);
  MaybeValue with_new_dimensions(Span span, const Checked& value, const std::vector<std::size_t>& ascending);
  MaybeValue check_with(ExprId id, const frontend::With& with, const Preference& want);
  MaybeValue check_gradient(ExprId id, const frontend::Gradient& gradient);  // gradient.cpp

  // What is selected of each dimension, without the dimensions of the integers.
  MaybeValue take_part(Span span, const Checked& value, const std::vector<Selection>& taken);

 private:
  // `a (x:2)`; the default mesh is understood.
  std::string with_name(const synth::Mesh& mesh) const;
  MaybeValue check_node(ExprId id, const frontend::Expr& expr, const Preference& want);
  MaybeValue check_stored_literal(ExprId id, const frontend::Expr& expr, const Preference& want);
  std::string help_for_fraction(ExprId beside) const;
  std::optional<std::pair<Checked, Checked>> check_operands(ExprId left, ExprId right, const Preference& want);
  std::optional<std::vector<Checked>> carried_first(const frontend::Loop& loop, const Preference& want,
                                                    open::Loop& made_loop);
  bool count_turns(const frontend::Loop& loop, open::Loop& made_loop, Span span);
  MaybeValue condition_with(const frontend::Loop& loop, const std::vector<Checked>& values, const Checked& index);
  bool condition_first(const frontend::Loop& loop, const std::vector<Checked>& initial, open::Loop& made_loop);
  bool loop_turn(const frontend::Loop& loop, const Checked& index, const Preference& want,
                 const std::vector<Checked>& initial, open::Loop& made_loop, std::vector<Checked>& kept);
  bool pipelined(const frontend::Loop& loop, open::Loop& made_loop);
  std::optional<synth::Schedule> written_schedule(const frontend::Loop& loop);
  bool loop_keeps_shapes(const open::Loop& made_loop, const Checked& body);
  std::optional<std::vector<Selection>> selected(const Checked& base,
                                                 const std::vector<frontend::Subscript>& subscripts, Span span,
                                                 std::vector<RunTimeRange>* ranges = nullptr);
  MaybeValue replaced(const Checked& base, const frontend::Replacement& part, ExprId base_id, Span span);
  MaybeValue take_steps(Span span, const Checked& value, std::vector<Selection> taken);
  MaybeValue joined(ExprId id, open::If both, const MaybeValue& condition, const MaybeValue& then_value,
                    const MaybeValue& else_value);

  WrittenTypes types_;
  Names names_{*this};
  Calls calls_{*this};
  IndexWise index_wise_{*this};
  Statements statements_{*this};
  std::vector<open::Loop*> open_loops_;
  RangedFormula* formula_ = nullptr;
  std::size_t depth_ = 0;
};

}  // namespace tessera::typeck
