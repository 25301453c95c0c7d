// Products of an array and its own transpose: half of them is computed, the other half mirrored.
#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "runtime/kernels/contract.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test::symmetric_product {
namespace {

struct Einsum {
  std::vector<std::uint8_t> left, right, result;

  synth::Contract contract() const { return synth::Contract{{left, right}, result}; }
};

// `ab,cb->ac`
Einsum einsum(std::string_view text) {
  Einsum how;
  std::vector<std::uint8_t>* now = &how.left;
  for (const char c : text) {
    if (c == ',') now = &how.right;
    if (c == '>') now = &how.result;
    if (c >= 'a') now->push_back(static_cast<std::uint8_t>(c - 'a'));
  }
  return how;
}

using Extents = std::vector<std::int64_t>;  // of a, b, c, ..

Shape shape_by(const std::vector<std::uint8_t>& indices, const Extents& extents) {
  Shape shape;
  for (const std::uint8_t index : indices) shape.push_back(extents[index]);
  return shape;
}

template <class T>
Array<T> waves(const Shape& shape) {
  Array<T> made(shape);
  for (std::int64_t i = 0; i < made.size(); ++i) made.data()[i] = static_cast<T>(std::sin(static_cast<double>(i) * 7));
  return made;
}

template <class T>
std::vector<T> product(const Einsum& how, const Extents& extents, const TileView& operand, Operands given) {
  Array<T> out(shape_by(how.result, extents));
  contract(how.contract(), std::vector{operand, operand}, out.out(), LargeProducts::by_blas, given);
  return out.values();
}

// The product is that of any two operands but for its last bits, and the same when rows and columns of each batch are
// exchanged to the last bit. `rows` are how many elements a batch of the result has along its rows.
template <class T>
void expect_symmetric(std::string_view text, const Extents& extents, std::int64_t rows, bool batch_is_last = false) {
  SCOPED_TRACE(text);
  const Einsum how = einsum(text);
  const Array<T> operand = waves<T>(shape_by(how.left, extents));
  const std::vector<T> got = product<T>(how, extents, operand.view(), Operands::are_the_same);
  const std::vector<T> plain = product<T>(how, extents, operand.view(), Operands::may_differ);
  const auto terms = static_cast<double>(operand.size()) / static_cast<double>(rows);
  // No element is above 1, and each of two orders of additions rounds each term once for each term at most.
  const double apart = terms * terms * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], plain[i], apart);
  const std::int64_t batches = static_cast<std::int64_t>(got.size()) / (rows * rows);
  const auto at = [&](std::int64_t batch, std::int64_t i, std::int64_t j) {
    const std::int64_t element = i * rows + j;
    return got[static_cast<std::size_t>(batch_is_last ? element * batches + batch : batch * rows * rows + element)];
  };
  for (std::int64_t batch = 0; batch < batches; ++batch) {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < i; ++j) ASSERT_EQ(at(batch, i, j), at(batch, j, i)) << i << ' ' << j;
  }
}

TEST(SymmetricProduct, IsMirroredHoweverItLies) {
  for (const std::string_view text : {"ab,cb->ac", "ba,bc->ac", "ab,cb->ca", "ba,bc->ca"}) {
    for (const std::int64_t rows : {33, 286, 512, 513, 1100}) {
      expect_symmetric<float>(text, {rows, 40, rows}, rows);
      expect_symmetric<double>(text, {rows, 40, rows}, rows);
    }
  }
}

TEST(SymmetricProduct, IsMirroredBatchByBatch) {
  expect_symmetric<float>("dab,dcb->dac", {70, 33, 70, 3}, 70);
  expect_symmetric<double>("adb,cdb->dac", {530, 33, 530, 3}, 530);
  expect_symmetric<double>("adb,cdb->acd", {530, 33, 530, 3}, 530, true);
}

// Rows that lie so that they have to be copied together first.
TEST(SymmetricProduct, IsMirroredWhenItIsPacked) {
  expect_symmetric<double>("acb,dce->abde", {30, 20, 21, 30, 20}, 600);
}

TEST(SymmetricProduct, IsMirroredWithManyTerms) {
  expect_symmetric<double>("ab,cb->ac", {5, 20'000, 5}, 5);
  expect_symmetric<float>("ba,bc->ac", {520, 8'300, 520}, 520);
}

// The same array twice, but not with its own transpose: each element is computed.
TEST(SymmetricProduct, IsOnlyThatOfATranspose) {
  for (const std::string_view text : {"ab,bc->ac", "ba,cb->ac"}) {
    const Extents extents = {90, 90, 90};
    const Array<double> operand = waves<double>({90, 90});
    const Einsum how = einsum(text);
    EXPECT_EQ(product<double>(how, extents, operand.view(), Operands::are_the_same),
              product<double>(how, extents, operand.view(), Operands::may_differ))
        << text;
  }
}

// Neither a view's strides nor its address change the bits.
TEST(SymmetricProduct, HasTheSameBitsOfAView) {
  const Array<double> wide = waves<double>({301, 100});
  const TileView part = part_of(wide.view(), Shape{1, 3}, Shape{300, 96});
  Array<double> dense(Shape{300, 96});
  for (std::int64_t i = 0; i < 300; ++i)
    for (std::int64_t j = 0; j < 96; ++j) dense.data()[i * 96 + j] = wide.data()[(i + 1) * 100 + j + 3];
  const Einsum how = einsum("ab,cb->ac");
  const Extents extents = {300, 96, 300};
  EXPECT_EQ(product<double>(how, extents, part, Operands::are_the_same),
            product<double>(how, extents, dense.view(), Operands::are_the_same));
}

}  // namespace
}  // namespace tessera::runtime::test::symmetric_product
