// The nearest spelling, for "did you mean".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::base {

// The candidate with the least edit distance (insert, delete, replace, swap of neighbours), if it is near enough to be
// what was meant: at most a third of the longer word, at least 1, and less than the word itself. Ties go to the first.
std::optional<std::string> nearest(std::string_view wanted, const std::vector<std::string>& candidates);

}  // namespace tessera::base
