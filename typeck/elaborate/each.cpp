// `each(f, p, g)`: a function of arrays is called for the fields of records in turn.
#include <fmt/format.h>

#include <algorithm>

#include "typeck/elaborate/records.hpp"
#include "typeck/elaborate/table.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

namespace {

void report_wrong(Elaborator& elaborator, Span span, const std::string& what, const std::string& help) {
  elaborator.report(base::make(Kind::wrong_arguments, std::string("each"), what).at(span).suggest(help));
}

// The function that the first argument names.
const Function* called_function(Elaborator& elaborator, const frontend::Call& call) {
  const auto* id = call.arguments.empty() ? nullptr : std::get_if<ExprId>(&call.arguments.front().value);
  const auto* name = id == nullptr ? nullptr : std::get_if<frontend::NameRef>(&elaborator.ast()[*id].node);
  if (name == nullptr) {
    const Span at = call.arguments.empty() ? call.callee.span : call.arguments.front().span;
    report_wrong(elaborator, at, "the first argument is the name of a function", "write `each(f, p)`");
    return nullptr;
  }
  const Span at = elaborator.ast()[*id].span;
  if (find_operation(name->name) != nullptr) {
    report_wrong(elaborator, at, fmt::format("`{}` is an operation, and no function of the program", name->name),
                 fmt::format("write a function around it, as in `fn f(a: f32[..]?) = {}(a)`", name->name));
    return nullptr;
  }
  return elaborator.calls().callable({name->name, at});
}

// The arguments behind the function's name; those that are records with the fields of the first one, in its order.
std::optional<std::vector<Checked>> arguments_of(Elaborator& elaborator, const frontend::Call& call) {
  std::vector<Checked> all;
  std::optional<std::size_t> first;
  for (std::size_t k = 1; k < call.arguments.size(); ++k) {
    const auto* const id = std::get_if<ExprId>(&call.arguments[k].value);
    if (id == nullptr || call.arguments[k].name.has_value()) {
      report_wrong(elaborator, call.arguments[k].span, "its arguments are values without names",
                   "write `each(f, p, g)`");
      return std::nullopt;
    }
    MaybeValue value = check_value(elaborator, *id);
    if (value.has_value() && value->is_record() && first.has_value())
      value = in_order(elaborator, *value, all[*first].items.front(), "the first record of `each`", all[*first].span);
    if (!value.has_value()) return std::nullopt;
    if (value->is_record() && !first.has_value()) first = all.size();
    all.push_back(std::move(*value));
  }
  if (first.has_value()) return all;
  report_wrong(elaborator, call.callee.span, "none of its arguments is a record",
               "call the function itself, as in `f(a)`");
  return std::nullopt;
}

bool takes_arrays(Elaborator& elaborator, const Function& function, std::size_t given, Span span) {
  const frontend::Fn& fn = function.definition();
  const auto wrong = [&](const std::string& what) {
    elaborator.report(
        base::make(Kind::wrong_arguments, fn.name.text, what).at(span).also(function.span, "defined here"));
    return false;
  };
  if (fn.parameters.size() != given)
    return wrong(fmt::format("takes {} argument{}, and `each` gives it {}", fn.parameters.size(),
                             fn.parameters.size() == 1 ? "" : "s", given));
  for (const frontend::Parameter& parameter : fn.parameters) {
    if (is_record(*function.ast, parameter.type))
      return wrong(fmt::format("`{}` is a record, and `each` gives the fields of records", parameter.name.text));
  }
  return true;
}

}  // namespace

MaybeValue check_each(Elaborator& elaborator, ExprId id, const frontend::Call& call) {
  const Span span = elaborator.ast()[id].span;
  const Function* const function = called_function(elaborator, call);
  if (function == nullptr) return std::nullopt;
  const auto arguments = arguments_of(elaborator, call);
  if (!arguments.has_value() || !takes_arrays(elaborator, *function, arguments->size(), span)) return std::nullopt;
  const auto record = std::ranges::find_if(*arguments, [](const Checked& one) { return one.is_record(); });
  const Fields& fields = record->items.front();
  std::vector<std::vector<Checked>> given_arrays;
  for (const Checked& argument : *arguments) given_arrays.push_back(arrays_of(argument));
  std::vector<Checked> results;
  for (std::size_t field = 0; field < fields.size(); ++field) {
    std::vector<Checked> own;
    for (std::size_t k = 0; k < arguments->size(); ++k)
      own.push_back(given_arrays[k][(*arguments)[k].is_record() ? field : 0]);
    const MaybeValue given = elaborator.calls().call_with(span, *function, std::move(own));
    if (!given.has_value()) return std::nullopt;
    const std::vector<Checked> values = elaborator.parts(*given);
    if (results.empty()) results.resize(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (!values[k].is_array()) {
        report_record(elaborator, values[k], span);
        return std::nullopt;
      }
      results[k].nodes.push_back(values[k].node());
    }
  }
  for (Checked& result : results) result.items = {fields};
  return results.size() == 1 ? results.front() : tuple_of(results);
}

}  // namespace tessera::typeck
