#include "synth/schedule/step_figures.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "synth/collective/sends.hpp"
#include "synth/machine/compute_cost.hpp"
#include "synth/machine/machine.hpp"

namespace tessera::synth {

namespace {

// The sends of steps among more devices are not listed to find out which levels they cross.
constexpr std::int64_t kListedDevicesMax = 64;

class FigureWalk {
 public:
  FigureWalk(const Program& program, const Machine& machine)
      : program_(program), machine_(machine), kinds_(kinds_of_devices(machine)) {}

  std::vector<StepFigure> of(const Body& body) {
    std::vector<StepFigure> all;
    for (const Step& step : body) {
      std::vector<StepFigure> some = std::visit([&](const auto& node) { return figures(step, node); }, step.node);
      all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    }
    return all;
  }

 private:
  const ArrayType& type(RegisterId id) const { return program_.registers[id]; }

  std::vector<StepFigure> figures(const Step& step, const Apply& apply) {
    const auto* constant = std::get_if<Constant>(&apply.operation);
    if (constant != nullptr) constants_[apply.results[0]] = constant->literal;
    if (apply.results.empty()) return {};
    StepFigure figure;
    figure.origin = step.origin;
    figure.name = describe(apply.operation);
    const ArrayType& result = type(apply.results[0]);
    if (const auto* collect = std::get_if<Collect>(&apply.operation)) {
      moved(figure, collect->collective, type(apply.operands[0]), result);
    } else if (std::holds_alternative<Assemble>(apply.operation)) {
      copied(figure, result);
    } else {
      computed(figure, apply, result);
    }
    return {std::move(figure)};
  }

  std::vector<StepFigure> figures(const Step&, const Repeat& repeat) {
    const std::optional<double> turns = constant(repeat.count);
    return repeated(of(repeat.body), turns);
  }

  std::vector<StepFigure> figures(const Step&, const Choose& choose) {
    std::vector<StepFigure> then_side = of(choose.then_body);
    std::vector<StepFigure> else_side = of(choose.else_body);
    return seconds_of(then_side) >= seconds_of(else_side) ? then_side : else_side;
  }

  std::vector<StepFigure> figures(const Step&, const Pipeline& pipeline) {
    const int number = pipelines_++;
    std::vector<StepFigure> all;
    for (const Body& visit : pipeline.visits) {
      for (StepFigure& one : of(visit)) all.push_back(std::move(one));
    }
    for (StepFigure& one : all) one.pipeline = number;
    return repeated(std::move(all), static_cast<double>(pipeline.count));
  }

  static std::vector<StepFigure> repeated(std::vector<StepFigure> all, std::optional<double> turns) {
    for (StepFigure& one : all) {
      one.times *= turns.value_or(1);
      one.times_known = one.times_known && turns.has_value();
    }
    return all;
  }

  static double seconds_of(const std::vector<StepFigure>& all) {
    return std::accumulate(all.begin(), all.end(), 0.0,
                           [](double sum, const StepFigure& one) { return sum + one.times * one.seconds; });
  }

  void moved(StepFigure& figure, const Collective& step, const ArrayType& before, const ArrayType& after) {
    const Machine& machine = machine_of(std::max(before.mesh().devices_end(), after.mesh().devices_end()));
    const StepCost price = cost(machine, step, before, after);
    figure.received_bytes = price.received_bytes_total;
    figure.seconds = price.seconds;
    figure.moves = price.received_bytes_total > 0;
    const bool lists = figure.moves && std::max(before.devices(), after.devices()) <= kListedDevicesMax;
    if (lists) figure.received_by_level = by_level(machine, sends(machine, step, before, after), before.element());
  }

  // A byte counts for the outermost level at which its sender and its receiver are in different units.
  static std::vector<std::int64_t> by_level(const Machine& machine, const std::vector<BoxSend>& all,
                                            ElementType element) {
    std::vector<std::int64_t> bytes(machine.levels.size(), 0);
    for (const BoxSend& send : all) {
      std::int64_t unit = 1;
      for (const MachineLevel& level : machine.levels) unit *= level.count;
      for (std::size_t k = 0; k < machine.levels.size(); ++k) {
        unit /= machine.levels[k].count;
        if (send.source / unit == send.target / unit) continue;
        bytes[k] += elements(send.box) * bytes_of(element);
        break;
      }
    }
    return bytes;
  }

  // Parts of arrays are read and written once; what comes from other devices takes its links.
  void copied(StepFigure& figure, const ArrayType& result) {
    const std::vector<DeviceKind>& kinds = kinds_for(result.mesh()).devices;
    for (std::int64_t device = 0; device < result.devices(); ++device) {
      const double bytes = 2 * static_cast<double>(tile_bytes(result, device));
      const auto number = static_cast<std::int64_t>(result.mesh().device_of_run(device).value);
      const double seconds = bytes / kinds[static_cast<std::size_t>(number)].bandwidth_bytes_per_second;
      figure.memory_bytes += bytes;
      if (seconds > figure.seconds) figure.slowest = number;
      figure.seconds = std::max(figure.seconds, seconds);
    }
  }

  void computed(StepFigure& figure, const Apply& apply, const ArrayType& result) {
    std::vector<ArrayType> operands;
    for (const RegisterId id : apply.operands) operands.push_back(type(id));
    const auto local = compute_cost(kinds_for(result.mesh()), apply.operation, operands, result);
    if (!local) return;
    figure.seconds = local->seconds;
    figure.slowest = static_cast<std::int64_t>(result.mesh().device_of_run(local->slowest).value);
    figure.operations = local->operations;
    figure.memory_bytes = local->bytes;
  }

  std::optional<double> constant(RegisterId count) const {
    const auto known = constants_.find(count);
    if (known == constants_.end()) return std::nullopt;
    const Literal& literal = program_.literals[known->second];
    std::int64_t turns = 1;
    if (literal.bytes.size() == sizeof(turns)) std::memcpy(&turns, literal.bytes.data(), sizeof(turns));
    return static_cast<double>(std::max<std::int64_t>(turns, 0));
  }

  // The kinds of all devices up to the mesh's last, as compute_cost wants them.
  const Machine& kinds_for(const Mesh& mesh) {
    const auto known = kinds_for_.find(mesh.devices_end());
    if (known != kinds_for_.end()) return known->second;
    Machine machine{{}, kinds_};
    for (DeviceKind& kind : machine.devices) kind.count = 1;
    machine.devices.resize(std::max(machine.devices.size(), static_cast<std::size_t>(mesh.devices_end())));
    return kinds_for_.emplace(mesh.devices_end(), std::move(machine)).first->second;
  }

  // A machine file that does not fit was refused where the transfer was planned.
  const Machine& machine_of(std::int64_t devices) {
    const auto known = machines_.find(devices);
    if (known != machines_.end()) return known->second;
    auto made = machine_for(machine_, devices);
    if (!made.ok()) made = machine_for(Machine{}, devices);
    return machines_.emplace(devices, std::move(made).value()).first->second;
  }

  const Program& program_;
  const Machine& machine_;
  std::vector<DeviceKind> kinds_;
  std::map<std::int64_t, Machine> machines_;   // by devices
  std::map<std::int64_t, Machine> kinds_for_;  // by devices
  std::map<RegisterId, LiteralId> constants_;
  int pipelines_ = 0;
};

}  // namespace

std::vector<StepFigure> step_figures(const Program& program, const Machine& machine) {
  return FigureWalk(program, machine).of(program.body);
}

}  // namespace tessera::synth
