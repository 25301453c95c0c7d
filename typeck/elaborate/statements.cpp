// Statements: what a program binds, prints, saves and asserts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "frontend/parse.hpp"
#include "synth/program/type_rules.hpp"
#include "typeck/elaborate/chosen.hpp"
#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/records.hpp"
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

void Statements::check_statement(StatementId id) {
  elaborator_.options().stop.look();
  const frontend::Statement& statement = elaborator_.ast()[id];
  elaborator_.program().statements.push_back({statement.span, elaborator_.environment().now(), {}, {}, {}});
  const std::size_t at = elaborator_.program().statements.size() - 1;
  open::Region region;
  struct Visitor {
    Statements& statements;
    StatementId id;
    Span span;
    void operator()(const frontend::MeshStatement& node) const { statements.check_mesh_statement(span, node); }
    void operator()(const frontend::Let& node) const { statements.check_let(id, node); }
    void operator()(const frontend::Fn& node) const { statements.check_fn_statement(id, node); }
    void operator()(const frontend::Print& node) const { statements.check_print(span, node); }
    void operator()(const frontend::Show& node) const { statements.check_show(span, node); }
    void operator()(const frontend::PlanStatement& node) const { statements.check_plan_statement(span, node); }
    void operator()(const frontend::Save& node) const { statements.check_save(span, node); }
    void operator()(const frontend::Assert& node) const { statements.check_assert(span, node); }
    void operator()(const frontend::Use& node) const { statements.used_files_.use(id, node); }
    void operator()(const frontend::ExprStatement& node) const { statements.check_expression_statement(span, node); }
    void operator()(const frontend::IfStatement& node) const { statements.check_if_statement(span, node); }
  };
  elaborator_.in_region(region, [&] {
    std::visit(Visitor{*this, id, statement.span}, statement.node);
    return true;
  });
  elaborator_.program().statements[at].region = std::move(region);
}

void Statements::check_mesh_statement(Span span, const frontend::MeshStatement& statement) {
  auto mesh = elaborator_.types().made_mesh(span, statement);
  if (mesh) mesh = elaborator_.types().placed_mesh(span, statement, *mesh);
  if (mesh && elaborator_.options().devices_max > 0 && (*mesh)->devices_end() > elaborator_.options().devices_max) {
    elaborator_.report(
        base::make(Kind::too_many_devices, (*mesh)->devices_end(), elaborator_.options().devices_max).at(span));
    mesh.reset();
  }
  elaborator_.types().note_mesh(!mesh.has_value());
  if (!mesh.has_value()) return;
  elaborator_.environment().bind(NamedMesh{statement.name.text, std::move(*mesh), statement.name.span});
}

// ---- let
// -----------------------------------------------------------------------------------------------------------------

bool Statements::check_let(StatementId id, const frontend::Let& let) {
  if (elaborator_.names().check_let_text(let)) return true;
  std::vector<Checked> values;
  if (const frontend::Name* twice = repeated(let.names)) {
    elaborator_.report(base::make(Kind::name_repeated, twice->text).at(twice->span));
  } else if (const MaybeValue value = let_value(id, let)) {
    values = elaborator_.parts(*value);
    if (values.size() != let.names.size()) {
      report_names(let, values.size());
      values.clear();
    }
  }
  const bool good = !values.empty();
  for (std::size_t k = 0; k < let.names.size(); ++k)
    elaborator_.names().bind_name(let.names[k], good ? MaybeValue(values[k]) : std::nullopt);
  const bool annotate = good && let.names.size() == 1 && !let.type.has_value() && values[0].is_array() &&
                        elaborator_.frame().unrolled == 0;
  if (annotate) elaborator_.frame().lets.push_back({id, values[0].node(), elaborator_.environment().now()});
  return good;
}

// The names in a `let` are not as many as the values.
void Statements::report_names(const frontend::Let& let, std::size_t values) {
  std::vector<std::string> written;
  for (const frontend::Name& name : let.names) written.push_back(name.text);
  const std::string count = values == 1 ? "is 1 value" : fmt::format("are {} values", values);
  elaborator_.report(base::make(Kind::tuple_count, written.size(), count)
                         .at(elaborator_.ast()[let.value].span)
                         .suggest(help_for_names(let.value, values, written)));
}

// The expression that --define gives in place of a let's: parsed as a text of its own.
MaybeValue Statements::defined_value(const std::string& name, const std::string& value_text,
                                     const frontend::Let& replaced) {
  elaborator_.names().note_define(name);
  const base::SourceId source =
      elaborator_.sources().add(fmt::format("--define {}", name), fmt::format("let {} = {}\n", name, value_text));
  auto parsed = frontend::parse(elaborator_.sources(), source);
  const bool one_let = parsed.ok() && parsed->program.size() == 1 &&
                       std::holds_alternative<frontend::Let>((*parsed)[parsed->program[0]].node);
  if (!one_let) {
    elaborator_.report(
        base::make(Kind::define_bad, name, value_text).suggest("give one expression, as in --define N=1024"));
    return std::nullopt;
  }
  Frame frame{std::make_shared<const Ast>(std::move(parsed).value()), 0, {}, nullptr, {}, true};
  Frame* const outer = elaborator_.walk(&frame);
  const auto& let = std::get<frontend::Let>(elaborator_.ast()[elaborator_.ast().program[0]].node);
  MaybeValue value = replaced.type.has_value() ? elaborator_.check_array_as(let.value, *outer->ast, *replaced.type)
                                               : elaborator_.check_array(let.value);
  elaborator_.walk(outer);
  if (value.has_value()) value->expr = {};
  return value;
}

MaybeValue Statements::let_value(StatementId, const frontend::Let& let) {
  const bool one_name = let.names.size() == 1;
  MaybeValue value;
  const auto define = elaborator_.frame().binds_globally() && one_name
                          ? elaborator_.options().defines.find(let.names[0].text)
                          : elaborator_.options().defines.end();
  if (define != elaborator_.options().defines.end()) {
    value = defined_value(define->first, define->second, let);
    const bool was_integer = std::holds_alternative<frontend::IntLiteral>(elaborator_.ast()[let.value].node);
    if (value.has_value() && was_integer && synth::is_float(elaborator_.type(*value).element())) {
      remark_on_defines_ += fmt::format("\n--define {}={} gives `{}` a value that is no integer, unlike in the text",
                                        define->first, define->second, define->first);
    }
  } else if (one_name) {
    value = let.type.has_value() ? check_value_as(elaborator_, let.value, elaborator_.ast(), *let.type)
                                 : check_value(elaborator_, let.value);
  } else {
    value = elaborator_.check_expr(
        let.value, let.type.has_value() ? elaborator_.types().want_of(elaborator_.ast(), *let.type) : Preference{});
  }
  if (!value.has_value() || !let.type.has_value()) return value;
  return annotated_as(elaborator_, *value, elaborator_.ast(), *let.type, fmt::format("`{}`", let.names[0].text),
                      value->span);
}

// ---- fn
// ------------------------------------------------------------------------------------------------------------------

void Statements::check_fn_statement(StatementId id, const frontend::Fn& fn) {
  std::vector<frontend::Name> names;
  for (const frontend::Parameter& parameter : fn.parameters) names.push_back(parameter.name);
  if (const frontend::Name* twice = repeated(names)) {
    elaborator_.report(base::make(Kind::name_repeated, twice->text).at(twice->span));
    return;
  }
  const auto is_good = [&](TypeId type) { return names_fields_once(elaborator_, elaborator_.ast(), type); };
  if (!std::ranges::all_of(fn.parameters, [&](const auto& parameter) { return is_good(parameter.type); }) ||
      !std::ranges::all_of(fn.results, is_good)) {
    elaborator_.names().poison(fn.name.text);
    return;
  }
  if (find_operation(fn.name.text) != nullptr) {
    elaborator_.report(base::make(Kind::name_taken, fn.name.text)
                           .at(fn.name.span)
                           .suggest(fmt::format("call it `my_{}`", fn.name.text)));
    elaborator_.names().poison(fn.name.text);
    return;
  }
  const bool is_on_mesh = fn.chosen.has_value() && elaborator_.environment().has_mesh(elaborator_.environment().now());
  if (!says_choice_rightly(elaborator_, elaborator_.ast(), fn) ||
      (is_on_mesh && !chosen_axes(elaborator_, fn, *elaborator_.default_mesh()).has_value())) {
    elaborator_.names().poison(fn.name.text);
    return;
  }
  const Frame& frame = elaborator_.frame();
  Function function{frame.ast, id, elaborator_.environment().now(), fn.name.span, frame.file};
  elaborator_.calls().check_definition(function);
  elaborator_.environment().bind_in(frame.file, function);
}

// ---- statements with effects
// ---------------------------------------------------------------------------------------------

bool Statements::check_block_statement(StatementId id) {
  const frontend::Statement& statement = elaborator_.ast()[id];
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
bool Statements::stands_without_parentheses(const frontend::Print& print) {
  const ExprId first = print.items.front();
  if (print.items.size() != 1 || !std::holds_alternative<frontend::Tuple>(elaborator_.ast()[first].node)) return true;
  std::vector<ExprId> items;
  add_items(elaborator_.ast(), first, items);
  std::string written;
  for (const ExprId item : items)
    written += (written.empty() ? "" : ", ") + elaborator_.text(elaborator_.ast()[item].span);
  constexpr std::size_t kQuotable = 60;
  if (written.size() > kQuotable || written.find('\n') != std::string::npos) written = "a, b";
  elaborator_.report(base::make(Kind::tuple_here)
                         .at(elaborator_.ast()[first].span)
                         .suggest(fmt::format("`print` stands without parentheses: `print {}`", written)));
  return false;
}

bool Statements::check_print(Span span, const frontend::Print& print) {
  if (!stands_without_parentheses(print)) return false;
  synth::Print operation;
  std::vector<Checked> nodes;
  bool good = true;
  for (const ExprId item : print.items) {
    if (const auto string = elaborator_.names().text_of(item)) {
      operation.items.push_back({elaborator_.add_string(*string), -1});
      continue;
    }
    const MaybeValue value = finished_for_output(item, "print");
    good = good && value.has_value();
    if (!value.has_value()) continue;
    if (value->is_record()) {
      if (!operation.items.empty()) elaborator_.effect(span, std::exchange(operation, {}), std::exchange(nodes, {}));
      print_fields(elaborator_, span, *value);
      continue;
    }
    operation.items.push_back({{}, static_cast<std::int32_t>(nodes.size())});
    nodes.push_back(*value);
  }
  if (good && !operation.items.empty()) elaborator_.effect(span, std::move(operation), nodes);
  return good;
}

// A value that leaves the program: its pending sums are finished first.
MaybeValue Statements::finished_for_output(ExprId expr, const std::string& who) {
  MaybeValue value = check_value(elaborator_, expr);
  if (!value.has_value()) return std::nullopt;
  if (value->is_array()) return elaborator_.finished(*value, who, value->span, true);
  const std::vector<Checked> arrays = arrays_of(*value);
  for (std::size_t k = 0; k < arrays.size(); ++k)
    value->nodes[k] = elaborator_.finished(arrays[k], who, value->span, true).node();
  return value;
}

bool Statements::check_show(Span span, const frontend::Show& show) {
  const MaybeValue value = check_value(elaborator_, show.value);
  if (!value.has_value()) return false;
  const std::string text = elaborator_.text(elaborator_.ast()[show.value].span);
  const std::vector<Checked> arrays = arrays_of(*value);
  for (std::size_t k = 0; k < arrays.size(); ++k) {
    const std::string label = value->is_record() ? text + "." + value->items.front()[k] : text;
    elaborator_.effect(span, synth::Show{elaborator_.add_string(label)}, {arrays[k]});
  }
  return true;
}

// Nothing of the expression runs: it is checked in a region of its own, which is only read.
bool Statements::check_plan_statement(Span span, const frontend::PlanStatement& statement) {
  open::PlanText plan;
  const MaybeValue value = elaborator_.in_region(plan.region, [&] { return elaborator_.check_expr(statement.value); });
  if (value.has_value()) plan.region.results = elaborator_.results_of(*value);
  const ValueId node = elaborator_.emit(span, {}, std::move(plan));
  elaborator_.program().nodes[node].is_complete = value.has_value();
  return value.has_value();
}

// `"step{i}.npy"`: the integers that the name is made of become operands behind the array.
bool Statements::check_save(Span span, const frontend::Save& save) {
  MaybeValue value = elaborator_.check_array(save.value);
  if (value.has_value() && !save.shards) value = elaborator_.finished(*value, "save", value->span, true);
  const auto name = elaborator_.names().file_name(save.shards ? "save_shards" : "save",
                                                  {save.path, save.path_span, save.array, save.array_span});
  if (!value.has_value() || !name.has_value()) return false;
  std::vector<Checked> operands = {*value};
  operands.insert(operands.end(), name->numbers.begin(), name->numbers.end());
  elaborator_.effect(span, synth::Save{elaborator_.add_string(name->form), save.shards}, operands);
  return true;
}

bool Statements::check_assert(Span span, const frontend::Assert& node) {
  MaybeValue condition = elaborator_.check_array(node.condition);
  if (condition.has_value())
    condition = elaborator_.scalar_of(*condition, ElementType::boolean, "the condition of `assert`");
  if (!condition.has_value()) return false;
  const std::string message = node.message.value_or(elaborator_.text(elaborator_.ast()[node.condition].span));
  elaborator_.effect(span, synth::Assert{elaborator_.add_string(message)}, {*condition});
  return true;
}

// Does what is computed here, from the first node on, print, save or check something? Each function is looked at once.
bool Statements::has_effect(const open::Region& region, std::size_t first) {
  const auto of_function = [&](open::InstanceId id) {
    if (const auto known = effects_.find(id); known != effects_.end()) return known->second;
    return effects_[id] = has_effect(elaborator_.program().instances[id].body);
  };
  const auto one = [&](ValueId id) {
    const auto& body = elaborator_.program().nodes[id].body;
    if (const auto* call = std::get_if<open::Call>(&body)) return of_function(call->instance);
    if (const auto* entered = std::get_if<open::Enter>(&body)) return of_function(entered->instance);
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
bool Statements::check_called_for_effect(Span span, const frontend::ExprStatement& node) {
  const std::size_t before = elaborator_.region().order.size();
  const std::size_t idle = elaborator_.frame().idle_loops;
  const MaybeValue value = elaborator_.check_expr(node.value);
  if (!value.has_value()) return false;
  if (elaborator_.frame().idle_loops > idle || has_effect(elaborator_.region(), before)) return true;
  elaborator_.report(base::make(Kind::unused_value).at(span).suggest("print it, bind it with `let`, or remove it"));
  return false;
}

// An `if` of statements: nothing comes out of its branches.
bool Statements::check_if_statement(Span span, const frontend::IfStatement& node) {
  MaybeValue condition = elaborator_.check_array(node.condition);
  if (condition.has_value())
    condition = elaborator_.scalar_of(*condition, ElementType::boolean, "the condition of `if`");
  open::If both;
  both.is_statement = true;
  const std::size_t idle = elaborator_.frame().idle_loops;
  bool good = elaborator_.in_region(both.then_region, [&] { return check_statements(node.then_block); });
  if (node.else_block.has_value())
    good = elaborator_.in_region(both.else_region, [&] { return check_statements(*node.else_block); }) && good;
  good = good && condition.has_value();
  const bool is_idle = elaborator_.frame().idle_loops > idle;
  if (good && !is_idle && !has_effect(both.then_region) && !has_effect(both.else_region)) {
    elaborator_.report(
        base::make(Kind::unused_value).at(span).suggest("nothing in it prints, saves or asserts: remove it"));
    good = false;
  }
  if (condition.has_value()) both.condition = condition->node();
  const ValueId made_node = elaborator_.emit(span, {}, std::move(both));
  elaborator_.program().nodes[made_node].is_complete = good;
  return good;
}

bool Statements::check_statements(BlockId id) {
  const std::size_t outer = elaborator_.frame().locals.size();
  ++elaborator_.frame().block_depth;
  bool good = true;
  for (const StatementId statement : elaborator_.ast()[id].statements) good = check_block_statement(statement) && good;
  --elaborator_.frame().block_depth;
  elaborator_.frame().locals.resize(outer);
  return good;
}

bool Statements::check_expression_statement(Span span, const frontend::ExprStatement& node) {
  if (!elaborator_.options().bare_expressions) return check_called_for_effect(span, node);
  if (const auto string = elaborator_.names().text_of(node.value)) {
    elaborator_.effect(span, synth::PrintText{elaborator_.add_string(*string)}, {});
    return true;
  }
  const MaybeValue value = finished_for_output(node.value, "a shown value");
  if (!value.has_value()) return false;
  if (value->is_array()) elaborator_.program().statements.back().shown = value->node();
  elaborator_.names().bind_name(frontend::Name{"_", span}, value);
  if (value->is_record()) {
    print_fields(elaborator_, span, *value);
    return true;
  }
  elaborator_.effect(span, synth::Print{{{{}, 0}}}, {*value});
  return true;
}

}  // namespace tessera::typeck
