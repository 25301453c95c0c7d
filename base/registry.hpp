// All kinds of diagnostic, of every room, to be found by their slug: for the error index, the public API, diagnostics
// sent between ranks, the tests. A room that reports a kind includes its own kinds.hpp instead.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace tessera::base {

// In the order of base/diagnostics/all.def.
const std::vector<KindInfo>& all_kinds();
std::optional<KindInfo> kind_by_slug(std::string_view slug);

}  // namespace tessera::base
