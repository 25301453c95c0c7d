#include <map>

#include "base/check.hpp"
#include "runtime/execute/devices.hpp"
#include "runtime/execute/file_name.hpp"
#include "runtime/execute/local.hpp"
#include "runtime/io/npy.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/generate.hpp"
#include "synth/collective/moves.hpp"

namespace tessera::runtime {

namespace {

// Every device fills its own part. In a pending array the device at position 0 along the pending axes holds the value,
// the others what changes nothing.
template <class F>
base::Status construct(const LocalStep& step, const F& f) {
  const synth::RegisterId result = step.apply.results[0];
  const synth::ArrayType& type = step.storage.type(result);
  return on_devices(step.storage.block(result), work_of(step), step.times, [&](std::size_t device) -> Failure {
    const TileOut out = step.storage.out(result, device);
    const auto number = static_cast<std::int64_t>(device);
    if (synth::keeps_value(type, type.layout().pending(), number)) {
      f(device, TilePlace{type.shape(), step.storage.tiles(result).boxes[device]}, out);
    } else {
      fill_identity(type.layout().reduce(), out);
    }
    return std::nullopt;
  });
}

std::int64_t seed(const LocalStep& step, std::size_t device) {
  return *typed<std::int64_t>(step.storage.view(step.apply.operands[0], device));
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
  const Writing writing = writing_of(step.storage.tiles(step.apply.results[0]).bytes_total);
  return construct(step, [&](std::size_t device, const TilePlace&, const TileOut& out) {
    fill(step.storage.view(step.apply.operands[0], device).data, out, writing);
  });
}

base::Status run_constructor(const LocalStep& step, const synth::Iota&) {
  const Writing writing = writing_of(step.storage.tiles(step.apply.results[0]).bytes_total);
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

// Every rank reads what its devices hold: each box once; devices that hold the same one copy it.
base::Status run_constructor(const LocalStep& step, const synth::Load& operation) {
  const synth::RegisterId result = step.apply.results[0];
  const synth::ArrayType& type = step.storage.type(result);
  TESSERA_TRY(path, file_name(step.program.strings[operation.path], step.storage, step.apply.operands));
  TESSERA_TRY(reader, NpyReader::open(step.files, path, type.element(), type.shape()));
  const std::vector<synth::Box>& boxes = step.storage.tiles(result).boxes;
  const Block mine = step.storage.block(result);
  std::map<synth::Box, std::size_t> first;
  for (std::int64_t d = mine.begin; d < mine.end; ++d) {
    const auto device = static_cast<std::size_t>(d);
    first.emplace(boxes[device], device);
  }
  TESSERA_TRY_STATUS(on_devices(mine, work_of(step), step.times, [&](std::size_t device) -> Failure {
    if (first.at(boxes[device]) != device) return std::nullopt;
    base::Status status = reader.read(boxes[device], step.storage.out(result, device));
    if (status.ok()) return std::nullopt;
    return std::move(status).errors()[0];
  }));
  return on_devices(mine, work_of(step), step.times, [&](std::size_t device) -> Failure {
    const std::size_t source = first.at(boxes[device]);
    if (source != device) copy_elements(step.storage.view(result, source), step.storage.out(result, device));
    return std::nullopt;
  });
}

}  // namespace tessera::runtime
