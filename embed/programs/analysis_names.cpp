#include "embed/programs/analysis_names.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "typeck/elaborate/table.hpp"

namespace tessera::embed {

namespace {

using Role = TextName::Role;

TextRange range_of(frontend::Span span) { return {span.begin, span.end}; }

class NameWalk {
 public:
  NameWalk(const frontend::Ast& ast, std::uint32_t size) : ast_(ast), size_(size) { scopes_.emplace_back(); }

  NamesOfText take() {
    for (std::uint32_t number = 0; number < ast_.program.size(); ++number) top_statement(ast_.program[number], number);
    return std::move(out_);
  }

 private:
  struct Axis {
    std::size_t name = 0;
    std::map<std::string, std::size_t, std::less<>> cuts;
  };
  using Latest = std::map<std::string, std::size_t, std::less<>>;  // the number of the latest name that is spelled so
  struct Scope {
    Latest latest;
    std::vector<std::size_t> all;
  };

  // ---- Binding and meaning

  std::size_t bind(const frontend::Name& name, Role role, TextRange statement, std::uint32_t from) {
    const std::size_t number = out_.names.size();
    TextName bound{role, range_of(name.span), name.text, number};
    bound.statement = statement;
    bound.visible = {from, size_};
    out_.names.push_back(std::move(bound));
    return number;
  }

  // A variable, parameter or extent of the innermost scope. A later one of the same name hides it.
  std::size_t bind_local(const frontend::Name& name, Role role, TextRange statement, std::uint32_t from) {
    const std::size_t number = bind(name, role, statement, from);
    Scope& scope = scopes_.back();
    if (const auto earlier = latest(scope.latest, name.text)) {
      std::uint32_t& end = out_.names[*earlier].visible.end;
      end = std::min(end, from);
    }
    scope.latest[name.text] = number;
    scope.all.push_back(number);
    return number;
  }

  void mean(const std::string& name, frontend::Span span, Role role, std::optional<std::size_t> definition) {
    out_.names.push_back({role, range_of(span), name, definition});
  }

  std::optional<std::size_t> variable(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto found = latest(scope->latest, name)) return found;
    }
    return std::nullopt;
  }

  static std::optional<std::size_t> latest(const Latest& names, std::string_view name) {
    const auto found = names.find(name);
    return found == names.end() ? std::nullopt : std::optional(found->second);
  }

  void mean_variable(const std::string& name, frontend::Span span) {
    const auto definition = variable(name);
    mean(name, span, definition ? out_.names[*definition].role : Role::variable, definition);
  }

  const Axis* axis_on(std::size_t mesh, std::string_view name) const {
    for (const Axis& axis : axes_.at(mesh)) {
      if (out_.names[axis.name].name == name) return &axis;
    }
    return nullptr;
  }

  const Axis* axis(std::string_view name, std::optional<std::size_t> mesh) const {
    if (const Axis* found = mesh ? axis_on(*mesh, name) : nullptr) return found;
    for (auto other = out_.meshes.rbegin(); other != out_.meshes.rend(); ++other) {
      if (const Axis* found = axis_on(*other, name)) return found;
    }
    return nullptr;
  }

  const Axis* mean_axis(const frontend::Name& name, std::optional<std::size_t> mesh) {
    const Axis* const found = axis(name.text, mesh);
    mean(name.text, name.span, Role::axis, found ? std::optional(found->name) : std::nullopt);
    return found;
  }

  // Runs f in a scope of its own, whose names are visible to its end.
  template <class F>
  void in_scope(std::uint32_t end, const F& f) {
    scopes_.emplace_back();
    f();
    for (const std::size_t number : scopes_.back().all) {
      TextName& name = out_.names[number];
      name.visible.end = std::min(name.visible.end, end);
    }
    scopes_.pop_back();
  }

  void part(frontend::Span span) { out_.parts.push_back(range_of(span)); }

  // ---- Statements

  void top_statement(frontend::StatementId id, std::uint32_t number) {
    const std::size_t first = out_.names.size();
    statement(id);
    const auto& node = ast_[id].node;
    TextStatement outlined{range_of(ast_[id].span)};
    outlined.is_function = std::holds_alternative<frontend::Fn>(node);
    outlined.is_mesh = std::holds_alternative<frontend::MeshStatement>(node);
    outlined.number = number;
    for (std::size_t k = first; k < out_.names.size() && !outlined.name; ++k) {
      const bool binds_it = out_.names[k].definition == k && out_.names[k].statement == outlined.range;
      if (binds_it) outlined.name = k;
    }
    out_.statements.push_back(outlined);
  }

  void statement(frontend::StatementId id) {
    const frontend::Statement& one = ast_[id];
    part(one.span);
    std::visit([&](const auto& node) { statement(id, one.span, node); }, one.node);
  }

  void statement(frontend::StatementId, frontend::Span span, const frontend::MeshStatement& mesh) {
    const std::size_t number = bind(mesh.name, Role::mesh, range_of(span), span.end);
    std::vector<Axis> axes;
    for (const frontend::MeshAxis& one : mesh.axes) {
      Axis axis{bind(one.name, Role::axis, range_of(span), span.end), {}};
      expr(one.size);
      for (const frontend::NamedCut& cut : one.cuts) {
        axis.cuts[cut.name.text] = bind(cut.name, Role::cut, range_of(span), span.end);
        for (const frontend::ExprId weight : cut.weights) expr(weight);
      }
      axes.push_back(std::move(axis));
    }
    axes_[number] = std::move(axes);
    meshes_[mesh.name.text] = number;
    if (mesh.on) {
      for (const frontend::DeviceRange& range : mesh.on->ranges) exprs({range.first, range.end});
    }
    if (mesh.place) {
      for (const auto& row : mesh.place->rows) exprs(row);
    }
    out_.meshes.push_back(number);
    default_mesh_ = number;
  }

  void statement(frontend::StatementId id, frontend::Span span, const frontend::Let& let) {
    if (let.type) type(*let.type);
    expr(let.value);
    for (const frontend::Name& name : let.names) {
      const std::size_t number = bind_local(name, Role::variable, range_of(span), span.end);
      if (let.names.size() > 1) continue;
      out_.values[number] = let.value;
      out_.lets[number] = id;
    }
  }

  void statement(frontend::StatementId, frontend::Span span, const frontend::Fn& fn) {
    const std::size_t number = bind(fn.name, Role::function, range_of(span), fn.name.span.end);
    const auto outer = default_mesh_;
    in_scope(span.end, [&] {
      for (const frontend::Parameter& one : fn.parameters) {
        bind_extents(one.type, span);
        type(one.type);
        const frontend::Span whole = base::join(one.name.span, ast_[one.type].span);
        parameters_[number][one.name.text] = bind_local(one.name, Role::parameter, range_of(whole), whole.end);
      }
      for (std::size_t k = 0; k < fn.results.size(); ++k) {
        type(fn.results[k]);
        if (fn.results_as[k]) mean_variable(fn.results_as[k]->text, fn.results_as[k]->span);
      }
      for (const frontend::Name& axis : fn.over) mean_axis(axis, default_mesh_);
      block(fn.body);
    });
    default_mesh_ = outer;
    functions_[fn.name.text] = number;
  }

  // In a parameter's type a bare name is an extent that each call binds; the first place of each binds it.
  void bind_extents(frontend::TypeId id, frontend::Span fn) {
    for (const frontend::TypeField& field : ast_[id].fields) bind_extents(field.type, fn);
    for (const frontend::Dimension& dimension : ast_[id].dimensions) {
      if (!dimension.extent.valid()) continue;
      const frontend::Expr& extent = ast_[dimension.extent];
      const auto* name = std::get_if<frontend::NameRef>(&extent.node);
      if (name == nullptr || extent.parenthesised || latest(scopes_.back().latest, name->name)) continue;
      bind_local({name->name, extent.span}, Role::extent, range_of(fn), extent.span.begin);
      bound_here_.insert(extent.span.begin);
    }
  }

  void statement(frontend::StatementId, frontend::Span, const frontend::Print& print) { exprs(print.items); }
  void statement(frontend::StatementId, frontend::Span, const frontend::Show& show) { expr(show.value); }
  void statement(frontend::StatementId, frontend::Span, const frontend::PlanStatement& plan) { expr(plan.value); }
  void statement(frontend::StatementId, frontend::Span, const frontend::Save& save) { expr(save.value); }
  void statement(frontend::StatementId, frontend::Span, const frontend::Assert& assertion) {
    expr(assertion.condition);
  }
  void statement(frontend::StatementId, frontend::Span, const frontend::Use&) {}
  void statement(frontend::StatementId, frontend::Span, const frontend::ExprStatement& alone) { expr(alone.value); }
  void statement(frontend::StatementId, frontend::Span, const frontend::IfStatement& both) {
    expr(both.condition);
    block(both.then_block);
    if (both.else_block) block(*both.else_block);
  }

  void block(frontend::BlockId id) {
    const frontend::Block& one = ast_[id];
    part(one.span);
    in_scope(one.span.end, [&] {
      for (const frontend::StatementId inner : one.statements) statement(inner);
      if (one.result.valid()) expr(one.result);
    });
  }

  // ---- Types

  void type(frontend::TypeId id) {
    const frontend::TypeExpr& one = ast_[id];
    part(one.span);
    for (const frontend::TypeField& field : one.fields) type(field.type);
    const auto mesh = one.mesh ? latest(meshes_, one.mesh->text) : default_mesh_;
    for (const frontend::Dimension& dimension : one.dimensions) {
      if (dimension.extent.valid()) expr(dimension.extent);
      for (const frontend::AxisUse& use : dimension.axes) {
        const Axis* const found = mean_axis(use.axis, mesh);
        if (!use.cut) continue;
        const auto cut = found == nullptr ? std::nullopt : latest(found->cuts, use.cut->text);
        mean(use.cut->text, use.cut->span, Role::cut, cut);
      }
    }
    if (one.pending) {
      for (const frontend::Name& name : one.pending->axes) mean_axis(name, mesh);
    }
    if (one.mesh) mean(one.mesh->text, one.mesh->span, Role::mesh, mesh);
  }

  // ---- Expressions

  void exprs(const std::vector<frontend::ExprId>& all) {
    for (const frontend::ExprId one : all) {
      if (one.valid()) expr(one);
    }
  }

  void expr(frontend::ExprId id) {
    const frontend::Expr& one = ast_[id];
    part(one.span);
    std::visit([&](const auto& node) { expr(one.span, node); }, one.node);
  }

  void expr(frontend::Span, const frontend::IntLiteral&) {}
  void expr(frontend::Span, const frontend::FloatLiteral&) {}
  void expr(frontend::Span, const frontend::BoolLiteral&) {}
  void expr(frontend::Span, const frontend::StringLiteral&) {}
  void expr(frontend::Span, const frontend::ListLiteral& list) { exprs(list.items); }
  void expr(frontend::Span span, const frontend::NameRef& name) {
    if (bound_here_.contains(span.begin)) return;
    const auto function = variable(name.name) ? std::nullopt : latest(functions_, name.name);  // `each(f, p)`
    function ? mean(name.name, span, Role::function, function) : mean_variable(name.name, span);
  }
  void expr(frontend::Span, const frontend::Unary& unary) { expr(unary.operand); }
  void expr(frontend::Span, const frontend::Binary& binary) { exprs({binary.left, binary.right}); }
  void expr(frontend::Span, const frontend::Index& index) {
    expr(index.base);
    subscripts(index.subscripts);
  }
  void expr(frontend::Span, const frontend::Cast& cast) { expr(cast.operand); }
  void expr(frontend::Span, const frontend::Tuple& tuple) { exprs(tuple.items); }
  void expr(frontend::Span, const frontend::Record& record) {
    exprs({record.base});
    for (const frontend::Field& field : record.fields) expr(field.value);
  }
  void expr(frontend::Span, const frontend::FieldOf& member) { expr(member.base); }
  void expr(frontend::Span, const frontend::As& as) {
    expr(as.operand);
    type(as.type);
  }
  void expr(frontend::Span, const frontend::With& with) {
    expr(with.base);
    for (const frontend::Replacement& one : with.replacements) {
      subscripts(one.subscripts);
      expr(one.value);
    }
  }
  void subscripts(const std::vector<frontend::Subscript>& all) {
    for (const frontend::Subscript& one : all) exprs({one.start, one.stop, one.step});
  }
  void expr(frontend::Span, const frontend::If& both) {
    expr(both.condition);
    block(both.then_block);
    block(both.else_block);
  }
  void expr(frontend::Span, const frontend::BlockExpr& own) { block(own.block); }
  void expr(frontend::Span, const frontend::Local& own) { block(own.block); }
  void expr(frontend::Span, const frontend::Again& own) { block(own.block); }

  void expr(frontend::Span span, const frontend::Loop& loop) {
    for (const frontend::Carried& one : loop.carried) expr(one.init);
    exprs({loop.bound, loop.limit});
    in_scope(span.end, [&] {
      const frontend::Span begin = loop.condition.valid() ? ast_[loop.condition].span : ast_[loop.body].span;
      for (const frontend::Carried& one : loop.carried)
        bind_local(one.name, Role::variable, range_of(span), begin.begin);
      if (loop.index) bind_local(*loop.index, Role::variable, range_of(span), begin.begin);
      exprs({loop.condition});
      block(loop.body);
    });
  }

  void expr(frontend::Span, const frontend::Call& call) {
    const auto function = latest(functions_, call.callee.text);
    const auto* operation = function ? nullptr : typeck::find_operation(call.callee.text);
    mean(call.callee.text, call.callee.span, operation != nullptr ? Role::operation : Role::function, function);
    for (std::size_t k = 0; k < call.arguments.size(); ++k) argument(call.arguments[k], k, operation, function);
  }

  void expr(frontend::Span, const frontend::Gradient& gradient) {
    const auto function = latest(functions_, gradient.function.text);
    mean(gradient.function.text, gradient.function.span, Role::function, function);
    if (gradient.wrt) {
      for (const frontend::Name& name : *gradient.wrt)
        mean(name.text, name.span, Role::parameter, parameter(function, name.text));
    }
    for (std::size_t k = 0; k < gradient.arguments.size(); ++k) argument(gradient.arguments[k], k, nullptr, function);
  }

  std::optional<std::size_t> parameter(std::optional<std::size_t> function, std::string_view name) const {
    const auto own = parameters_.find(function.value_or(out_.names.size()));
    return own == parameters_.end() ? std::nullopt : latest(own->second, name);
  }

  void argument(const frontend::Argument& one, std::size_t at, const typeck::OperationInfo* operation,
                std::optional<std::size_t> function) {
    if (one.name && function)
      mean(one.name->text, one.name->span, Role::parameter, parameter(function, one.name->text));
    if (const auto* id = std::get_if<frontend::TypeId>(&one.value)) return type(*id);
    const frontend::ExprId value = std::get<frontend::ExprId>(one.value);
    if (operation != nullptr && takes_axes(*operation, one, at)) return axes(value);
    expr(value);
  }

  static bool takes_axes(const typeck::OperationInfo& operation, const frontend::Argument& one, std::size_t at) {
    const auto& all = operation.parameters;
    const auto named = [&](const typeck::ParameterInfo& each) { return each.name == one.name->text; };
    const auto found = one.name ? std::find_if(all.begin(), all.end(), named)
                                : all.begin() + static_cast<std::ptrdiff_t>(std::min(at, all.size()));
    return found != all.end() && found->kind == typeck::ArgumentKind::axes;
  }

  // `x` or `(x, y)`.
  void axes(frontend::ExprId id) {
    const frontend::Expr& one = ast_[id];
    if (const auto* name = std::get_if<frontend::NameRef>(&one.node)) {
      mean_axis({name->name, one.span}, std::nullopt);
    } else if (const auto* tuple = std::get_if<frontend::Tuple>(&one.node)) {
      for (const frontend::ExprId item : tuple->items) axes(item);
    } else {
      expr(id);
    }
  }

  const frontend::Ast& ast_;
  std::uint32_t size_;
  NamesOfText out_;
  std::vector<Scope> scopes_;
  Latest functions_;
  Latest meshes_;
  std::map<std::size_t, std::vector<Axis>> axes_;  // by the number of the mesh's name
  std::map<std::size_t, Latest> parameters_;       // by the number of the function's name
  std::optional<std::size_t> default_mesh_;
  std::set<std::uint32_t> bound_here_;  // where extents are bound
};

}  // namespace

NamesOfText names_of(const frontend::Ast& ast, std::uint32_t size) { return NameWalk(ast, size).take(); }

}  // namespace tessera::embed
