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
#include "synth/layout/mesh.hpp"

namespace tessera::synth {

// A part of a mesh axis. An axis of size 4 can be cut 2*2, major part first: {axis, before 1, size 2} is the major
// half, {axis, before 2, size 2} the minor one, printed x:(1)2 and x:(2)2. before = product of the sizes of the parts
// outside it. The whole axis has before 1 and size = the axis' size and prints as its name. before*size divides the
// axis' size. Only the whole axis is cut by weights: halves of a named cut would not lie inside it. It prints as
// `x.work`.
struct AxisPart {
  AxisPart() = default;
  AxisPart(std::uint8_t axis_number, std::int64_t size_before, std::int64_t own_size, std::uint8_t cut_number = 0)
      : axis(axis_number), cut(cut_number), before(size_before), size(own_size) {}

  std::uint8_t axis = 0;
  std::uint8_t cut = 0;  // 0: even; else the number of one of the axis' named cuts, from 1 on
  std::int64_t before = 1;
  std::int64_t size = 1;
  friend auto operator<=>(const AxisPart&, const AxisPart&) = default;
};
using AxisList = std::vector<AxisPart>;  // major first

AxisPart whole_axis(const Mesh& mesh, std::size_t axis);
// The axis by the cut of that name; nothing if it has none of it. A cut by equal weights is the even one.
std::optional<AxisPart> named_cut(const Mesh& mesh, std::size_t axis, std::string_view cut);
// The weights of the part's positions; none if they are even.
const Weights* weights_of(const Mesh& mesh, const AxisPart& part);
bool overlap(const AxisPart& a, const AxisPart& b);
std::int64_t shard_count(const AxisList& axes);
// The device's position along the list: ((c_1*s_2 + c_2)*s_3 + ...).
std::int64_t position(const Mesh& mesh, const AxisList& axes, std::int64_t device);

enum class ReduceOp : std::uint8_t { sum, max, min };

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

// `x`, `(x,y)`, `x:(2)2`.
std::string print(const Mesh& mesh, const AxisList& axes);

}  // namespace tessera::synth
