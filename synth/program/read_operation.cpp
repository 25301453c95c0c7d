// Operations of device programs, read as print.cpp writes them.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "synth/moves/transfer/reduce_program.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"
#include "synth/program/program_reader.hpp"

namespace tessera::synth {

namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

std::optional<MapOp> map_op_by_name(std::string_view word) {
#define ROW(identifier, text, count, elements, pending) \
  if (word == (text)) return MapOp::identifier;
  TESSERA_MAP_OPS(ROW)
#undef ROW
  return std::nullopt;
}

std::optional<ReduceKind> reduce_kind_by_name(std::string_view word) {
#define ROW(identifier, text) \
  if (word == (text)) return ReduceKind::identifier;
  TESSERA_REDUCE_KINDS(ROW)
#undef ROW
  return std::nullopt;
}

std::optional<MatrixOp> matrix_op_by_name(std::string_view word) {
#define ROW(identifier, text, arity) \
  if (word == (text)) return MatrixOp::identifier;
  TESSERA_MATRIX_OPS(ROW)
#undef ROW
  return std::nullopt;
}

std::optional<FourierKind> fourier_kind_by_name(std::string_view word) {
#define ROW(identifier, text) \
  if (word == (text)) return FourierKind::identifier;
  TESSERA_FOURIER_KINDS(ROW)
#undef ROW
  return std::nullopt;
}

// Operations that say nothing beyond their name.
std::optional<Operation> plain_operation(std::string_view word) {
  for (const Operation& operation :
       std::array<Operation, 8>{Fill{}, Iota{}, Random{}, Normal{}, Reshape{}, Take{}, ScatterAdd{}, OneHot{}}) {
    if (word == name(operation)) return operation;
  }
  return std::nullopt;
}

}  // namespace

base::Result<Operation> ProgramReader::operation(std::string_view word, const std::vector<RegisterId>& operands) {
  if (const auto plain = plain_operation(word)) return *plain;
  if (word == "map") return map();
  if (word == "reduce") return reduce();
  if (word == "matrix") return matrix_function();
  if (word == "fourier") return fourier();
  if (word == "arg_reduce") return arg_reduce<ArgReduce>();
  if (word == "find") return arg_reduce<Find>();
  if (word == "contract") return contract();
  if (word == "assemble") return assemble();
  if (word == "lay") return lay();
  if (word == "collect") return collect(operands);
  if (word == "print") return print_items();
  if (word == "save") return save();
  if (word == "constant") {
    TESSERA_TRY(literal, id("l", literal_count()));
    return Operation(Constant{LiteralId{literal}});
  }
  if (word == "scan") return scan();
  if (word == "recur") {
    TESSERA_TRY(along, dimension());
    return Operation(Recur{static_cast<std::uint8_t>(along), accept("reverse")});
  }
  if (word == "sort") return Operation(Sort{accept("positions")});
  if (word == "search") return Operation(Search{accept("right")});
  if (word == "greatest" || word == "candidates") {
    TESSERA_TRY(count, number(std::numeric_limits<std::int64_t>::max()));
    const bool positions = accept("positions");
    return word == "greatest" ? Operation(Greatest{count, positions}) : Operation(Candidates{count, positions});
  }
  if (word == "transpose") {
    TESSERA_TRY(permutation, small_numbers());
    return Operation(Transpose{permutation});
  }
  if (word != "load" && word != "print_text" && word != "show" && word != "assert")
    return wrong("an unknown operation");
  TESSERA_TRY(text, string_id());
  if (word == "load") return Operation(Load{text});
  if (word == "print_text") return Operation(PrintText{text});
  if (word == "show") return Operation(Show{text});
  return Operation(Assert{text});
}

base::Result<Operation> ProgramReader::operation_in(TextReader& text, std::string_view word, const TableSizes& tables) {
  ProgramReader reader(text, tables);
  if (word == "collect") return reader.wrong("a collective is no operation here");
  TESSERA_TRY(one, reader.operation(word, {}));
  text = reader;
  return one;
}

base::Result<Operation> read_details(std::string_view name, TextReader& text, const TableSizes& tables) {
  return ProgramReader::operation_in(text, name, tables);
}

base::Result<StringId> ProgramReader::string_id() {
  TESSERA_TRY(value, id("s", string_count()));
  return StringId{value};
}

base::Result<std::uint32_t> ProgramReader::operand_number() {
  return id("%", static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()));
}

base::Result<Operation> ProgramReader::map() {
  skip();
  const auto op = map_op_by_name(cursor_.name());
  if (!op) return wrong("an unknown elementwise operation");
  return Operation(Map{*op});
}

base::Result<Operation> ProgramReader::matrix_function() {
  skip();
  const auto op = matrix_op_by_name(cursor_.name());
  if (!op) return wrong("an unknown function of matrices");
  return Operation(MatrixFunction{*op});
}

base::Result<Operation> ProgramReader::fourier() {
  skip();
  const auto kind = fourier_kind_by_name(cursor_.name());
  if (!kind) return wrong("an unknown Fourier transform");
  TESSERA_TRY(along, dimension());
  return Operation(Fourier{*kind, static_cast<std::uint8_t>(along)});
}

base::Result<Operation> ProgramReader::reduce() {
  skip();
  const auto kind = reduce_kind_by_name(cursor_.name());
  if (!kind) return wrong("an unknown reduction");
  TESSERA_TRY(dimensions, small_numbers());
  return Operation(Reduce{*kind, dimensions});
}

template <class ArgReduceOrFind>
base::Result<Operation> ProgramReader::arg_reduce() {
  const bool max = accept("max");
  if (!max) TESSERA_TRY_STATUS(expect("min"));
  TESSERA_TRY(dimensions, small_numbers());
  return Operation(ArgReduceOrFind{max, dimensions});
}

base::Result<Operation> ProgramReader::contract() {
  Contract contract;
  while (!accept("->")) {
    TESSERA_TRY(indices, small_numbers());
    contract.operand_indices.push_back(indices);
  }
  TESSERA_TRY(indices, small_numbers());
  contract.result_indices = indices;
  return Operation(std::move(contract));
}

base::Result<Operation> ProgramReader::assemble() {
  Assemble assemble;
  assemble.has_base = accept("base");
  if (!assemble.has_base) TESSERA_TRY_STATUS(expect("cover"));
  while (accept("part")) {
    TESSERA_TRY(one, part());
    assemble.parts.push_back(std::move(one));
  }
  return Operation(std::move(assemble));
}

base::Result<Part> ProgramReader::part() {
  Part part;
  TESSERA_TRY(operand, operand_number());
  part.operand = operand;
  TESSERA_TRY_STATUS(expect("["));
  if (accept("]")) return part;
  do {
    TESSERA_TRY(one, placement());
    part.placements.push_back(one);
  } while (accept(","));
  TESSERA_TRY_STATUS(expect("]"));
  return part;
}

base::Result<Placement> ProgramReader::placement() {
  Placement placement;
  TESSERA_TRY(add, number(kMax));
  placement.add = add;
  if (accept("spread")) {
    TESSERA_TRY(spread, number(kMax));
    placement.spread = spread;
  }
  if (accept("from")) {
    TESSERA_TRY(first, number(kMax));
    placement.first = first;
    TESSERA_TRY_STATUS(expect("step"));
    TESSERA_TRY(step, number(kMax));
    placement.step = step;
  }
  placement.subtract = accept("-");
  if (!placement.subtract && !accept("+")) return placement;
  TESSERA_TRY(scalar, operand_number());
  placement.scalar = static_cast<std::int32_t>(scalar);
  placement.wraps = accept("wraps");
  if (placement.wraps) {
    TESSERA_TRY(extent, number(kMax));
    placement.wrap_extent = extent;
  }
  placement.clips = accept("clips");
  return placement;
}

// `sum 1 reverse`
base::Result<Operation> ProgramReader::scan() {
  TESSERA_TRY(op, reduce_op());
  TESSERA_TRY(along, dimension());
  return Operation(Scan{static_cast<std::uint8_t>(along), accept("reverse"), op});
}

base::Result<Operation> ProgramReader::lay() {
  Lay lay;
  TESSERA_TRY_STATUS(expect("["));
  if (accept("]")) return Operation(std::move(lay));
  do {
    TESSERA_TRY(one, laid_range());
    lay.ranges.push_back(one);
  } while (accept(","));
  TESSERA_TRY_STATUS(expect("]"));
  return Operation(std::move(lay));
}

// `2 for 4 step 1`, `scalar %2 wraps for 1 step 1`
base::Result<LaidRange> ProgramReader::laid_range() {
  LaidRange range;
  if (accept("scalar")) {
    TESSERA_TRY(scalar, operand_number());
    range.scalar = static_cast<std::int32_t>(scalar);
  } else {
    TESSERA_TRY(start, number(kMax));
    range.start = start;
  }
  range.wraps = accept("wraps");
  TESSERA_TRY_STATUS(expect("for"));
  TESSERA_TRY(length, number(kMax));
  TESSERA_TRY_STATUS(expect("step"));
  TESSERA_TRY(step, number(kMax));
  range.length = length;
  range.step = step;
  return range;
}

base::Result<Operation> ProgramReader::collect(const std::vector<RegisterId>& operands) {
  Collect collect;
  skip();
  const auto kind = collective_by_name(cursor_.name());
  if (!kind) return wrong("an unknown collective");
  const MeshRef mesh = operands.empty() ? Mesh::single_device() : program_.registers[operands[0]].mesh_ref();
  TESSERA_TRY(effect, this->effect(*kind, *mesh));
  TESSERA_TRY(recipe, this->recipe(*kind, *mesh));
  collect.collective = Collective{std::move(effect), std::move(recipe)};
  TESSERA_TRY_STATUS(expect("rounds"));
  TESSERA_TRY(rounds, number(std::numeric_limits<std::uint32_t>::max()));
  if (rounds < 0) return wrong("a number is negative");
  collect.rounds = static_cast<std::uint32_t>(rounds);
  collect.joins = accept("joins");
  return Operation(std::move(collect));
}

base::Result<AxisList> ProgramReader::named_axes(const Mesh& mesh) {
  TESSERA_TRY_STATUS(expect("axes"));
  return axes(mesh);
}

// `to 1`
base::Result<std::size_t> ProgramReader::dimension(std::string_view word) {
  TESSERA_TRY_STATUS(expect(word));
  return dimension();
}
base::Result<std::size_t> ProgramReader::dimension() {
  TESSERA_TRY(dimension, number(255));
  if (dimension < 0) return wrong("a number is negative");
  return static_cast<std::size_t>(dimension);
}

base::Result<AxesAt> ProgramReader::axes_at(std::string_view word, const Mesh& mesh) {
  TESSERA_TRY(named, named_axes(mesh));
  TESSERA_TRY(at, dimension(word));
  return AxesAt{std::move(named), at};
}

base::Result<std::vector<AxesAt>> ProgramReader::all_axes_at(std::string_view word, const Mesh& mesh) {
  std::vector<AxesAt> moves;
  do {
    TESSERA_TRY(move, axes_at(word, mesh));
    moves.push_back(std::move(move));
  } while (accept("also"));
  return moves;
}

base::Result<std::vector<AxisMove>> ProgramReader::axis_moves(const Mesh& mesh) {
  std::vector<AxisMove> moves;
  do {
    TESSERA_TRY(left, axes_at("from", mesh));
    TESSERA_TRY(to, dimension("to"));
    moves.push_back(AxisMove{std::move(left.axes), left.dimension, to});
  } while (accept("also"));
  return moves;
}

base::Result<ArrayType> ProgramReader::target() {
  TESSERA_TRY_STATUS(expect("target"));
  return type();
}

base::Result<ReduceOp> ProgramReader::reduce_op() {
  if (accept("max")) return ReduceOp::max;
  if (accept("min")) return ReduceOp::min;
  if (accept("product")) return ReduceOp::product;
  TESSERA_TRY_STATUS(expect("sum"));
  return ReduceOp::sum;
}

base::Result<Effect> ProgramReader::effect(CollectiveKind kind, const Mesh& mesh) {
  switch (kind) {
    case CollectiveKind::slice: {
      TESSERA_TRY(moves, all_axes_at("to", mesh));
      return Effect(Slice{std::move(moves)});
    }
    case CollectiveKind::all_gather: {
      TESSERA_TRY(moves, all_axes_at("from", mesh));
      return Effect(AllGather{std::move(moves)});
    }
    case CollectiveKind::all_to_all: {
      TESSERA_TRY(moves, axis_moves(mesh));
      return Effect(AllToAll{std::move(moves)});
    }
    case CollectiveKind::permute: {
      TESSERA_TRY(after, target());
      return Effect(Permute{std::move(after)});
    }
    case CollectiveKind::exchange:
    case CollectiveKind::relay: {
      TESSERA_TRY(after, target());
      return Effect(Exchange{std::move(after)});
    }
    case CollectiveKind::reduce_scatter: {
      TESSERA_TRY(summed, axes_at("to", mesh));
      ReduceScatter scatter{std::move(summed.axes), summed.dimension};
      if (accept("cut")) {
        TESSERA_TRY(cut, axes(mesh));
        scatter.cut = std::move(cut);
      }
      return Effect(std::move(scatter));
    }
    case CollectiveKind::all_reduce: {
      TESSERA_TRY(summed, named_axes(mesh));
      return Effect(AllReduce{std::move(summed)});
    }
    case CollectiveKind::keep: {
      TESSERA_TRY(kept, named_axes(mesh));
      TESSERA_TRY_STATUS(expect("reduce"));
      TESSERA_TRY(reduce, reduce_op());
      Keep keep{std::move(kept), reduce};
      if (accept("from")) {
        TESSERA_TRY(from, dimension());
        keep.from = from;
      }
      return Effect(std::move(keep));
    }
  }
  return wrong("an unknown collective");
}

base::Result<Recipe> ProgramReader::recipe(CollectiveKind kind, const Mesh& mesh) {
  const auto in_brackets = [this] { return cursor_.bytes_while([](char c) { return c != '>'; }); };
  if (kind == CollectiveKind::relay) {
    if (!accept("relay <")) return Recipe(RelayRef());
    auto relay = parse_relay_recipe(in_brackets());
    if (!relay) return wrong("who sends what in a relay cannot be read");
    TESSERA_TRY_STATUS(expect(">"));
    return Recipe(std::make_shared<const RelayRecipe>(std::move(*relay)));
  }
  if (movement(kind) == Movement::sums && accept("program <")) {
    auto program = parse_reduce_program(mesh, in_brackets());
    if (!program) return wrong("the program of a reduction cannot be read");
    TESSERA_TRY_STATUS(expect(">"));
    return Recipe(std::make_shared<const ReduceProgram>(std::move(*program)));
  }
  return Recipe(Direct{});
}

base::Result<AxisList> ProgramReader::axes(const Mesh& mesh) {
  AxisList all;
  TESSERA_TRY_STATUS(expect("("));
  if (accept(")")) return all;
  do {
    TESSERA_TRY(one, axis_part(mesh));
    all.push_back(one);
  } while (accept(","));
  TESSERA_TRY_STATUS(expect(")"));
  return all;
}

base::Result<AxisPart> ProgramReader::axis_part(const Mesh& mesh) {
  AxisPart part;
  bool sub_axis = true;
  if (accept("#")) {
    TESSERA_TRY(axis, dimension());
    part.axis = static_cast<std::uint8_t>(axis);
    TESSERA_TRY_STATUS(expect(":"));
  } else {
    skip();
    const auto axis = mesh.find(cursor_.name());
    if (!axis) return wrong("the mesh of the operand has no such axis");
    part = whole_axis(mesh, *axis);
    if (accept(".")) {
      const auto cut = named_cut(mesh, *axis, cursor_.name());
      if (!cut) return wrong("the axis has no cut of that name");
      return *cut;
    }
    sub_axis = accept(":");
  }
  if (!sub_axis) return part;
  TESSERA_TRY_STATUS(expect("("));
  TESSERA_TRY(before, number(kMax));
  TESSERA_TRY_STATUS(expect(")"));
  TESSERA_TRY(size, number(kMax));
  part.before = before;
  part.size = size;
  return part;
}

base::Result<Operation> ProgramReader::print_items() {
  Print print;
  TESSERA_TRY_STATUS(expect("["));
  if (accept("]")) return Operation(std::move(print));
  do {
    skip();
    PrintItem item;
    if (cursor_.peek() == '%') {
      TESSERA_TRY(operand, operand_number());
      item.operand = static_cast<std::int32_t>(operand);
    } else {
      TESSERA_TRY(text, string_id());
      item.text = text;
    }
    print.items.push_back(item);
  } while (accept(","));
  TESSERA_TRY_STATUS(expect("]"));
  return Operation(std::move(print));
}

base::Result<Operation> ProgramReader::save() {
  TESSERA_TRY(path, string_id());
  const bool shards = accept("shards");
  if (!shards) TESSERA_TRY_STATUS(expect("whole"));
  return Operation(Save{path, shards});
}

}  // namespace tessera::synth
