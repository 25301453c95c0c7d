// Gradients as open programs: nothing in them depends on layouts.
#include "typeck/gradient/gradient.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/typeck/elaborated.hpp"

namespace tessera::typeck {
namespace {

struct WordOf {
  std::string operator()(const open::Compute& body) const { return std::visit(*this, body.operation); }
  std::string operator()(const synth::Operation& operation) const { return std::string(synth::name(operation)); }
  std::string operator()(const open::Enter&) const { return "enter"; }
  std::string operator()(const open::Gradient&) const { return "gradient"; }
  std::string operator()(const open::Product&) const { return "product"; }
  std::string operator()(const open::Used&) const { return "used"; }
  std::string operator()(const open::Back&) const { return "back"; }
  std::string operator()(const open::Unsqueeze&) const { return "unsqueeze"; }
  std::string operator()(const open::Broadcast&) const { return "broadcast"; }
  template <class Other>
  std::string operator()(const Other&) const {
    return "";
  }
};

// The operations of a statement, but for extents and elements of tuples.
std::vector<std::string> words_of(const open::Program& program, std::size_t statement) {
  std::vector<std::string> all;
  for (const open::ValueId id : program.statements.at(statement).region.order) {
    const open::Node& node = program.nodes[id];
    const bool is_extent = node.types.size() == 1 && node.types[0].element() == synth::ElementType::i64;
    std::string word = is_extent ? "" : std::visit(WordOf{}, node.body);
    if (!word.empty()) all.push_back(std::move(word));
  }
  return all;
}

TEST(ExampleOf, Gradient) {
  const open::Program program = elaborated(
      "fn loss(x: f32[B, D]?, w: f32[D]?) = sum(x @ w)\nlet x = ones(f32[4, 2])\nlet w = ones(f32[2])\n"
      "let (l, g) = grad(loss, wrt=w)(x, w)\n");
  const std::vector<std::string> wanted = {"enter", "product", "reduce", "constant", "used", "unsqueeze", "broadcast",
                                           "back",  "used",    "used",   "product",  "back", "gradient"};
  EXPECT_EQ(words_of(program, 3), wanted);
}

TEST(Gradient, IsTheSameOpenProgramInEveryLayout) {
  const auto gradient_of = [](const std::string& x, const std::string& w) {
    return words_of(
        elaborated("mesh m = [d: 2, e: 2]\n"
                   "fn loss(x: f32[B, D]?, w: f32[D, F]?) = {\n"
                   "  let y = loop s = tanh(x @ w) for i < 3 { if s[0, 0] > 0.0 { s * s } else { sin(s) } }\n"
                   "  sum(y) + sum(again { exp(x[:, 0:2]) })\n}\n"
                   "let x = ones(f32[" +
                   x + "])\nlet w = ones(f32[" + w +
                   "])\n"
                   "let (l, gx, gw) = grad(loss)(x, w)\n"),
        4);
  };
  const std::vector<std::string> whole = gradient_of("4, 4", "4, 6");
  EXPECT_GT(whole.size(), 20U);
  EXPECT_EQ(gradient_of("4@d, 4", "4, 6@e"), whole);
  EXPECT_EQ(gradient_of("4, 4@(d,e)", "4@d, 6"), whole);
}

// What the forward pass computes is marked as said before, and what the backward pass computes is not.
TEST(Gradient, MarksItsPasses) {
  const open::Program program =
      elaborated("fn f(v: f32[N]?) = sum(again { tanh(v) } * v)\nlet (l, g) = grad(f)(ones(f32[4]))\n");
  std::size_t forward = 0;
  std::size_t again_backward = 0;
  for (const open::ValueId id : program.statements.at(1).region.order) {
    const open::Node& node = program.nodes[id];
    if (node.pass == synth::Pass::forward) {
      ++forward;
      EXPECT_NE(node.again, 0U);
      EXPECT_TRUE(node.copy_of.valid());
    }
    if (node.pass == synth::Pass::backward && node.again != 0) ++again_backward;
  }
  EXPECT_GT(forward, 0U);
  EXPECT_GT(again_backward, 0U);  // tanh(v) is computed a second time
}

// What is computed again says which node of which function it is; a function that is called is entered for it, too.
TEST(Gradient, NamesWhatItComputesAgain) {
  const open::Program program =
      elaborated("fn g(v: f32[N]?) = tanh(v)\nfn f(v: f32[N]?) = sum(g(v) * v)\nlet (l, d) = grad(f)(ones(f32[4]))\n");
  std::vector<std::string> functions;
  for (const open::ValueId id : program.statements.at(2).region.order) {
    const open::Node& node = program.nodes[id];
    const bool is_extent = node.types.at(0).element() == synth::ElementType::i64;
    if (!node.copy_of.valid() || is_extent) continue;
    EXPECT_EQ(program.nodes[node.copy_of].span, node.span);
    const auto& entered = std::get<open::Enter>(program.nodes[node.entered].body);
    functions.push_back(program.instances[entered.instance].name);
  }
  EXPECT_EQ(functions, (std::vector<std::string>{"g", "f", "f"}));
}

}  // namespace
}  // namespace tessera::typeck
