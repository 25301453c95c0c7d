// `work(auto)`: the weights of a mesh axis, chosen together with the layouts of the text's functions.
//
// Which weights can be best is known before anything is searched (synth/choose/weights.hpp), and they are few. The text
// is checked with each of them, and stays as it takes the least: that of all its `auto fn`s, each counted once for
// every list of its arguments' types.
#pragma once

#include <functional>
#include <vector>

#include "base/result.hpp"
#include "base/stop.hpp"
#include "typeck/typed/typed.hpp"

namespace tessera::typeck {

// A text as it is checked with these weights of its chosen cuts, in their order.
using CheckWeighted = std::function<base::Result<Typed>(const std::vector<synth::Weights>&)>;

// `first` is the text as it was checked with the weights that are taken unless others are better: by speed. Of several
// cuts one is chosen after the other. A text that calls no `auto fn` stays as it is, with a note.
base::Result<Typed> with_best_weights(Typed first, const CheckWeighted& check, base::StopToken stop);

}  // namespace tessera::typeck
