#include "runtime/kernels/map_loops.hpp"

namespace tessera::runtime::elementwise {

template void unary<Negate>(std::span<const TileView>, const TileOut&);
template void unary<Exp>(std::span<const TileView>, const TileOut&);
template void unary<Exp2>(std::span<const TileView>, const TileOut&);
template void unary<Log>(std::span<const TileView>, const TileOut&);
template void unary<Sqrt>(std::span<const TileView>, const TileOut&);
template void unary<Rsqrt>(std::span<const TileView>, const TileOut&);
template void unary<Tanh>(std::span<const TileView>, const TileOut&);
template void unary<Sigmoid>(std::span<const TileView>, const TileOut&);
template void unary<Relu>(std::span<const TileView>, const TileOut&);
template void unary<Gelu>(std::span<const TileView>, const TileOut&);
template void unary<Erf>(std::span<const TileView>, const TileOut&);
template void unary<Abs>(std::span<const TileView>, const TileOut&);
template void unary<Sign>(std::span<const TileView>, const TileOut&);
template void unary<Floor>(std::span<const TileView>, const TileOut&);
template void unary<Sin>(std::span<const TileView>, const TileOut&);
template void unary<Cos>(std::span<const TileView>, const TileOut&);

}  // namespace tessera::runtime::elementwise
