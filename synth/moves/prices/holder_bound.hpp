// Private to synth: the least time in which the first copies of boxes can leave their holders.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::synth {

// A set of the children of a unit: a bit for each, 64 in a word. All sets of one unit have equally many words.
using Children = std::vector<std::uint64_t>;

inline Children no_children(std::int64_t children) { return Children(static_cast<std::size_t>(children + 63) / 64, 0); }
inline void insert(Children& children, std::int64_t child) {
  children[static_cast<std::size_t>(child / 64)] |= std::uint64_t{1} << (child % 64);
}
bool within(const Children& inner, const Children& outer);
std::int64_t count(const Children& children);

// Bytes of boxes that these children hold, and that some other child needs. Boxes that no child holds come from outside
// the unit.
struct HeldBytes {
  Children holders;
  double bytes = 0;
};

// Bytes a second out of each child, and into the unit; 0 where nothing is outside it.
struct UnitLinks {
  double child = 0;
  double unit = 0;
};

// The least time in which every box can leave its holders once, in fractions, each over its own link, or come into the
// unit. No algorithm is faster: the first copy of every byte takes one of these ways. It is the largest, over all sets
// of children, of the bytes that lie in the set alone over the links out of it and into the unit.
//
// Example: boxes of 6 bytes on {a, b}, {b, c} and {a, c}, links of one byte a second. Any pair of children holds one
// box alone, which takes 3 seconds; the three hold 18 bytes, which take 6.
double holder_bound(const std::vector<HeldBytes>& boxes, const UnitLinks& links);

}  // namespace tessera::synth
