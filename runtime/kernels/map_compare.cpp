#include "runtime/kernels/map_loops.hpp"

namespace tessera::runtime::elementwise {

template MapLoop comparison<Equal>(synth::ElementType);
template MapLoop comparison<NotEqual>(synth::ElementType);
template MapLoop comparison<Less>(synth::ElementType);
template MapLoop comparison<LessEqual>(synth::ElementType);
template MapLoop swapped_comparison<Less>(synth::ElementType);
template MapLoop swapped_comparison<LessEqual>(synth::ElementType);

MapLoop logical(synth::MapOp op) {
  if (op == synth::MapOp::logical_not) return map_loop_of<LogicalNot, Byte, Byte>();
  return op == synth::MapOp::logical_and ? map_loop_of<LogicalAnd, Byte, Byte, Byte>()
                                         : map_loop_of<LogicalOr, Byte, Byte, Byte>();
}

}  // namespace tessera::runtime::elementwise
