#include <algorithm>

#include "frontend/print.hpp"

namespace tessera::frontend {

namespace {

class Comparison {
 public:
  Comparison(const Ast& a, const Ast& b) : a_(a), b_(b) {}

  template <class T>
  bool same(const std::vector<T>& x, const std::vector<T>& y) const {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](const T& i, const T& j) { return same(i, j); });
  }

 private:
  template <class T>
  bool same(const std::optional<T>& x, const std::optional<T>& y) const {
    return x.has_value() == y.has_value() && (!x || same(*x, *y));
  }
  template <class... T>
  bool same(const std::variant<T...>& x, const std::variant<T...>& y) const {
    if (x.index() != y.index()) return false;
    return std::visit([&](const auto& node) { return same(node, std::get<std::decay_t<decltype(node)>>(y)); }, x);
  }
  // Ids are followed, each into its own tree.
  template <class Tag>
  bool same(base::Id<Tag> x, base::Id<Tag> y) const {
    if (!x.valid() || !y.valid()) return x.valid() == y.valid();
    return same(a_[x], b_[y]);
  }

  bool same(const std::string& x, const std::string& y) const { return x == y; }
  bool same(std::int64_t x, std::int64_t y) const { return x == y; }
  bool same(ElementKeyword x, ElementKeyword y) const { return x == y; }
  bool same(const Name& x, const Name& y) const { return x.text == y.text; }

  bool same(const AxisUse& x, const AxisUse& y) const { return same(x.axis, y.axis) && same(x.cut, y.cut); }
  bool same(const Dimension& x, const Dimension& y) const {
    return x.from_file == y.from_file && same(x.extent, y.extent) && same(x.axes, y.axes);
  }
  bool same(const Pending& x, const Pending& y) const { return x.kind == y.kind && same(x.axes, y.axes); }
  bool same(const TypeField& x, const TypeField& y) const { return same(x.name, y.name) && same(x.type, y.type); }
  bool same(const TypeExpr& x, const TypeExpr& y) const {
    return same(x.element, y.element) && x.has_shape == y.has_shape && same(x.dimensions, y.dimensions) &&
           x.any_shape == y.any_shape && same(x.pending, y.pending) && x.any_layout == y.any_layout &&
           same(x.mesh, y.mesh) && same(x.fields, y.fields);
  }

  bool same(const Expr& x, const Expr& y) const { return same(x.node, y.node); }
  bool same(const IntLiteral& x, const IntLiteral& y) const {
    return x.value == y.value && x.is_grouped == y.is_grouped;
  }
  bool same(const FloatLiteral& x, const FloatLiteral& y) const { return x.value == y.value && x.text == y.text; }
  bool same(const BoolLiteral& x, const BoolLiteral& y) const { return x.value == y.value; }
  bool same(const StringLiteral& x, const StringLiteral& y) const { return x.value == y.value; }
  bool same(const ListLiteral& x, const ListLiteral& y) const { return same(x.items, y.items); }
  bool same(const NameRef& x, const NameRef& y) const { return x.name == y.name; }
  bool same(const Unary& x, const Unary& y) const { return x.op == y.op && same(x.operand, y.operand); }
  bool same(const Binary& x, const Binary& y) const {
    return x.op == y.op && same(x.left, y.left) && same(x.right, y.right);
  }
  bool same(const Subscript& x, const Subscript& y) const {
    return x.kind == y.kind && same(x.start, y.start) && same(x.stop, y.stop) && same(x.step, y.step);
  }
  bool same(const Index& x, const Index& y) const { return same(x.base, y.base) && same(x.subscripts, y.subscripts); }
  bool same(const Argument& x, const Argument& y) const { return same(x.name, y.name) && same(x.value, y.value); }
  bool same(const Call& x, const Call& y) const { return same(x.callee, y.callee) && same(x.arguments, y.arguments); }
  bool same(const Gradient& x, const Gradient& y) const {
    return same(x.function, y.function) && same(x.wrt, y.wrt) && same(x.arguments, y.arguments);
  }
  bool same(const Cast& x, const Cast& y) const { return x.element == y.element && same(x.operand, y.operand); }
  bool same(const Tuple& x, const Tuple& y) const { return same(x.items, y.items); }
  bool same(const Field& x, const Field& y) const { return same(x.name, y.name) && same(x.value, y.value); }
  bool same(const Record& x, const Record& y) const { return same(x.base, y.base) && same(x.fields, y.fields); }
  bool same(const FieldOf& x, const FieldOf& y) const { return same(x.base, y.base) && same(x.field, y.field); }
  bool same(const As& x, const As& y) const {
    return same(x.operand, y.operand) && same(x.type, y.type) && x.within_bytes == y.within_bytes;
  }
  bool same(const Replacement& x, const Replacement& y) const {
    return same(x.subscripts, y.subscripts) && same(x.value, y.value);
  }
  bool same(const With& x, const With& y) const { return same(x.base, y.base) && same(x.replacements, y.replacements); }
  bool same(const If& x, const If& y) const {
    return same(x.condition, y.condition) && same(x.then_block, y.then_block) && same(x.else_block, y.else_block);
  }
  bool same(const BlockExpr& x, const BlockExpr& y) const { return same(x.block, y.block); }
  bool same(const Local& x, const Local& y) const { return same(x.block, y.block); }
  bool same(const Again& x, const Again& y) const { return same(x.block, y.block); }
  bool same(const Carried& x, const Carried& y) const { return same(x.name, y.name) && same(x.init, y.init); }
  bool same(const Loop& x, const Loop& y) const {
    const auto schedule = [](const Loop& loop) { return loop.schedule ? loop.schedule->text : std::string(); };
    return same(x.carried, y.carried) && same(x.index, y.index) && same(x.bound, y.bound) && same(x.body, y.body) &&
           same(x.condition, y.condition) && same(x.limit, y.limit) && x.is_pipeline == y.is_pipeline &&
           x.is_scan == y.is_scan && x.is_unrolled == y.is_unrolled &&
           x.schedule.has_value() == y.schedule.has_value() && schedule(x) == schedule(y);
  }

  bool same(const Statement& x, const Statement& y) const { return same(x.node, y.node); }
  bool same(const Block& x, const Block& y) const {
    if (x.result.valid() != y.result.valid()) return false;
    return same(x.statements, y.statements) && (!x.result.valid() || same(x.result, y.result));
  }
  bool same(const NamedCut& x, const NamedCut& y) const { return same(x.name, y.name) && same(x.weights, y.weights); }
  bool same(const MeshAxis& x, const MeshAxis& y) const {
    return same(x.name, y.name) && same(x.size, y.size) && same(x.cuts, y.cuts);
  }
  bool same(const Placement& x, const Placement& y) const { return same(x.rows, y.rows); }
  bool same(const DeviceRange& x, const DeviceRange& y) const { return same(x.first, y.first) && same(x.end, y.end); }
  bool same(const OnDevices& x, const OnDevices& y) const { return same(x.ranges, y.ranges); }
  bool same(const MeshStatement& x, const MeshStatement& y) const {
    return same(x.name, y.name) && same(x.axes, y.axes) && same(x.on, y.on) && same(x.place, y.place);
  }
  bool same(const Let& x, const Let& y) const {
    return same(x.names, y.names) && same(x.type, y.type) && same(x.value, y.value);
  }
  bool same(const Parameter& x, const Parameter& y) const {
    return same(x.name, y.name) && same(x.type, y.type) && x.chosen.has_value() == y.chosen.has_value();
  }
  bool same(const Fn& x, const Fn& y) const {
    return same(x.name, y.name) && same(x.parameters, y.parameters) && same(x.results, y.results) &&
           x.body_is_expression == y.body_is_expression && same(x.body, y.body) &&
           x.chosen.has_value() == y.chosen.has_value() && same(x.results_as, y.results_as) && same(x.over, y.over);
  }
  bool same(const Print& x, const Print& y) const { return same(x.items, y.items); }
  bool same(const Show& x, const Show& y) const { return same(x.value, y.value); }
  bool same(const PlanStatement& x, const PlanStatement& y) const { return same(x.value, y.value); }
  bool same(const Save& x, const Save& y) const {
    return same(x.value, y.value) && x.path == y.path && x.shards == y.shards && x.array == y.array;
  }
  bool same(const Assert& x, const Assert& y) const {
    return same(x.condition, y.condition) && same(x.message, y.message);
  }
  bool same(const Use& x, const Use& y) const { return x.path == y.path && x.with_meshes == y.with_meshes; }
  bool same(const ExprStatement& x, const ExprStatement& y) const { return same(x.value, y.value); }
  bool same(const IfStatement& x, const IfStatement& y) const {
    return same(x.condition, y.condition) && same(x.then_block, y.then_block) && same(x.else_block, y.else_block);
  }

  const Ast& a_;
  const Ast& b_;
};

}  // namespace

bool equal(const Ast& a, const Ast& b) { return Comparison(a, b).same(a.program, b.program); }

}  // namespace tessera::frontend
