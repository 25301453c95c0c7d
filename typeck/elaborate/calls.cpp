// Calls of the program's own functions. A function is checked once per distinct list of argument types; its extents are
// bound by the arguments.
#include <fmt/format.h>

#include <algorithm>

#include "typeck/elaborate/chosen.hpp"
#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/records.hpp"
#include "typeck/elaborate/table.hpp"

namespace tessera::typeck {

namespace {

constexpr std::size_t kCallDepthMax = 100;

// Swaps the frame for the time of one function body or type.
class FrameSwap {
 public:
  FrameSwap(OpenGraph& graph, Frame* next) : graph_(graph), outer_(graph.walk(next)) {}
  ~FrameSwap() { graph_.walk(outer_); }
  FrameSwap(const FrameSwap&) = delete;
  FrameSwap& operator=(const FrameSwap&) = delete;

 private:
  OpenGraph& graph_;
  Frame* outer_;
};

// The name by which a parameter binds an extent, if this dimension does.
const std::string* extent_name(const Ast& ast, const frontend::Dimension& dimension) {
  if (dimension.from_file || !dimension.extent.valid()) return nullptr;
  const frontend::Expr& expr = ast[dimension.extent];
  const auto* name = std::get_if<frontend::NameRef>(&expr.node);
  return name == nullptr || expr.parenthesised ? nullptr : &name->name;
}

bool names_everything(const Ast& ast, const frontend::Fn& fn) {
  return std::ranges::all_of(array_parameters(ast, fn), [&](const frontend::Parameter& parameter) {
    const frontend::TypeExpr& type = ast[parameter.type];
    return !type.any_layout && !type.any_shape &&
           std::all_of(type.dimensions.begin(), type.dimensions.end(),
                       [&](const frontend::Dimension& dimension) { return extent_name(ast, dimension) == nullptr; });
  });
}

bool names_axes(const Ast& ast, const frontend::Fn& fn) {
  return std::ranges::any_of(array_parameters(ast, fn), [&](const frontend::Parameter& parameter) {
    const auto& dimensions = ast[parameter.type].dimensions;
    return std::any_of(dimensions.begin(), dimensions.end(),
                       [](const auto& dimension) { return !dimension.axes.empty(); });
  });
}

std::string function_key(const Function& function, const synth::Mesh& mesh) {
  return fmt::format("{}#{}#{}", function.definition().name.text, function.moment, synth::print(mesh));
}

}  // namespace

MaybeValue Calls::check_call(ExprId id, const frontend::Call& call, const Preference& want) {
  if (const OperationInfo* operation = find_operation(call.callee.text)) {
    return call_operation(elaborator_, *operation, elaborator_.ast()[id].span, call, want);
  }
  const bool is_each =
      call.callee.text == "each" && elaborator_.environment().function("each", elaborator_.seen()) == nullptr;
  if (is_each) return check_each(elaborator_, id, call);
  const Function* const function = callable(call.callee, call.arguments);
  return function == nullptr ? std::nullopt : call_function(id, call, *function);
}

// The arguments of a call in the order of the parameters, checked with what each parameter wants.
std::optional<std::vector<Checked>> Calls::arguments_for(const frontend::Call& call, const Function& function) {
  const frontend::Fn& fn = function.definition();
  const auto wrong = [&](Span span, const std::string& what) {
    elaborator_.report(
        base::make(Kind::wrong_arguments, fn.name.text, what).at(span).also(function.span, "defined here"));
  };
  std::vector<std::optional<Checked>> bound(fn.parameters.size());
  std::vector<bool> given(fn.parameters.size(), false);
  bool good = true;
  std::size_t next = 0;
  for (const frontend::Argument& argument : call.arguments) {
    std::size_t at = next;
    if (argument.name.has_value()) {
      const auto named = std::find_if(fn.parameters.begin(), fn.parameters.end(),
                                      [&](const auto& p) { return p.name.text == argument.name->text; });
      at = static_cast<std::size_t>(named - fn.parameters.begin());
    } else {
      ++next;
    }
    const auto* expr = std::get_if<ExprId>(&argument.value);
    if (at >= bound.size()) {
      wrong(argument.span, argument.name.has_value()
                               ? fmt::format("there is no parameter `{}`", argument.name->text)
                               : fmt::format("takes {} argument{}, not {}", bound.size(), bound.size() == 1 ? "" : "s",
                                             call.arguments.size()));
      return std::nullopt;
    }
    if (expr == nullptr || given[at]) {
      wrong(argument.span, expr == nullptr ? "an argument is a value, not a type"
                                           : fmt::format("`{}` is given twice", fn.parameters[at].name.text));
      return std::nullopt;
    }
    given[at] = true;
    const TypeId type = fn.parameters[at].type;
    bound[at] = check_value_as(elaborator_, *expr, *function.ast, type);
    const std::string who = fmt::format("the parameter `{}` of `{}`", fn.parameters[at].name.text, fn.name.text);
    if (bound[at].has_value())
      bound[at] = in_order(elaborator_, *bound[at], names_of(fields_of(*function.ast, type)), who, function.span);
    good = good && bound[at].has_value();
  }
  for (std::size_t k = 0; k < bound.size(); ++k) {
    if (given[k]) continue;
    wrong(call.callee.span, fmt::format("the argument for `{}` is missing", fn.parameters[k].name.text));
    return std::nullopt;
  }
  if (!good) return std::nullopt;
  std::vector<Checked> all;
  for (auto& value : bound) {
    if (value) std::ranges::move(arrays_of(*value), std::back_inserter(all));
  }
  return all;
}

// Binds the extent names of one parameter's type by the argument's shape, as constants of the current frame.
bool Calls::bind_extents(const frontend::Parameter& parameter, const open::Type& argument,
                         const std::string& argument_text, Span call_span,
                         std::map<std::string, std::string>& bound_by) {
  const Ast& tree = elaborator_.ast();
  const frontend::TypeExpr& written = tree[parameter.type];
  if (written.any_shape) return true;  // it binds none
  if (written.dimensions.size() != argument.rank()) {
    elaborator_.report(base::make(Kind::argument_mismatch, parameter.name.text,
                                  elaborator_.frame().function->definition().name.text, argument_text,
                                  fmt::format("an array of rank {}", written.dimensions.size()))
                           .at(call_span)
                           .also(written.span, "declared here"));
    return false;
  }
  for (std::size_t d = 0; d < argument.rank(); ++d) {
    const std::string* name = extent_name(tree, written.dimensions[d]);
    if (name == nullptr) continue;
    bool poisoned = false;
    const auto [by, fresh] = bound_by.emplace(*name, parameter.name.text);
    if (fresh) {
      const Span span = tree[written.dimensions[d].extent].span;
      elaborator_.frame().locals.push_back(
          {*name, elaborator_.scalar(span, argument.shape()[d], ElementType::i64, elaborator_.default_mesh())});
      continue;
    }
    const Checked* before = elaborator_.names().local(*name, poisoned);
    if (before != nullptr && elaborator_.known_integer(*before) == argument.shape()[d]) continue;
    elaborator_.report(base::make(Kind::extent_bound_twice, *name,
                                  before != nullptr ? elaborator_.known_integer(*before).value_or(0) : 0, by->second,
                                  argument.shape()[d], parameter.name.text)
                           .at(call_span)
                           .also(written.dimensions[d].span, "here"));
    return false;
  }
  return true;
}

// Reads a parameter's type for this argument; the frame holds the extents.
std::optional<WrittenType> Calls::parameter_type(const frontend::Parameter& parameter, const open::Type& argument,
                                                 const std::string& argument_text, Span call_span) {
  auto written = elaborator_.types().written_type(elaborator_.ast(), parameter.type, nullptr, &argument.shape());
  if (!written.has_value()) return std::nullopt;
  const bool element_fits = !written->element.has_value() || *written->element == argument.element();
  if (!element_fits || written->shape != argument.shape()) {
    const std::string wanted =
        fmt::format("{}{}", synth::name(written->element.value_or(argument.element())), print_shape(written->shape));
    elaborator_.report(
        base::make(Kind::argument_mismatch, parameter.name.text, elaborator_.frame().function->definition().name.text,
                   argument_text, wanted)
            .at(call_span)
            .also(written->span, "declared here")
            .suggest(element_fits ? "" : fmt::format("cast it with {}(...)", synth::name(*written->element))));
    return std::nullopt;
  }
  if (written->any_layout) written->mesh = argument.mesh_ref();
  written->element = argument.element();
  return written;
}

// The types that all parameters take for these arguments.
std::optional<std::vector<WrittenType>> Calls::parameter_types(const Function& function,
                                                               const std::vector<Checked>& arguments) {
  Frame frame{function.ast, function.moment, {}, &function, {}, false, 0, {}, function.file};
  const FrameSwap swap(elaborator_, &frame);
  open::Region scratch;
  return elaborator_.in_region(scratch, [&]() -> std::optional<std::vector<WrittenType>> {
    std::map<std::string, std::string> bound_by;
    const std::vector<frontend::Parameter> parameters = array_parameters(*function.ast, function.definition());
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const open::Type own = elaborator_.type(arguments[k]);
      if (!bind_extents(parameters[k], own, elaborator_.text(arguments[k]), arguments[k].span, bound_by))
        return std::nullopt;
    }
    std::vector<WrittenType> types;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      auto own = parameter_type(parameters[k], elaborator_.type(arguments[k]), elaborator_.text(arguments[k]),
                                arguments[k].span);
      if (!own.has_value()) return std::nullopt;
      types.push_back(std::move(*own));
    }
    return types;
  });
}

MaybeValue Calls::call_function(ExprId id, const frontend::Call& call, const Function& function) {
  const Span span = elaborator_.ast()[id].span;
  auto arguments = arguments_for(call, function);
  return arguments.has_value() ? call_with(span, function, std::move(*arguments)) : std::nullopt;
}

MaybeValue Calls::call_with(Span span, const Function& function, std::vector<Checked> arguments) {
  auto bound = bind_arguments(span, function, std::move(arguments));
  if (!bound.has_value()) return std::nullopt;
  const bool is_complete = bound->use.is_complete;
  const ValueId node =
      elaborator_.emit(span, bound->use.results, open::Call{bound->use.instance, std::move(bound->arguments)});
  elaborator_.program().nodes[node].is_complete = is_complete;
  return is_complete ? MaybeValue(elaborator_.elements_of(node, span, bound->use.items)) : std::nullopt;
}

std::optional<Calls::BoundCall> Calls::bind_call(Span span, const frontend::Call& call, const Function& function) {
  auto arguments = arguments_for(call, function);
  return arguments.has_value() ? bind_arguments(span, function, std::move(*arguments)) : std::nullopt;
}

std::optional<Calls::BoundCall> Calls::bind_arguments(Span span, const Function& function,
                                                      std::vector<Checked> arguments) {
  const auto wanted = parameter_types(function, arguments);
  if (!wanted.has_value()) return std::nullopt;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    Checked& argument = arguments[k];
    if (elaborator_.type(argument).mesh() == *(*wanted)[k].mesh) continue;
    if (MaybeValue again = elaborator_.again_on(argument, (*wanted)[k].mesh)) argument = std::move(*again);
  }
  auto instance = instance_of(function, *wanted, span);
  if (!instance.has_value()) return std::nullopt;
  return BoundCall{std::move(*instance), elaborator_.uses(arguments)};
}

std::optional<Calls::InstanceUse> Calls::instance_of(const Function& function, const std::vector<WrittenType>& written,
                                                     Span call_span) {
  std::vector<open::Type> types;
  for (const WrittenType& one : written) types.push_back(one.type());
  auto& known = instances_[function_key(function, *elaborator_.default_mesh())];
  const auto too_deep = [&] {
    elaborator_.report(base::make(Kind::call_too_deep, kCallDepthMax).at(call_span));
    return std::nullopt;
  };
  for (const auto& [own_types, use] : known) {
    if (own_types != types) continue;
    // Its calls were checked before, but are made inside of these.
    if (use.has_value() && calls_.size() + use->height > kCallDepthMax) return too_deep();
    if (use.has_value() && !heights_.empty()) heights_.back() = std::max(heights_.back(), use->height);
    return use;
  }
  if (calls_.size() >= kCallDepthMax) return too_deep();
  const std::size_t reports = elaborator_.messages().size();
  calls_.push_back(&function);
  heights_.push_back(0);
  InstanceUse use = elaborator_.outside_local([&] { return make_instance(function, written, call_span); });
  calls_.pop_back();
  use.height = heights_.back() + 1;
  heights_.pop_back();
  if (!heights_.empty()) heights_.back() = std::max(heights_.back(), use.height);
  if (call_span != function.span) elaborator_.messages().label_calls(reports, call_span);
  instances_[function_key(function, *elaborator_.default_mesh())].emplace_back(types, use);
  return use;
}

Calls::InstanceUse Calls::make_instance(const Function& function, const std::vector<WrittenType>& types,
                                        Span call_span) {
  const frontend::Fn& fn = function.definition();
  Frame frame{function.ast, function.moment, {}, &function, {}, false, 0, {}, function.file};
  open::Instance instance;
  instance.ast = function.ast;
  instance.name = fn.name.text;
  instance.name_span = fn.name.span;
  instance.defined_at = function.span;
  MaybeValue result;
  {
    const FrameSwap swap(elaborator_, &frame);
    result = elaborator_.in_region(instance.body, [&]() -> MaybeValue {
      std::map<std::string, std::string> bound_by;
      const std::vector<frontend::Parameter> parameters = array_parameters(*function.ast, fn);
      for (std::size_t k = 0; k < types.size(); ++k) {
        const open::Type own = types[k].type();
        if (!bind_extents(parameters[k], own, elaborator_.text(own), call_span, bound_by)) return std::nullopt;
        const ValueId value = elaborator_.parameter(parameters[k].name.span, own);
        instance.parameters.push_back({value, parameters[k].name.text, {}, types[k].span});
        instance.parameters.back().is_chosen = parameters[k].chosen.has_value();
        if (!types[k].any_layout && !parameters[k].chosen.has_value())
          instance.parameters.back().layout = types[k].layout;
      }
      for (std::size_t at = 0; const frontend::Parameter& parameter : fn.parameters) {
        Checked value = parameter_value(*frame.ast, parameter, instance, at);
        frame.locals.push_back({parameter.name.text, elaborator_.names().with_affine(std::move(value))});
      }
      MaybeValue made = function_result(fn);
      return fn.chosen.has_value() && made.has_value() ? chosen_result(fn, types, *made, instance) : made;
    });
  }
  InstanceUse use;
  use.is_complete = result.has_value();
  instance.is_complete = use.is_complete;
  if (result.has_value()) {
    use.items = result->items;
    instance.body.results = elaborator_.results_of(*result);
    for (const ValueId node : result->nodes) use.results.push_back(elaborator_.type(node));
  }
  instance.lets = std::move(frame.lets);
  instance.named = std::move(frame.named);
  use.instance = elaborator_.program().instances.add(std::move(instance));
  if (frame.idle_loops > 0) elaborator_.statements().keep(use.instance);
  return use;
}

// The results of an `auto fn`, whose instance is told what is chosen.
MaybeValue Calls::chosen_result(const frontend::Fn& fn, const std::vector<WrittenType>& types, const Checked& made,
                                open::Instance& instance) {
  std::vector<open::Type> results;
  for (const ValueId node : made.nodes) results.push_back(elaborator_.type(node));
  instance.chosen = chosen_layouts(elaborator_, fn, types, results, items_of(made));
  return instance.chosen.has_value() ? MaybeValue(made) : std::nullopt;
}

// The body's value, brought to the declared results.
MaybeValue Calls::function_result(const frontend::Fn& fn) {
  const std::size_t before = elaborator_.begun();
  MaybeValue value = elaborator_.check_block(
      fn.body, fn.results.size() == 1 ? elaborator_.types().want_of(elaborator_.ast(), fn.results[0]) : Preference{},
      true);
  if (fn.results.size() == 1 && value.has_value() && value->is_array())
    elaborator_.wish(value, elaborator_.ast()[fn.body].result, before,
                     elaborator_.types().wish_of(elaborator_.ast(), fn.results[0]));
  if (!value.has_value() || fn.results.empty()) return value;
  if (value->count() != fn.results.size()) {
    elaborator_.report(base::make(Kind::result_count, fn.name.text, fn.results.size(), value->count())
                           .at(value->span)
                           .also(fn.name.span, "declared here"));
    return std::nullopt;
  }
  std::vector<Checked> all;
  const std::vector<Checked> parts = elaborator_.parts(*value);
  const std::string who = fmt::format("the result of `{}`", fn.name.text);
  for (std::size_t k = 0; k < fn.results.size(); ++k) {
    if (is_record(elaborator_.ast(), fn.results[k]) || !parts[k].is_array()) {
      MaybeValue moved = annotated_as(elaborator_, parts[k], elaborator_.ast(), fn.results[k], who, value->span,
                                      nullptr, {}, fn.results_as[k].has_value());
      if (!moved.has_value()) return std::nullopt;
      all.push_back(std::move(*moved));
      continue;
    }
    auto written = elaborator_.types().written_type(elaborator_.ast(), fn.results[k]);
    if (!written.has_value()) return std::nullopt;
    written->any_layout = written->any_layout || fn.results_as[k].has_value();
    Checked part = *value;
    part.nodes = parts[k].nodes;
    part.items.clear();
    MaybeValue moved = elaborator_.annotated(part, *written, who, value->span);
    if (!moved.has_value()) return std::nullopt;
    all.push_back(std::move(*moved));
  }
  Checked made = tuple_of(all);
  made.span = value->span;
  return made;
}

// A function that names every extent and layout is checked where it is defined.
void Calls::check_definition(const Function& function) {
  const frontend::Fn& fn = function.definition();
  if (fn.chosen.has_value()) return;  // what is chosen follows from the layouts of a call's arguments
  // Without a mesh, axes are those of the mesh in force at the call.
  const bool axes_known = elaborator_.environment().has_mesh(function.moment) || !names_axes(*function.ast, fn);
  if (!names_everything(*function.ast, fn) || !axes_known) return;
  Frame frame{function.ast, function.moment, {}, &function, {}, false, 0, {}, function.file};
  std::vector<WrittenType> types;
  {
    const FrameSwap swap(elaborator_, &frame);
    for (const frontend::Parameter& parameter : array_parameters(*function.ast, fn)) {
      auto written = elaborator_.types().written_type(*function.ast, parameter.type);
      if (!written.has_value() || !elaborator_.made(*written).has_value()) return;
      types.push_back(std::move(*written));
    }
  }
  const auto use = instance_of(function, types, function.span);
  if (use.has_value()) elaborator_.emit(function.span, {}, open::Definition{use->instance, function.span});
}

}  // namespace tessera::typeck
