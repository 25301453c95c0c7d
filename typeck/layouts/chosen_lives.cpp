#include "typeck/layouts/chosen_lives.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "synth/program/choice/memory.hpp"

namespace tessera::typeck {

namespace {

using synth::ChoiceLife;
using synth::ChoiceRead;
using synth::ChoiceValueId;

// Two moments for each step: in the first it reads, in the second its result is there.
class LifeFinder {
 public:
  LifeFinder(const WholeFunction& whole, const ChosenProblem& chosen)
      : typed_(whole.typed), problem_(chosen.problem), top_(chosen.top()), places_(chosen.problem) {}

  std::vector<ChoiceLife> run() {
    const Instance& own = typed_.instances[top_.instance];
    Frame frame{&top_, {}, {}};
    frame_ = &frame;
    for (const NodeId parameter : own.parameters) {
      frame.lives[{parameter, 0}] = bear({parameter, 0});
      kept_.push_back(lives_.size() - 1);
    }
    now_ += 1;
    region(own.body);
    for (std::size_t k = 0; k < own.body.results.size(); ++k) read(own.body.results[k], *top_.results[k], now_);
    finish();
    return std::move(lives_);
  }

 private:
  using ResultKey = std::pair<NodeId, std::size_t>;
  struct Frame {
    const ChosenBody* body = nullptr;
    std::map<ResultKey, std::size_t> lives;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> joined;  // of a life and a join
  };
  // Copies of values from outside of a loop or branch are made before it; what a loop reads stays until its end.
  struct Scope {
    std::size_t begin = 0;
    bool is_loop = false;
    std::vector<std::pair<std::size_t, std::size_t>> reads;  // lives and their reads
  };
  // A life that is what a read of another one took.
  struct Alias {
    std::size_t life = 0;
    std::size_t source = 0;
    std::size_t read = 0;
  };

  std::size_t bear_value(ChoiceValueId value, std::size_t born) {
    ChoiceLife life;
    life.value = value;
    life.born = life.dies = born;
    lives_.push_back(std::move(life));
    depths_.push_back(scopes_.size());
    return lives_.size() - 1;
  }
  std::size_t bear(const ResultKey& key) { return bear_value(frame_->body->values.at(key).value, now_); }

  // The life of a value; one of the session is there all the time.
  std::size_t life_of(NodeId id, ChoiceValueId value) {
    if (const auto known = frame_->lives.find({id, 0}); known != frame_->lives.end()) return known->second;
    if (const auto known = session_.find(value); known != session_.end()) return known->second;
    const std::size_t life = bear_value(value, 0);
    depths_[life] = 0;
    kept_.push_back(life);
    session_.emplace(value, life);
    return life;
  }

  // A use takes the value now and needs it until then.
  std::pair<std::size_t, std::size_t> read(NodeId id, const ChosenUseAt& at, std::size_t until) {
    const auto [node, use] = at.by_join.value_or(std::pair(at.node, at.use));
    const std::size_t own = life_of(id, problem_.nodes[node].uses[use].value);
    return read_of(at.by_join ? joined(own, *at.by_join) : own, at.node, at.use, until);
  }
  // What a join took of it, from which the join's readers take it.
  std::size_t joined(std::size_t life, const std::pair<std::size_t, std::size_t>& join) {
    const auto [at, is_new] = frame_->joined.try_emplace({life, join.first}, 0);
    if (!is_new) return at->second;
    const auto taken = read_of(life, join.first, join.second, now_);
    at->second = alias(taken, *problem_.nodes[join.first].result);
    lives_[at->second].born = lives_[at->second].dies = lives_[life].reads[taken.second].moment;
    depths_[at->second] = depths_[life];
    return at->second;
  }
  std::pair<std::size_t, std::size_t> read_of(std::size_t life, std::size_t node, std::size_t use, std::size_t until) {
    TESSERA_CHECK(lives_[life].value == problem_.nodes[node].uses[use].value,
                  "a use is of another value than its life");
    const bool is_outside = depths_[life] < scopes_.size();
    const std::size_t moment = is_outside ? scopes_[depths_[life]].begin : now_;
    lives_[life].reads.push_back({node, use, moment, std::max(moment, until)});
    const std::pair<std::size_t, std::size_t> own{life, lives_[life].reads.size() - 1};
    for (std::size_t depth = depths_[life]; depth < scopes_.size(); ++depth) {
      if (!scopes_[depth].is_loop) continue;
      scopes_[depth].reads.push_back(own);
      break;
    }
    return own;
  }
  std::pair<std::size_t, std::size_t> read(NodeId reader, std::size_t number, NodeId id, std::size_t until) {
    return read(id, frame_->body->uses.at({reader, number}), until);
  }
  // What a read takes lies there under another name.
  std::size_t alias(const std::pair<std::size_t, std::size_t>& taken, ChoiceValueId value) {
    const std::size_t life = bear_value(value, now_ + 1);
    lives_[life].has_room = false;
    aliases_.push_back({life, taken.first, taken.second});
    return life;
  }

  // Lives end with their last read, those that were found later first: they may be what an earlier one's read took.
  void finish() {
    std::map<std::size_t, Alias> of_lives;
    for (const Alias& own : aliases_) of_lives[own.life] = own;
    for (const std::size_t life : kept_) lives_[life].dies = now_;
    for (std::size_t k = lives_.size(); k-- > 0;) {
      ChoiceLife& life = lives_[k];
      for (const ChoiceRead& own : life.reads) life.dies = std::max(life.dies, own.until);
      const auto source = of_lives.find(k);
      if (source == of_lives.end()) continue;
      ChoiceRead& taken = lives_[source->second.source].reads[source->second.read];
      taken.until = std::max(taken.until, life.dies);
    }
  }

  // ---- Nodes

  void region(const Region& nodes) {
    for (const NodeId id : nodes.order) std::visit([&](const auto& own) { node(id, own); }, typed_.nodes[id].body);
  }

  void node(NodeId, const Parameter&) {}
  void node(NodeId, const Input&) {}

  void node(NodeId id, const Compute& compute) {
    for (std::size_t k = 0; k < compute.operands.size(); ++k) {
      const ChosenUseAt& at = frame_->body->uses.at({id, k});
      const synth::ChoiceNode& reader = problem_.nodes[at.node];
      const bool is_taken = places_.takes(reader, reader.uses[at.use]);
      read(compute.operands[k], at, is_taken ? now_ : now_ + 1);
    }
    now_ += 1;
    if (!typed_.nodes[id].types.empty()) frame_->lives[{id, 0}] = bear({id, 0});
    now_ += 1;
  }

  void node(NodeId id, const Redistribute& moved) {
    if (!frame_->body->uses.contains({id, 0})) {
      pass_on(id, 0, moved.operand, 0);
      return;
    }
    frame_->lives[{id, 0}] = alias(read(id, 0, moved.operand, now_), frame_->body->values.at({id, 0}).value);
    now_ += 2;
  }

  void node(NodeId id, const Call& call) {
    const Instance& own = typed_.instances[call.instance];
    const ChosenBody& body = *frame_->body->calls.at(id);
    Frame inner{&body, {}, {}};
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
      const auto taken = read(id, k, call.arguments[k], now_);
      inner.lives[{own.parameters[k], 0}] = alias(taken, body.values.at({own.parameters[k], 0}).value);
    }
    now_ += 2;
    Frame* const outer = std::exchange(frame_, &inner);
    region(own.body);
    std::vector<std::size_t> results;
    for (std::size_t k = 0; k < own.body.results.size(); ++k) {
      const ChoiceValueId made = outer->body->values.at({id, k}).value;
      const NodeId result = own.body.results[k];
      const auto& as = body.results[k];
      results.push_back(as ? alias(read(result, *as, now_), made) : life_of(result, made));
    }
    now_ += 2;
    frame_ = outer;
    for (std::size_t k = 0; k < results.size(); ++k) frame_->lives[{id, k}] = results[k];
  }

  // A carried value has two places as long as the loop runs: its parameter's and its result's.
  void node(NodeId id, const Loop& loop) {
    const std::size_t carried = loop.initial.size();
    read(id, 0, loop.count, now_);
    for (std::size_t k = 0; k < carried; ++k) read(id, 1 + k, loop.initial[k], now_);
    const std::vector<std::size_t> results = results_of(id, carried);
    scopes_.push_back({now_, true, {}});
    now_ += 1;
    std::vector<std::size_t> parameters;
    parameters.push_back(frame_->lives[{loop.index, 0}] = bear({loop.index, 0}));
    for (const NodeId own : loop.parameters) parameters.push_back(frame_->lives[{own, 0}] = bear({own, 0}));
    now_ += 1;
    region(loop.body);
    for (std::size_t k = 0; k < carried; ++k) read(id, 1 + carried + k, loop.body.results[k], now_);
    for (const auto& [life, own] : scopes_.back().reads) lives_[life].reads[own].until = now_;
    for (const std::size_t own : parameters) lives_[own].dies = now_;
    scopes_.pop_back();
    now_ += 1;
    name_results(id, results);
  }
  // The results of a loop or branch have their places from its start.
  std::vector<std::size_t> results_of(NodeId id, std::size_t count) {
    std::vector<std::size_t> results;
    now_ += 1;
    for (std::size_t k = 0; k < count; ++k) results.push_back(bear({id, k}));
    return results;
  }
  void name_results(NodeId id, const std::vector<std::size_t>& results) {
    for (std::size_t k = 0; k < results.size(); ++k) {
      frame_->lives[{id, k}] = results[k];
      lives_[results[k]].dies = now_;
    }
    now_ += 1;
  }

  void node(NodeId id, const If& both) {
    read(id, 0, both.condition, now_);
    const std::size_t count = typed_.nodes[id].types.size();
    const std::vector<std::size_t> results = results_of(id, count);
    const auto branch = [&](const Region& nodes, std::size_t first) {
      scopes_.push_back({now_, false, {}});
      now_ += 1;
      region(nodes);
      for (std::size_t k = 0; k < count; ++k) read(id, first + k, nodes.results[k], now_);
      scopes_.pop_back();
      now_ += 1;
    };
    branch(both.then_region, 1);
    branch(both.else_region, 1 + count);
    name_results(id, results);
  }

  void node(NodeId id, const Again& again) {
    region(again.body);
    for (std::size_t k = 0; k < again.body.results.size(); ++k) pass_on(id, k, again.body.results[k], 0);
  }

  void node(NodeId id, const Element& element) { pass_on(id, 0, element.tuple, element.index); }

  // One more name of a life.
  void pass_on(NodeId id, std::size_t result, NodeId from, std::size_t from_result) {
    const auto known = frame_->lives.find({from, from_result});
    if (known != frame_->lives.end()) frame_->lives[{id, result}] = known->second;
  }

  const Typed& typed_;
  const synth::ChoiceProblem& problem_;
  const ChosenBody& top_;
  synth::TakenPlaces places_;
  Frame* frame_ = nullptr;
  std::vector<ChoiceLife> lives_;
  std::vector<std::size_t> depths_;  // of every life how many scopes were open
  std::vector<Scope> scopes_;
  std::vector<Alias> aliases_;
  std::vector<std::size_t> kept_;  // lives that last to the end
  std::map<ChoiceValueId, std::size_t> session_;
  std::size_t now_ = 0;
};

}  // namespace

std::vector<synth::ChoiceLife> lives_of(const WholeFunction& whole, const ChosenProblem& chosen) {
  return LifeFinder(whole, chosen).run();
}

}  // namespace tessera::typeck
