#include "runtime/kernels/map_loops.hpp"

namespace tessera::runtime::elementwise {

template void binary<Add>(std::span<const TileView>, const TileOut&);
template void binary<Subtract>(std::span<const TileView>, const TileOut&);
template void binary<Multiply>(std::span<const TileView>, const TileOut&);
template void binary<Divide>(std::span<const TileView>, const TileOut&);
template void binary<Remainder>(std::span<const TileView>, const TileOut&);
template void binary<Power>(std::span<const TileView>, const TileOut&);
template void binary<Minimum>(std::span<const TileView>, const TileOut&);
template void binary<Maximum>(std::span<const TileView>, const TileOut&);

}  // namespace tessera::runtime::elementwise
