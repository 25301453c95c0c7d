#include "runtime/memory/reads.hpp"

#include <algorithm>

namespace tessera::runtime {

namespace {

using synth::RegisterId;

class ReadSearch {
 public:
  ReadSearch(RegisterId root, const MemoryPlan& plan) : root_(root), plan_(plan) {}

  bool in(const synth::Body& body) const {
    return std::any_of(body.begin(), body.end(), [&](const synth::Step& step) { return in(step); });
  }
  bool in(const synth::Step& step) const {
    return std::visit([&](const auto& node) { return reads(node); }, step.node);
  }

 private:
  bool any(const std::vector<RegisterId>& ids) const { return any_has_memory_of(root_, ids, plan_); }

  bool reads(const synth::Apply& apply) const { return any(apply.operands); }
  bool reads(const synth::Repeat& repeat) const {
    return plan_[repeat.count].root == root_ || any(repeat.initial) || any(repeat.next) || in(repeat.body);
  }
  bool reads(const synth::Pipeline& pipeline) const {
    return any(pipeline.initial) || any(pipeline.next) ||
           std::any_of(pipeline.visits.begin(), pipeline.visits.end(),
                       [&](const synth::Body& visit) { return in(visit); });
  }
  bool reads(const synth::Choose& choose) const {
    return plan_[choose.condition].root == root_ || any(choose.then_results) || any(choose.else_results) ||
           in(choose.then_body) || in(choose.else_body);
  }

  RegisterId root_;
  const MemoryPlan& plan_;
};

}  // namespace

bool reads(const synth::Step& step, RegisterId root, const MemoryPlan& plan) { return ReadSearch(root, plan).in(step); }
bool reads(const synth::Body& body, RegisterId root, const MemoryPlan& plan) { return ReadSearch(root, plan).in(body); }
bool any_has_memory_of(RegisterId root, const std::vector<RegisterId>& ids, const MemoryPlan& plan) {
  return std::any_of(ids.begin(), ids.end(), [&](RegisterId id) { return plan[id].root == root; });
}

}  // namespace tessera::runtime
