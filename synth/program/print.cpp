// Device programs as text. read.cpp reads what is written here.
//
//   program
//   mesh m0 x:4,y:2
//   string s0 "total"
//   literal l0 f32[2] 0000803f00000040
//   register r0 m0 f32[16@x, 16]
//   inputs (r0)
//   outputs (r1)
//   body {
//     r1 = collect (r0) all_gather axes (x) from 0 rounds 1 @3
//   }
//
// A step is `results = operation (operands) what it works by @origin`.
#include <fmt/format.h>

#include <iterator>

#include "base/quoted.hpp"
#include "synth/layout/axis_parts.hpp"
#include "synth/moves/transfer/reduce_program.hpp"
#include "synth/moves/transfer/relay_recipe.hpp"
#include "synth/program/program.hpp"
#include "synth/program/text_reader.hpp"

namespace tessera::synth {

namespace {

std::string hex(const std::vector<std::byte>& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (bytes.empty()) return "-";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    out.push_back(kDigits[std::to_integer<std::size_t>(byte >> 4)]);
    out.push_back(kDigits[std::to_integer<std::size_t>(byte & std::byte{0xf})]);
  }
  return out;
}

std::string list(const std::vector<RegisterId>& ids) {
  std::string out;
  for (const RegisterId id : ids) out += fmt::format("{}r{}", out.empty() ? "" : ", ", id.value);
  return fmt::format("({})", out);
}

std::string list(const std::vector<std::uint8_t>& numbers) {
  std::string out;
  for (const std::uint8_t number : numbers) out += fmt::format("{}{}", out.empty() ? "" : ", ", int{number});
  return fmt::format("[{}]", out);
}

std::string list(const std::vector<std::uint32_t>& numbers) { return fmt::format("[{}]", fmt::join(numbers, ", ")); }

std::string placement_text(const Placement& placement) {
  std::string out = fmt::format("{}", placement.add);
  if (placement.spread != 1) out += fmt::format(" spread {}", placement.spread);
  if (placement.first != 0 || placement.step != 1)
    out += fmt::format(" from {} step {}", placement.first, placement.step);
  if (placement.scalar < 0) return out;
  out += fmt::format("{}%{}", placement.subtract ? "-" : "+", placement.scalar);
  if (placement.wraps) out += fmt::format(" wraps {}", placement.wrap_extent);
  if (placement.clips) out += " clips";
  return out;
}

std::string range_text(const LaidRange& range) {
  std::string out = range.scalar < 0 ? fmt::format("{}", range.start) : fmt::format("scalar %{}", range.scalar);
  if (range.wraps) out += " wraps";
  return out + fmt::format(" for {} step {}", range.length, range.step);
}

class ProgramPrinter {
 public:
  explicit ProgramPrinter(const Program& program) : program_(program) {}

  std::string details(const Operation& operation) const {
    return std::visit([&](const auto& o) { return this->how(o, nullptr); }, operation);
  }

  std::string run() {
    collect_meshes();
    put("program\n");
    for (std::size_t i = 0; i < meshes_.size(); ++i) put("mesh m{} {}\n", i, print(*meshes_[i]));
    tables();
    put("inputs {}\noutputs {}\nbody {{\n", list(program_.inputs), list(program_.outputs));
    body(program_.body, 1);
    put("}}\n");
    return std::move(out_);
  }

 private:
  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void tables() {
    const auto& strings = program_.strings.items();
    for (std::size_t i = 0; i < strings.size(); ++i) put("string s{} {}\n", i, base::hex_quoted(strings[i]));
    const auto& literals = program_.literals.items();
    for (std::size_t i = 0; i < literals.size(); ++i) put("literal l{} {}\n", i, print(literals[i]));
    const auto& registers = program_.registers.items();
    for (std::size_t i = 0; i < registers.size(); ++i) put("register r{} {}\n", i, type_text(registers[i]));
  }

  // ---- Meshes: those of registers, then those of collectives' targets, each once ----

  void collect_meshes() {
    for (const ArrayType& type : program_.registers.items()) note(type);
    note(program_.body);
  }
  void note(const ArrayType& type) {
    for (const MeshRef& mesh : meshes_) {
      if (*mesh == type.mesh()) return;
    }
    meshes_.push_back(type.mesh_ref());
  }
  void note(const Body& steps) {
    for (const Step& step : steps) {
      std::visit([&](const auto& node) { note(node); }, step.node);
    }
  }
  void note(const Apply& step) {
    const auto* collect = std::get_if<Collect>(&step.operation);
    const ArrayType* target = collect == nullptr ? nullptr : target_of(collect->collective);
    if (target != nullptr) note(*target);
  }
  void note(const Repeat& step) { note(step.body); }
  void note(const Pipeline& step) {
    for (const Body& visit : step.visits) note(visit);
  }
  void note(const Choose& step) {
    note(step.then_body);
    note(step.else_body);
  }
  std::string type_text(const ArrayType& type) const {
    std::size_t number = 0;
    while (*meshes_[number] != type.mesh()) ++number;
    return fmt::format("m{} {}", number, print(type));
  }

  // ---- Steps ----

  void body(const Body& steps, std::size_t depth) {
    for (const Step& step : steps) {
      put("{:{}}", "", 2 * depth);
      std::visit([&](const auto& node) { print_step(node, step.origin, depth); }, step.node);
    }
  }

  void print_step(const Apply& step, std::uint32_t origin, std::size_t) {
    if (!step.results.empty()) put("r{} = ", step.results[0].value);
    const Mesh* mesh = step.operands.empty() ? nullptr : &program_.registers[step.operands[0]].mesh();
    const std::string how = std::visit([&](const auto& o) { return this->how(o, mesh); }, step.operation);
    put("{} {}{}{} @{}\n", name(step.operation), list(step.operands), how.empty() ? "" : " ", how, origin);
  }

  void print_step(const Repeat& step, std::uint32_t origin, std::size_t depth) {
    std::string condition = step.condition ? fmt::format(" while {}", *step.condition) : "";
    if (step.is_limited) condition += " limited";
    put("repeat r{} index r{}{} initial {} parameters {}{} @{} {{\n", step.count.value, step.index.value,
        step.indices_elsewhere.empty() ? "" : " elsewhere " + list(step.indices_elsewhere), list(step.initial),
        list(step.parameters), condition, origin);
    body(step.body, depth + 1);
    put("{:{}}}} next {} results {}\n", "", 2 * depth, list(step.next), list(step.results));
  }

  void print_step(const Choose& step, std::uint32_t origin, std::size_t depth) {
    put("choose r{} @{} {{\n", step.condition.value, origin);
    body(step.then_body, depth + 1);
    put("{:{}}}} then {} else {{\n", "", 2 * depth, list(step.then_results));
    body(step.else_body, depth + 1);
    put("{:{}}}} else {} results {}\n", "", 2 * depth, list(step.else_results), list(step.results));
  }

  void print_step(const Pipeline& step, std::uint32_t origin, std::size_t depth) {
    put("pipeline {} indices {} initial {} parameters {} carried {} order {} @{}", step.count, list(step.indices),
        list(step.initial), list(step.parameters), list(step.carried_by), list(step.order), origin);
    for (const Body& visit : step.visits) {
      put(" visit {{\n");
      body(visit, depth + 1);
      put("{:{}}}}", "", 2 * depth);
    }
    put(" next {} results {}\n", list(step.next), list(step.results));
  }

  // ---- What an operation works by ----

  std::string how(const Constant& o, const Mesh*) const { return fmt::format("l{}", o.literal.value); }
  std::string how(const Fill&, const Mesh*) const { return ""; }
  std::string how(const Iota&, const Mesh*) const { return ""; }
  std::string how(const Random&, const Mesh*) const { return ""; }
  std::string how(const Normal&, const Mesh*) const { return ""; }
  std::string how(const Load& o, const Mesh*) const { return fmt::format("s{}", o.path.value); }
  std::string how(const Map& o, const Mesh*) const { return std::string(name(o.op)); }
  std::string how(const Reduce& o, const Mesh*) const { return fmt::format("{} {}", name(o.kind), list(o.dimensions)); }
  std::string how(const ArgReduce& o, const Mesh*) const {
    return fmt::format("{} {}", o.max ? "max" : "min", list(o.dimensions));
  }
  std::string how(const Find& o, const Mesh*) const {
    return fmt::format("{} {}", o.max ? "max" : "min", list(o.dimensions));
  }
  std::string how(const Contract& o, const Mesh*) const {
    std::string out;
    for (const auto& indices : o.operand_indices) out += list(indices) + " ";
    return out + "-> " + list(o.result_indices);
  }
  std::string how(const Scan& o, const Mesh*) const {
    return fmt::format("{} {}{}", name(o.op), int{o.dimension}, o.reverse ? " reverse" : "");
  }
  std::string how(const Recur& o, const Mesh*) const {
    return fmt::format("{}{}", int{o.dimension}, o.reverse ? " reverse" : "");
  }
  std::string how(const Sort& o, const Mesh*) const { return o.positions ? "positions" : ""; }
  std::string how(const Greatest& o, const Mesh*) const {
    return fmt::format("{}{}", o.count, o.positions ? " positions" : "");
  }
  std::string how(const Candidates& o, const Mesh*) const {
    return fmt::format("{}{}", o.count, o.positions ? " positions" : "");
  }
  std::string how(const Transpose& o, const Mesh*) const { return list(o.permutation); }
  std::string how(const Reshape&, const Mesh*) const { return ""; }
  std::string how(const Take&, const Mesh*) const { return ""; }
  std::string how(const ScatterAdd&, const Mesh*) const { return ""; }
  std::string how(const Search& o, const Mesh*) const { return o.right ? "right" : ""; }
  std::string how(const OneHot&, const Mesh*) const { return ""; }
  std::string how(const MatrixFunction& o, const Mesh*) const { return std::string(name(o.op)); }
  std::string how(const Fourier& o, const Mesh*) const { return fmt::format("{} {}", name(o.kind), int{o.dimension}); }
  std::string how(const Lay& o, const Mesh*) const {
    std::string ranges;
    for (const LaidRange& range : o.ranges) ranges.append(ranges.empty() ? "" : ", ").append(range_text(range));
    return "[" + ranges + "]";
  }
  std::string how(const Assemble& o, const Mesh*) const {
    std::string out = o.has_base ? "base" : "cover";
    for (const Part& part : o.parts) {
      std::string placements;
      for (const Placement& p : part.placements)
        placements.append(placements.empty() ? "" : ", ").append(placement_text(p));
      out += fmt::format(" part %{} [{}]", part.operand, placements);
    }
    return out;
  }
  std::string how(const Collect& o, const Mesh* mesh) const {
    const auto effect = std::visit([&](const auto& e) { return effect_text(e, mesh); }, o.collective.effect);
    const auto recipe = std::visit([&](const auto& r) { return recipe_text(r, mesh); }, o.collective.recipe);
    return fmt::format("{}{}{} rounds {}{}", name(o.collective), effect, recipe, o.rounds, o.joins ? " joins" : "");
  }
  std::string how(const PrintText& o, const Mesh*) const { return fmt::format("s{}", o.text.value); }
  std::string how(const Print& o, const Mesh*) const {
    std::string out;
    for (const PrintItem& item : o.items) {
      out += out.empty() ? "" : ", ";
      out += item.operand < 0 ? fmt::format("s{}", item.text.value) : fmt::format("%{}", item.operand);
    }
    return fmt::format("[{}]", out);
  }
  std::string how(const Show& o, const Mesh*) const { return fmt::format("s{}", o.label.value); }
  std::string how(const Save& o, const Mesh*) const {
    return fmt::format("s{} {}", o.path.value, o.shards ? "shards" : "whole");
  }
  std::string how(const Assert& o, const Mesh*) const { return fmt::format("s{}", o.message.value); }

  std::string effect_text(const Slice& effect, const Mesh* mesh) const { return moves_text(effect.moves, "to", mesh); }
  std::string effect_text(const AllGather& effect, const Mesh* mesh) const {
    return moves_text(effect.moves, "from", mesh);
  }
  std::string effect_text(const AllToAll& effect, const Mesh* mesh) const {
    std::string out;
    for (const AxisMove& move : effect.moves) {
      out += out.empty() ? "" : " also";
      out += fmt::format(" axes {} from {} to {}", axes(move.axes, mesh), move.from, move.to);
    }
    return out;
  }
  std::string effect_text(const Permute& effect, const Mesh*) const { return " target " + type_text(effect.target); }
  std::string effect_text(const Exchange& effect, const Mesh*) const { return " target " + type_text(effect.target); }
  std::string effect_text(const ReduceScatter& effect, const Mesh* mesh) const {
    const std::string cut = effect.cut.empty() ? "" : fmt::format(" cut {}", axes(effect.cut, mesh));
    return fmt::format(" axes {} to {}{}", axes(effect.axes, mesh), effect.to, cut);
  }
  std::string effect_text(const AllReduce& effect, const Mesh* mesh) const {
    return fmt::format(" axes {}", axes(effect.axes, mesh));
  }
  std::string effect_text(const Keep& effect, const Mesh* mesh) const {
    const std::string from = effect.from ? fmt::format(" from {}", *effect.from) : "";
    return fmt::format(" axes {} reduce {}{}", axes(effect.axes, mesh), name(effect.reduce), from);
  }
  std::string moves_text(const std::vector<AxesAt>& moves, std::string_view word, const Mesh* mesh) const {
    std::string out;
    for (const AxesAt& move : moves) {
      out += out.empty() ? "" : " also";
      out += fmt::format(" axes {} {} {}", axes(move.axes, mesh), word, move.dimension);
    }
    return out;
  }

  std::string recipe_text(const Direct&, const Mesh*) const { return ""; }
  // A program that verifies has no rounds; nothing reads this back.
  std::string recipe_text(const Round& round, const Mesh*) const {
    return fmt::format(" round {} of {} along {}", round.index + 1, round.count, round.dimension);
  }
  std::string recipe_text(const RelayRef& relay, const Mesh*) const {
    return relay == nullptr ? "" : fmt::format(" relay <{}>", print(*relay));
  }
  // Programs that are printed list no sends; nothing reads this back either.
  std::string recipe_text(const Listed& listed, const Mesh* mesh) const {
    return std::visit([&](const auto& own) { return recipe_text(own, mesh); }, listed.of) + " as listed";
  }
  std::string recipe_text(const ReduceProgramRef& program, const Mesh* mesh) const {
    return program == nullptr || mesh == nullptr ? "" : fmt::format(" program <{}>", print(*mesh, *program));
  }

  // A part that is none of the mesh's (a program that does not verify) is named by its numbers.
  static std::string axes(const AxisList& parts, const Mesh* mesh) {
    std::string out;
    for (const AxisPart& part : parts) {
      out += out.empty() ? "" : ",";
      out += mesh != nullptr && exists(*mesh, part) ? print(*mesh, AxisList{part})
                                                    : fmt::format("#{}:({}){}", int{part.axis}, part.before, part.size);
    }
    return fmt::format("({})", out);
  }

  const Program& program_;
  std::vector<MeshRef> meshes_;
  std::string out_;
};

}  // namespace

std::string print(const Literal& literal) {
  const auto type = ArrayType::replicated(literal.element, literal.shape, Mesh::single_device());
  return fmt::format("{} {}", type.ok() ? print(*type) : "?", hex(literal.bytes));
}

std::string print_details(const Operation& operation) {
  TESSERA_CHECK(!std::holds_alternative<Collect>(operation), "a collective is printed with its mesh");
  const Program none;
  return ProgramPrinter(none).details(operation);
}

std::string print(const Program& program) { return ProgramPrinter(program).run(); }

// FNV-1a over the printed program, which names every mesh it uses.
std::uint64_t hash(const Program& program) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char c : print(program)) value = (value ^ static_cast<unsigned char>(c)) * kPrime;
  return value;
}

}  // namespace tessera::synth
