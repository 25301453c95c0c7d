#include "synth/layout/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "synth/kinds.hpp"
#include "synth/layout/axis_parts.hpp"

namespace tessera::synth {

namespace {

using base::make;

base::Status check_parts(const Mesh& mesh, const AxisList& axes) {
  for (const AxisPart& part : axes) {
    if (exists(mesh, part)) continue;
    const bool known = part.axis < mesh.axes().size();
    if (!known) return make(Kind::unknown_axis, static_cast<int>(part.axis));
    const MeshAxis& axis = mesh.axes()[part.axis];
    if (part.cut > axis.cuts.size()) return make(Kind::unknown_cut, axis.name, fmt::format("{}", part.cut));
    return make(Kind::bad_axis_part, axis.name, axis.size, part.before, part.size);
  }
  return base::Done{};
}

// A part of an axis and the place that it stands in: a dimension, or the pending set (-1).
struct Use {
  AxisPart part;
  std::ptrdiff_t where;
};

// The registered message speaks of two dimensions; the rarer ways of using an axis twice say what they are.
base::Diagnostic used_twice(const Mesh& mesh, const Use& first, const Use& second) {
  const std::string& axis = mesh.axes()[second.part.axis].name;
  base::Diagnostic why = make(Kind::axis_used_twice, axis);
  if (first.where == second.where) {
    why.message = first.where < 0 ? fmt::format("mesh axis `{}` is pending twice in one array", axis)
                                  : fmt::format("mesh axis `{}` splits one dimension twice", axis);
  } else if (second.where < 0) {
    why.message = fmt::format("mesh axis `{}` splits a dimension and is pending as well", axis);
  }
  return std::move(why).suggest("use each mesh axis at most once in a type");
}

base::Status check_disjoint(const Mesh& mesh, const std::vector<AxisList>& splits, const AxisList& pending) {
  std::vector<Use> uses;
  for (std::size_t d = 0; d < splits.size(); ++d) {
    for (const AxisPart& part : splits[d]) uses.push_back(Use{part, static_cast<std::ptrdiff_t>(d)});
  }
  for (const AxisPart& part : pending) uses.push_back(Use{part, -1});
  for (std::size_t i = 0; i < uses.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (overlap(uses[j].part, uses[i].part)) return used_twice(mesh, uses[j], uses[i]);
    }
  }
  return base::Done{};
}

// Equal weights are the even cut.
AxisList even_where_equal(const Mesh& mesh, AxisList split) {
  for (AxisPart& part : split) {
    if (part.cut != 0 && weights_of(mesh, part)->is_even()) part.cut = 0;
  }
  return split;
}

std::string print_part(const Mesh& mesh, const AxisPart& part) {
  const MeshAxis& axis = mesh.axes()[part.axis];
  if (part.cut != 0) return fmt::format("{}.{}", axis.name, axis.cuts[part.cut - 1U].name);
  if (part.before == 1 && part.size == axis.size) return axis.name;
  return fmt::format("{}:({}){}", axis.name, part.before, part.size);
}

}  // namespace

AxisPart whole_axis(const Mesh& mesh, std::size_t axis) {
  return AxisPart{static_cast<std::uint8_t>(axis), 1, mesh.axes()[axis].size};
}

std::optional<AxisPart> named_cut(const Mesh& mesh, std::size_t axis, std::string_view cut) {
  const std::vector<NamedCut>& cuts = mesh.axes()[axis].cuts;
  const auto found = std::find_if(cuts.begin(), cuts.end(), [&](const NamedCut& c) { return c.name == cut; });
  if (found == cuts.end()) return std::nullopt;
  AxisPart part = whole_axis(mesh, axis);
  if (!found->weights.is_even()) part.cut = static_cast<std::uint8_t>(found - cuts.begin() + 1);
  return part;
}

const Weights* weights_of(const Mesh& mesh, const AxisPart& part) {
  return part.cut == 0 ? nullptr : &mesh.axes()[part.axis].cuts[part.cut - 1U].weights;
}

bool overlap(const AxisPart& a, const AxisPart& b) {
  if (a.axis != b.axis) return false;
  return b.before % end_of(a) != 0 && a.before % end_of(b) != 0;
}

std::string_view name(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum: return "sum";
    case ReduceOp::max: return "max";
    case ReduceOp::min: return "min";
    case ReduceOp::product: return "product";
  }
  return "";
}

std::int64_t shard_count(const AxisList& axes) {
  std::int64_t count = 1;
  for (const AxisPart& part : axes) count *= part.size;
  return count;
}

std::int64_t position(const Mesh& mesh, const AxisList& axes, std::int64_t device) {
  std::int64_t result = 0;
  for (const AxisPart& part : axes) {
    const std::int64_t minor = mesh.axes()[part.axis].size / end_of(part);
    result = result * part.size + mesh.coordinate(device, part.axis) / minor % part.size;
  }
  return result;
}

const std::shared_ptr<const Layout::Uses>& Layout::none() {
  static const std::shared_ptr<const Uses> none = std::make_shared<const Uses>();
  return none;
}

Layout Layout::replicated(std::size_t rank) { return Layout(Uses{std::vector<AxisList>(rank), {}, ReduceOp::sum}); }

base::Result<Layout> Layout::make(const Mesh& mesh, std::vector<AxisList> splits, AxisList pending, ReduceOp reduce) {
  return base::guarded([&]() -> base::Result<Layout> {
    for (const AxisList& split : splits) TESSERA_TRY_STATUS(check_parts(mesh, split));
    TESSERA_TRY_STATUS(check_parts(mesh, pending));
    Uses uses{std::move(splits), canonical_set(std::move(pending)), reduce};
    for (AxisPart& part : uses.pending) part.cut = 0;
    for (AxisList& split : uses.splits) split = canonical(even_where_equal(mesh, std::move(split)));
    TESSERA_TRY_STATUS(check_disjoint(mesh, uses.splits, uses.pending));
    if (uses.pending.empty()) uses.reduce = ReduceOp::sum;
    return Layout(std::move(uses));
  });
}

bool Layout::is_replicated() const {
  const auto whole = [](const AxisList& split) { return split.empty(); };
  return pending().empty() && std::all_of(splits().begin(), splits().end(), whole);
}

bool Layout::uses(const AxisPart& part) const {
  const auto uses_it = [&](const AxisList& axes) {
    return std::any_of(axes.begin(), axes.end(), [&](const AxisPart& used) { return overlap(used, part); });
  };
  return uses_it(pending()) || std::any_of(splits().begin(), splits().end(), uses_it);
}

std::string print(const Mesh& mesh, const AxisList& axes) {
  std::string text;
  for (const AxisPart& part : axes) text.append(text.empty() ? "" : ",").append(print_part(mesh, part));
  return axes.size() == 1 ? text : fmt::format("({})", text);
}

}  // namespace tessera::synth
