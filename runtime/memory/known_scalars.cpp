#include "runtime/memory/known_scalars.hpp"

#include <algorithm>
#include <variant>

namespace tessera::runtime {

namespace {

using synth::RegisterId;

class Search {
 public:
  explicit Search(const synth::Program& program) : program_(program), known_(program.registers.size(), false) {}

  void body(const synth::Body& steps) {
    for (const synth::Step& step : steps) std::visit([&](const auto& node) { visit(node); }, step.node);
  }
  std::vector<bool> take() { return std::move(known_); }

 private:
  bool is_scalar(RegisterId id) const { return program_.registers[id].rank() == 0; }

  void visit(const synth::Apply& apply) {
    if (apply.results.empty() || !is_scalar(apply.results[0])) return;
    const bool is_computed =
        std::holds_alternative<synth::Constant>(apply.operation) || std::holds_alternative<synth::Map>(apply.operation);
    known_[apply.results[0].value] = is_computed && std::all_of(apply.operands.begin(), apply.operands.end(),
                                                                [&](RegisterId id) { return known_[id.value]; });
  }
  void visit(const synth::Repeat& repeat) {
    known_[repeat.index.value] = true;
    for (const RegisterId index : repeat.indices_elsewhere) known_[index.value] = true;
    body(repeat.body);
  }
  void visit(const synth::Pipeline& pipeline) {
    for (const RegisterId index : pipeline.indices) known_[index.value] = true;
    for (const synth::Body& steps : pipeline.visits) body(steps);
  }
  void visit(const synth::Choose& choose) {
    body(choose.then_body);
    body(choose.else_body);
  }

  const synth::Program& program_;
  std::vector<bool> known_;
};

}  // namespace

std::vector<bool> known_scalars(const synth::Program& program) {
  Search search(program);
  search.body(program.body);
  return search.take();
}

}  // namespace tessera::runtime
