#include "frontend/verify.hpp"

#include <algorithm>
#include <string>

#include "base/check.hpp"
#include "base/utf8.hpp"
#include "frontend/literal.hpp"
#include "frontend/parse.hpp"
#include "frontend/token.hpp"

namespace tessera::frontend {

namespace {

bool may_stand_in_block(const Ast& ast, const decltype(Statement::node)& node) {
  if (const auto* alone = std::get_if<ExprStatement>(&node)) {
    const auto& value = ast[alone->value].node;
    return std::holds_alternative<Call>(value) || std::holds_alternative<Loop>(value);
  }
  return std::holds_alternative<Let>(node) || std::holds_alternative<Assert>(node) ||
         std::holds_alternative<Print>(node) || std::holds_alternative<Show>(node) ||
         std::holds_alternative<Save>(node) || std::holds_alternative<IfStatement>(node);
}

// Every node that is reached is reached once, so that what is walked is a tree and the walk ends.
class Verifier {
 public:
  explicit Verifier(const Ast& ast)
      : ast_(ast),
        exprs_(ast.exprs.size()),
        types_(ast.types.size()),
        statements_(ast.statements.size()),
        blocks_(ast.blocks.size()) {}

  void program() {
    for (const StatementId id : ast_.program) statement(id);
    for (const Comment& comment : ast_.comments) {
      TESSERA_CHECK(comment.text.starts_with('#') && comment.text.find('\n') == std::string::npos,
                    "a comment of no line");
    }
  }

 private:
  // Marks the visit of a node and the way to it.
  class Visit {
   public:
    template <class Id>
    Visit(Verifier& verifier, std::vector<bool>& visited, Id id) : depth_(verifier.depth_) {
      TESSERA_CHECK(id.value < visited.size(), "an id of the tree leads nowhere");
      TESSERA_CHECK(!visited[id.value], "a node of the tree has two parents");
      visited[id.value] = true;
      TESSERA_CHECK(++depth_ <= kDepthMax, "the tree is deeper than the parser makes them");
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() { --depth_; }

   private:
    std::size_t& depth_;
  };

  // Braces are the deepest of all that may be open at once: an expression, its block, and a `let` in it.
  static constexpr std::size_t kDepthMax = 3 * kNestingMax + 8;

  // ---- Statements ----

  void statement(StatementId id) {
    const Visit visit(*this, statements_, id);
    std::visit([&](const auto& node) { check(node); }, ast_[id].node);
  }

  void check(const MeshStatement& mesh) {
    name(mesh.name.text);
    TESSERA_CHECK(!mesh.axes.empty(), "a mesh without axes");
    for (const MeshAxis& axis : mesh.axes) {
      name(axis.name.text);
      expr(axis.size);
      for (const NamedCut& cut : axis.cuts) {
        name(cut.name.text);
        TESSERA_CHECK(!cut.weights.empty(), "a cut without weights");
        for (const ExprId weight : cut.weights) expr(weight);
      }
    }
    if (mesh.place) check(*mesh.place);
    if (mesh.on) check(*mesh.on);
  }
  void check(const Placement& place) {
    for (const std::vector<ExprId>& row : place.rows) {
      TESSERA_CHECK(!row.empty(), "a row of a placement without numbers");
      for (const ExprId number : row) expr(number);
    }
  }
  void check(const OnDevices& on) {
    TESSERA_CHECK(!on.ranges.empty(), "a mesh on no range of devices");
    for (const DeviceRange& range : on.ranges) {
      expr(range.first);
      expr(range.end);
    }
  }
  void check(const Let& let) {
    TESSERA_CHECK(!let.names.empty(), "a let without names");
    TESSERA_CHECK(let.names.size() == 1 || !let.type, "a let of several names with a type");
    names(let.names);
    if (let.type) type(*let.type);
    expr(let.value);
  }
  void check(const Fn& fn) {
    name(fn.name.text);
    for (const Parameter& p : fn.parameters) {
      name(p.name.text);
      type(p.type);
    }
    for (const TypeId result : fn.results) type(result);
    TESSERA_CHECK(fn.results_as.size() == fn.results.size(),
                  "a function has not as many results as it says lie as what");
    for (const std::optional<Name>& as : fn.results_as) {
      if (as) name(as->text);
    }
    for (const Name& axis : fn.over) name(axis.text);
    block(fn.body);
    TESSERA_CHECK(!fn.body_is_expression || ast_[fn.body].statements.empty(), "statements after the `=` of a function");
  }
  void check(const Print& print) {
    TESSERA_CHECK(!print.items.empty(), "a print of nothing");
    exprs(print.items);
  }
  void check(const Show& show) { expr(show.value); }
  void check(const PlanStatement& plan) { expr(plan.value); }
  void check(const Save& save) {
    expr(save.value);
    utf8(save.path);
    if (save.array) utf8(*save.array);
  }
  void check(const Assert& assertion) {
    expr(assertion.condition);
    if (assertion.message) utf8(*assertion.message);
  }
  void check(const Use& use) { utf8(use.path); }
  void check(const ExprStatement& lone) { expr(lone.value); }
  void check(const IfStatement& branch) {
    expr(branch.condition);
    block(branch.then_block, false);
    if (branch.else_block) block(*branch.else_block, false);
  }

  void block(BlockId id, bool has_value = true) {
    const Visit visit(*this, blocks_, id);
    for (const StatementId inner : ast_[id].statements) {
      statement(inner);
      const auto& node = ast_[inner].node;
      TESSERA_CHECK(may_stand_in_block(ast_, node), "a statement that may not stand in a block");
    }
    TESSERA_CHECK(ast_[id].result.valid() == has_value,
                  "a block with a value in an `if` without one, or none elsewhere");
    if (has_value) expr(ast_[id].result);
    TESSERA_CHECK(has_value || !ast_[id].statements.empty(), "a block of nothing");
  }

  // ---- Types ----

  void type(TypeId id, bool needs_element = true) {
    const Visit visit(*this, types_, id);
    const TypeExpr& t = ast_[id];
    for (const TypeField& field : t.fields) {
      name(field.name.text);
      type(field.type);
    }
    TESSERA_CHECK(t.fields.empty() || !(t.element || t.has_shape || t.pending || t.any_layout || t.mesh),
                  "a record type that is an array's, too");
    if (!t.fields.empty()) return;
    TESSERA_CHECK(!t.any_shape || (t.has_shape && t.dimensions.empty()), "dimensions in any shape");
    TESSERA_CHECK(t.element || (!needs_element && t.has_shape), "a type without an element type");
    TESSERA_CHECK(t.has_shape || t.dimensions.empty(), "dimensions without a shape");
    TESSERA_CHECK(!t.pending || !t.any_layout, "a pending brace and `?` in one type");
    for (const Dimension& d : t.dimensions) {
      for (const AxisUse& use : d.axes) {
        name(use.axis.text);
        if (use.cut) name(use.cut->text);
      }
      TESSERA_CHECK(d.from_file != d.extent.valid(), "a dimension has one extent, or `_`");
      if (d.extent.valid()) expr(d.extent);
    }
    if (t.pending) {
      TESSERA_CHECK(!t.pending->axes.empty(), "a pending brace without axes");
      names(t.pending->axes);
    }
    if (t.mesh) name(t.mesh->text);
  }

  // ---- Expressions ----

  void expr(ExprId id) {
    const Visit visit(*this, exprs_, id);
    std::visit([&](const auto& node) { check(node); }, ast_[id].node);
  }
  void exprs(const std::vector<ExprId>& ids) {
    for (const ExprId id : ids) expr(id);
  }

  void check(const IntLiteral& literal) {
    const bool least = literal.value == kLeastInteger && least_allowed_;
    TESSERA_CHECK(literal.value >= 0 || least, "a negative integer literal");
    constexpr std::int64_t kLeastOfTwoGroups = 1000;
    const bool may_be_grouped = least || literal.value >= kLeastOfTwoGroups;
    TESSERA_CHECK(may_be_grouped || !literal.is_grouped, "a number too small for groups of digits");
    least_allowed_ = false;
  }
  void check(const FloatLiteral& literal) {
    const std::string_view number(literal.text.data(), literal.text.size() - (literal.is_imaginary ? 1 : 0));
    const bool is_spelled_so =
        literal.is_imaginary ? literal.text.ends_with('j') && is_number(number) : is_real_literal(number);
    TESSERA_CHECK(is_spelled_so, "a float literal that is not spelled as one");
    const auto worth = real_value(number, {});
    const auto* value = std::get_if<double>(&worth);
    TESSERA_CHECK(value != nullptr && *value == literal.value, "a float literal whose text has another value");
  }
  void check(const BoolLiteral&) {}
  void check(const StringLiteral& literal) { utf8(literal.value); }
  void check(const ListLiteral& list) { exprs(list.items); }
  void check(const NameRef& reference) { name(reference.name); }
  void check(const Unary& unary) {
    const auto* digits = std::get_if<IntLiteral>(&ast_[unary.operand].node);
    least_allowed_ = unary.op == UnaryOp::negate && digits != nullptr;
    expr(unary.operand);
  }
  void check(const Binary& binary) {
    expr(binary.left);
    expr(binary.right);
  }
  void check(const Index& index) {
    expr(index.base);
    TESSERA_CHECK(!std::holds_alternative<Tuple>(ast_[index.base].node), "an indexed tuple");
    TESSERA_CHECK(!index.subscripts.empty(), "an index without subscripts");
    for (const Subscript& s : index.subscripts) subscript(s);
  }
  void subscript(const Subscript& s) {
    const bool range = s.kind == Subscript::Kind::range;
    TESSERA_CHECK(range || (s.start.valid() && !s.stop.valid() && !s.step.valid()),
                  "a single subscript has a start and nothing else");
    if (s.start.valid()) expr(s.start);
    if (s.stop.valid()) expr(s.stop);
    if (s.step.valid()) expr(s.step);
  }
  void check(const Call& call) {
    name(call.callee.text);
    arguments(call.arguments);
  }
  void check(const Gradient& gradient) {
    name(gradient.function.text);
    if (gradient.wrt) {
      TESSERA_CHECK(!gradient.wrt->empty(), "a gradient with respect to nothing");
      names(*gradient.wrt);
    }
    arguments(gradient.arguments);
  }
  void arguments(const std::vector<Argument>& all) {
    for (const Argument& a : all) {
      if (a.name) name(a.name->text);
      if (const auto* value = std::get_if<ExprId>(&a.value)) {
        expr(*value);
      } else {
        type(std::get<TypeId>(a.value));
      }
    }
  }
  void check(const Cast& cast) { expr(cast.operand); }
  void check(const Tuple& tuple) {
    TESSERA_CHECK(tuple.items.size() > 1, "a tuple of less than two");
    exprs(tuple.items);
  }
  void check(const Record& record) {
    TESSERA_CHECK(record.base.valid() || !record.fields.empty(), "a record of nothing");
    if (record.base.valid()) expr(record.base);
    for (const Field& field : record.fields) {
      name(field.name.text);
      expr(field.value);
    }
  }
  void check(const FieldOf& member) {
    expr(member.base);
    name(member.field.text);
  }
  void check(const As& as) {
    expr(as.operand);
    type(as.type, false);
    TESSERA_CHECK(!as.within_bytes || *as.within_bytes >= 0, "a negative budget");
  }
  void check(const With& with) {
    expr(with.base);
    TESSERA_CHECK(!with.replacements.empty(), "a `with` of nothing");
    for (const Replacement& one : with.replacements) {
      TESSERA_CHECK(!one.subscripts.empty(), "a replacement without subscripts");
      for (const Subscript& s : one.subscripts) subscript(s);
      expr(one.value);
    }
  }
  void check(const If& branch) {
    expr(branch.condition);
    block(branch.then_block);
    block(branch.else_block);
  }
  void check(const BlockExpr& e) { block(e.block); }
  void check(const Local& local) { block(local.block); }
  void check(const Again& again) { block(again.block); }
  void check(const Loop& loop) {
    TESSERA_CHECK(!loop.carried.empty(), "a loop that carries nothing");
    TESSERA_CHECK(loop.is_pipeline || !loop.schedule, "a loop with a schedule");
    if (loop.schedule) utf8(loop.schedule->text);
    for (const Carried& c : loop.carried) {
      name(c.name.text);
      expr(c.init);
    }
    TESSERA_CHECK(loop.index.has_value() == loop.bound.valid(), "an index without a bound, or a bound without one");
    TESSERA_CHECK(loop.bound.valid() || loop.condition.valid(), "a loop without an end");
    TESSERA_CHECK(!loop.condition.valid() || !(loop.is_pipeline || loop.is_scan),
                  "a pipeline or scan with a condition");
    TESSERA_CHECK(!loop.is_pipeline || !loop.is_scan, "a pipeline that is a scan");
    TESSERA_CHECK(!loop.is_unrolled || (loop.bound.valid() && !loop.is_pipeline && !loop.is_scan),
                  "an unrolled loop without a bound, or an unrolled pipeline or scan");
    TESSERA_CHECK(!loop.limit.valid() || (loop.condition.valid() && !loop.bound.valid()), "a limit beside a bound");
    if (loop.index) name(loop.index->text);
    for (const ExprId part : {loop.bound, loop.condition, loop.limit}) {
      if (part.valid()) expr(part);
    }
    block(loop.body);
  }

  // ---- Words ----

  static void name(const std::string& text) {
    TESSERA_CHECK(is_name(text), "`" + text + "` is used as a name and is none");
  }
  static void names(const std::vector<Name>& all) {
    for (const Name& one : all) name(one.text);
  }
  static void utf8(const std::string& text) {
    TESSERA_CHECK(!base::first_invalid_byte(text), "a string that is not valid UTF-8");
  }

  const Ast& ast_;
  std::vector<bool> exprs_;
  std::vector<bool> types_;
  std::vector<bool> statements_;
  std::vector<bool> blocks_;
  bool least_allowed_ = false;  // the literal that comes next is the operand of a minus
  std::size_t depth_ = 0;
};

}  // namespace

base::Status verify(const Ast& ast) {
  return base::guarded([&]() -> base::Status {
    Verifier(ast).program();
    return base::Done{};
  });
}

}  // namespace tessera::frontend
