#include "base/check.hpp"
#include "runtime/engine/host/devices.hpp"
#include "runtime/engine/host/local.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/generate.hpp"
#include "synth/moves/collective/moves.hpp"

namespace tessera::runtime {

namespace {

// Every device fills its own part. In a pending array the device at position 0 along the pending axes holds the value,
// the others what changes nothing.
template <class F>
base::Status construct(const LocalStep& step, const F& f) {
  const synth::RegisterId result = step.apply.results[0];
  const synth::ArrayType& type = step.tiles.type(result);
  return on_devices(step.tiles.block(result), work_of(step.tiles, step.apply), step.times,
                    [&](std::size_t device) -> Failure {
                      const TileOut out = step.tiles.out(result, device);
                      const auto number = static_cast<std::int64_t>(device);
                      if (synth::keeps_value(type, type.layout().pending(), number)) {
                        f(device, TilePlace{type.shape(), step.tiles.tiles(result).boxes[device]}, out);
                      } else {
                        fill_identity(type.layout().reduce(), out);
                      }
                      return std::nullopt;
                    });
}

std::int64_t seed(const LocalStep& step, std::size_t device) {
  return *typed<std::int64_t>(step.tiles.view(step.apply.operands[0], device));
}

}  // namespace

base::Status run_constructor(const LocalStep& step, const synth::Constant& operation) {
  const synth::Literal& literal = step.program.literals[operation.literal];
  const TileView all = dense_view(literal.element, literal.shape, literal.bytes.data());
  return construct(step, [&](std::size_t, const TilePlace& place, const TileOut& out) {
    synth::Shape begin;
    for (const synth::Interval& interval : place.box) begin.push_back(interval.begin);
    copy_elements(part_of(all, begin, out.shape), out);
  });
}

base::Status run_constructor(const LocalStep& step, const synth::Fill&) {
  const Writing writing = writing_of(step.tiles.tiles(step.apply.results[0]).bytes_total);
  return construct(step, [&](std::size_t device, const TilePlace&, const TileOut& out) {
    fill(step.tiles.view(step.apply.operands[0], device).data, out, writing);
  });
}

base::Status run_constructor(const LocalStep& step, const synth::Iota&) {
  const Writing writing = writing_of(step.tiles.tiles(step.apply.results[0]).bytes_total);
  return construct(step, [&](std::size_t, const TilePlace& place, const TileOut& out) { iota(place, out, writing); });
}

base::Status run_constructor(const LocalStep& step, const synth::Random&) {
  return construct(step, [&](std::size_t device, const TilePlace& place, const TileOut& out) {
    random(seed(step, device), place, out);
  });
}

base::Status run_constructor(const LocalStep& step, const synth::Normal&) {
  return construct(step, [&](std::size_t device, const TilePlace& place, const TileOut& out) {
    normal(seed(step, device), place, out);
  });
}

}  // namespace tessera::runtime
