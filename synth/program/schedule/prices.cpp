#include "synth/program/schedule/prices.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "synth/moves/prices/prices.hpp"
#include "synth/program/compute_cost.hpp"

namespace tessera::synth {

namespace {

class StepPrices {
 public:
  StepPrices(const Program& program, const Machine& machine) : program_(program), machine_(machine) {}

  double of(const Step& step) {
    return std::visit([&](const auto& node) { return price(node); }, step.node);
  }

  double of(const Body& body) {
    return std::accumulate(body.begin(), body.end(), 0.0, [&](double sum, const Step& step) { return sum + of(step); });
  }

 private:
  const ArrayType& type(RegisterId id) const { return program_.registers[id]; }

  double price(const Apply& apply) {
    const auto* constant = std::get_if<Constant>(&apply.operation);
    if (constant != nullptr) constants_[apply.results[0]] = constant->literal;
    if (apply.results.empty()) return 0;
    const ArrayType& result = type(apply.results[0]);
    if (const auto* collect = std::get_if<Collect>(&apply.operation)) {
      const ArrayType& before = type(apply.operands[0]);
      return cost(machine_of(std::max(before.mesh().devices_end(), result.mesh().devices_end())), collect->collective,
                  before, result)
          .seconds;
    }
    std::vector<ArrayType> operands;
    for (const RegisterId id : apply.operands) operands.push_back(type(id));
    return local_seconds(kinds_for(result.mesh()), apply.operation, operands, result);
  }

  // Of a loop that ends by a condition one turn is priced: how many there are nobody knows.
  double price(const Repeat& repeat) { return (repeat.condition ? 1 : rounds(repeat.count)) * of(repeat.body); }
  double price(const Choose& choose) { return std::max(of(choose.then_body), of(choose.else_body)); }
  double price(const Pipeline& pipeline) {
    double seconds = 0;
    for (const Body& visit : pipeline.visits) seconds += of(visit);
    return static_cast<double>(pipeline.count) * seconds;
  }

  double rounds(RegisterId count) const {
    const auto known = constants_.find(count);
    if (known == constants_.end()) return 1;
    const Literal& literal = program_.literals[known->second];
    std::int64_t rounds = 1;
    if (literal.bytes.size() == sizeof(rounds)) std::memcpy(&rounds, literal.bytes.data(), sizeof(rounds));
    return static_cast<double>(std::max<std::int64_t>(rounds, 0));
  }

  // Lists all devices up to the mesh's last.
  const Machine& kinds_for(const Mesh& mesh) {
    const auto known = kinds_for_.find(mesh.devices_end());
    if (known != kinds_for_.end()) return known->second;
    return kinds_for_.emplace(mesh.devices_end(), with_every_device(machine_, mesh.devices_end())).first->second;
  }

  // A machine file that does not fit was refused where the transfer was planned.
  const RunMachine& machine_of(std::int64_t devices) {
    const auto known = machines_.find(devices);
    if (known != machines_.end()) return known->second;
    auto made = machine_for(machine_, devices);
    if (!made.ok()) made = machine_for(Machine{}, devices);
    return machines_.emplace(devices, std::move(made).value()).first->second;
  }

  const Program& program_;
  const Machine& machine_;
  std::map<std::int64_t, RunMachine> machines_;  // by devices
  std::map<std::int64_t, Machine> kinds_for_;    // by devices
  std::map<RegisterId, LiteralId> constants_;
};

}  // namespace

std::vector<double> seconds_of_steps(const Program& program, const Body& body, const Machine& machine) {
  StepPrices prices(program, machine);
  std::vector<double> seconds;
  for (const Step& step : body) seconds.push_back(prices.of(step));
  return seconds;
}

}  // namespace tessera::synth
