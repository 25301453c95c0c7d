// The functions about texts.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tessera/analysis.hpp"
#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

TEST(Format, IsCanonical) {
  const auto once = format("let   a=[1,2]  # two\n\n\n\nprint  a", "demo.tess");
  ASSERT_TRUE(succeeded(once));
  EXPECT_EQ(*once, "let a = [1, 2]  # two\n\nprint a\n");
  EXPECT_EQ(format(*once).value(), *once);
  const auto failed = format("let = 1", "demo.tess");
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.diagnostics()[0].labels.at(0).place.file, "demo.tess");
}

TEST(IsIncomplete, WhereABracketIsOpen) {
  EXPECT_TRUE(is_incomplete("let a = (1 +\n"));
  EXPECT_TRUE(is_incomplete("let a = 1 +\n"));
  EXPECT_FALSE(is_incomplete("let a = 1\n"));
  EXPECT_FALSE(is_incomplete(""));
}

TEST(Explain, EverySlug) {
  for (const std::string& slug : all_slugs()) {
    const auto section = explain(slug);
    ASSERT_TRUE(succeeded(section)) << slug;
    EXPECT_TRUE(section->starts_with("## " + slug + "\n")) << slug;
    EXPECT_TRUE(section->ends_with("\n") && !section->ends_with("\n\n")) << slug;
    EXPECT_EQ(section->find("\n## "), std::string::npos) << slug;
  }
}

TEST(Explain, AnUnknownSlugIsAnsweredWithTheNearest) {
  const auto section = explain("axis-used-twise");
  EXPECT_EQ(slug_of(section.diagnostics()), "unknown-slug");
  EXPECT_EQ(section.diagnostics()[0].blame, Blame::command);
  EXPECT_EQ(section.diagnostics()[0].help, "did you mean `axis-used-twice`?");
  EXPECT_EQ(explain("nothing of the kind").diagnostics()[0].help, "");
  EXPECT_FALSE(explain("").ok());
}

TEST(WrittenHere, IsTheHelpOfAnErrorThatMeetsTheWord) {
  EXPECT_EQ(written_here("arange"), "write `iota(i64[n])`: 0, 1, ..., n - 1");
  EXPECT_EQ(written_here("elif"), "write `else if`");
  EXPECT_EQ(written_here("pi"), "write `3.141592653589793`");
  EXPECT_EQ(written_here("nothing of the kind"), std::nullopt);
}

TEST(AllSlugs, AreSortedAndUnique) {
  EXPECT_TRUE(std::is_sorted(all_slugs().begin(), all_slugs().end()));
  EXPECT_EQ(std::adjacent_find(all_slugs().begin(), all_slugs().end()), all_slugs().end());
  EXPECT_NE(std::find(all_slugs().begin(), all_slugs().end(), "axis-used-twice"), all_slugs().end());
}

TEST(Program, PrintsItsStages) {
  Session session;
  const auto program = session.check("mesh m = [x: 2]\nlet a = ones(f32[4@x, 4]) + ones(f32[4, 4@x])\n");
  ASSERT_TRUE(succeeded(program));
  const std::string elaborated = program->elaborated().value();
  EXPECT_NE(elaborated.find("let a: f32["), std::string::npos) << elaborated;
  EXPECT_TRUE(succeeded(session.check(elaborated)));
  EXPECT_NE(program->device_program().value().find("add"), std::string::npos);
}

TEST(Program, SaysWhyARedistributionIsThere) {
  Session session;
  const auto program =
      session.check("mesh m = [x: 2]\nlet a = ones(f32[4@x, 4]) + ones(f32[4, 4@x])\nlet b = a as [4, 4]\n");
  ASSERT_TRUE(succeeded(program));
  const auto all = program->redistributions();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].inserted);
  EXPECT_EQ(all[0].place.line, 2U);
  EXPECT_FALSE(all[0].compared.empty());
  EXPECT_EQ(std::count_if(all[0].compared.begin(), all[0].compared.end(), [](const auto& one) { return one.chosen; }),
            1);
  EXPECT_GT(all[0].plan.received_bytes_total(), 0);
  EXPECT_FALSE(all[1].inserted);
  EXPECT_EQ(all[1].place.line, 3U);
}

TEST(Version, IsThree) { EXPECT_EQ(std::count(version().begin(), version().end(), '.'), 2); }

TEST(Text, EachStageOfAProgramIsText) {
  Session session;
  for (const std::string& stage : stages()) {
    const auto text = session.text_after(stage, "mesh m = [x: 2]\nlet a = iota(f32[4@x])\n");
    ASSERT_TRUE(text) << stage;
    EXPECT_NE(text->find(stage == "assign" ? "(f32[4@x])" : "iota"), std::string::npos) << *text;
  }
  EXPECT_TRUE(session.names().empty());
  EXPECT_EQ(session.text_after("run", "let a = 1\n").diagnostics().at(0).slug, "bad-call");
  EXPECT_EQ(session.text_after("insert", "let a = b\n").diagnostics().at(0).slug, "unknown-name");
}

}  // namespace
}  // namespace tessera
