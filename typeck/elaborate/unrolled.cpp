#include "typeck/elaborate/unrolled.hpp"

#include <fmt/format.h>

#include "typeck/elaborate/elaborator.hpp"
#include "typeck/elaborate/records.hpp"
#include "typeck/kinds.hpp"
#include "typeck/open/limits.hpp"

namespace tessera::typeck {

namespace {

// The values with which the first turn begins.
std::optional<std::vector<Checked>> first_values(Elaborator& elaborator, const frontend::Loop& loop,
                                                 const Preference& want) {
  std::vector<Checked> all;
  for (const frontend::Carried& carried : loop.carried) {
    MaybeValue start =
        check_value(elaborator, carried.init, Preference{loop.carried.size() == 1 ? want.element : std::nullopt});
    if (start.has_value()) all.push_back(std::move(*start));
  }
  if (all.size() != loop.carried.size()) return std::nullopt;
  return all;
}

// Whether `while` lets the turn begin; nothing (reported) where that is not known.
std::optional<bool> may_begin(Elaborator& elaborator, ExprId condition) {
  open::Region scratch;
  MaybeValue value = elaborator.in_region(scratch, [&] { return elaborator.check_array(condition); });
  if (!value.has_value()) return std::nullopt;
  if (value->known.has_value() && std::holds_alternative<bool>(*value->known)) return std::get<bool>(*value->known);
  elaborator.report(base::make(Kind::not_constant, "the condition of an unrolled loop")
                        .at(elaborator.ast()[condition].span)
                        .suggest("compare integers that are known then, as in `size(v, 0) > 1`; or leave `const` out"));
  return std::nullopt;
}

// What is carried into the next turn; `goes_on` becomes false, and the value says nothing, where `while` ends the loop.
MaybeValue taken_turn(Elaborator& elaborator, const frontend::Loop& loop, const std::vector<Checked>& carried,
                      std::int64_t number, bool& goes_on) {
  std::vector<Local>& locals = elaborator.frame().locals;
  const std::size_t outer = locals.size();
  for (std::size_t k = 0; k < carried.size(); ++k)
    locals.push_back({loop.carried[k].name.text, elaborator.names().with_affine(carried[k])});
  const open::Type first = elaborator.type(carried.front());
  locals.push_back({loop.index->text, elaborator.scalar(loop.index->span, number, ElementType::i64, first.mesh_ref())});
  const auto may = loop.condition.valid() ? may_begin(elaborator, loop.condition) : std::optional(true);
  goes_on = may.value_or(false);
  const bool is_one = carried.size() == 1 && carried.front().is_array();
  const Preference want{is_one ? std::optional(first.element()) : std::nullopt};
  MaybeValue body = goes_on ? elaborator.check_block(loop.body, want, true) : MaybeValue(carried.front());
  locals.resize(outer);
  if (!may.has_value()) return std::nullopt;
  if (goes_on && body.has_value() && body->count() != carried.size()) {
    elaborator.report(base::make(Kind::loop_count, carried.size(), body->count()).at(body->span));
    return std::nullopt;
  }
  return body;
}

}  // namespace

MaybeValue check_unrolled(Elaborator& elaborator, ExprId id, const frontend::Loop& loop, const Preference& want) {
  const Span span = elaborator.ast()[id].span;
  auto carried = first_values(elaborator, loop, want);
  const auto turns = elaborator.types().constant_integer(loop.bound, "the number of turns of an unrolled loop");
  if (!carried.has_value() || !turns.has_value()) return std::nullopt;
  bool goes_on = true;
  std::int64_t number = 0;
  try {
    for (; goes_on && number < *turns; ++number) {
      const std::size_t reports = elaborator.messages().size();
      ++elaborator.frame().unrolled;
      const MaybeValue next =
          elaborator.in_formula(nullptr, [&] { return taken_turn(elaborator, loop, *carried, number, goes_on); });
      --elaborator.frame().unrolled;
      if (!next.has_value()) {
        const std::string turn = fmt::format("where `{}` is {}", loop.index->text, number);
        elaborator.messages().label_calls(reports, loop.index->span, turn);
        return std::nullopt;
      }
      if (goes_on) carried = elaborator.parts(*next);
    }
  } catch (TooManyValues& fault) {
    if (!fault.turns.has_value()) fault = {span, *turns};
    throw;
  }
  if (number == (goes_on ? 0 : 1)) ++elaborator.frame().idle_loops;
  return carried->size() > 1 ? tuple_of(*carried) : carried->front();
}

}  // namespace tessera::typeck
