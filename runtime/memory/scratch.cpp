#include "runtime/memory/scratch.hpp"

#include <algorithm>

#include "runtime/kernels/fourier.hpp"
#include "runtime/kernels/matrix.hpp"
#include "synth/moves/collective/carries.hpp"
#include "synth/moves/collective/programmed.hpp"
#include "synth/moves/collective/sort_cuts.hpp"
#include "synth/program/running.hpp"

namespace tessera::runtime {

namespace {

// Where a function of matrices works, on the device that has the most of them.
std::int64_t matrix_bytes(const synth::Program& program, const TileMaps& tiles, synth::MatrixOp op,
                          synth::RegisterId matrices) {
  const synth::ElementType element = program.registers[matrices].element();
  std::int64_t most = 0;
  for (const synth::Box& box : tiles[matrices].boxes)
    most = std::max(most, matrix_scratch_bytes(op, element, synth::shape_of(box)));
  return most;
}

// Where lines are transformed, on the device that needs the most.
std::int64_t fourier_bytes(const synth::Program& program, const TileMaps& tiles, const synth::Fourier& how,
                           synth::RegisterId from, synth::RegisterId to) {
  const synth::ElementType element = program.registers[from].element();
  const synth::ElementType part = synth::is_complex(element) ? synth::part_of(element) : element;
  std::int64_t most = 0;
  for (std::size_t device = 0; device < tiles[from].boxes.size(); ++device) {
    const std::int64_t own = fourier_scratch_bytes(how, part, synth::shape_of(tiles[from].boxes[device]),
                                                   synth::shape_of(tiles[to].boxes[device]));
    most = std::max(most, own);
  }
  return most;
}

// Of lines that are sorted over several tiles: the sorted run; of positions, these beside it, and elements that come.
std::int64_t sort_bytes(const TileMaps& tiles, synth::RegisterId lines, synth::ElementType element,
                        const synth::Sort& sort) {
  std::int64_t most = 0;
  for (const synth::Box& box : tiles[lines].boxes) most = std::max(most, synth::elements(box));
  const std::int64_t of_element = synth::bytes_of(element);
  return most * (sort.positions ? 2 * of_element + 8 : of_element);
}

}  // namespace

std::int64_t scratch_bytes(const synth::Program& program, const TileMaps& tiles, const synth::Apply& apply) {
  if (const auto running = synth::running_of(apply.operation)) {
    const synth::ArrayType& result = program.registers[apply.results[0]];
    const auto hops = synth::carry_hops(result, running->dimension, running->reverse);
    return synth::carry_bytes_max(hops, result.element(), running->kind);
  }
  if (const auto* sort = std::get_if<synth::Sort>(&apply.operation))
    return synth::sorts_by_cuts(program.registers[apply.operands[0]])
               ? sort_bytes(tiles, apply.operands[0], program.registers[apply.operands[0]].element(), *sort)
               : 0;
  if (const auto* function = std::get_if<synth::MatrixFunction>(&apply.operation))
    return matrix_bytes(program, tiles, function->op, apply.operands[0]);
  if (const auto* transform = std::get_if<synth::Fourier>(&apply.operation))
    return fourier_bytes(program, tiles, *transform, apply.operands[0], apply.results[0]);
  const auto* collect = std::get_if<synth::Collect>(&apply.operation);
  if (collect == nullptr || synth::program_of(collect->collective) == nullptr) return 0;
  const auto reduction = synth::ProgrammedReduction::of(collect->collective, program.registers[apply.operands[0]],
                                                        program.registers[apply.results[0]]);
  return reduction ? reduction->beside_bytes() : 0;
}

}  // namespace tessera::runtime
