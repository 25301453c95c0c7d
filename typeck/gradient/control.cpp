// Branches and loops backwards.
#include <fmt/format.h>

#include <set>

#include "typeck/gradient/scope.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck::gradient {

// ---- if: the branch taken is computed again and reversed; both give cotangents of the same values ----

struct Scope::Branch {
  open::Region region;
  Cotangents given;
};

std::optional<Scope::Branch> Scope::branch(ValueId id, const open::If& body, bool is_else, const Build& build) const {
  const open::Region& from = is_else ? body.else_region : body.then_region;
  Branch made;
  Scope inner(graph_, from, activity_, this, Purpose::reverse, Effects::left_out);
  const auto seed_else = [&] {
    for (std::uint32_t k = 0; k < from.results.size(); ++k) {
      const auto own = cotangent(id, k);
      if (!own.has_value() || !from.results[k].value.valid()) continue;
      inner.add_back({maker(id), k, false}, from.results[k].value, *own, build);
    }
    inner.bring_home(maker(id), from.results, build);
  };
  const bool good = graph_.in_region(made.region, [&] {
    if (!inner.compute()) return false;
    if (is_else) {
      seed_else();
    } else {
      seed(inner, id, from.results, build);
    }
    return inner.reverse();
  });
  if (!good) return std::nullopt;
  made.given = std::move(inner.cotangents_);
  return made;
}

bool Scope::reverse(ValueId id, const open::Node& made, const open::If& taken) {
  if (!activity_.any_active(id)) return true;
  const open::If body = taken;
  const open::Node node = made;
  const Build build(graph_, node.span, "the gradient of `if`");
  auto then_branch = branch(id, body, false, build);
  auto else_branch = branch(id, body, true, build);
  if (!then_branch.has_value() || !else_branch.has_value()) return false;
  std::set<std::pair<ValueId, std::uint32_t>> keys;
  for (const Branch* one : {&*then_branch, &*else_branch}) {
    for (const auto& [key, given] : one->given) keys.insert(key);
  }
  if (keys.empty()) return true;
  open::If both{here(body.condition), std::move(then_branch->region), std::move(else_branch->region), {}, {}, false};
  std::vector<open::Type> types;
  // A branch that does not use a value gives zeros: its result is left open.
  const auto result_of = [&](const Branch& own, const auto& key) {
    const auto found = own.given.find(key);
    if (found == own.given.end()) return Use{{}, node.span, {}};
    if (types.size() <= both.then_region.results.size()) types.push_back(graph_.type(found->second));
    return Use{found->second.value, node.span, {}};
  };
  for (const auto& key : keys) {
    const Use then_result = result_of(*then_branch, key);
    const Use else_result = result_of(*else_branch, key);
    both.then_region.results.push_back(then_result);
    both.else_region.results.push_back(else_result);
  }
  const auto results = graph_.elements_of(graph_.emit(node.span, std::move(types), std::move(both)), node.span);
  std::size_t k = 0;
  for (const auto& [original, result] : keys) add(original, Use{results[k++], node.span, {}}, build, result);
  return true;
}

// ---- loop: forwards the carried values of every turn are kept; backwards each turn is computed again ----

namespace {

// The index of a loop that is being made, on a mesh.
ValueId index_on(Graph& graph, open::Loop& loop, const synth::MeshRef& mesh) {
  if (graph.type(loop.index).mesh() == *mesh) return loop.index;
  for (const ValueId index : loop.indices_elsewhere) {
    if (graph.type(index).mesh() == *mesh) return index;
  }
  loop.indices_elsewhere.push_back(
      graph.parameter(graph.node(loop.index).span, open::Type(synth::ElementType::i64, {}, mesh)));
  return loop.indices_elsewhere.back();
}

// The number of the turn that is reversed: the last turn comes first.
Use reversed_index(const Build& build, open::Loop& loop, const synth::MeshRef& mesh) {
  const Use last = build.graph().number(build.span(), *loop.known_count - 1, synth::ElementType::i64, mesh);
  return build.subtract(last, Use{index_on(build.graph(), loop, mesh), {}, {}});
}

open::Type stacked(const open::Type& type, std::int64_t count) {
  synth::Shape shape = type.shape();
  shape.insert(0, count);
  return {type.element(), shape, type.mesh_ref()};
}

// Of a value that was finished, before it was.
Span where_made(const Graph& graph, ValueId value) {
  const open::Node node = graph.node(value);
  const auto* compute = std::get_if<open::Compute>(&node.body);
  const bool is_finished = compute != nullptr && std::holds_alternative<open::Finish>(compute->operation);
  return is_finished ? where_made(graph, compute->operands[0].value) : node.span;
}

bool refuse_condition(Graph& graph, Span span) {
  graph.report(base::make(Kind::gradient_loop, std::string("a condition, and so no known number of turns"))
                   .at(span)
                   .suggest("write `loop w = w0 for i < n { ... }` with a constant n; where what comes no longer "
                            "changes, more turns do no harm"));
  return false;
}

}  // namespace

open::Loop Scope::same_loop(const open::Loop& body, Scope& inner) const {
  open::Loop own;
  own.count = here(body.count);
  own.known_count = body.known_count;
  own.condition = body.condition;
  own.is_limited = body.is_limited;
  own.fresh = body.fresh;
  own.initial = uses_here(body.initial);
  own.names = body.names;
  own.body_span = body.body_span;
  const auto parameter = [&](ValueId original) {
    const ValueId made = graph_.parameter(graph_.node(original).span, graph_.type(original));
    inner.give(original, made);
    return made;
  };
  own.index = parameter(body.index);
  for (const ValueId original : body.indices_elsewhere) own.indices_elsewhere.push_back(parameter(original));
  for (const ValueId original : body.parameters) own.parameters.push_back(parameter(original));
  return own;
}

bool Scope::compute(ValueId id, const open::Node& made, const open::Loop& turned) {
  const open::Node node = made;
  const open::Loop body = turned;
  const bool turns = !body.known_count.has_value() || *body.known_count > 0;
  if (purpose_ == Purpose::reverse && turns && activity_.any_active(id)) return stack_carried(id, node, body);
  Scope inner(graph_, body.body, activity_, this, Purpose::value, effects_);
  open::Loop own = same_loop(body, inner);
  if (!copy_region(body.body, own.body, inner)) return false;
  emit(id, node.types, std::move(own));
  return true;
}

bool Scope::stack_carried(ValueId id, const open::Node& node, const open::Loop& body) {
  const Build build(graph_, node.span, "the gradient of a loop");
  if (body.condition.has_value()) return refuse_condition(graph_, node.span);
  if (!body.known_count.has_value()) {
    graph_.report(base::make(Kind::gradient_loop, std::string("a count that is known only at run time"))
                      .at(node.span)
                      .also(where_made(graph_, body.count.value), "this count")
                      .suggest("make it a constant: a literal, a top-level `let` of one, or an extent"));
    return false;
  }
  Scope inner(graph_, body.body, activity_, this, Purpose::value, effects_);
  open::Loop own = same_loop(body, inner);
  std::vector<open::Type> types = node.types;
  const std::size_t carried = body.parameters.size();
  std::vector<std::size_t> kept;  // what begins with zeros is never read in a turn
  for (std::size_t k = 0; k < carried; ++k) {
    if (body.initial[k].value.valid() && node.types[k].rank() == synth::kRankMax) {
      graph_.report(base::make(Kind::gradient_loop, fmt::format("a carried array of rank {}", node.types[k].rank()))
                        .at(node.span)
                        .suggest("its values of all turns are kept in one array of one rank more: reshape it to fewer "
                                 "dimensions"));
      return false;
    }
    if (!body.initial[k].value.valid()) continue;
    kept.push_back(k);
    types.push_back(stacked(node.types[k], *body.known_count));
    own.initial.emplace_back();
    own.parameters.push_back(graph_.parameter(node.span, types.back()));
  }
  if (!copy_region(body.body, own.body, inner)) return false;
  graph_.in_region(own.body, [&] {
    for (std::size_t at = 0; at < kept.size(); ++at) {
      const ValueId stack = own.parameters[carried + at];
      const ValueId value = own.parameters[kept[at]];
      const ValueId turn = index_on(graph_, own, types[kept[at]].mesh_ref());
      own.body.results.push_back(build.compute(types[carried + at], open::PutRow{},
                                               {Use{stack, {}, {}}, Use{value, {}, {}}, Use{turn, {}, {}}}));
    }
    return true;
  });
  const ValueId made = graph_.emit(node.span, std::move(types), std::move(own));
  const auto results = graph_.elements_of(made, node.span);
  const auto middle = results.begin() + static_cast<std::ptrdiff_t>(carried);
  makers_[id] = made;
  values_[id].assign(results.begin(), middle);
  stacks_[id].resize(carried);
  for (std::size_t at = 0; at < kept.size(); ++at) stacks_[id][kept[at]] = results[carried + at];
  return true;
}

struct Scope::Turn {
  std::map<std::size_t, Use> carried;  // cotangents of the values at the start of the turn
  Cotangents captured;                 // contributions to values from outside the loop
};

// One turn backwards, in the region that is being made. `cotangents` are those of the values after it.
std::optional<Scope::Turn> Scope::turn(const open::Loop& body, const std::vector<ValueId>& stacks,
                                       const std::vector<ValueId>& last, open::Loop& made,
                                       const std::map<std::size_t, ValueId>& cotangents, const Build& build) const {
  const synth::MeshRef mesh = graph_.type(body.index).mesh_ref();
  const Use index = reversed_index(build, made, mesh);
  const auto index_there = [&](const synth::MeshRef& there) {
    return *there == *mesh ? index : reversed_index(build, made, there);
  };
  Scope inner(graph_, body.body, activity_, this, Purpose::reverse, Effects::left_out);
  inner.give(body.index, index.value);
  for (const ValueId original : body.indices_elsewhere)
    inner.give(original, index_there(graph_.type(original).mesh_ref()).value);
  for (std::size_t k = 0; k < stacks.size(); ++k) {
    if (!stacks[k].valid()) {
      inner.give(body.parameters[k], last.at(k));  // lies as it does in a turn, and is not read
      continue;
    }
    const open::Type type = graph_.type(body.parameters[k]);
    const Use at = index_there(type.mesh_ref());
    inner.give(body.parameters[k], build.compute(type, open::TakeRow{}, {Use{stacks[k], {}, {}}, at}).value);
  }
  if (!inner.compute()) return std::nullopt;
  for (const auto& [k, value] : cotangents) inner.add(body.body.results[k].value, Use{value, {}, {}}, build);
  if (!inner.reverse()) return std::nullopt;
  Turn done;
  done.captured = inner.cotangents_;
  for (const auto& [k, value] : cotangents) {
    const ValueId parameter = body.parameters[k];
    const Use like{inner.here(parameter), {}, {}};
    const auto given = inner.cotangent(parameter);
    done.carried[k] = given.has_value() ? build.finished_as(*given, like) : build.zeros_as(like);
    done.captured.erase({parameter, 0});
  }
  return done;
}

// The cotangents after the last turn, finished, of all carried values that have one.
std::map<std::size_t, Use> Scope::carried_cotangents(ValueId id, const open::Loop& body, const Build& build) {
  std::map<std::size_t, Use> all;
  const std::vector<ValueId>* const results = held(id);
  for (std::size_t k = 0; k < body.parameters.size(); ++k) {
    if (!activity_.flags(body.parameters[k]).active) continue;
    const Use like{results->at(k), {}, {}};
    const auto given = cotangent(id, static_cast<std::uint32_t>(k));
    all.emplace(k, given.has_value() ? build.finished_as(*given, like) : build.zeros_as(like));
  }
  return all;
}

bool Scope::reverse(ValueId id, const open::Node& made, const open::Loop& turned) {
  if (!activity_.any_active(id)) return true;
  const open::Node node = made;
  const open::Loop body = turned;
  const Build build(graph_, node.span, "the gradient of a loop");
  if (!stacks_.contains(id)) return unturned(id, body, build);
  bool any = false;
  for (std::uint32_t k = 0; k < node.types.size(); ++k) any = any || cotangent(id, k).has_value();
  return !any || reverse_loop(id, body, build);
}

// A loop of no turns is the identity.
bool Scope::unturned(ValueId id, const open::Loop& body, const Build& build) {
  for (std::uint32_t k = 0; k < body.initial.size(); ++k) {
    const auto given = cotangent(id, k);
    if (given.has_value() && body.initial[k].value.valid()) add(body.initial[k].value, *given, build);
  }
  return true;
}

bool Scope::reverse_loop(ValueId id, const open::Loop& body, const Build& build) {
  const auto starts = carried_cotangents(id, body, build);
  const std::vector<ValueId> stacks = stacks_.at(id);
  const std::vector<ValueId> last = *held(id);
  open::Loop made;
  made.count = here(body.count);
  made.known_count = body.known_count;
  made.index = graph_.parameter(build.span(), graph_.type(body.index));
  std::map<std::size_t, ValueId> cotangents;
  std::vector<open::Type> types;
  const auto carry = [&](const Use& initial, const open::Type& type) {
    types.push_back(type);
    made.initial.push_back(initial);
    made.parameters.push_back(graph_.parameter(build.span(), type));
    return made.parameters.back();
  };
  for (const auto& [k, start] : starts) cotangents[k] = carry(start, graph_.type(start));
  // Contributions to values from outside the loop are carried sums, which begin with zeros.
  std::vector<std::pair<ValueId, std::uint32_t>> sums;
  const bool good = graph_.in_region(made.body, [&] {
    const auto own = turn(body, stacks, last, made, cotangents, build);
    if (!own.has_value()) return false;
    for (const auto& [k, value] : own->carried) made.body.results.push_back(value);
    for (const auto& [key, given] : own->captured) {
      sums.push_back(key);
      const open::Type type = graph_.type(given);
      const ValueId sum = carry({}, type);
      made.body.results.push_back(build.compute(type, open::Sum{}, {Use{sum, {}, {}}, given}));
    }
    return true;
  });
  if (!good) return false;
  const auto results = graph_.elements_of(graph_.emit(build.span(), std::move(types), std::move(made)), build.span());
  std::size_t at = 0;
  for (const auto& [k, value] : cotangents) {
    const Use initial{results[at++], {}, {}};
    if (body.initial[k].value.valid()) add(body.initial[k].value, initial, build);
  }
  for (const auto& [original, result] : sums) add(original, Use{results[at++], {}, {}}, build, result);
  return true;
}

}  // namespace tessera::typeck::gradient
