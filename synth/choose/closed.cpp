#include "synth/choose/closed.hpp"

#include <algorithm>

namespace tessera::synth {

namespace {

// Where the data of a star's value are: a value of the given problem, as it is made or as a copy.
struct CopySource {
  std::size_t value = 0;
  std::optional<std::size_t> copy;
};

class Closing {
 public:
  Closing(const Model& model, const Assignment& assignment, PlanCache& cache, base::StopToken stop)
      : model_(model), assignment_(assignment), cache_(cache), stop_(stop), sources_(model.stars.size()) {}

  base::Result<LayoutChoice> run() {
    choice_.nodes.resize(model_.nodes.size() -
                         static_cast<std::size_t>(std::ranges::count(model_.joins_of, Model::kAdded)));
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) lay_out(n);
    // The values of joins that were added lie behind those that they are copies of.
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
      const auto& result = model_.problem.nodes[n].result;
      if (result) TESSERA_TRY_STATUS(add_star(n, result->value));
    }
    return std::move(choice_);
  }

 private:
  const ModelStrategy& strategy(std::size_t n) const { return model_.nodes[n].strategies[assignment_[n]]; }
  const Layout& layout(std::size_t n, std::size_t slot) const {
    const ModelSlot& own = model_.nodes[n].slots[slot];
    return model_.layout(own.star, own.place, strategy(n).labels[slot]);
  }

  void lay_out(std::size_t n) {
    choice_.local_seconds += strategy(n).local_seconds;
    const ChoiceNode& node = model_.problem.nodes[n];
    if (model_.joins_of[n] == Model::kAdded) return;
    ChosenNode& chosen = choice_.nodes[model_.joins_of[n]];
    for (std::size_t u = 0; u < node.uses.size(); ++u) chosen.uses.push_back({layout(n, u), std::nullopt});
    if (!node.result) return;
    chosen.result = layout(n, node.uses.size());
    sources_[node.result->value] = {node.result->value, std::nullopt};
  }

  base::Status add_star(std::size_t maker, std::size_t v) {
    const Star& star = model_.stars[v];
    if (star.readers() == 0) return base::Done{};
    const std::size_t made = strategy(maker).labels.back();
    std::vector<std::size_t> wants;
    for (std::size_t k = 1; k < star.places.size(); ++k)
      wants.push_back(strategy(star.places[k].node).labels[star.places[k].slot]);
    std::vector<std::optional<std::size_t>> served(wants.size(), sources_[v].copy);
    for (const StarCopy& copy : copies_of(star, made, wants)) {
      double executions = 0;
      for (std::size_t k = 0; k < wants.size(); ++k) {
        if ((copy.readers >> k & 1U) == 0) continue;
        served[k] = choice_.conversions.size();
        executions += star.of_readers[k];
      }
      TESSERA_TRY_STATUS(convert(v, star.prices->type(star.made[made]), star.prices->type(star.wanted[copy.wanted]),
                                 std::min(executions, star.executions)));
    }
    for (std::size_t k = 0; k < wants.size(); ++k) TESSERA_TRY_STATUS(hand_over(star.places[k + 1], v, served[k]));
    return base::Done{};
  }

  base::Status convert(std::size_t v, const ArrayType& from, const ArrayType& to, double executions) {
    TESSERA_TRY(plan, cache_.get(from, to, {}, stop_));
    choice_.seconds += executions * plan->seconds;
    const ChoiceValueId value{static_cast<std::uint32_t>(sources_[v].value)};
    choice_.conversions.push_back({value, sources_[v].copy, executions, plan});
    return base::Done{};
  }

  // A reader takes the value from there.
  base::Status hand_over(const StarPlace& reader, std::size_t v, std::optional<std::size_t> copy) {
    const std::size_t given = model_.joins_of[reader.node];
    if (given != Model::kAdded) {
      choice_.nodes[given].uses[reader.slot].copy = copy;
      return base::Done{};
    }
    const ArrayType& wanted = type(v, layout(reader.node, reader.slot));
    const ArrayType& there = copy ? choice_.conversions[*copy].plan->to : type(v, layout(star_maker(v), maker_slot(v)));
    CopySource& own = sources_[model_.problem.nodes[reader.node].result->value];
    own = {sources_[v].value, copy};
    if (wanted == there) return base::Done{};
    // Its part, as a copy of its own: those behind the join are made from it.
    TESSERA_TRY(plan, cache_.get(there, wanted, {}, stop_));
    own.copy = choice_.conversions.size();
    choice_.conversions.push_back(
        {ChoiceValueId{static_cast<std::uint32_t>(sources_[v].value)}, copy, model_.stars[v].executions, plan});
    choice_.seconds += model_.stars[v].executions * plan->seconds;
    return base::Done{};
  }

  std::size_t star_maker(std::size_t v) const { return model_.stars[v].places[0].node; }
  std::size_t maker_slot(std::size_t v) const { return model_.stars[v].places[0].slot; }
  const ArrayType& type(std::size_t v, const Layout& layout) const {
    return model_.stars[v].prices->type(model_.stars[v].prices->number_of(layout));
  }

  const Model& model_;
  const Assignment& assignment_;
  PlanCache& cache_;
  base::StopToken stop_;
  std::vector<CopySource> sources_;  // of every star
  LayoutChoice choice_;
};

}  // namespace

base::Result<LayoutChoice> closed(const Model& model, const Assignment& assignment, PlanCache& cache,
                                  base::StopToken stop) {
  auto choice = Closing(model, assignment, cache, stop).run();
  if (choice.ok()) choice->seconds += choice->local_seconds;
  return choice;
}

}  // namespace tessera::synth
