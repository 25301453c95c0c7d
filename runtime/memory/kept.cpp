#include "runtime/memory/kept.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "runtime/memory/memory_plan.hpp"
#include "runtime/memory/tile_maps.hpp"

namespace tessera::runtime {

namespace {

using synth::RegisterId;

class KeptSearch {
 public:
  KeptSearch(const MemoryPlan& plan, const TileMaps& tiles, const std::vector<synth::Pass>& passes)
      : plan_(plan), tiles_(tiles), passes_(passes) {}

  void body(const synth::Body& steps) {
    for (const synth::Step& step : steps) {
      origin_ = step.origin;
      std::visit([this](const auto& node) { visit(node); }, step.node);
    }
  }

  std::vector<KeptArray> kept() && {
    std::vector<KeptArray> all;
    for (const Made& one : made_) {
      if (one.reader.has_value()) all.push_back({one.value, one.origin, *one.reader, tiles_[one.value].bytes_max});
    }
    return all;
  }

 private:
  struct Made {
    RegisterId value;
    std::uint32_t origin = 0;
    std::optional<std::uint32_t> reader;
  };

  synth::Pass pass() const { return origin_ < passes_.size() ? passes_[origin_] : synth::Pass::none; }

  void visit(const synth::Apply& apply) {
    read(apply.operands);
    if (!std::holds_alternative<synth::Constant>(apply.operation)) make(apply.results);
  }
  void visit(const synth::Repeat& repeat) {
    const std::uint32_t own = origin_;
    read({repeat.count});
    read(repeat.initial);
    body(repeat.body);
    origin_ = own;
    make(repeat.results);
  }
  void visit(const synth::Pipeline& pipeline) {
    const std::uint32_t own = origin_;
    read(pipeline.initial);
    for (const synth::Body& steps : pipeline.visits) body(steps);
    origin_ = own;
    make(pipeline.results);
  }
  void visit(const synth::Choose& choose) {
    const std::uint32_t own = origin_;
    read({choose.condition});
    body(choose.then_body);
    body(choose.else_body);
    origin_ = own;
    make(choose.results);
  }

  void make(const std::vector<RegisterId>& results) {
    if (pass() != synth::Pass::forward) return;
    for (const RegisterId id : results) {
      if (plan_[id].where != RegisterPlan::Where::arena || plan_[id].root != id) continue;
      number_[id.value] = made_.size();
      made_.push_back({id, origin_, {}});
    }
  }

  void read(const std::vector<RegisterId>& operands) {
    if (pass() != synth::Pass::backward) return;
    for (const RegisterId id : operands) {
      const RegisterId root = plan_[id].root.valid() ? plan_[id].root : id;
      const auto found = number_.find(root.value);
      if (found != number_.end() && !made_[found->second].reader.has_value()) made_[found->second].reader = origin_;
    }
  }

  const MemoryPlan& plan_;
  const TileMaps& tiles_;
  const std::vector<synth::Pass>& passes_;
  std::uint32_t origin_ = 0;
  std::vector<Made> made_;                                 // in order
  std::unordered_map<std::uint32_t, std::size_t> number_;  // by register
};

}  // namespace

std::vector<KeptArray> find_kept(const synth::Program& program, const MemoryPlan& plan, const TileMaps& tiles,
                                 const std::vector<synth::Pass>& passes) {
  if (std::find(passes.begin(), passes.end(), synth::Pass::backward) == passes.end()) return {};
  KeptSearch search(plan, tiles, passes);
  search.body(program.body);
  return std::move(search).kept();
}

}  // namespace tessera::runtime
