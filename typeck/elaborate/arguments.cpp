// Arguments of operations: which parameter each fills, and reading them.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/foreign.hpp"
#include "typeck/elaborate/derived.hpp"

namespace tessera::typeck {

namespace {

// An array in place of a type, which it says: the last parameter of constructors.
constexpr std::string_view kLike = "like";

// Gives an example of what to pass for a parameter.
std::string example_argument(const ParameterInfo& parameter) {
  if (!parameter.example.empty()) return std::string(parameter.example);
  switch (parameter.kind) {
    case ArgumentKind::array:
    case ArgumentKind::text: break;
    case ArgumentKind::arrays: return "[a, b]";
    case ArgumentKind::type: return "f32[8]";
    case ArgumentKind::dim:
    case ArgumentKind::dims: return "0";
    case ArgumentKind::integers: return "[2, 4]";
    case ArgumentKind::integer: return "8";
    case ArgumentKind::flag: return "true";
    case ArgumentKind::axes: return "x";
    case ArgumentKind::rest: return "a, b";
  }
  return std::string(parameter.name);
}

}  // namespace

std::string example_call(const OperationInfo& operation, const std::vector<std::optional<std::string>>& given) {
  std::vector<std::string> arguments;
  for (std::size_t k = 0; k < operation.parameters.size(); ++k) {
    const ParameterInfo& parameter = operation.parameters[k];
    const bool is_given = k < given.size() && given[k].has_value();
    // The second array of `max`, the value of `pad`, the name of `load`: these calls are mostly written without.
    const bool is_rare = parameter.kind == ArgumentKind::text || !parameter.named_only;
    const bool may_be_left_out = parameter.kind == ArgumentKind::array || parameter.kind == ArgumentKind::text;
    if (!is_given && may_be_left_out && is_rare && !parameter.required) continue;
    // What is rarely given: a mask of a reduction, `keep=true`, `ddof=1`, another diagonal, the dimension of `iota`.
    const bool is_option = parameter.kind == ArgumentKind::flag || parameter.kind == ArgumentKind::integer ||
                           parameter.kind == ArgumentKind::dim || parameter.name == "where" || parameter.name == kLike;
    if (!is_given && !parameter.required && is_option) continue;
    // The type is that of another array.
    const bool is_told = operation.parameters.back().name == kLike && k < given.size() && given.back().has_value();
    if (is_told && parameter.kind == ArgumentKind::type) continue;
    const std::string name = parameter.named_only ? fmt::format("{}=", parameter.name) : "";
    arguments.push_back(name + (is_given ? *given[k] : example_argument(parameter)));
  }
  return fmt::format("{}({})", operation.name, fmt::join(arguments, ", "));
}

namespace {

constexpr std::size_t kLettersMax = 24;  // of an argument that an example repeats

// By its own name, or by NumPy's, or by that which it has where there is one dimension.
bool is_called(const ParameterInfo& parameter, std::string_view name) {
  if (parameter.name == name) return true;
  if (name == "axis") return parameter.name == "dim" || parameter.name == "dims";
  return name == "dim" && parameter.name == "dims";
}

// Says what to write for arguments that NumPy's functions have.
std::string help_for_argument(std::string_view name, const OperationInfo& info, const std::string& example) {
  if (name == "keepdims" || name == "keepdim")
    return fmt::format("it is called `keep` here: `{}, keep=true)`", example.substr(0, example.find(')')));
  if (name == "dtype") return fmt::format("convert the operand: `{}(f64(a))`", info.name);
  if (name == "descending" && info.name == "sort")
    return fmt::format("turn it round: `reverse({}{}`", example, example.substr(example.rfind(", ")));
  for (const ParameterInfo& parameter : info.parameters) {
    if (is_called(parameter, name)) return fmt::format("it is called `{}` here: `{}`", parameter.name, example);
  }
  return fmt::format("write it as in `{}`", example);
}

}  // namespace

bool OperationCall::refuse_unknown(const frontend::Argument& argument) {
  const std::string what = fmt::format("there is no argument named `{}`", argument.name->text);
  elaborator.report(base::make(Kind::wrong_arguments, info.name, what)
                        .at(argument.span)
                        .suggest(help_for_argument(argument.name->text, info, own_example(std::nullopt))));
  return false;
}

bool OperationCall::wrong(Span at, const std::string& what) {
  const auto transposition = transposition_meant();
  std::string help = transposition.has_value()
                         ? fmt::format("for dimensions in another order write `{}`", *transposition)
                         : fmt::format("write it as in `{}`", own_example(at));
  elaborator.report(base::make(Kind::wrong_arguments, info.name, what).at(at).suggest(std::move(help)));
  return false;
}

// An argument as it was written, if it is short and not the one at fault.
std::optional<std::string> OperationCall::as_written(const frontend::Argument& argument,
                                                     std::optional<Span> at_fault) const {
  const auto value_span = [&](const auto& value) { return elaborator.ast()[value].span; };
  const Span own = std::visit(value_span, argument.value);
  const bool is_wrong = at_fault.has_value() && (*at_fault == own || *at_fault == argument.span);
  std::string text = elaborator.text(own);
  if (is_wrong || text.empty() || text.size() > kLettersMax || text.find('\n') != std::string::npos)
    return std::nullopt;
  return text;
}

// Is the first argument of the kind that is wanted, where that is a list of arrays or the text of an einsum? Otherwise
// the arguments after it do not fit an example.
bool OperationCall::begins_well() const {
  const ArgumentKind kind = info.parameters.front().kind;
  const bool is_einsum = kind == ArgumentKind::text && info.parameters.back().kind == ArgumentKind::rest;
  if (kind != ArgumentKind::arrays && !is_einsum) return true;
  if (call_->arguments.empty()) return true;
  const auto* expr = std::get_if<ExprId>(&call_->arguments.front().value);
  if (expr == nullptr) return false;
  const auto& node = elaborator.ast()[*expr].node;
  return kind == ArgumentKind::arrays ? std::holds_alternative<frontend::ListLiteral>(node)
                                      : std::holds_alternative<frontend::StringLiteral>(node);
}

namespace {

// `f32[3, 4]` for the extents in `3, 4` or `[3, 4]`, which stand where the type should; nothing if these are none.
std::optional<std::string> type_of_extents(std::string_view element, std::string written) {
  std::erase(written, ' ');
  for (const std::string_view subscript : {"][", "](", ")[", ")("}) {
    if (written.find(subscript) != std::string::npos) return std::nullopt;
  }
  std::erase_if(written, [](char c) { return c == '[' || c == ']' || c == '(' || c == ')'; });
  if (written.empty() || written.find_first_not_of("0123456789,") != std::string::npos || written.ends_with(','))
    return std::nullopt;
  std::string extents;
  for (const char c : written) extents += c == ',' ? std::string(", ") : std::string(1, c);
  return fmt::format("{}[{}]", element, extents);
}

}  // namespace

// `zeros(3, 4)`, `ones([3, 4])`, `zeros(f32, [3, 4])`: the type that was meant, where the call begins with one.
std::optional<std::string> OperationCall::type_meant() const {
  if (info.parameters.empty() || info.parameters.front().kind != ArgumentKind::type || call_->arguments.empty())
    return std::nullopt;
  const auto text_of = [&](const frontend::Argument& argument) {
    return std::visit([&](const auto& value) { return elaborator.text(elaborator.ast()[value].span); }, argument.value);
  };
  const bool is_type = std::holds_alternative<TypeId>(call_->arguments.front().value);
  const bool has_more = call_->arguments.size() > most();
  const std::string first = text_of(call_->arguments.front());
  if (is_type && (!has_more || first.find('[') != std::string::npos)) return std::nullopt;
  std::string extents = is_type ? "" : first;
  for (std::size_t k = 1; k < call_->arguments.size() && has_more; ++k)
    extents += (extents.empty() ? "" : ",") + text_of(call_->arguments[k]);
  // `eye(4)`: the type of a matrix has two extents.
  const bool is_square = info.name == "eye" && extents.find(',') == std::string::npos;
  if (is_square) extents += "," + extents;
  return type_of_extents(is_type ? first : "f32", std::move(extents));
}

// `linspace(0.0, 1.0, 5)`: the ends come first and the number of values last in other libraries.
std::optional<std::string> OperationCall::spacing_meant() const {
  if (info.name != "linspace" || call_ == nullptr || call_->arguments.size() != 3) return std::nullopt;
  std::vector<std::string> texts;
  for (const frontend::Argument& argument : call_->arguments) {
    if (!std::holds_alternative<ExprId>(argument.value)) return std::nullopt;
    texts.push_back(elaborator.text(elaborator.ast()[std::get<ExprId>(argument.value)].span));
  }
  const auto type = type_of_extents("f32", texts[2]);
  if (!type.has_value() || texts[0].size() + texts[1].size() > kLettersMax) return std::nullopt;
  return fmt::format("linspace({}, {}, {})", *type, texts[0], texts[1]);
}

// `permute(a, 1, 0)`, `permute(a, [1, 0])`: the transposition that other libraries write so.
std::optional<std::string> OperationCall::transposition_meant() const {
  if (info.name != "permute" || call_ == nullptr || call_->arguments.size() < 2) return std::nullopt;
  std::vector<ExprId> items;
  for (std::size_t k = 1; k < call_->arguments.size(); ++k) {
    const auto* expr = std::get_if<ExprId>(&call_->arguments[k].value);
    if (expr == nullptr) return std::nullopt;
    items.push_back(*expr);
  }
  if (items.size() == 1) {
    const auto& node = elaborator.ast()[items.front()].node;
    if (const auto* list = std::get_if<frontend::ListLiteral>(&node)) items = list->items;
    if (const auto* tuple = std::get_if<frontend::Tuple>(&node)) items = tuple->items;
  }
  std::vector<std::string> dims;
  for (const ExprId item : items) dims.push_back(elaborator.text(elaborator.ast()[item].span));
  std::vector<std::string> wanted;
  for (std::size_t d = 0; d < dims.size(); ++d) wanted.push_back(fmt::format("{}", d));
  if (dims.size() < 2 || !std::is_permutation(dims.begin(), dims.end(), wanted.begin())) return std::nullopt;
  const std::string operand = as_written(call_->arguments.front(), std::nullopt).value_or("a");
  return fmt::format("transpose({}, [{}])", operand, fmt::join(dims, ", "));
}

// How the call may look, with the arguments that were written: `topk(a, 2, 0)` for `topk(a, 2)`. Extents that were
// written one by one become a list.
std::string OperationCall::own_example(std::optional<Span> at_fault) const {
  if (call_ == nullptr || (!info.parameters.empty() && !begins_well())) return example_call(info);
  if (auto spacing = spacing_meant()) return *std::move(spacing);
  std::vector<std::optional<std::string>> given(info.parameters.size());
  std::vector<std::string> surplus;
  std::size_t next = is_like() ? 1 : 0;
  for (const frontend::Argument& argument : call_->arguments) {
    std::size_t at = next;
    if (argument.name.has_value()) {
      at = 0;
      while (at < given.size() && !is_called(info.parameters[at], argument.name->text)) ++at;
    } else {
      ++next;
    }
    const bool is_surplus = at >= given.size();
    auto written = as_written(argument, is_surplus ? std::nullopt : at_fault);
    // `concat(a, b)`: an array in the place of a dimension is not an example of one.
    const bool is_dim = !is_surplus && info.parameters[at].kind == ArgumentKind::dim;
    const bool has_digit = written.has_value() && written->find_first_of("0123456789") != std::string::npos;
    if (is_dim && !has_digit) written.reset();
    // `all_to_all(a, 0, 1)`: without its axes the numbers stand in the wrong places.
    const bool is_axes = !is_surplus && info.parameters[at].kind == ArgumentKind::axes;
    if (is_axes && has_digit && written->find_first_of("0123456789") == 0) break;
    if (is_surplus && !argument.name.has_value() && written.has_value()) surplus.push_back(std::move(*written));
    if (!is_surplus) given[at] = std::move(written);
  }
  if (auto type = type_meant()) given.front() = std::move(type);
  for (std::size_t k = 0; k < given.size() && meant_type_.has_value(); ++k) {
    if (info.parameters[k].kind == ArgumentKind::type) given[k] = meant_type_;
  }
  const bool has_list = !surplus.empty() && info.parameters.back().kind == ArgumentKind::integers;
  if (has_list && given.back().has_value())
    given.back() = fmt::format("[{}, {}]", *given.back(), fmt::join(surplus, ", "));
  return example_call(info, given);
}

// `sum(a, 1)`: what was probably meant.
bool OperationCall::refuse_unnamed(const frontend::Argument& argument, std::size_t at) {
  const std::string_view name = info.parameters[at].name;
  const auto shown = [&](const frontend::Argument* written, std::string_view otherwise) {
    const std::string own = written == nullptr ? "" : elaborator.text(written->span);
    return own.empty() || own.size() > kLettersMax ? std::string(otherwise) : own;
  };
  // A mask is no dimension.
  const std::string written = elaborator.text(argument.span);
  const bool is_bool = written == "true" || written == "false" || written.find_first_of("<>=!&|") != std::string::npos;
  const std::string example = example_argument(info.parameters[at]);
  std::string required = shown(bound_.front(), "a");
  for (std::size_t k = 1; k < at && info.parameters[k].required; ++k)
    required += ", " + shown(bound_[k], info.parameters[k].name);
  const bool is_third = info.run == run_min_max && !is_bool && name == "dim" && bound_[1] != nullptr;
  elaborator.report(base::make(Kind::wrong_arguments, info.name, fmt::format("`{}` must be named: {}=...", name, name))
                        .at(argument.span)
                        .suggest(is_third ? fmt::format("of three arrays write `{0}({0}({1}, {2}), {3})`", info.name,
                                                        required, shown(bound_[1], "b"), shown(&argument, "c"))
                                          : fmt::format("write `{}({}, {}={})`", info.name, required, name,
                                                        is_bool ? example : shown(&argument, example))));
  return false;
}

bool OperationCall::place(const frontend::Argument& argument, std::size_t& next, std::size_t given) {
  std::size_t at = next;
  if (argument.name.has_value()) {
    const auto named = std::find_if(info.parameters.begin(), info.parameters.end(),
                                    [&](const ParameterInfo& p) { return p.name == argument.name->text; });
    at = static_cast<std::size_t>(named - info.parameters.begin());
    if (at == info.parameters.size()) return refuse_unknown(argument);
  } else if (at < info.parameters.size() && info.parameters[at].kind == ArgumentKind::rest) {
    rest_.push_back(&argument);
    bound_[at] = &argument;
    return true;
  } else {
    if (at < most() && info.parameters[at].named_only) return refuse_unnamed(argument, at);
    ++next;
  }
  const bool is_beyond = at >= info.parameters.size() || (at >= most() && !argument.name.has_value());
  if (is_beyond)
    return wrong(argument.span,
                 fmt::format("takes at most {} argument{}, not {}", most(), most() == 1 ? "" : "s", given));
  if (bound_[at] != nullptr) return wrong(argument.span, fmt::format("`{}` is given twice", info.parameters[at].name));
  bound_[at] = &argument;
  return true;
}

// How many arguments there may be at most; `like` stands for another.
std::size_t OperationCall::most() const {
  const bool has_like = !info.parameters.empty() && info.parameters.back().name == kLike;
  return info.parameters.size() - (has_like ? 1 : 0);
}

// `zeros(like=a)`: the first argument, the type, is that of another array.
bool OperationCall::is_like() const {
  const bool may_be = !info.parameters.empty() && info.parameters.back().name == kLike;
  return may_be && std::ranges::any_of(call_->arguments, [](const frontend::Argument& argument) {
           return argument.name.has_value() && argument.name->text == kLike;
         });
}

bool OperationCall::bind(const frontend::Call& call) {
  call_ = &call;
  std::size_t next = is_like() ? 1 : 0;
  for (const frontend::Argument& argument : call.arguments) {
    if (is_like() && !argument.name.has_value() && std::holds_alternative<TypeId>(argument.value))
      return wrong(argument.span, "`like` says the type, and so does this");
    if (!place(argument, next, call.arguments.size())) return false;
  }
  for (std::size_t k = 0; k < bound_.size(); ++k) {
    const bool is_told = k == 0 && is_like();
    if (bound_[k] == nullptr && info.parameters[k].required && !is_told) {
      return wrong(call.callee.span, fmt::format("the argument `{}` is missing", info.parameters[k].name));
    }
  }
  return kinds_fit();
}

// `zeros(a)` for `zeros(like=a)`.
bool OperationCall::refuse_array(std::size_t at) {
  const MaybeValue array = this->array(at);
  if (!array.has_value()) return false;  // this has been reported
  const std::string what = fmt::format("`{}` is a type, such as f32[8]", info.parameters[at].name);
  if (elaborator.type(*array).rank() == 0) return wrong(bound_[at]->span, what);
  std::vector<std::optional<std::string>> given(info.parameters.size());
  given.back() = elaborator.text(bound_[at]->span);
  elaborator.report(base::make(Kind::wrong_arguments, info.name, what)
                        .at(bound_[at]->span)
                        .suggest(fmt::format("for an array like that one write `{}`", example_call(info, given))));
  return false;
}

// `int[8]`, or `[8, 4@x]` without an element type, which is then that of the array before it.
bool OperationCall::refuse_value_for_type(std::size_t at) {
  const Span span_at = bound_[at]->span;
  const std::string written = elaborator.text(span_at);
  if (const auto* expr = std::get_if<ExprId>(&bound_[at]->value)) {
    const bool is_name = std::holds_alternative<frontend::NameRef>(elaborator.ast()[*expr].node);
    if (is_name && info.parameters.back().name == kLike && written.size() <= kLettersMax) return refuse_array(at);
  }
  const std::size_t shape_at = std::min(written.find('['), written.size());
  const bool is_shape =
      written.size() <= kLettersMax && written.ends_with(']') && written.find('[', shape_at + 1) == std::string::npos;
  std::string element(shape_at == 0 ? "f32" : frontend::element_meant_by(written.substr(0, shape_at)).value_or(""));
  if (is_shape && shape_at == 0 && info.parameters.front().kind == ArgumentKind::array) {
    const MaybeValue operand = array(0);
    if (!operand.has_value()) return false;  // this has been reported
    element = synth::name(elaborator.element(*operand));
  }
  if (is_shape && !element.empty() && !transposition_meant().has_value())
    meant_type_ = element + written.substr(shape_at);
  return wrong(span_at, fmt::format("`{}` is a type, such as {}", info.parameters[at].name,
                                    meant_type_.has_value() ? "`" + *meant_type_ + "`" : "f32[8]"));
}

// Types stand where types are wanted, and only there.
bool OperationCall::kinds_fit() {
  for (std::size_t k = 0; k < bound_.size(); ++k) {
    if (bound_[k] == nullptr) continue;
    const bool is_type = std::holds_alternative<TypeId>(bound_[k]->value);
    const bool wants_type = info.parameters[k].kind == ArgumentKind::type;
    if (is_type == wants_type) continue;
    if (wants_type) return refuse_value_for_type(k);
    elaborator.report(base::make(Kind::type_here, fmt::format("`{}`", info.name)).at(bound_[k]->span));
    return false;
  }
  return true;
}

MaybeValue call_operation(Elaborator& elaborator, const OperationInfo& operation, Span span, const frontend::Call& call,
                          const Preference& want) {
  OperationCall bound(elaborator, operation, span, want);
  if (!bound.bind(call)) return std::nullopt;
  const auto keep = bound.given("keep");
  const auto keeps = keep.has_value() ? bound.flag(*keep) : std::optional<bool>(false);
  if (!keeps.has_value()) return std::nullopt;
  MaybeValue result = operation.run(bound);
  return *keeps ? Formula(bound).with_dimensions(std::move(result), bound.dims_read()) : result;
}

}  // namespace tessera::typeck
