#include "runtime/memory/written_parts.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/memory/reads.hpp"

namespace tessera::runtime {

namespace {

using synth::RegisterId;

// Where a part begins that lies inside of the result as it is; none if that is known at run time only.
std::optional<synth::Shape> begin_of(const synth::Part& part, const synth::Shape& extents, const synth::Shape& around) {
  synth::Shape begin;
  for (std::size_t d = 0; d < part.placements.size(); ++d) {
    const synth::Placement& placement = part.placements[d];
    const bool is_plain = placement.scalar < 0 && placement.first == 0 && placement.step == 1 && placement.spread == 1;
    if (!is_plain || placement.add < 0 || placement.add > around[d] - extents[d]) return std::nullopt;
    begin.push_back(placement.add);
  }
  if (begin.empty()) return std::nullopt;
  return begin;
}

class PartSearch {
 public:
  PartSearch(const synth::Program& program, const TileMaps& tiles)
      : program_(program), tiles_(tiles), uses_(program.registers.size(), 0) {}

  WrittenParts run() {
    walk(program_.body);
    use(program_.outputs);
    std::erase_if(found_, [&](const auto& part) { return uses_[part.first.value] != 1; });
    return std::move(found_);
  }

 private:
  void walk(const synth::Body& body) {
    std::set<RegisterId> made;  // by elementwise steps of the body
    for (const synth::Step& step : body) {
      const auto* const apply = std::get_if<synth::Apply>(&step.node);
      if (apply == nullptr) {
        std::visit([&](const auto& node) { visit(node); }, step.node);
        continue;
      }
      use(apply->operands);
      if (apply->results.empty()) continue;
      if (std::holds_alternative<synth::Map>(apply->operation)) made.insert(apply->results[0]);
      const auto* const assemble = std::get_if<synth::Assemble>(&apply->operation);
      if (assemble == nullptr || is_in_pipeline_ || !assemble->has_base || assemble->parts.size() != 1) continue;
      const RegisterId part = apply->operands[assemble->parts[0].operand];
      if (made.contains(part)) note(*apply, assemble->parts[0], part);
    }
  }
  void visit(const synth::Apply&) {}
  void visit(const synth::Repeat& repeat) {
    use({repeat.count});
    use(repeat.initial);
    walk(repeat.body);
    use(repeat.next);
  }
  void visit(const synth::Choose& choose) {
    use({choose.condition});
    walk(choose.then_body);
    walk(choose.else_body);
    use(choose.then_results);
    use(choose.else_results);
  }
  // A pipeline that fails is taken again: nothing may be written over.
  void visit(const synth::Pipeline& pipeline) {
    use(pipeline.initial);
    const bool was_in_pipeline = std::exchange(is_in_pipeline_, true);
    for (const synth::Body& visit : pipeline.visits) walk(visit);
    is_in_pipeline_ = was_in_pipeline;
    use(pipeline.next);
  }
  void use(const std::vector<RegisterId>& ids) {
    for (const RegisterId id : ids) ++uses_[id.value];
  }

  void note(const synth::Apply& apply, const synth::Part& placed, RegisterId part) {
    const RegisterId result = apply.results[0];
    const synth::ArrayType& type = program_.registers[part];
    const synth::ArrayType& around = program_.registers[result];
    const auto begin = begin_of(placed, type.shape(), around.shape());
    const bool lies_alike = type.mesh() == around.mesh() && type.layout() == around.layout() &&
                            type.element() == around.element() && type.layout().pending().empty();
    if (!begin || !lies_alike || is_empty(type.shape()) || !has_long_rows(part)) return;
    auto edges = edges_of(tiles_[part], tiles_[result], type.element(), *begin);
    if (!edges || (*edges != nullptr && (*edges)->outside.empty())) return;
    found_.emplace(part, WrittenPart{result, apply.operands[0], *begin, std::move(*edges)});
  }

  // Shorter ones are computed more quickly side by side.
  bool has_long_rows(RegisterId id) const {
    constexpr std::int64_t kShortestRow = 64;
    return std::all_of(tiles_[id].boxes.begin(), tiles_[id].boxes.end(),
                       [](const synth::Box& box) { return synth::empty(box) || box.back().length() >= kShortestRow; });
  }

  const synth::Program& program_;
  const TileMaps& tiles_;
  WrittenParts found_;
  std::vector<std::size_t> uses_;  // how often each register is read
  bool is_in_pipeline_ = false;
};

// So many steps lie at most between a part and the step that lays it: each is looked at.
constexpr std::size_t kStepsBetweenMax = 256;

// Looks at each part in its body.
class Refusals {
 public:
  Refusals(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan, const WrittenParts& parts)
      : program_(program), tiles_(tiles), plan_(plan), parts_(parts) {}

  Copied run() {
    for (const auto& [part, how] : parts_) refused_.insert(part);
    walk(program_.body, plan_.body);
    return std::move(refused_);
  }

 private:
  void walk(const synth::Body& body, const BodyPlan& plan) {
    std::map<RegisterId, std::size_t> made;  // in this body, by which step
    std::size_t chain = 0;                   // the step with which the last chain begins
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (plan.steps[i].chain_end > 0) chain = i;
      std::visit([&](const auto& node) { visit(node, plan.steps[i]); }, body[i].node);
      std::visit(
          [&](const auto& node) {
            for (const RegisterId id : node.results) made[id] = i;
          },
          body[i].node);
      const auto* const apply = std::get_if<synth::Apply>(&body[i].node);
      if (apply == nullptr || apply->results.empty()) continue;
      const RegisterId result = apply->results[0];
      if (parts_.contains(result) && i < plan.steps[chain].chain_end) chain_of_[result] = chain;
      for (const RegisterId part : apply->operands) {
        const auto found = parts_.find(part);
        if (found == parts_.end() || found->second.result != result || !chain_of_.contains(part)) continue;
        const Place place{part, found->second, chain_of_.at(part), made.at(part), i};
        if (is_fine(body, plan, place, made)) refused_.erase(part);
      }
    }
  }
  void visit(const synth::Apply&, const StepPlan&) {}
  void visit(const synth::Repeat& repeat, const StepPlan& plan) { walk(repeat.body, plan.bodies[0]); }
  void visit(const synth::Choose& choose, const StepPlan& plan) {
    walk(choose.then_body, plan.bodies[0]);
    walk(choose.else_body, plan.bodies[1]);
  }
  void visit(const synth::Pipeline&, const StepPlan&) {}

  struct Place {
    RegisterId part;
    const WrittenPart& how;
    std::size_t chain;  // the steps of its body: where its chain begins,
    std::size_t made;   // the one that makes it,
    std::size_t laid;   // and the one that lays it
  };

  bool is_fine(const synth::Body& body, const BodyPlan& plan, const Place& place,
               const std::map<RegisterId, std::size_t>& made) const {
    const auto base = made.find(place.how.base);
    const std::size_t chain_end = plan.steps[place.chain].chain_end;
    if (base != made.end() && base->second >= place.chain) return false;
    if (plan.steps[place.chain].chain_lead != program_.registers[place.part].rank()) return false;
    if (is_apart(place.how)) return true;
    if (!is_in_place(place.how)) return false;
    for (std::size_t i = place.chain; i < chain_end; ++i) {
      if (!leaves_alone(std::get<synth::Apply>(body[i].node), place, i)) return false;
    }
    if (place.laid - chain_end > kStepsBetweenMax) return false;
    for (std::size_t i = chain_end; i < place.laid; ++i) {
      if (reads(body[i], [&](RegisterId root) { return is_there(root, place.how); }, plan_)) return false;
    }
    return reads_base_alone(std::get<synth::Apply>(body[place.laid].node), place);
  }

  // Has the result memory of its own from the chain on, or that of a loop's or a branch's result?
  bool is_apart(const WrittenPart& how) const {
    return plan_[how.result].is_begun || plan_[how.result].written_to.valid();
  }
  bool is_in_place(const WrittenPart& how) const {
    const RegisterPlan& result = plan_[how.result];
    const RegisterPlan& base = plan_[how.base];
    return result.takes_over == how.base || (result.shares.valid() && result.shares == base.shares);
  }
  // Does it lie in that memory?
  bool is_there(RegisterId root, const WrittenPart& how) const {
    const RegisterId shares = plan_[how.result].shares;
    return root == how.base || (shares.valid() && plan_[root].shares == shares);
  }

  // A step of the chain may read of that memory, element by element, what the part is written over, until it is made.
  bool leaves_alone(const synth::Apply& apply, const Place& place, std::size_t i) const {
    return std::none_of(apply.operands.begin(), apply.operands.end(), [&](RegisterId id) {
      if (id == place.part || !plan_[id].root.valid() || !is_there(plan_[id].root, place.how)) return false;
      const bool is_window = plan_[id].where == RegisterPlan::Where::slice && plan_[id].source == plan_[id].root;
      return i > place.made || !is_window || plan_[id].moves || plan_[id].begin != place.how.begin ||
             tiles_[id].boxes != tiles_[place.part].boxes;
    });
  }
  bool reads_base_alone(const synth::Apply& apply, const Place& place) const {
    return std::all_of(apply.operands.begin(), apply.operands.end(), [&](const RegisterId& id) {
      return &id == apply.operands.data() || id == place.part || !is_there(plan_[id].root, place.how);
    });
  }

  const synth::Program& program_;
  const TileMaps& tiles_;
  const MemoryPlan& plan_;
  const WrittenParts& parts_;
  Copied refused_;
  std::map<RegisterId, std::size_t> chain_of_;
};

}  // namespace

WrittenParts find_written_parts(const synth::Program& program, const TileMaps& tiles) {
  return PartSearch(program, tiles).run();
}

Copied refused_parts(const synth::Program& program, const TileMaps& tiles, const MemoryPlan& plan,
                     const WrittenParts& parts) {
  return Refusals(program, tiles, plan, parts).run();
}

}  // namespace tessera::runtime
