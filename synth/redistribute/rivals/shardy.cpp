#include "synth/redistribute/chain.hpp"

namespace tessera::synth {

base::Result<Chain> shardy_chain(const ArrayType&, const ArrayType&) {
  return base::make(base::Kind::unsupported, name(Planner::shardy), "it is not part of this version");
}

}  // namespace tessera::synth
