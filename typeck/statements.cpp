// Statements: what a program binds, prints, saves and asserts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "synth/cluster/machine_text.hpp"
#include "synth/program/type_rules.hpp"
#include "typeck/checker/checker.hpp"
#include "typeck/operations/table.hpp"
#include "typeck/typed/local_work.hpp"
#include "typeck/typed/pipeline_text.hpp"
#include "typeck/typed/plan_text.hpp"

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

Preference without_layout(Preference want) {
  want.layout.reset();
  return want;
}

}  // namespace

void Checker::check_statement(StatementId id) {
  options_.stop.look();
  const frontend::Statement& statement = ast()[id];
  typed_.statements.push_back({statement.span, {}, {}, {}});
  const std::size_t at = typed_.statements.size() - 1;
  Region region;
  struct Visitor {
    Checker& checker;
    StatementId id;
    Span span;
    void operator()(const frontend::MeshStatement& node) const { checker.check_mesh_statement(span, node); }
    void operator()(const frontend::Let& node) const { checker.check_let(id, node); }
    void operator()(const frontend::Fn& node) const { checker.check_fn_statement(id, node); }
    void operator()(const frontend::Print& node) const { checker.check_print(span, node); }
    void operator()(const frontend::Show& node) const { checker.check_show(span, node); }
    void operator()(const frontend::PlanStatement& node) const { checker.check_plan_statement(span, node); }
    void operator()(const frontend::Save& node) const { checker.check_save(span, node); }
    void operator()(const frontend::Assert& node) const { checker.check_assert(span, node); }
    void operator()(const frontend::ExprStatement& node) const { checker.check_expression_statement(span, node); }
    void operator()(const frontend::IfStatement& node) const { checker.check_if_statement(span, node); }
  };
  in_region(region, [&] {
    std::visit(Visitor{*this, id, statement.span}, statement.node);
    return true;
  });
  typed_.statements[at].region = std::move(region);
}

void Checker::check_mesh_statement(Span span, const frontend::MeshStatement& statement) {
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

bool Checker::check_let(StatementId id, const frontend::Let& let) {
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
  if (annotate) frame_->let_types[id] = print_type(type(values[0]), environment_, environment_.now());
  return good;
}

// The names in a `let` are not as many as the values.
void Checker::report_names(const frontend::Let& let, std::size_t values) {
  std::vector<std::string> written;
  for (const frontend::Name& name : let.names) written.push_back(name.text);
  const std::string count = values == 1 ? "is 1 value" : fmt::format("are {} values", values);
  report(base::make(Kind::tuple_count, written.size(), count)
             .at(ast()[let.value].span)
             .suggest(help_for_names(let.value, values, written)));
}

MaybeValue Checker::let_value(StatementId, const frontend::Let& let) {
  const bool one_name = let.names.size() == 1;
  const Preference want = let.type.has_value() ? want_of(ast(), *let.type) : Preference{};
  MaybeValue value;
  const auto define =
      frame_->binds_globally() && one_name ? options_.defines.find(let.names[0].text) : options_.defines.end();
  if (define != options_.defines.end()) {
    value = defined_value(define->first, define->second, want);
    const bool was_integer = std::holds_alternative<frontend::IntLiteral>(ast()[let.value].node);
    if (value.has_value() && was_integer && synth::is_float(type(*value).element())) {
      remark_on_defines_ += fmt::format("\n--define {}={} gives `{}` a value that is no integer, unlike in the text",
                                        define->first, define->second, define->first);
    }
  } else {
    value = one_name ? check_array(let.value, want) : check_expr(let.value, without_layout(want));
  }
  if (!value.has_value() || !let.type.has_value()) return value;
  const auto written = written_type(ast(), *let.type);
  if (!written.has_value()) return std::nullopt;
  return annotated(*value, *written, fmt::format("`{}`", let.names[0].text), value->span);
}

void Checker::bind_name(const frontend::Name& name, const MaybeValue& value) {
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
  const auto hidden = environment_.bind(Variable{name.text, type(*value), value->known, slot, name.span});
  if (hidden.has_value()) typed_.hidden_slots.insert(*hidden);
  slot_nodes_[slot] = value->node();
  if (value->affine.has_value()) slot_affines_[slot] = *value->affine;
  typed_.statements.back().bound.push_back({name.text, name.span, value->node(), slot});
}

// ---- fn
// ------------------------------------------------------------------------------------------------------------------

void Checker::check_fn_statement(StatementId id, const frontend::Fn& fn) {
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

bool Checker::check_block_statement(StatementId id) {
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
bool Checker::stands_without_parentheses(const frontend::Print& print) {
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

bool Checker::check_print(Span span, const frontend::Print& print) {
  if (!stands_without_parentheses(print)) return false;
  synth::Print operation;
  std::vector<NodeId> nodes;
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
    nodes.push_back(value->node());
  }
  if (good) emit(span, {}, Compute{std::move(operation), std::move(nodes), 0, {}});
  return good;
}

// A value that leaves the program: its pending sums are finished first.
MaybeValue Checker::finished_for_output(ExprId expr, const std::string& who) {
  MaybeValue value = check_array(expr);
  if (!value.has_value() || type(*value).layout().pending().empty()) return value;
  auto layout = Layout::make(type(*value).mesh(), type(*value).layout().splits());
  TESSERA_CHECK(layout.ok(), "a layout without its pending axes is not valid");
  const auto target = with_layout(value->span, type(*value), std::move(layout).value());
  if (!target.has_value()) return std::nullopt;
  return redistribute(*value, *target, Reason{Reason::Asker::output, who, value->span, {}, {}});
}

bool Checker::check_show(Span span, const frontend::Show& show) {
  const MaybeValue value = check_array(show.value);
  if (!value.has_value()) return false;
  emit(span, {}, Compute{synth::Show{add_string(text(ast()[show.value].span))}, {value->node()}, 0, {}});
  return true;
}

PeaksByPlace Checker::peaks_of_pipelines(const Region& region) {
  if (!options_.pipeline_peaks || pipelines(typed_, region).empty()) return {};
  const auto alone = lower_alone(typed_, region, options_.stop, options_.steps_max);
  if (!alone.has_value()) return {};
  return peaks_by_place(*alone, options_.pipeline_peaks(alone->program));
}

// Nothing of the expression runs: it is checked in a region of its own, which is only read.
bool Checker::check_plan_statement(Span span, const frontend::PlanStatement& statement) {
  Region scratch;
  const MaybeValue value = in_region(scratch, [&] { return check_expr(statement.value); });
  if (!value.has_value()) return false;
  scratch.results = value->nodes;
  std::string text =
      pipeline_text(typed_, scratch, sources_, options_.first_line, peaks_of_pipelines(scratch), options_.stop);
  text += plan_text(typed_, scratch, sources_, options_.first_line, plan_words());
  std::string work = local_work_text(local_work(typed_, scratch, plans_.machine()), sources_, options_.first_line);
  if (!work.empty()) work.pop_back();  // the line end is the printer's
  if (!work.empty()) text += "\n" + work;
  if (plans_.machine().levels.empty() && !redistributions(typed_, scratch).empty())
    text += fmt::format("\n{}; a machine file gives others", synth::modelled_text(plans_.machine()));
  emit(span, {}, Compute{synth::PrintText{add_string(std::move(text))}, {}, 0, {}});
  return true;
}

// `"step{i}.npy"`: the integers that the name is made of become operands behind the array.
bool Checker::check_save(Span span, const frontend::Save& save) {
  const MaybeValue value = save.shards ? check_array(save.value) : finished_for_output(save.value, "save");
  const auto name = file_name("save", save.path, save.path_span);
  if (!value.has_value() || !name.has_value()) return false;
  std::vector<NodeId> nodes = {value->node()};
  for (const Checked& number : name->numbers) nodes.push_back(number.node());
  emit(span, {}, Compute{synth::Save{add_string(name->form), save.shards}, std::move(nodes), 0, {}});
  return true;
}

namespace {

// Both sides, if this is a comparison: they are handed to the assertion, whose failure shows them.
std::vector<NodeId> compared_in(const Typed& typed, NodeId condition) {
  const auto* compute = std::get_if<Compute>(&typed.nodes[condition].body);
  const auto* map = compute == nullptr ? nullptr : std::get_if<synth::Map>(&compute->operation);
  constexpr std::array kComparisons = {synth::MapOp::equal,      synth::MapOp::not_equal, synth::MapOp::less,
                                       synth::MapOp::less_equal, synth::MapOp::greater,   synth::MapOp::greater_equal};
  const bool compares = map != nullptr && std::ranges::find(kComparisons, map->op) != kComparisons.end();
  return compares ? compute->operands : std::vector<NodeId>{};
}

}  // namespace

bool Checker::check_assert(Span span, const frontend::Assert& node) {
  MaybeValue condition = check_array(node.condition);
  if (condition.has_value()) condition = scalar_of(*condition, ElementType::boolean, "the condition of `assert`");
  if (!condition.has_value()) return false;
  const std::string message = node.message.value_or(text(ast()[node.condition].span));
  std::vector<NodeId> nodes = {condition->node()};
  for (const NodeId side : compared_in(typed_, condition->node())) nodes.push_back(side);
  emit(span, {}, Compute{synth::Assert{add_string(message)}, std::move(nodes), 0, {}});
  return true;
}

// Does what is computed here, from the first node on, print, save or check something? Each function is looked at once.
bool Checker::has_effect(const Region& region, std::size_t first) {
  const auto one = [&](NodeId id) {
    const auto& body = typed_.nodes[id].body;
    if (const auto* call = std::get_if<Call>(&body)) {
      if (const auto known = effects_.find(call->instance); known != effects_.end()) return known->second;
      return effects_[call->instance] = has_effect(typed_.instances[call->instance].body);
    }
    if (const auto* loop = std::get_if<Loop>(&body)) return has_effect(loop->body);
    if (const auto* branch = std::get_if<If>(&body))
      return has_effect(branch->then_region) || has_effect(branch->else_region);
    const auto* compute = std::get_if<Compute>(&body);
    return compute != nullptr && !synth::has_result(compute->operation);
  };
  return std::any_of(region.order.begin() + static_cast<std::ptrdiff_t>(first), region.order.end(), one);
}

// In a script, and as a statement of a block, an expression stands alone only for what it prints, saves or asserts.
bool Checker::check_called_for_effect(Span span, const frontend::ExprStatement& node) {
  const std::size_t before = region_->order.size();
  const MaybeValue value = check_expr(node.value);
  if (!value.has_value()) return false;
  if (has_effect(*region_, before)) return true;
  report(base::make(Kind::unused_value).at(span).suggest("print it, bind it with `let`, or remove it"));
  return false;
}

// An `if` of statements: nothing comes out of its branches.
bool Checker::check_if_statement(Span span, const frontend::IfStatement& node) {
  MaybeValue condition = check_array(node.condition);
  if (condition.has_value()) condition = scalar_of(*condition, ElementType::boolean, "the condition of `if`");
  If both;
  bool good = in_region(both.then_region, [&] { return check_statements(node.then_block); });
  if (node.else_block.has_value())
    good = in_region(both.else_region, [&] { return check_statements(*node.else_block); }) && good;
  if (!condition.has_value() || !good) return false;
  if (!has_effect(both.then_region) && !has_effect(both.else_region)) {
    report(base::make(Kind::unused_value).at(span).suggest("nothing in it prints, saves or asserts: remove it"));
    return false;
  }
  both.condition = condition->node();
  emit(span, {}, std::move(both));
  return true;
}

bool Checker::check_statements(BlockId id) {
  const std::size_t outer = frame_->locals.size();
  ++frame_->block_depth;
  bool good = true;
  for (const StatementId statement : ast()[id].statements) good = check_block_statement(statement) && good;
  --frame_->block_depth;
  frame_->locals.resize(outer);
  return good;
}

bool Checker::check_expression_statement(Span span, const frontend::ExprStatement& node) {
  if (!options_.bare_expressions) return check_called_for_effect(span, node);
  if (const auto string = text_of(node.value)) {
    emit(span, {}, Compute{synth::PrintText{add_string(*string)}, {}, 0, {}});
    return true;
  }
  const MaybeValue value = finished_for_output(node.value, "a shown value");
  if (!value.has_value()) return false;
  typed_.statements.back().shown = value->node();
  bind_name(frontend::Name{"_", span}, value);
  emit(span, {}, Compute{synth::Print{{{{}, 0}}}, {value->node()}, 0, {}});
  return true;
}

}  // namespace tessera::typeck
