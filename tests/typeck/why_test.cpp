// Every redistribution knows who asked, from which annotation, and what it was compared with.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "frontend/parse.hpp"
#include "typeck/check.hpp"
#include "typeck/kinds.hpp"
#include "typeck/typed/lower.hpp"

namespace tessera::typeck {
namespace {

struct Checked {
  base::SourceMap sources;
  std::shared_ptr<Typed> typed;

  std::string text(base::Span span) const { return std::string(sources.text(span)); }
  std::vector<const Redistribute*> steps() const {
    std::vector<const Redistribute*> all;
    for (const TypedStatement& statement : typed->statements) {
      const auto some = redistributions(*typed, statement.region);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
};

Checked checked(const std::string& program) {
  Checked result;
  const base::SourceId source = result.sources.add("test", program);
  auto ast = frontend::parse(result.sources, source);
  EXPECT_TRUE(ast.ok()) << program;
  synth::PlanCache plans{synth::Machine{}};
  auto typed =
      check(std::make_shared<const frontend::Ast>(std::move(ast).value()), result.sources, Environment(), plans);
  EXPECT_TRUE(typed.ok()) << (typed.ok() ? "" : typed.errors()[0].message);
  result.typed = std::make_shared<Typed>(std::move(typed).value());
  EXPECT_TRUE(verify(*result.typed).ok());
  return result;
}

TEST(Reason, AnAnnotationIsNamedAsTheAsker) {
  const Checked program = checked("mesh m = [x: 4]\nlet a = iota(f32[8@x])\nlet b: f32[8] = a\n");
  const auto steps = program.steps();
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0]->why.asker, Reason::Asker::annotation);
  EXPECT_FALSE(steps[0]->why.inserted());
  EXPECT_EQ(program.text(steps[0]->why.because), "f32[8]");
}

TEST(Reason, AnOperationNamesItsOtherOperandAndThePricedAlternatives) {
  const Checked program =
      checked("mesh m = [x: 4]\nlet a = iota(f32[512, 512@x])\nlet b = iota(f32[512@x, 512])\nlet c = a + b\n");
  const auto steps = program.steps();
  ASSERT_EQ(steps.size(), 1U);
  const Reason& why = steps[0]->why;
  EXPECT_TRUE(why.inserted());
  EXPECT_EQ(why.who, "`+`");
  EXPECT_EQ(program.text(why.asked_at), "a + b");
  ASSERT_EQ(why.compared.size(), 3U);
  EXPECT_TRUE(why.compared[0].chosen);
  for (const Alternative& alternative : why.compared)
    EXPECT_GE(alternative.seconds, why.compared[0].seconds) << alternative.description;
}

TEST(Reason, AnArgumentNamesParameterAndFunction) {
  const Checked program = checked("mesh m = [x: 4]\nfn f(w: f32[N]) -> f32[N] = w\nlet a = f(iota(f32[8@x]))\n");
  const auto steps = program.steps();
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0]->why.who, "argument w of f");
  EXPECT_EQ(program.text(steps[0]->why.because), "f32[N]");
}

TEST(Reason, AWantedLayoutIsACandidate) {
  const Checked program = checked(
      "mesh m = [x: 4]\nlet a = iota(f32[512, 512@x])\nlet b = iota(f32[512@x, 512])\nlet c = (a + b) as [512@x, "
      "512]\n");
  const auto steps = program.steps();
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0]->plan->to.layout().split(0).size(), 1U);
}

TEST(Check, WithoutAReaderOfFilesAnExtentCannotBeTakenFromOne) {
  base::SourceMap sources;
  const base::SourceId source = sources.add("test", "let a = load(\"a.npy\", f32[_])\n");
  auto ast = frontend::parse(sources, source);
  ASSERT_TRUE(ast.ok());
  synth::PlanCache plans{synth::Machine{}};
  const auto typed =
      check(std::make_shared<const frontend::Ast>(std::move(ast).value()), sources, Environment(), plans);
  ASSERT_FALSE(typed.ok());
  EXPECT_EQ(typed.errors()[0].kind, Kind::file_extent_unknown);
}

TEST(Lower, AFunctionOfCallsThatDoubleIsRefusedBeforeItFillsMemory) {
  std::string program = "fn g0(a: f32[N]) -> f32[N] = a + 1.0\n";
  for (int k = 1; k <= 40; ++k)
    program += "fn g" + std::to_string(k) + "(a: f32[N]) -> f32[N] = g" + std::to_string(k - 1) + "(g" +
               std::to_string(k - 1) + "(a))\n";
  const Checked typed = checked(program + "print g2(iota(f32[2]))\nprint g40(iota(f32[2]))\nprint 1\n");
  const auto lowered = lower(*typed.typed, Keep::nothing);
  ASSERT_FALSE(lowered.ok());
  EXPECT_EQ(lowered.errors()[0].kind.slug, "program-too-large");
  ASSERT_FALSE(lowered.errors()[0].labels.empty());
  EXPECT_EQ(typed.text(lowered.errors()[0].labels[0].span), "print g40(iota(f32[2]))");
}

TEST(Lower, TheStepsNameTheStatementTheyComeFrom) {
  const Checked typed = checked("let a = iota(f32[4])\nlet b = a * 2.0\nprint b\n");
  const auto lowered = lower(*typed.typed, Keep::nothing);
  ASSERT_TRUE(lowered.ok());
  ASSERT_FALSE(lowered->program.body.empty());
  const Origin& last = lowered->origins[lowered->program.body.back().origin];
  EXPECT_EQ(last.statement, 2U);
  EXPECT_EQ(typed.text(last.span), "print b");
}

}  // namespace
}  // namespace tessera::typeck
