// Worked example: `topk(a, 8, 0)` of f32[4096@x, 1024] on x:4. Transposed, each device has 1,024 columns of 1,024
// elements and gives the 8 greatest of each, f32[1024, 32@x]. These are dealt, f32[1024@x, 32], and of each 32 the 8
// greatest are taken: all devices together receive 96 KiB, where dealing the array brings them 12 MiB.
#include "typeck/layouts/candidates.hpp"

#include <limits>

#include "typeck/layouts/dealing.hpp"

namespace tessera::typeck {

using synth::ArrayType;
using synth::ElementType;
using synth::Shape;

std::optional<ArrayType> candidates_of(const ArrayType& from, const synth::Greatest& how) {
  const std::size_t last = from.rank() - 1;
  const synth::Cuts tiles = synth::cuts(from, last);
  Shape shape = from.shape();
  if (__builtin_mul_overflow(how.count, tiles.tiles(), &shape[last])) return std::nullopt;
  auto type = ArrayType::make(from.element(), shape, from.mesh_ref(), from.layout());
  if (!type.ok()) return std::nullopt;
  const synth::Cuts given = synth::cuts(*type, last);
  for (std::int64_t t = 0; t < tiles.tiles(); ++t) {
    if (tiles.tile(t).length() < how.count || given.tile(t).length() != how.count) return std::nullopt;
  }
  return std::move(type).value();
}

ElementType element_of_positions(const ArrayType& lines) {
  return lines.shape().back() <= std::numeric_limits<std::int32_t>::max() ? ElementType::i32 : ElementType::i64;
}

std::optional<ArrayType> CandidatesRule::result(const ArrayType& whole, const synth::Greatest& how) const {
  Shape shape = whole.shape();
  shape.back() = how.count;
  const ElementType element = how.positions ? ElementType::i64 : synth::computed_as(whole.element());
  return reports_.made(ArrayType::make(element, shape, whole.mesh_ref(), whole.layout()), span_);
}

std::optional<ArrayType> CandidatesRule::greatest(const ArrayType& from, const synth::Greatest& how,
                                                  NodeLayouts& layouts) const {
  const std::size_t last = from.rank() - 1;
  if (from.layout().split(last).empty()) return result(from, how);
  const Dealing dealing(plans_, reports_, who_, span_);
  const auto candidates = candidates_of(widened(from), how);
  auto deal = dealing.best(from, {last}, {}, candidates.has_value() ? Gathers::little : Gathers::anything);
  if (!deal.has_value()) return std::nullopt;
  const auto some = candidates.has_value() ? dealing.best(*candidates, {last}, {}) : std::nullopt;
  if (candidates.has_value() && !some.has_value()) return std::nullopt;
  std::vector<Alternative> compared = std::move(deal->compared);
  std::size_t chosen = deal->number;
  if (some.has_value()) {
    compared.push_back(some->compared[some->number]);
    compared.back().description = "the greatest of each tile, with their " + compared.back().description;
    if (how.positions) {
      const ElementType carried = element_of_positions(from);
      const auto places =
          price_of_change(plans_, *candidates->with_element(carried), *some->target.with_element(carried), span_, {});
      if (!places.has_value()) return std::nullopt;
      add_price(compared.back(), *places);
    }
    if (compared.size() == 1 || cheaper(compared.back(), compared[chosen])) chosen = compared.size() - 1;
  }
  compared[chosen].chosen = true;
  if (some.has_value() && chosen + 1 == compared.size()) {
    layouts.compared = std::move(compared);
    return result(some->target, how);
  }
  Greedy::change(layouts.uses[0], from, deal->target, {Reason::Asker::operation, who_, span_, {}, std::move(compared)});
  return result(deal->target, how);
}

}  // namespace tessera::typeck
