// Programs in the language with `auto` in them: what is chosen beside what others would take, at the same prices.
#pragma once

#include "bench/choose/choose_bench.hpp"

namespace tessera::bench {

// The examples, the classifier of VGG19 at full width, and 24 blocks of a transformer that are laid out alike or each
// by itself. A line each; false where a choice was not found right.
bool print_programs(const ChooseBench& options);

}  // namespace tessera::bench
