// A plan as one C99 file for MPI: tables of boxes, and a loop over them that is the same for every plan.
#include <fmt/format.h>

#include <set>

#include "interop/kinds.hpp"
#include "interop/write/emit.hpp"
#include "interop/write/mpi_c_text.hpp"
#include "interop/write/phases.hpp"

namespace tessera::interop {

namespace {

using synth::Box;
using synth::ElementType;
using synth::ReduceOp;

struct CElement {
  std::string_view type;
  std::string_view mpi;
};

CElement c_element(ElementType element) {
  switch (element) {
    case ElementType::boolean: return {"unsigned char", "MPI_UNSIGNED_CHAR"};
    case ElementType::i32: return {"int", "MPI_INT"};
    case ElementType::i64: return {"long long", "MPI_LONG_LONG"};
    case ElementType::f32: return {"float", "MPI_FLOAT"};
    case ElementType::f64: return {"double", "MPI_DOUBLE"};
    case ElementType::i8: return {"signed char", "MPI_SIGNED_CHAR"};
    case ElementType::u8: return {"unsigned char", "MPI_UNSIGNED_CHAR"};
    case ElementType::i16: return {"short", "MPI_SHORT"};
    case ElementType::u32: return {"unsigned int", "MPI_UNSIGNED"};
    case ElementType::c64: return {"float _Complex", "MPI_C_FLOAT_COMPLEX"};
    case ElementType::c128: return {"double _Complex", "MPI_C_DOUBLE_COMPLEX"};
    case ElementType::u16:
    case ElementType::f16:
    case ElementType::bf16: return {"unsigned short", "MPI_UNSIGNED_SHORT"};
  }
  return {};
}

std::string combination(ElementType element, ReduceOp reduce) {
  const bool is_integer = synth::is_integer(element);
  switch (reduce) {
    case ReduceOp::sum:
      if (!is_integer) return "((element)((a) + (b)))";
      return element == ElementType::i32 ? "((element)((unsigned)(a) + (unsigned)(b)))"
                                         : "((element)((unsigned long long)(a) + (unsigned long long)(b)))";
    // What is no number stays so.
    case ReduceOp::max: return is_integer ? "((a) > (b) ? (a) : (b))" : "((a) != (a) || (a) > (b) ? (a) : (b))";
    case ReduceOp::min: return is_integer ? "((a) < (b) ? (a) : (b))" : "((a) != (a) || (a) < (b) ? (a) : (b))";
    case ReduceOp::product:
      if (!is_integer) return "((element)((a) * (b)))";
      return element == ElementType::i32 ? "((element)((unsigned)(a) * (unsigned)(b)))"
                                         : "((element)((unsigned long long)(a) * (unsigned long long)(b)))";
  }
  return "";
}

// What changes nothing: of a float sum -0.0.
std::string identity(ElementType element, ReduceOp reduce) {
  if (reduce == ReduceOp::product) return "1";
  if (reduce == ReduceOp::sum) return synth::is_rounded(element) ? "-0.0" : "0";
  const bool greatest = reduce == ReduceOp::min;
  if (synth::is_float(element)) return greatest ? "HUGE_VAL" : "-HUGE_VAL";
  if (element == ElementType::i32) return greatest ? "INT_MAX" : "INT_MIN";
  return greatest ? "LLONG_MAX" : "LLONG_MIN";
}

// An array without dimensions is one of one element here.
std::string c_box(const Box& box) {
  std::string text;
  for (const auto& side : box) text += fmt::format("{}{{{},{}}}", text.empty() ? "" : ",", side.begin, side.end);
  return "{{" + (text.empty() ? "{0,1}" : text) + "}}";
}

std::string tiles_text(const std::vector<Phase>& phases, const std::vector<Box>& first,
                       const std::vector<bool>& in_first, const std::vector<std::vector<bool>>& in_after) {
  std::string text;
  const auto add = [&](const std::vector<Box>& boxes, const std::vector<bool>& here) {
    text += "  {";
    for (std::size_t device = 0; device < boxes.size(); ++device) {
      const bool is_scalar_elsewhere = boxes[device].empty() && !here[device];
      text += (device == 0 ? "" : ", ") + (is_scalar_elsewhere ? std::string("{{{0,0}}}") : c_box(boxes[device]));
    }
    text += "},\n";
  };
  add(first, in_first);
  for (std::size_t p = 0; p < phases.size(); ++p) add(phases[p].after, in_after[p]);
  return text;
}

// May a message be received where it belongs at once? Not where what is received would overwrite what is sent.
bool overwrites_what_is_sent(const Stage& stage) {
  std::set<std::pair<std::int32_t, Box>> read;
  for (const BoxMove& move : stage) {
    for (const Piece& piece : move.pieces) {
      if (piece.of_after) read.insert({piece.device, move.box});
    }
  }
  for (const BoxMove& move : stage) {
    for (auto at = read.lower_bound({move.target, Box{}}); at != read.end() && at->first == move.target; ++at) {
      if (!synth::empty(synth::intersect(at->second, move.box))) return true;
    }
  }
  return false;
}

struct Tables {
  std::string pieces;
  std::string moves;
  std::string stages;
  std::size_t stage_count = 0;
};

Tables tables_of(const std::vector<Phase>& phases) {
  Tables tables;
  std::size_t pieces = 0;
  std::size_t moves = 0;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    for (const Stage& stage : phases[p].stages) {
      if (stage.empty()) continue;
      const bool aside = overwrites_what_is_sent(stage);
      tables.stages += fmt::format("  {{{}, {}, {}, {}}},\n", p, moves, stage.size(), aside ? 1 : 0);
      ++tables.stage_count;
      for (const BoxMove& move : stage) {
        tables.moves +=
            fmt::format("  {{{}, {}, {}, {}}},\n", move.target, pieces, move.pieces.size(), c_box(move.box));
        for (const Piece& piece : move.pieces)
          tables.pieces += fmt::format("  {{{}, {}}},\n", piece.device, piece.of_after ? 1 : 0);
        pieces += move.pieces.size();
      }
      moves += stage.size();
    }
  }
  return tables;
}

std::vector<bool> holders(const synth::Mesh& mesh, std::size_t devices) {
  std::vector<bool> here(devices, false);
  for (std::int64_t number = 0; number < mesh.devices(); ++number) here[mesh.device_of_run(number).value] = true;
  return here;
}

// Which part of a pending reduction each device of the run holds.
std::string parts_text(const synth::ArrayType& type, std::size_t devices) {
  std::vector<std::int64_t> parts(devices, 0);
  for (std::int64_t number = 0; number < type.devices(); ++number)
    parts[type.mesh().device_of_run(number).value] = synth::position(type.mesh(), type.layout().pending(), number);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string fills_text(const std::vector<Phase>& phases) {
  std::string text;
  for (const Phase& phase : phases) text += phase.fills ? "1, " : "0, ";
  return text + "0";
}

std::string extents_text(const synth::Shape& shape) {
  return shape.empty() ? "1" : fmt::format("{}", fmt::join(shape.begin(), shape.end(), ", "));
}

std::string c_comment(const std::string& text) {
  std::string result = text;
  for (std::size_t at = result.find("*/"); at != std::string::npos; at = result.find("*/"))
    result.replace(at, 2, "* /");
  return result;
}

std::string_view mpi_name(ReduceOp reduce) {
  switch (reduce) {
    case ReduceOp::sum: return "MPI_SUM";
    case ReduceOp::max: return "MPI_MAX";
    case ReduceOp::min: return "MPI_MIN";
    case ReduceOp::product: return "MPI_PROD";
  }
  return "";
}

std::string definitions(const synth::Plan& plan, const std::vector<Phase>& phases, std::size_t devices) {
  const ElementType element = plan.from.element();
  const ReduceOp reduce =
      plan.from.layout().pending().empty() ? plan.to.layout().reduce() : plan.from.layout().reduce();
  std::string text = fmt::format(
      "#define RANK {}\n#define DEVICES {}\n#define PHASES {}\ntypedef {} element;\n#define ELEMENT {}\n#define "
      "COMBINE(a, b) {}\n"
      "#define IDENTITY {}\n",
      std::max<std::size_t>(1, plan.from.rank()), devices, phases.size(), c_element(element).type,
      c_element(element).mpi, combination(element, reduce), identity(element, reduce));
  // Products of ones and twos are exact in any order.
  text += fmt::format("#define REDUCE {}\n#define PART(n) {}\n#define SOURCE_PARTS {}\n#define TARGET_PARTS {}\n",
                      mpi_name(reduce), reduce == ReduceOp::product ? "(1 + (n) % 2)" : "(n)",
                      synth::shard_count(plan.from.layout().pending()), synth::shard_count(plan.to.layout().pending()));
  return text + (element == ElementType::boolean ? "#define NUMBERS 2\n" : "#define NUMBERS 1021\n");
}

}  // namespace

base::Result<std::string> emit_mpi_c(const synth::Plan& plan, const synth::Machine& machine, const std::string& head) {
  TESSERA_TRY(phases, phases_of(plan, machine));
  const auto devices = static_cast<std::size_t>(std::max(plan.from.mesh().devices_end(), plan.to.mesh().devices_end()));
  std::vector<Box> first(devices, Box(plan.from.rank(), synth::Interval{0, 0}));
  for (std::int64_t number = 0; number < plan.from.devices(); ++number)
    first[plan.from.mesh().device_of_run(number).value] = synth::tile(plan.from, number);
  const std::vector<bool> in_from = holders(plan.from.mesh(), devices);
  const std::vector<bool> in_to = holders(plan.to.mesh(), devices);
  std::vector<std::vector<bool>> in_after(phases.size(), in_from);
  // Where a phase leaves the first mesh its boxes are those of the other.
  for (std::size_t p = 0; p < phases.size(); ++p) {
    if (p + 1 == phases.size()) in_after[p] = in_to;
  }
  const Tables tables = tables_of(phases);
  std::string text =
      fmt::format("/* Written by Tessera: `int tessera_reshard(MPI_Comm, const void *source, void *target)`.\n\n{}*/\n",
                  c_comment(head));
  for (const std::string_view header : kCHeaders) text += fmt::format("#include <{}.h>\n", header);
  text += "\n" + definitions(plan, phases, devices) + std::string(kCTypes);
  text += fmt::format("static const box tiles[PHASES + 1][DEVICES] = {{\n{}}};\n",
                      tiles_text(phases, first, in_from, in_after));
  text += fmt::format("static const int fills[PHASES + 1] = {{{}}};\n", fills_text(phases));
  text += fmt::format("static const piece pieces[] = {{\n{}  {{0, 0}}\n}};\n", tables.pieces);
  text += fmt::format("static const move moves[] = {{\n{}  {{0, 0, 0, {}}}\n}};\n", tables.moves,
                      c_box(Box(plan.from.rank(), synth::Interval{0, 0})));
  text += fmt::format("static const stage stages[] = {{\n{}  {{PHASES, 0, 0, 0}}\n}};\n", tables.stages);
  text += std::string(kCReshard);
  text += fmt::format(
      "#ifdef TESSERA_TEST\nstatic const long extents[RANK] = {{{}}};\nstatic const int source_part[DEVICES] = "
      "{{{}}};\n"
      "static const int target_part[DEVICES] = {{{}}};\n{}#endif\n",
      extents_text(plan.from.shape()), parts_text(plan.from, devices), parts_text(plan.to, devices), kCTest);
  return text;
}

}  // namespace tessera::interop
