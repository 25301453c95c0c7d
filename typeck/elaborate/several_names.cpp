#include "typeck/elaborate/several_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tessera::typeck {

namespace {

bool is_of_floats(frontend::ElementKeyword element) {
  switch (element) {
    case frontend::ElementKeyword::bool_:
    case frontend::ElementKeyword::i32:
    case frontend::ElementKeyword::i64:
    case frontend::ElementKeyword::i8:
    case frontend::ElementKeyword::u8:
    case frontend::ElementKeyword::i16:
    case frontend::ElementKeyword::u16:
    case frontend::ElementKeyword::u32:
    case frontend::ElementKeyword::c64:
    case frontend::ElementKeyword::c128: return false;
    case frontend::ElementKeyword::f32:
    case frontend::ElementKeyword::f64:
    case frontend::ElementKeyword::bf16:
    case frontend::ElementKeyword::f16: return true;
  }
  return false;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The letters before a parameter's name in the name of its gradient, if one was written so: `d` in `dw`.
std::string prefix_of(const std::vector<std::string>& written, std::size_t results,
                      const std::vector<std::string>& parameters) {
  for (std::size_t k = results; k < written.size() && k - results < parameters.size(); ++k) {
    const std::string& parameter = parameters[k - results];
    if (written[k].size() > parameter.size() && written[k].ends_with(parameter))
      return written[k].substr(0, written[k].size() - parameter.size());
  }
  return "g";
}

// `value` of a gradient's function, else the first letter that is free.
std::string free_name(const std::vector<std::string>& taken, bool of_gradient) {
  if (of_gradient && taken.empty()) return "value";
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    if (!has(taken, std::string(1, letter))) return std::string(1, letter);
  }
  return fmt::format("v{}", taken.size());
}

}  // namespace

std::vector<std::string> differentiated_by(const frontend::Gradient& gradient, const frontend::Ast& ast,
                                           const frontend::Fn& function) {
  std::vector<std::string> names;
  if (gradient.wrt.has_value()) {
    for (const frontend::Name& name : *gradient.wrt) names.push_back(name.text);
    return names;
  }
  for (const frontend::Parameter& parameter : function.parameters) {
    const auto element = ast[parameter.type].element;
    if (element.has_value() && is_of_floats(*element)) names.push_back(parameter.name.text);
  }
  return names;
}

std::vector<std::string> names_for(std::size_t values, const std::vector<std::string>& written,
                                   const std::vector<std::string>& parameters) {
  const std::size_t results = values - std::min(values, parameters.size());
  std::vector<std::string> names(written.begin(),
                                 written.begin() + static_cast<std::ptrdiff_t>(std::min(results, written.size())));
  while (names.size() < results) names.push_back(free_name(names, !parameters.empty()));
  const std::string prefix = prefix_of(written, results, parameters);
  for (std::size_t k = 0; names.size() < values; ++k) {
    std::string name = prefix + parameters[k];
    while (has(names, name)) name.insert(0, prefix);
    names.push_back(std::move(name));
  }
  return names;
}

std::string let_of(const std::vector<std::string>& names, std::string_view expression) {
  constexpr std::size_t kExpressionMax = 40;
  constexpr std::size_t kNamesMax = 6;
  std::vector<std::string> shown(names.begin(),
                                 names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kNamesMax)));
  if (names.size() > kNamesMax) shown.emplace_back("...");
  const bool is_short = expression.size() <= kExpressionMax && expression.find('\n') == std::string_view::npos;
  const std::string list = fmt::format("{}", fmt::join(shown, ", "));
  return fmt::format("let {} = {}", names.size() == 1 ? list : "(" + list + ")", is_short ? expression : "...");
}

}  // namespace tessera::typeck
