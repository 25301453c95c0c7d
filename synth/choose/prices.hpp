// Private to synth: what a change of layout costs, asked for when it is first compared. The price is that of the plan,
// which is replayed and verified only if it is chosen.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "synth/planner/known_sums.hpp"
#include "synth/planner/plan.hpp"

namespace tessera::synth {

// Plans say what a change takes. Bounds say what it takes at least, which is known much sooner: what a device lacks, on
// its own link.
enum class PricedBy : std::uint8_t { plans, bounds };

// The layouts of arrays of one element type and one shape, and the seconds from each to each.
class LayoutPrices {
 public:
  // The machine outlives this.
  LayoutPrices(MeshRef mesh, ElementType element, const Shape& shape, const Machine& machine,
               PricedBy priced_by = PricedBy::plans);

  // The number of a layout, which such arrays can have.
  int number_of(const Layout& layout);
  const Layout& layout(int number) const { return types_[static_cast<std::size_t>(number)].layout(); }
  const ArrayType& type(int number) const { return types_[static_cast<std::size_t>(number)]; }

  // Seconds from one layout to another; endless where there is no plan.
  double seconds(int from, int to);
  // Does every device have its tile of `to`, with nothing to receive?
  bool is_free(int from, int to);
  // How many plans were made.
  std::size_t plans() const { return plans_; }
  bool is_of(ElementType element, const Shape& shape) const { return element == element_ && shape == shape_; }

 private:
  double planned(int from, int to);

  MeshRef mesh_;
  ElementType element_;
  Shape shape_;
  const Machine& machine_;
  PricedBy priced_by_;
  std::optional<RunMachine> fitting_;  // to the mesh's devices, where bounds are asked for
  std::vector<ArrayType> types_;
  std::vector<std::vector<double>> seconds_;  // below 0: not asked for yet
  std::size_t plans_ = 0;
  KnownSums known_sums_;
};

}  // namespace tessera::synth
