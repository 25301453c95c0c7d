// The generator's own expression trees. A node is its facts, its operands, and one template for each language it is
// written in, in which `$0` to `$9` stand for the operands: the two printers cannot disagree about the tree.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/generator/facts.hpp"

namespace tessera::generator {

struct Expression;
using ExpressionRef = std::shared_ptr<const Expression>;

struct Expression {
  Facts facts;
  std::string tessera;
  std::string numpy;
  std::vector<ExpressionRef> operands;
};

enum class Language : std::uint8_t { tessera, numpy };
std::string text(const Expression& expression, Language language);
// A template with its places filled.
std::string filled(std::string_view form, const std::vector<std::string>& parts);

ExpressionRef node(Facts facts, std::string tessera, std::string numpy, std::vector<ExpressionRef> operands = {});
// The same node in another form, as NumPy knows no layouts: `$0` is the operand.
ExpressionRef laid_out(const ExpressionRef& operand, std::string tessera);
std::vector<Facts> facts_of(const std::vector<ExpressionRef>& operands);
std::size_t size(const Expression& expression);

}  // namespace tessera::generator
