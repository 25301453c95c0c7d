// Steps that nobody can see.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "synth/program/program.hpp"

namespace tessera::typeck {

// Constants and scalar arithmetic that only the checker used (extents, positions) are dropped. Operations that can fail
// stay.
class UnusedScalars {
 public:
  explicit UnusedScalars(synth::Program& program) : program_(program), used_(program.registers.size(), false) {}

  void drop() {
    use(program_.outputs);
    sweep(program_.body);
  }
  // Drops the steps of a body that these results do not need.
  void drop(synth::Body& body, const std::vector<synth::RegisterId>& results) {
    use(results);
    sweep(body);
  }

 private:
  void use(synth::RegisterId id) { used_[id.value] = true; }
  void use(const std::vector<synth::RegisterId>& ids) {
    for (const synth::RegisterId id : ids) use(id);
  }

  bool droppable(const synth::Apply& apply) const {
    if (apply.results.size() != 1 || used_[apply.results[0].value]) return false;
    if (std::holds_alternative<synth::Constant>(apply.operation)) return true;
    if (program_.registers[apply.results[0]].rank() != 0) return false;
    if (const auto* map = std::get_if<synth::Map>(&apply.operation)) {
      return map->op != synth::MapOp::divide && map->op != synth::MapOp::remainder && map->op != synth::MapOp::power;
    }
    return std::holds_alternative<synth::Fill>(apply.operation) ||
           std::holds_alternative<synth::Reshape>(apply.operation);
  }

  // Backwards, so that what only dropped steps used is dropped too.
  void sweep(synth::Body& body) {
    synth::Body kept;
    for (auto at = body.rbegin(); at != body.rend(); ++at) {
      if (const auto* apply = std::get_if<synth::Apply>(&at->node); apply != nullptr && droppable(*apply)) continue;
      std::visit([&](auto& node) { visit(node); }, at->node);
      kept.push_back(std::move(*at));
    }
    std::reverse(kept.begin(), kept.end());
    body = std::move(kept);
  }

  void visit(const synth::Apply& apply) { use(apply.operands); }
  void visit(synth::Repeat& repeat) {
    use(repeat.count);
    use(repeat.initial);
    use(repeat.next);
    sweep(repeat.body);
  }
  void visit(synth::Pipeline& pipeline) {
    use(pipeline.initial);
    use(pipeline.next);
    for (auto visit = pipeline.visits.rbegin(); visit != pipeline.visits.rend(); ++visit) sweep(*visit);
  }
  void visit(synth::Choose& choose) {
    use(choose.condition);
    use(choose.then_results);
    use(choose.else_results);
    sweep(choose.then_body);
    sweep(choose.else_body);
  }

  synth::Program& program_;
  std::vector<bool> used_;
};

}  // namespace tessera::typeck
