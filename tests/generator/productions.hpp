// The productions: each makes an expression of a wanted type, or null where it cannot.
#pragma once

#include <string_view>
#include <vector>

#include "tests/generator/maker.hpp"

namespace tessera::generator {

struct Production {
  std::string_view name;
  int weight;
  ExpressionRef (*make)(Maker& maker, const Want& want, int depth);
  int since = 0;  // only drawn where Maker::stage is as much: what seeds gave before it was added stays
};

// Every production, in a fixed order.
const std::vector<Production>& productions();

// One list for each file of productions.
std::vector<Production> elementwise_productions();
std::vector<Production> reduction_productions();
std::vector<Production> derived_productions();
std::vector<Production> complex_productions();
std::vector<Production> shape_productions();
std::vector<Production> selection_productions();
std::vector<Production> contraction_productions();
std::vector<Production> matrix_productions();
std::vector<Production> layout_productions();
std::vector<Production> control_productions();

// `recur` of a wanted type with at least one dimension, not of bool. No production of the list: it is drawn by itself.
ExpressionRef recurrence(Maker& maker, const Want& want, int depth);

// One letter for each dimension of each operand. Operands that may be laid out so that one axis would split two
// dimensions of the result (error[axis-used-twice]) are brought to layouts that agree on every letter.
std::vector<ExpressionRef> agreeing(Maker& maker, const std::vector<ExpressionRef>& operands,
                                    const std::vector<std::string>& letters);
// Could two letters of the operands meet one axis, no operand carrying both?
bool may_clash(const std::vector<std::string>& letters);

}  // namespace tessera::generator
