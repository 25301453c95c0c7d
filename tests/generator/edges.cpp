// Sums of zeros, infinities, NaNs and huge values over split dimensions, and what is made of them. Every finite sum
// here is exact in any order, so the layout may not change a value: it agrees to the bit, but for the sign of a zero,
// or is NaN everywhere.
#include "tests/generator/edges.hpp"

#include <fmt/format.h>

#include <array>

namespace tessera::generator {

namespace {

// A number as a quotient: there are no literals for infinity and NaN.
struct Number {
  std::string_view above;
  std::string_view below = "1.0";
};

constexpr auto kSmall =
    std::to_array<Number>({{"0.0"}, {"0.0"}, {"-0.0"}, {"1.0"}, {"-1.0"}, {"0.5"}, {"-2.5"}, {"3.0"}, {"8.0"}});
constexpr auto kSpecial = std::to_array<Number>({{"1.0", "0.0"}, {"-1.0", "0.0"}, {"0.0", "0.0"}});
// Powers of two, so that products are exact; zero, infinities and NaN; what makes sums overflow.
constexpr auto kFactors = std::to_array<std::string_view>(
    {"0.5", "-0.25", "1.0", "-1.0", "2.0", "-4.0", "0.0", "(1.0 / 0.0)", "(-1.0 / 0.0)", "(0.0 / 0.0)", "1e38"});

std::string_view huge(Element element) { return element == Element::f32 ? "3e38" : "1.5e308"; }

// A value on its way. Once huge values take part nothing is added any more: small ones would be rounded away.
struct Edge {
  ExpressionRef value;
  bool huge = false;
};

class EdgeMaker {
 public:
  explicit EdgeMaker(Maker& maker) : maker_(maker), element_(maker.random.chance(70) ? Element::f32 : Element::f64) {}

  ExpressionRef make() {
    columns_ = maker_.random.chance(50) ? 0 : maker_.random.between(1, 4);
    Edge edge = total();
    for (std::int64_t k = maker_.random.between(1, 3); k > 0; --k) edge = step(edge);
    return edge.value;
  }

 private:
  Shape shape() const { return columns_ == 0 ? Shape{} : Shape{columns_}; }

  Facts facts(Shape own) const {
    Facts result = derived(element_, std::move(own), {});
    result.zero_signs = false;
    result.finite = false;
    return result;
  }

  ExpressionRef made(std::string tessera, std::string numpy, std::vector<ExpressionRef> operands) const {
    return node(facts(shape()), std::move(tessera), std::move(numpy), std::move(operands));
  }

  // The list of numerators and that of denominators.
  using Texts = std::pair<std::string, std::string>;
  static Texts joined(const std::vector<Texts>& items) {
    std::vector<std::string> above;
    std::vector<std::string> below;
    for (const Texts& item : items) {
      above.push_back(item.first);
      below.push_back(item.second);
    }
    return {fmt::format("[{}]", fmt::join(above, ", ")), fmt::format("[{}]", fmt::join(below, ", "))};
  }

  Texts row(std::int64_t length) {
    std::vector<Texts> items;
    for (std::int64_t k = 0; k < length; ++k) {
      const Number& number = maker_.random.chance(8) ? maker_.random.pick(kSpecial) : maker_.random.pick(kSmall);
      items.emplace_back(number.above, number.below);
    }
    return joined(items);
  }

  // One huge number and its opposite, and zeros.
  Texts huge_column(std::int64_t length) {
    std::vector<Texts> items(static_cast<std::size_t>(length), {"0.0", "1.0"});
    const std::string number(huge(element_));
    items[maker_.random.index(items)].first = number;
    items[maker_.random.index(items)].first = "-" + number;
    return joined(items);
  }

  ExpressionRef laid_out(const Texts& list, const Shape& own) {
    const Layout layout = random_layout(maker_.random, own.size(), Pending::none);
    const auto array = [&](const std::string& text) {
      return fmt::format("np.array({}, dtype={})", text, numpy_name(element_));
    };
    return node(facts(own),
                fmt::format("(({0}({1}) / {0}({2})) as {3})", name(element_), list.first, list.second,
                            maker_.layout(own, layout)),
                fmt::format("({} / {})", array(list.first), array(list.second)));
  }

  // A sum over a dimension that is split, or a product over one.
  Edge total() {
    const std::int64_t length = maker_.random.between(2, 9);
    if (columns_ == 0) {
      const bool large = maker_.random.chance(40);
      const ExpressionRef list = laid_out(large ? huge_column(length) : row(length), {length});
      return {made("sum($0)", fmt::format("np.sum($0, dtype={})", numpy_name(element_)), {list}), large};
    }
    std::vector<Texts> rows;
    for (std::int64_t k = 0; k < length; ++k) rows.push_back(row(columns_));
    const ExpressionRef matrix = laid_out(joined(rows), {length, columns_});
    return {made("sum($0, dim=0)", fmt::format("np.sum($0, axis=0, dtype={})", numpy_name(element_)), {matrix}), false};
  }

  Edge step(const Edge& edge) {
    switch (maker_.random.below(edge.huge ? 5 : 9)) {
      case 0:
      case 1: return scaled(edge);
      case 2: return {made("(-$0)", "(-$0)", {edge.value}), edge.huge};
      case 3: return multiplied(edge);
      case 4: return relaid(edge);
      case 5: return {made("($0 + $1)", "($0 + $1)", {edge.value, small_total()}), false};
      case 6: return {made("($0 - $1)", "($0 - $1)", {small_total(), edge.value}), false};
      case 7: return {made("max($0, $1)", "np.maximum($0, $1)", {edge.value, small_total()}), false};
      default: return contracted(edge);
    }
  }

  ExpressionRef small_total() {
    Edge other = total();
    while (other.huge) other = total();
    return other.value;
  }

  // Halves of huge numbers are huge; divided by 1e38 nothing here is exact.
  Edge scaled(const Edge& edge) {
    const std::string_view factor = maker_.random.pick(kFactors);
    const std::string number = numpy_factor(factor);
    const auto form = [&](const char* text, std::string_view own) { return fmt::format(fmt::runtime(text), own); };
    const bool large = edge.huge || factor == "1e38";
    const std::int64_t which = maker_.random.below(3);
    if (which == 0) return {made(form("($0 * {})", factor), form("($0 * {})", number), {edge.value}), large};
    if (which == 1 || factor == "1e38")
      return {made(form("({} * $0)", factor), form("({} * $0)", number), {edge.value}), large};
    return {made(form("($0 / {})", factor), form("($0 / {})", number), {edge.value}), edge.huge};
  }

  std::string numpy_factor(std::string_view factor) const {
    const std::size_t slash = factor.find(" / ");
    if (slash == std::string_view::npos) return numpy_literal(element_, factor);
    return fmt::format("({} / {})", numpy_literal(element_, factor.substr(1, slash - 1)),
                       numpy_literal(element_, "0.0"));
  }

  // By an array, which is no constant.
  Edge multiplied(const Edge& edge) {
    if (columns_ == 0) return edge;
    const Texts list = row(columns_);
    return {made("($0 * $1)", "($0 * $1)", {edge.value, laid_out(list, {columns_})}), edge.huge};
  }

  Edge relaid(const Edge& edge) {
    const Layout layout = random_layout(maker_.random, shape().size(), Pending::perhaps);
    return {made(fmt::format("($0 as {})", maker_.type(element_, shape(), layout)), "$0", {edge.value}), edge.huge};
  }

  Edge contracted(const Edge& edge) {
    if (columns_ == 0) return edge;
    std::vector<Texts> rows;
    for (std::int64_t k = 0; k < columns_; ++k) rows.push_back(row(columns_));
    const ExpressionRef matrix = laid_out(joined(rows), {columns_, columns_});
    const std::string numpy = "np.einsum(\"i,ij->j\", $0, $1)";
    if (maker_.random.chance(50)) return {made("einsum(\"i,ij->j\", $0, $1)", numpy, {edge.value, matrix}), false};
    return {made("($0 @ $1)", numpy, {edge.value, matrix}), false};
  }

  Maker& maker_;
  Element element_;
  std::int64_t columns_ = 0;  // 0: a scalar
};

}  // namespace

ExpressionRef edge_values(Maker& maker) { return EdgeMaker(maker).make(); }

}  // namespace tessera::generator
