#include "tests/mpi/race.hpp"

#include <fstream>
#include <iterator>
#include <string_view>

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

synth::Program program_of_steps(const synth::Plan& plan) {
  synth::Program program;
  synth::RegisterId array = program.registers.add(plan.from);
  program.inputs = {array};
  for (const synth::PlanStep& step : plan.steps) {
    const synth::RegisterId next = program.registers.add(step.after);
    program.body.push_back(synth::Step{0, synth::Apply{synth::Collect{step.collective}, {array}, {next}}});
    array = next;
  }
  program.outputs = {array};
  return program;
}

}  // namespace tessera::ranks
