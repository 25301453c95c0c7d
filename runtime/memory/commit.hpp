// Pages before they are written.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::runtime {

// Asks the system for the whole pages of a range in advance, so that writing them later does not stop at each. Their
// contents stay. If the system cannot do this, pages come when they are written, as usual.
void commit_pages(std::byte* begin, std::int64_t bytes);

}  // namespace tessera::runtime
