// Layouts: which axes of a mesh split which dimension, and which axes hold parts of a sum.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "synth/layout/axis_part.hpp"
#include "synth/layout/mesh.hpp"

namespace tessera::synth {

// Invariants, kept by `make`: every part is of an axis of the mesh; no two parts overlap, pending ones included; parts
// of size 1 are dropped; neighbouring parts of one axis that continue each other are merged; pending parts are in mesh
// order and even; without pending parts the reduce operation is `sum`. So equal layouts of one mesh compare equal, but
// for layouts that only the extents make alike (see same_type in array_type.hpp). Copies share their data.
class Layout {
 public:
  Layout() = default;
  Layout(const Layout&) = default;
  Layout& operator=(const Layout&) = default;
  // A layout that was moved from is a layout, too: the empty one.
  Layout(Layout&& other) noexcept { uses_.swap(other.uses_); }
  Layout& operator=(Layout&& other) noexcept {
    uses_.swap(other.uses_);
    return *this;
  }
  ~Layout() = default;
  static Layout replicated(std::size_t rank);
  static base::Result<Layout> make(const Mesh& mesh, std::vector<AxisList> splits, AxisList pending = {},
                                   ReduceOp reduce = ReduceOp::sum);

  std::size_t rank() const { return splits().size(); }
  const AxisList& split(std::size_t dimension) const { return splits()[dimension]; }
  const std::vector<AxisList>& splits() const { return uses_->splits; }
  const AxisList& pending() const { return uses_->pending; }
  ReduceOp reduce() const { return uses_->reduce; }
  bool is_replicated() const;
  // Does any split or the pending set use (an overlapping part of) this one?
  bool uses(const AxisPart& part) const;

  friend bool operator==(const Layout& a, const Layout& b) { return a.uses_ == b.uses_ || *a.uses_ == *b.uses_; }
  friend auto operator<=>(const Layout& a, const Layout& b) { return *a.uses_ <=> *b.uses_; }

 private:
  struct Uses {
    std::vector<AxisList> splits;
    AxisList pending;
    ReduceOp reduce = ReduceOp::sum;
    friend auto operator<=>(const Uses&, const Uses&) = default;
  };
  explicit Layout(Uses uses) : uses_(std::make_shared<const Uses>(std::move(uses))) {}
  static const std::shared_ptr<const Uses>& none();

  std::shared_ptr<const Uses> uses_ = none();  // never null
};

}  // namespace tessera::synth
