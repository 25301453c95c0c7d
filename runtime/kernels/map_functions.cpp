#include "runtime/kernels/map_loops.hpp"

namespace tessera::runtime::elementwise {

template MapLoop unary<Negate>(synth::ElementType);
template MapLoop unary<Sqrt>(synth::ElementType);
template MapLoop unary<Rsqrt>(synth::ElementType);
template MapLoop unary<Relu>(synth::ElementType);
template MapLoop unary<Abs>(synth::ElementType);
template MapLoop unary<Sign>(synth::ElementType);
template MapLoop unary<Floor>(synth::ElementType);

}  // namespace tessera::runtime::elementwise
