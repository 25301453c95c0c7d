#include "runtime/device/write/write.hpp"

#include "runtime/device/write/apart.hpp"
#include "runtime/device/write/formula.hpp"
#include "runtime/device/write/maps.hpp"
#include "runtime/device/write/rows.hpp"
#include "runtime/engine/failures.hpp"

namespace tessera::device {

namespace {

bool may_fail(const runtime::LocalStep& step, synth::MapOp op) {
  const bool is_partial = op == synth::MapOp::divide || op == synth::MapOp::remainder || op == synth::MapOp::power;
  return is_partial && !synth::is_float(step.tiles.type(step.apply.results[0]).element());
}

}  // namespace

base::Status run_chain(Launcher& launcher, const runtime::ChainStep& chain) {
  const std::optional<Formula> formula = formula_of(chain);
  if (formula && !formula->has_reductions()) return run_maps(launcher, chain.tiles, *formula, nullptr);
  if (formula && can_run_rows(chain.tiles, *formula)) return run_rows(launcher, chain.tiles, *formula);
  return run_apart(launcher, chain);
}

base::Status run_map(Launcher& launcher, const runtime::LocalStep& step, const synth::Map& map) {
  ElementReport report;
  if (may_fail(step, map.op)) {
    report = [&tiles = step.tiles, apply = step.apply](std::size_t device, std::int64_t position) {
      return runtime::step_failure(tiles, apply, device, position);
    };
  }
  return run_maps(launcher, step.tiles, formula_of(step, map), report);
}

}  // namespace tessera::device
