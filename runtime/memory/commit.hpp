// Pages before they are written.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::runtime {

// Asks the system for the whole pages of a range, so that who writes them later is not stopped at each. What they hold
// stays. Where the system cannot, they come when they are written, as ever.
void commit_pages(std::byte* begin, std::int64_t bytes);

}  // namespace tessera::runtime
