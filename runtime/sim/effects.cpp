#include "runtime/sim/effects.hpp"

#include <fmt/format.h>

#include "base/check.hpp"
#include "runtime/io/npy.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/text/array_text.hpp"
#include "runtime/text/show.hpp"

namespace tessera::runtime {

namespace {

void write(const World& world, const std::string& text) {
  if (world.output) world.output(text);
}

}  // namespace

base::Status run_effect(const EffectStep& step, const synth::PrintText& operation) {
  write(step.world, step.program.strings[operation.text] + "\n");
  return base::Done{};
}

base::Status run_effect(const EffectStep& step, const synth::Print& operation) {
  std::string line;
  for (const synth::PrintItem& item : operation.items) {
    if (&item != &operation.items.front()) line += ' ';
    if (item.operand < 0)
      line += step.program.strings[item.text];
    else
      line += value_text(Gatherer(step.storage.array(step.apply.operands[static_cast<std::size_t>(item.operand)])));
  }
  write(step.world, line + "\n");
  return base::Done{};
}

base::Status run_effect(const EffectStep& step, const synth::Show& operation) {
  write(step.world, show_text(step.storage.array(step.apply.operands[0]), step.program.strings[operation.label]));
  return base::Done{};
}

base::Status run_effect(const EffectStep& step, const synth::Save& operation) {
  const synth::RegisterId id = step.apply.operands[0];
  const synth::ArrayType& type = step.storage.type(id);
  const std::string& path = step.program.strings[operation.path];
  if (!operation.shards) {
    const Gatherer gatherer(step.storage.array(id));
    return save_npy(step.world.files, path, type.element(), type.shape(),
                    [&](const synth::Box& box, const TileOut& out) { gatherer.read(box, out); });
  }
  for (std::int64_t device = 0; device < type.devices(); ++device) {
    const TileView tile = step.storage.view(id, static_cast<std::size_t>(device));
    const auto fill = [&](const synth::Box& box, const TileOut& out) {
      synth::Shape begin;
      for (const synth::Interval& interval : box) begin.push_back(interval.begin);
      copy_elements(part_of(tile, begin, out.shape), out);
    };
    const std::string name = fmt::format("{}.dev{}.npy", path, device);
    TESSERA_TRY_STATUS(save_npy(step.world.files, name, type.element(), tile.shape, fill));
  }
  return base::Done{};
}

base::Status run_effect(const EffectStep& step, const synth::Assert& operation) {
  if (step.storage.scalar<bool>(step.apply.operands[0])) return base::Done{};
  const std::string& message = step.program.strings[operation.message];
  return base::make(base::Kind::assertion_failed, message.empty() ? "the assertion does not hold" : message);
}

}  // namespace tessera::runtime
