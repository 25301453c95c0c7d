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

namespace {

// An array whose parts are made where they lie.
MaybeValue make(OperationCall& call, const WrittenType& wanted, synth::Operation operation,
                const std::vector<Checked>& operands) {
  const bool is_pending_bool =
      *wanted.element == ElementType::boolean && !wanted.layout.pending.empty() &&
      (wanted.layout.reduce == synth::ReduceOp::sum || wanted.layout.reduce == synth::ReduceOp::product);
  if (is_pending_bool) {
    call.elaborator.report(base::make(Kind::bool_reduction)
                               .at(call.span)
                               .suggest("use i64, or `{max ...}`, which is true where any is, and `{min ...}`"));
    return std::nullopt;
  }
  return call.elaborator.compute(call.span, wanted.type(), open::Make{std::move(operation), wanted.layout, wanted.span},
                                 operands, call.quoted());
}

}  // namespace

MaybeValue run_iota(OperationCall& call) {
  const auto wanted = constructed_type(call, 0);
  if (!wanted.has_value()) return std::nullopt;
  if (*wanted->element == ElementType::boolean) {
    call.elaborator.report(
        base::make(Kind::element_unsupported, "`iota`", "bool").at(call.span).suggest("use zeros or ones"));
    return std::nullopt;
  }
  return call.has(1) ? run_iota_along(call, *wanted) : make(call, *wanted, synth::Iota{}, {});
}

namespace {

MaybeValue filled(OperationCall& call, std::int64_t number) {
  const auto wanted = constructed_type(call, 0);
  if (!wanted.has_value()) return std::nullopt;
  return make(call, *wanted, synth::Fill{},
              {call.elaborator.scalar(call.span, number, *wanted->element, wanted->mesh)});
}

}  // namespace

MaybeValue run_zeros(OperationCall& call) { return filled(call, 0); }
MaybeValue run_ones(OperationCall& call) { return filled(call, 1); }

MaybeValue run_full(OperationCall& call) {
  const auto wanted = constructed_type(call, 0);
  if (!wanted.has_value()) return std::nullopt;
  MaybeValue value = call.array(1, *wanted->element);
  if (value.has_value()) value = call.elaborator.scalar_of(*value, *wanted->element, "the value of `full`");
  if (!value.has_value() || !call.on_mesh(*value, wanted->mesh)) return std::nullopt;
  return make(call, *wanted, synth::Fill{}, {*value});
}

namespace {

MaybeValue drawn(OperationCall& call, const synth::Operation& operation) {
  const auto wanted = constructed_type(call, 0);
  if (!wanted.has_value()) return std::nullopt;
  if (!synth::is_float(synth::computed_as(*wanted->element))) {
    call.elaborator.report(base::make(Kind::element_unsupported, call.quoted(), synth::name(*wanted->element))
                               .at(call.span)
                               .suggest("make floats and cast them, as in i64(random(f32[8], 1) * 10.0)"));
    return std::nullopt;
  }
  MaybeValue seed = call.array(1, ElementType::i64);
  if (seed.has_value()) seed = call.elaborator.scalar_of(*seed, ElementType::i64, "a seed");
  if (!seed.has_value() || !call.on_mesh(*seed, wanted->mesh)) return std::nullopt;
  return make(call, *wanted, operation, {*seed});
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
  const auto wanted = constructed_type(call, 1, header.has_value() ? &header->shape : nullptr);
  if (!wanted.has_value()) return std::nullopt;
  if (!wanted->layout.pending.empty()) {
    elaborator.report(
        base::make(Kind::load_pending).at(written.span).suggest("load it, then write `as` with the pending axes"));
    return std::nullopt;
  }
  std::vector<Checked> numbers;
  for (Checked number : name->numbers) {
    if (!call.on_mesh(number, wanted->mesh)) return std::nullopt;
    numbers.push_back(std::move(number));
  }
  return make(call, *wanted, synth::Load{elaborator.add_string(path)}, numbers);
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
