#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "runtime/engine/failures.hpp"
#include "runtime/engine/host/devices.hpp"
#include "runtime/engine/host/local.hpp"
#include "runtime/kernels/copy.hpp"
#include "runtime/kernels/fourier.hpp"
#include "runtime/kernels/map.hpp"
#include "runtime/kernels/matrix.hpp"
#include "runtime/kernels/recur.hpp"
#include "runtime/kernels/reduce.hpp"
#include "runtime/kernels/sort.hpp"
#include "runtime/kernels/take.hpp"
#include "runtime/kinds.hpp"
#include "synth/moves/collective/requests.hpp"

namespace tessera::runtime {

namespace {

using base::make;

// f(device, operands' tiles, result's tile) gives a Failure, on every device.
template <class F>
base::Status operate(const LocalStep& step, const F& f) {
  const synth::RegisterId result = step.apply.results[0];
  return on_devices(step.tiles.block(result), work_of(step.tiles, step.apply), step.times,
                    [&](std::size_t device) -> Failure {
                      std::vector<TileView> operands;
                      operands.reserve(step.apply.operands.size());
                      for (const synth::RegisterId operand : step.apply.operands)
                        operands.push_back(step.tiles.view(operand, device));
                      return f(device, operands, step.tiles.out(result, device));
                    });
}

void fill_zero(const TileOut& out) {
  std::fill_n(out.data, count(out.shape) * synth::bytes_of(out.element), std::byte{0});
}

const synth::ArrayType& operand_type(const LocalStep& step, std::size_t k) {
  return step.tiles.type(step.apply.operands[k]);
}

// Does the sum, on whatever device, have no terms at all?
bool sums_nothing(const LocalStep& step, const synth::Reduce& reduce) {
  const synth::Shape& shape = operand_type(step, 0).shape();
  return reduce.kind == synth::ReduceKind::sum &&
         std::any_of(reduce.dimensions.begin(), reduce.dimensions.end(), [&](std::uint8_t d) { return shape[d] == 0; });
}

}  // namespace

namespace {

// May an elementwise step of scalars be taken as one call of its loop? Not where it may fail, or where its loop depends
// on values.
bool is_one_call(const LocalStep& step, const synth::Map& operation) {
  using synth::MapOp;
  const synth::RegisterId result = step.apply.results[0];
  if (step.times != nullptr || step.tiles.type(result).rank() > 0 || operation.op == MapOp::power) return false;
  const bool divides = operation.op == MapOp::divide || operation.op == MapOp::remainder;
  if (!divides || !synth::is_integer(step.tiles.type(result).element())) return true;
  const Block mine = step.tiles.block(result);
  const auto bytes = static_cast<std::size_t>(synth::bytes_of(operand_type(step, 1).element()));
  for (std::int64_t device = mine.begin; device < mine.end; ++device) {
    const std::span divisor(step.tiles.data(step.apply.operands[1], static_cast<std::size_t>(device)), bytes);
    if (std::ranges::all_of(divisor, [](std::byte byte) { return byte == std::byte{0}; })) return false;
  }
  return true;
}

base::Status run_one_call(const LocalStep& step, const synth::Map& operation) {
  constexpr std::array<std::int64_t, kMapOperandsMax> kStrides{};
  const std::vector<synth::RegisterId>& operands = step.apply.operands;
  const synth::RegisterId result = step.apply.results[0];
  std::array<TileView, kMapOperandsMax> types;
  const std::size_t n = std::min(operands.size(), kMapOperandsMax);
  for (std::size_t k = 0; k < n; ++k) types[k].element = operand_type(step, k).element();
  const MapLoop loop = map_loop(operation.op, std::span(types).first(n), step.tiles.type(result).element());
  TESSERA_CHECK(n >= loop.operands, "an elementwise operation has another number of operands");
  const Block mine = step.tiles.block(result);
  for (std::int64_t i = mine.begin; i < mine.end; ++i) {
    const auto device = static_cast<std::size_t>(i);
    std::array<const std::byte*, kMapOperandsMax> data{};
    for (std::size_t k = 0; k < loop.operands; ++k) data[k] = step.tiles.data(operands[k], device);
    loop.run(step.tiles.out(result, device).data, 1, data.data(), kStrides.data());
  }
  return base::Done{};
}

}  // namespace

base::Status run_operation(const LocalStep& step, const synth::Map& operation) {
  if (is_one_call(step, operation)) return run_one_call(step, operation);
  return operate(step, [&](std::size_t device, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    const auto bad = map(operation.op, operands, out);
    if (!bad) return std::nullopt;
    return step_failure(step.tiles, step.apply, device, *bad);
  });
}

// A sum of nothing is the identity, -0.0, where other devices may have something to add, and 0.0, as NumPy's, where the
// whole array has nothing.
base::Status run_operation(const LocalStep& step, const synth::Reduce& operation) {
  const bool nothing = sums_nothing(step, operation);
  return operate(step, [&](std::size_t, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    if (nothing)
      fill_zero(out);
    else
      reduce(operation.kind, operands[0], operation.dimensions, out);
    return std::nullopt;
  });
}

base::Status run_operation(const LocalStep& step, const synth::ArgReduce& operation) {
  return operate(step, [&](std::size_t, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    arg_reduce(operation.max, operands[0], operation.dimensions, out);
    return std::nullopt;
  });
}

base::Status run_operation(const LocalStep& step, const synth::Find& operation) {
  const synth::RegisterId array = step.apply.operands[0];
  const synth::Shape& whole = step.tiles.type(array).shape();
  return operate(step, [&](std::size_t device, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    LinePlace place;
    for (const std::uint8_t d : operation.dimensions) {
      place.begins.push_back(step.tiles.tiles(array).boxes[device][d].begin);
      place.extents.push_back(whole[d]);
    }
    find(operation.max, operands[0], operands[1], operation.dimensions, place, out);
    return std::nullopt;
  });
}

base::Status run_operation(const LocalStep& step, const synth::Scan& operation) {
  return operate(step, [&](std::size_t, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    const Direction direction = operation.reverse ? Direction::backward : Direction::forward;
    scan(operation.op, operands[0], operation.dimension, out, direction);
    return std::nullopt;
  });
}

base::Status run_operation(const LocalStep& step, const synth::Recur& operation) {
  return operate(step, [&](std::size_t, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    RecurTile(operands[0], operands[1], operation, out, {}).run_inside();
    return std::nullopt;
  });
}

base::Status run_operation(const LocalStep& step, const synth::Sort& operation) {
  return operate(step, [&](std::size_t, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    if (operation.positions)
      sort_positions(operands[0], out);
    else
      sort_elements(operands[0], out);
    return std::nullopt;
  });
}

base::Status run_operation(const LocalStep& step, const synth::Greatest& operation) {
  return operate(step, [&](std::size_t, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    if (operation.positions)
      greatest_positions(operands[0], out);
    else
      greatest_elements(operands[0], out);
    if (operands.size() > 1) positions_for_places(operands[1], out);
    return std::nullopt;
  });
}

base::Status run_operation(const LocalStep& step, const synth::Candidates& operation) {
  const TileMap& tiles = step.tiles.tiles(step.apply.operands[0]);
  return operate(step, [&](std::size_t device, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    if (operation.positions)
      greatest_positions(operands[0], out, tiles.boxes[device].back().begin);
    else
      greatest_elements(operands[0], out);
    return std::nullopt;
  });
}

base::Status run_operation(const LocalStep& step, const synth::Transpose& operation) {
  const Writing writing = writing_of(step.tiles.tiles(step.apply.results[0]).bytes_total);
  return operate(step, [&](std::size_t, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    copy_elements(transposed(operands[0], operation.permutation), out, writing);
    return std::nullopt;
  });
}

// Copies an operand that is not dense; any other is only looked at under its new shape.
base::Status run_operation(const LocalStep& step, const synth::Reshape&) {
  const Writing writing = writing_of(step.tiles.tiles(step.apply.results[0]).bytes_total);
  return operate(step, [&](std::size_t, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    copy_elements(operands[0], TileOut{out.element, operands[0].shape, out.data}, writing);
    return std::nullopt;
  });
}

namespace {

// The dimension of a table that ids number.
std::size_t numbered_dimension(const LocalStep& step, std::size_t table_rank) {
  const std::size_t ids = operand_type(step, 1).rank();
  const std::size_t result = step.tiles.type(step.apply.results[0]).rank();
  return synth::goes_along_lines(operand_type(step, 0).rank(), ids, result) ? table_rank - 1 : 0;
}

}  // namespace

base::Status run_operation(const LocalStep& step, const synth::Take&) {
  const synth::Shape& shape = operand_type(step, 0).shape();
  const std::size_t d = numbered_dimension(step, shape.size());
  const TileMap& tables = step.tiles.tiles(step.apply.operands[0]);
  return operate(step, [&](std::size_t device, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    const auto kernel = d == 0 ? take : take_along;
    const auto bad = kernel(operands[0], tables.boxes[device][d].begin, shape[d], operands[1], out);
    if (!bad) return std::nullopt;
    return step_failure(step.tiles, step.apply, device, bad->id);
  });
}

base::Status run_operation(const LocalStep& step, const synth::ScatterAdd&) {
  const synth::Shape& shape = step.tiles.type(step.apply.results[0]).shape();
  const std::size_t d = numbered_dimension(step, shape.size());
  const TileMap& tables = step.tiles.tiles(step.apply.results[0]);
  return operate(step, [&](std::size_t device, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    const auto kernel = d == 0 ? scatter_add : scatter_add_along;
    const auto bad = kernel(operands[0], operands[1], tables.boxes[device][d].begin, shape[d], out);
    if (!bad) return std::nullopt;
    return step_failure(step.tiles, step.apply, device, bad->id);
  });
}

base::Status run_operation(const LocalStep& step, const synth::Search& operation) {
  return operate(step, [&](std::size_t, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    search(operands[0], operands[1], operation.right, out);
    return std::nullopt;
  });
}

base::Status run_operation(const LocalStep& step, const synth::Fourier& operation) {
  const synth::RegisterId result = step.apply.results[0];
  return operate(step, [&](std::size_t device, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    fourier(operation, operands[0], out, step.tiles.room(result, device, step.beside));
    return std::nullopt;
  });
}

base::Status run_operation(const LocalStep& step, const synth::OneHot&) {
  const std::int64_t n = step.tiles.type(step.apply.results[0]).shape().back();
  return operate(step, [&](std::size_t device, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    const auto bad = one_hot(operands[0], n, out);
    if (!bad) return std::nullopt;
    return step_failure(step.tiles, step.apply, device, bad->id);
  });
}

namespace {

// ` at [3, 4]`: where the matrix of this number in a tile is in the whole array; nothing of a single one.
std::string at_matrix(synth::Box box, std::int64_t number) {
  box.pop_back();
  box.pop_back();
  const std::string place = at_element(box, number);
  return place.empty() ? "" : " at" + place.substr(place.find(" ["));
}

}  // namespace

base::Status run_operation(const LocalStep& step, const synth::MatrixFunction& operation) {
  const synth::RegisterId result = step.apply.results[0];
  const TileMap& matrices = step.tiles.tiles(step.apply.operands[0]);
  return operate(step, [&](std::size_t device, const std::vector<TileView>& operands, const TileOut& out) -> Failure {
    const auto bad = of_matrices(operation.op, operands, out, step.tiles.room(result, device, step.beside));
    if (!bad) return std::nullopt;
    const std::string where = at_matrix(matrices.boxes[device], bad->number);
    if (operation.op == synth::MatrixOp::cholesky) return make(Kind::not_positive_definite, where, bad->column + 1);
    return make(Kind::singular_matrix, where, bad->column);
  });
}

}  // namespace tessera::runtime
