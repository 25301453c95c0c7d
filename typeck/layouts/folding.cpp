#include "typeck/layouts/folding.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "synth/program/text_reader.hpp"
#include "typeck/layouts/refining.hpp"

namespace tessera::typeck {

namespace {

using synth::ChoiceNode;
using synth::ChoiceProblem;
using synth::ChoiceUse;
using synth::ChoiceValueId;

// Which nodes belong together: classes of nodes, in the order of their first ones.
class Classes {
 public:
  Classes(const ChosenProblem& made, const Typed& typed, const std::vector<std::optional<FoldedNode>>& of_nodes)
      : problem_(made.problem), typed_(typed), of_(of_nodes) {
    for (std::size_t n = 0; n < problem_.nodes.size(); ++n) add(n);
    if (fold_any()) fold_outside(made.makers);
  }

  const std::vector<std::vector<std::size_t>>& all() const { return all_; }
  std::size_t of(std::size_t node) const { return class_of_[node]; }
  bool is_folded(std::size_t own) const { return all_[own].size() > 1; }
  // Is it of nodes outside of calls that are folded?
  bool is_outside(std::size_t own) const { return is_outside_[own] != 0; }
  bool fold_any() const { return all_.size() < problem_.nodes.size(); }
  // The call that the node is made for.
  open::ValueId call(std::size_t node) const { return of_[node] ? of_[node]->made_for.entered : open::ValueId{}; }

 private:
  using Key = std::tuple<open::InstanceId, open::ValueId, synth::Pass, std::size_t>;

  void add(std::size_t node) {
    class_of_.push_back(found(node));
    if (class_of_.back() == all_.size()) all_.emplace_back();
    all_[class_of_.back()].push_back(node);
  }
  std::size_t found(std::size_t node) {
    if (!of_[node]) return all_.size();
    const FoldedNode& own = *of_[node];
    std::vector<std::size_t>& near = by_key_[{own.made_for.function, own.made_for.node, own.pass, own.number}];
    for (const std::size_t other : near) {
      if (are_alike(all_[other].front(), node)) return other;
    }
    near.push_back(all_.size());
    return all_.size();
  }

  // Nodes outside of these calls that are alike, and are used and read alike, are one class, too.
  void fold_outside(const std::vector<std::size_t>& makers) {
    std::vector<NodeColor> colors;
    std::map<std::pair<std::string, std::size_t>, std::vector<std::size_t>> by_text;
    for (std::size_t n = 0; n < problem_.nodes.size(); ++n) {
      if (is_folded(class_of_[n])) {
        colors.push_back({class_of_[n], false});
        continue;
      }
      std::vector<std::size_t>& near = by_text[{text_of(problem_.nodes[n]), problem_.nodes[n].uses.size()}];
      const auto like = std::ranges::find_if(near, [&](std::size_t other) { return are_alike(other, n); });
      colors.push_back({class_of_[like == near.end() ? n : *like], true});
      if (like == near.end()) near.push_back(n);
    }
    const std::vector<std::size_t> refined = refined_colors(problem_, makers, colors);
    all_.clear();
    class_of_.clear();
    std::map<std::size_t, std::size_t> class_of_color;
    for (std::size_t n = 0; n < problem_.nodes.size(); ++n) {
      class_of_.push_back(class_of_color.try_emplace(refined[n], all_.size()).first->second);
      if (class_of_.back() == all_.size()) all_.emplace_back();
      all_[class_of_.back()].push_back(n);
      is_outside_.resize(all_.size());
      is_outside_[class_of_.back()] = colors[n].is_free ? 1 : 0;
    }
  }

  bool are_alike(std::size_t a, std::size_t b) const {
    const ChoiceNode& one = problem_.nodes[a];
    const ChoiceNode& other = problem_.nodes[b];
    const auto use_like = [&](const ChoiceUse& own, const ChoiceUse& its) { return is_like(own.value, its.value); };
    return std::tie(one.pin, one.scales_sums, one.may_be_pending) ==
               std::tie(other.pin, other.scales_sums, other.may_be_pending) &&
           one.result.has_value() == other.result.has_value() && (!one.result || is_like(*one.result, *other.result)) &&
           std::ranges::equal(one.uses, other.uses, use_like) && text_of(one) == text_of(other);
  }
  bool is_like(ChoiceValueId a, ChoiceValueId b) const {
    return problem_[a].element == problem_[b].element && problem_[a].shape == problem_[b].shape;
  }
  // What the operation does; of a constant its bytes.
  std::string text_of(const ChoiceNode& node) const {
    if (!node.operation) return {};
    std::string text(synth::name(*node.operation));
    if (const auto* constant = std::get_if<synth::Constant>(&*node.operation)) {
      const auto& bytes = typed_.literals[constant->literal].bytes;
      for (const auto byte : bytes) text += static_cast<char>(byte);
      return text;
    }
    return text + ' ' + synth::print_details(*node.operation);
  }

  const ChoiceProblem& problem_;
  const Typed& typed_;
  const std::vector<std::optional<FoldedNode>>& of_;
  std::map<Key, std::vector<std::size_t>> by_key_;
  std::vector<std::vector<std::size_t>> all_;
  std::vector<std::size_t> class_of_;
  std::vector<char> is_outside_;
};

class Folding {
 public:
  Folding(ChosenProblem& made, const Classes& classes)
      : made_(made), old_(made.problem), classes_(classes), uses_at_(old_.nodes.size()) {}

  void run() {
    made_.problem.nodes.clear();
    made_.problem.values.clear();
    for (const auto& own : classes_.all()) {
      const ChoiceNode& first = old_.nodes[own.front()];
      values_.push_back(first.result ? std::optional(add_value(*first.result)) : std::nullopt);
    }
    count_readers();
    for (std::size_t c = 0; c < classes_.all().size(); ++c) add_class(c);
    for (const auto& body : made_.bodies) rename(*body);
    made_.makers.assign(made_.problem.values.size(), 0);
    for (std::size_t n = 0; n < made_.problem.nodes.size(); ++n) {
      if (const auto& result = made_.problem.nodes[n].result) made_.makers[result->value] = n;
    }
  }

 private:
  // A use of an old value; nothing: as often as it is made.
  struct Taken {
    ChoiceValueId value;
    std::optional<double> executions;
  };
  struct Joined {
    std::size_t node = 0;
    ChoiceValueId value;
    std::map<ChoiceValueId, std::size_t> uses;  // of old values
  };
  using JoinKey = std::pair<double, std::vector<std::pair<open::ValueId, ChoiceValueId>>>;

  ChoiceValueId add_value(ChoiceValueId like) { return made_.problem.add(old_[like].element, old_[like].shape); }
  std::size_t class_of_maker(ChoiceValueId value) const { return classes_.of(made_.makers[value.value]); }
  ChoiceValueId value_of(ChoiceValueId value) const { return *values_[class_of_maker(value)]; }
  double executions_of_maker(ChoiceValueId value) const { return old_.nodes[made_.makers[value.value]].executions; }
  double executions(std::size_t own) const {
    double sum = 0;
    for (const std::size_t node : classes_.all()[own]) sum += old_.nodes[node].executions;
    return sum;
  }

  // How often nodes outside of calls use each old value.
  void count_readers() {
    readers_.assign(old_.values.size(), 0);
    for (std::size_t n = 0; n < old_.nodes.size(); ++n) {
      if (!classes_.is_outside(classes_.of(n)) || !old_.nodes[n].operation) continue;
      for (const ChoiceUse& use : old_.nodes[n].uses) ++readers_[use.value.value];
    }
  }

  // One use of old values that have become one: copies for it are made once for each of these.
  ChoiceUse use_of(const std::vector<Taken>& all) const {
    std::map<ChoiceValueId, double> each;
    for (const Taken& own : all) {
      double& most = each[own.value];
      most = std::max(most, own.executions.value_or(executions_of_maker(own.value)));
    }
    double sum = 0;
    for (const auto& [value, own] : each) sum += own;
    const ChoiceValueId value = all.front().value;
    const bool is_all = sum >= executions(class_of_maker(value));
    return {value_of(value), is_all ? std::nullopt : std::optional(sum)};
  }
  // Uses by new values; gives for each old value which one it is.
  std::map<ChoiceValueId, std::size_t> merged(const std::vector<Taken>& all, std::vector<ChoiceUse>& uses) const {
    std::vector<std::vector<Taken>> groups;
    std::map<ChoiceValueId, std::size_t> of_new;
    std::map<ChoiceValueId, std::size_t> of_old;
    for (const Taken& own : all) {
      const std::size_t at = of_new.try_emplace(value_of(own.value), groups.size()).first->second;
      if (at == groups.size()) groups.emplace_back();
      groups[at].push_back(own);
      of_old[own.value] = at;
    }
    for (const auto& group : groups) uses.push_back(use_of(group));
    return of_old;
  }

  void add_class(std::size_t own) {
    ChoiceNode made = old_.nodes[classes_.all()[own].front()];
    made.uses.clear();
    made.executions = executions(own);
    if (made.result) made.result = values_[own];
    if (made.operation)
      use_operands(own, made);
    else
      use_joined(own, made);
    made_.problem.nodes.push_back(std::move(made));
  }

  // All that a join uses lies alike.
  void use_joined(std::size_t own, ChoiceNode& made) {
    std::vector<Taken> all;
    for (const std::size_t node : classes_.all()[own]) {
      for (const ChoiceUse& use : old_.nodes[node].uses) all.push_back({use.value, use.executions});
    }
    const auto which = merged(all, made.uses);
    for (const std::size_t node : classes_.all()[own]) {
      for (const ChoiceUse& use : old_.nodes[node].uses)
        uses_at_[node].push_back({made_.problem.nodes.size(), which.at(use.value)});
    }
  }

  void use_operands(std::size_t own, ChoiceNode& made) {
    const std::vector<std::size_t>& nodes = classes_.all()[own];
    for (std::size_t u = 0; u < old_.nodes[nodes.front()].uses.size(); ++u) {
      std::vector<Taken> all;
      for (const std::size_t node : nodes)
        all.push_back({old_.nodes[node].uses[u].value, old_.nodes[node].uses[u].executions});
      const auto is_of_first = [&](const Taken& taken) { return value_of(taken.value) == value_of(all.front().value); };
      const bool is_joined = !std::ranges::all_of(all, is_of_first) || has_several_readers(own, all.front().value);
      const Joined* const join = is_joined ? &joined(own, all) : nullptr;
      made.uses.push_back(join != nullptr ? ChoiceUse{join->value} : use_of(all));
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        uses_at_[nodes[k]].push_back({0, u});
        if (join != nullptr) uses_at_[nodes[k]].back().by_join = {join->node, join->uses.at(all[k].value)};
      }
    }
    for (const std::size_t node : nodes) {
      for (ChosenUseAt& at : uses_at_[node]) at.node = made_.problem.nodes.size();
    }
  }
  // A value of some of the calls that several nodes outside of them use is brought to them once.
  bool has_several_readers(std::size_t own, ChoiceValueId value) const {
    return classes_.is_outside(own) && executions(own) < executions(class_of_maker(value)) && readers_[value.value] > 1;
  }

  // The join of what the calls of a class take, or of the one old value that a node by itself does.
  const Joined& joined(std::size_t own, const std::vector<Taken>& all) {
    const std::vector<std::size_t>& nodes = classes_.all()[own];
    const bool is_folded = nodes.size() > 1;
    JoinKey key{is_folded ? executions(own) : executions_of_maker(all.front().value), {}};
    for (std::size_t k = 0; k < nodes.size(); ++k)
      key.second.emplace_back(is_folded ? classes_.call(nodes[k]) : open::ValueId{}, all[k].value);
    const auto [at, is_new] = joins_.try_emplace(std::move(key));
    if (!is_new) return at->second;
    ChoiceNode join;
    join.executions = at->first.first;
    join.may_be_pending = true;
    at->second.uses = merged(all, join.uses);
    at->second.value = add_value(all.front().value);
    join.result = at->second.value;
    at->second.node = made_.problem.nodes.size();
    made_.problem.nodes.push_back(std::move(join));
    return at->second;
  }

  void rename(ChosenBody& body) const {
    for (auto& [key, own] : body.values) own.value = value_of(own.value);
    for (auto& [key, at] : body.uses) at = ChosenUseAt(uses_at_[at.node][at.use]);
    for (auto& at : body.results) {
      if (at) at = ChosenUseAt(uses_at_[at->node][at->use]);
    }
  }

  ChosenProblem& made_;
  const ChoiceProblem old_;
  const Classes& classes_;
  std::vector<std::optional<ChoiceValueId>> values_;  // of every class
  std::vector<std::size_t> readers_;                  // of every old value
  std::vector<std::vector<ChosenUseAt>> uses_at_;     // of every old node
  std::map<JoinKey, Joined> joins_;
};

}  // namespace

void fold_calls(ChosenProblem& made, const Typed& typed, const std::vector<std::optional<FoldedNode>>& of_nodes) {
  const Classes classes(made, typed, of_nodes);
  if (classes.fold_any()) Folding(made, classes).run();
}

}  // namespace tessera::typeck
