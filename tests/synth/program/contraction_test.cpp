// Einstein sums of several operands as sums of one or two.
#include "synth/program/contraction.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::synth {
namespace {

Contract einsum(std::string_view text) {
  Contract how;
  how.operand_indices.emplace_back();
  bool result = false;
  for (const char c : text) {
    if (c == '>') result = true;
    if (c == ',') how.operand_indices.emplace_back();
    if (c >= 'a' && c <= 'z')
      (result ? how.result_indices : how.operand_indices.back()).push_back(static_cast<std::uint8_t>(c - 'a'));
  }
  return how;
}

std::string text_of(const Contract& how) {
  std::string text;
  for (std::size_t k = 0; k < how.operand_indices.size(); ++k) {
    if (k > 0) text += ',';
    for (const std::uint8_t index : how.operand_indices[k]) text += static_cast<char>('a' + index);
  }
  text += "->";
  for (const std::uint8_t index : how.result_indices) text += static_cast<char>('a' + index);
  return text;
}

std::vector<Shape> shapes(const Contract& how, const std::vector<std::int64_t>& extents) {
  std::vector<Shape> all;
  for (const auto& indices : how.operand_indices) {
    all.emplace_back();
    for (const std::uint8_t index : indices) all.back().push_back(extents[index]);
  }
  return all;
}

std::vector<std::string> texts(std::string_view text, const std::vector<std::int64_t>& extents) {
  std::vector<std::string> all;
  const Contract how = einsum(text);
  for (const ContractionStep& step : contraction_steps(how, shapes(how, extents))) all.push_back(text_of(step.how));
  return all;
}

using Texts = std::vector<std::string>;

TEST(ExampleOf, Contraction) {
  EXPECT_EQ(texts("ab,cd,ef->", {60, 60, 60, 60, 60, 60}), (Texts{"ab->", "cd->", "ef->", ",->", ",->"}));
}

TEST(Contraction, ProductsOfTwoAreMadeAtOnce) {
  EXPECT_EQ(texts("ab,bc->ac", {3, 4, 5}), Texts{});
  EXPECT_EQ(texts("ab->b", {3, 4}), Texts{});
  EXPECT_EQ(texts("ab,bc,cd->ad", {3, 0, 5, 6}), Texts{});  // no terms
}

TEST(Contraction, AChainBeginsWhereItIsNarrow) {
  EXPECT_EQ(texts("ab,bc,cd->ad", {100, 100, 100, 2}), (Texts{"bc,cd->bd", "ab,bd->ad"}));
  EXPECT_EQ(texts("ab,bc,cd->ad", {2, 100, 100, 100}), (Texts{"ab,bc->ac", "ac,cd->ad"}));
}

// A value of every operand's element, and the whole sum of them, exactly: whole numbers modulo 2^64.
struct Values {
  std::vector<std::uint8_t> indices;
  std::map<std::vector<std::int64_t>, std::uint64_t> at;
};

Values evaluated(const Contract& how, const std::vector<const Values*>& operands,
                 const std::vector<std::int64_t>& extents) {
  std::set<std::uint8_t> all;
  for (const auto& indices : how.operand_indices) all.insert(indices.begin(), indices.end());
  std::vector<std::int64_t> index(extents.size(), 0);
  Values result{how.result_indices, {}};
  const auto pick = [&](const std::vector<std::uint8_t>& indices) {
    std::vector<std::int64_t> at;
    for (const std::uint8_t i : indices) at.push_back(index[i]);
    return at;
  };
  while (true) {
    std::uint64_t product = 1;
    for (std::size_t k = 0; k < operands.size(); ++k) product *= operands[k]->at.at(pick(how.operand_indices[k]));
    result.at[pick(how.result_indices)] += product;
    auto next = all.begin();
    while (next != all.end() && ++index[*next] == extents[*next]) index[*next++] = 0;
    if (next == all.end()) return result;
  }
}

double work_of(const Contract& how, const std::vector<std::int64_t>& extents) {
  std::set<std::uint8_t> all;
  for (const auto& indices : how.operand_indices) all.insert(indices.begin(), indices.end());
  double work = 1;
  for (const std::uint8_t index : all) work *= static_cast<double>(extents[index]);
  return work;
}

RC_GTEST_PROP(ContractionProperty, StepsGiveTheSumInNoMoreOperations, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 6);
  std::vector<std::int64_t> extents;
  for (int i = 0; i < 5; ++i) extents.push_back(*rc::gen::inRange<std::int64_t>(1, 4));
  Contract how;
  std::set<std::uint8_t> used;
  for (std::size_t k = 0; k < count; ++k) {
    how.operand_indices.emplace_back();
    for (auto n = *rc::gen::inRange(0, 4); n > 0; --n) {
      how.operand_indices.back().push_back(*rc::gen::inRange<std::uint8_t>(0, 5));
      used.insert(how.operand_indices.back().back());
    }
  }
  for (const std::uint8_t index : used) {
    if (*rc::gen::arbitrary<bool>()) how.result_indices.push_back(index);
  }
  std::vector<Values> made;
  std::uint64_t number = 1;
  for (const auto& indices : how.operand_indices) {
    const Contract same{{indices}, indices};
    Values values{indices, {}};
    std::vector<std::int64_t> index(indices.size(), 0);
    while (true) {
      values.at[index] = number = number * 6364136223846793005U + 1442695040888963407U;
      std::size_t d = 0;
      while (d < index.size() && ++index[d] == extents[indices[d]]) index[d++] = 0;
      if (d == index.size()) break;
    }
    made.push_back(std::move(values));
  }
  std::vector<const Values*> operands;
  for (const Values& values : made) operands.push_back(&values);
  const Values want = evaluated(how, operands, extents);
  const auto steps = contraction_steps(how, shapes(how, extents));
  if (steps.empty()) RC_SUCCEED("made at once");
  made.reserve(made.size() + steps.size());
  double work = 0;
  for (const ContractionStep& step : steps) {
    std::vector<const Values*> own;
    for (const std::size_t operand : step.operands) own.push_back(&made.at(operand));
    RC_ASSERT(own.size() <= 2U);
    work += work_of(step.how, extents);
    made.push_back(evaluated(step.how, own, extents));
  }
  RC_ASSERT(made.back().at == want.at);
  RC_ASSERT(work <= work_of(how, extents) * static_cast<double>(2 * how.operand_indices.size()));
}

// Six vectors, and more operands than all orders are tried of.
TEST(Contraction, ManyOperandsTakeNoTime) {
  std::string text = "a";
  std::vector<std::int64_t> extents = {100};
  for (char c = 'b'; c <= 'v'; ++c) {
    text += std::string(",") + c;
    extents.push_back(100);
  }
  const Contract how = einsum(text + "->");
  double work = 0;
  for (const ContractionStep& step : contraction_steps(how, shapes(how, extents))) work += work_of(step.how, extents);
  EXPECT_LE(work, 22 * 101);
  std::string many = "ab";
  for (int k = 0; k < 20'000; ++k) many += ",ab";
  const Contract product = einsum(many + "->b");
  EXPECT_EQ(contraction_steps(product, shapes(product, {3, 4})).size(), 20'000U);
}

}  // namespace
}  // namespace tessera::synth
