// Types of assembling: parts laid over a base or covering the result.
#include <algorithm>

#include "synth/program/type_checks.hpp"
#include "synth/program/type_rules.hpp"

namespace tessera::synth {

namespace {

// More left-over boxes than any slice, concatenation, padding or update leaves.
constexpr std::size_t kLeftOverMax = 4096;

std::optional<std::string> placement_error(const Placement& placement, const Operands& operands) {
  constexpr std::int64_t kMost = std::int64_t{1} << 61U;
  const auto is_far = [](std::int64_t number) { return number > kMost || number < -kMost; };
  std::int64_t moved = 0;
  const bool is_far_off = __builtin_mul_overflow(placement.step, placement.add, &moved) || is_far(moved);
  const bool is_plain = placement.first == 0 && placement.step == 1 && placement.spread == 1;
  if (!is_plain && (is_far_off || is_far(placement.first) || is_far(placement.step) || is_far(placement.spread)))
    return "a placement has too large a number";
  if (placement.step == 0 || placement.spread < 1) return "a placement has a step that is none";
  if (placement.scalar != -1 && !is_plain) return "a placement has a scalar and a step";
  if (placement.scalar == -1) return std::nullopt;
  const auto number = static_cast<std::size_t>(placement.scalar);
  if (placement.scalar < -1 || number >= operands.size()) return "a placement names an operand that is not there";
  if (!is_plain_scalar(*operands[number], ElementType::i64)) return "a placement's scalar is not an i64 scalar";
  return std::nullopt;
}

std::optional<std::string> part_error(const Part& part, const Operands& operands, const ArrayType& result) {
  if (part.operand >= operands.size()) return "a part names an operand that is not there";
  const ArrayType& type = *operands[part.operand];
  if (type.element() != result.element()) return "a part has another element type";
  if (type.rank() != result.rank()) return "a part has another rank";
  if (type.mesh() != result.mesh()) return "a part is on another mesh";
  if (!same_pending(type, result)) return "a part has another pending set";
  if (part.placements.size() != result.rank()) return "a part is not placed in every dimension";
  for (const Placement& placement : part.placements) {
    if (auto error = placement_error(placement, operands)) return error;
  }
  return std::nullopt;
}

// The box of the result that the part surely covers. Placed by a scalar, it covers a dimension only if it is the longer
// one.
Box covered_by(const Part& part, const ArrayType& type, const ArrayType& result) {
  Box box;
  for (std::size_t d = 0; d < result.rank(); ++d) {
    const std::int64_t extent = result.shape()[d];
    const std::int64_t length = type.shape()[d];
    const Placement& placement = part.placements[d];
    if (placement.scalar != -1)
      box.push_back(Interval{0, length >= extent ? extent : 0});
    else if (placement.spread != 1)
      box.push_back(Interval{});
    else
      box.push_back(numbers_in(shift_of(placement), length, Interval{0, extent}));
  }
  return box;
}

// `box` without `hole`, as boxes: what lies before and after the hole, dimension by dimension.
void subtract(Box box, const Box& hole, std::vector<Box>& out) {
  const Box both = intersect(box, hole);
  if (empty(both)) {
    out.push_back(box);
    return;
  }
  for (std::size_t d = 0; d < box.size(); ++d) {
    for (const Interval side : {Interval{box[d].begin, both[d].begin}, Interval{both[d].end, box[d].end}}) {
      if (side.length() == 0) continue;
      Box rest = box;
      rest[d] = side;
      out.push_back(rest);
    }
    box[d] = both[d];
  }
}

bool covers(const Assemble& assemble, const Operands& operands, const ArrayType& result) {
  std::vector<Box> left_over{whole(result.shape())};
  if (empty(left_over[0])) return true;
  for (const Part& part : assemble.parts) {
    const Box hole = covered_by(part, *operands[part.operand], result);
    std::vector<Box> next;
    for (const Box& box : left_over) subtract(box, hole, next);
    left_over = std::move(next);
    if (left_over.size() > kLeftOverMax) return false;
  }
  return left_over.empty();
}

}  // namespace

std::optional<std::string> assemble_error(const Assemble& assemble, const Operands& operands, const ArrayType& result) {
  for (const Part& part : assemble.parts) {
    if (auto error = part_error(part, operands, result)) return error;
  }
  if (!assemble.has_base) {
    if (covers(assemble, operands, result)) return std::nullopt;
    return "its parts do not cover the result";
  }
  if (operands.empty() || !same_type(*operands[0], result)) return "its base is not of the result's type";
  return std::nullopt;
}

}  // namespace tessera::synth
