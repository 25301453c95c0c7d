#include "interop/write/layout_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interop/kinds.hpp"

namespace tessera::interop {

namespace {

using base::make;
using synth::ArrayType;
using synth::AxisList;
using synth::AxisPart;
using synth::MeshAxis;

base::Diagnostic unwritable(const ArrayType& type, Format format, std::string_view why, std::string_view help = "") {
  return make(Kind::interop_unwritable, synth::print(type), what_of(format), why).suggest(std::string(help));
}

// ---- HLO ----

// The digits of the mesh that nothing uses, the slowest first.
Digits unused(std::int64_t devices, const Digits& used) {
  Digits sorted = used;
  std::sort(sorted.begin(), sorted.end(), [](const Digit& a, const Digit& b) { return a.stride > b.stride; });
  Digits rest;
  std::int64_t above = devices;
  for (const Digit& digit : sorted) {
    const std::int64_t end = digit.stride * digit.size;
    if (end < above) rest.push_back({above / end, end});
    above = digit.stride;
  }
  if (above > 1) rest.push_back({above, 1});
  return merged(rest);
}

std::int64_t product(const Digits& digits) {
  std::int64_t result = 1;
  for (const Digit& digit : digits) result *= digit.size;
  return result;
}

// `<=[4,2]T(1,0)`: devices whose digits are read in this order.
std::string formula(std::int64_t devices, const Digits& order) {
  const Digits digits = merged(order);
  std::vector<std::size_t> by_stride;
  for (std::size_t i = 0; i < digits.size(); ++i) by_stride.push_back(i);
  std::sort(by_stride.begin(), by_stride.end(), [&](auto a, auto b) { return digits[a].stride > digits[b].stride; });
  if (digits.size() <= 1) return fmt::format("<=[{}]", devices);
  std::vector<std::int64_t> sizes;
  std::vector<std::size_t> permutation(digits.size());
  for (std::size_t i = 0; i < by_stride.size(); ++i) {
    sizes.push_back(digits[by_stride[i]].size);
    permutation[by_stride[i]] = i;
  }
  return fmt::format("<=[{}]T({})", fmt::join(sizes, ","), fmt::join(permutation, ","));
}

base::Result<WrittenLayout> write_hlo(const ArrayType& type) {
  const Described text = described(type);
  if (type.layout().is_replicated()) return WrittenLayout{"{replicated}"};
  if (text.reduce != synth::ReduceOp::sum)
    return unwritable(type, Format::hlo, "what is unreduced there is a sum", "dtensor has words for a maximum");
  Digits order;
  std::vector<std::int64_t> extents;
  for (const Digits& split : text.splits) {
    extents.push_back(product(split));
    order.insert(order.end(), split.begin(), split.end());
  }
  order.insert(order.end(), text.pending.begin(), text.pending.end());
  const Digits rest = unused(*text.devices, order);
  order.insert(order.end(), rest.begin(), rest.end());
  const bool has_pending = !text.pending.empty();
  if (has_pending) extents.push_back(product(text.pending));
  if (!rest.empty()) extents.push_back(product(rest));
  std::string trailing;
  if (has_pending) trailing = rest.empty() ? " last_tile_dims={unreduced}" : " last_tile_dims={unreduced, replicated}";
  if (!has_pending && !rest.empty()) trailing = " last_tile_dim_replicate";
  return WrittenLayout{
      fmt::format("{{devices=[{}]{}{}}}", fmt::join(extents, ","), formula(*text.devices, order), trailing)};
}

// ---- Shardy ----

std::string quoted_part(const synth::Mesh& mesh, const AxisPart& part) {
  const MeshAxis& axis = mesh.axes()[part.axis];
  if (part.size == axis.size) return fmt::format("\"{}\"", axis.name);
  return fmt::format("\"{}\":({}){}", axis.name, part.before, part.size);
}

std::string quoted_parts(const synth::Mesh& mesh, const AxisList& axes) {
  std::string text;
  for (const AxisPart& part : axes) text += (text.empty() ? "" : ", ") + quoted_part(mesh, part);
  return "{" + text + "}";
}

base::Result<WrittenLayout> write_sdy(const ArrayType& type) {
  if (type.layout().reduce() != synth::ReduceOp::sum)
    return unwritable(type, Format::sdy, "what is unreduced there is a sum", "dtensor has words for a maximum");
  std::string dimensions;
  for (const AxisList& split : type.layout().splits())
    dimensions += (dimensions.empty() ? "" : ", ") + quoted_parts(type.mesh(), split);
  std::string pending;
  if (!type.layout().pending().empty()) pending = ", unreduced=" + quoted_parts(type.mesh(), type.layout().pending());
  std::string axes;
  for (const MeshAxis& axis : type.mesh().axes())
    axes += fmt::format("{}\"{}\"={}", axes.empty() ? "" : ", ", axis.name, axis.size);
  return WrittenLayout{fmt::format("#sdy.sharding<@mesh, [{}]{}>", dimensions, pending),
                       fmt::format("sdy.mesh @mesh = <[{}]>", axes)};
}

// ---- JAX ----

bool has_part(const ArrayType& type) {
  const auto is_part = [&](const AxisPart& part) { return part.size != type.mesh().axes()[part.axis].size; };
  const auto& splits = type.layout().splits();
  return std::any_of(splits.begin(), splits.end(),
                     [&](const AxisList& axes) { return std::any_of(axes.begin(), axes.end(), is_part); }) ||
         std::any_of(type.layout().pending().begin(), type.layout().pending().end(), is_part);
}

std::string names(const synth::Mesh& mesh, const AxisList& axes) {
  std::string text;
  for (const AxisPart& part : axes)
    text += fmt::format("{}'{}'", text.empty() ? "" : ", ", mesh.axes()[part.axis].name);
  return text;
}

base::Result<WrittenLayout> write_jax(const ArrayType& type) {
  if (has_part(type))
    return unwritable(type, Format::jax, "it has no words for a part of an axis",
                      "cut the axis in the mesh, or write it as hlo or sdy");
  if (type.layout().reduce() != synth::ReduceOp::sum)
    return unwritable(type, Format::jax, "what is unreduced there is a sum", "dtensor has words for a maximum");
  std::string entries;
  for (const AxisList& split : type.layout().splits()) {
    std::string entry = split.empty() ? "None" : names(type.mesh(), split);
    if (split.size() > 1) entry = "(" + entry + ")";
    entries += (entries.empty() ? "" : ", ") + entry;
  }
  if (!type.layout().pending().empty())
    entries +=
        fmt::format("{}unreduced={{{}}}", entries.empty() ? "" : ", ", names(type.mesh(), type.layout().pending()));
  return WrittenLayout{"P(" + entries + ")"};
}

// ---- DTensor ----

std::string_view torch_name(synth::ReduceOp reduce) {
  switch (reduce) {
    case synth::ReduceOp::sum: return "sum";
    case synth::ReduceOp::max: return "max";
    case synth::ReduceOp::min: return "min";
    case synth::ReduceOp::product: return "product";
  }
  return "";
}

// Takes the axes of a dimension off its list, the first of the mesh first: the one at the front is a plain shard, the
// one at the end a strided one. False if one is in between.
bool place_dimension(const ArrayType& type, std::size_t dimension, std::vector<std::string>& placements) {
  AxisList rest = type.layout().split(dimension);
  while (!rest.empty()) {
    const auto first = std::min_element(rest.begin(), rest.end(), [](auto& a, auto& b) { return a.axis < b.axis; });
    const std::size_t axis = first->axis;
    if (first == rest.begin()) {
      placements[axis] = fmt::format("S({})", dimension);
    } else if (first + 1 == rest.end()) {
      const std::int64_t later = synth::shard_count(AxisList(rest.begin(), first));
      placements[axis] = fmt::format("_S({}, {})", dimension, later);
    } else {
      return false;
    }
    rest.erase(first);
  }
  return true;
}

base::Result<WrittenLayout> write_dtensor(const ArrayType& type) {
  if (has_part(type))
    return unwritable(type, Format::dtensor, "it has no words for a part of an axis",
                      "cut the axis in the mesh, or write it as hlo or sdy");
  std::vector<std::string> placements(type.mesh().axes().size(), "R");
  for (std::size_t d = 0; d < type.rank(); ++d) {
    if (!place_dimension(type, d, placements))
      return unwritable(type, Format::dtensor,
                        fmt::format("no strided shards put the axes of dimension {} in this order", d));
  }
  for (const AxisPart& part : type.layout().pending())
    placements[part.axis] = fmt::format("P({})", torch_name(type.layout().reduce()));
  return WrittenLayout{fmt::format("[{}]", fmt::join(placements, ", "))};
}

// ---- Alpa ----

base::Result<WrittenLayout> write_alpa(const ArrayType& type) {
  if (has_part(type) || !type.layout().pending().empty())
    return unwritable(type, Format::alpa, "it has letters for whole axes that split dimensions, and for nothing else");
  std::string text;
  for (const AxisList& split : type.layout().splits()) {
    text += split.empty() ? "R" : "S";
    for (const AxisPart& part : split) text += fmt::format("{}", part.axis);
  }
  return WrittenLayout{text};
}

base::Status check_writable(const ArrayType& type, Format format) {
  if (!type.mesh().is_row_major())
    return unwritable(type, format, "its devices are not in the mesh's row-major order", "leave `place` and `on` out");
  for (std::size_t d = 0; d < type.rank(); ++d) {
    const std::int64_t devices = synth::shard_count(type.layout().split(d));
    const auto is_named = [](const AxisPart& part) { return part.cut != 0; };
    const AxisList& split = type.layout().split(d);
    if (std::any_of(split.begin(), split.end(), is_named))
      return unwritable(type, format, fmt::format("dimension {} is cut by weights", d));
    if (type.shape()[d] % devices == 0) continue;
    return make(Kind::interop_uneven, d, type.shape()[d], devices, "there all tiles but the last are of one size")
        .suggest(fmt::format("{} is the least extent from {} on that is dealt evenly",
                             (type.shape()[d] + devices - 1) / devices * devices, type.shape()[d]));
  }
  return base::Done{};
}

}  // namespace

base::Result<WrittenLayout> write(const ArrayType& type, Format format) {
  return base::guarded([&]() -> base::Result<WrittenLayout> {
    TESSERA_TRY_STATUS(check_writable(type, format));
    switch (format) {
      case Format::hlo: return write_hlo(type);
      case Format::sdy: return write_sdy(type);
      case Format::jax: return write_jax(type);
      case Format::dtensor: return write_dtensor(type);
      case Format::alpa: return write_alpa(type);
    }
    return WrittenLayout{};
  });
}

}  // namespace tessera::interop
