// An `auto fn` whose layouts were chosen, for one list of its arguments' types: what was asked, what was found, and
// where its names are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/source.hpp"
#include "synth/layout/weights.hpp"
#include "synth/program/choice/choice.hpp"

namespace tessera::synth {
struct ChoiceProblem;
}

namespace tessera::typeck {

struct ChosenFunction {
  enum class Role : std::uint8_t { parameter, let, result };
  struct Name {
    Role role = Role::let;
    std::string name;  // of results none, but `2.w` of field w of the second
    base::Span span;
    base::Id<struct NodeTag> node;            // of the typed program
    std::optional<std::size_t> problem_node;  // that makes it
  };

  std::string name;
  base::Span declared_at;  // the name
  base::Span called_at;    // the first call with these arguments
  base::Id<struct InstanceTag> instance;
  std::vector<std::size_t> axes;
  std::vector<char> is_chosen;                         // of every parameter
  std::vector<std::optional<std::size_t>> results_as;  // of every result the parameter that it lies as
  std::vector<Name> names;                             // parameters, then lets, then results
  // Where the weights of a cut of its mesh were chosen, too.
  struct CutWeights {
    std::string axis;
    std::string cut;
    synth::Weights weights;
    std::size_t candidates = 1;  // that were tried
    bool is_exact = false;       // no others are better, but for rounding
  };
  std::optional<CutWeights> weights;
  std::shared_ptr<const synth::ChoiceProblem> problem;
  synth::LayoutChoice choice;
  // What the same function takes in other layouts; nothing where there is no such program.
  struct Rival {
    std::string name;
    std::optional<double> seconds;
    std::vector<std::int64_t> peak_bytes = {};  // of every device of the run; empty where that is not known
  };
  std::vector<Rival> rivals;
};

}  // namespace tessera::typeck
