// Types as written -> array types: extents evaluated, axes found, mistakes labelled.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/nearest.hpp"
#include "base/sorted.hpp"
#include "synth/kinds.hpp"
#include "synth/program/share_candidates.hpp"
#include "synth/program/shares.hpp"
#include "typeck/elaborate/elaborator.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

namespace {

ElementType element_of(frontend::ElementKeyword keyword) {
  switch (keyword) {
    case frontend::ElementKeyword::bool_: return ElementType::boolean;
    case frontend::ElementKeyword::i32: return ElementType::i32;
    case frontend::ElementKeyword::i64: return ElementType::i64;
    case frontend::ElementKeyword::f32: return ElementType::f32;
    case frontend::ElementKeyword::f64: return ElementType::f64;
    case frontend::ElementKeyword::bf16: return ElementType::bf16;
    case frontend::ElementKeyword::f16: return ElementType::f16;
    case frontend::ElementKeyword::i8: return ElementType::i8;
    case frontend::ElementKeyword::u8: return ElementType::u8;
    case frontend::ElementKeyword::i16: return ElementType::i16;
    case frontend::ElementKeyword::u16: return ElementType::u16;
    case frontend::ElementKeyword::u32: return ElementType::u32;
    case frontend::ElementKeyword::c64: return ElementType::c64;
    case frontend::ElementKeyword::c128: return ElementType::c128;
  }
  return ElementType::f32;
}

synth::ReduceOp reduce_of(frontend::PendingKind kind) {
  switch (kind) {
    case frontend::PendingKind::sum: return synth::ReduceOp::sum;
    case frontend::PendingKind::max: return synth::ReduceOp::max;
    case frontend::PendingKind::min: return synth::ReduceOp::min;
    case frontend::PendingKind::product: return synth::ReduceOp::product;
  }
  return synth::ReduceOp::sum;
}

std::vector<std::string> axis_names(const synth::Mesh& mesh) {
  std::vector<std::string> names;
  for (const synth::MeshAxis& axis : mesh.axes()) names.push_back(axis.name);
  return names;
}

struct AxisUse {
  const frontend::Name* name;
  std::string where;  // `dimension 0`, `the pending sum`
};

std::vector<AxisUse> uses_of_axes(const frontend::TypeExpr& type) {
  std::vector<AxisUse> uses;
  for (std::size_t d = 0; d < type.dimensions.size(); ++d) {
    for (const frontend::AxisUse& use : type.dimensions[d].axes) {
      uses.push_back({&use.axis, fmt::format("dimension {}", d)});
    }
  }
  if (type.pending.has_value()) {
    for (const frontend::Name& axis : type.pending->axes) uses.push_back({&axis, "the pending reduction"});
  }
  return uses;
}

std::string replacement_help(const synth::Mesh& mesh, const std::vector<AxisUse>& uses) {
  for (const synth::MeshAxis& axis : mesh.axes()) {
    const bool used =
        std::any_of(uses.begin(), uses.end(), [&](const AxisUse& use) { return use.name->text == axis.name; });
    if (!used) return fmt::format("replicate one of them, or split it over `{}`", axis.name);
  }
  return "replicate one of them";
}

// Reports the second use of an axis, if there is one.
std::optional<Diagnostic> axis_used_twice(const frontend::TypeExpr& type, const synth::Mesh& mesh) {
  const std::vector<AxisUse> uses = uses_of_axes(type);
  for (std::size_t second = 0; second < uses.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      if (uses[first].name->text != uses[second].name->text) continue;
      Diagnostic diagnostic = base::make(synth::Kind::axis_used_twice, uses[second].name->text);
      const bool two_dimensions =
          uses[first].where != uses[second].where && uses[second].where.starts_with("dimension");
      if (!two_dimensions)
        diagnostic.message = fmt::format("mesh axis `{}` is used twice in one type", uses[second].name->text);
      return std::move(diagnostic)
          .at(uses[second].name->span, uses[second].where + " uses it again")
          .also(uses[first].name->span, uses[first].where + " uses it here")
          .suggest(replacement_help(mesh, uses));
    }
  }
  return std::nullopt;
}

}  // namespace

ElementType WrittenTypes::element_type(frontend::ElementKeyword keyword) { return element_of(keyword); }

std::optional<std::size_t> WrittenTypes::axis_number(const frontend::Name& name, const synth::Mesh& mesh) {
  const auto axis = mesh.find(name.text);
  if (axis.has_value() || mesh_failed_) return axis;
  const auto near = base::nearest(name.text, axis_names(mesh));
  std::string help = near.has_value()      ? fmt::format("did you mean `{}`?", *near)
                     : mesh.axes().empty() ? "there is no mesh yet: declare one, such as `mesh m = [x: 4]`"
                                           : fmt::format("the mesh is {}", synth::print(mesh));
  elaborator_.report(base::make(synth::Kind::unknown_axis, name.text).at(name.span).suggest(std::move(help)));
  return std::nullopt;
}

std::optional<AxisList> WrittenTypes::axis_list(const std::vector<frontend::Name>& names, const synth::Mesh& mesh) {
  AxisList axes;
  for (const frontend::Name& name : names) {
    const auto axis = axis_number(name, mesh);
    if (!axis.has_value()) return std::nullopt;
    axes.push_back(synth::whole_axis(mesh, *axis));
  }
  return axes;
}

std::optional<AxisList> WrittenTypes::axis_list(const std::vector<frontend::AxisUse>& uses, const synth::Mesh& mesh) {
  AxisList axes;
  for (const frontend::AxisUse& use : uses) {
    const auto axis = axis_number(use.axis, mesh);
    if (!axis.has_value()) return std::nullopt;
    if (!use.cut.has_value()) {
      axes.push_back(synth::whole_axis(mesh, *axis));
      continue;
    }
    const auto part = synth::named_cut(mesh, *axis, use.cut->text);
    if (!part.has_value()) {
      elaborator_.report(synth::no_such_cut(mesh.axes()[*axis], use.cut->text).at(use.cut->span));
      return std::nullopt;
    }
    axes.push_back(*part);
  }
  return axes;
}

// An integer that is known when the program is checked: an extent, a dimension, a length.
std::optional<std::int64_t> WrittenTypes::constant_integer(ExprId expr, std::string_view what) {
  open::Region scratch;
  const MaybeValue value =
      elaborator_.in_region(scratch, [&] { return elaborator_.check_array(expr, Preference{ElementType::i64}); });
  if (!value.has_value()) return std::nullopt;
  if (const auto known = elaborator_.known_integer(*value)) return known;
  elaborator_.report(
      base::make(Kind::not_constant, what)
          .at(elaborator_.ast()[expr].span)
          .suggest("use an integer, a `let` of an integer expression of constants, a parameter's extent name or "
                   "size(a, dim)"));
  return std::nullopt;
}

void WrittenTypes::report_unknown_mesh(const frontend::Name& mesh) {
  constexpr std::size_t kNamesMax = 6;
  std::vector<std::string> names = elaborator_.environment().mesh_names(elaborator_.mesh_moment());
  const auto near = base::nearest(mesh.text, names);
  base::keep_one_of_each(names);
  std::string help = fmt::format("declare it: `mesh {} = [x: 4]`", mesh.text);
  if (near.has_value()) help = fmt::format("did you mean `{}`?", *near);
  if (!near.has_value() && !names.empty() && names.size() <= kNamesMax)
    help = fmt::format("{}: {}", names.size() == 1 ? "there is one mesh" : "the meshes are", fmt::join(names, ", "));
  elaborator_.report(base::make(Kind::unknown_mesh, mesh.text).at(mesh.span).suggest(std::move(help)));
}

std::optional<WrittenType> WrittenTypes::written_type(const Ast& tree, TypeId id, const Shape* file_shape,
                                                      const Shape* any_shape) {
  const frontend::TypeExpr& type = tree[id];
  WrittenType written;
  written.span = type.span;
  written.any_layout = type.any_layout;
  if (type.element.has_value()) {
    written.element = element_type(*type.element);
  }
  written.mesh = elaborator_.default_mesh();
  if (type.mesh.has_value()) {
    const NamedMesh* named = elaborator_.environment().mesh(type.mesh->text, elaborator_.mesh_moment());
    if (named == nullptr) {
      report_unknown_mesh(*type.mesh);
      return std::nullopt;
    }
    written.mesh = named->mesh;
  }
  if (type.any_shape) {
    if (any_shape == nullptr || !type.any_layout) {
      elaborator_.report(base::make(Kind::any_shape_here)
                             .at(type.span)
                             .suggest(any_shape == nullptr ? "write the extents" : "add `?`, as in `f32[..]?`"));
      return std::nullopt;
    }
    written.shape = *any_shape;
  }
  bool good = true;
  if (type.dimensions.size() > synth::kRankMax) {
    elaborator_.report(base::make(synth::Kind::rank_too_large, type.dimensions.size()).at(type.span));
    return std::nullopt;
  }
  for (std::size_t d = 0; d < type.dimensions.size(); ++d) {
    good = add_dimension(type.dimensions[d], d, file_shape, written) && good;
  }
  if (type.pending.has_value()) {
    const auto axes = axis_list(type.pending->axes, *written.mesh);
    good = good && axes.has_value();
    if (axes.has_value()) written.layout.pending = *axes;
    written.names_axes = true;
    written.layout.reduce = reduce_of(type.pending->kind);
  }
  if (!good) return std::nullopt;
  if (auto twice = axis_used_twice(type, *written.mesh)) {
    elaborator_.report(std::move(*twice));
    return std::nullopt;
  }
  return written;
}

bool WrittenTypes::add_dimension(const frontend::Dimension& dimension, std::size_t number, const Shape* file_shape,
                                 WrittenType& written) {
  std::optional<std::int64_t> extent;
  if (!dimension.from_file) {
    extent = constant_integer(dimension.extent, "an extent");
  } else if (file_shape != nullptr && number < file_shape->size()) {
    extent = (*file_shape)[number];
  } else {
    elaborator_.report(base::make(Kind::file_extent_here).at(dimension.span));
  }
  const auto axes = axis_list(dimension.axes, *written.mesh);
  if (!extent.has_value() || !axes.has_value()) return false;
  if (*extent < 0) {
    elaborator_.report(base::make(synth::Kind::negative_extent, number, *extent).at(dimension.span));
    return false;
  }
  written.shape.push_back(*extent);
  written.layout.splits.push_back(*axes);
  written.names_axes = written.names_axes || !axes->empty();
  return true;
}

Preference WrittenTypes::want_of(const Ast& tree, TypeId id) const {
  const frontend::TypeExpr& type = tree[id];
  return {type.element.has_value() ? std::optional(element_of(*type.element)) : std::nullopt};
}

// A written type asks for a layout of the expression that it stands by; extents are left open.
open::Wish WrittenTypes::wish_of(const Ast& tree, TypeId id) const {
  const frontend::TypeExpr& type = tree[id];
  open::Wish wish;
  wish.because = type.span;
  const NamedMesh* named =
      type.mesh.has_value() ? elaborator_.environment().mesh(type.mesh->text, elaborator_.mesh_moment()) : nullptr;
  wish.mesh = named != nullptr ? named->mesh : elaborator_.default_mesh();
  if (type.any_layout) return wish;
  open::WrittenLayout layout;
  const auto add = [&](const frontend::Name& name, const std::optional<frontend::Name>& cut, AxisList& axes) {
    const auto axis = wish.mesh->find(name.text);
    if (!axis.has_value()) return;
    const auto part = cut.has_value() ? synth::named_cut(*wish.mesh, *axis, cut->text) : std::nullopt;
    axes.push_back(part.value_or(synth::whole_axis(*wish.mesh, *axis)));
  };
  for (const frontend::Dimension& dimension : type.dimensions) {
    layout.splits.emplace_back();
    for (const frontend::AxisUse& use : dimension.axes) add(use.axis, use.cut, layout.splits.back());
  }
  if (type.pending.has_value()) {
    for (const frontend::Name& axis : type.pending->axes) add(axis, std::nullopt, layout.pending);
    layout.reduce = reduce_of(type.pending->kind);
  }
  if (type.pending.has_value() && type.pending->kind == frontend::PendingKind::sum) {
    for (const frontend::Name& axis : type.pending->axes) wish.written_pending.push_back(axis.text);
  }
  wish.layout = std::move(layout);
  return wish;
}

std::optional<WrittenType> WrittenTypes::lone_type() {
  Frame frame{elaborator_.program().ast, elaborator_.environment().now(), {}, nullptr, {}, false};
  elaborator_.walk(&frame);
  auto written = written_type(elaborator_.ast(), TypeId{0});
  if (!written.has_value() || !written->any_layout) return written;
  elaborator_.report(base::make(Kind::any_layout_here).at(written->span));
  return std::nullopt;
}

std::optional<MeshRef> WrittenTypes::lone_mesh() {
  Frame frame{elaborator_.program().ast, elaborator_.environment().now(), {}, nullptr, {}, false};
  elaborator_.walk(&frame);
  const frontend::Statement& statement = elaborator_.ast()[elaborator_.ast().program.at(0)];
  const auto& node = std::get<frontend::MeshStatement>(statement.node);
  const auto result = made_mesh(statement.span, node);
  return result ? placed_mesh(statement.span, node, *result) : std::nullopt;
}

// `work(auto)`: the weights that are tried, or by speed.
synth::Weights WrittenTypes::chosen_weights(const frontend::MeshAxis& axis, const frontend::NamedCut& cut,
                                            const synth::Mesh& mesh, std::size_t number) {
  const synth::Machine& machine = elaborator_.machine();
  ChosenCut chosen{axis.name.text,
                   cut.name.text,
                   cut.span,
                   synth::weights_to_search(machine, mesh, number),
                   synth::weights_to_search_are_all(machine, mesh, number),
                   0};
  chosen.taken = chosen.candidates.size() - 1;
  const auto by_memory = synth::weights_by(synth::DeviceFigure::memory, machine, mesh, number);
  if (by_memory && std::ranges::find(chosen.candidates, *by_memory) == chosen.candidates.end())
    chosen.candidates.push_back(*by_memory);
  const std::vector<synth::Weights>& wished = elaborator_.options().weights;
  if (chosen_cuts_.size() < wished.size()) {
    const auto at = std::ranges::find(chosen.candidates, wished[chosen_cuts_.size()]);
    if (at != chosen.candidates.end()) chosen.taken = static_cast<std::size_t>(at - chosen.candidates.begin());
  }
  chosen_cuts_.push_back(chosen);
  return chosen.candidates[chosen.taken];
}

// `work(speed)`, `work(memory)`: by what the machine's devices have.
std::optional<synth::Weights> WrittenTypes::weights_by_machine(const frontend::MeshAxis& axis,
                                                               const frontend::NamedCut& cut, const synth::Mesh& mesh,
                                                               std::size_t number) {
  const std::string& word = std::get<frontend::NameRef>(elaborator_.ast()[cut.weights[0]].node).name;
  if (word == "auto") return chosen_weights(axis, cut, mesh, number);
  const auto bad = [&](const std::string& why) {
    return base::make(synth::Kind::cut_weights, axis.name.text, cut.name.text, why).at(cut.span);
  };
  const auto figure = synth::device_figure_by_name(word);
  TESSERA_CHECK(figure.has_value(), "no device has such a figure");
  auto weights = synth::weights_by(*figure, elaborator_.machine(), mesh, number);
  if (weights.has_value()) return weights;
  const bool is_known = !elaborator_.machine().devices.empty();
  elaborator_.report(
      bad(fmt::format("asks for the {} of devices, but {}", word,
                      is_known ? fmt::format("the machine file does not say that of those that the mesh has", word)
                               : "no machine file says it"))
          .suggest("give a machine file with \"devices\": `--machine FILE`, or `:machine FILE` in a session"));
  return std::nullopt;
}

std::optional<std::vector<synth::NamedCut>> WrittenTypes::named_cuts(const frontend::MeshAxis& axis,
                                                                     const synth::Mesh& mesh, std::size_t number) {
  std::vector<synth::NamedCut> cuts;
  for (const frontend::NamedCut& cut : axis.cuts) {
    const auto* word =
        cut.weights.size() == 1 ? std::get_if<frontend::NameRef>(&elaborator_.ast()[cut.weights[0]].node) : nullptr;
    if (word != nullptr && (synth::device_figure_by_name(word->name).has_value() || word->name == "auto")) {
      auto weights = weights_by_machine(axis, cut, mesh, number);
      if (!weights.has_value()) return std::nullopt;
      cuts.push_back({cut.name.text, std::move(*weights)});
      continue;
    }
    std::vector<std::int64_t> values;
    for (const ExprId expr : cut.weights) {
      const auto value = constant_integer(expr, "the weight of a cut");
      if (!value.has_value()) return std::nullopt;
      if (*value < 1 || *value > synth::kWeightMax) {
        elaborator_.report(base::make(synth::Kind::cut_weights, axis.name.text, cut.name.text,
                                      fmt::format("has a weight of {}, but a weight is from 1 to 1,048,576", *value))
                               .at(elaborator_.ast()[expr].span));
        return std::nullopt;
      }
      values.push_back(*value);
    }
    cuts.push_back({cut.name.text, *synth::Weights::make(std::move(values))});
  }
  return cuts;
}

std::optional<MeshRef> WrittenTypes::made_mesh(Span span, const frontend::MeshStatement& statement) {
  std::vector<synth::MeshAxis> axes;
  for (const frontend::MeshAxis& axis : statement.axes) {
    const auto size = constant_integer(axis.size, "the size of a mesh axis");
    if (!size.has_value()) return std::nullopt;
    axes.push_back({axis.name.text, *size});
  }
  const auto made = [&]() -> std::optional<MeshRef> {
    if (!statement.on.has_value()) return reported(synth::Mesh::make(axes), span);
    const auto ranges = device_ranges(*statement.on);
    if (!ranges.has_value()) return std::nullopt;
    return reported(synth::Mesh::make_on(axes, *ranges), statement.on->span);
  };
  // Mistakes in sizes and devices are reported before those in the cuts, which may go by the devices.
  auto mesh = made();
  bool has_cuts = false;
  for (std::size_t i = 0; mesh.has_value() && i < axes.size(); ++i) {
    auto cuts = named_cuts(statement.axes[i], **mesh, i);
    if (!cuts.has_value()) return std::nullopt;
    has_cuts = has_cuts || !cuts->empty();
    axes[i].cuts = std::move(*cuts);
  }
  return has_cuts ? made() : mesh;
}

std::optional<MeshRef> WrittenTypes::reported(base::Result<MeshRef> mesh, Span span) {
  if (mesh.ok()) return std::move(mesh).value();
  for (Diagnostic& diagnostic : std::move(mesh).errors()) elaborator_.report(std::move(diagnostic).at(span));
  return std::nullopt;
}

std::optional<std::vector<synth::DeviceRange>> WrittenTypes::device_ranges(const frontend::OnDevices& on) {
  std::vector<synth::DeviceRange> ranges;
  for (const frontend::DeviceRange& range : on.ranges) {
    const auto begin = constant_integer(range.first, "a device");
    const auto end = begin.has_value() ? constant_integer(range.end, "a device") : std::nullopt;
    if (!end.has_value()) return std::nullopt;
    ranges.push_back({*begin, *end});
  }
  return ranges;
}

}  // namespace tessera::typeck
