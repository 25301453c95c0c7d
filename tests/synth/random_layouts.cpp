#include "tests/synth/random_layouts.hpp"

#include <array>

namespace tessera::synth::test {

std::vector<std::int64_t> divisors(std::int64_t number) {
  std::vector<std::int64_t> all;
  for (std::int64_t d = 1; d <= number; ++d) {
    if (number % d == 0) all.push_back(d);
  }
  return all;
}

Layout any_layout(const Mesh& mesh, std::size_t rank, bool may_be_pending, Random& random) {
  constexpr std::array kOperations = {ReduceOp::sum, ReduceOp::max, ReduceOp::min};
  std::vector<AxisList> splits(rank);
  AxisList pending;
  for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) {
    const AxisPart whole = whole_axis(mesh, axis);
    const auto majors = divisors(whole.size);
    const std::int64_t major = random.coin() ? whole.size : majors[random.below(majors.size())];
    AxisPart first{whole.axis, 1, major};
    const std::vector<NamedCut>& cuts = mesh.axes()[axis].cuts;
    if (major == whole.size && !cuts.empty() && random.coin()) first = *named_cut(mesh, axis, cuts.front().name);
    for (const AxisPart& part : {first, AxisPart{whole.axis, major, whole.size / major}}) {
      const std::size_t where = random.below(rank + 2);
      if (where < rank) {
        AxisList& split = splits[where];
        split.insert(split.begin() + static_cast<std::ptrdiff_t>(random.below(split.size() + 1)), part);
      } else if (where == rank && may_be_pending) {
        pending.push_back(part);
      }
    }
  }
  return *Layout::make(mesh, splits, pending, kOperations[random.below(3)]);
}

}  // namespace tessera::synth::test
