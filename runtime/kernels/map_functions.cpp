#include "runtime/kernels/map_loops.hpp"

namespace tessera::runtime::elementwise {

template void unary<Negate>(std::span<const TileView>, const TileOut&);
template void unary<Sqrt>(std::span<const TileView>, const TileOut&);
template void unary<Rsqrt>(std::span<const TileView>, const TileOut&);
template void unary<Relu>(std::span<const TileView>, const TileOut&);
template void unary<Abs>(std::span<const TileView>, const TileOut&);
template void unary<Sign>(std::span<const TileView>, const TileOut&);
template void unary<Floor>(std::span<const TileView>, const TileOut&);

}  // namespace tessera::runtime::elementwise
