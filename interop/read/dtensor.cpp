// torch's DTensor: `[S(0), R]`, `(Shard(dim=0), Partial(max))`, one placement for each axis of the mesh.
#include <fmt/format.h>

#include <algorithm>

#include "interop/kinds.hpp"
#include "interop/read/parts.hpp"

namespace tessera::interop {

namespace {

// What one axis of the mesh does.
struct AxisPlacement {
  enum class Kind : std::uint8_t { replicate, shard, partial };
  Kind kind = Kind::replicate;
  std::uint32_t begin = 0;
  std::int64_t dimension = 0;  // of a shard; negative ones count from the end
  std::optional<std::int64_t> factor = {};
  synth::ReduceOp reduce = synth::ReduceOp::sum;
};

base::Result<std::int64_t> read_dimension_number(Scanner& scanner) {
  (void)scanner.take("dim=");
  const bool from_end = scanner.take("-");
  const auto number = scanner.number();
  if (!number) return scanner.wrong("the number of a dimension is wanted here");
  return from_end ? -*number : *number;
}

// Reads `0)` or, of a strided shard, `0, 2)` and `dim=0, sf=2)`.
base::Status read_shard(Scanner& scanner, bool strided, AxisPlacement& into) {
  into.kind = AxisPlacement::Kind::shard;
  TESSERA_TRY_STATUS(scanner.expect("("));
  TESSERA_TRY(dimension, read_dimension_number(scanner));
  into.dimension = dimension;
  if (strided) {
    TESSERA_TRY_STATUS(scanner.expect(","));
    if (!scanner.take("split_factor=")) (void)scanner.take("sf=");
    into.factor = scanner.number();
    if (!into.factor) return scanner.wrong("the factor of a strided shard is wanted here");
  }
  return scanner.expect(")");
}

// Reads what follows `Partial`: `(sum)`, `()`, `(reduce_op='max')` or nothing.
base::Status read_partial(Scanner& scanner, AxisPlacement& into) {
  into.kind = AxisPlacement::Kind::partial;
  if (!scanner.take("(") || scanner.take(")")) return base::Done{};
  (void)scanner.take("reduce_op=");
  scanner.sees("");
  const std::uint32_t begin = scanner.offset();
  const auto quoted = scanner.quoted();
  const std::string word = quoted ? *quoted : std::string(scanner.name());
  if (word == "max") {
    into.reduce = synth::ReduceOp::max;
  } else if (word == "min") {
    into.reduce = synth::ReduceOp::min;
  } else if (word == "product") {
    into.reduce = synth::ReduceOp::product;
  } else if (word == "avg") {
    return scanner.unsupported(begin, "a pending average",
                               "what is pending is a sum, a product, a maximum or a minimum");
  } else if (word != "sum") {
    return scanner.wrong_from(begin, "`sum`, `product`, `max` or `min` is wanted here");
  }
  return scanner.expect(")");
}

base::Result<AxisPlacement> read_placement(Scanner& scanner) {
  AxisPlacement result;
  scanner.sees("");
  result.begin = scanner.offset();
  const std::string_view word = scanner.name();
  if (word == "R" || word == "Replicate") {
    if (scanner.take("(")) {
      TESSERA_TRY_STATUS(scanner.expect(")"));
    }
  } else if (word == "S" || word == "Shard") {
    TESSERA_TRY_STATUS(read_shard(scanner, false, result));
  } else if (word == "_S" || word == "_StridedShard") {
    TESSERA_TRY_STATUS(read_shard(scanner, true, result));
  } else if (word == "P" || word == "Partial") {
    TESSERA_TRY_STATUS(read_partial(scanner, result));
  } else {
    return scanner.wrong_from(result.begin, "a placement is wanted here: S(0), R or P(sum)");
  }
  return result;
}

base::Result<std::vector<AxisPlacement>> read_placements(Scanner& scanner) {
  const bool square = scanner.take("[");
  if (!square) {
    TESSERA_TRY_STATUS(scanner.expect("("));
  }
  const std::string_view closing = square ? "]" : ")";
  std::vector<AxisPlacement> placements;
  while (!scanner.take(closing)) {
    TESSERA_TRY(placement, read_placement(scanner));
    placements.push_back(placement);
    if (scanner.take(",")) continue;
    TESSERA_TRY_STATUS(scanner.expect(closing));
    break;
  }
  TESSERA_TRY_STATUS(scanner.expect_end());
  return placements;
}

// The dimension that a shard splits. Without the array's rank negative ones have no meaning.
base::Result<std::size_t> dimension_of(const Scanner& scanner, const AxisPlacement& placement) {
  if (placement.dimension < 0)
    return scanner
        .unsupported(placement.begin, "a dimension that counts from the end", "the text does not say the rank")
        .suggest("write the dimension as torch prints it, from 0 on");
  if (placement.dimension >= static_cast<std::int64_t>(synth::kRankMax))
    return scanner.wrong_from(placement.begin, "an array has at most 16 dimensions");
  return static_cast<std::size_t>(placement.dimension);
}

// Puts an axis into its dimension's list, the later axes of which are there: before them, or behind them if strided.
base::Status put(const Scanner& scanner, const AxisPlacement& placement, const Digit& digit, Described& into) {
  TESSERA_TRY(dimension, dimension_of(scanner, placement));
  if (into.splits.size() <= dimension) into.splits.resize(dimension + 1);
  Digits& split = into.splits[dimension];
  if (!placement.factor) {
    split.insert(split.begin(), digit);
    return base::Done{};
  }
  std::int64_t later = 1;
  for (const Digit& other : split) later *= other.size;
  if (*placement.factor != later)
    return scanner.unsupported(placement.begin, fmt::format("a strided shard by {}", *placement.factor),
                               fmt::format("the later axes on its dimension have {} devices together", later));
  split.push_back(digit);
  return base::Done{};
}

}  // namespace

base::Result<Described> read_dtensor(const Reading& reading) {
  Scanner scanner(reading.text);
  TESSERA_TRY(placements, read_placements(scanner));
  TESSERA_TRY(axes, axes_for(reading));
  if (placements.size() != axes.size())
    return scanner.wrong_from(
        0, fmt::format("it has {} placements, and the mesh {} axes", placements.size(), axes.size()));
  AxisUses uses(axes);
  Described result = uses.begin(scanner);
  result.is_open = true;
  bool has_pending = false;
  for (std::size_t i = placements.size(); i-- > 0;) {
    const AxisPlacement& placement = placements[i];
    if (placement.kind == AxisPlacement::Kind::replicate) continue;
    TESSERA_TRY(digit, uses.use(scanner, placement.begin, axes[i].name));
    if (placement.kind == AxisPlacement::Kind::shard) {
      TESSERA_TRY_STATUS(put(scanner, placement, digit, result));
      continue;
    }
    if (has_pending && result.reduce != placement.reduce)
      return scanner.unsupported(placement.begin, "two kinds of pending reductions in one array",
                                 "one is pending at a time");
    has_pending = true;
    result.reduce = placement.reduce;
    result.pending.insert(result.pending.begin(), digit);
  }
  return result;
}

}  // namespace tessera::interop
