// Reads what print.cpp writes. All ids of the program returned are in range; verify decides whether it makes sense.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "synth/kinds.hpp"
#include "synth/program/program.hpp"
#include "synth/program/program_reader.hpp"

namespace tessera::synth {

using base::make;

// ---- Types and tables ----

base::Result<ArrayType> ProgramReader::type() {
  TESSERA_TRY(mesh, id("m", meshes_.size()));
  return type_on(meshes_[mesh]);
}

base::Status ProgramReader::entry_number(std::string_view prefix, std::size_t number) {
  TESSERA_TRY(given, id(prefix, number + 1));
  if (given != number) return wrong("the entries of a table are out of order");
  return base::Done{};
}

base::Status ProgramReader::tables() {
  while (accept("mesh ")) TESSERA_TRY_STATUS(mesh());
  while (accept("string ")) {
    TESSERA_TRY_STATUS(entry_number("s", program_.strings.size()));
    TESSERA_TRY(text, quoted());
    program_.strings.add(std::move(text));
  }
  while (accept("literal ")) TESSERA_TRY_STATUS(literal());
  while (accept("register ")) {
    TESSERA_TRY_STATUS(entry_number("r", program_.registers.size()));
    TESSERA_TRY(register_type, type());
    program_.registers.add(register_type);
  }
  return base::Done{};
}

base::Status ProgramReader::mesh() {
  TESSERA_TRY_STATUS(entry_number("m", meshes_.size()));
  cursor_.skip_blanks();
  TESSERA_TRY(parsed, parse_mesh(cursor_.bytes_while([](char c) { return c != '\n'; })));
  meshes_.push_back(parsed);
  return base::Done{};
}

base::Status ProgramReader::literal() {
  TESSERA_TRY_STATUS(entry_number("l", program_.literals.size()));
  TESSERA_TRY(one, TextReader::literal());
  program_.literals.add(std::move(one));
  return base::Done{};
}

// ---- Lists ----

base::Result<RegisterId> ProgramReader::register_id() {
  TESSERA_TRY(value, id("r", program_.registers.size()));
  return RegisterId{value};
}

base::Result<std::vector<RegisterId>> ProgramReader::registers() {
  std::vector<RegisterId> all;
  TESSERA_TRY_STATUS(expect("("));
  if (accept(")")) return all;
  do {
    TESSERA_TRY(one, register_id());
    all.push_back(one);
  } while (accept(","));
  TESSERA_TRY_STATUS(expect(")"));
  return all;
}

base::Result<std::vector<std::uint8_t>> ProgramReader::small_numbers() {
  std::vector<std::uint8_t> all;
  TESSERA_TRY_STATUS(expect("["));
  if (accept("]")) return all;
  do {
    TESSERA_TRY(one, number(255));
    if (one < 0) return wrong("a number is negative");
    all.push_back(static_cast<std::uint8_t>(one));
  } while (accept(","));
  TESSERA_TRY_STATUS(expect("]"));
  return all;
}

// ---- Steps ----

base::Result<Program> ProgramReader::read() {
  TESSERA_TRY_STATUS(expect("program"));
  TESSERA_TRY_STATUS(tables());
  TESSERA_TRY_STATUS(expect("inputs"));
  TESSERA_TRY(inputs, registers());
  TESSERA_TRY_STATUS(expect("outputs"));
  TESSERA_TRY(outputs, registers());
  TESSERA_TRY_STATUS(expect("body"));
  TESSERA_TRY(steps, body());
  skip();
  if (!cursor_.at_end()) return wrong("nothing may follow the body");
  program_.inputs = std::move(inputs);
  program_.outputs = std::move(outputs);
  program_.body = std::move(steps);
  return std::move(program_);
}

base::Result<Body> ProgramReader::body() {
  constexpr std::size_t kDepthMax = 512;
  if (++depth_ > kDepthMax) return make(Kind::program_too_large, kDepthMax, "nested blocks");
  TESSERA_TRY_STATUS(expect("{"));
  Body steps;
  while (!accept("}")) {
    if (++step_count_ > kProgramStepsMax) return make(Kind::program_too_large, kProgramStepsMax, "steps");
    TESSERA_TRY(one, step());
    steps.push_back(std::move(one));
  }
  --depth_;
  return steps;
}

base::Result<std::uint32_t> ProgramReader::origin() {
  TESSERA_TRY_STATUS(expect("@"));
  TESSERA_TRY(value, number(std::numeric_limits<std::uint32_t>::max()));
  if (value < 0) return wrong("an origin is negative");
  return static_cast<std::uint32_t>(value);
}

base::Result<Step> ProgramReader::step() {
  if (accept("repeat ")) return repeat();
  if (accept("choose ")) return choose();
  if (accept("pipeline ")) return pipeline();
  return apply();
}

base::Result<Step> ProgramReader::repeat() {
  Repeat node;
  TESSERA_TRY(count, register_id());
  TESSERA_TRY_STATUS(expect("index"));
  TESSERA_TRY(index, register_id());
  node.count = count;
  node.index = index;
  if (accept("elsewhere")) {
    TESSERA_TRY(elsewhere, registers());
    node.indices_elsewhere = std::move(elsewhere);
  }
  TESSERA_TRY_STATUS(list_after("initial", node.initial));
  TESSERA_TRY_STATUS(list_after("parameters", node.parameters));
  if (accept("while")) {
    TESSERA_TRY(condition, number(std::numeric_limits<std::uint32_t>::max()));
    if (condition < 0) return wrong("a number is negative");
    node.condition = static_cast<std::uint32_t>(condition);
    node.is_limited = accept("limited");
  }
  TESSERA_TRY(at, origin());
  TESSERA_TRY(steps, body());
  node.body = std::move(steps);
  TESSERA_TRY_STATUS(list_after("next", node.next));
  TESSERA_TRY_STATUS(list_after("results", node.results));
  return Step{at, std::move(node)};
}

base::Result<Step> ProgramReader::choose() {
  Choose node;
  TESSERA_TRY(condition, register_id());
  node.condition = condition;
  TESSERA_TRY(at, origin());
  TESSERA_TRY(then_steps, body());
  node.then_body = std::move(then_steps);
  TESSERA_TRY_STATUS(list_after("then", node.then_results));
  TESSERA_TRY_STATUS(expect("else"));
  TESSERA_TRY(else_steps, body());
  node.else_body = std::move(else_steps);
  TESSERA_TRY_STATUS(list_after("else", node.else_results));
  TESSERA_TRY_STATUS(list_after("results", node.results));
  return Step{at, std::move(node)};
}

base::Result<Step> ProgramReader::pipeline() {
  Pipeline node;
  TESSERA_TRY(count, number(static_cast<std::int64_t>(kProgramStepsMax)));
  if (count < 0) return wrong("a count is negative");
  node.count = count;
  TESSERA_TRY_STATUS(list_after("indices", node.indices));
  TESSERA_TRY_STATUS(list_after("initial", node.initial));
  TESSERA_TRY_STATUS(list_after("parameters", node.parameters));
  TESSERA_TRY_STATUS(numbers_after("carried", node.carried_by));
  TESSERA_TRY_STATUS(numbers_after("order", node.order));
  TESSERA_TRY(at, origin());
  while (accept("visit")) {
    TESSERA_TRY(steps, body());
    node.visits.push_back(std::move(steps));
  }
  TESSERA_TRY_STATUS(list_after("next", node.next));
  TESSERA_TRY_STATUS(list_after("results", node.results));
  return Step{at, std::move(node)};
}

base::Status ProgramReader::numbers_after(std::string_view word, std::vector<std::uint32_t>& out) {
  TESSERA_TRY_STATUS(expect(word));
  TESSERA_TRY_STATUS(expect("["));
  if (accept("]")) return base::Done{};
  do {
    TESSERA_TRY(one, number(std::numeric_limits<std::uint32_t>::max()));
    if (one < 0) return wrong("a number is negative");
    out.push_back(static_cast<std::uint32_t>(one));
  } while (accept(","));
  return expect("]");
}

base::Status ProgramReader::list_after(std::string_view word, std::vector<RegisterId>& out) {
  TESSERA_TRY_STATUS(expect(word));
  TESSERA_TRY(all, registers());
  out = std::move(all);
  return base::Done{};
}

base::Result<Step> ProgramReader::apply() {
  Apply node;
  skip();
  std::string_view word = cursor_.name();
  if (accept("=")) {
    const auto value = word.starts_with('r') ? integer_value(word.substr(1)) : std::nullopt;
    if (!value || static_cast<std::uint64_t>(*value) >= program_.registers.size()) return wrong("no such register");
    node.results.push_back(RegisterId{static_cast<std::uint32_t>(*value)});
    skip();
    word = cursor_.name();
  }
  TESSERA_TRY(operands, registers());
  node.operands = std::move(operands);
  TESSERA_TRY(read_operation, operation(word, node.operands));
  node.operation = std::move(read_operation);
  TESSERA_TRY(at, origin());
  return Step{at, std::move(node)};
}

base::Result<Program> read_program(std::string_view text) {
  return base::guarded([&]() -> base::Result<Program> { return ProgramReader(text).read(); });
}

}  // namespace tessera::synth
