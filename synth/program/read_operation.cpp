// Operations of device programs, read as print.cpp writes them.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "synth/program/program_reader.hpp"

namespace tessera::synth {

namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

std::optional<MapOp> map_op_by_name(std::string_view word) {
#define ROW(identifier, text, count) \
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
  if (word == "arg_reduce") return arg_reduce();
  if (word == "contract") return contract();
  if (word == "assemble") return assemble();
  if (word == "collect") return collect(operands);
  if (word == "print") return print_items();
  if (word == "save") return save();
  if (word == "constant") {
    TESSERA_TRY(literal, id("l", program_.literals.size()));
    return Operation(Constant{LiteralId{literal}});
  }
  if (word == "cumsum") {
    TESSERA_TRY(dimension, number(255));
    return Operation(Cumsum{static_cast<std::uint8_t>(dimension), accept("reverse")});
  }
  if (word == "sort") return Operation(Sort{accept("positions")});
  if (word == "greatest") {
    TESSERA_TRY(count, number(std::numeric_limits<std::int64_t>::max()));
    return Operation(Greatest{static_cast<std::int64_t>(count), accept("positions")});
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

base::Result<StringId> ProgramReader::string_id() {
  TESSERA_TRY(value, id("s", program_.strings.size()));
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

base::Result<Operation> ProgramReader::reduce() {
  skip();
  const auto kind = reduce_kind_by_name(cursor_.name());
  if (!kind) return wrong("an unknown reduction");
  TESSERA_TRY(dimensions, small_numbers());
  return Operation(Reduce{*kind, dimensions});
}

base::Result<Operation> ProgramReader::arg_reduce() {
  const bool max = accept("max");
  if (!max) TESSERA_TRY_STATUS(expect("min"));
  TESSERA_TRY(dimensions, small_numbers());
  return Operation(ArgReduce{max, dimensions});
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
  placement.subtract = accept("-");
  if (!placement.subtract && !accept("+")) return placement;
  TESSERA_TRY(scalar, operand_number());
  placement.scalar = static_cast<std::int32_t>(scalar);
  placement.wraps = accept("wraps");
  if (!placement.wraps) return placement;
  TESSERA_TRY(extent, number(kMax));
  placement.wrap_extent = extent;
  return placement;
}

base::Result<Operation> ProgramReader::collect(const std::vector<RegisterId>& operands) {
  Collect collect;
  skip();
  const auto kind = collective_by_name(cursor_.name());
  if (!kind) return wrong("an unknown collective");
  collect.collective.kind = *kind;
  const MeshRef mesh = operands.empty() ? Mesh::single_device() : program_.registers[operands[0]].mesh_ref();
  TESSERA_TRY_STATUS(collective_fields(collect.collective, *mesh));
  TESSERA_TRY_STATUS(expect("rounds"));
  TESSERA_TRY(rounds, number(std::numeric_limits<std::uint32_t>::max()));
  if (rounds < 0) return wrong("a number is negative");
  collect.rounds = static_cast<std::uint32_t>(rounds);
  collect.joins = accept("joins");
  return Operation(std::move(collect));
}

base::Status ProgramReader::move_fields(AxisMove& move, const Mesh& mesh) {
  if (accept("axes")) {
    TESSERA_TRY(named, axes(mesh));
    move.axes = std::move(named);
  }
  for (const auto& [word, field] : {std::pair{"from", &move.from}, std::pair{"to", &move.to}}) {
    if (!accept(word)) continue;
    TESSERA_TRY(dimension, number(255));
    if (dimension < 0) return wrong("a number is negative");
    *field = static_cast<std::size_t>(dimension);
  }
  return base::Done{};
}

base::Status ProgramReader::collective_fields(Collective& collective, const Mesh& mesh) {
  AxisMove own;
  TESSERA_TRY_STATUS(move_fields(own, mesh));
  collective.axes = std::move(own.axes);
  collective.from = own.from;
  collective.to = own.to;
  while (accept("also")) TESSERA_TRY_STATUS(move_fields(collective.also.emplace_back(), mesh));
  if (accept("reduce")) {
    collective.reduce = accept("max") ? ReduceOp::max : accept("min") ? ReduceOp::min : ReduceOp::sum;
    if (collective.reduce == ReduceOp::sum) TESSERA_TRY_STATUS(expect("sum"));
  }
  if (accept("program <")) {
    auto program = parse_reduce_program(mesh, cursor_.bytes_while([](char c) { return c != '>'; }));
    if (!program) return wrong("the program of a reduction cannot be read");
    collective.program = std::make_shared<const ReduceProgram>(std::move(*program));
    return expect(">");
  }
  if (accept("target none") || !accept("target")) return base::Done{};
  TESSERA_TRY(target, type());
  collective.target = target;
  return relay_field(collective);
}

base::Status ProgramReader::relay_field(Collective& collective) {
  if (!accept("relay <")) return base::Done{};
  auto recipe = parse_relay_recipe(cursor_.bytes_while([](char c) { return c != '>'; }));
  if (!recipe) return wrong("who sends what in a relay cannot be read");
  collective.relay = std::make_shared<const RelayRecipe>(std::move(*recipe));
  return expect(">");
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
    TESSERA_TRY(axis, number(255));
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
