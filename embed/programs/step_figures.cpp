#include "embed/programs/step_figures.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "runtime/memory/window_edges.hpp"
#include "synth/moves/collective/carries.hpp"
#include "synth/moves/collective/sends.hpp"
#include "synth/moves/prices/carry_cost.hpp"
#include "synth/moves/prices/cut_cost.hpp"
#include "synth/moves/prices/delivery_cost.hpp"
#include "synth/moves/prices/prices.hpp"
#include "synth/moves/prices/request_cost.hpp"
#include "synth/program/compute_cost.hpp"
#include "synth/program/fetched_parts.hpp"
#include "synth/program/running.hpp"

namespace tessera::embed {

namespace {

void append(ProgramFigures& all, ProgramFigures some) {
  std::move(some.steps.begin(), some.steps.end(), std::back_inserter(all.steps));
  all.pipelines.insert(all.pipelines.end(), some.pipelines.begin(), some.pipelines.end());
}

double seconds_of(const ProgramFigures& all) {
  return std::accumulate(all.steps.begin(), all.steps.end(), 0.0,
                         [](double sum, const StepFigure& one) { return sum + one.times * one.seconds; });
}

ProgramFigures repeated(ProgramFigures all, std::optional<double> turns) {
  for (StepFigure& one : all.steps) {
    one.times *= turns.value_or(1);
    one.times_known = one.times_known && turns.has_value();
  }
  for (PipelineFigure& one : all.pipelines) one.times *= turns.value_or(1);
  return all;
}

// Adds bytes between two devices of the run to the outermost level at which they are in different units.
void add_bytes(const synth::RunMachine& machine, std::int64_t source, std::int64_t target, std::int64_t bytes,
               std::vector<std::int64_t>& by_level) {
  std::int64_t unit = 1;
  for (const synth::MachineLevel& level : machine.levels) unit *= level.count;
  for (std::size_t k = 0; k < machine.levels.size(); ++k) {
    unit /= machine.levels[k].count;
    if (source / unit == target / unit) continue;
    by_level[k] += bytes;
    return;
  }
}

class FigureWalk {
 public:
  FigureWalk(const synth::Program& program, const runtime::MemoryPlan& plan, const synth::Machine& machine)
      : program_(program), plan_(plan), machine_(machine) {}

  ProgramFigures of(const synth::Body& body, const runtime::BodyPlan& plan) {
    ProgramFigures all;
    std::size_t chain_end = 0;
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (i >= chain_end) in_cache_.clear();
      chain_end = std::max(chain_end, plan.steps[i].chain_end);
      append(all, std::visit([&](const auto& node) { return figures(body[i], node, plan.steps[i]); }, body[i].node));
      if (i < chain_end) remember(body[i]);
    }
    in_cache_.clear();
    return all;
  }

 private:
  const synth::ArrayType& type(synth::RegisterId id) const { return program_.registers[id]; }

  // What a step of a chain has read and made is at hand for the chain's other steps.
  void remember(const synth::Step& step) {
    const auto* apply = std::get_if<synth::Apply>(&step.node);
    if (apply == nullptr) return;
    in_cache_.insert(apply->operands.begin(), apply->operands.end());
    in_cache_.insert(apply->results.begin(), apply->results.end());
  }

  ProgramFigures figures(const synth::Step& step, const synth::Apply& apply, const runtime::StepPlan&) {
    const auto* constant = std::get_if<synth::Constant>(&apply.operation);
    if (constant != nullptr) constants_[apply.results[0]] = constant->literal;
    if (constant != nullptr || apply.results.empty()) return {};
    StepFigure figure;
    figure.origin = step.origin;
    figure.name = synth::describe(apply.operation);
    const synth::ArrayType& result = type(apply.results[0]);
    if (plan_[apply.results[0]].where == runtime::RegisterPlan::Where::nowhere) return {};
    if (const auto* collect = std::get_if<synth::Collect>(&apply.operation)) {
      moved(figure, collect->collective, type(apply.operands[0]), result);
      return {{std::move(figure)}, {}};
    }
    if (is_view(apply.results[0])) return edges_fetched(figure, apply);
    ProgramFigures all;
    if (!finds_part(apply)) {
      computed(figure, apply, result);
      all.steps.push_back(figure);
    }
    if (const auto* assemble = std::get_if<synth::Assemble>(&apply.operation)) fetched(all, figure, apply, *assemble);
    if (const auto running = synth::running_of(apply.operation)) carried(all, figure, result, *running);
    if (std::holds_alternative<synth::Take>(apply.operation)) requested(all, figure, apply, result);
    if (std::holds_alternative<synth::ScatterAdd>(apply.operation)) delivered(all, figure, apply, result);
    if (const auto* sort = std::get_if<synth::Sort>(&apply.operation)) cut(all, figure, apply, *sort);
    return all;
  }

  // A window takes what its edges take to come.
  ProgramFigures edges_fetched(const StepFigure& figure, const synth::Apply& apply) {
    ProgramFigures all;
    const runtime::RegisterPlan& window = plan_[apply.results[0]];
    if (window.edges == nullptr) return all;
    if (!window.edges->frame) {
      fetched(all, figure, apply, std::get<synth::Assemble>(apply.operation));
      return all;
    }
    synth::Apply of_array = apply;
    of_array.operands = {window.source};
    synth::Assemble slice{false, {{0, {}}}};
    for (const std::int64_t begin : window.begin) {
      synth::Placement& placement = slice.parts[0].placements.emplace_back();
      placement.add = -begin;
      placement.clips = true;
    }
    fetched(all, figure, of_array, slice);
    return all;
  }

  // Does it lay what has been made in the result before?
  bool finds_part(const synth::Apply& apply) const {
    return std::any_of(apply.operands.begin(), apply.operands.end(), [&](synth::RegisterId id) {
      return plan_[id].where == runtime::RegisterPlan::Where::part && plan_[id].source == apply.results[0];
    });
  }
  bool is_view(synth::RegisterId id) const {
    const runtime::RegisterPlan::Where where = plan_[id].where;
    return where == runtime::RegisterPlan::Where::slice || where == runtime::RegisterPlan::Where::reshape;
  }

  ProgramFigures figures(const synth::Step&, const synth::Repeat& repeat, const runtime::StepPlan& plan) {
    const std::optional<double> turns = constant(repeat.count);
    return repeated(of(repeat.body, plan.bodies.at(0)), turns);
  }

  ProgramFigures figures(const synth::Step&, const synth::Choose& choose, const runtime::StepPlan& plan) {
    ProgramFigures then_side = of(choose.then_body, plan.bodies.at(0));
    ProgramFigures else_side = of(choose.else_body, plan.bodies.at(1));
    return seconds_of(then_side) >= seconds_of(else_side) ? then_side : else_side;
  }

  ProgramFigures figures(const synth::Step& step, const synth::Pipeline& pipeline, const runtime::StepPlan& plan) {
    ProgramFigures all;
    for (std::size_t k = 0; k < pipeline.visits.size(); ++k) append(all, of(pipeline.visits[k], plan.bodies.at(k)));
    for (StepFigure& one : all.steps) one.in_pipeline = true;
    all = repeated(std::move(all), static_cast<double>(pipeline.count));
    all.pipelines = {{step.origin, 1}};
    return all;
  }

  void moved(StepFigure& figure, const synth::Collective& step, const synth::ArrayType& before,
             const synth::ArrayType& after) {
    const synth::RunMachine& machine = machine_of(std::max(before.mesh().devices_end(), after.mesh().devices_end()));
    const synth::StepCost price = synth::cost(machine, step, before, after);
    figure.received_bytes = price.received_bytes_total;
    figure.seconds = price.seconds;
    figure.moves = price.received_bytes_total > 0;
    if (!figure.moves || std::max(before.devices(), after.devices()) > kListedDevicesMax) return;
    figure.received_by_level.resize(machine.levels.size(), 0);
    for (const synth::BoxSend& send : synth::sends(machine, step, before, after))
      add_bytes(machine, send.source, send.target, synth::elements(send.box) * synth::bytes_of(before.element()),
                figure.received_by_level);
  }

  // What an assembly fetches from other devices, as a step of its own behind that which lays its parts.
  void fetched(ProgramFigures& all, StepFigure figure, const synth::Apply& apply, const synth::Assemble& assemble) {
    std::vector<synth::ArrayType> operands;
    for (const synth::RegisterId id : apply.operands) operands.push_back(type(id));
    const synth::ArrayType& result = type(apply.results[0]);
    const synth::RunMachine& machine = machine_of(result.mesh().devices_end());
    const synth::FetchedParts parts = synth::fetched_parts(assemble, operands, result, machine);
    if (parts.received_bytes == 0) return;
    figure.operations = figure.memory_bytes = 0;
    figure.seconds_of_devices.clear();
    figure.moves = true;
    figure.received_bytes = parts.received_bytes;
    figure.seconds = parts.seconds;
    figure.received_by_level.assign(parts.copies.empty() ? 0 : machine.levels.size(), 0);
    const synth::Mesh& mesh = result.mesh();
    for (const synth::BoxCopy& copy : parts.copies)
      add_bytes(machine, mesh.device_of_run(copy.source).value, mesh.device_of_run(copy.target).value,
                synth::elements(copy.box) * synth::bytes_of(result.element()), figure.received_by_level);
    all.steps.push_back(std::move(figure));
  }

  // What goes from tile to tile, as a step of its own behind what each computes: one boundary after the other.
  void carried(ProgramFigures& all, StepFigure figure, const synth::ArrayType& result, const synth::Running& running) {
    const std::vector<synth::CarryHop> hops = synth::carry_hops(result, running.dimension, running.reverse);
    if (hops.empty()) return;
    const synth::RunMachine& machine = machine_of(result.mesh().devices_end());
    const synth::StepCost price = synth::cost_of_carries(machine, result, running.kind, hops);
    figure.name = "carry";
    figure.operations = figure.memory_bytes = 0;
    figure.seconds_of_devices.clear();
    figure.moves = true;
    figure.received_bytes = price.received_bytes_total;
    figure.seconds = price.seconds;
    figure.received_by_level.assign(machine.levels.size(), 0);
    const synth::Mesh& mesh = result.mesh();
    for (const synth::CarryHop& hop : hops)
      add_bytes(machine, mesh.device_of_run(hop.source).value, mesh.device_of_run(hop.target).value,
                synth::carry_bytes(hop, result.element(), running.kind), figure.received_by_level);
    all.steps.push_back(std::move(figure));
  }

  // The rows that a take fetches by request, as a step of its own: as many as its ids can name.
  void requested(ProgramFigures& all, StepFigure figure, const synth::Apply& apply, const synth::ArrayType& result) {
    if (!synth::takes_by_request(type(apply.operands[0]), type(apply.operands[1]), result)) return;
    const synth::RowRequests requests(type(apply.operands[0]));
    const synth::ArrayType& ids = type(apply.operands[1]);
    figure.name = "fetch";
    moved_rows(all, figure, result, synth::cost_of_requests(machine_of(result.mesh().devices_end()), requests, ids),
               [&](const auto& add) { synth::for_request_messages(requests, ids, add, add); });
  }
  // The rows that a scatter_add delivers, likewise.
  void delivered(ProgramFigures& all, StepFigure figure, const synth::Apply& apply, const synth::ArrayType& result) {
    const synth::ArrayType& rows = type(apply.operands[0]);
    const synth::ArrayType& ids = type(apply.operands[1]);
    if (!synth::adds_by_delivery(rows, ids, result)) return;
    figure.name = "deliver";
    moved_rows(all, figure, result,
               synth::cost_of_deliveries(machine_of(result.mesh().devices_end()), rows, ids, result),
               [&](const auto& add) { synth::for_delivery_messages(rows, ids, result, add, add); });
  }
  // What sorting lines over several tiles moves.
  void cut(ProgramFigures& all, StepFigure figure, const synth::Apply& apply, const synth::Sort& sort) {
    const synth::ArrayType& operand = type(apply.operands[0]);
    if (!synth::sorts_by_cuts(operand)) return;
    const synth::SortCuts cuts(operand, sort.positions);
    figure.name = "cut";
    moved_rows(all, figure, operand, synth::cost_of_cuts(machine_of(operand.mesh().devices_end()), cuts),
               [&](const auto& add) { synth::for_cut_messages(cuts, add, add); });
  }
  template <class Messages>
  void moved_rows(ProgramFigures& all, StepFigure figure, const synth::ArrayType& result, const synth::StepCost& price,
                  const Messages& messages) {
    const synth::RunMachine& machine = machine_of(result.mesh().devices_end());
    const synth::Mesh& mesh = result.mesh();
    figure.operations = figure.memory_bytes = 0;
    figure.moves = true;
    figure.received_bytes = price.received_bytes_total;
    figure.seconds = price.seconds;
    if (result.devices() <= kListedDevicesMax) {
      figure.received_by_level.assign(machine.levels.size(), 0);
      messages([&](std::int32_t source, std::int32_t target, std::int64_t bytes) {
        add_bytes(machine, mesh.device_of_run(source).value, mesh.device_of_run(target).value, bytes,
                  figure.received_by_level);
      });
    }
    all.steps.push_back(std::move(figure));
  }

  void computed(StepFigure& figure, const synth::Apply& apply, const synth::ArrayType& result) {
    std::vector<synth::ArrayType> operands;
    synth::AtHand at_hand{{}, plan_[apply.results[0]].where == runtime::RegisterPlan::Where::blocks};
    for (std::size_t k = 0; k < apply.operands.size(); ++k) {
      const synth::RegisterId id = apply.operands[k];
      const auto end = apply.operands.begin() + static_cast<std::ptrdiff_t>(k);
      operands.push_back(type(id));
      at_hand.operands.push_back(in_cache_.contains(id) || constants_.contains(id) ||
                                 std::find(apply.operands.begin(), end, id) != end);
    }
    const synth::Machine& machine = kinds_for(result.mesh());
    if (std::holds_alternative<synth::Assemble>(apply.operation)) return copied(figure, machine, result);
    const auto local = synth::compute_cost(machine, apply.operation, operands, result, at_hand);
    if (!local) return;
    figure.seconds = local->seconds;
    figure.slowest = static_cast<std::int64_t>(result.mesh().device_of_run(local->slowest).value);
    figure.operations = local->operations;
    figure.memory_bytes = local->bytes;
    if (result.mesh().devices_end() > kListedDevicesMax) return;
    const auto seconds = synth::seconds_by_device(machine, apply.operation, operands, result, at_hand);
    for (std::size_t k = 0; k < seconds.size(); ++k)
      add_seconds(figure, result, static_cast<std::int64_t>(k), seconds[k]);
  }

  static void add_seconds(StepFigure& figure, const synth::ArrayType& result, std::int64_t device, double seconds) {
    const synth::Mesh& mesh = result.mesh();
    if (mesh.devices_end() > kListedDevicesMax) return;
    figure.seconds_of_devices.resize(static_cast<std::size_t>(mesh.devices_end()), 0);
    figure.seconds_of_devices[mesh.device_of_run(device).value] = seconds;
  }

  // Parts are read and written once.
  static void copied(StepFigure& figure, const synth::Machine& machine, const synth::ArrayType& result) {
    for (std::int64_t device = 0; device < result.devices(); ++device) {
      const double bytes = 2 * static_cast<double>(synth::tile_bytes(result, device));
      const auto number = static_cast<std::int64_t>(result.mesh().device_of_run(device).value);
      const double seconds = bytes / machine.devices[static_cast<std::size_t>(number)].bandwidth_bytes_per_second;
      figure.memory_bytes += bytes;
      add_seconds(figure, result, device, seconds);
      if (seconds > figure.seconds) figure.slowest = number;
      figure.seconds = std::max(figure.seconds, seconds);
    }
  }

  std::optional<double> constant(synth::RegisterId count) const {
    const auto known = constants_.find(count);
    if (known == constants_.end()) return std::nullopt;
    const synth::Literal& literal = program_.literals[known->second];
    std::int64_t turns = 1;
    if (literal.bytes.size() == sizeof(turns)) std::memcpy(&turns, literal.bytes.data(), sizeof(turns));
    return static_cast<double>(std::max<std::int64_t>(turns, 0));
  }

  // Lists all devices up to the mesh's last.
  const synth::Machine& kinds_for(const synth::Mesh& mesh) {
    const auto known = kinds_for_.find(mesh.devices_end());
    if (known != kinds_for_.end()) return known->second;
    return kinds_for_.emplace(mesh.devices_end(), synth::with_every_device(machine_, mesh.devices_end())).first->second;
  }

  // A machine file that does not fit was refused where the transfer was planned.
  const synth::RunMachine& machine_of(std::int64_t devices) {
    const auto known = machines_.find(devices);
    if (known != machines_.end()) return known->second;
    auto made = synth::machine_for(machine_, devices);
    if (!made.ok()) made = synth::machine_for(synth::Machine{}, devices);
    return machines_.emplace(devices, std::move(made).value()).first->second;
  }

  const synth::Program& program_;
  const runtime::MemoryPlan& plan_;
  const synth::Machine& machine_;
  std::map<std::int64_t, synth::RunMachine> machines_;  // by devices
  std::map<std::int64_t, synth::Machine> kinds_for_;    // by devices
  std::map<synth::RegisterId, synth::LiteralId> constants_;
  std::set<synth::RegisterId> in_cache_;  // of the chain under way
};

}  // namespace

ProgramFigures figures_of(const synth::Program& program, const runtime::MemoryPlan& plan,
                          const synth::Machine& machine) {
  return FigureWalk(program, plan, machine).of(program.body, plan.body);
}

}  // namespace tessera::embed
