// Calls of the program's own functions. A function is checked once per distinct list of argument types; its extents are
// bound by the arguments.
#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "frontend/foreign.hpp"
#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/table.hpp"

namespace tessera::typeck {

namespace {

constexpr std::size_t kCallDepthMax = 100;

// Swaps the frame for the time of one function body or type.
class FrameSwap {
 public:
  FrameSwap(Frame*& current, Frame* next) : current_(current), outer_(std::exchange(current, next)) {}
  ~FrameSwap() { current_ = outer_; }
  FrameSwap(const FrameSwap&) = delete;
  FrameSwap& operator=(const FrameSwap&) = delete;

 private:
  Frame*& current_;
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
  return std::all_of(fn.parameters.begin(), fn.parameters.end(), [&](const frontend::Parameter& parameter) {
    const frontend::TypeExpr& type = ast[parameter.type];
    return !type.any_layout &&
           std::all_of(type.dimensions.begin(), type.dimensions.end(),
                       [&](const frontend::Dimension& dimension) { return extent_name(ast, dimension) == nullptr; });
  });
}

bool names_axes(const Ast& ast, const frontend::Fn& fn) {
  return std::any_of(fn.parameters.begin(), fn.parameters.end(), [&](const frontend::Parameter& parameter) {
    const auto& dimensions = ast[parameter.type].dimensions;
    return std::any_of(dimensions.begin(), dimensions.end(),
                       [](const auto& dimension) { return !dimension.axes.empty(); });
  });
}

std::string function_key(const Function& function, const synth::Mesh& mesh) {
  return fmt::format("{}#{}#{}", function.definition().name.text, function.moment, synth::print(mesh));
}

}  // namespace

MaybeValue Elaborator::check_call(ExprId id, const frontend::Call& call, const Preference& want) {
  if (const OperationInfo* operation = find_operation(call.callee.text)) {
    return call_operation(*this, *operation, ast()[id].span, call, want);
  }
  const Function* const function = callable(call.callee);
  return function == nullptr ? std::nullopt : call_function(id, call, *function);
}

// The function that a name means here.
const Function* Elaborator::callable(const frontend::Name& callee) {
  const Moment moment = frame_->top_level ? environment_.now() : frame_->moment;
  const bool calls_itself = std::any_of(calls_.begin(), calls_.end(), [&](const Function* function) {
    return function == frame_->function && function->definition().name.text == callee.text;
  });
  if (calls_itself) {
    report(base::make(Kind::recursion, callee.text).at(callee.span).suggest("use `loop`"));
    return nullptr;
  }
  const Function* const function = environment_.function(callee.text, moment);
  if (function == nullptr) report_unknown_function(callee, moment);
  return function;
}

void Elaborator::report_unknown_name(const std::string& name, Span span) {
  const Moment moment = frame_->top_level ? environment_.now() : frame_->moment;
  std::vector<std::string> names = environment_.variable_names(moment);
  for (const Local& bound : frame_->locals) names.push_back(bound.name);
  names.insert(names.end(), {"true", "false"});
  names.insert(names.end(), poisoned_.begin(), poisoned_.end());
  std::string help;
  if (const auto foreign = frontend::help_for_constant(name)) {
    help = *foreign;
  } else if (environment_.default_mesh(moment)->find(name).has_value()) {
    help = fmt::format("`{0}` is an axis of the mesh: it stands in a type, as in `a as [8@{0}, 4]`", name);
  } else if (environment_.mesh(name, moment) != nullptr) {
    help = fmt::format("`{0}` is a mesh: it stands in a type, as in `f32[8] on {0}`", name);
  } else if (const OperationInfo* operation = find_operation(name)) {
    help = fmt::format("it is an operation: write `{}`", example_call(*operation));
  } else if (const auto near = base::nearest(name, names)) {
    help = fmt::format("did you mean `{}`?", *near);
  } else if (environment_.function(name, moment) != nullptr) {
    help = fmt::format("`{}` is a function: call it with its arguments", name);
  } else if (name == "_") {
    help = "it is the last value that a session has shown; there is none yet";
  }
  report(base::make(Kind::unknown_name, name).at(span).suggest(std::move(help)));
}

// Is there a function of that name at the top level of this text?
bool Elaborator::declares_later(std::string_view name) const {
  return std::any_of(ast().program.begin(), ast().program.end(), [&](frontend::StatementId id) {
    const auto* function = std::get_if<frontend::Fn>(&ast()[id].node);
    return function != nullptr && function->name.text == name;
  });
}

void Elaborator::report_unknown_function(const frontend::Name& callee, Moment moment) {
  if (poisoned_.contains(callee.text)) return;
  std::vector<std::string> names = environment_.function_names(moment);
  for (std::string& operation : operation_names()) names.push_back(std::move(operation));
  std::string help;
  if (declares_later(callee.text)) {
    help = "it is declared further below: a function stands before its use";
  } else if (const auto foreign = frontend::help_for_function(callee.text)) {
    help = *foreign;
  } else if (const auto near = base::nearest(callee.text, names)) {
    help = fmt::format("did you mean `{}`?", *near);
  } else if (environment_.variable(callee.text, moment) != nullptr) {
    help = fmt::format("`{}` is an array: index it with brackets", callee.text);
  }
  report(base::make(Kind::unknown_function, callee.text).at(callee.span).suggest(std::move(help)));
}

// The arguments of a call in the order of the parameters, checked with what each parameter wants.
std::optional<std::vector<Checked>> Elaborator::arguments_for(const frontend::Call& call, const Function& function) {
  const frontend::Fn& fn = function.definition();
  const auto wrong = [&](Span span, const std::string& what) {
    report(base::make(Kind::wrong_arguments, fn.name.text, what).at(span).also(function.span, "defined here"));
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
    bound[at] = check_array_as(*expr, *function.ast, fn.parameters[at].type);
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
    if (value) all.push_back(std::move(*value));
  }
  return all;
}

// Binds the extent names of one parameter's type by the argument's shape, as constants of the current frame.
bool Elaborator::bind_extents(const frontend::Parameter& parameter, const open::Type& argument,
                              const std::string& argument_text, Span call_span,
                              std::map<std::string, std::string>& bound_by) {
  const Ast& tree = ast();
  const frontend::TypeExpr& written = tree[parameter.type];
  if (written.dimensions.size() != argument.rank()) {
    report(base::make(Kind::argument_mismatch, parameter.name.text, frame_->function->definition().name.text,
                      argument_text, fmt::format("an array of rank {}", written.dimensions.size()))
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
      frame_->locals.push_back({*name, scalar(span, argument.shape()[d], ElementType::i64, default_mesh())});
      continue;
    }
    const Checked* before = local(*name, poisoned);
    if (before != nullptr && known_integer(*before) == argument.shape()[d]) continue;
    report(base::make(Kind::extent_bound_twice, *name, before != nullptr ? known_integer(*before).value_or(0) : 0,
                      by->second, argument.shape()[d], parameter.name.text)
               .at(call_span)
               .also(written.dimensions[d].span, "here"));
    return false;
  }
  return true;
}

// Reads a parameter's type for this argument; the frame holds the extents.
std::optional<WrittenType> Elaborator::parameter_type(const frontend::Parameter& parameter, const open::Type& argument,
                                                      const std::string& argument_text, Span call_span) {
  auto written = written_type(ast(), parameter.type);
  if (!written.has_value()) return std::nullopt;
  const bool element_fits = !written->element.has_value() || *written->element == argument.element();
  if (!element_fits || written->shape != argument.shape()) {
    const std::string wanted =
        fmt::format("{}{}", synth::name(written->element.value_or(argument.element())), print_shape(written->shape));
    report(base::make(Kind::argument_mismatch, parameter.name.text, frame_->function->definition().name.text,
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
std::optional<std::vector<WrittenType>> Elaborator::parameter_types(const Function& function,
                                                                    const std::vector<Checked>& arguments) {
  Frame frame{function.ast, function.moment, {}, &function, {}, false};
  const FrameSwap swap(frame_, &frame);
  open::Region scratch;
  return in_region(scratch, [&]() -> std::optional<std::vector<WrittenType>> {
    std::map<std::string, std::string> bound_by;
    const auto& parameters = function.definition().parameters;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const open::Type own = type(arguments[k]);
      if (!bind_extents(parameters[k], own, text(arguments[k]), arguments[k].span, bound_by)) return std::nullopt;
    }
    std::vector<WrittenType> types;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      auto own = parameter_type(parameters[k], type(arguments[k]), text(arguments[k]), arguments[k].span);
      if (!own.has_value()) return std::nullopt;
      types.push_back(std::move(*own));
    }
    return types;
  });
}

MaybeValue Elaborator::call_function(ExprId id, const frontend::Call& call, const Function& function) {
  const Span span = ast()[id].span;
  auto bound = bind_call(span, call, function);
  if (!bound.has_value()) return std::nullopt;
  const bool is_complete = bound->use.is_complete;
  const ValueId node = emit(span, bound->use.results, open::Call{bound->use.instance, std::move(bound->arguments)});
  program_.nodes[node].is_complete = is_complete;
  return is_complete ? MaybeValue(elements_of(node, span)) : std::nullopt;
}

std::optional<Elaborator::BoundCall> Elaborator::bind_call(Span span, const frontend::Call& call,
                                                           const Function& function) {
  auto arguments = arguments_for(call, function);
  if (!arguments.has_value()) return std::nullopt;
  const auto wanted = parameter_types(function, *arguments);
  if (!wanted.has_value()) return std::nullopt;
  for (std::size_t k = 0; k < arguments->size(); ++k) {
    Checked& argument = (*arguments)[k];
    if (type(argument).mesh() == *(*wanted)[k].mesh) continue;
    if (MaybeValue again = again_on(argument, (*wanted)[k].mesh)) argument = std::move(*again);
  }
  auto instance = instance_of(function, *wanted, span);
  if (!instance.has_value()) return std::nullopt;
  return BoundCall{std::move(*instance), uses(*arguments)};
}

std::optional<Elaborator::InstanceUse> Elaborator::instance_of(const Function& function,
                                                               const std::vector<WrittenType>& written,
                                                               Span call_span) {
  std::vector<open::Type> types;
  for (const WrittenType& one : written) types.push_back(one.type());
  auto& known = instances_[function_key(function, *default_mesh())];
  const auto too_deep = [&] {
    report(base::make(Kind::call_too_deep, kCallDepthMax).at(call_span));
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
  const std::size_t reports = messages_.size();
  calls_.push_back(&function);
  heights_.push_back(0);
  const std::size_t outer_local = std::exchange(local_depth_, 0);
  InstanceUse use = make_instance(function, written, call_span);
  local_depth_ = outer_local;
  calls_.pop_back();
  use.height = heights_.back() + 1;
  heights_.pop_back();
  if (!heights_.empty()) heights_.back() = std::max(heights_.back(), use.height);
  if (call_span != function.span) messages_.label_calls(reports, call_span);
  instances_[function_key(function, *default_mesh())].emplace_back(types, use);
  return use;
}

Elaborator::InstanceUse Elaborator::make_instance(const Function& function, const std::vector<WrittenType>& types,
                                                  Span call_span) {
  const frontend::Fn& fn = function.definition();
  Frame frame{function.ast, function.moment, {}, &function, {}, false};
  open::Instance instance;
  instance.ast = function.ast;
  instance.name = fn.name.text;
  instance.name_span = fn.name.span;
  instance.defined_at = function.span;
  MaybeValue result;
  {
    const FrameSwap swap(frame_, &frame);
    result = in_region(instance.body, [&]() -> MaybeValue {
      std::map<std::string, std::string> bound_by;
      for (std::size_t k = 0; k < types.size(); ++k) {
        const open::Type own = types[k].type();
        if (!bind_extents(fn.parameters[k], own, text(own), call_span, bound_by)) return std::nullopt;
        const Span at = fn.parameters[k].name.span;
        const ValueId value = parameter(at, own);
        instance.parameters.push_back({value, fn.parameters[k].name.text, {}, types[k].span});
        if (!types[k].any_layout) instance.parameters.back().layout = types[k].layout;
        frame.locals.push_back({fn.parameters[k].name.text, with_affine(Checked{{value}, at, {}, {}, {}})});
      }
      return function_result(fn);
    });
  }
  InstanceUse use;
  use.is_complete = result.has_value();
  instance.is_complete = use.is_complete;
  if (result.has_value()) {
    instance.body.results = results_of(*result);
    for (const ValueId node : result->nodes) use.results.push_back(type(node));
  }
  instance.lets = std::move(frame.lets);
  use.instance = program_.instances.add(std::move(instance));
  return use;
}

// The body's value, brought to the declared results.
MaybeValue Elaborator::function_result(const frontend::Fn& fn) {
  const std::size_t before = begun();
  MaybeValue value = check_block(fn.body, fn.results.size() == 1 ? want_of(ast(), fn.results[0]) : Preference{}, true);
  if (fn.results.size() == 1) wish(value, ast()[fn.body].result, before, wish_of(ast(), fn.results[0]));
  if (!value.has_value() || fn.results.empty()) return value;
  if (value->nodes.size() != fn.results.size()) {
    report(base::make(Kind::result_count, fn.name.text, fn.results.size(), value->nodes.size())
               .at(value->span)
               .also(fn.name.span, "declared here"));
    return std::nullopt;
  }
  Checked all{{}, value->span, {}, {}, {}};
  for (std::size_t k = 0; k < fn.results.size(); ++k) {
    const auto written = written_type(ast(), fn.results[k]);
    if (!written.has_value()) return std::nullopt;
    Checked part = *value;
    part.nodes = {value->nodes[k]};
    const MaybeValue moved = annotated(part, *written, fmt::format("the result of `{}`", fn.name.text), value->span);
    if (!moved.has_value()) return std::nullopt;
    all.nodes.push_back(moved->node());
  }
  return all;
}

// A function that names every extent and layout is checked where it is defined.
void Elaborator::check_definition(const Function& function) {
  const frontend::Fn& fn = function.definition();
  // Without a mesh, axes are those of the mesh in force at the call.
  const bool axes_known = environment_.has_mesh(function.moment) || !names_axes(*function.ast, fn);
  if (!names_everything(*function.ast, fn) || !axes_known) return;
  Frame frame{function.ast, function.moment, {}, &function, {}, false};
  std::vector<WrittenType> types;
  {
    const FrameSwap swap(frame_, &frame);
    for (const frontend::Parameter& parameter : fn.parameters) {
      auto written = written_type(*function.ast, parameter.type);
      if (!written.has_value() || !made(*written).has_value()) return;
      types.push_back(std::move(*written));
    }
  }
  const auto use = instance_of(function, types, function.span);
  if (use.has_value()) emit(function.span, {}, open::Definition{use->instance, function.span});
}

}  // namespace tessera::typeck
