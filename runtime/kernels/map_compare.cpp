#include "runtime/kernels/map_loops.hpp"

namespace tessera::runtime::elementwise {

template MapLoop comparison<Equal>(synth::ElementType);
template MapLoop comparison<NotEqual>(synth::ElementType);
template MapLoop comparison<Less>(synth::ElementType);
template MapLoop comparison<LessEqual>(synth::ElementType);
template MapLoop comparison<Greater>(synth::ElementType);
template MapLoop comparison<GreaterEqual>(synth::ElementType);
template MapLoop binary<LogicalAnd>(synth::ElementType);
template MapLoop binary<LogicalOr>(synth::ElementType);
template MapLoop unary<LogicalNot>(synth::ElementType);

}  // namespace tessera::runtime::elementwise
