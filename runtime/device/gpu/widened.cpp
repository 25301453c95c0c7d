#include "runtime/device/gpu/widened.hpp"

namespace tessera::device {

namespace {

using Origin = std::optional<synth::ElementType>;

bool is_short_float(synth::ElementType element) {
  return element == synth::ElementType::f16 || element == synth::ElementType::bf16;
}

// What moves elements and changes none.
bool only_moves(const synth::Operation& operation) {
  return std::holds_alternative<synth::Transpose>(operation) || std::holds_alternative<synth::Reshape>(operation);
}

Origin origin_of(const synth::Program& program, const synth::Apply& apply, const std::vector<Origin>& known) {
  if (apply.results.empty() || apply.operands.size() != 1) return std::nullopt;
  if (only_moves(apply.operation)) return known[apply.operands[0].value];
  const auto* const map = std::get_if<synth::Map>(&apply.operation);
  const synth::ElementType from = program.registers[apply.operands[0]].element();
  const bool widens = map != nullptr && map->op == synth::MapOp::cast && is_short_float(from) &&
                      program.registers[apply.results[0]].element() == synth::ElementType::f32;
  return widens ? Origin(from) : std::nullopt;
}

template <class F>
void for_each_body(const synth::Step& step, F&& f) {
  if (const auto* const repeat = std::get_if<synth::Repeat>(&step.node)) f(repeat->body);
  if (const auto* const choose = std::get_if<synth::Choose>(&step.node)) {
    f(choose->then_body);
    f(choose->else_body);
  }
  if (const auto* const pipeline = std::get_if<synth::Pipeline>(&step.node)) {
    for (const synth::Body& visit : pipeline->visits) f(visit);
  }
}

}  // namespace

void Widened::learn(const synth::Program& program, const synth::Body& body) {
  for (const synth::Step& step : body) {
    if (const auto* const apply = std::get_if<synth::Apply>(&step.node)) {
      if (!apply->results.empty()) origins_[apply->results[0].value] = origin_of(program, *apply, origins_);
    }
    for_each_body(step, [&](const synth::Body& inner) { learn(program, inner); });
  }
}

std::optional<synth::ElementType> Widened::operands_of(const runtime::LocalStep& step) {
  if (program_ != &step.program) {
    program_ = &step.program;
    origins_.assign(step.program.registers.size(), std::nullopt);
    learn(step.program, step.program.body);
  }
  const std::vector<synth::RegisterId>& operands = step.apply.operands;
  if (operands.empty()) return std::nullopt;
  const std::optional<synth::ElementType> first = origins_[operands[0].value];
  for (const synth::RegisterId operand : operands) {
    if (origins_[operand.value] != first) return std::nullopt;
  }
  return first;
}

}  // namespace tessera::device
