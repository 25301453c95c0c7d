#include "tests/generator/expression.hpp"

#include <utility>

namespace tessera::generator {

std::string filled(std::string_view form, const std::vector<std::string>& parts) {
  std::string result;
  for (std::size_t at = 0; at < form.size(); ++at) {
    if (form[at] != '$') {
      result += form[at];
      continue;
    }
    ++at;
    result += parts.at(static_cast<std::size_t>(form[at] - '0'));
  }
  return result;
}

std::string text(const Expression& expression, Language language) {
  std::vector<std::string> parts;
  for (const ExpressionRef& operand : expression.operands) parts.push_back(text(*operand, language));
  return filled(language == Language::tessera ? expression.tessera : expression.numpy, parts);
}

ExpressionRef node(Facts facts, std::string tessera, std::string numpy, std::vector<ExpressionRef> operands) {
  return std::make_shared<Expression>(
      Expression{std::move(facts), std::move(tessera), std::move(numpy), std::move(operands)});
}

ExpressionRef laid_out(const ExpressionRef& operand, std::string tessera) {
  return node(operand->facts, std::move(tessera), "$0", {operand});
}

std::vector<Facts> facts_of(const std::vector<ExpressionRef>& operands) {
  std::vector<Facts> all;
  for (const ExpressionRef& operand : operands) all.push_back(operand->facts);
  return all;
}

std::size_t size(const Expression& expression) {
  std::size_t total = 1;
  for (const ExpressionRef& operand : expression.operands) total += size(*operand);
  return total;
}

}  // namespace tessera::generator
