// Matrix products and einsum, and how operands are brought to layouts that agree.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "tests/generator/productions.hpp"

namespace tessera::generator {

namespace {

bool carries(const std::string& letters, char letter) { return letters.find(letter) != std::string::npos; }

bool repeats(const std::string& letters, char letter) { return std::count(letters.begin(), letters.end(), letter) > 1; }

// Each axis goes to at most one letter, so that no axis can be on two.
std::map<char, Axes> axes_of_letters(Random& random, const std::vector<std::string>& letters) {
  std::string all;
  for (const std::string& own : letters) {
    for (const char letter : own) all += carries(all, letter) ? "" : std::string(1, letter);
  }
  std::map<char, Axes> result;
  for (const char axis : shuffled_axes(random)) {
    if (!all.empty() && random.chance(70)) result[random.pick(all)].push_back(axis);
  }
  return result;
}

ExpressionRef with_axes(Maker& maker, const ExpressionRef& operand, const std::string& letters,
                        const std::map<char, Axes>& axes) {
  Layout layout;
  for (const char letter : letters) {
    const auto found = axes.find(letter);
    const bool follows = found != axes.end() && !repeats(letters, letter) && !maker.random.chance(20);
    layout.splits.push_back(follows ? found->second : Axes{});
  }
  if (operand->facts.shape.empty()) return operand;
  return laid_out(operand, fmt::format("($0 as {})", maker.layout(operand->facts.shape, layout)));
}

}  // namespace

bool may_clash(const std::vector<std::string>& letters) {
  std::string all;
  for (const std::string& own : letters) all += own;
  for (const char a : all) {
    for (const char b : all) {
      const bool together = a == b || std::any_of(letters.begin(), letters.end(), [&](const std::string& own) {
                              return carries(own, a) && carries(own, b);
                            });
      if (!together) return true;
    }
  }
  return false;
}

std::vector<ExpressionRef> agreeing(Maker& maker, const std::vector<ExpressionRef>& operands,
                                    const std::vector<std::string>& letters) {
  std::vector<ExpressionRef> result;
  const bool first_as_it_is =
      maker.random.chance(35) &&
      !std::any_of(letters[0].begin(), letters[0].end(), [&](char letter) { return repeats(letters[0], letter); });
  const std::map<char, Axes> axes = first_as_it_is ? std::map<char, Axes>() : axes_of_letters(maker.random, letters);
  for (std::size_t k = 0; k < operands.size(); ++k) {
    result.push_back(first_as_it_is && k == 0 ? operands[k] : with_axes(maker, operands[k], letters[k], axes));
  }
  return result;
}

namespace {

struct MatmulShapes {
  Shape a;
  Shape b;
  std::string a_letters;
  std::string b_letters;
};

// As NumPy has it: vectors on either side, batches on either or both.
MatmulShapes matmul_shapes(Random& random, const Shape& shape, std::int64_t k) {
  if (shape.empty()) return {{k}, {k}, "k", "k"};
  if (shape.size() == 1 && random.chance(50)) return {{k}, {k, shape[0]}, "k", "kj"};
  if (shape.size() == 1) return {{shape[0], k}, {k}, "ik", "k"};
  const std::size_t batch = shape.size() - 2;
  MatmulShapes result{{shape[batch], k}, {k, shape[batch + 1]}, "ik", "kj"};
  const std::int64_t which = random.below(3);
  const Shape batches(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(batch));
  std::string letters;
  for (std::size_t d = 0; d < batch; ++d) letters += static_cast<char>('a' + d);
  if (which != 1) {
    result.a.insert(result.a.begin(), batches.begin(), batches.end());
    result.a_letters = letters + result.a_letters;
  }
  if (which != 2) {
    result.b.insert(result.b.begin(), batches.begin(), batches.end());
    result.b_letters = letters + result.b_letters;
  }
  return result;
}

ExpressionRef matmul(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean || (want.certain && is_float(want.element)) || want.shape.size() > 4)
    return nullptr;
  const std::int64_t k = maker.random.chance(3) ? 0 : maker.random.between(1, 9);
  const MatmulShapes shapes = matmul_shapes(maker.random, want.shape, k);
  if (count(shapes.a) > kElementsMax || count(shapes.b) > kElementsMax) return nullptr;
  const ExpressionRef a = maker.make({want.element, shapes.a, want.certain}, depth);
  const ExpressionRef b = maker.make({want.element, shapes.b, want.certain}, depth);
  const auto all = agreeing(maker, {a, b}, {shapes.a_letters, shapes.b_letters});
  const Facts facts = of_contraction(derived(want.element, want.shape, facts_of(all)), a->facts, b->facts, k);
  return node(facts, "($0 @ $1)", "np.matmul($0, $1)", all);
}

struct Einsum {
  std::vector<std::string> operands;
  std::string result;
  std::map<char, std::int64_t> extents;
  std::int64_t terms = 1;
};

void shuffle(Random& random, std::string& letters) {
  for (std::size_t k = letters.size(); k > 1; --k)
    std::swap(letters[k - 1], letters[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(k)))]);
}

// Every letter in one operand at least; letters that are not in the result are summed over; now and then a diagonal.
Einsum random_einsum(Random& random, const Shape& shape) {
  Einsum einsum;
  std::string all;
  for (const std::int64_t extent : shape) {
    all += static_cast<char>('a' + all.size());
    einsum.extents[all.back()] = extent;
  }
  einsum.result = all;
  for (std::int64_t summed = random.below(3); summed > 0; --summed) {
    all += static_cast<char>('a' + all.size());
    einsum.extents[all.back()] = random.between(1, 5);
    einsum.terms *= einsum.extents[all.back()];
  }
  einsum.operands.resize(static_cast<std::size_t>(random.between(1, 3)));
  for (const char letter : all) {
    const std::size_t sure = random.index(einsum.operands);
    for (std::size_t k = 0; k < einsum.operands.size(); ++k) {
      if (k == sure || random.chance(40)) einsum.operands[k] += letter;
    }
  }
  for (std::string& own : einsum.operands) {
    if (!own.empty() && own.size() < 4 && random.chance(10)) own += own[random.index(own)];
    shuffle(random, own);
  }
  return einsum;
}

Facts einsum_facts(const Einsum& einsum, Facts result, const std::vector<ExpressionRef>& all) {
  if (all.size() == 1) return of_total(std::move(result), all[0]->facts, einsum.terms);
  Facts product = all[0]->facts;
  for (std::size_t k = 1; k + 1 < all.size(); ++k) {
    Facts next = derived(result.element, {}, {product, all[k]->facts});
    next.same_bits = next.same_bits && !is_float(result.element);
    product = of_product(next, product, all[k]->facts);
  }
  return of_contraction(std::move(result), product, all.back()->facts, einsum.terms);
}

ExpressionRef einsum(Maker& maker, const Want& want, int depth) {
  if (want.element == Element::boolean || (want.certain && is_float(want.element)) || want.shape.size() > 4)
    return nullptr;
  const Einsum own = random_einsum(maker.random, want.shape);
  std::vector<ExpressionRef> operands;
  for (const std::string& letters : own.operands) {
    Shape shape;
    for (const char letter : letters) shape.push_back(own.extents.at(letter));
    if (count(shape) > kElementsMax || shape.size() > kRankMax) return nullptr;
    operands.push_back(maker.make({want.element, shape, want.certain}, depth));
    if (is_float(want.element) && operands.back()->facts.magnitude > 100)
      operands.back() = clipped(operands.back(), 100);
  }
  const auto all = agreeing(maker, operands, own.operands);
  std::string places = "$0";
  for (std::size_t k = 1; k < all.size(); ++k) places += fmt::format(", ${}", k);
  const std::string indices = fmt::format("{}->{}", fmt::join(own.operands, ","), own.result);
  const Facts facts = einsum_facts(own, derived(want.element, want.shape, facts_of(all)), operands);
  return node(facts, fmt::format("einsum(\"{}\", {})", indices, places),
              fmt::format("np.einsum(\"{}\", {}, dtype={})", indices, places, numpy_name(want.element)), all);
}

}  // namespace

std::vector<Production> contraction_productions() { return {{"matmul", 9, matmul}, {"einsum", 6, einsum}}; }

}  // namespace tessera::generator
