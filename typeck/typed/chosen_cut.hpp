// A cut of a mesh axis whose weights are to be chosen, with the layouts of the text's `auto fn`s: `work(auto)`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/source.hpp"
#include "synth/layout/weights.hpp"

namespace tessera::typeck {

struct ChosenCut {
  std::string axis;
  std::string cut;  // its name
  base::Span span;  // `work(auto)`
  std::vector<synth::Weights> candidates;
  bool is_complete = false;  // nothing but one of these can be best, where no memory is lacking
  std::size_t taken = 0;     // of the candidates
};

}  // namespace tessera::typeck
