#include "tests/generator/layouts.hpp"

#include <fmt/format.h>

#include <utility>

namespace tessera::generator {

namespace {

std::string_view random_reduction(Random& random) {
  const std::int64_t which = random.below(10);
  if (which == 0) return "max ";
  return which == 1 ? "min " : "+";
}

}  // namespace

Axes shuffled_axes(Random& random) {
  Axes axes = {'x', 'y', 'z'};
  for (std::size_t k = axes.size(); k > 1; --k)
    std::swap(axes[k - 1], axes[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(k)))]);
  return axes;
}

Layout random_layout(Random& random, std::size_t rank, Pending pending) {
  Layout layout;
  layout.splits.resize(rank);
  for (const char axis : shuffled_axes(random)) {
    if (rank > 0 && random.chance(60)) {
      layout.splits[random.index(layout.splits)].push_back(axis);
    } else if (pending == Pending::perhaps && random.chance(20)) {
      layout.pending.push_back(axis);
    }
  }
  layout.reduction = random_reduction(random);
  return layout;
}

std::string axes_text(const Axes& axes) {
  if (axes.size() == 1) return std::string(1, axes[0]);
  return fmt::format("({})", fmt::join(axes, ", "));
}

std::string layout_text(const std::vector<std::string>& extents, const Layout& layout) {
  std::string text = extents.empty() ? "" : "[";
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (d > 0) text += ", ";
    text += extents[d];
    if (!layout.splits[d].empty()) text += "@" + axes_text(layout.splits[d]);
  }
  if (!extents.empty()) text += "]";
  if (!layout.pending.empty()) text += fmt::format("{{{}{}}}", layout.reduction, fmt::join(layout.pending, ", "));
  return text;
}

}  // namespace tessera::generator
