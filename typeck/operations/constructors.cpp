// Constructors: each device fills its own part, nothing is sent.
#include <fmt/format.h>

#include "typeck/operations/table.hpp"

namespace tessera::typeck {

namespace {

std::optional<ArrayType> constructed_type(OperationCall& call, std::size_t parameter,
                                          const Shape* file_shape = nullptr) {
  const auto written = call.checker.written_type(call.checker.ast(), *call.type(parameter), file_shape);
  if (!written.has_value()) return std::nullopt;
  if (!written->any_layout) return call.checker.full_type(*written);
  call.checker.report(base::make(Kind::any_layout_here).at(written->span));
  return std::nullopt;
}

// Builds without the pending axes, then keeps the value on one replica and the identity on the others.
template <class Build>
MaybeValue with_pending_kept(OperationCall& call, const ArrayType& wanted, Build build) {
  Checker& checker = call.checker;
  if (wanted.layout().pending().empty()) return build(wanted);
  auto finished = Layout::make(wanted.mesh(), wanted.layout().splits());
  TESSERA_CHECK(finished.ok(), "a type without its pending axes is not valid");
  const auto plain = checker.with_layout(call.span, wanted, std::move(finished).value());
  if (!plain.has_value()) return std::nullopt;
  if (wanted.element() == ElementType::boolean && wanted.layout().reduce() == synth::ReduceOp::sum) {
    checker.report(base::make(Kind::bool_reduction)
                       .at(call.span)
                       .suggest("use i64, or `{max ...}`, which is true where any is, and `{min ...}`"));
    return std::nullopt;
  }
  const MaybeValue whole = build(*plain);
  if (!whole.has_value()) return std::nullopt;
  return checker.redistribute(*whole, wanted, Reason{Reason::Asker::collective, call.quoted(), call.span, {}, {}});
}

// The numbers are made as f32 where the type stores them.
template <class Operation>
MaybeValue made_numbers(OperationCall& call, const ArrayType& wanted, const Operation& operation,
                        std::vector<NodeId> operands) {
  auto own = wanted.with_element(synth::computed_as(wanted.element()));
  TESSERA_CHECK(own.ok(), "a type of numbers is not valid");
  const Checked numbers = call.checker.compute(call.span, std::move(own).value(), operation, std::move(operands));
  return call.checker.cast_to(call.span, numbers, wanted.element());
}

}  // namespace

MaybeValue run_iota(OperationCall& call) {
  const auto wanted = constructed_type(call, 0);
  if (!wanted.has_value()) return std::nullopt;
  if (wanted->element() == ElementType::boolean) {
    call.checker.report(
        base::make(Kind::element_unsupported, "`iota`", "bool").at(call.span).suggest("use zeros or ones"));
    return std::nullopt;
  }
  return with_pending_kept(call, *wanted,
                           [&](const ArrayType& own) { return made_numbers(call, own, synth::Iota{}, {}); });
}

MaybeValue run_fill(OperationCall& call) {
  const auto wanted = constructed_type(call, 0);
  if (!wanted.has_value()) return std::nullopt;
  return with_pending_kept(call, *wanted, [&](const ArrayType& own) {
    const Checked value = call.checker.scalar(call.span, std::int64_t{call.info.detail}, own.element(), own.mesh_ref());
    return MaybeValue(call.checker.compute(call.span, own, synth::Fill{}, {value.node()}));
  });
}

MaybeValue run_full(OperationCall& call) {
  const auto wanted = constructed_type(call, 0);
  if (!wanted.has_value()) return std::nullopt;
  MaybeValue value = call.array(1, wanted->element());
  if (value.has_value()) value = call.checker.scalar_of(*value, wanted->element(), "the value of `full`");
  if (!value.has_value()) return std::nullopt;
  if (!call.on_mesh(*value, wanted->mesh_ref())) return std::nullopt;
  return with_pending_kept(call, *wanted, [&](const ArrayType& own) {
    return MaybeValue(call.checker.compute(call.span, own, synth::Fill{}, {value->node()}));
  });
}

MaybeValue run_random(OperationCall& call) {
  const auto wanted = constructed_type(call, 0);
  if (!wanted.has_value()) return std::nullopt;
  if (!synth::is_float(synth::computed_as(wanted->element()))) {
    call.checker.report(base::make(Kind::element_unsupported, call.quoted(), synth::name(wanted->element()))
                            .at(call.span)
                            .suggest("make floats and cast them, as in i64(random(f32[8], 1) * 10.0)"));
    return std::nullopt;
  }
  MaybeValue seed = call.array(1, ElementType::i64);
  if (seed.has_value()) seed = call.checker.scalar_of(*seed, ElementType::i64, "a seed");
  if (!seed.has_value() || !call.on_mesh(*seed, wanted->mesh_ref())) return std::nullopt;
  return with_pending_kept(call, *wanted, [&](const ArrayType& own) {
    const synth::Operation operation =
        call.info.detail == 1 ? synth::Operation(synth::Normal{}) : synth::Operation(synth::Random{});
    return made_numbers(call, own, operation, {seed->node()});
  });
}

namespace {

bool has_file_extents(const frontend::TypeExpr& type) {
  for (const frontend::Dimension& dimension : type.dimensions) {
    if (dimension.from_file) return true;
  }
  return false;
}

}  // namespace

MaybeValue run_load(OperationCall& call) {
  Checker& checker = call.checker;
  const auto string = call.text(0);
  const auto name = string.has_value() ? checker.file_name("load", *string, call.span_of(0)) : std::nullopt;
  if (!name.has_value()) return std::nullopt;
  const std::string& path = name->form;
  const frontend::TypeExpr& written = checker.ast()[*call.type(1)];
  std::optional<FileHeader> header;
  if (has_file_extents(written)) {
    if (!checker.options().file_header) {
      checker.report(base::make(Kind::file_extent_unknown, "no files can be read here").at(written.span));
      return std::nullopt;
    }
    if (!name->numbers.empty()) {
      checker.report(base::make(Kind::file_extent_unknown, "its name is known only when the program runs")
                         .at(written.span)
                         .suggest("write the extent"));
      return std::nullopt;
    }
    auto found = checker.options().file_header(path);
    if (!found.ok()) {
      for (Diagnostic& diagnostic : std::move(found).errors()) {
        if (diagnostic.kind.slug == "file-missing") {
          diagnostic.help =
              "an extent `_` is read when the program is checked; of a file that the program saves "
              "itself, write the extent";
        }
        checker.report(std::move(diagnostic).at(call.span_of(0)));
      }
      return std::nullopt;
    }
    header = *found;
    if (header->shape.size() != written.dimensions.size()) {
      const std::string holds = fmt::format("an array of rank {}", header->shape.size());
      checker.report(base::make(Kind::load_mismatch, fmt::format("\"{}\"", path), holds,
                                fmt::format("rank {}", written.dimensions.size()))
                         .at(written.span));
      return std::nullopt;
    }
  }
  const auto wanted = constructed_type(call, 1, header.has_value() ? &header->shape : nullptr);
  if (!wanted.has_value()) return std::nullopt;
  if (!wanted->layout().pending().empty()) {
    checker.report(
        base::make(Kind::load_pending).at(written.span).suggest("load it, then write `as` with the pending axes"));
    return std::nullopt;
  }
  std::vector<NodeId> numbers;
  for (Checked number : name->numbers) {
    if (!call.on_mesh(number, wanted->mesh_ref())) return std::nullopt;
    numbers.push_back(number.node());
  }
  return checker.compute(call.span, *wanted, synth::Load{checker.add_string(path)}, std::move(numbers));
}

// A scalar comes to the mesh of what it fills.
bool OperationCall::on_mesh(Checked& value, const MeshRef& mesh) {
  if (MaybeValue again = checker.again_on(value, mesh)) {
    value = std::move(*again);
    return true;
  }
  checker.report(
      base::make(Kind::two_meshes)
          .at(value.span, checker.mesh_remark(checker.type(value).mesh()))
          .suggest(fmt::format("bring it to the other mesh: `as TYPE on {}`", checker.name_or(*mesh, "MESH"))));
  return false;
}

}  // namespace tessera::typeck
