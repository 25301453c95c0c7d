// When the values of an `auto fn` are in memory: the function as it runs, every call of another function by itself,
// even where all calls are laid out alike.
#pragma once

#include <vector>

#include "synth/program/choice/lives.hpp"
#include "typeck/layouts/chosen.hpp"
#include "typeck/layouts/whole.hpp"

namespace tessera::typeck {

std::vector<synth::ChoiceLife> lives_of(const WholeFunction& whole, const ChosenProblem& chosen);

}  // namespace tessera::typeck
