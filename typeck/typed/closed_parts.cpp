// Arrays that are made of parts, as text: slices, concatenations, rolls and updates.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "typeck/typed/closed_text.hpp"

namespace tessera::typeck {

namespace {

std::string bracketed(const synth::Shape& shape) {
  std::vector<std::int64_t> all;
  for (std::size_t d = 0; d < shape.size(); ++d) all.push_back(shape[d]);
  return fmt::format("[{}]", fmt::join(all, ", "));
}

// The subscript that takes so many elements, or one by its index (0).
std::string one_or_range(std::int64_t first, std::int64_t length) {
  return length == 0 ? fmt::format("{}", first) : fmt::format("{}:{}", first, first + length);
}

// Every so manieth element, or all from the last to the first.
std::optional<std::string> range_in_steps(const synth::Placement& own, std::int64_t length, std::int64_t extent) {
  if (own.scalar >= 0 || own.add != 0 || own.spread != 1 || length < 1) return std::nullopt;
  if (own.step == -1 && own.first == extent - 1 && length == extent) return "::-1";
  const std::int64_t last = own.first + own.step * (length - 1);
  if (own.step < 1 || own.first < 0 || last >= extent) return std::nullopt;
  return fmt::format("{}:{}:{}", own.first, last + 1, own.step);
}

}  // namespace

std::optional<std::string> ClosedText::assembled(NodeId id, const Compute& compute, const synth::Assemble& assemble) {
  if (assemble.has_base) return assemble.parts.size() == 1 ? laid_over(id, compute, assemble.parts[0]) : std::nullopt;
  if (assemble.parts.size() == 1) return sliced(id, compute, assemble.parts[0]);
  const auto text = joined(id, compute, assemble);
  return text.has_value() ? text : rolled(id, compute, assemble);
}

std::optional<std::string> ClosedText::sliced(NodeId id, const Compute& compute, const synth::Part& part) {
  const ArrayType& result = typed_.type(id);
  const ArrayType& from = typed_.type(compute.operands[part.operand]);
  std::vector<std::string> subscripts;
  bool is_indexed = false;
  for (std::size_t d = 0; d < part.placements.size(); ++d) {
    const synth::Placement& own = part.placements[d];
    const std::int64_t length = result.shape()[d];
    if (own.first != 0 || own.step != 1 || own.spread != 1) {
      const auto range = range_in_steps(own, length, from.shape()[d]);
      if (!range.has_value()) return std::nullopt;
      subscripts.push_back(*range);
      continue;
    }
    if (own.scalar < 0) {
      if (own.add > 0 || length - own.add > from.shape()[d]) return std::nullopt;
      // One element of a dimension that is split is everywhere.
      const bool is_one = length == 1 && !from.layout().split(d).empty() && result.layout().split(d).empty();
      const bool is_all = own.add == 0 && length == from.shape()[d];
      is_indexed = is_indexed || is_one;
      subscripts.push_back(is_all ? ":" : one_or_range(-own.add, is_one ? 0 : length));
      continue;
    }
    if (!own.subtract || own.add != 0) return std::nullopt;
    const std::string start = name_of(compute.operands[static_cast<std::size_t>(own.scalar)]);
    if (own.wraps && length != 1) return std::nullopt;
    is_indexed = is_indexed || own.wraps;
    subscripts.push_back(own.wraps ? start : fmt::format("{0}:{0} + {1}", start, length));
  }
  const std::string text = fmt::format("{}[{}]", name_of(compute.operands[part.operand]), fmt::join(subscripts, ", "));
  return is_indexed ? fmt::format("reshape({}, {})", text, bracketed(result.shape())) : text;
}

std::optional<std::string> ClosedText::joined(NodeId id, const Compute& compute, const synth::Assemble& assemble) {
  const ArrayType& result = typed_.type(id);
  std::optional<std::size_t> along;
  for (std::size_t d = 0; d < result.rank(); ++d) {
    const bool grows = std::ranges::any_of(assemble.parts, [&](const synth::Part& part) {
      return typed_.type(compute.operands[part.operand]).shape()[d] != result.shape()[d];
    });
    if (grows && along.has_value()) return std::nullopt;
    if (grows) along = d;
  }
  if (!along.has_value()) return std::nullopt;
  std::int64_t at = 0;
  std::vector<std::string> names;
  for (const synth::Part& part : assemble.parts) {
    for (std::size_t d = 0; d < result.rank(); ++d) {
      if (part.placements[d].scalar >= 0 || part.placements[d].add != (d == *along ? at : 0)) return std::nullopt;
    }
    at += typed_.type(compute.operands[part.operand]).shape()[*along];
    names.push_back(name_of(compute.operands[part.operand]));
  }
  if (at != result.shape()[*along]) return std::nullopt;
  return fmt::format("concat([{}], dim={})", fmt::join(names, ", "), *along);
}

// What leaves a dimension at its end comes in at its beginning: the same array twice.
std::optional<std::string> ClosedText::rolled(NodeId id, const Compute& compute, const synth::Assemble& assemble) {
  const synth::Shape& shape = typed_.type(id).shape();
  const synth::Part& first = assemble.parts.front();
  const synth::Part& second = assemble.parts.back();
  const bool is_one = assemble.parts.size() == 2 && first.operand == second.operand;
  if (!is_one || typed_.type(compute.operands[first.operand]).shape() != shape) return std::nullopt;
  std::optional<std::size_t> along;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const synth::Placement& own = first.placements[d];
    if (own == synth::Placement{} && second.placements[d] == own) continue;
    if (along.has_value() || own != synth::Placement{own.add}) return std::nullopt;
    if (second.placements[d] != synth::Placement{own.add - shape[d]}) return std::nullopt;
    along = d;
  }
  if (!along.has_value()) return std::nullopt;
  return fmt::format("roll({}, {}, dim={})", name_of(compute.operands[first.operand]), first.placements[*along].add,
                     *along);
}

// What lies outside of the result is cut off first.
std::optional<std::string> ClosedText::laid_over(NodeId id, const Compute& compute, const synth::Part& part) {
  const ArrayType& result = typed_.type(id);
  const ArrayType& own = typed_.type(compute.operands[part.operand]);
  std::vector<std::string> positions;
  std::vector<std::string> subscripts;
  std::size_t last = 1;
  bool is_cut = false;
  for (std::size_t d = 0; d < part.placements.size(); ++d) {
    const synth::Placement& placement = part.placements[d];
    if (placement.scalar >= 0) {
      if (placement.wraps || placement.subtract || placement.add != 0) return std::nullopt;
      positions.push_back(name_of(compute.operands[static_cast<std::size_t>(placement.scalar)]));
      subscripts.emplace_back(":");
      last = d + 1;
      continue;
    }
    const std::int64_t begin = std::max<std::int64_t>(0, -placement.add);
    const std::int64_t end = std::min(own.shape()[d], result.shape()[d] - placement.add);
    if (begin >= end) return std::nullopt;
    const bool is_whole = begin == 0 && end == own.shape()[d];
    is_cut = is_cut || !is_whole;
    subscripts.push_back(is_whole ? ":" : fmt::format("{}:{}", begin, end));
    positions.push_back(fmt::format("{}", placement.add + begin));
    if (placement.add + begin != 0 || end - begin != result.shape()[d]) last = d + 1;
  }
  positions.resize(std::min(last, positions.size()));
  const std::string at = positions.size() == 1 ? positions[0] : fmt::format("[{}]", fmt::join(positions, ", "));
  std::string laid = name_of(compute.operands[part.operand]);
  if (is_cut) laid += fmt::format("[{}]", fmt::join(subscripts, ", "));
  return fmt::format("update({}, {}, {})", name_of(compute.operands[0]), at, laid);
}

}  // namespace tessera::typeck
