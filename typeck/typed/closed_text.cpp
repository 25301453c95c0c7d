#include "typeck/typed/closed_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "typeck/typed/closed_calls.hpp"
#include "typeck/typed/closed_records.hpp"
#include "typeck/typed/known_scalar.hpp"

namespace tessera::typeck {

namespace {

std::string extents(const synth::Shape& shape) {
  std::vector<std::int64_t> all;
  for (std::size_t d = 0; d < shape.size(); ++d) all.push_back(shape[d]);
  return fmt::format("[{}]", fmt::join(all, ", "));
}

// `ab`, of an operand's indices.
std::string letters(const std::vector<std::uint8_t>& indices) {
  std::string text;
  for (const std::uint8_t index : indices) text += static_cast<char>('a' + index);
  return text;
}

template <class T>
std::string number_text(T value) {
  if (std::isnan(value)) return "0.0 / 0.0";
  if (std::isinf(value)) return value > 0 ? "1.0 / 0.0" : "-1.0 / 0.0";
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

// How an elementwise operation is written, `{0} + {1}`, if not as a call by its name.
std::string_view form_of(synth::MapOp op) {
  using synth::MapOp;
  constexpr std::pair<MapOp, std::string_view> kForms[] = {{MapOp::add, "{0} + {1}"},
                                                           {MapOp::subtract, "{0} - {1}"},
                                                           {MapOp::multiply, "{0} * {1}"},
                                                           {MapOp::divide, "{0} / {1}"},
                                                           {MapOp::remainder, "{0} % {1}"},
                                                           {MapOp::power, "{0} ** {1}"},
                                                           {MapOp::minimum, "min({0}, {1})"},
                                                           {MapOp::maximum, "max({0}, {1})"},
                                                           {MapOp::equal, "{0} == {1}"},
                                                           {MapOp::not_equal, "{0} != {1}"},
                                                           {MapOp::less, "{0} < {1}"},
                                                           {MapOp::less_equal, "{0} <= {1}"},
                                                           {MapOp::greater, "{0} > {1}"},
                                                           {MapOp::greater_equal, "{0} >= {1}"},
                                                           {MapOp::logical_and, "{0} && {1}"},
                                                           {MapOp::logical_or, "{0} || {1}"},
                                                           {MapOp::logical_not, "!{0}"},
                                                           {MapOp::bit_and, "{0} & {1}"},
                                                           {MapOp::bit_or, "{0} | {1}"},
                                                           {MapOp::bit_xor, "{0} ^ {1}"},
                                                           {MapOp::bit_not, "~{0}"},
                                                           {MapOp::shift_left, "{0} << {1}"},
                                                           {MapOp::shift_right, "{0} >> {1}"},
                                                           {MapOp::negate, "-{0}"},
                                                           {MapOp::select, "where({0}, {1}, {2})"},
                                                           {MapOp::clip, "clip({0}, {1}, {2})"}};
  for (const auto& [own, form] : kForms) {
    if (own == op) return form;
  }
  return "";
}

std::string replaced(std::string_view form, const std::vector<std::string>& operands) {
  std::string text(form);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const std::string hole = fmt::format("{{{}}}", k);
    if (const std::size_t at = text.find(hole); at != std::string::npos) text.replace(at, hole.size(), operands[k]);
  }
  return text;
}

std::string dims(const std::vector<std::uint8_t>& dimensions) {
  return dimensions.size() == 1 ? fmt::format("{}", dimensions[0]) : fmt::format("[{}]", fmt::join(dimensions, ", "));
}

std::string_view reduction(synth::ReduceKind kind, synth::ElementType element) {
  if (element == synth::ElementType::boolean) return kind == synth::ReduceKind::max ? "any" : "all";
  return kind == synth::ReduceKind::product ? "prod" : name(kind);
}

std::string running(synth::ReduceOp op) {
  return fmt::format("cum{}", op == synth::ReduceOp::product ? "prod" : name(op));
}

}  // namespace

// ---- The function

std::optional<std::string> ClosedText::function(const ChosenFunction& chosen, const std::string& name) {
  std::map<NodeId, std::string> named;
  std::set<std::string> seen;
  std::vector<std::string> results;
  for (const ChosenFunction::Name& one : chosen.names) {
    if (one.role == ChosenFunction::Role::parameter) seen.insert(one.name.substr(0, one.name.find('.')));
    if (one.role == ChosenFunction::Role::result) results.push_back(one.name);
  }
  for (const ChosenFunction::Name& one : chosen.names) {
    if (one.role == ChosenFunction::Role::parameter) named.emplace(one.node, one.name);
    if (one.role != ChosenFunction::Role::let || one.name == "_") continue;
    std::string own = one.name;
    std::ranges::replace(own, '.', '_');  // the fields of a record are arrays of their own
    const bool is_free = own == one.name || !taken_.contains(own);
    if (is_free && seen.insert(own).second) named.emplace(one.node, own);
  }
  instance(chosen.instance, name, named, results);
  return lacks_.empty() ? std::optional(functions_) : std::nullopt;
}

void ClosedText::instance(InstanceId id, const std::string& name, const std::map<NodeId, std::string>& named,
                          const std::vector<std::string>& result_names) {
  const Instance& own = typed_.instances[id];
  needed_.clear();
  for (const NodeId parameter : own.parameters) need(parameter);
  need(own.body);
  // Those that it calls stand before it.
  for (const NodeId node : std::set<NodeId>(needed_)) {
    const auto* call = std::get_if<Call>(&typed_.nodes[node].body);
    if (call == nullptr || written_.contains(call->instance)) continue;
    std::string inner = fmt::format("{}_{}", name, typed_.instances[call->instance].name);
    while (taken_.contains(inner) ||
           std::ranges::find(written_, inner, &decltype(written_)::value_type::second) != written_.end())
      inner += "_";
    ClosedText other(typed_, environment_, moment_, taken_);
    other.written_ = written_;
    other.instance(call->instance, inner, {}, {});
    if (!other.lacks_.empty()) return lack(other.lacks_);
    functions_ += other.functions_;
    written_ = std::move(other.written_);
    written_[call->instance] = inner;
  }
  for (const auto& [node, own_name] : named) {
    names_[node] = own_name;
    used_.insert(own_name.substr(0, own_name.find('.')));
  }
  std::vector<Path> paths;
  for (const NodeId parameter : own.parameters) paths.push_back({name_of(parameter), type_text(parameter)});
  std::vector<std::string> parameters;
  for (const Grouped& one : grouped(paths)) parameters.push_back(fmt::format("{}: {}", one.name, one.text));
  std::vector<std::string> types;
  for (const NodeId result : own.body.results) types.push_back(type_text(result));
  const std::string given = results_text(result_names, types);
  line(fmt::format("fn {}({}){} {{", name, fmt::join(parameters, ", "), types.empty() ? "" : " -> " + given));
  body(own.body, result_names);
  line("}");
  functions_ += text_;
}

// What a region computes, and what that is made of.
void ClosedText::need(const Region& region) {
  for (const NodeId id : region.order) {
    const Node& own = typed_.nodes[id];
    const auto* element = std::get_if<Element>(&own.body);
    if (element != nullptr) {
      std::vector<NodeId>& all = elements_[element->tuple];
      all.resize(typed_.nodes[element->tuple].types.size());
      if (!all[element->index].valid()) all[element->index] = id;
    }
    if (element == nullptr) need(id);
  }
  for (const NodeId result : region.results) need(result);
}

void ClosedText::need(NodeId id) {
  if (!needed_.insert(id).second) return;
  const auto& own = typed_.nodes[id].body;
  if (const auto* compute = std::get_if<Compute>(&own)) {
    for (const NodeId operand : compute->operands) need(operand);
  } else if (const auto* moved = std::get_if<Redistribute>(&own)) {
    need(moved->operand);
  } else if (const auto* call = std::get_if<Call>(&own)) {
    for (const NodeId argument : call->arguments) need(argument);
  } else if (const auto* element = std::get_if<Element>(&own)) {
    need(element->tuple);
  } else if (const auto* loop = std::get_if<Loop>(&own)) {
    need(loop->count);
    for (const NodeId initial : loop->initial) need(initial);
    need(loop->body);
  } else if (const auto* both = std::get_if<If>(&own)) {
    need(both->condition);
    need(both->then_region);
    need(both->else_region);
  } else if (const auto* again = std::get_if<Again>(&own)) {
    need(again->body);
  }
}

void ClosedText::body(const Region& region, const std::vector<std::string>& result_names) {
  ++depth_;
  for (const NodeId id : region.order) {
    if (needed_.contains(id)) write(id);
  }
  results(region, result_names);
  --depth_;
}

void ClosedText::results(const Region& region, const std::vector<std::string>& result_names) {
  if (region.results.empty()) return;
  std::vector<std::string> all;
  for (const NodeId result : region.results) all.push_back(name_of(result));
  line(results_text(result_names, all));
}

// ---- Names and lines

std::string ClosedText::fresh() {
  std::string name;
  do {
    name = fmt::format("v{}", ++numbered_);
  } while (taken_.contains(name) || used_.contains(name));
  used_.insert(name);
  return name;
}

std::string ClosedText::name_of(NodeId id) {
  const auto known = names_.find(id);
  if (known != names_.end()) return known->second;
  if (const auto* input = std::get_if<Input>(&typed_.nodes[id].body)) {
    for (const std::string& name : environment_.variable_names(moment_)) {
      const Variable* const own = environment_.variable(name, moment_);
      if (own != nullptr && own->slot == input->slot && !used_.contains(name)) return name;
    }
    lack("a value of the session that has lost its name");
  }
  return names_[id] = fresh();
}

std::string ClosedText::names_of(const std::vector<NodeId>& nodes) {
  std::vector<std::string> all;
  for (const NodeId node : nodes) all.push_back(name_of(node));
  return fmt::format("{}", fmt::join(all, ", "));
}

void ClosedText::line(const std::string& text) { text_ += std::string(2 * depth_, ' ') + text + "\n"; }

void ClosedText::let(NodeId id, const std::string& expression) {
  line(fmt::format("let {}: {} = {}", name_of(id), type_text(id), expression));
}

std::string ClosedText::let_all(NodeId id) {
  const std::size_t count = typed_.nodes[id].types.size();
  if (count == 1) return fmt::format("let {} = ", name_of(id));
  std::vector<std::string> all;
  std::vector<NodeId>& elements = elements_[id];
  elements.resize(count);
  for (const NodeId element : elements) all.push_back(element.valid() ? name_of(element) : fresh());
  return fmt::format("let ({}) = ", fmt::join(all, ", "));
}

// ---- Nodes

void ClosedText::write(NodeId id) {
  const auto& own = typed_.nodes[id].body;
  if (const auto* compute = std::get_if<Compute>(&own)) {
    if (typed_.nodes[id].types.empty()) return effect(*compute);
    return write(id, *compute);
  }
  if (const auto* moved = std::get_if<Redistribute>(&own)) return let(id, name_of(moved->operand));
  if (const auto* call = std::get_if<Call>(&own)) {
    const std::string called = fmt::format("{}({})", written_[call->instance], names_of(call->arguments));
    return line(typed_.nodes[id].types.empty() ? called : let_all(id) + called);
  }
  if (const auto* loop = std::get_if<Loop>(&own)) return write(id, *loop);
  if (const auto* both = std::get_if<If>(&own)) return write(id, *both);
  if (const auto* again = std::get_if<Again>(&own)) {
    line(let_all(id) + "again {");
    body(again->body);
    line("}");
  }
}

void ClosedText::write(NodeId id, const Compute& compute) {
  const auto text = expression(id, compute);
  if (!text.has_value()) return lack(synth::describe(compute.operation));
  let(id, *text);
}

void ClosedText::write(NodeId id, const Loop& loop) {
  std::vector<std::string> carried;
  for (std::size_t k = 0; k < loop.parameters.size(); ++k)
    carried.push_back(fmt::format("{} = {}", name_of(loop.parameters[k]), name_of(loop.initial[k])));
  line(fmt::format("{}loop {} for {} < {} {{", let_all(id), fmt::join(carried, ", "), name_of(loop.index),
                   name_of(loop.count)));
  body(loop.body);
  line("}");
}

void ClosedText::write(NodeId id, const If& both) {
  const bool has_values = !typed_.nodes[id].types.empty();
  line(fmt::format("{}if {} {{", has_values ? let_all(id) : "", name_of(both.condition)));
  body(both.then_region);
  if (has_values || !both.else_region.order.empty()) {
    line("} else {");
    body(both.else_region);
  }
  line("}");
}

void ClosedText::effect(const Compute& compute) {
  if (const auto* print = std::get_if<synth::Print>(&compute.operation)) {
    std::vector<std::string> items;
    for (const synth::PrintItem& item : print->items)
      items.push_back(item.operand >= 0 ? name_of(compute.operands[static_cast<std::size_t>(item.operand)])
                                        : fmt::format("\"{}\"", typed_.strings[item.text]));
    return line(fmt::format("print {}", fmt::join(items, ", ")));
  }
  if (std::holds_alternative<synth::Show>(compute.operation)) return line("show " + name_of(compute.operands[0]));
  if (const auto* assertion = std::get_if<synth::Assert>(&compute.operation))
    return line(fmt::format("assert {}, \"{}\"", name_of(compute.operands[0]), typed_.strings[assertion->message]));
  if (const auto* save = std::get_if<synth::Save>(&compute.operation); save != nullptr && compute.operands.size() == 1)
    return line(fmt::format("{}({}, \"{}\")", save->shards ? "save_shards" : "save", name_of(compute.operands[0]),
                            typed_.strings[save->path]));
  lack(synth::describe(compute.operation));
}

std::optional<std::string> ClosedText::literal(const synth::Literal& literal) const {
  const auto value = value_of(literal);
  if (!value.has_value()) return std::nullopt;
  if (const bool* truth = std::get_if<bool>(&*value)) return std::string(*truth ? "true" : "false");
  if (const auto* integer = std::get_if<std::int64_t>(&*value)) return fmt::format("{}", *integer);
  const double number = std::get<double>(*value);
  if (literal.element == synth::ElementType::f32) return number_text(static_cast<float>(number));
  return number_text(number);
}

std::optional<std::string> ClosedText::expression(NodeId id, const Compute& compute) {
  std::vector<std::string> operands;
  for (const NodeId operand : compute.operands) operands.push_back(name_of(operand));
  const std::string all = fmt::format("{}", fmt::join(operands, ", "));
  const auto& shape = typed_.type(id).shape();
  const auto call = [&](std::string_view name, const std::string& more = "") {
    return fmt::format("{}({}{})", name, all, more.empty() ? "" : ", " + more);
  };
  const auto& operation = compute.operation;
  if (const auto* map = std::get_if<synth::Map>(&operation)) {
    if (map->op == synth::MapOp::cast) return call(synth::name(typed_.type(id).element()));
    if (map->op == synth::MapOp::copy) return call("broadcast", extents(shape));
    const std::string_view form = form_of(map->op);
    return form.empty() ? call(synth::name(map->op)) : replaced(form, operands);
  }
  if (const auto* constant = std::get_if<synth::Constant>(&operation))
    return literal(typed_.literals[constant->literal]);
  if (std::holds_alternative<synth::Fill>(operation)) return fmt::format("full({}, {})", type_text(id), all);
  if (std::holds_alternative<synth::Iota>(operation)) return fmt::format("iota({})", type_text(id));
  if (std::holds_alternative<synth::Random>(operation)) return fmt::format("random({}, seed={})", type_text(id), all);
  if (std::holds_alternative<synth::Normal>(operation)) return fmt::format("normal({}, seed={})", type_text(id), all);
  if (const auto* load = std::get_if<synth::Load>(&operation); load != nullptr && operands.empty())
    return fmt::format("load(\"{}\", {})", typed_.strings[load->path], type_text(id));
  if (const auto* reduce = std::get_if<synth::Reduce>(&operation))
    return call(reduction(reduce->kind, typed_.type(id).element()), "dim=" + dims(reduce->dimensions));
  if (const auto* reduce = std::get_if<synth::ArgReduce>(&operation))
    return call(reduce->max ? "argmax" : "argmin", "dim=" + dims(reduce->dimensions));
  if (const auto* contract = std::get_if<synth::Contract>(&operation)) {
    std::vector<std::string> indices;
    for (const auto& own : contract->operand_indices) indices.push_back(letters(own));
    return fmt::format("einsum(\"{}->{}\", {})", fmt::join(indices, ","), letters(contract->result_indices), all);
  }
  if (const auto* scan = std::get_if<synth::Scan>(&operation); scan != nullptr && !scan->reverse)
    return call(running(scan->op), fmt::format("dim={}", scan->dimension));
  if (const auto* recur = std::get_if<synth::Recur>(&operation); recur != nullptr && !recur->reverse)
    return call("recur", fmt::format("dim={}", recur->dimension));
  if (const auto* sort = std::get_if<synth::Sort>(&operation))
    return call(sort->positions ? "argsort" : "sort", "dim=-1");
  if (const auto* most = std::get_if<synth::Greatest>(&operation))
    return call(most->positions ? "argtopk" : "topk", fmt::format("{}, dim=-1", most->count));
  if (const auto* transpose = std::get_if<synth::Transpose>(&operation))
    return call("transpose", fmt::format("[{}]", fmt::join(transpose->permutation, ", ")));
  if (std::holds_alternative<synth::Reshape>(operation))
    return typed_.type(compute.operands[0]).shape() == shape ? operands[0] : call("reshape", extents(shape));
  // Along lines, as gradients take, there is no such call.
  const auto rank = [&](std::size_t operand) { return typed_.type(compute.operands[operand]).rank(); };
  if (std::holds_alternative<synth::Take>(operation) && shape.size() + 1 == rank(0) + rank(1)) return call("take");
  if (const auto* search = std::get_if<synth::Search>(&operation))
    return call("searchsorted", search->right ? "right=true" : "right=false");
  if (const auto* matrix = std::get_if<synth::MatrixFunction>(&operation)) return matrix_call(matrix->op, all);
  if (const auto* fourier = std::get_if<synth::Fourier>(&operation)) return fourier_call(*fourier, all, shape);
  if (std::holds_alternative<synth::OneHot>(operation))
    return call("one_hot", fmt::format("{}", shape[shape.size() - 1]));
  if (const auto* assemble = std::get_if<synth::Assemble>(&operation)) return assembled(id, compute, *assemble);
  return std::nullopt;
}

}  // namespace tessera::typeck
