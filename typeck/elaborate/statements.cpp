// Statements: what a program binds, prints, saves and asserts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "synth/program/type_rules.hpp"
#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/table.hpp"

namespace tessera::typeck {

namespace {

// The first name that stands twice.
const frontend::Name* repeated(const std::vector<frontend::Name>& names) {
  std::set<std::string_view> seen;
  for (const frontend::Name& name : names) {
    if (!seen.insert(name.text).second) return &name;
  }
  return nullptr;
}

}  // namespace

void Elaborator::check_statement(StatementId id) {
  options_.stop.look();
  const frontend::Statement& statement = ast()[id];
  program_.statements.push_back({statement.span, environment_.now(), {}, {}, {}});
  const std::size_t at = program_.statements.size() - 1;
  open::Region region;
  struct Visitor {
    Elaborator& elaborator;
    StatementId id;
    Span span;
    void operator()(const frontend::MeshStatement& node) const { elaborator.check_mesh_statement(span, node); }
    void operator()(const frontend::Let& node) const { elaborator.check_let(id, node); }
    void operator()(const frontend::Fn& node) const { elaborator.check_fn_statement(id, node); }
    void operator()(const frontend::Print& node) const { elaborator.check_print(span, node); }
    void operator()(const frontend::Show& node) const { elaborator.check_show(span, node); }
    void operator()(const frontend::PlanStatement& node) const { elaborator.check_plan_statement(span, node); }
    void operator()(const frontend::Save& node) const { elaborator.check_save(span, node); }
    void operator()(const frontend::Assert& node) const { elaborator.check_assert(span, node); }
    void operator()(const frontend::ExprStatement& node) const { elaborator.check_expression_statement(span, node); }
    void operator()(const frontend::IfStatement& node) const { elaborator.check_if_statement(span, node); }
  };
  in_region(region, [&] {
    std::visit(Visitor{*this, id, statement.span}, statement.node);
    return true;
  });
  program_.statements[at].region = std::move(region);
}

void Elaborator::check_mesh_statement(Span span, const frontend::MeshStatement& statement) {
  auto mesh = made_mesh(span, statement);
  if (mesh) mesh = placed_mesh(span, statement, *mesh);
  if (mesh && options_.devices_max > 0 && (*mesh)->devices_end() > options_.devices_max) {
    report(base::make(Kind::too_many_devices, (*mesh)->devices_end(), options_.devices_max).at(span));
    mesh.reset();
  }
  mesh_failed_ = !mesh.has_value();
  if (mesh_failed_) return;
  environment_.bind(NamedMesh{statement.name.text, std::move(*mesh), statement.name.span});
}

// ---- let
// -----------------------------------------------------------------------------------------------------------------

bool Elaborator::check_let(StatementId id, const frontend::Let& let) {
  if (check_let_text(let)) return true;
  std::vector<Checked> values;
  if (const frontend::Name* twice = repeated(let.names)) {
    report(base::make(Kind::name_repeated, twice->text).at(twice->span));
  } else if (const MaybeValue value = let_value(id, let)) {
    values = parts(*value);
    if (values.size() != let.names.size()) {
      report_names(let, values.size());
      values.clear();
    }
  }
  const bool good = !values.empty();
  for (std::size_t k = 0; k < let.names.size(); ++k)
    bind_name(let.names[k], good ? MaybeValue(values[k]) : std::nullopt);
  const bool annotate = good && let.names.size() == 1 && !let.type.has_value();
  if (annotate) frame_->lets.push_back({id, values[0].node(), environment_.now()});
  return good;
}

// The names in a `let` are not as many as the values.
void Elaborator::report_names(const frontend::Let& let, std::size_t values) {
  std::vector<std::string> written;
  for (const frontend::Name& name : let.names) written.push_back(name.text);
  const std::string count = values == 1 ? "is 1 value" : fmt::format("are {} values", values);
  report(base::make(Kind::tuple_count, written.size(), count)
             .at(ast()[let.value].span)
             .suggest(help_for_names(let.value, values, written)));
}

MaybeValue Elaborator::let_value(StatementId, const frontend::Let& let) {
  const bool one_name = let.names.size() == 1;
  MaybeValue value;
  const auto define =
      frame_->binds_globally() && one_name ? options_.defines.find(let.names[0].text) : options_.defines.end();
  if (define != options_.defines.end()) {
    value = defined_value(define->first, define->second, let);
    const bool was_integer = std::holds_alternative<frontend::IntLiteral>(ast()[let.value].node);
    if (value.has_value() && was_integer && synth::is_float(type(*value).element())) {
      remark_on_defines_ += fmt::format("\n--define {}={} gives `{}` a value that is no integer, unlike in the text",
                                        define->first, define->second, define->first);
    }
  } else if (one_name) {
    value = let.type.has_value() ? check_array_as(let.value, ast(), *let.type) : check_array(let.value);
  } else {
    value = check_expr(let.value, let.type.has_value() ? want_of(ast(), *let.type) : Preference{});
  }
  if (!value.has_value() || !let.type.has_value()) return value;
  const auto written = written_type(ast(), *let.type);
  if (!written.has_value()) return std::nullopt;
  return annotated(*value, *written, fmt::format("`{}`", let.names[0].text), value->span);
}

void Elaborator::bind_name(const frontend::Name& name, const MaybeValue& value) {
  if (!frame_->binds_globally()) {
    frame_->locals.push_back({name.text, value});
    return;
  }
  if (!value.has_value()) {
    poisoned_.insert(name.text);
    return;
  }
  poisoned_.erase(name.text);
  const std::uint32_t slot = environment_.new_slot();
  const open::Type& own = type(*value);
  Variable variable = Variable::of_shape(name.text, own.element(), own.shape(), own.mesh_ref());
  variable.known = value->known;
  variable.slot = slot;
  variable.span = name.span;
  const auto hidden = environment_.bind(variable);
  if (hidden.has_value()) hidden_slots_.insert(*hidden);
  slot_nodes_[slot] = value->node();
  if (value->affine.has_value()) slot_affines_[slot] = *value->affine;
  program_.statements.back().bound.push_back({name.text, name.span, value->node(), slot, variable.type});
}

// ---- fn
// ------------------------------------------------------------------------------------------------------------------

void Elaborator::check_fn_statement(StatementId id, const frontend::Fn& fn) {
  std::vector<frontend::Name> names;
  for (const frontend::Parameter& parameter : fn.parameters) names.push_back(parameter.name);
  if (const frontend::Name* twice = repeated(names)) {
    report(base::make(Kind::name_repeated, twice->text).at(twice->span));
    return;
  }
  if (find_operation(fn.name.text) != nullptr) {
    report(base::make(Kind::name_taken, fn.name.text)
               .at(fn.name.span)
               .suggest(fmt::format("call it `my_{}`", fn.name.text)));
    poisoned_.insert(fn.name.text);
    return;
  }
  Function function{frame_->ast, id, environment_.now(), fn.name.span};
  check_definition(function);
  environment_.bind(function);
}

// ---- statements with effects
// ---------------------------------------------------------------------------------------------

bool Elaborator::check_block_statement(StatementId id) {
  const frontend::Statement& statement = ast()[id];
  if (const auto* let = std::get_if<frontend::Let>(&statement.node)) return check_let(id, *let);
  if (const auto* print = std::get_if<frontend::Print>(&statement.node)) return check_print(statement.span, *print);
  if (const auto* show = std::get_if<frontend::Show>(&statement.node)) return check_show(statement.span, *show);
  if (const auto* save = std::get_if<frontend::Save>(&statement.node)) return check_save(statement.span, *save);
  if (const auto* called = std::get_if<frontend::ExprStatement>(&statement.node))
    return check_called_for_effect(statement.span, *called);
  if (const auto* branch = std::get_if<frontend::IfStatement>(&statement.node))
    return check_if_statement(statement.span, *branch);
  return check_assert(statement.span, std::get<frontend::Assert>(statement.node));
}

namespace {

// The items of a tuple, those of tuples in it among them.
void add_items(const Ast& ast, ExprId id, std::vector<ExprId>& items) {
  const auto* tuple = std::get_if<frontend::Tuple>(&ast[id].node);
  if (tuple == nullptr) return items.push_back(id);
  for (const ExprId item : tuple->items) add_items(ast, item, items);
}

}  // namespace

// `print("n is", n)`, a call as in other languages: false, with what to write instead.
bool Elaborator::stands_without_parentheses(const frontend::Print& print) {
  const ExprId first = print.items.front();
  if (print.items.size() != 1 || !std::holds_alternative<frontend::Tuple>(ast()[first].node)) return true;
  std::vector<ExprId> items;
  add_items(ast(), first, items);
  std::string written;
  for (const ExprId item : items) written += (written.empty() ? "" : ", ") + text(ast()[item].span);
  constexpr std::size_t kQuotable = 60;
  if (written.size() > kQuotable || written.find('\n') != std::string::npos) written = "a, b";
  report(base::make(Kind::tuple_here)
             .at(ast()[first].span)
             .suggest(fmt::format("`print` stands without parentheses: `print {}`", written)));
  return false;
}

bool Elaborator::check_print(Span span, const frontend::Print& print) {
  if (!stands_without_parentheses(print)) return false;
  synth::Print operation;
  std::vector<Checked> nodes;
  bool good = true;
  for (const ExprId item : print.items) {
    if (const auto string = text_of(item)) {
      operation.items.push_back({add_string(*string), -1});
      continue;
    }
    const MaybeValue value = finished_for_output(item, "print");
    good = good && value.has_value();
    if (!value.has_value()) continue;
    operation.items.push_back({{}, static_cast<std::int32_t>(nodes.size())});
    nodes.push_back(*value);
  }
  if (good) effect(span, std::move(operation), nodes);
  return good;
}

// A value that leaves the program: its pending sums are finished first.
MaybeValue Elaborator::finished_for_output(ExprId expr, const std::string& who) {
  const MaybeValue value = check_array(expr);
  return value.has_value() ? MaybeValue(finished(*value, who, value->span, true)) : std::nullopt;
}

bool Elaborator::check_show(Span span, const frontend::Show& show) {
  const MaybeValue value = check_array(show.value);
  if (!value.has_value()) return false;
  effect(span, synth::Show{add_string(text(ast()[show.value].span))}, {*value});
  return true;
}

// Nothing of the expression runs: it is checked in a region of its own, which is only read.
bool Elaborator::check_plan_statement(Span span, const frontend::PlanStatement& statement) {
  open::PlanText plan;
  const MaybeValue value = in_region(plan.region, [&] { return check_expr(statement.value); });
  if (value.has_value()) plan.region.results = results_of(*value);
  const ValueId node = emit(span, {}, std::move(plan));
  program_.nodes[node].is_complete = value.has_value();
  return value.has_value();
}

// `"step{i}.npy"`: the integers that the name is made of become operands behind the array.
bool Elaborator::check_save(Span span, const frontend::Save& save) {
  const MaybeValue value = save.shards ? check_array(save.value) : finished_for_output(save.value, "save");
  const auto name = file_name("save", save.path, save.path_span);
  if (!value.has_value() || !name.has_value()) return false;
  std::vector<Checked> operands = {*value};
  operands.insert(operands.end(), name->numbers.begin(), name->numbers.end());
  effect(span, synth::Save{add_string(name->form), save.shards}, operands);
  return true;
}

bool Elaborator::check_assert(Span span, const frontend::Assert& node) {
  MaybeValue condition = check_array(node.condition);
  if (condition.has_value()) condition = scalar_of(*condition, ElementType::boolean, "the condition of `assert`");
  if (!condition.has_value()) return false;
  const std::string message = node.message.value_or(text(ast()[node.condition].span));
  effect(span, synth::Assert{add_string(message)}, {*condition});
  return true;
}

// Does what is computed here, from the first node on, print, save or check something? Each function is looked at once.
bool Elaborator::has_effect(const open::Region& region, std::size_t first) {
  const auto of_function = [&](open::InstanceId id) {
    if (const auto known = effects_.find(id); known != effects_.end()) return known->second;
    return effects_[id] = has_effect(program_.instances[id].body);
  };
  const auto one = [&](ValueId id) {
    const auto& body = program_.nodes[id].body;
    if (const auto* call = std::get_if<open::Call>(&body)) return of_function(call->instance);
    if (const auto* gradient = std::get_if<open::Gradient>(&body)) return of_function(gradient->instance);
    if (const auto* loop = std::get_if<open::Loop>(&body)) return has_effect(loop->body);
    if (const auto* branch = std::get_if<open::If>(&body))
      return has_effect(branch->then_region) || has_effect(branch->else_region);
    const auto* compute = std::get_if<open::Compute>(&body);
    const auto* operation = compute == nullptr ? nullptr : std::get_if<synth::Operation>(&compute->operation);
    return operation != nullptr && !synth::has_result(*operation);
  };
  return std::any_of(region.order.begin() + static_cast<std::ptrdiff_t>(first), region.order.end(), one);
}

// In a script, and as a statement of a block, an expression stands alone only for what it prints, saves or asserts.
bool Elaborator::check_called_for_effect(Span span, const frontend::ExprStatement& node) {
  const std::size_t before = region_->order.size();
  const MaybeValue value = check_expr(node.value);
  if (!value.has_value()) return false;
  if (has_effect(*region_, before)) return true;
  report(base::make(Kind::unused_value).at(span).suggest("print it, bind it with `let`, or remove it"));
  return false;
}

// An `if` of statements: nothing comes out of its branches.
bool Elaborator::check_if_statement(Span span, const frontend::IfStatement& node) {
  MaybeValue condition = check_array(node.condition);
  if (condition.has_value()) condition = scalar_of(*condition, ElementType::boolean, "the condition of `if`");
  open::If both;
  both.is_statement = true;
  bool good = in_region(both.then_region, [&] { return check_statements(node.then_block); });
  if (node.else_block.has_value())
    good = in_region(both.else_region, [&] { return check_statements(*node.else_block); }) && good;
  good = good && condition.has_value();
  if (good && !has_effect(both.then_region) && !has_effect(both.else_region)) {
    report(base::make(Kind::unused_value).at(span).suggest("nothing in it prints, saves or asserts: remove it"));
    good = false;
  }
  if (condition.has_value()) both.condition = condition->node();
  const ValueId made_node = emit(span, {}, std::move(both));
  program_.nodes[made_node].is_complete = good;
  return good;
}

bool Elaborator::check_statements(BlockId id) {
  const std::size_t outer = frame_->locals.size();
  ++frame_->block_depth;
  bool good = true;
  for (const StatementId statement : ast()[id].statements) good = check_block_statement(statement) && good;
  --frame_->block_depth;
  frame_->locals.resize(outer);
  return good;
}

bool Elaborator::check_expression_statement(Span span, const frontend::ExprStatement& node) {
  if (!options_.bare_expressions) return check_called_for_effect(span, node);
  if (const auto string = text_of(node.value)) {
    effect(span, synth::PrintText{add_string(*string)}, {});
    return true;
  }
  const MaybeValue value = finished_for_output(node.value, "a shown value");
  if (!value.has_value()) return false;
  program_.statements.back().shown = value->node();
  bind_name(frontend::Name{"_", span}, value);
  effect(span, synth::Print{{{{}, 0}}}, {*value});
  return true;
}

}  // namespace tessera::typeck
