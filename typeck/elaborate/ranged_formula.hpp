// Element-wise formulas of parts whose length is known only at run time, `sum(a[:j] * 2.0 - b[:j])`. The parts are
// taken with their whole dimensions, the formula is computed of these, and what it gives has the ranges of its parts.
// Outside of them it is computed in vain, so that what has no value there, `1 / b[:j]`, is computed of ones instead.
// Private to typeck/elaborate/.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "typeck/elaborate/ranges.hpp"

namespace tessera::typeck {

class RangedFormula {
 public:
  RangedFormula(const Ast& ast, ExprId root);
  // Are there parts that may have such ranges?
  bool has_parts() const { return has_parts_; }

  // While the elaborator checks the formula: where the ranges of this part belong; null where it is none.
  std::vector<RunTimeRange>* ranges_of(const Ast& ast, ExprId id);
  // What an expression is worth in the formula: the value itself, or ones outside of the ranges.
  MaybeValue seen(Elaborator& elaborator, const Ast& ast, ExprId id, Checked value);
  // The formula's value, with the ranges of its parts, which are the same in all that do not repeat along them.
  std::optional<RangedPart> whole(Elaborator& elaborator, Checked value) const;

 private:
  struct Operand {
    ExprId id;
    std::vector<RunTimeRange> ranges = {};
    MaybeValue value = {};
  };
  // An operand of a function that has no value, or no slope, everywhere; behind `safe` it has both.
  struct Guard {
    ExprId id;
    std::int64_t safe;
    std::string who;
    std::size_t begin;  // of the operands that it is made of
    std::size_t end;
  };

  void walk(ExprId id);
  void walk_guarded(ExprId id, std::int64_t safe, std::string who);
  void walk_power(const frontend::Binary& power);
  bool walk_call(const frontend::Call& call);
  // The ranges of some operands, by the dimensions of what is made of them.
  std::vector<RunTimeRange> ranges_in(const Elaborator& elaborator, std::size_t begin, std::size_t end,
                                      std::size_t rank) const;

  const Ast& ast_;
  std::vector<Operand> operands_;
  std::vector<Guard> guards_;
  bool has_parts_ = false;
};

}  // namespace tessera::typeck
