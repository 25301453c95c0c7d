#include "embed/host/convert.hpp"

#include <algorithm>
#include <limits>

#include "base/registry.hpp"
#include "embed/kinds.hpp"
#include "runtime/io/files.hpp"
#include "synth/layout/cluster/machine.hpp"
#include "typeck/elaborate/options.hpp"
#include "typeck/typed/lower.hpp"

namespace tessera::embed {

namespace {

constexpr std::size_t kDiagnosticsMax = 1000;

Severity to_public(base::Severity severity) {
  switch (severity) {
    case base::Severity::note: return Severity::note;
    case base::Severity::warning: return Severity::warning;
    case base::Severity::error: return Severity::error;
  }
  return Severity::error;
}

Blame to_public(base::Blame blame) {
  switch (blame) {
    case base::Blame::program: return Blame::program;
    case base::Blame::command: return Blame::command;
    case base::Blame::world: return Blame::world;
    case base::Blame::us: return Blame::us;
  }
  return Blame::us;
}

bool has_primary(const base::Diagnostic& diagnostic) {
  return std::any_of(diagnostic.labels.begin(), diagnostic.labels.end(),
                     [](const base::Label& l) { return l.primary; });
}

// The diagnostic with the place of the step it came from, where it has none of its own.
base::Diagnostic placed(base::Diagnostic diagnostic, const std::vector<typeck::Origin>& origins) {
  if (!diagnostic.origin || *diagnostic.origin >= origins.size() || has_primary(diagnostic)) return diagnostic;
  const base::Span span = origins[*diagnostic.origin].span;
  return std::move(diagnostic).at(span);
}

}  // namespace

Diagnostic to_public(const Texts& texts, const base::Diagnostic& diagnostic) {
  const base::KindInfo& kind = diagnostic.kind;
  Diagnostic result{
      std::string(kind.slug), to_public(kind.severity), to_public(kind.blame), diagnostic.message, {}, {}};
  result.help = diagnostic.help;
  for (const base::Label& label : diagnostic.labels) {
    if (label.span.known()) result.labels.push_back(Label{place(texts, label.span), label.text, label.primary});
  }
  std::stable_partition(result.labels.begin(), result.labels.end(), [](const Label& label) { return label.primary; });
  if (!result.labels.empty()) result.labels.front().primary = true;
  return result;
}

Diagnostics to_public(const Texts& texts, const base::Diagnostics& diagnostics,
                      const std::vector<typeck::Origin>* origins) {
  Diagnostics result;
  for (const base::Diagnostic& diagnostic : diagnostics) {
    if (result.size() == kDiagnosticsMax) break;
    result.push_back(to_public(texts, origins == nullptr ? diagnostic : placed(diagnostic, *origins)));
  }
  return result;
}

base::Diagnostic to_base(const Diagnostic& diagnostic) {
  const auto kind = base::kind_by_slug(diagnostic.slug);
  return base::Diagnostic{kind.value_or(base::Kind::internal), diagnostic.message, {}, diagnostic.help, {}};
}

Diagnostics failure(base::Diagnostic diagnostic) {
  return to_public(Texts{}, base::Diagnostics{std::move(diagnostic)});
}

Diagnostics bad_call(std::string_view why) { return failure(base::make(Kind::bad_call, why)); }

Element to_public(synth::ElementType element) {
  switch (element) {
    case synth::ElementType::boolean: return Element::boolean;
    case synth::ElementType::i32: return Element::i32;
    case synth::ElementType::i64: return Element::i64;
    case synth::ElementType::f32: return Element::f32;
    case synth::ElementType::f64: return Element::f64;
    case synth::ElementType::f16: return Element::f16;
    case synth::ElementType::bf16: return Element::bf16;
    case synth::ElementType::i8: return Element::i8;
    case synth::ElementType::u8: return Element::u8;
    case synth::ElementType::i16: return Element::i16;
    case synth::ElementType::u16: return Element::u16;
    case synth::ElementType::u32: return Element::u32;
    case synth::ElementType::c64: return Element::c64;
    case synth::ElementType::c128: return Element::c128;
  }
  return Element::boolean;
}

Placement placement(const synth::ArrayType& type) {
  Placement result;
  std::int64_t tiles = 1;
  std::int64_t tile_elements = 1;
  std::int64_t elements = 1;
  for (std::size_t d = 0; d < type.rank(); ++d) {
    const synth::Cuts cuts = synth::cuts(type, d);
    result.tile.push_back(cuts.longest());
    tile_elements *= cuts.longest();
    elements *= cuts.extent();
    tiles *= cuts.tiles();
  }
  const std::int64_t element_bytes = synth::bytes_of(type.element());
  result.tile_bytes = tile_elements * element_bytes;
  result.devices = type.devices();
  result.copies = synth::copies(type);
  const std::int64_t times = result.devices / tiles;
  const bool fits = elements * element_bytes <= std::numeric_limits<std::int64_t>::max() / times;
  result.total_bytes = fits ? elements * element_bytes * times : std::numeric_limits<std::int64_t>::max();
  return result;
}

MeshAxes to_public(const synth::Mesh& mesh) {
  MeshAxes result;
  for (const synth::MeshAxis& axis : mesh.axes()) result.push_back({axis.name, axis.size});
  return result;
}

Box to_public(const synth::Box& box) {
  Box result;
  for (const synth::Interval& side : box) result.emplace_back(side.begin, side.end);
  return result;
}

synth::Machine to_machine(const Machine& machine) {
  synth::Machine result;
  for (const MachineLevel& level : machine.levels) {
    result.levels.push_back(synth::MachineLevel{level.name, level.count, level.bandwidth_bytes_per_second,
                                                level.latency_seconds, level.gap_seconds, level.unit_bandwidths});
  }
  for (const DeviceKind& kind : machine.devices) {
    result.devices.push_back(
        synth::DeviceKind{kind.count, kind.flops_per_second, kind.bandwidth_bytes_per_second, kind.memory_bytes});
  }
  return result;
}

typeck::ReshardPolicy to_policy(Reshard reshard) {
  switch (reshard) {
    case Reshard::silent: return typeck::ReshardPolicy::silent;
    case Reshard::warn: return typeck::ReshardPolicy::warn;
    case Reshard::error: return typeck::ReshardPolicy::error;
  }
  return typeck::ReshardPolicy::silent;
}

}  // namespace tessera::embed
