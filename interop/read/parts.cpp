#include "interop/read/parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "interop/kinds.hpp"

namespace tessera::interop {

namespace {

// Reads a dimension after its brace: axes, then perhaps `?`, the brace and a priority.
base::Result<Digits> read_dimension(Scanner& scanner, AxisUses& uses, Described& into) {
  Digits digits;
  if (scanner.take("}")) return digits;
  for (;;) {
    if (scanner.take("?")) {
      into.notes.emplace_back("`?` lets XLA split a dimension further; what it is split by now is read");
      TESSERA_TRY_STATUS(scanner.expect("}"));
      return digits;
    }
    TESSERA_TRY(digit, uses.use_quoted(scanner));
    digits.push_back(digit);
    if (scanner.take("}")) return digits;
    TESSERA_TRY_STATUS(scanner.expect(","));
  }
}

base::Status read_priority(Scanner& scanner, Described& into) {
  const std::uint32_t begin = scanner.offset();
  const std::string_view word = scanner.name();
  if (word.empty()) return base::Done{};
  if (word.front() != 'p' || word.size() < 2) return scanner.wrong_from(begin, "a `,` or `]` is wanted here");
  into.notes.emplace_back("priorities order XLA's own choices, and say nothing about places");
  return base::Done{};
}

// Reads what may follow the dimensions: `unreduced={"x"}` and its like.
base::Status read_axis_sets(Scanner& scanner, AxisUses& uses, Described& into) {
  while (scanner.take(",")) {
    scanner.sees("");
    const std::uint32_t begin = scanner.offset();
    const std::string_view key = scanner.name();
    TESSERA_TRY_STATUS(scanner.expect("="));
    if (key == "manual")
      return scanner.unsupported(begin, "`manual`", "the program itself says what such devices hold");
    if (key != "replicated" && key != "unreduced")
      return scanner.wrong_from(begin, "`replicated=` or `unreduced=` is wanted here");
    TESSERA_TRY_STATUS(scanner.expect("{"));
    TESSERA_TRY(digits, uses.use_set(scanner));
    if (key == "unreduced") into.pending.insert(into.pending.end(), digits.begin(), digits.end());
  }
  return base::Done{};
}

}  // namespace

AxisUses::AxisUses(std::vector<synth::MeshAxis> axes) : axes_(std::move(axes)), strides_(axes_.size(), 1) {
  for (std::size_t i = axes_.size(); i-- > 0;) {
    strides_[i] = devices_;
    devices_ *= axes_[i].size;
  }
}

base::Result<Digit> AxisUses::use(const Scanner& scanner, std::uint32_t begin, std::string_view name,
                                  std::int64_t before, std::optional<std::int64_t> size) {
  const auto axis = std::find_if(axes_.begin(), axes_.end(), [&](const auto& one) { return one.name == name; });
  if (axis == axes_.end()) return scanner.wrong_from(begin, fmt::format("the mesh has no axis `{}`", name));
  const bool is_part = before >= 1 && before <= axis->size && (!size || (*size >= 1 && *size <= axis->size)) &&
                       axis->size % (before * size.value_or(axis->size)) == 0;
  if (!is_part)
    return scanner.wrong_from(
        begin, fmt::format("axis `{}` of size {} has no part ({}){}", name, axis->size, before, size.value_or(0)));
  const auto number = static_cast<std::size_t>(axis - axes_.begin());
  const synth::AxisPart part(static_cast<std::uint8_t>(number), before, size.value_or(axis->size));
  const auto overlaps = [&](const synth::AxisPart& other) { return synth::overlap(part, other); };
  if (part.size > 1 && std::any_of(used_.begin(), used_.end(), overlaps))
    return scanner.wrong_from(begin, fmt::format("axis `{}` is used twice", name));
  if (part.size > 1) used_.push_back(part);
  return Digit{part.size, strides_[number] * (axis->size / (before * part.size))};
}

base::Result<Digit> AxisUses::use_quoted(Scanner& scanner) {
  scanner.sees("");
  const std::uint32_t begin = scanner.offset();
  const auto name = scanner.quoted();
  if (!name) return scanner.wrong("the name of an axis in quotes is wanted here");
  if (!scanner.take(":")) return use(scanner, begin, *name);
  TESSERA_TRY_STATUS(scanner.expect("("));
  const auto before = scanner.number();
  if (!before) return scanner.wrong("a part of an axis is written (1)2");
  TESSERA_TRY_STATUS(scanner.expect(")"));
  const auto size = scanner.number();
  if (!size) return scanner.wrong("a part of an axis is written (1)2");
  return use(scanner, begin, *name, *before, size);
}

base::Result<Digits> AxisUses::use_set(Scanner& scanner) {
  Digits digits;
  while (!scanner.take("}")) {
    if (!digits.empty()) {
      TESSERA_TRY_STATUS(scanner.expect(","));
    }
    TESSERA_TRY(digit, use_quoted(scanner));
    digits.push_back(digit);
  }
  return digits;
}

Described AxisUses::begin(const Scanner& scanner) const {
  Described result;
  result.axes = axes_;
  result.devices = devices_;
  result.span = {scanner.text().source, 0, static_cast<std::uint32_t>(scanner.text().text.size())};
  return result;
}

base::Status read_named_dimensions(Scanner& scanner, AxisUses& uses, Described& into) {
  TESSERA_TRY_STATUS(scanner.expect("["));
  while (!scanner.take("]")) {
    if (!into.splits.empty()) {
      TESSERA_TRY_STATUS(scanner.expect(","));
    }
    TESSERA_TRY_STATUS(scanner.expect("{"));
    TESSERA_TRY(digits, read_dimension(scanner, uses, into));
    TESSERA_TRY_STATUS(read_priority(scanner, into));
    into.splits.push_back(std::move(digits));
    if (into.splits.size() > synth::kRankMax) return scanner.wrong("an array has at most 16 dimensions");
  }
  return read_axis_sets(scanner, uses, into);
}

}  // namespace tessera::interop
