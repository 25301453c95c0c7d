#include "tests/generator/shrink.hpp"

#include <fmt/format.h>

#include <optional>

namespace tessera::generator {

namespace {

ExpressionRef node_at(const ExpressionRef& expression, std::size_t number) {
  if (number == 0) return expression;
  --number;
  for (const ExpressionRef& operand : expression->operands) {
    const std::size_t own = size(*operand);
    if (number < own) return node_at(operand, number);
    number -= own;
  }
  return nullptr;
}

// The tree with the node of that number, in the order of the text, replaced.
ExpressionRef replaced(const ExpressionRef& expression, std::size_t number, const ExpressionRef& by) {
  if (number == 0) return by;
  --number;
  std::vector<ExpressionRef> operands = expression->operands;
  for (ExpressionRef& operand : operands) {
    const std::size_t own = size(*operand);
    if (number < own) {
      operand = replaced(operand, number, by);
      break;
    }
    number -= own;
  }
  return node(expression->facts, expression->tessera, expression->numpy, operands);
}

bool alike(const Facts& a, const Facts& b) { return a.element == b.element && a.shape == b.shape; }

// A constructor of the same type, replicated.
ExpressionRef plain(const Facts& facts) {
  const std::string shape = facts.shape.empty() ? "" : list_text(facts.shape);
  const bool truth = facts.element == Element::boolean;
  const std::string tessera = fmt::format("{}({}{})", truth ? "ones" : "iota", name(facts.element), shape);
  const std::string numpy = fmt::format("np.{}({}).reshape({}).astype({})", truth ? "ones" : "arange",
                                        count(facts.shape), list_text(facts.shape), numpy_name(facts.element));
  return node(facts, tessera, numpy);
}

class Shrinker {
 public:
  Shrinker(Program program, const Failure& failure, int attempts)
      : program_(std::move(program)), failure_(failure), kind_(failure(program_)), attempts_(attempts) {}

  Program shrink() && {
    while (attempts_ > 0 && (drop_statements() || cut_expressions())) {
    }
    return std::move(program_);
  }

 private:
  bool accept(Program candidate) {
    if (attempts_-- <= 0 || failure_(candidate) != kind_) return false;
    program_ = std::move(candidate);
    return true;
  }

  // From the last: what uses a name goes before what binds it.
  bool drop_statements() {
    bool any = false;
    for (std::size_t at = program_.statements.size(); at-- > 0;) {
      Program candidate = program_;
      candidate.statements.erase(candidate.statements.begin() + static_cast<std::ptrdiff_t>(at));
      any = accept(std::move(candidate)) || any;
    }
    return any;
  }

  bool cut_expressions() {
    bool any = false;
    for (std::size_t at = 0; at < program_.statements.size(); ++at) {
      for (std::size_t number = 0;
           program_.statements[at].value != nullptr && number < size(*program_.statements[at].value); ++number) {
        any = cut(at, number) || any;
      }
    }
    return any;
  }

  bool cut(std::size_t at, std::size_t number) {
    const ExpressionRef whole = program_.statements[at].value;
    const ExpressionRef own = node_at(whole, number);
    std::vector<ExpressionRef> smaller;
    if (!own->operands.empty()) smaller.push_back(plain(own->facts));
    for (const ExpressionRef& operand : own->operands) {
      if (alike(operand->facts, own->facts)) smaller.push_back(operand);
    }
    for (const ExpressionRef& one : smaller) {
      Program candidate = program_;
      candidate.statements[at].value = replaced(whole, number, one);
      if (accept(std::move(candidate))) return true;
    }
    return false;
  }

  Program program_;
  const Failure& failure_;
  std::string kind_;
  int attempts_;
};

}  // namespace

Program shrunk(Program program, const Failure& failure, int attempts) {
  return Shrinker(std::move(program), failure, attempts).shrink();
}

}  // namespace tessera::generator
