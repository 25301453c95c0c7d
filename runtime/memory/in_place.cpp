#include "runtime/memory/in_place.hpp"

#include <algorithm>
#include <optional>

#include "runtime/memory/bytes.hpp"
#include "runtime/memory/chains.hpp"
#include "runtime/memory/reads.hpp"

namespace tessera::runtime {

namespace {

using synth::RegisterId;
using Where = RegisterPlan::Where;

// How a register can lie where something else lay before.
struct Link {
  RegisterId source;                    // what lay there first: a parameter, or a register from around a branch
  RegisterId over;                      // what lay there just before; none for the source itself
  std::vector<RegisterId> inside = {};  // registers of branches that lie there in between
  std::vector<RegisterId> slices = {};  // to be copied for it
};
using Links = std::vector<Link>;
// A register's links have different sources. More are not looked for.
constexpr std::size_t kLinksMax = 4;

// The body of a loop, or of a branch inside of one.
struct Scope {
  const synth::Body& body;
  const std::vector<RegisterId>& ends;  // what is read at its end
  Scope* around = nullptr;              // of a branch
  std::map<RegisterId, Links> links = {};
  std::optional<std::vector<ChainSteps>> chains = {};

  // None for a register that lies nowhere else. What a branch sees from around it lies there first.
  const Links& of(RegisterId id) {
    static const Links kNone;
    const auto own = links.find(id);
    if (own != links.end()) return own->second;
    if (around == nullptr || around->of(id).empty()) return kNone;
    return links[id] = {Link{id, {}}};
  }
  const Link* to(RegisterId source, RegisterId from) {
    const Links& all = of(from);
    const auto found = std::find_if(all.begin(), all.end(), [&](const Link& link) { return link.source == source; });
    return found == all.end() ? nullptr : &*found;
  }
  bool is_source(RegisterId id) { return to(id, id) != nullptr; }
  bool is_from_around(RegisterId id) { return around != nullptr && is_source(id); }
};

class InPlaceSearch {
 public:
  InPlaceSearch(const synth::Program& program, const TileMaps& tiles, const Liveness& lives, MemoryPlan& plan)
      : program_(program), tiles_(tiles), lives_(lives), plan_(plan) {}

  InPlace run() {
    descend(program_.body);
    return std::move(found_);
  }

 private:
  RegisterPlan& plan(RegisterId id) { return plan_.registers[id.value]; }
  std::size_t last_use(RegisterId id) const { return lives_.lives[id.value].last_use; }

  // Searches the loops of a body that is in none.
  void descend(const synth::Body& body) {
    for (const synth::Step& step : body) {
      if (const auto* repeat = std::get_if<synth::Repeat>(&step.node)) search(*repeat);
      if (const auto* choose = std::get_if<synth::Choose>(&step.node)) {
        descend(choose->then_body);
        descend(choose->else_body);
      }
      if (const auto* pipeline = std::get_if<synth::Pipeline>(&step.node)) {
        for (const synth::Body& visit : pipeline->visits) descend(visit);
      }
    }
  }

  void search(const synth::Repeat& repeat) {
    Scope scope{repeat.body, repeat.next};
    for (const RegisterId parameter : repeat.parameters) scope.links[parameter] = {Link{parameter, {}}};
    walk(scope);
    for (std::size_t k = 0; k < repeat.next.size(); ++k) {
      if (scope.to(repeat.parameters[k], repeat.next[k]) != nullptr) accept(scope, repeat, k);
    }
  }

  void walk(Scope& scope) {
    for (std::size_t i = 0; i < scope.body.size(); ++i)
      std::visit([&](const auto& node) { visit(scope, i, node); }, scope.body[i].node);
  }

  void visit(Scope& scope, std::size_t i, const synth::Apply& apply) {
    if (apply.results.empty()) return;
    const RegisterId result = apply.results[0];
    if (plan(result).where != Where::arena || !plan(result).microbatch_offsets.empty()) return;
    const ChainSteps* const chain = is_computed(apply) ? chain_of(scope, i) : nullptr;
    if (chain != nullptr) return visit_in_chain(scope, i, *chain, result);
    for (std::size_t k = 0; k < overwritable(apply); ++k) {
      const RegisterId operand = apply.operands[k];
      std::vector<RegisterId> slices;
      if (may_write_over(scope, operand, i, slices) && has_tiles_of(program_, tiles_, operand, result) &&
          reads_once(apply, operand, slices))
        link(scope, result, operand, {}, slices);
    }
  }
  // Does no operand but the base, or but those of an elementwise operation, read the register's memory?
  bool reads_once(const synth::Apply& apply, RegisterId id, const std::vector<RegisterId>& copied) {
    const bool is_map = std::holds_alternative<synth::Map>(apply.operation);
    const auto is_copied = [&](RegisterId at) {
      while (at != id && std::find(copied.begin(), copied.end(), at) == copied.end()) at = plan(at).source;
      return at != id;
    };
    for (std::size_t k = 0; k < apply.operands.size(); ++k) {
      const RegisterId operand = apply.operands[k];
      if (operand == id ? !is_map && k > 0 : plan(operand).root == id && !is_copied(operand)) return false;
    }
    return true;
  }

  // What only the chain reads has no place.
  void visit_in_chain(Scope& scope, std::size_t i, const ChainSteps& chain, RegisterId result) {
    const bool is_map = std::holds_alternative<synth::Map>(std::get<synth::Apply>(scope.body[i].node).operation);
    if (!is_map || last_use(result) < chain.end) return;
    for (std::size_t j = chain.begin; j <= i; ++j) {
      for (const RegisterId operand : std::get<synth::Apply>(scope.body[j].node).operands) {
        const bool is_made_before = scope.is_source(operand) || lives_.lives[operand.value].made < chain.begin;
        std::vector<RegisterId> slices;
        if (is_made_before && may_write_over(scope, operand, i, slices) &&
            has_tiles_of(program_, tiles_, operand, result) &&
            reads_by_blocks(program_, scope.body, chain, plan_, operand))
          link(scope, result, operand, {}, slices);
      }
    }
  }
  const ChainSteps* chain_of(Scope& scope, std::size_t i) const {
    if (!scope.chains) scope.chains = find_chains(program_, scope.body, tiles_, plan_);
    const auto after = std::partition_point(scope.chains->begin(), scope.chains->end(),
                                            [&](const ChainSteps& chain) { return chain.end <= i; });
    return after != scope.chains->end() && after->begin <= i ? &*after : nullptr;
  }

  // A loop's result lies where its initial value lay if the loop needs one place and reads that nowhere else.
  void visit(Scope& scope, std::size_t i, const synth::Repeat& repeat) {
    search(repeat);
    for (std::size_t k = 0; k < repeat.results.size(); ++k) {
      const RegisterId initial = repeat.initial[k];
      const auto same_memory = [&](RegisterId id) { return plan(id).root == initial; };
      std::vector<RegisterId> slices;
      if (found_.by_result.contains(repeat.results[k]) && may_write_over(scope, initial, i, slices) &&
          std::count_if(repeat.initial.begin(), repeat.initial.end(), same_memory) == 1 &&
          !any_has_memory_of(initial, repeat.next, plan_) && !reads(repeat.body, initial, plan_))
        link(scope, repeat.results[k], initial, {}, slices);
    }
  }
  // The result of branches lies where a value lay if both write it there, or leave it.
  void visit(Scope& scope, std::size_t i, const synth::Choose& choose) {
    Scope then_scope{choose.then_body, choose.then_results, &scope};
    Scope else_scope{choose.else_body, choose.else_results, &scope};
    walk(then_scope);
    walk(else_scope);
    for (std::size_t k = 0; k < choose.results.size(); ++k) {
      for (const Link& way : then_scope.of(choose.then_results[k])) {
        std::vector<RegisterId> slices;
        if (else_scope.to(way.source, choose.else_results[k]) == nullptr) continue;
        if (!may_write_over(scope, way.source, i, slices)) continue;
        std::vector<RegisterId> inside;
        collect(then_scope, choose.then_results[k], way.source, inside, slices);
        collect(else_scope, choose.else_results[k], way.source, inside, slices);
        link(scope, choose.results[k], way.source, inside, slices);
      }
    }
  }
  void visit(Scope&, std::size_t, const synth::Pipeline& pipeline) {
    for (const synth::Body& body : pipeline.visits) descend(body);
  }

  // May a step of the scope write over a register, which nothing reads after it but, maybe, slices?
  bool may_write_over(Scope& scope, RegisterId id, std::size_t i, std::vector<RegisterId>& slices) const {
    if (scope.of(id).empty()) return false;
    if (scope.is_from_around(id)) {
      const auto reads_it = [&](const synth::Step& step) { return reads(step, id, plan_); };
      const auto after = scope.body.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      return !any_has_memory_of(id, scope.ends, plan_) && std::none_of(after, scope.body.end(), reads_it);
    }
    const auto sliced = lives_.sliced.find(id);
    if (sliced == lives_.sliced.end()) return last_use(id) <= i;
    for (const auto& [slice, last] : sliced->second.slices) {
      if (last >= i) slices.push_back(slice);
    }
    return sliced->second.own_use <= i;
  }
  static void link(Scope& scope, RegisterId result, RegisterId over, const std::vector<RegisterId>& inside,
                   const std::vector<RegisterId>& slices) {
    Links& links = scope.links[result];
    for (const Link& before : scope.of(over)) {
      if (links.size() < kLinksMax && scope.to(before.source, result) == nullptr)
        links.push_back({before.source, over, inside, slices});
    }
  }
  // All that lies where the source lay, up to this register, and the slices that would have to be copied for it.
  static void collect(Scope& scope, RegisterId id, RegisterId source, std::vector<RegisterId>& all,
                      std::vector<RegisterId>& slices) {
    while (id != source) {
      const Link& link = *scope.to(source, id);
      all.push_back(id);
      all.insert(all.end(), link.inside.begin(), link.inside.end());
      slices.insert(slices.end(), link.slices.begin(), link.slices.end());
      id = link.over;
    }
  }

  void accept(Scope& scope, const synth::Repeat& repeat, std::size_t k) {
    std::vector<RegisterId> members = {repeat.parameters[k]};
    std::vector<RegisterId> slices;
    collect(scope, repeat.next[k], repeat.parameters[k], members, slices);
    if (std::any_of(members.begin(), members.end(), [&](RegisterId id) { return plan(id).shares.valid(); })) return;
    if (!slices.empty()) {
      if (are_small(slices, repeat.parameters[k])) found_.in_the_way.insert(slices.begin(), slices.end());
      return;
    }
    // Loops inside give up their places.
    for (std::size_t n = 0; n < members.size(); ++n) {
      const auto inner = found_.by_result.find(members[n]);
      if (inner == found_.by_result.end()) continue;
      const std::vector<RegisterId> more = std::move(inner->second);
      found_.by_result.erase(inner);
      members.insert(members.end(), more.begin(), more.end());
    }
    for (const RegisterId id : members) {
      plan(id).shares = repeat.results[k];
      plan(id).written_to = {};
    }
    found_.by_result.emplace(repeat.results[k], std::move(members));
  }
  // Are the slices together at most half of the array, on every device? Without this search windows would be copied,
  // however large they are.
  bool are_small(const std::vector<RegisterId>& slices, RegisterId array) const {
    for (std::size_t device = 0; device < tiles_[array].bytes.size(); ++device) {
      std::int64_t bytes = 0;
      for (const RegisterId slice : slices) {
        if (plan_.registers[slice.value].begin.empty()) bytes = add_bytes(bytes, tiles_[slice].bytes[device]);
      }
      if (bytes > tiles_[array].bytes[device] / 2) return false;
    }
    return true;
  }

  const synth::Program& program_;
  const TileMaps& tiles_;
  const Liveness& lives_;
  MemoryPlan& plan_;
  InPlace found_;
};

}  // namespace

InPlace find_in_place(const synth::Program& program, const TileMaps& tiles, const Liveness& lives, MemoryPlan& plan) {
  return InPlaceSearch(program, tiles, lives, plan).run();
}

std::size_t overwritable(const synth::Apply& apply) {
  if (std::holds_alternative<synth::Map>(apply.operation)) return apply.operands.size();
  if (std::holds_alternative<synth::Lay>(apply.operation)) return 1;
  const auto* assemble = std::get_if<synth::Assemble>(&apply.operation);
  return assemble != nullptr && assemble->has_base ? 1 : 0;
}

bool has_tiles_of(const synth::Program& program, const TileMaps& tiles, RegisterId operand, RegisterId result) {
  const synth::ArrayType& from = program.registers[operand];
  const synth::ArrayType& to = program.registers[result];
  return from.element() == to.element() && from.mesh() == to.mesh() && tiles[operand].boxes == tiles[result].boxes;
}

}  // namespace tessera::runtime
