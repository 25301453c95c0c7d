#include "runtime/memory/reads.hpp"

#include <algorithm>

namespace tessera::runtime {

namespace {

using synth::RegisterId;

class ReadSearch {
 public:
  ReadSearch(const IsRoot& is_root, const MemoryPlan& plan) : is_root_(is_root), plan_(plan) {}

  bool in(const synth::Body& body) const {
    return std::any_of(body.begin(), body.end(), [&](const synth::Step& step) { return in(step); });
  }
  bool in(const synth::Step& step) const {
    return std::visit([&](const auto& node) { return reads(node); }, step.node);
  }

 private:
  bool one(RegisterId id) const { return plan_[id].root.valid() && is_root_(plan_[id].root); }
  bool any(const std::vector<RegisterId>& ids) const {
    return std::any_of(ids.begin(), ids.end(), [&](RegisterId id) { return one(id); });
  }

  bool reads(const synth::Apply& apply) const { return any(apply.operands); }
  bool reads(const synth::Repeat& repeat) const {
    return one(repeat.count) || any(repeat.initial) || any(repeat.next) || in(repeat.body);
  }
  bool reads(const synth::Pipeline& pipeline) const {
    return any(pipeline.initial) || any(pipeline.next) ||
           std::any_of(pipeline.visits.begin(), pipeline.visits.end(),
                       [&](const synth::Body& visit) { return in(visit); });
  }
  bool reads(const synth::Choose& choose) const {
    return one(choose.condition) || any(choose.then_results) || any(choose.else_results) || in(choose.then_body) ||
           in(choose.else_body);
  }

  const IsRoot& is_root_;
  const MemoryPlan& plan_;
};

}  // namespace

bool reads(const synth::Step& step, const IsRoot& is_root, const MemoryPlan& plan) {
  return ReadSearch(is_root, plan).in(step);
}
bool reads(const synth::Step& step, RegisterId root, const MemoryPlan& plan) {
  return reads(step, [root](RegisterId id) { return id == root; }, plan);
}
bool reads(const synth::Body& body, RegisterId root, const MemoryPlan& plan) {
  return std::any_of(body.begin(), body.end(), [&](const synth::Step& step) { return reads(step, root, plan); });
}
bool any_has_memory_of(RegisterId root, const std::vector<RegisterId>& ids, const MemoryPlan& plan) {
  return std::any_of(ids.begin(), ids.end(), [&](RegisterId id) { return plan[id].root == root; });
}

}  // namespace tessera::runtime
