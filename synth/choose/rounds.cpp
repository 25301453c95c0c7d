#include "synth/choose/rounds.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "synth/choose/ascent.hpp"
#include "synth/choose/closed.hpp"
#include "synth/choose/limited.hpp"
#include "synth/choose/model.hpp"
#include "synth/choose/search.hpp"
#include "synth/program/choice/memory.hpp"

namespace tessera::synth {

namespace {

constexpr std::size_t kChoiceRoundsMax = 30;
constexpr std::size_t kSweepsOfBound = 20;
constexpr double kClosedBound = 1e-9;

std::vector<std::size_t> long_axes(const ChoiceProblem& problem) {
  std::vector<std::size_t> axes = problem.axes;
  std::erase_if(axes, [&](std::size_t axis) { return problem.mesh->axes()[axis].size == 1; });
  return axes;
}

// What an axis does in a layout: nothing (0), a pending sum (1), or a cut of a dimension.
std::size_t role_in(const Layout& layout, std::size_t axis) {
  for (const AxisPart& part : layout.pending()) {
    if (part.axis == axis) return 1;
  }
  for (std::size_t d = 0; d < layout.splits().size(); ++d) {
    for (const AxisPart& part : layout.split(d)) {
      if (part.axis == axis) return 2 + 256 * d + part.cut;
    }
  }
  return 0;
}

// Of a node, the layouts of what it uses and then of its result.
using NodeLayouts = std::vector<Layout>;

NodeLayouts layouts_of_strategy(const ChoiceNode& node, const Strategy& strategy) {
  NodeLayouts all = strategy.operands;
  if (node.result) all.push_back(strategy.result);
  return all;
}

bool has_same_roles(const NodeLayouts& one, const NodeLayouts& other, std::size_t axis) {
  return std::ranges::equal(
      one, other, {}, [&](const Layout& layout) { return role_in(layout, axis); },
      [&](const Layout& layout) { return role_in(layout, axis); });
}

// Do both axes do the same in every layout?
bool is_tied(const NodeLayouts& layouts, std::size_t one, std::size_t other) {
  return std::ranges::all_of(layouts,
                             [&](const Layout& layout) { return role_in(layout, one) == role_in(layout, other); });
}

// Many searches, each with less patience.
ChooseOptions of_rounds(const ChooseOptions& options) {
  ChooseOptions own = options;
  own.walk_states = std::min<std::size_t>(own.walk_states, 50'000);
  own.elimination_entries = std::min(own.elimination_entries, std::size_t{1} << 17);
  own.halves = 0;
  return own;
}

class ChoiceRounds {
 public:
  ChoiceRounds(const ChoiceProblem& problem, PlanCache& cache, const Machine& devices, const ChooseOptions& options,
               base::StopToken stop)
      : problem_(problem),
        cache_(cache),
        devices_(devices),
        options_(options),
        stop_(stop),
        axes_(long_axes(problem)) {}

  base::Result<std::optional<LayoutChoice>> run(const std::vector<std::int64_t>& limits) {
    TESSERA_TRY(all, model_of(problem_, cache_.machine(), devices_, {{}, {}, PricedBy::bounds}));
    strategies_ = all->strategies;
    if (strategies_ <= options_.rounds_above) return std::optional<LayoutChoice>();
    TESSERA_TRY_STATUS(find_program());
    TESSERA_TRY_STATUS(find_bound(*all));
    TESSERA_TRY(choice, closed_program());
    if (!limits.empty()) TESSERA_TRY_STATUS(keep_within(limits, choice));
    choice.operations = problem_.nodes.size();
    choice.strategies = strategies_;
    choice.plans = plans();
    return std::optional<LayoutChoice>(std::move(choice));
  }

 private:
  // Tied pairs first, then rounds until every axis was held in vain.
  base::Status find_program() {
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const std::size_t one = axes_[a];
      const std::size_t other = axes_[(a + 1) % axes_.size()];
      TESSERA_TRY_STATUS(search_where([one, other](const ChoiceNode& node, std::size_t, const Strategy& strategy) {
        return is_tied(layouts_of_strategy(node, strategy), one, other);
      }));
    }
    std::size_t in_vain = 0;
    for (std::size_t round = 0; in_vain < axes_.size() && round < kChoiceRoundsMax; ++round) {
      held_ = axes_[round % axes_.size()];
      const double before = seconds_;
      TESSERA_TRY_STATUS(search_where([this](const ChoiceNode& node, std::size_t number, const Strategy& strategy) {
        return has_same_roles(layouts_of_strategy(node, strategy), program_[number], held_);
      }));
      in_vain = seconds_ < before * (1 - kClosedBound) ? 0 : in_vain + 1;
    }
    return base::Done{};
  }

  // The best program of these strategies, if it is better than the one that is known.
  base::Status search_where(const StrategyFilter& keeps) {
    TESSERA_TRY(model, model_of(problem_, cache_.machine(), devices_, {keeps, prices_, PricedBy::plans}));
    prices_ = model->prices;
    SearchStart start{{}, numbers_in(*model)};
    const Searched found = search(*model, of_rounds(options_), &start);
    note(*model, found.best);
    return base::Done{};
  }

  static NodeLayouts layouts_in(const Model& model, std::size_t node, const ModelStrategy& strategy) {
    NodeLayouts all;
    for (std::size_t slot = 0; slot < strategy.labels.size(); ++slot) {
      const ModelSlot& own = model.nodes[node].slots[slot];
      all.push_back(model.layout(own.star, own.place, strategy.labels[slot]));
    }
    return all;
  }

  // The program as the model has it; empty where it has not all of it.
  std::vector<std::size_t> numbers_in(const Model& model) const {
    std::vector<std::size_t> numbers;
    for (std::size_t n = 0; n < program_.size(); ++n) {
      const std::vector<ModelStrategy>& own = model.nodes[n].strategies;
      const auto found = std::ranges::find_if(
          own, [&](const ModelStrategy& strategy) { return layouts_in(model, n, strategy) == program_[n]; });
      if (found == own.end()) return {};
      numbers.push_back(static_cast<std::size_t>(found - own.begin()));
    }
    return numbers;
  }

  void note(const Model& model, const Assignment& found) {
    if (found.empty()) return;
    const double seconds = seconds_of(model, found);
    if (seconds >= seconds_) return;
    seconds_ = seconds;
    program_.clear();
    for (std::size_t n = 0; n < model.nodes.size(); ++n)
      program_.push_back(layouts_in(model, n, model.nodes[n].strategies[found[n]]));
  }

  // The bound of all strategies, and what those that it leaves prove.
  base::Status find_bound(Model& all) {
    Ascent ascent(all);
    ascent.run(kSweepsOfBound);
    while (ascent.drop(seconds_) > 0) ascent.run(kSweepsOfBound);
    bound_ = std::min(ascent.bound(), seconds_);
    std::size_t left = 0;
    std::vector<std::vector<char>> is_left(all.nodes.size());
    for (std::size_t n = 0; n < all.nodes.size(); ++n) {
      left += all.nodes[n].strategies.size();
      for (const ModelStrategy& own : all.nodes[n].strategies) {
        is_left[n].resize(std::max(is_left[n].size(), own.number + 1), 0);
        is_left[n][own.number] = 1;
      }
    }
    if (left > options_.rounds_above) return base::Done{};
    return search_left(is_left);
  }

  base::Status search_left(const std::vector<std::vector<char>>& is_left) {
    std::vector<std::size_t> next(is_left.size(), 0);
    const auto keeps = [&](const ChoiceNode&, std::size_t number, const Strategy&) {
      const std::size_t at = next[number]++;
      return at < is_left[number].size() && is_left[number][at] != 0;
    };
    TESSERA_TRY(model, model_of(problem_, cache_.machine(), devices_, {keeps, prices_, PricedBy::plans}));
    prices_ = model->prices;
    SearchStart start{{}, numbers_in(*model)};
    const Searched found = search(*model, options_, &start);
    note(*model, found.best);
    bound_ = std::min(std::max(bound_, found.bound), seconds_);
    proof_ = found.proof;
    return base::Done{};
  }

  base::Result<LayoutChoice> closed_program() {
    const auto keeps = [this](const ChoiceNode& node, std::size_t number, const Strategy& strategy) {
      return layouts_of_strategy(node, strategy) == program_[number];
    };
    TESSERA_TRY(model, model_of(problem_, cache_.machine(), devices_, {keeps, prices_, PricedBy::plans}));
    TESSERA_TRY(choice, closed(*model, Assignment(model->nodes.size(), 0), cache_, stop_));
    choice.bound_seconds = std::min(bound_, choice.seconds);
    choice.proof = choice.gap() < kClosedBound && proof_ == ChoiceProof::limit ? ChoiceProof::ascent : proof_;
    return choice;
  }

  // Programs that fit are looked for among those that hold the last axis: bounds of these are no bounds of all.
  base::Status keep_within(const std::vector<std::int64_t>& limits, LayoutChoice& choice) {
    choice.peak_bytes = MemoryUse(problem_, choice).peaks();
    bool fits = true;
    for (std::size_t device = 0; device < limits.size(); ++device)
      fits = fits && (limits[device] == 0 || choice.peak_bytes[device] <= limits[device]);
    if (fits) return base::Done{};
    const auto keeps = [this](const ChoiceNode& node, std::size_t number, const Strategy& strategy) {
      return has_same_roles(layouts_of_strategy(node, strategy), program_[number], axes_.back());
    };
    TESSERA_TRY(model, model_of(problem_, cache_.machine(), devices_, {keeps, prices_, PricedBy::plans}));
    prices_ = model->prices;
    TESSERA_TRY(within, LimitedChoice(problem_, *model, limits, cache_, options_, stop_).run(std::move(choice)));
    choice = std::move(within);
    choice.bound_seconds = std::min(bound_, choice.seconds);
    choice.proof = choice.gap() < kClosedBound ? ChoiceProof::ascent : ChoiceProof::limit;
    if (choice.shortage)
      choice.shortage->least_bytes = std::min(choice.shortage->least_bytes, choice.shortage->memory_bytes);
    return base::Done{};
  }

  std::size_t plans() const {
    std::size_t sum = 0;
    for (const auto& own : prices_) sum += own->plans();
    return sum;
  }

  const ChoiceProblem& problem_;
  PlanCache& cache_;
  const Machine& devices_;
  const ChooseOptions& options_;
  base::StopToken stop_;
  std::vector<std::size_t> axes_;                      // that are longer than 1
  std::vector<std::shared_ptr<LayoutPrices>> prices_;  // of all models so far
  std::vector<NodeLayouts> program_;                   // of every node of a model
  double seconds_ = kEndless;
  double bound_ = 0;
  ChoiceProof proof_ = ChoiceProof::limit;
  std::size_t held_ = 0;
  std::size_t strategies_ = 0;
};

}  // namespace

bool has_rounds(const ChoiceProblem& problem) { return long_axes(problem).size() > 2; }

base::Result<std::optional<LayoutChoice>> choose_by_rounds(const ChoiceProblem& problem, PlanCache& cache,
                                                           const Machine& devices,
                                                           const std::vector<std::int64_t>& limits,
                                                           const ChooseOptions& options, base::StopToken stop) {
  return ChoiceRounds(problem, cache, devices, options, stop).run(limits);
}

}  // namespace tessera::synth
