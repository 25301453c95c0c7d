#include "synth/choose/walk.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/stop_scope.hpp"

namespace tessera::synth {

namespace {

constexpr std::size_t kStatesBetweenLooks = 100'000;  // comparisons between looks for a stop

// What a star has been given: its maker's label, if that is known, and its readers' wants. Equal wants count once where
// that makes no difference.
struct StarClass {
  int made = -1;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> wants;  // label; the reader, where readers differ
  friend auto operator<=>(const StarClass&, const StarClass&) = default;
};

// The classes of one star, numbered as they are met, and the least that a program with each takes there.
class StarClasses {
 public:
  StarClasses(const Star& star, const StarCosts& costs)
      : star_(star), costs_(costs), counts_alike_(star.has_equal_readers()) {
    order_of_place_.resize(star.places.size());
    std::vector<std::size_t> places(star.places.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) { return position(a) < position(b); });
    for (std::size_t i = 0; i < places.size(); ++i) order_of_place_[places[i]] = i;
    add(StarClass{}, 0);
  }

  double least(std::uint32_t number) const { return least_[number]; }
  // The class after a place, the next in order, was given a label.
  std::uint32_t after(std::uint32_t number, std::size_t place, std::uint32_t label) {
    const std::uint64_t key = (std::uint64_t{number} << 32) | label;
    const auto known = next_.find(key);
    if (known != next_.end()) return known->second;
    StarClass next = classes_[number];
    if (place == 0) next.made = static_cast<int>(label);
    if (place != 0) next.wants.emplace_back(label, counts_alike_ ? 0 : static_cast<std::uint32_t>(place - 1));
    tidy(next);
    const std::uint32_t found = add(std::move(next), order_of_place_[place] + 1);
    next_.emplace(key, found);
    return found;
  }

 private:
  std::pair<std::size_t, std::size_t> position(std::size_t place) const {
    return {star_.places[place].node, star_.places[place].slot};
  }

  // Wants that a copy for another one, or the value as it is made, serves anyway make no difference.
  void tidy(StarClass& own) const {
    std::ranges::sort(own.wants);
    own.wants.erase(std::unique(own.wants.begin(), own.wants.end()), own.wants.end());
    if (own.made < 0) return;
    std::erase_if(own.wants,
                  [&](const auto& want) { return star_.is_free(static_cast<std::size_t>(own.made), want.first); });
  }

  std::uint32_t add(StarClass own, std::size_t given) {
    const auto key = std::pair(own, given);
    const auto known = numbers_.find(key);
    if (known != numbers_.end()) return known->second;
    const auto number = static_cast<std::uint32_t>(classes_.size());
    least_.push_back(least_with(own, given));
    classes_.push_back(std::move(own));
    numbers_.emplace(key, number);
    return number;
  }

  double least_with(const StarClass& own, std::size_t given) const {
    std::vector<double> made = costs_[0];
    if (own.made >= 0) {
      made.assign(made.size(), kEndless);
      made[static_cast<std::size_t>(own.made)] = 0;
    }
    StarCosts fixed(own.wants.size(), std::vector<double>(star_.wanted.size(), kEndless));
    StarQuery query{&made, {}, {}, {}};
    for (std::size_t i = 0; i < fixed.size(); ++i) {
      fixed[i][own.wants[i].first] = 0;
      query.wants.push_back(&fixed[i]);
      query.executions.push_back(counts_alike_ ? star_.executions : star_.of_readers[own.wants[i].second]);
      query.readers.push_back(own.wants[i].second);
    }
    for (std::size_t place = 1; place < star_.places.size(); ++place) {
      if (order_of_place_[place] < given) continue;
      query.wants.push_back(&costs_[place]);
      query.executions.push_back(star_.of_readers[place - 1]);
      query.readers.push_back(place - 1);
    }
    return least_of(star_, query);
  }

  const Star& star_;
  const StarCosts& costs_;
  bool counts_alike_;
  std::vector<std::size_t> order_of_place_;
  std::vector<StarClass> classes_;
  std::vector<double> least_;
  std::map<std::pair<StarClass, std::size_t>, std::uint32_t> numbers_;
  std::map<std::uint64_t, std::uint32_t> next_;
};

struct WalkState {
  std::vector<std::uint32_t> classes;  // of the open stars
  double seconds = 0;                  // of nodes and stars that are closed
  double open = 0;                     // the least of the open stars
  std::size_t parent = 0;              // among the states before
  std::uint32_t strategy = 0;
};

// Of each layer the parents and strategies, to read the best program back from.
struct WalkTrace {
  std::vector<std::uint32_t> parents;
  std::vector<std::uint32_t> strategies;
};

class Walk {
 public:
  Walk(const Model& model, const Ascent& ascent, const WalkLimits& limits)
      : model_(model), limits_(limits), rest_(model.nodes.size() + 1, 0) {
    for (std::size_t v = 0; v < model.stars.size(); ++v) classes_.emplace_back(model.stars[v], ascent.costs(v));
    count_rest(ascent);
  }

  WalkResult run() {
    states_ = {WalkState{}};
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
      step(n);
      if (states_.empty()) return {};
      if (is_too_many_) return {WalkEnd::too_many, {}, kEndless};
    }
    return read_back();
  }

 private:
  // The node after which a star is closed, and before which it is opened.
  static std::pair<std::size_t, std::size_t> span_of(const Star& star) {
    std::size_t first = star.places[0].node;
    std::size_t last = first;
    for (const StarPlace& place : star.places) {
      first = std::min(first, place.node);
      last = std::max(last, place.node);
    }
    return {first, last};
  }

  // What nodes and stars that are untouched before node n take at least.
  void count_rest(const Ascent& ascent) {
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) rest_[n] += ascent.least_belief(n);
    for (std::size_t v = 0; v < model_.stars.size(); ++v) {
      if (model_.stars[v].readers() != 0) rest_[span_of(model_.stars[v]).first] += classes_[v].least(0);
    }
    for (std::size_t n = model_.nodes.size(); n-- > 0;) rest_[n] += rest_[n + 1];
  }

  // The places of a node: the stars that it opens, goes on with, and closes.
  struct Touched {
    std::size_t star = 0;
    std::size_t before = kNew;  // where in a state's classes it stands
    bool closes = false;
    std::vector<std::size_t> slots;
    static constexpr std::size_t kNew = static_cast<std::size_t>(-1);
  };

  std::vector<Touched> touched_by(std::size_t n) const {
    std::vector<Touched> all;
    const ModelNode& node = model_.nodes[n];
    for (std::size_t s = 0; s < node.slots.size(); ++s) {
      const std::size_t star = node.slots[s].star;
      if (model_.stars[star].readers() == 0) continue;
      auto found = std::ranges::find_if(all, [&](const Touched& own) { return own.star == star; });
      if (found == all.end()) {
        const auto open = std::ranges::find(open_, star);
        const std::size_t before = open == open_.end() ? Touched::kNew : static_cast<std::size_t>(open - open_.begin());
        all.push_back({star, before, span_of(model_.stars[star]).second == n, {}});
        found = all.end() - 1;
      }
      found->slots.push_back(s);
    }
    return all;
  }

  void step(std::size_t n) {
    const std::vector<Touched> touched = touched_by(n);
    std::vector<WalkState> next;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (i % 64 == 0) base::look_for_stop();
      extend(n, i, touched, next);
      if (next.size() > 2 * limits_.beam + 100'000) merge(next);
      if (is_too_many_) return;
    }
    merge(next);
    states_ = std::move(next);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (!closes(touched, open_[i])) open.push_back(open_[i]);
    }
    for (const Touched& own : touched) {
      if (own.before == Touched::kNew && !own.closes) open.push_back(own.star);
    }
    open_ = std::move(open);
    trace_.emplace_back();
    for (const WalkState& state : states_) {
      trace_.back().parents.push_back(static_cast<std::uint32_t>(state.parent));
      trace_.back().strategies.push_back(state.strategy);
    }
    taken_ += states_.size();
    is_too_many_ = is_too_many_ || taken_ > limits_.states;
  }

  static bool closes(const std::vector<Touched>& touched, std::size_t star) {
    return std::ranges::any_of(touched, [&](const Touched& own) { return own.star == star && own.closes; });
  }

  void extend(std::size_t n, std::size_t from, const std::vector<Touched>& touched, std::vector<WalkState>& next) {
    const WalkState& state = states_[from];
    const ModelNode& node = model_.nodes[n];
    for (std::size_t x = 0; x < node.strategies.size(); ++x) {
      const ModelStrategy& strategy = node.strategies[x];
      double seconds = state.seconds + strategy.seconds;
      double open = state.open;
      after_.clear();
      for (const Touched& own : touched) {
        StarClasses& classes = classes_[own.star];
        std::uint32_t number = 0;
        if (own.before != Touched::kNew) {
          number = state.classes[own.before];
          open -= classes.least(number);
        }
        for (const std::size_t s : own.slots) number = classes.after(number, node.slots[s].place, strategy.labels[s]);
        (own.closes ? seconds : open) += classes.least(number);
        after_.push_back(number);
      }
      if (!(seconds + open + rest_[n + 1] <= limits_.seconds)) continue;
      next.push_back(following(state, touched, seconds, open));
      next.back().parent = from;
      next.back().strategy = static_cast<std::uint32_t>(x);
    }
  }

  WalkState following(const WalkState& state, const std::vector<Touched>& touched, double seconds, double open) const {
    WalkState next{{}, seconds, open, 0, 0};
    for (std::size_t i = 0; i < state.classes.size(); ++i) {
      std::uint32_t number = state.classes[i];
      bool is_closed = false;
      for (std::size_t t = 0; t < touched.size(); ++t) {
        if (touched[t].before != i) continue;
        number = after_[t];
        is_closed = touched[t].closes;
      }
      if (!is_closed) next.classes.push_back(number);
    }
    for (std::size_t t = 0; t < touched.size(); ++t) {
      if (touched[t].before == Touched::kNew && !touched[t].closes) next.classes.push_back(after_[t]);
    }
    return next;
  }

  // Of equal states the cheapest stays; of all, if there are too many, the best.
  void merge(std::vector<WalkState>& states) {
    std::size_t compared = 0;
    std::ranges::stable_sort(states, [&](const WalkState& a, const WalkState& b) {
      if (++compared % kStatesBetweenLooks == 0) base::look_for_stop();
      return a.classes != b.classes ? a.classes < b.classes : a.seconds < b.seconds;
    });
    const auto same = [](const WalkState& a, const WalkState& b) { return a.classes == b.classes; };
    states.erase(std::unique(states.begin(), states.end(), same), states.end());
    if (states.size() <= limits_.beam) return;
    is_too_many_ = limits_.is_exact;
    std::ranges::stable_sort(
        states, [](const WalkState& a, const WalkState& b) { return a.seconds + a.open < b.seconds + b.open; });
    states.resize(limits_.beam);
  }

  WalkResult read_back() const {
    WalkResult result{WalkEnd::found, Assignment(model_.nodes.size()), kEndless};
    std::size_t at = 0;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i].seconds < states_[at].seconds) at = i;
    }
    result.seconds = states_[at].seconds;
    for (std::size_t n = model_.nodes.size(); n-- > 0;) {
      result.best[n] = trace_[n].strategies[at];
      at = trace_[n].parents[at];
    }
    return result;
  }

  const Model& model_;
  const WalkLimits& limits_;
  std::vector<double> rest_;
  std::vector<StarClasses> classes_;
  std::vector<std::size_t> open_;
  std::vector<WalkState> states_;
  std::vector<WalkTrace> trace_;
  std::vector<std::uint32_t> after_;
  std::size_t taken_ = 0;
  bool is_too_many_ = false;
};

}  // namespace

WalkResult walk(const Model& model, const Ascent& ascent, const WalkLimits& limits) {
  return Walk(model, ascent, limits).run();
}

}  // namespace tessera::synth
