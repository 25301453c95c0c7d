#include "typeck/typed/early_indices.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace tessera::typeck {

namespace {

using synth::RegisterId;

class IndicesFirst {
 public:
  explicit IndicesFirst(synth::Program& program) : program_(program) {}
  void run() { walk(program_.body); }

 private:
  void walk(synth::Body& body) {
    for (synth::Step& step : body) std::visit([&](auto& node) { visit(node); }, step.node);
  }
  void visit(synth::Apply&) {}
  void visit(synth::Repeat& repeat) {
    walk(repeat.body);
    order(repeat.body);
  }
  void visit(synth::Choose& choose) {
    walk(choose.then_body);
    walk(choose.else_body);
  }
  void visit(synth::Pipeline&) {}

  void order(synth::Body& body) const {
    std::set<RegisterId> late;
    synth::Body first;
    synth::Body rest;
    for (synth::Step& step : body) {
      const bool is_first = is_of_index(step, late);
      if (!is_first)
        std::visit([&](const auto& node) { late.insert(node.results.begin(), node.results.end()); }, step.node);
      (is_first ? first : rest).push_back(std::move(step));
    }
    first.insert(first.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
    body = std::move(first);
  }

  // None of them can fail, and they take next to no room.
  bool is_of_index(const synth::Step& step, const std::set<RegisterId>& late) const {
    using enum synth::MapOp;
    const auto* const apply = std::get_if<synth::Apply>(&step.node);
    if (apply == nullptr || apply->results.empty()) return false;
    const synth::ArrayType& type = program_.registers[apply->results[0]];
    if (type.rank() > 0 || type.element() != synth::ElementType::i64) return false;
    if (std::holds_alternative<synth::Constant>(apply->operation)) return true;
    const auto* const map = std::get_if<synth::Map>(&apply->operation);
    const bool is_plain = map != nullptr && (map->op == add || map->op == subtract || map->op == multiply);
    return is_plain && std::ranges::none_of(apply->operands, [&](RegisterId id) { return late.contains(id); });
  }

  synth::Program& program_;
};

}  // namespace

void take_indices_first(synth::Program& program) { IndicesFirst(program).run(); }

}  // namespace tessera::typeck
