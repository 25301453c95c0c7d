// Branches and loops backwards.
#include <fmt/format.h>

#include <set>

#include "typeck/gradient/scope.hpp"

namespace tessera::typeck::gradient {

// ---- if: the branch taken is computed again and reversed; both give cotangents of the same values ----

struct Scope::Branch {
  Region region;
  Cotangents given;
};

std::optional<Scope::Branch> Scope::branch(NodeId id, const Region& from, const Build& build) const {
  Branch made;
  Scope inner(inserter_, from, activity_, this, Purpose::reverse, Effects::left_out);
  const bool good = inserter_.in_region(
      made.region, [&] { return inner.compute() && seed(inner, id, from.results, build) && inner.reverse(); });
  if (!good) return std::nullopt;
  made.given = inner.left_over();
  return made;
}

bool Scope::reverse(NodeId id, const Node& node, const If& body) {
  const Build build(inserter_, node.span, "the gradient of `if`");
  auto then_branch = branch(id, body.then_region, build);
  auto else_branch = branch(id, body.else_region, build);
  if (!then_branch.has_value() || !else_branch.has_value()) return false;
  std::set<std::pair<NodeId, std::uint32_t>> keys;
  for (const Branch* one : {&*then_branch, &*else_branch}) {
    for (const auto& [key, given] : one->given) keys.insert(key);
  }
  if (keys.empty()) return true;
  std::vector<Held> then_values;
  std::vector<Held> else_values;
  // A branch that does not use a value gives zeros, laid out as the other's cotangent.
  const auto given_or_zeros = [&](Branch& own, const Branch& other, const auto& key) {
    if (const auto found = own.given.find(key); found != own.given.end()) return found->second.node();
    const ArrayType type = inserter_.type(other.given.at(key));
    return inserter_.in_region(own.region, [&] { return build.zeros(type)->node(); });
  };
  for (const auto& key : keys) {
    then_values.push_back({{given_or_zeros(*then_branch, *else_branch, key)}, node.span, {}, {}});
    else_values.push_back({{given_or_zeros(*else_branch, *then_branch, key)}, node.span, {}, {}});
  }
  If both{here(body.condition), std::move(then_branch->region), std::move(else_branch->region)};
  auto ways = inserter_.ways_to_join(node.span, then_values, else_values);
  const auto joined = inserter_.join_branches(node.span, std::move(both), then_values, else_values, std::move(ways));
  if (!joined.has_value()) return false;
  const Held results = inserter_.elements_of(*joined, node.span);
  std::size_t k = 0;
  for (const auto& [original, result] : keys) {
    if (!add(original, Held{{results.nodes[k++]}, node.span, {}, {}}, build, result)) return false;
  }
  return true;
}

// ---- loop: forwards the carried values of every turn are kept; backwards each turn is computed again ----

namespace {

// An array with a leading dimension of this extent, whole.
std::optional<ArrayType> stacked(Inserter& inserter, Span span, const ArrayType& type, std::int64_t count) {
  if (type.rank() == synth::kRankMax) {
    inserter.report(base::make(Kind::gradient_loop, fmt::format("a carried array of rank {}", type.rank()))
                        .at(span)
                        .suggest("its values of all turns are kept in one array of one rank more: reshape it to fewer "
                                 "dimensions"));
    return std::nullopt;
  }
  Shape shape = type.shape();
  shape.insert(0, count);
  std::vector<AxisList> splits = type.layout().splits();
  splits.insert(splits.begin(), AxisList{});
  return inserter.make_type(span, type.element(), shape, type.mesh_ref(), std::move(splits), type.layout().pending(),
                            type.layout().reduce());
}

synth::Part row_part(std::uint32_t operand, std::size_t rank, bool subtract) {
  synth::Part part{operand, std::vector<synth::Placement>(rank)};
  part.placements[0] = synth::Placement{0, subtract ? 1 : 2, subtract, false, 0};
  return part;
}

// The index of a turn on the mesh of a stack.
NodeId index_on(Inserter& inserter, Span span, NodeId index, const ArrayType& stack) {
  const MaybeHeld there = inserter.again_on(Held{{index}, span, {}, {}}, stack.mesh_ref());
  TESSERA_CHECK(there.has_value(), "a turn's index cannot be made again");
  return there->node();
}

// Row `at` of a stack becomes the value.
MaybeHeld with_row(const Build& build, NodeId stack, NodeId value, NodeId at) {
  Inserter& inserter = build.inserter();
  const ArrayType whole = inserter.type(stack);
  const auto row_type = stacked(inserter, build.span(), inserter.type(value), 1);
  if (!row_type.has_value()) return std::nullopt;
  const Held row = inserter.compute(build.span(), *row_type, synth::Reshape{}, {value});
  return inserter.compute(build.span(), whole, synth::Assemble{true, {row_part(1, whole.rank(), false)}},
                          {stack, row.node(), index_on(inserter, build.span(), at, whole)});
}

// Row `at` of a stack, of the type that its values have.
MaybeHeld row_of(const Build& build, NodeId stack, const ArrayType& type, NodeId at) {
  Inserter& inserter = build.inserter();
  const auto row_type = stacked(inserter, build.span(), type, 1);
  if (!row_type.has_value()) return std::nullopt;
  const NodeId index = index_on(inserter, build.span(), at, type);
  const Held row = inserter.compute(build.span(), *row_type,
                                    synth::Assemble{false, {row_part(0, row_type->rank(), true)}}, {stack, index});
  return inserter.compute(build.span(), type, synth::Reshape{}, {row.node()});
}

}  // namespace

bool Scope::stack_carried(NodeId id, const Node& node, const Loop& body) {
  const Build build(inserter_, node.span, "the gradient of a loop");
  if (!body.known_count.has_value()) {
    inserter_.report(base::make(Kind::gradient_loop, std::string("a count that is known only at run time"))
                         .at(node.span)
                         .also(inserter_.typed().nodes[body.count].span, "this count")
                         .suggest("make it a constant: a literal, a top-level `let` of one, or an extent"));
    return false;
  }
  const std::int64_t count = *body.known_count;
  Loop own{here(body.count), body.known_count, {}, all_here(body.initial), {}, {}};
  std::vector<ArrayType> types = node.types;
  Scope inner(inserter_, body.body, activity_, this, Purpose::value, effects_);
  const auto parameter = [&](const ArrayType& type) {
    return inserter_.typed().nodes.add(Node{node.span, {type}, Parameter{}});
  };
  own.index = parameter(inserter_.type(body.index));
  inner.give(body.index, own.index);
  for (const NodeId original : body.indices_elsewhere) {
    own.indices_elsewhere.push_back(parameter(inserter_.type(original)));
    inner.give(original, own.indices_elsewhere.back());
  }
  for (const NodeId original : body.parameters) {
    own.parameters.push_back(parameter(inserter_.type(original)));
    inner.give(original, own.parameters.back());
  }
  const std::size_t carried = body.parameters.size();
  for (std::size_t k = 0; k < carried; ++k) {
    const auto type = stacked(inserter_, node.span, node.types[k], count);
    const MaybeHeld zeros = type.has_value() ? build.zeros(*type) : std::nullopt;
    if (!zeros.has_value()) return false;
    types.push_back(*type);
    own.initial.push_back(zeros->node());
    own.parameters.push_back(parameter(*type));
  }
  if (!inserter_.in_loop(own, [&] { return copy_region(body.body, own.body, inner); })) return false;
  const bool good = inserter_.in_loop(own, [&] {
    return inserter_.in_region(own.body, [&] {
      for (std::size_t k = 0; k < carried; ++k) {
        const MaybeHeld next = with_row(build, own.parameters[carried + k], own.parameters[k], own.index);
        if (!next.has_value()) return false;
        own.body.results.push_back(next->node());
      }
      return true;
    });
  });
  if (!good) return false;
  const auto results =
      inserter_.elements_of(inserter_.emit(node.span, std::move(types), std::move(own)), node.span).nodes;
  const auto middle = results.begin() + static_cast<std::ptrdiff_t>(carried);
  values_[id].assign(results.begin(), middle);
  stacks_[id].assign(middle, results.end());
  return true;
}

struct Scope::Turn {
  std::map<std::size_t, NodeId> carried;  // cotangents of the values at the start of the turn
  Cotangents captured;                    // contributions to values from outside the loop
};

// One turn backwards, in the region that is being made. `cotangents` are those of the values after it.
std::optional<Scope::Turn> Scope::turn(const Loop& body, const std::vector<NodeId>& stacks, const Held& index,
                                       const std::map<std::size_t, NodeId>& cotangents, const Build& build) const {
  Scope inner(inserter_, body.body, activity_, this, Purpose::reverse, Effects::left_out);
  inner.give(body.index, index.node());
  for (const NodeId original : body.indices_elsewhere) {
    const MaybeHeld elsewhere = inserter_.again_on(index, inserter_.type(original).mesh_ref());
    TESSERA_CHECK(elsewhere.has_value(), "a turn's index cannot be made again");
    inner.give(original, elsewhere->node());
  }
  for (std::size_t k = 0; k < stacks.size(); ++k) {
    const ArrayType type = inserter_.type(body.parameters[k]);
    const MaybeHeld row = row_of(build, stacks[k], type, index.node());
    if (!row.has_value()) return std::nullopt;
    inner.give(body.parameters[k], row->node());
  }
  if (!inner.compute()) return std::nullopt;
  for (const auto& [k, node] : cotangents) {
    if (!inner.add(body.body.results[k], Held{{node}, build.span(), {}, {}}, build)) return std::nullopt;
  }
  if (!inner.reverse()) return std::nullopt;
  Turn made;
  made.captured = inner.left_over();
  for (const auto& [k, node] : cotangents) {
    const NodeId parameter = body.parameters[k];
    const auto whole = whole_cotangent(inserter_, build.span(), inserter_.type(parameter));
    if (!whole.has_value()) return std::nullopt;
    const Held* const given = inner.cotangent(parameter);
    const MaybeHeld next =
        given == nullptr ? build.zeros(*whole)
                         : inserter_.redistribute(*given, *whole,
                                                  Reason{Reason::Asker::operation, build.who(), build.span(), {}, {}});
    if (!next.has_value()) return std::nullopt;
    made.carried[k] = next->node();
    made.captured.erase({parameter, 0});
  }
  return made;
}

// The cotangents after the last turn, finished, of all carried values that have one.
std::optional<std::map<std::size_t, Held>> Scope::carried_cotangents(NodeId id, const Loop& body, const Build& build) {
  std::map<std::size_t, Held> all;
  for (std::size_t k = 0; k < body.parameters.size(); ++k) {
    if (!activity_.flags(body.parameters[k]).active) continue;
    const auto whole = whole_cotangent(inserter_, build.span(), inserter_.type(body.parameters[k]));
    if (!whole.has_value()) return std::nullopt;
    const Held* const given = cotangent(id, static_cast<std::uint32_t>(k));
    const MaybeHeld start =
        given == nullptr ? build.zeros(*whole)
                         : inserter_.redistribute(*given, *whole,
                                                  Reason{Reason::Asker::operation, build.who(), build.span(), {}, {}});
    if (!start.has_value()) return std::nullopt;
    all.emplace(k, *start);
  }
  return all;
}

bool Scope::reverse(NodeId id, const Node& node, const Loop& body) {
  if (!stacks_.contains(id)) return unturned(id, body, Build(inserter_, node.span, "the gradient of a loop"));
  bool any = false;
  for (std::uint32_t k = 0; k < node.types.size(); ++k) any = any || cotangent(id, k) != nullptr;
  return !any || reverse_loop(id, body, Build(inserter_, node.span, "the gradient of a loop"));
}

// A loop of no turns is the identity.
bool Scope::unturned(NodeId id, const Loop& body, const Build& build) {
  for (std::uint32_t k = 0; k < body.initial.size(); ++k) {
    const Held* const given = cotangent(id, k);
    if (given != nullptr && !add(body.initial[k], *given, build)) return false;
  }
  return true;
}

bool Scope::reverse_loop(NodeId id, const Loop& body, const Build& build) {
  const auto starts = carried_cotangents(id, body, build);
  if (!starts.has_value()) return false;
  const std::vector<NodeId> stacks = stacks_.at(id);
  const auto parameter = [&](const ArrayType& type) {
    return inserter_.typed().nodes.add(Node{build.span(), {type}, Parameter{}});
  };
  Loop made{here(body.count), body.known_count, parameter(inserter_.type(body.index)), {}, {}, {}};
  std::map<std::size_t, NodeId> cotangents;
  std::vector<ArrayType> types;
  const auto carry = [&](NodeId initial) {
    types.push_back(inserter_.type(initial));
    made.initial.push_back(initial);
    made.parameters.push_back(parameter(types.back()));
    return made.parameters.back();
  };
  for (const auto& [k, start] : *starts) cotangents[k] = carry(start.node());
  const auto reversed_turn = [&]() -> std::optional<Turn> {
    const Held last =
        inserter_.scalar(build.span(), *body.known_count - 1, ElementType::i64, inserter_.type(body.index).mesh_ref());
    const MaybeHeld index = build.subtract(last, Held{{made.index}, build.span(), {}, {}});
    return index.has_value() ? turn(body, stacks, *index, cotangents, build) : std::nullopt;
  };
  // Contributions to values from outside the loop are carried sums, which begin with zeros.
  std::map<std::pair<NodeId, std::uint32_t>, NodeId> sums;
  const bool good = inserter_.in_loop(made, [&] {
    return inserter_.in_region(made.body, [&] {
      const auto own = reversed_turn();
      if (!own.has_value()) return false;
      for (const auto& [k, node] : own->carried) made.body.results.push_back(node);
      for (const auto& [key, given] : own->captured) {
        sums[key] = parameter(inserter_.type(given));
        const MaybeHeld next = build.add(Held{{sums[key]}, build.span(), {}, {}}, given);
        if (!next.has_value()) return false;
        made.body.results.push_back(next->node());
      }
      return true;
    });
  });
  if (!good) return false;
  for (const auto& [key, sum] : sums) {
    const ArrayType type = inserter_.type(sum);
    const MaybeHeld zeros = build.zeros(type);
    if (!zeros.has_value()) return false;
    types.push_back(type);
    made.initial.push_back(zeros->node());
    made.parameters.push_back(sum);
  }
  const auto results =
      inserter_.elements_of(inserter_.emit(build.span(), std::move(types), std::move(made)), build.span()).nodes;
  std::size_t at = 0;
  for (const auto& [k, node] : cotangents) {
    if (!add(body.initial[k], Held{{results[at++]}, build.span(), {}, {}}, build)) return false;
  }
  for (const auto& [key, sum] : sums) {
    if (!add(key.first, Held{{results[at++]}, build.span(), {}, {}}, build, key.second)) return false;
  }
  return true;
}

}  // namespace tessera::typeck::gradient
