#include "synth/program/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tessera::synth {

namespace {

// In the order of the alternatives of Operation.
constexpr std::array<std::string_view, std::variant_size_v<Operation>> kNames = {
    "constant",   "fill",     "iota",     "random",      "normal", "load",    "map",      "reduce",
    "arg_reduce", "find",     "contract", "scan",        "recur",  "sort",    "greatest", "candidates",
    "transpose",  "reshape",  "take",     "scatter_add", "search", "one_hot", "lay",      "matrix",
    "fourier",    "assemble", "collect",  "print_text",  "print",  "show",    "save",     "assert"};
static_assert(std::ranges::none_of(kNames, &std::string_view::empty), "every operation has a name");

}  // namespace

std::string_view name(MapOp op) {
  switch (op) {
#define CASE(identifier, text, count, elements, pending) \
  case MapOp::identifier: return text;
    TESSERA_MAP_OPS(CASE)
#undef CASE
  }
  return "";
}

std::size_t arity(MapOp op) {
#define ROW(identifier, text, count, elements, pending) count,
  static constexpr std::uint8_t kArities[] = {TESSERA_MAP_OPS(ROW)};
#undef ROW
  return kArities[static_cast<std::size_t>(op)];
}

ElementRule element_rule(MapOp op) {
#define ROW(identifier, text, count, elements, pending) ElementRule::elements,
  static constexpr ElementRule kRules[] = {TESSERA_MAP_OPS(ROW)};
#undef ROW
  return kRules[static_cast<std::size_t>(op)];
}

bool takes(ElementRule rule, ElementType element) {
  switch (rule) {
    case ElementRule::numbers: return is_float(element) || is_integer(element);
    case ElementRule::field: return is_float(element) || is_integer(element) || is_complex(element);
    case ElementRule::integers: return is_integer(element);
    case ElementRule::floats:
    case ElementRule::join: return is_float(element);
    case ElementRule::part: return is_complex(element);
    case ElementRule::logic: return element == ElementType::boolean;
    case ElementRule::ordered:
    case ElementRule::compare: return !is_storage(element) && !is_complex(element);
    case ElementRule::equality:
    case ElementRule::choose: return !is_storage(element);
    case ElementRule::any:
    case ElementRule::convert: return true;
  }
  return false;
}

std::string_view name(ReduceKind kind) {
  switch (kind) {
#define CASE(identifier, text) \
  case ReduceKind::identifier: return text;
    TESSERA_REDUCE_KINDS(CASE)
#undef CASE
  }
  return "";
}

std::string_view name(MatrixOp op) {
  switch (op) {
#define CASE(identifier, text, count) \
  case MatrixOp::identifier: return text;
    TESSERA_MATRIX_OPS(CASE)
#undef CASE
  }
  return "";
}

std::size_t arity(MatrixOp op) {
#define ROW(identifier, text, count) count,
  static constexpr std::uint8_t kArities[] = {TESSERA_MATRIX_OPS(ROW)};
#undef ROW
  return kArities[static_cast<std::size_t>(op)];
}

std::string_view name(FourierKind kind) {
  switch (kind) {
#define CASE(identifier, text) \
  case FourierKind::identifier: return text;
    TESSERA_FOURIER_KINDS(CASE)
#undef CASE
  }
  return "";
}

std::string_view name(const Operation& operation) { return kNames[operation.index()]; }

// Numbers are counted so that they are positions of the result, unless it is spread.
Shift shift_of(const Placement& placement) {
  if (placement.spread != 1) return {placement.first, placement.step, placement.add, placement.spread};
  return {placement.first - placement.step * placement.add, placement.step};
}

std::string describe(const Operation& operation) {
  const std::string_view kind = name(operation);
  if (const auto* map = std::get_if<Map>(&operation)) return fmt::format("{} {}", kind, name(map->op));
  if (const auto* reduce = std::get_if<Reduce>(&operation)) return fmt::format("{} {}", kind, name(reduce->kind));
  if (const auto* scan = std::get_if<Scan>(&operation)) return fmt::format("{} {}", kind, name(scan->op));
  if (const auto* arg = std::get_if<ArgReduce>(&operation)) return fmt::format("{} {}", kind, arg->max ? "max" : "min");
  if (const auto* find = std::get_if<Find>(&operation)) return fmt::format("{} {}", kind, find->max ? "max" : "min");
  if (const auto* matrix = std::get_if<MatrixFunction>(&operation)) return fmt::format("{} {}", kind, name(matrix->op));
  if (const auto* fourier = std::get_if<Fourier>(&operation)) return fmt::format("{} {}", kind, name(fourier->kind));
  if (const auto* collect = std::get_if<Collect>(&operation)) {
    return fmt::format("{} {}", kind, name(collect->collective));
  }
  return std::string(kind);
}

}  // namespace tessera::synth
