// Random layouts over the axes x, y and z. They are legal for every size of the axes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/generator/facts.hpp"
#include "tests/generator/random.hpp"

namespace tessera::generator {

// Axis names, the major one first.
using Axes = std::vector<char>;

struct Layout {
  std::vector<Axes> splits;  // one for each dimension
  Axes pending;
  std::string_view reduction = "+";
};

enum class Pending : bool { none, perhaps };

Layout random_layout(Random& random, std::size_t rank, Pending pending);
// The axes in random order.
Axes shuffled_axes(Random& random);
// `x`, `(x, y)`; for at least one axis.
std::string axes_text(const Axes& axes);
// `[8@x, 4]{+y}`: the extents as they are to be written.
std::string layout_text(const std::vector<std::string>& extents, const Layout& layout);

}  // namespace tessera::generator
