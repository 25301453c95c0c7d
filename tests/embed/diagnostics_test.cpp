// Diagnostics as the host gets them: places, labels, blame.
#include <gtest/gtest.h>

#include <string>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

TEST(Diagnostics, ThePrimaryLabelComesFirst) {
  Session session;
  const auto failed = session.check("mesh m = [x: 4]\nfn g(a: f32[8@x, 8@x]) = a\n", "demo.tess");
  ASSERT_EQ(failed.diagnostics().size(), 1U);
  const Diagnostic& diagnostic = failed.diagnostics()[0];
  EXPECT_EQ(diagnostic.slug, "axis-used-twice");
  EXPECT_EQ(diagnostic.severity, Severity::error);
  EXPECT_EQ(diagnostic.blame, Blame::program);
  ASSERT_EQ(diagnostic.labels.size(), 2U);
  EXPECT_TRUE(diagnostic.labels[0].primary);
  EXPECT_FALSE(diagnostic.labels[1].primary);
  const Place& place = diagnostic.labels[0].place;
  EXPECT_EQ(place.file, "demo.tess");
  EXPECT_EQ(place.line, 2U);
  EXPECT_EQ(place.column, 20U);
  EXPECT_EQ(place.length, 1U);
  EXPECT_EQ(place.line_text, "fn g(a: f32[8@x, 8@x]) = a");
  EXPECT_EQ(place.line_text_column, 1U);
  EXPECT_EQ(diagnostic.labels[1].place.column, 15U);
}

TEST(Diagnostics, OfAllMistakes) {
  Session session;
  const auto failed = session.check("let a = one\nlet b = 2\nlet c = three\nlet d = four\n");
  ASSERT_EQ(failed.diagnostics().size(), 3U);
  EXPECT_EQ(failed.diagnostics()[2].labels[0].place.line, 4U);
}

TEST(Diagnostics, PlacesInEarlierTextsKeepTheirNames) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("fn half(a: f32[N]?) = a\n", "first.tess", 100)));
  const auto failed = session.check("let b = half(ones(f32[4, 4]))\n", "second.tess", 200);
  ASSERT_FALSE(failed.ok());
  bool first = false;
  for (const Label& label : failed.diagnostics()[0].labels) {
    if (label.place.file == "first.tess") first = label.place.line == 100;
  }
  EXPECT_TRUE(first);
}

TEST(Diagnostics, RuntimeFailuresNameTheExpression) {
  Session session;
  const auto failed = session.run("let z = 0\nlet i = sum(iota(i64[3]))\nlet b = 10 / (i - 3)\n", "demo.tess");
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(slug_of(failed.diagnostics()), "division-by-zero");
  ASSERT_FALSE(failed.diagnostics()[0].labels.empty());
  EXPECT_EQ(failed.diagnostics()[0].labels[0].place.line, 3U);
  EXPECT_TRUE(failed.diagnostics()[0].labels[0].primary);
}

TEST(Diagnostics, LongLinesAreCutAroundThePlace) {
  Session session;
  const std::string blanks(100'000, ' ');
  const auto failed = session.check("let a =" + blanks + "wrong" + blanks + "\n");
  ASSERT_FALSE(failed.ok());
  const Place& place = failed.diagnostics()[0].labels[0].place;
  EXPECT_EQ(place.column, 100'008U);
  EXPECT_LT(place.line_text.size(), 5'000U);
  EXPECT_EQ(place.line_text.substr(place.column - place.line_text_column, 5), "wrong");
}

TEST(Diagnostics, HugeTextsAreRefused) {
  Session session;
  EXPECT_EQ(slug_of(session.check(std::string(text_bytes_max + 1, '\n')).diagnostics()), "source-too-large");
  EXPECT_TRUE(succeeded(session.check(std::string(1 << 16, '\n'))));
}

}  // namespace
}  // namespace tessera
