#include "runtime/kernels/contract.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "runtime/kernels/blas.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::ElementsAre;

// `ij,jk->ik`
synth::Contract einsum(std::string_view text) {
  synth::Contract how;
  how.operand_indices.emplace_back();
  bool result = false;
  for (const char c : text) {
    if (c == '-') continue;
    if (c == '>')
      result = true;
    else if (c == ',')
      how.operand_indices.emplace_back();
    else
      (result ? how.result_indices : how.operand_indices.back()).push_back(static_cast<std::uint8_t>(c - 'a'));
  }
  return how;
}

using Extents = std::map<std::uint8_t, std::int64_t>;

Shape shape_by(const std::vector<std::uint8_t>& indices, const Extents& extents) {
  Shape shape;
  for (const std::uint8_t index : indices) shape.push_back(extents.at(index));
  return shape;
}

// Is it a product of two matrices, with at least 16 results a batch? Small ones add one term of a block after the
// other.
bool is_product(const synth::Contract& how, const Extents& extents) {
  if (how.operand_indices.size() != 2) return false;
  const auto has = [](const std::vector<std::uint8_t>& list, std::uint8_t index) {
    return std::find(list.begin(), list.end(), index) != list.end();
  };
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  for (const auto& [index, extent] : extents) {
    const bool in_left = has(how.operand_indices[0], index);
    const bool in_right = has(how.operand_indices[1], index);
    if (!has(how.result_indices, index) && !(in_left && in_right)) return false;
    if (!in_right) rows *= extent;
    if (!in_left) columns *= extent;
  }
  return rows > 1 && columns > 1 && rows * columns >= 16;
}

// Terms as sum() adds them: blocks of 128 in eight lanes that meet in pairs, joined in pairs of equal size.
template <class T>
T in_blocks(const std::vector<T>& terms) {
  std::vector<std::pair<int, T>> joined;  // sums of 2^first blocks, the largest first
  for (std::size_t begin = 0; begin < terms.size(); begin += 128) {
    const std::size_t n = std::min<std::size_t>(128, terms.size() - begin);
    const std::size_t whole = n / 8 * 8;
    std::vector<T> lanes(terms.begin() + begin, terms.begin() + begin + std::min<std::size_t>(n, whole == 0 ? 1 : 8));
    for (std::size_t i = 8; i < whole; ++i) lanes[i % 8] += terms[begin + i];
    for (std::size_t width = 1; width < lanes.size(); width *= 2) {
      for (std::size_t k = 0; k < lanes.size(); k += 2 * width) lanes[k] += lanes[k + width];
    }
    for (std::size_t i = std::max<std::size_t>(whole, 1); i < n; ++i) lanes[0] += terms[begin + i];
    T sum = lanes[0];
    int level = 0;
    for (; !joined.empty() && joined.back().first == level; ++level) {
      sum = joined.back().second + sum;
      joined.pop_back();
    }
    joined.emplace_back(level, sum);
  }
  if (joined.empty()) return static_cast<T>(-0.0);
  T sum = joined.back().second;
  for (std::size_t k = joined.size() - 1; k-- > 0;) sum = joined[k].second + sum;
  return sum;
}

// Terms as small products add them: blocks of 128, one term after the other, and so the blocks.
template <class T>
T in_small_blocks(const std::vector<T>& terms) {
  T sum = static_cast<T>(-0.0);
  for (std::size_t begin = 0; begin < terms.size(); begin += 128) {
    const auto first = terms.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto n = static_cast<std::ptrdiff_t>(std::min<std::size_t>(128, terms.size() - begin));
    sum += std::accumulate(first, first + n, static_cast<T>(-0.0));
  }
  return sum;
}

// By how much a position in an array with these indices grows with each index of an order.
Shape strides_by(const std::vector<std::uint8_t>& order, const std::vector<std::uint8_t>& indices, const Shape& shape) {
  Shape strides(order.size());
  std::int64_t stride = 1;
  for (std::size_t d = indices.size(); d-- > 0; stride *= shape[d])
    strides[static_cast<std::size_t>(std::find(order.begin(), order.end(), indices[d]) - order.begin())] += stride;
  return strides;
}

// The definition, term by term in the order it names.
template <class T>
Array<T> by_hand(const synth::Contract& how, const std::vector<Array<T>>& operands, const Extents& extents) {
  std::vector<std::uint8_t> order = how.result_indices;
  for (const auto& [index, extent] : extents) {
    if (std::find(order.begin(), order.end(), index) == order.end()) order.push_back(index);
  }
  Array<T> out(shape_by(how.result_indices, extents));
  const Shape strides = strides_by(order, how.result_indices, out.shape);
  std::vector<Shape> operand_strides;
  for (std::size_t k = 0; k < operands.size(); ++k)
    operand_strides.push_back(strides_by(order, how.operand_indices[k], operands[k].shape));
  std::vector<std::vector<T>> terms(static_cast<std::size_t>(out.size()));
  for_indices(shape_by(order, extents), [&](const Shape& at) {
    const auto place = [&](const Shape& by) {
      return std::inner_product(at.begin(), at.end(), by.begin(), std::int64_t{0});
    };
    T product = 1;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      const T value = operands[k][place(operand_strides[k])];
      product = k == 0 ? value : product * value;
    }
    terms[static_cast<std::size_t>(place(strides))].push_back(product);
  });
  for (std::int64_t i = 0; i < out.size(); ++i) {
    const auto& own = terms[static_cast<std::size_t>(i)];
    out.data()[i] = is_product(how, extents) ? in_small_blocks(own) : in_blocks(own);
  }
  return out;
}

template <class T>
std::vector<T> contracted(const synth::Contract& how, const std::vector<Array<T>>& operands, const Shape& shape) {
  std::vector<TileView> views;
  for (const auto& operand : operands) views.push_back(operand.view());
  Array<T> out(shape);
  contract(how, views, out.out());
  return out.values();
}

TEST(ExampleOf, TermSums) {
  const Array<float> terms{{10}, {1, 1e8F, -1e8F, 1, 0, 0, 0, 0, 2, 3}};
  EXPECT_THAT(contracted(einsum("a->"), std::vector{terms}, Shape{}), ElementsAre(5));
}

TEST(Contract, MatrixProduct) {
  const auto a = counting<std::int32_t>(Shape{2, 3});
  const auto b = counting<std::int32_t>(Shape{3, 2});
  EXPECT_THAT(contracted<std::int32_t>(einsum("ij,jk->ik"), {a, b}, Shape{2, 2}), ElementsAre(10, 13, 28, 40));
}

TEST(Contract, DiagonalAndTrace) {
  const auto a = counting<std::int32_t>(Shape{3, 3});
  EXPECT_THAT(contracted<std::int32_t>(einsum("ii->i"), {a}, Shape{3}), ElementsAre(0, 4, 8));
  EXPECT_THAT(contracted<std::int32_t>(einsum("ii->"), {a}, Shape{}), ElementsAre(12));
  EXPECT_THAT(contracted<std::int32_t>(einsum("ij->ji"), {a}, Shape{3, 3}), ElementsAre(0, 3, 6, 1, 4, 7, 2, 5, 8));
}

TEST(Contract, NoTermsGiveTheIdentity) {
  const Array<float> a(Shape{2, 0});
  const Array<float> b(Shape{0, 2});
  const auto product = contracted<float>(einsum("ij,jk->ik"), {a, b}, Shape{2, 2});
  EXPECT_THAT(product, ElementsAre(0.0F, 0.0F, 0.0F, 0.0F));
  EXPECT_TRUE(std::signbit(product[0]));
}

TEST(Contract, IntegersWrap) {
  const Array<std::int32_t> a(Shape{2}, {1 << 30, 1 << 30});
  const Array<std::int32_t> b(Shape{2}, {2, 2});
  EXPECT_THAT(contracted<std::int32_t>(einsum("i,i->"), {a, b}, Shape{}), ElementsAre(0));
}

// Blocks do not change the bits: products larger than a block, and too small for BLAS or of integers, equal the
// definition exactly.
TEST(Contract, BlockedProductsHaveTheBitsOfTheDefinition) {
  const auto how = einsum("ab,bc->ac");
  for (const auto& [rows, terms, columns] :
       {std::array{66, 49, 9}, std::array{2, 60, 261}, std::array{4, 520, 5}, std::array{3, 520, 5}}) {
    const Extents extents = {{0, rows}, {1, terms}, {2, columns}};
    std::vector<Array<float>> operands = {Array<float>(Shape{rows, terms}), Array<float>(Shape{terms, columns})};
    for (auto& operand : operands) {
      for (std::int64_t i = 0; i < operand.size(); ++i) operand.data()[i] = std::sin(static_cast<float>(i)) * 3.0F;
    }
    const auto want = by_hand<float>(how, operands, extents);
    EXPECT_EQ(contracted<float>(how, operands, want.shape), want.values());
  }
  const std::vector<Array<std::int64_t>> integers = {counting<std::int64_t>(Shape{66, 260}),
                                                     counting<std::int64_t>(Shape{260, 261})};
  const auto want = by_hand<std::int64_t>(how, integers, {{0, 66}, {1, 260}, {2, 261}});
  EXPECT_EQ(contracted<std::int64_t>(how, integers, want.shape), want.values());
}

// As many equal terms as there can be in a product that BLAS does not get: each adds what it is.
TEST(Contract, SmallProductsOfManyTermsLoseNoTerm) {
  const auto how = einsum("ab,bc->ac");
  for (const std::int64_t terms : {100, 520, 1000, 2047}) {
    Array<float> left(Shape{4, terms});
    Array<float> right(Shape{terms, 4});
    std::fill_n(left.data(), left.size(), 0.1F);
    std::fill_n(right.data(), right.size(), 1.0F);
    const double exact = static_cast<double>(0.1F) * static_cast<double>(terms);
    for (const float sum : contracted<float>(how, {left, right}, Shape{4, 4}))
      EXPECT_NEAR(sum / exact, 1, 3e-6) << terms;
  }
}

// ---- Products that are left to BLAS ----

template <class T>
std::vector<Array<T>> waves(const synth::Contract& how, const Extents& extents) {
  std::vector<Array<T>> operands;
  for (const auto& indices : how.operand_indices) {
    Array<T> operand(shape_by(indices, extents));
    for (std::int64_t i = 0; i < operand.size(); ++i) {
      operand.data()[i] = static_cast<T>(std::sin(static_cast<double>(i * 7 + operand.size())));
    }
    operands.push_back(operand);
  }
  return operands;
}

// The sizes of the terms of every element of the result, added up: the product of the operands' absolute values.
template <class T>
Array<T> sizes_of_terms(const synth::Contract& how, std::vector<Array<T>> operands, const Extents& extents) {
  for (auto& operand : operands) {
    for (std::int64_t i = 0; i < operand.size(); ++i) operand.data()[i] = std::abs(operand.data()[i]);
  }
  return by_hand<T>(how, operands, extents);
}

// How far two evaluations of a sum of n products may lie apart, as a part of the sum of the sizes of its terms.
// In any order, and with or without fused multiplications and additions, a term is rounded n times at most, each time
// by a part u (half an epsilon) of what was computed. So one evaluation is off by at most g = n u / (1 - n u) of the
// sizes, and two are 2 g apart; the sizes themselves are computed, and may be too small by the part g.
template <class T>
double apart_at_most(std::int64_t n) {
  const double rounded = static_cast<double>(n) * std::numeric_limits<T>::epsilon() / 2;
  const double g = rounded / (1 - rounded);
  return 2 * g / (1 - g);
}

template <class T>
void expect_near_the_definition(std::string_view text, const Extents& all_extents) {
  const auto how = einsum(text);
  Extents extents;
  for (const auto& indices : how.operand_indices) {
    for (const std::uint8_t index : indices) extents[index] = all_extents.at(index);
  }
  const auto operands = waves<T>(how, extents);
  const auto want = by_hand<T>(how, operands, extents);
  const std::vector<T> got = contracted<T>(how, operands, want.shape);
  std::int64_t terms = 1;
  for (const auto& [index, extent] : extents) {
    const auto& kept = how.result_indices;
    if (std::find(kept.begin(), kept.end(), index) == kept.end()) terms *= extent;
  }
  const auto sizes = sizes_of_terms<T>(how, operands, extents);
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], want.data()[i], apart_at_most<T>(terms) * sizes.data()[i]) << text << " at " << i;
  }
}

// Long sums, also of terms that do not lie side by side: as sum() adds them, whichever way they are walked.
TEST(LongContract, AddsItsTermsAsSumDoes) {
  for (const std::string_view text :
       {"a->", "a,a->", "ab->b", "ab,ab->b", "ba->b", "ba,ba->b", "ab,a->b", "a,a,a->", "ba,ab,a->b"}) {
    for (const int length : {1, 7, 8, 9, 127, 128, 129, 1000, 5000, 140'000}) {
      for (const int results : {1, 3, 9}) {
        const auto how = einsum(text);
        const bool has_results = text.find('b') != std::string_view::npos;
        const Extents extents = has_results ? Extents{{0, length}, {1, results}} : Extents{{0, length}};
        const auto operands = waves<float>(how, extents);
        const auto want = by_hand<float>(how, operands, extents);
        ASSERT_EQ(contracted<float>(how, operands, want.shape), want.values())
            << text << ' ' << length << ' ' << results;
        if (length == 140'000 || !has_results) break;
      }
    }
  }
}

// A matrix and a vector add as sum() does, whichever of them has the batches, however they lie and wherever they are
// cut: the terms of a result side by side, the results of a term side by side, or neither.
TEST(LongContract, AddsProductsWithVectorsAsSumDoes) {
  for (const std::string_view text : {"ab,b->a", "ba,b->a", "b,ab->a", "b,ba->a", "cab,cb->ca", "cb,bca->ca",
                                      "acb,b->ca", "bca,b->ca", "abd,db->a", "bda,bd->a"}) {
    for (const int length : {0, 1, 7, 8, 9, 40, 127, 128, 129, 300, 1031}) {
      for (const int results : {1, 8, 17, 530, 1100}) {
        const auto how = einsum(text);
        Extents extents;
        for (const auto& indices : how.operand_indices) {
          for (const std::uint8_t index : indices) extents[index] = index == 0 ? results : index == 1 ? length : 3;
        }
        const auto operands = waves<float>(how, extents);
        const auto want = by_hand<float>(how, operands, extents);
        ASSERT_EQ(contracted<float>(how, operands, want.shape), want.values())
            << text << ' ' << length << ' ' << results;
      }
    }
  }
}

// Sums that are cut in stretches, all of which are remembered at once or not.
TEST(LongContract, AddsLongProductsWithVectorsAsSumDoes) {
  for (const auto& [length, results] : {std::pair{70'000, 40}, std::pair{3'000, 600}, std::pair{2'200'000, 9}}) {
    const auto how = einsum("b,ba->a");
    const Extents extents = {{0, results}, {1, length}};
    const auto operands = waves<double>(how, extents);
    const auto want = by_hand<double>(how, operands, extents);
    ASSERT_EQ(contracted<double>(how, operands, want.shape), want.values()) << length << ' ' << results;
  }
}

// More terms than BLAS adds up by itself: stretches of 8,192 are joined in pairs, so that ones are counted beyond 2^24.
TEST(LongContract, ProductsOfVeryManyTermsLoseNothing) {
  constexpr std::int64_t kTerms = 17'000'000;
  const Array<float> one(Shape{1}, {1.0F});
  const std::vector<TileView> sides = {{ElementType::f32, Shape{8, kTerms}, Shape{0, 0}, one.bytes.data()},
                                       {ElementType::f32, Shape{kTerms, 2}, Shape{0, 0}, one.bytes.data()}};
  Array<float> out(Shape{8, 2});
  contract(einsum("ab,bc->ac"), sides, out.out());
  EXPECT_THAT(out.values(), testing::Each(17'000'000.0F));
}

// Every way operands and result can lie: plain, transposed, with several indices where a matrix has one, batched, and
// so that nothing but packing helps.
TEST(LargeContract, IsNearTheDefinitionHoweverItLies) {
  for (const std::string_view text : {"ab,bc->ac", "ba,bc->ac", "ab,cb->ac", "ba,cb->ac", "ab,bc->ca", "ba,cb->ca"}) {
    expect_near_the_definition<float>(text, {{0, 70}, {1, 33}, {2, 65}});
    expect_near_the_definition<double>(text, {{0, 70}, {1, 33}, {2, 65}});
  }
  for (const std::string_view text : {"eab,ebc->eac", "aeb,bec->aec", "abe,bce->ace", "abe,bce->eca", "ebac,ecd->eabd",
                                      "abce,cbd->aed", "acb,bdc->ad", "abd,dc->acb", "bad,dc->acb"}) {
    expect_near_the_definition<float>(text, {{0, 17}, {1, 18}, {2, 19}, {3, 16}, {4, 3}});
  }
}

// More than one call's rows, columns and terms.
TEST(LargeContract, IsCutIntoCallsByItsShape) {
  expect_near_the_definition<float>("ab,bc->ac", {{0, 1030}, {1, 3}, {2, 520}});
  expect_near_the_definition<float>("ab,bc->ca", {{0, 1030}, {1, 3}, {2, 520}});
  expect_near_the_definition<double>("ab,bc->ac", {{0, 5}, {1, 8200}, {2, 3}});
  expect_near_the_definition<float>("ab,bc->ac", {{0, 1}, {1, 8200}, {2, 5}});
  expect_near_the_definition<float>("ab,bc->ac", {{0, 40000}, {1, 1}, {2, 2}});
}

// Neither a view's strides nor its address change the bits.
TEST(LargeContract, HasTheSameBitsOfAView) {
  const auto how = einsum("ab,bc->ac");
  const auto operands = waves<float>(how, {{0, 64}, {1, 96}, {2, 48}});
  const auto plain = contracted<float>(how, operands, Shape{64, 48});
  Array<float> wide(Shape{65, 100});
  for (std::int64_t i = 0; i < 64; ++i) {
    for (std::int64_t j = 0; j < 96; ++j) wide.data()[(i + 1) * 100 + j + 3] = operands[0].data()[i * 96 + j];
  }
  const TileView part = part_of(wide.view(), Shape{1, 3}, Shape{64, 96});
  Array<float> out(Shape{64, 48});
  contract(how, std::vector<TileView>{part, operands[1].view()}, out.out());
  EXPECT_EQ(out.values(), plain);
}

RC_GTEST_PROP(ContractProperty, AnyEinsumHasTheBitsOfItsDefinition, ()) {
  const std::vector<std::string> texts = {
      "ab,bc->ac", "bac,bcd->bad", "ab,ab->ab",     "ab,ab->", "a,b->ab",   "a,b->ba", "aab,bc->ca", "ab,bc,cd->ad",
      "abc->b",    "ab,cb->ca",    "abcd,cbe->aed", "ab,c->a", "ba,bc->ac", "ab,b->a", "a,ab->b",    "abc,abc->a"};
  const auto how = einsum(*rc::gen::elementOf(texts));
  Extents extents;
  for (const auto& indices : how.operand_indices) {
    for (const std::uint8_t index : indices) extents.emplace(index, *rc::gen::inRange(0, 12));
  }
  std::vector<Array<double>> operands;
  for (const auto& indices : how.operand_indices) {
    Array<double> operand(shape_by(indices, extents));
    for (std::int64_t i = 0; i < operand.size(); ++i) operand.data()[i] = std::cos(static_cast<double>(i * 3 + 1));
    operands.push_back(operand);
  }
  const auto want = by_hand<double>(how, operands, extents);
  RC_ASSERT(contracted<double>(how, operands, want.shape) == want.values());
}

}  // namespace
}  // namespace tessera::runtime::test
