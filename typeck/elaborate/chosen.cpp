#include "typeck/elaborate/chosen.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "synth/kinds.hpp"
#include "typeck/elaborate/elaborator.hpp"

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

}  // namespace

bool says_choice_rightly(Elaborator& elaborator, const frontend::Ast& ast, const frontend::Fn& fn) {
  std::vector<frontend::TypeId> types = fn.results;
  for (const frontend::Parameter& parameter : fn.parameters) types.push_back(parameter.type);
  for (const frontend::TypeId type : types) {
    if (fn.chosen.has_value() && !ast[type].fields.empty()) {
      elaborator.report(base::make(Kind::auto_record, fn.name.text)
                            .at(ast[type].span)
                            .also(*fn.chosen, "this says that layouts are chosen")
                            .suggest("hand the fields over as arrays, `w: f32[D, F] auto`, or leave `auto` out"));
      return false;
    }
  }
  for (const frontend::Parameter& parameter : fn.parameters) {
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
                                                  const std::vector<open::Type>& results) {
  const MeshRef mesh = elaborator.default_mesh();
  auto axes = chosen_axes(elaborator, fn, *mesh);
  if (!axes.has_value()) return std::nullopt;
  open::ChosenLayouts chosen{mesh, std::move(*axes), std::vector<std::optional<std::size_t>>(results.size())};
  for (std::size_t k = 0; k < fn.results_as.size(); ++k) {
    if (!fn.results_as[k].has_value()) continue;
    const frontend::Name& name = *fn.results_as[k];
    const auto parameter = parameter_named(fn, name.text);
    TESSERA_CHECK(parameter.has_value(), "a result lies as a parameter that was not looked for");
    const open::Type own = parameters[*parameter].type();
    if (own.element() != results[k].element() || own.shape() != results[k].shape()) {
      elaborator.report(
          base::make(Kind::auto_as, fn.name.text, name.text,
                     fmt::format("it is {}, and the result {}", elaborator.text(own), elaborator.text(results[k])))
              .at(name.span)
              .also(parameters[*parameter].span, "declared here"));
      return std::nullopt;
    }
    chosen.results_as[k] = parameter;
  }
  return chosen;
}

}  // namespace tessera::typeck
