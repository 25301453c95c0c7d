// A set as a sorted vector: made at once from what was gathered, walked fast, and given back at once.
#pragma once

#include <algorithm>
#include <vector>

namespace tessera::base {

// Sorts, and keeps one of each.
template <class T, class Memory>
void keep_one_of_each(std::vector<T, Memory>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

}  // namespace tessera::base
