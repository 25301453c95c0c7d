#include "runtime/engine/failures.hpp"

#include <fmt/format.h>

#include <variant>

#include "base/check.hpp"
#include "runtime/kinds.hpp"
#include "synth/program/refused_id.hpp"

namespace tessera::runtime {

std::string at_element(const synth::Box& box, std::int64_t position) {
  if (box.empty()) return "";
  synth::Shape index(box.size());
  for (std::size_t d = box.size(); d-- > 0; position /= box[d].length()) {
    index[d] = box[d].begin + position % box[d].length();
  }
  std::string text;
  for (const std::int64_t i : index) text += fmt::format("{}{}", text.empty() ? "" : ", ", i);
  return fmt::format(" at element [{}]", text);
}

base::Diagnostic outside_of_sums(std::int64_t id, std::int64_t rows) {
  const std::string why = fmt::format("ids are 0 to {}", rows - 1);
  if (!synth::is_refused_id(id)) return base::make(Kind::index_out_of_range, id, why);
  return base::make(Kind::index_out_of_range, synth::refused_id(id), why)
      .suggest("to leave ids below 0 out, count `max(0, ids)` with `weights=(ids >= 0)`");
}

base::Diagnostic step_failure(const Tiles& tiles, const synth::Apply& apply, std::size_t device, std::int64_t number) {
  const synth::RegisterId result = apply.results[0];
  const synth::Shape& shape = tiles.type(result).shape();
  if (const auto* const map = std::get_if<synth::Map>(&apply.operation)) {
    const base::KindInfo& kind = map->op == synth::MapOp::power ? Kind::negative_exponent : Kind::division_by_zero;
    return base::make(kind, at_element(tiles.tiles(result).boxes[device], number));
  }
  if (std::holds_alternative<synth::Take>(apply.operation))
    return base::make(Kind::index_out_of_range, number,
                      fmt::format("the table has {} rows", tiles.type(apply.operands[0]).shape()[0]));
  if (std::holds_alternative<synth::ScatterAdd>(apply.operation)) return outside_of_sums(number, shape[0]);
  if (std::holds_alternative<synth::OneHot>(apply.operation))
    return base::make(Kind::index_out_of_range, number, fmt::format("one_hot has positions 0 to {}", shape.back() - 1));
  throw base::InternalError("a step has failed that cannot");
}

}  // namespace tessera::runtime
