// Pictures of what operations move by themselves: where an array lies, where it goes, and who sends what.
#include <fmt/format.h>

#include <utility>

#include "embed/host/convert.hpp"
#include "embed/kinds.hpp"
#include "embed/plans/plan_impl.hpp"
#include "embed/programs/program_facts.hpp"
#include "embed/session/session_impl.hpp"
#include "tessera/moved_boxes.hpp"
#include "typeck/typed/moved_parts.hpp"

namespace tessera::embed {

namespace {

// Between more devices there may be too many boxes to list.
constexpr std::int64_t kPictureDevicesMax = 512;

std::vector<std::int64_t> extents(const synth::ArrayType& type) { return {type.shape().begin(), type.shape().end()}; }

MovedBoxes drawn(const typeck::MovedArray& array) {
  MovedBoxes moved{array.what, extents(array.from), extents(array.to), holdings(array.from), holdings(array.to), {}};
  const synth::Mesh& mesh = array.to.mesh();
  for (const typeck::MovedArray::Move& move : array.moves) {
    moved.moves.push_back({mesh.device_of_run(move.source).value, mesh.device_of_run(move.target).value,
                           to_public(move.box), false, move.hop});
    moved.to.devices[static_cast<std::size_t>(move.target)].received_bytes += move.bytes;
  }
  return moved;
}

const typeck::Node* node_at(const typeck::Typed& typed, std::size_t index) {
  for (const typeck::TypedStatement& statement : typed.statements) {
    const auto nodes = typeck::parts_moved(typed, statement.region);
    if (index < nodes.size()) return nodes[index];
    index -= nodes.size();
  }
  return nullptr;
}

}  // namespace

Result<std::vector<MovedBoxes>> moved_boxes_of(const Program::Impl& program, std::size_t index) {
  const typeck::Node* node = node_at(*program.typed, index);
  if (node == nullptr)
    return failure(base::make(Kind::bad_call, fmt::format("no operation {} moves parts in this program", index)));
  const synth::ArrayType& result = node->types.at(0);
  const auto machine = synth::machine_for(program.machine, result.mesh().devices_end());
  if (!machine) return to_public({}, machine.errors());
  std::vector<MovedBoxes> all;
  if (result.devices() > kPictureDevicesMax) return all;
  for (const typeck::MovedArray& array : typeck::moved_arrays(*program.typed, *node, *machine))
    all.push_back(drawn(array));
  return all;
}

}  // namespace tessera::embed
