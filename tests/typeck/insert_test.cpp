// Where what is inserted may be used.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "frontend/parse.hpp"
#include "typeck/check.hpp"
#include "typeck/typed/lower.hpp"

namespace tessera::typeck {
namespace {

// The nodes that one uses, but for those that its regions use.
struct UsedBy {
  std::vector<NodeId> operator()(const Parameter&) const { return {}; }
  std::vector<NodeId> operator()(const Input&) const { return {}; }
  std::vector<NodeId> operator()(const Compute& body) const { return body.operands; }
  std::vector<NodeId> operator()(const Redistribute& body) const { return {body.operand}; }
  std::vector<NodeId> operator()(const Call& body) const { return body.arguments; }
  std::vector<NodeId> operator()(const Loop& body) const {
    std::vector<NodeId> all = body.initial;
    all.push_back(body.count);
    return all;
  }
  std::vector<NodeId> operator()(const If& body) const { return {body.condition}; }
  std::vector<NodeId> operator()(const Again&) const { return {}; }
  std::vector<NodeId> operator()(const Element& body) const { return {body.tuple}; }
};

// Counts uses of nodes that no region around the use computes. Of a statement only what it binds is seen outside.
class HiddenUses {
 public:
  explicit HiddenUses(const Typed& typed) : typed_(typed) {
    for (std::size_t k = 0; k < typed.nodes.size(); ++k) {
      if (std::holds_alternative<Input>(typed.nodes.items()[k].body))
        seen_.insert(NodeId{static_cast<std::uint32_t>(k)});
    }
    for (const TypedStatement& statement : typed.statements) {
      region(statement.region, {});
      for (const Bound& bound : statement.bound) seen_.insert(bound.node);
    }
    for (const Instance& instance : typed.instances.items()) region(instance.body, instance.parameters);
  }

  std::size_t count() const { return count_; }

 private:
  void region(const Region& nodes, const std::vector<NodeId>& given) {
    const std::set<NodeId> outer = seen_;
    seen_.insert(given.begin(), given.end());
    for (const NodeId id : nodes.order) {
      node(typed_.nodes[id]);
      seen_.insert(id);
    }
    uses(nodes.results);
    seen_ = outer;
  }
  void node(const Node& one) {
    uses(std::visit(UsedBy{}, one.body));
    if (const auto* loop = std::get_if<Loop>(&one.body)) {
      std::vector<NodeId> given = loop->parameters;
      given.push_back(loop->index);
      given.insert(given.end(), loop->indices_elsewhere.begin(), loop->indices_elsewhere.end());
      region(loop->body, given);
    } else if (const auto* branch = std::get_if<If>(&one.body)) {
      region(branch->then_region, {});
      region(branch->else_region, {});
    } else if (const auto* again = std::get_if<Again>(&one.body)) {
      region(again->body, {});
    }
  }
  void uses(const std::vector<NodeId>& nodes) {
    for (const NodeId id : nodes) count_ += seen_.contains(id) ? 0 : 1;
  }

  const Typed& typed_;
  std::set<NodeId> seen_;
  std::size_t count_ = 0;
};

Typed checked_for_uses(const std::string& program) {
  base::SourceMap sources;
  auto ast = frontend::parse(sources, sources.add("test", program));
  EXPECT_TRUE(ast.ok()) << program;
  synth::PlanCache plans{synth::Machine{}};
  auto typed = check(std::make_shared<const frontend::Ast>(std::move(ast).value()), sources, Environment(), plans);
  EXPECT_TRUE(typed.ok()) << (typed.ok() ? "" : typed.errors()[0].message) << "\n" << program;
  return std::move(typed).value();
}

// A function is closed once for all of its calls: what was moved beside the first is not there beside the others. It
// is called first in every kind of place, after its caller moved what it moves, too.
TEST(Insert, AFunctionUsesNothingThatItsCallerMoved) {
  const std::string before =
      "mesh m = [x: 2]\nlet w = iota(f32[4, 4@x])\nlet v = ones(f32[4])\n"
      "fn f(a: f32[N]?) = sum(a) + sum(sin(w as [4@x, 4]))\n";
  const std::string moved = "sum(cos(w as [4@x, 4]))";
  const std::vector<std::string> places = {
      "print " + moved + " + f(v)\n",
      "let p = if sum(v) > 0.0 { " + moved + " + f(v) } else { f(v) }\n",
      "let p = if sum(v) > 0.0 { sum(v) } else { " + moved + " + f(v) }\n",
      "let p = loop s = sum(v) for i < 3 { s + " + moved + " + f(v) }\n",
      "let p = again { " + moved + " + f(v) }\n",
      "fn g(a: f32[N]?) = " + moved + " + f(a)\nprint g(v)\n",
      "plan " + moved + " + f(v)\n",
      "fn g(a: f32[N]?) = sum(a) * " + moved + " + f(a)\nlet (l, d) = grad(g)(v)\n",
  };
  for (const std::string& place : places) {
    const Typed typed = checked_for_uses(before + place + "print f(v)\n");
    EXPECT_TRUE(verify(typed).ok()) << place;
    EXPECT_EQ(HiddenUses(typed).count(), 0U) << place;
    EXPECT_TRUE(lower(typed, Keep::nothing).ok()) << place;
  }
}

}  // namespace
}  // namespace tessera::typeck
