#include "typeck/elaborate/chosen.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/nearest.hpp"
#include "synth/kinds.hpp"
#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/records.hpp"

namespace tessera::typeck {

namespace {

// The parameter of that name.
std::optional<std::size_t> parameter_named(const frontend::Fn& fn, const std::string& name) {
  const auto found = std::ranges::find_if(fn.parameters, [&](const auto& own) { return own.name.text == name; });
  if (found == fn.parameters.end()) return std::nullopt;
  return static_cast<std::size_t>(found - fn.parameters.begin());
}

void report_unknown_parameter(Elaborator& elaborator, const frontend::Fn& fn, const frontend::Name& name) {
  std::vector<std::string> names;
  for (const frontend::Parameter& parameter : fn.parameters) names.push_back(parameter.name.text);
  const auto near = base::nearest(name.text, names);
  std::string help = near.has_value() ? fmt::format("did you mean `{}`?", *near)
                                      : std::string("name a parameter, or leave `as` out: the layout is then chosen");
  elaborator.report(base::make(Kind::auto_as, fn.name.text, name.text, std::string("it has no parameter of that name"))
                        .at(name.span)
                        .also(fn.name.span, "declared here")
                        .suggest(std::move(help)));
}

bool names_layout(const frontend::TypeExpr& type) {
  return type.any_layout || type.pending.has_value() ||
         std::ranges::any_of(type.dimensions, [](const auto& dimension) { return !dimension.axes.empty(); });
}

bool is_outside(Elaborator& elaborator, const frontend::Fn& fn, std::string_view what, Span span) {
  if (fn.chosen.has_value()) return false;
  elaborator.report(base::make(Kind::auto_outside, std::string(what))
                        .at(span)
                        .also(fn.name.span, "this is a plain function")
                        .suggest(fmt::format("write `auto fn {}`", fn.name.text)));
  return true;
}

// The arrays of a parameter or a result: one without a name, or the fields of a record.
struct NamedTypes {
  Fields fields;
  std::vector<open::Type> types;
};

std::size_t arrays_in(const Fields& fields) { return std::max<std::size_t>(1, fields.size()); }

std::string text_of(Elaborator& elaborator, const NamedTypes& all) {
  if (all.fields.empty()) return elaborator.text(all.types.front());
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < all.types.size(); ++k)
    texts.push_back(fmt::format("{}: {}", all.fields[k], elaborator.text(all.types[k])));
  return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

// The arrays among the parameters as which a result's lie, field by field; nothing, after a report, if they differ.
std::optional<std::vector<std::size_t>> parameters_as(Elaborator& elaborator, const frontend::Fn& fn,
                                                      const frontend::Name& name,
                                                      const std::vector<WrittenType>& parameters,
                                                      const NamedTypes& result) {
  NamedTypes lies_as;
  std::unordered_map<std::string, std::size_t> places;
  std::size_t at = 0;
  Span declared;
  for (const frontend::Parameter& parameter : fn.parameters) {
    const Fields fields = names_of(fields_of(elaborator.ast(), parameter.type));
    const std::size_t first = std::exchange(at, at + arrays_in(fields));
    if (parameter.name.text != name.text) continue;
    declared = elaborator.ast()[parameter.type].span;
    lies_as.fields = fields;
    for (std::size_t k = first; k < at; ++k) {
      lies_as.types.push_back(parameters[k].type());
      places.emplace(fields.empty() ? "" : fields[k - first], k);
    }
  }
  TESSERA_CHECK(!lies_as.types.empty(), "a result lies as a parameter that was not looked for");
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < result.types.size(); ++k) {
    const auto place = places.find(result.fields.empty() ? "" : result.fields[k]);
    if (place == places.end()) break;
    const open::Type own = parameters[place->second].type();
    if (own.element() != result.types[k].element() || own.shape() != result.types[k].shape()) break;
    found.push_back(place->second);
  }
  if (found.size() == result.types.size() && found.size() == lies_as.types.size()) return found;
  elaborator.report(
      base::make(Kind::auto_as, fn.name.text, name.text,
                 fmt::format("it is {}, and the result {}", text_of(elaborator, lies_as), text_of(elaborator, result)))
          .at(name.span)
          .also(declared, "declared here"));
  return std::nullopt;
}

}  // namespace

bool says_choice_rightly(Elaborator& elaborator, const frontend::Ast& ast, const frontend::Fn& fn) {
  for (const frontend::Parameter& parameter : array_parameters(ast, fn)) {
    if (!parameter.chosen.has_value()) continue;
    if (is_outside(elaborator, fn, "`auto` behind a parameter's type", *parameter.chosen)) return false;
    if (!names_layout(ast[parameter.type])) continue;
    elaborator.report(base::make(Kind::auto_layout, parameter.name.text)
                          .at(ast[parameter.type].span)
                          .also(*parameter.chosen, "this says that it is chosen")
                          .suggest("leave the axes out, or leave `auto` out"));
    return false;
  }
  for (const std::optional<frontend::Name>& as : fn.results_as) {
    if (!as.has_value()) continue;
    if (is_outside(elaborator, fn, "a result that lies `as` a parameter", as->span)) return false;
    if (parameter_named(fn, as->text).has_value()) continue;
    report_unknown_parameter(elaborator, fn, *as);
    return false;
  }
  return fn.over.empty() || !is_outside(elaborator, fn, "`over`", fn.over.front().span);
}

std::optional<std::vector<std::size_t>> chosen_axes(Elaborator& elaborator, const frontend::Fn& fn,
                                                    const synth::Mesh& mesh) {
  std::vector<std::size_t> axes;
  for (const frontend::Name& name : fn.over) {
    const auto axis = elaborator.types().axis_list({name}, mesh);
    if (!axis.has_value()) return std::nullopt;
    if (std::ranges::find(axes, axis->front().axis) != axes.end()) {
      elaborator.report(base::make(Kind::name_repeated, name.text).at(name.span));
      return std::nullopt;
    }
    axes.push_back(axis->front().axis);
  }
  for (std::size_t axis = 0; fn.over.empty() && axis < mesh.axes().size(); ++axis) axes.push_back(axis);
  std::erase_if(axes, [&](std::size_t axis) { return mesh.axes()[axis].size == 1; });
  std::ranges::sort(axes);
  if (axes.size() <= kChosenAxesMax) return axes;
  elaborator.report(
      base::make(Kind::auto_too_many_axes, fn.name.text, axes.size(), kChosenAxesMax)
          .at(fn.over.empty() ? fn.name.span : base::join(fn.over.front().span, fn.over.back().span))
          .suggest(fmt::format("name those that are chosen, as in `over ({}, {}, {})`: the others are used "
                               "where the program writes them",
                               mesh.axes()[axes[0]].name, mesh.axes()[axes[1]].name, mesh.axes()[axes[2]].name)));
  return std::nullopt;
}

std::optional<open::ChosenLayouts> chosen_layouts(Elaborator& elaborator, const frontend::Fn& fn,
                                                  const std::vector<WrittenType>& parameters,
                                                  const std::vector<open::Type>& results,
                                                  const std::vector<Fields>& items) {
  const MeshRef mesh = elaborator.default_mesh();
  auto axes = chosen_axes(elaborator, fn, *mesh);
  if (!axes.has_value()) return std::nullopt;
  open::ChosenLayouts chosen{mesh, std::move(*axes), std::vector<std::optional<std::size_t>>(results.size())};
  const bool has_records = std::ranges::any_of(items, [](const Fields& fields) { return !fields.empty(); });
  if (has_records) chosen.result_names.resize(results.size());
  std::size_t at = 0;
  for (std::size_t k = 0; k < items.size(); ++k) {
    const NamedTypes own{items[k],
                         {results.begin() + static_cast<std::ptrdiff_t>(at),
                          results.begin() + static_cast<std::ptrdiff_t>(at + arrays_in(items[k]))}};
    if (k < fn.results_as.size() && fn.results_as[k].has_value()) {
      const auto as = parameters_as(elaborator, fn, *fn.results_as[k], parameters, own);
      if (!as.has_value()) return std::nullopt;
      std::ranges::copy(*as, chosen.results_as.begin() + static_cast<std::ptrdiff_t>(at));
    }
    for (std::size_t f = 0; f < items[k].size(); ++f)
      chosen.result_names[at + f] = fmt::format("{}.{}", k + 1, items[k][f]);
    at += arrays_in(items[k]);
  }
  return chosen;
}

}  // namespace tessera::typeck
