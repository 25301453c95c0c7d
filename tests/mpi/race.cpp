#include "tests/mpi/race.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

namespace tessera::ranks {

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::int64_t received_bytes() {
  std::ifstream in("/proc/net/dev");
  std::int64_t bytes = 0;
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || line.find("lo:") != std::string::npos) continue;
    bytes += std::stoll(line.substr(colon + 1));
  }
  return bytes;
}

namespace {

synth::RegisterId add_steps(synth::Program& program, synth::Body& body, std::uint32_t origin, const synth::Plan& plan) {
  synth::RegisterId array = program.inputs[0];
  for (const synth::PlanStep& step : plan.steps) {
    const synth::RegisterId next = program.registers.add(step.after);
    body.push_back(synth::Step{origin, synth::Apply{synth::Collect{step.collective}, {array}, {next}}});
    array = next;
  }
  return array;
}

}  // namespace

synth::Program program_of_steps(const synth::Plan& plan) {
  synth::Program program;
  program.inputs = {program.registers.add(plan.from)};
  program.outputs = {add_steps(program, program.body, 0, plan)};
  return program;
}

synth::Program program_of_turns(const synth::Plan& plan, std::int64_t turns) {
  synth::Program program;
  program.inputs = {program.registers.add(plan.from)};
  const synth::RegisterId first = add_steps(program, program.body, 0, plan);
  const auto number =
      *synth::ArrayType::make(synth::ElementType::i64, {}, plan.to.mesh_ref(), synth::Layout::replicated(0));
  synth::Repeat repeat;
  repeat.count = program.registers.add(number);
  repeat.index = program.registers.add(number);
  repeat.initial = {first};
  repeat.parameters = {program.registers.add(plan.to)};
  repeat.next = {add_steps(program, repeat.body, 1, plan)};
  repeat.results = {program.registers.add(plan.to)};
  std::vector<std::byte> bytes(sizeof turns);
  std::memcpy(bytes.data(), &turns, sizeof turns);
  const synth::LiteralId literal = program.literals.add({synth::ElementType::i64, {}, bytes});
  program.body.push_back(synth::Step{0, synth::Apply{synth::Constant{literal}, {}, {repeat.count}}});
  program.outputs = repeat.results;
  program.body.push_back(synth::Step{0, std::move(repeat)});
  return program;
}

}  // namespace tessera::ranks
