// Makes expressions of a wanted type from the productions of the language. Everything random is drawn in a fixed order,
// so that a seed means the same program everywhere.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/generator/layouts.hpp"
#include "tests/generator/program.hpp"
#include "tests/generator/random.hpp"

namespace tessera::generator {

struct Want {
  Element element = Element::f32;
  Shape shape;
  bool certain = false;  // Facts::certain is asked for
};

struct Variable {
  std::string name;
  Facts facts;
};

struct Function {
  std::string name;
  std::vector<Variable> parameters;
  Facts result;
};

class Maker {
 public:
  Maker(Random& random_in, Program& program_in) : random(random_in), program(program_in) {}

  // An expression of the wanted type, made of parts nested at most `depth` deep.
  ExpressionRef make(const Want& want, int depth);
  // A name, a constructor or a literal.
  ExpressionRef leaf(const Want& want);
  // A name of the wanted type, or null.
  ExpressionRef variable(const Want& want);
  ExpressionRef constructor(const Want& want);
  // A scalar of element type i64 in [0, limit).
  ExpressionRef position(std::int64_t limit, int depth);

  Shape random_shape();
  Element random_element();
  std::int64_t random_extent();
  std::string fresh(std::string_view prefix);

  // An extent as a number or as an expression of constants.
  std::string extent(std::int64_t value);
  std::string layout(const Shape& shape, const Layout& layout);
  std::string type(Element element, const Shape& shape, const Layout& layout);
  Pending pending_of(Element element);

  // `make` with more names in scope.
  ExpressionRef make_with(const std::vector<Variable>& names, const Want& want, int depth);

  Random& random;
  Program& program;
  std::vector<Variable> scope;
  std::vector<std::pair<std::string, std::int64_t>> constants;
  std::vector<Function> functions;
  int stage = 0;  // productions that were added later are drawn from theirs on

 private:
  int names_ = 0;
};

inline constexpr std::int64_t kElementsMax = 400;
inline constexpr std::size_t kRankMax = 5;

// A reference to a name.
ExpressionRef named(const Variable& variable);
// A scalar literal that every element type holds exactly; as a cast, so that it has its type by itself.
ExpressionRef literal(Random& random, Element element);
// `np.float32(0.5)`.
std::string numpy_literal(Element element, std::string_view digits);
// The same value, scaled down where it has become so large that it would soon overflow.
ExpressionRef tamed(const ExpressionRef& expression);
// A float value as floats of at most this magnitude, with the same bits where it has them.
ExpressionRef clipped(const ExpressionRef& expression, int magnitude);

}  // namespace tessera::generator
