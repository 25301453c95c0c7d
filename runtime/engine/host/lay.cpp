// Boxes that are laid over arrays where they lie.
#include "runtime/engine/host/devices.hpp"
#include "runtime/engine/host/local.hpp"
#include "runtime/engine/laid_box.hpp"
#include "runtime/kernels/copy.hpp"

namespace tessera::runtime {

// The result may have the base's memory.
base::Status run_operation(const LocalStep& step, const synth::Lay& operation) {
  const synth::RegisterId result = step.apply.results[0];
  const auto lay = [&](std::size_t device) -> Failure {
    const TileOut out = step.tiles.out(result, device);
    const TileView base = step.tiles.view(step.apply.operands[0], device);
    if (base.data != out.data) copy_elements(base, out);
    const BoxMove box = laid_box(operation, step.starts, step.tiles.view(step.apply.operands[1], device),
                                 step.tiles.tiles(result).boxes[device], out);
    copy_elements(box.from, box.to);
    return std::nullopt;
  };
  return on_devices(step.tiles.block(result), work_of(step.tiles, step.apply), step.times, lay);
}

}  // namespace tessera::runtime
