#include "synth/redistribute/chain.hpp"

namespace tessera::synth {

base::Result<Chain> xla_chain(const ArrayType&, const ArrayType&) {
  return base::make(base::Kind::unsupported, name(Planner::xla), "it is not part of this version");
}

}  // namespace tessera::synth
