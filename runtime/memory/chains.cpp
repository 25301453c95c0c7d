#include "runtime/memory/chains.hpp"

#include <algorithm>

#include "runtime/kernels/stream.hpp"

namespace tessera::runtime {

namespace {

const synth::Map* as_map(const synth::Step& step) {
  const auto* apply = std::get_if<synth::Apply>(&step.node);
  return apply == nullptr ? nullptr : std::get_if<synth::Map>(&apply->operation);
}

bool is_constant(const synth::Step& step) {
  const auto* apply = std::get_if<synth::Apply>(&step.node);
  return apply != nullptr && std::holds_alternative<synth::Constant>(apply->operation);
}

synth::RegisterId result_of(const synth::Step& step) { return std::get<synth::Apply>(step.node).results[0]; }

// Integers may have no quotient and no power.
bool may_fail(synth::MapOp op, synth::ElementType element) {
  const bool partial = op == synth::MapOp::divide || op == synth::MapOp::remainder || op == synth::MapOp::power;
  return partial && element != synth::ElementType::f32 && element != synth::ElementType::f64;
}

class ChainSearch {
 public:
  ChainSearch(const synth::Program& program, const synth::Body& body, const TileMaps& tiles)
      : program_(program), body_(body), tiles_(tiles) {}

  std::vector<ChainSteps> run() {
    std::vector<ChainSteps> chains;
    for (std::size_t i = 0; i < body_.size();) {
      const ChainSteps chain{i, end_of_chain(i)};
      if (is_worth_it(chain)) chains.push_back(chain);
      i = std::max(chain.end, i + 1);
    }
    return chains;
  }

 private:
  bool fits(const synth::Step& step) const {
    const synth::Map* map = as_map(step);
    return map != nullptr && !may_fail(map->op, program_.registers[result_of(step)].element());
  }

  // Of the chain that begins with a step; constants at its end are left out.
  std::size_t end_of_chain(std::size_t begin) const {
    if (!fits(body_[begin])) return begin;
    const auto& boxes = tiles_[result_of(body_[begin])].boxes;
    std::size_t end = begin + 1;
    for (std::size_t i = end; i < body_.size(); ++i) {
      if (is_constant(body_[i])) continue;
      if (!fits(body_[i]) || tiles_[result_of(body_[i])].boxes != boxes) break;
      end = i + 1;
    }
    return end;
  }

  // A lone step gains only where its result outgrows the cache.
  bool is_worth_it(const ChainSteps& chain) const {
    if (chain.end <= chain.begin) return false;
    return chain.end - chain.begin > 1 || tiles_[result_of(body_[chain.begin])].bytes_total > kStreamBytes;
  }

  const synth::Program& program_;
  const synth::Body& body_;
  const TileMaps& tiles_;
};

}  // namespace

std::vector<ChainSteps> find_chains(const synth::Program& program, const synth::Body& body, const TileMaps& tiles) {
  return ChainSearch(program, body, tiles).run();
}

bool stays_inside(const ChainSteps& chain, const RegisterPlan& plan, const Life& life) {
  return plan.where == RegisterPlan::Where::arena && !plan.direct && life.last_use < chain.end;
}

}  // namespace tessera::runtime
