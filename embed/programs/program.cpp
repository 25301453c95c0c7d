#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "embed/host/convert.hpp"
#include "embed/plans/plan_impl.hpp"
#include "embed/programs/pipelines.hpp"
#include "embed/programs/program_facts.hpp"
#include "embed/session/session_impl.hpp"
#include "synth/program/program.hpp"
#include "tessera/moved_boxes.hpp"
#include "typeck/typed/local_work.hpp"
#include "typeck/typed/lower.hpp"
#include "typeck/typed/moved_parts.hpp"
#include "typeck/typed/needs.hpp"

namespace tessera {

namespace {

std::optional<Place> known_place(const embed::Texts& texts, base::Span span) {
  if (!span.known()) return std::nullopt;
  return embed::place(texts, span);
}

std::vector<Redistribution::Alternative> ways_of(const std::vector<typeck::Alternative>& compared) {
  std::vector<Redistribution::Alternative> all;
  for (const typeck::Alternative& one : compared)
    all.push_back({one.description, one.seconds, one.received_bytes, one.peak_bytes, one.chosen});
  return all;
}

}  // namespace

namespace embed {

Redistribution to_public(const Texts& texts, const typeck::Redistribute& redistribute, std::size_t statement,
                         const synth::Machine& machine) {
  const typeck::Reason& why = redistribute.why;
  Redistribution result{known_place(texts, why.asked_at).value_or(Place{}),
                        why.who,
                        why.inserted(),
                        known_place(texts, why.because),
                        {},
                        Plan(std::make_shared<const Plan::Impl>(Plan::Impl{redistribute.plan, machine})),
                        static_cast<std::uint32_t>(statement)};
  result.compared = ways_of(why.compared);
  return result;
}

PartsMoved to_public(const Texts& texts, const typeck::Typed& typed, const typeck::Node& node, std::size_t statement) {
  const auto& compute = std::get<typeck::Compute>(node.body);
  PartsMoved moved;
  moved.place = known_place(texts, node.span).value_or(Place{});
  moved.who = compute.who;
  const typeck::MovedParts parts = typeck::moved_parts(typed, node);
  moved.received_bytes = parts.received_bytes;
  moved.received_bytes_max = parts.received_max;
  moved.peak_bytes = parts.peak_bytes;
  moved.gathered_bytes = parts.gathered_bytes;
  moved.op = parts.op;
  moved.is_most = parts.is_most;
  for (const synth::ArrayType& type : parts.from) moved.from.push_back(synth::print(type));
  moved.to = synth::print(parts.to);
  moved.text = typeck::print(parts);
  moved.statement = static_cast<std::uint32_t>(statement);
  if (compute.compared.size() > 1) moved.compared = ways_of(compute.compared);
  return moved;
}

}  // namespace embed

const std::vector<Binding>& Program::bindings() const { return impl_->bindings; }
const std::vector<Place>& Program::shown() const { return impl_->shown; }
const std::vector<Declaration>& Program::declared() const { return impl_->declared; }
const Diagnostics& Program::notes() const { return impl_->notes; }

namespace {

// A statement's redistributions; with a value, those alone that it needs.
void list_redistributions(const Program::Impl& program, std::size_t number, std::optional<typeck::NodeId> value,
                          std::vector<Redistribution>& all) {
  std::set<const typeck::Redistribute*> needed;
  if (value) {
    for (const typeck::Node* node : typeck::needs_of(*program.typed, *value))
      needed.insert(std::get_if<typeck::Redistribute>(&node->body));
  }
  const typeck::Region& region = program.typed->statements[number].region;
  for (const typeck::Redistribute* one : typeck::redistributions(*program.typed, region)) {
    if (!value || needed.count(one) > 0) all.push_back(embed::to_public(*program.texts, *one, number, program.machine));
  }
}

void list_parts(const Program::Impl& program, std::size_t number, std::optional<typeck::NodeId> value,
                std::vector<PartsMoved>& all) {
  const auto needs = value ? typeck::needs_of(*program.typed, *value) : std::set<const typeck::Node*>{};
  for (const typeck::Node* one : typeck::parts_moved(*program.typed, program.typed->statements[number].region)) {
    if (!value || needs.count(one) > 0) all.push_back(embed::to_public(*program.texts, *program.typed, *one, number));
  }
}

// The last statement that binds a name, and the name's value.
std::optional<std::pair<std::size_t, typeck::NodeId>> binding_of(const typeck::Typed& typed, std::string_view name) {
  for (std::size_t number = typed.statements.size(); number-- > 0;) {
    for (const typeck::Bound& bound : typed.statements[number].bound) {
      if (bound.name == name) return std::pair(number, bound.node);
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<Redistribution> Program::redistributions() const {
  std::vector<Redistribution> all;
  for (std::size_t i = 0; i < impl_->typed->statements.size(); ++i) list_redistributions(*impl_, i, std::nullopt, all);
  return all;
}

std::vector<Redistribution> Program::redistributions_for(std::string_view name) const {
  std::vector<Redistribution> all;
  if (const auto bound = binding_of(*impl_->typed, name))
    list_redistributions(*impl_, bound->first, bound->second, all);
  return all;
}

std::vector<PartsMoved> Program::parts_moved() const {
  std::vector<PartsMoved> all;
  for (std::size_t i = 0; i < impl_->typed->statements.size(); ++i) list_parts(*impl_, i, std::nullopt, all);
  return all;
}

Result<std::vector<MovedBoxes>> Program::moved_boxes(std::size_t index) const {
  return embed::safely([&]() -> Result<std::vector<MovedBoxes>> { return embed::moved_boxes_of(*impl_, index); });
}

std::vector<PartsMoved> Program::parts_moved_for(std::string_view name) const {
  std::vector<PartsMoved> all;
  if (const auto bound = binding_of(*impl_->typed, name)) list_parts(*impl_, bound->first, bound->second, all);
  return all;
}

std::vector<LocalWork> Program::local_work() const {
  std::vector<LocalWork> result;
  const std::vector<typeck::TypedStatement>& statements = impl_->typed->statements;
  for (std::size_t number = 0; number < statements.size(); ++number) {
    for (const typeck::LocalWork& one : typeck::local_work(*impl_->typed, statements[number].region, impl_->machine)) {
      result.push_back({known_place(*impl_->texts, one.span).value_or(Place{}), one.step, one.cost.seconds,
                        one.cost.slowest, one.cost.fastest_seconds, static_cast<std::uint32_t>(number)});
    }
  }
  return result;
}

Result<std::vector<Pipeline>> Program::pipelines() const {
  return embed::safely([&]() -> Result<std::vector<Pipeline>> { return embed::pipelines_of(*impl_); });
}

Result<std::string> Program::elaborated() const {
  return embed::safely([&]() -> Result<std::string> { return typeck::print(*impl_->typed, impl_->texts->sources); });
}

Result<std::string> Program::device_program() const {
  return embed::safely([&]() -> Result<std::string> {
    auto lowered = typeck::lower(*impl_->typed, typeck::Keep::bound_names);
    if (!lowered) return embed::to_public(*impl_->texts, lowered.errors());
    return synth::print(lowered->program);
  });
}

}  // namespace tessera
