// Which steps have a kernel, and what makes its launches.
#pragma once

#include "runtime/device/steps/launcher.hpp"
#include "runtime/device/steps/products.hpp"
#include "runtime/engine/engine.hpp"

namespace tessera::device {

bool takes_step(const runtime::LocalStep& step);
// `library` takes large products of matrices, if there is one.
base::Status take_step(Launcher& launcher, const runtime::LocalStep& step, const GemmCall& library);
bool takes_chain(const runtime::ChainStep& chain);
base::Status take_chain(Launcher& launcher, const runtime::ChainStep& chain);
// Elements of dense tiles become this one.
base::Status fill_tiles(Launcher& launcher, const runtime::ItemList<runtime::TileOut>& tiles,
                        std::span<const std::byte> element);

}  // namespace tessera::device
