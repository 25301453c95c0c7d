// Arrays from files.
#include <map>

#include "runtime/engine/host/devices.hpp"
#include "runtime/execute/executor.hpp"
#include "runtime/execute/file_name.hpp"
#include "runtime/io/npy.hpp"
#include "runtime/kernels/copy.hpp"

namespace tessera::runtime {

// Every rank reads what its devices hold: each box once; devices that hold the same one copy it.
base::Status Executor::load(const synth::Apply& apply, const synth::Load& operation) {
  const synth::RegisterId result = apply.results[0];
  const synth::ArrayType& type = storage_.type(result);
  TESSERA_TRY(path, file_name(program_.strings[operation.path], storage_, apply.operands));
  TESSERA_TRY(reader, NpyReader::open(world_.files, path, type.element(), type.shape()));
  const std::vector<synth::Box>& boxes = storage_.tiles(result).boxes;
  const Block mine = storage_.block(result);
  std::map<synth::Box, std::size_t> first;
  for (std::int64_t d = mine.begin; d < mine.end; ++d) {
    const auto device = static_cast<std::size_t>(d);
    first.emplace(boxes[device], device);
  }
  TESSERA_TRY_STATUS(on_devices(mine, work_of(storage_, apply), device_times(), [&](std::size_t device) -> Failure {
    if (first.at(boxes[device]) != device) return std::nullopt;
    base::Status status = reader.read(boxes[device], storage_.out(result, device));
    if (status.ok()) return std::nullopt;
    return std::move(status).errors()[0];
  }));
  return on_devices(mine, work_of(storage_, apply), device_times(), [&](std::size_t device) -> Failure {
    const std::size_t source = first.at(boxes[device]);
    if (source != device) copy_elements(storage_.view(result, source), storage_.out(result, device));
    return std::nullopt;
  });
}

}  // namespace tessera::runtime
