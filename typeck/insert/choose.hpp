// Functions whose layouts are chosen: closed on whole arrays, handed over to the choice, and taken over. Private to
// typeck.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "synth/choose/choose.hpp"
#include "typeck/insert/inserter.hpp"

namespace tessera::typeck {

class ChosenInserter;
struct ChosenProblem;

// An inserter's part that chooses; it holds nothing.
class Choosing {
 public:
  explicit Choosing(Inserter& inserter) : in_(inserter) {}

  // The types that a function is closed for: where its parameters' layouts are chosen, it matters not how the arguments
  // lie.
  std::vector<ArrayType> closed_for(const open::Instance& callee, std::vector<ArrayType> types) const;
  std::optional<InstanceId> close(open::InstanceId callee, const std::vector<ArrayType>& given, Span call_span);
  // Arguments of chosen parameters go where the choice wants them.
  bool bring(const open::Instance& callee, InstanceId instance, std::vector<NodeId>& arguments);

  // ---- While a function is closed on whole arrays
  // A value that a text gives a layout: itself, through a redistribution that has the layout for a pin.
  MaybeHeld pinned(const open::Node& node, const open::As& as, const Held& value);
  // What the text says of an operation's result: of a constructor its layout.
  void note_made(const open::Node& node, const std::optional<Layout>& written, const Held& value);
  // The typed nodes from `first` on are made for what the node is.
  void note_made_for(const open::Node& node, std::size_t first);
  // What the text says of a function's parameters and results.
  void note_function(const open::Instance& function, const Instance& instance, InstanceId made);

 private:
  // An inserter for one function, which takes values from around it from this one.
  void set_apart(Inserter& inner);
  const std::vector<NodeId>* nodes_around(Inserter& inner, open::ValueId value);
  // The choice within what devices hold (choose_memory.cpp).
  base::Result<synth::LayoutChoice> choose_within(const open::Instance& function, const WholeFunction& whole,
                                                  ChosenProblem& chosen);
  base::Result<synth::LayoutChoice> choose_by_memory(const WholeFunction& whole, const ChosenProblem& chosen,
                                                     synth::LayoutChoice fastest, double& need);
  // By the memory plan of the function in these layouts, of every device of the run; nothing where nobody plans memory.
  std::optional<std::vector<std::int64_t>> planned_peaks(const WholeFunction& whole, const ChosenProblem& chosen,
                                                         const synth::LayoutChoice& choice);
  double need_of(const WholeFunction& whole, const ChosenProblem& chosen, const synth::LayoutChoice& choice);
  void report_shortage(const open::Instance& function, const WholeFunction& whole, const ChosenProblem& chosen,
                       const synth::LayoutChoice& choice);
  synth::ChooseOptions search_options() const;
  std::optional<WholeFunction> on_whole_arrays(open::InstanceId callee);
  // What others would choose (choose_rivals.cpp). The problem of `chosen` is the same afterwards.
  std::vector<ChosenFunction::Rival> rivals_of(open::InstanceId callee, const std::vector<ArrayType>& types,
                                               const ChosenFunction& own, const WholeFunction& whole,
                                               ChosenProblem& chosen);
  ChosenFunction::Rival rival(std::string name, const WholeFunction& whole, ChosenProblem& chosen,
                              synth::ChoiceProblem problem, base::Result<synth::LayoutChoice> choice);
  ChosenFunction::Rival by_rules(open::InstanceId callee, const std::vector<ArrayType>& types);
  void note_names(const open::Instance& function, const WholeFunction& whole, const ChosenProblem& chosen,
                  const ChosenInserter& made, ChosenFunction& own) const;

  Inserter& in_;
};

}  // namespace tessera::typeck
