// Einstein sums on a GPU give the bits of the host's kernels, with products in order.
#include "runtime/device/steps/products.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/kernels/contract.hpp"
#include "tests/device/host_launcher.hpp"
#include "tests/device/test_tiles.hpp"

namespace tessera::device {
namespace {

using synth::ElementType;

// `ij,jk->ik`: letters are indices in the order of the alphabet.
synth::Contract contraction(const std::string& text) {
  synth::Contract how;
  how.operand_indices.emplace_back();
  bool in_result = false;
  for (const char c : text) {
    if (c == ',')
      how.operand_indices.emplace_back();
    else if (c == '>')
      in_result = true;
    else if (c != '-')
      (in_result ? how.result_indices : how.operand_indices.back()).push_back(static_cast<std::uint8_t>(c - 'a'));
  }
  return how;
}

synth::Shape shape_by(const std::vector<std::uint8_t>& indices, const synth::Shape& extents) {
  synth::Shape shape;
  for (const std::uint8_t index : indices) shape.push_back(extents[index]);
  return shape;
}

class ContractOn {
 public:
  ContractOn(std::uint64_t seed, int processors) : random_(seed), launcher_(seed, processors) {}

  void compare(const std::string& text, const synth::Shape& extents, ElementType element, Lies lies, int tiles = 1) {
    const synth::Contract how = contraction(text);
    std::vector<TestTile> operands;
    std::vector<TestOut> wanted, got;
    for (int tile = 0; tile < tiles; ++tile) {
      for (const auto& indices : how.operand_indices)
        operands.emplace_back(random_, element, shape_by(indices, extents), lies);
      wanted.emplace_back(element, shape_by(how.result_indices, extents));
      got.emplace_back(element, shape_by(how.result_indices, extents), tile == 1);
    }
    std::vector<ContractPart> parts;
    auto next = operands.begin();
    for (std::size_t tile = 0; tile < wanted.size(); ++tile) {
      ContractPart part{{}, got[tile].out()};
      for (std::size_t k = 0; k < how.operand_indices.size(); ++k) part.operands.push_back((next++)->view());
      runtime::contract(how, part.operands, wanted[tile].out(), runtime::LargeProducts::in_order);
      parts.push_back(part);
    }
    const base::Status status = contract(launcher_, how, parts);
    ASSERT_TRUE(status.ok()) << (status.ok() ? "" : status.errors()[0].message);
    launcher_.step_ends();
    for (std::size_t tile = 0; tile < wanted.size(); ++tile)
      ASSERT_EQ(got[tile].difference(wanted[tile]), -1)
          << text << " " << synth::name(element) << " tile " << tile << " " << extents[0] << "," << extents[1] << ","
          << extents.back();
  }

 private:
  Random random_;
  HostLauncher launcher_;
};

constexpr ElementType kAll[] = {ElementType::f32, ElementType::f64, ElementType::i32, ElementType::i64,
                                ElementType::boolean};

TEST(Products, SmallAreThoseOfTheHost) {
  for (const std::uint64_t seed : {1U, 9U}) {
    ContractOn on(seed, 4);
    for (const ElementType element : kAll) {
      for (const Lies lies : {Lies::dense, Lies::apart, Lies::turned, Lies::shifted}) {
        on.compare("ab,bc->ac", {17, 40, 19}, element, lies, 2);
        on.compare("ab,bc->ac", {4, 300, 5}, element, lies);
        on.compare("dab,dbc->dac", {7, 130, 9, 3}, element, lies);
        on.compare("ab,cb->ca", {16, 1, 8}, element, lies);
        on.compare("abcd,cdb->ab", {5, 4, 6, 3}, element, lies);
        on.compare("abc,bcd->ad", {9, 3, 50, 8}, element, lies, 3);
      }
    }
  }
}

TEST(Products, LargeAreInOrder) {
  for (const ElementType element : {ElementType::f32, ElementType::f64}) {
    for (const Lies lies : {Lies::dense, Lies::apart, Lies::turned, Lies::shifted}) {
      ContractOn on(3, 1);  // so few processors that blocks are large
      on.compare("ab,bc->ac", {130, 260, 140}, element, lies, 2);
      on.compare("ab,bc->ac", {64, 128, 128}, element, lies);
      on.compare("ab,bc->ac", {200, 77, 129}, element, lies);
      on.compare("ab,bc->ac", {33, 1000, 65}, element, lies);
    }
  }
}

TEST(Products, WholeNumbers) {
  ContractOn on(4, 1);
  for (const ElementType element : {ElementType::i32, ElementType::i64, ElementType::boolean}) {
    for (const Lies lies : {Lies::dense, Lies::turned}) {
      on.compare("ab,bc->ac", {130, 60, 140}, element, lies);
      on.compare("ba,cb->ac", {64, 32, 128}, element, lies);
    }
  }
}

TEST(TermSums, AreThoseOfTheHost) {
  for (const std::uint64_t seed : {2U, 50U}) {
    ContractOn on(seed, 4);
    for (const ElementType element : kAll) {
      for (const Lies lies : {Lies::dense, Lies::apart, Lies::turned, Lies::shifted}) {
        for (const std::int64_t terms : {1, 5, 8, 13, 128, 129, 1000, 5000}) {
          on.compare("ab,b->a", {5, terms}, element, lies, 2);
          on.compare("ab,a->b", {terms, 21}, element, lies);
          on.compare("a,a->", {terms, 1}, element, lies);
        }
        on.compare("ab->a", {30, 700}, element, lies);
        on.compare("ab->b", {700, 300}, element, lies);
        on.compare("a,b->ab", {30, 40}, element, lies);
        on.compare("ab,bc,cd->ad", {3, 5, 6, 7}, element, lies);
        on.compare("abc,c,b,a->ab", {3, 5, 60, 7}, element, lies);
        on.compare("aab->ab", {7, 5}, element, lies);
        on.compare("aab->b", {30, 5}, element, lies);
        on.compare("a,b->", {20, 30}, element, lies);
      }
    }
  }
}

TEST(TermSums, OfVeryManyTerms) {
  ContractOn on(1, 4);
  for (const ElementType element : {ElementType::f32, ElementType::f64}) {
    on.compare("a,a->", {300'007, 1}, element, Lies::dense);
    on.compare("ab,b->a", {3, 100'000}, element, Lies::dense);
    on.compare("ab,a->b", {100'001, 11}, element, Lies::dense);
    on.compare("ab,a->b", {100'001, 11}, element, Lies::turned);
  }
}

TEST(Products, OfNothing) {
  ContractOn on(1, 4);
  for (const ElementType element : kAll) {
    on.compare("ab,bc->ac", {17, 0, 19}, element, Lies::dense);
    on.compare("ab,bc->ac", {0, 3, 19}, element, Lies::dense);
    on.compare("ab,b->a", {5, 0}, element, Lies::dense);
  }
}

}  // namespace
}  // namespace tessera::device
