#include "typeck/typed/moves.hpp"

#include <algorithm>
#include <map>

#include "synth/program/compute_cost.hpp"

namespace tessera::typeck {

namespace {

class Counting {
 public:
  Counting(const Typed& typed, const synth::Machine& machine) : typed_(typed), machine_(machine) {}

  BodySeconds run(const Region& body) {
    region(body, 1);
    return std::move(total_);
  }

 private:
  const synth::Machine& devices(const synth::Mesh& mesh) {
    const std::int64_t count = mesh.devices_end();
    const auto [known, is_new] = devices_.try_emplace(count);
    if (is_new) known->second = synth::with_every_device(machine_, count);
    return known->second;
  }

  void region(const Region& nodes, double executions) {
    for (const NodeId id : nodes.order) node(id, executions);
  }

  void node(NodeId id, double executions) {
    const Node& own = typed_.nodes[id];
    if (const auto* compute = std::get_if<Compute>(&own.body)) local(own, *compute, executions);
    if (const auto* moved = std::get_if<Redistribute>(&own.body)) {
      total_.moves += executions * moved->plan->seconds;
      total_.moved.push_back({id, executions});
    }
    if (const auto* call = std::get_if<Call>(&own.body)) region(typed_.instances[call->instance].body, executions);
    if (const auto* loop = std::get_if<Loop>(&own.body)) {
      const double turns = loop->known_count ? std::max(1.0, static_cast<double>(*loop->known_count)) : kTurnsAssumed;
      region(loop->body, executions * turns);
    }
    if (const auto* again = std::get_if<Again>(&own.body)) region(again->body, executions);
    if (const auto* both = std::get_if<If>(&own.body)) {
      region(both->then_region, executions);
      region(both->else_region, executions);
    }
  }

  void local(const Node& own, const Compute& compute, double executions) {
    if (own.types.size() != 1) return;
    std::vector<ArrayType> operands;
    for (const NodeId operand : compute.operands) operands.push_back(typed_.type(operand));
    total_.local +=
        executions * synth::local_seconds(devices(own.types[0].mesh()), compute.operation, operands, own.types[0]);
  }

  const Typed& typed_;
  const synth::Machine& machine_;
  std::map<std::int64_t, synth::Machine> devices_;
  BodySeconds total_;
};

}  // namespace

BodySeconds body_seconds(const Typed& typed, const Region& body, const synth::Machine& machine) {
  return Counting(typed, machine).run(body);
}

}  // namespace tessera::typeck
