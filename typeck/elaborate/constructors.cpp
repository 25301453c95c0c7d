// Constructors: each device fills its own part, nothing is sent.
#include "typeck/elaborate/constructors.hpp"

#include <fmt/format.h>

namespace tessera::typeck {

std::optional<WrittenType> constructed_type(OperationCall& call, std::size_t parameter, const Shape* file_shape) {
  auto written = call.elaborator.types().written_type(call.elaborator.ast(), *call.type(parameter), file_shape);
  if (!written.has_value()) return std::nullopt;
  if (!written->any_layout) return call.elaborator.made(*written).has_value() ? std::move(written) : std::nullopt;
  call.elaborator.report(base::make(Kind::any_layout_here).at(written->span));
  return std::nullopt;
}

std::optional<WantedArray> wanted_array(OperationCall& call) {
  const auto like = call.given("like");
  if (!like.has_value()) {
    auto type = constructed_type(call, 0);
    return type.has_value() ? std::optional(WantedArray{std::move(*type), {}}) : std::nullopt;
  }
  const MaybeValue array = call.array(*like);
  if (!array.has_value()) return std::nullopt;
  const open::Type own = call.elaborator.type(*array);
  WrittenType type{own.element(), own.shape(), {}, own.mesh_ref(), false, false, array->span};
  type.layout.splits.resize(own.rank());
  return WantedArray{std::move(type), array};
}

namespace {

// An array whose parts are made where they lie.
MaybeValue make(OperationCall& call, const WantedArray& wanted, synth::Operation operation,
                std::vector<Checked> operands) {
  const WrittenType& type = wanted.type;
  const bool is_pending_bool =
      *type.element == ElementType::boolean && !type.layout.pending.empty() &&
      (type.layout.reduce == synth::ReduceOp::sum || type.layout.reduce == synth::ReduceOp::product);
  if (is_pending_bool) {
    call.elaborator.report(base::make(Kind::bool_reduction)
                               .at(call.span)
                               .suggest("use i64, or `{max ...}`, which is true where any is, and `{min ...}`"));
    return std::nullopt;
  }
  if (wanted.like.has_value()) operands.push_back(*wanted.like);
  const open::Make own{std::move(operation), type.layout, type.span, wanted.like.has_value()};
  return call.elaborator.compute(call.span, type.type(), own, operands, call.quoted());
}

}  // namespace

MaybeValue run_iota(OperationCall& call) {
  const auto all = wanted_array(call);
  if (!all.has_value()) return std::nullopt;
  if (*all->type.element == ElementType::boolean) {
    call.elaborator.report(
        base::make(Kind::element_unsupported, "`iota`", "bool").at(call.span).suggest("use zeros or ones"));
    return std::nullopt;
  }
  if (synth::is_complex(*all->type.element)) {
    call.elaborator.report(base::make(Kind::element_unsupported, "`iota`", synth::name(*all->type.element))
                               .at(call.span)
                               .suggest("count in floats and cast, as in c64(iota(f32[8]))"));
    return std::nullopt;
  }
  const auto dim = call.given("dim");
  return dim.has_value() ? run_iota_along(call, *all, *dim) : make(call, *all, synth::Iota{}, {});
}

namespace {

MaybeValue filled(OperationCall& call, std::int64_t number) {
  const auto all = wanted_array(call);
  if (!all.has_value()) return std::nullopt;
  return make(call, *all, synth::Fill{},
              {call.elaborator.scalar(call.span, number, *all->type.element, all->type.mesh)});
}

}  // namespace

MaybeValue run_zeros(OperationCall& call) { return filled(call, 0); }
MaybeValue run_ones(OperationCall& call) { return filled(call, 1); }

MaybeValue run_full(OperationCall& call) {
  const auto all = wanted_array(call);
  if (!all.has_value()) return std::nullopt;
  MaybeValue value = call.array(*call.given("v"), *all->type.element);
  if (value.has_value()) value = call.elaborator.scalar_of(*value, *all->type.element, "the value of `full`");
  if (!value.has_value() || !call.on_mesh(*value, all->type.mesh)) return std::nullopt;
  return make(call, *all, synth::Fill{}, {*value});
}

namespace {

MaybeValue drawn(OperationCall& call, const synth::Operation& operation) {
  const auto all = wanted_array(call);
  if (!all.has_value()) return std::nullopt;
  if (!synth::is_float(synth::computed_as(*all->type.element))) {
    call.elaborator.report(base::make(Kind::element_unsupported, call.quoted(), synth::name(*all->type.element))
                               .at(call.span)
                               .suggest(synth::is_complex(*all->type.element)
                                            ? "join two parts: `complex(random(f32[8], 1), random(f32[8], 2))`"
                                            : "make floats and cast them, as in i64(random(f32[8], 1) * 10.0)"));
    return std::nullopt;
  }
  MaybeValue seed = call.array(*call.given("seed"), ElementType::i64);
  if (seed.has_value()) seed = call.elaborator.scalar_of(*seed, ElementType::i64, "a seed");
  if (!seed.has_value() || !call.on_mesh(*seed, all->type.mesh)) return std::nullopt;
  return make(call, *all, operation, {*seed});
}

}  // namespace

MaybeValue run_random(OperationCall& call) { return drawn(call, synth::Random{}); }
MaybeValue run_normal(OperationCall& call) { return drawn(call, synth::Normal{}); }

namespace {

bool has_file_extents(const frontend::TypeExpr& type) {
  for (const frontend::Dimension& dimension : type.dimensions) {
    if (dimension.from_file) return true;
  }
  return false;
}

std::optional<FileName> loaded_name(OperationCall& call) {
  constexpr std::size_t kName = 2;
  auto path = call.text(0);
  if (!path.has_value()) return std::nullopt;
  WrittenFile written{std::move(*path), call.span_of(0)};
  if (call.has(kName)) {
    written.array = call.text(kName);
    if (!written.array.has_value()) return std::nullopt;
    written.array_span = call.span_of(kName);
  }
  return call.elaborator.names().file_name("load", written);
}

}  // namespace

MaybeValue run_load(OperationCall& call) {
  Elaborator& elaborator = call.elaborator;
  const auto name = loaded_name(call);
  if (!name.has_value()) return std::nullopt;
  const std::string& path = name->form;
  const frontend::TypeExpr& written = elaborator.ast()[*call.type(1)];
  std::optional<FileHeader> header;
  if (has_file_extents(written)) {
    if (!elaborator.options().file_header) {
      elaborator.report(base::make(Kind::file_extent_unknown, "no files can be read here").at(written.span));
      return std::nullopt;
    }
    if (!name->numbers.empty()) {
      elaborator.report(base::make(Kind::file_extent_unknown, "its name is known only when the program runs")
                            .at(written.span)
                            .suggest("write the extent"));
      return std::nullopt;
    }
    auto found = elaborator.options().file_header(path);
    if (!found.ok()) {
      for (Diagnostic& diagnostic : std::move(found).errors()) {
        if (diagnostic.kind.slug == "file-missing") {
          diagnostic.help =
              "an extent `_` is read when the program is checked; of a file that the program saves "
              "itself, write the extent";
        }
        elaborator.report(std::move(diagnostic).at(call.span_of(0)));
      }
      return std::nullopt;
    }
    header = *found;
    if (header->shape.size() != written.dimensions.size()) {
      const std::string holds = fmt::format("an array of rank {}", header->shape.size());
      elaborator.report(base::make(Kind::load_mismatch, fmt::format("\"{}\"", path), holds,
                                   fmt::format("rank {}", written.dimensions.size()))
                            .at(written.span));
      return std::nullopt;
    }
  }
  const auto type = constructed_type(call, 1, header.has_value() ? &header->shape : nullptr);
  if (!type.has_value()) return std::nullopt;
  if (!type->layout.pending.empty()) {
    elaborator.report(
        base::make(Kind::load_pending).at(written.span).suggest("load it, then write `as` with the pending axes"));
    return std::nullopt;
  }
  std::vector<Checked> numbers;
  for (Checked number : name->numbers) {
    if (!call.on_mesh(number, type->mesh)) return std::nullopt;
    numbers.push_back(std::move(number));
  }
  return make(call, {*type, {}}, synth::Load{elaborator.add_string(path)}, std::move(numbers));
}

// A scalar comes to the mesh of what it fills.
bool OperationCall::on_mesh(Checked& value, const MeshRef& mesh) {
  if (MaybeValue again = elaborator.again_on(value, mesh)) {
    value = std::move(*again);
    return true;
  }
  elaborator.report(
      base::make(Kind::two_meshes)
          .at(value.span, elaborator.mesh_remark(elaborator.type(value).mesh()))
          .suggest(fmt::format("bring it to the other mesh: `as TYPE on {}`", elaborator.name_or(*mesh, "MESH"))));
  return false;
}

}  // namespace tessera::typeck
