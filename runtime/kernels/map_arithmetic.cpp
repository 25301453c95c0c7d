#include "runtime/kernels/map_loops.hpp"

namespace tessera::runtime::elementwise {

template MapLoop binary<Add>(synth::ElementType);
template MapLoop binary<Subtract>(synth::ElementType);
template MapLoop binary<Multiply>(synth::ElementType);
template MapLoop binary<Divide>(synth::ElementType);
template MapLoop binary<Remainder>(synth::ElementType);
template MapLoop binary<Minimum>(synth::ElementType);
template MapLoop binary<Maximum>(synth::ElementType);
template MapLoop binary<BitAnd>(synth::ElementType);
template MapLoop binary<BitOr>(synth::ElementType);
template MapLoop binary<BitXor>(synth::ElementType);
template MapLoop unary<BitNot>(synth::ElementType);
template MapLoop binary<ShiftLeft>(synth::ElementType);
template MapLoop binary<ShiftRight>(synth::ElementType);

}  // namespace tessera::runtime::elementwise
