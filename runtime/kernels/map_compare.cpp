#include "runtime/kernels/map_loops.hpp"

namespace tessera::runtime::elementwise {

template void comparison<Equal>(std::span<const TileView>, const TileOut&);
template void comparison<NotEqual>(std::span<const TileView>, const TileOut&);
template void comparison<Less>(std::span<const TileView>, const TileOut&);
template void comparison<LessEqual>(std::span<const TileView>, const TileOut&);
template void comparison<Greater>(std::span<const TileView>, const TileOut&);
template void comparison<GreaterEqual>(std::span<const TileView>, const TileOut&);
template void binary<LogicalAnd>(std::span<const TileView>, const TileOut&);
template void binary<LogicalOr>(std::span<const TileView>, const TileOut&);
template void unary<LogicalNot>(std::span<const TileView>, const TileOut&);

}  // namespace tessera::runtime::elementwise
