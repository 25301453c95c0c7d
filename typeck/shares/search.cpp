#include "typeck/shares/search.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "synth/program/choice/problem.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {

namespace {

// What a text's functions take; those that lack memory are worse than all others.
struct FunctionsTotal {
  std::size_t lacking = 0;
  double seconds = 0;
  bool is_proved = true;
  bool operator<(const FunctionsTotal& other) const {
    return std::tie(lacking, seconds) < std::tie(other.lacking, other.seconds);
  }
};

FunctionsTotal total_of(const Typed& typed) {
  FunctionsTotal total;
  for (const ChosenFunction& own : typed.choices) {
    total.lacking += own.choice.shortage.has_value() ? 1 : 0;
    total.seconds += own.choice.seconds;
    total.is_proved = total.is_proved && own.choice.proof != synth::ChoiceProof::limit;
  }
  return total;
}

class SharesSearch {
 public:
  SharesSearch(Typed first, const CheckWeighted& check, base::StopToken stop)
      : best_(std::move(first)), check_(check), stop_(stop), total_(total_of(best_)), is_proved_(total_.is_proved) {
    for (const ChosenCut& cut : best_.chosen_cuts) weights_.push_back(cut.candidates.at(cut.taken));
  }

  base::Result<Typed> run() {
    for (std::size_t number = 0; number < weights_.size(); ++number) try_all(number);
    stop_.look();
    for (ChosenFunction& own : best_.choices) note_weights(own);
    return std::move(best_);
  }

 private:
  void try_all(std::size_t number) {
    const std::vector<synth::Weights> candidates = best_.chosen_cuts[number].candidates;
    const std::size_t before = best_.chosen_cuts[number].taken;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      if (k == before) continue;
      stop_.look();
      std::vector<synth::Weights> others = weights_;
      others[number] = candidates[k];
      auto typed = check_(others);
      if (!typed.ok()) continue;
      const FunctionsTotal total = total_of(*typed);
      is_proved_ = is_proved_ && total.is_proved;
      if (!(total < total_)) continue;
      best_ = std::move(typed).value();
      best_.chosen_cuts[number].taken = k;
      total_ = total;
      weights_ = std::move(others);
    }
  }

  // Of the first cut of the function's mesh that was chosen.
  void note_weights(ChosenFunction& own) const {
    for (const synth::MeshAxis& axis : own.problem->mesh->axes()) {
      for (const synth::NamedCut& cut : axis.cuts) {
        const auto chosen = std::ranges::find_if(best_.chosen_cuts, [&](const ChosenCut& one) {
          return one.axis == axis.name && one.cut == cut.name && one.candidates[one.taken] == cut.weights;
        });
        if (chosen == best_.chosen_cuts.end()) continue;
        const bool is_exact = is_proved_ && chosen->is_complete && best_.chosen_cuts.size() == 1;
        own.weights = {axis.name, cut.name, cut.weights, chosen->candidates.size(), is_exact};
        return;
      }
    }
  }

  Typed best_;
  const CheckWeighted& check_;
  base::StopToken stop_;
  FunctionsTotal total_;
  bool is_proved_;
  std::vector<synth::Weights> weights_;
};

}  // namespace

base::Result<Typed> with_best_weights(Typed first, const CheckWeighted& check, base::StopToken stop) {
  if (!first.choices.empty()) return SharesSearch(std::move(first), check, stop).run();
  for (const ChosenCut& cut : first.chosen_cuts)
    first.notes.push_back(base::make(Kind::auto_weights, cut.axis, cut.cut).at(cut.span));
  return first;
}

}  // namespace tessera::typeck
