// Answers cut down to what they are made of, and the numbers that lessons ask for.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "repl/course/attempt.hpp"
#include "repl/course/checks/score.hpp"
#include "repl/course/count_layouts.hpp"
#include "repl/course/measures.hpp"
#include "repl/course/values.hpp"

namespace tessera::repl {
namespace {

Session after(const std::string& text) {
  Session session;
  EXPECT_TRUE(session.run(text).ok()) << text;
  return session;
}

Attempt attempt_of(const std::vector<std::string>& statements) {
  Attempt attempt(Lesson{}, after("mesh m = [x: 4]\nlet a = iota(f32[8@x])\n"));
  for (const std::string& statement : statements) (void)attempt.add(statement, "test", 1);
  return attempt;
}

TEST(Attempt, KeepsWhatANameIsMadeOf) {
  const Attempt attempt = attempt_of({"let t = a as [8]", "let u = t * 2.0", "let b = t as [8@x]", "print u"});
  EXPECT_EQ(attempt.program({"b"}), "let t = a as [8]\nlet b = t as [8@x]\n");
  EXPECT_EQ(attempt.program({"u"}), "let t = a as [8]\nlet u = t * 2.0\n");
  EXPECT_EQ(attempt.program({}), "");
}

TEST(Attempt, CountsTheLastOfEachName) {
  const Attempt attempt = attempt_of({"let b = a as [8]", "let b = a + 1.0", "let b = b * 2.0"});
  EXPECT_EQ(attempt.program({"b"}), "let b = a + 1.0\nlet b = b * 2.0\n");
}

TEST(Attempt, KeepsMeshesAndFunctions) {
  const Attempt attempt = attempt_of({"fn f(v: f32[8@x]) = v + 1.0", "let b = f(a)", "mesh n = [z: 2]"});
  EXPECT_EQ(attempt.program({"b"}), "fn f(v: f32[8@x]) = v + 1.0\nlet b = f(a)\nmesh n = [z: 2]\n");
}

TEST(Attempt, RemembersWhatWasRefusedUntilItIsBound) {
  Attempt attempt = attempt_of({"let b = c"});
  ASSERT_NE(attempt.refusal("b"), nullptr);
  EXPECT_EQ(attempt.refusal("b")->front().slug, "unknown-name");
  EXPECT_TRUE(attempt.settles({"b"}));
  EXPECT_FALSE(attempt.binds("b"));
  EXPECT_TRUE(attempt.add("let b = a", "test", 1).ok());
  EXPECT_EQ(attempt.refusal("b"), nullptr);
  EXPECT_FALSE(attempt.settles({"b", "c"}));
}

TEST(Statements, AreFoundInAText) {
  const auto found = statements_of("# a comment\nlet a = [\n  1,\n]\n\nlet b = (");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].text, "let a = [\n  1,\n]\n");
  EXPECT_EQ(found[0].line, 2U);
  EXPECT_EQ(found[1].text, "let b = (\n");
  EXPECT_EQ(found[1].line, 6U);
  EXPECT_EQ(names_let_in("let (a, b2) = f(c)"), (std::vector<std::string>{"a", "b2"}));
  EXPECT_EQ(names_let_in("let a: f32[N] = b"), std::vector<std::string>{"a"});
  EXPECT_TRUE(names_let_in("print a").empty());
}

TEST(CountLayouts, OfSeveralMeshes) {
  const auto count = [](const std::string& mesh, const std::string& subject) {
    const auto counted = count_layouts(after(mesh), subject);
    return counted.value ? counted.value->number : -1;
  };
  // Of k axes, j may stand in lists on r dimensions in k! / (k-j)! * binomial(j+r-1, j) ways.
  EXPECT_EQ(count("let a = 1", "rank 2"), 1);
  EXPECT_EQ(count("mesh m = [x: 4]", "rank 1"), 2);
  EXPECT_EQ(count("mesh m = [x: 4]", "rank 1 with pending"), 3);
  EXPECT_EQ(count("mesh m = [x: 2, y: 2]", "rank 1"), 5);
  EXPECT_EQ(count("mesh m = [x: 2, y: 3, z: 2]", "rank 2"), 49);
  EXPECT_EQ(count("mesh m = [a: 2, b: 2, c: 2, d: 2]", "rank 1"), -1);
  EXPECT_EQ(count("mesh m = [x: 4]", "rank 4"), -1);
}

Numbers measured(const std::string& fact) {
  const Session session = after("mesh m = [x: 3, y: 2]\nlet a = iota(i64[8@(x,y), 2])\nlet b = iota(f32[5@x])");
  const auto found = measure(session, fact);
  EXPECT_TRUE(found.value.has_value()) << fact << ": " << found.why;
  return found.value ? found.value->value : Numbers{};
}

TEST(Measure, OfArrays) {
  EXPECT_EQ(measured("tile of a"), (Numbers{1, 2}));
  EXPECT_EQ(measured("tile of a on x=1"), (Numbers{2, 2}));
  EXPECT_EQ(measured("bytes of a on x=1, y=0"), Numbers{32});
  EXPECT_EQ(measured("copies of b"), Numbers{2});
  EXPECT_EQ(measured("tile of transpose(a)"), (Numbers{2, 1}));
  EXPECT_EQ(measured("sum(b)"), Numbers{10});
}

TEST(Measure, OfChanges) {
  EXPECT_EQ(measured("total of a as [8, 2]"), Numbers{6 * 128 - 128});
  EXPECT_EQ(measured("received of a as [8, 2]"), Numbers{112});
  EXPECT_EQ(measured("launches of all_gather(a, 0, (x, y))"), Numbers{1});
  EXPECT_EQ(measured("launches of slice(b as [5], 0, y)"), Numbers{1});
  EXPECT_EQ(measured("idle of (b as [5]) as [5@x]"), Numbers{});
  EXPECT_EQ(measured("idle of slice(b, 0, y)"), (Numbers{0, 1, 2, 3, 4, 5}));
}

TEST(Scores, AgainstPar) {
  const Score par{100, 50, 2};
  EXPECT_EQ(first_over_par({101, 50, 2}, par, "bytes, peak"), "bytes");
  EXPECT_EQ(first_over_par({101, 51, 2}, par, "launches, peak"), "peak");
  EXPECT_EQ(first_over_par({99, 50, 3}, par, "bytes, peak"), "");
  EXPECT_EQ(scores_at_par({99, 50, 3}, par), 2);
  EXPECT_EQ(unknown_score("bytes, steps"), "steps");
  EXPECT_EQ(unknown_score("bytes, peak, launches"), "");
}

TEST(Values, AreComparedAsNumbers) {
  EXPECT_TRUE(same_numbers({1, 2}, {1, 2.000001}));
  EXPECT_FALSE(same_numbers({1, 2}, {1, 2.001}));
  EXPECT_FALSE(same_numbers({1}, {1, 1}));
  EXPECT_EQ(first_difference({1, 2, 3}, {1, 5, 4}), 1U);
  EXPECT_EQ(text_of({1536}), "1536");
  EXPECT_EQ(text_of({16, 2.5}), "[16, 2.5]");
}

TEST(Devices, AreNamed) {
  const MeshAxes mesh = {{"x", 4}, {"y", 2}};
  EXPECT_EQ(device_text(mesh, 3), "device 3 (x=1, y=1)");
  EXPECT_EQ(device_at(mesh, "x=1, y=1"), 3);
  EXPECT_EQ(device_at(mesh, "x=3"), 6);
  EXPECT_EQ(device_at(mesh, ""), 0);
  for (const char* none : {"x=4", "z=0", "x", "x=-1", "x=1=2"}) EXPECT_FALSE(device_at(mesh, none).has_value()) << none;
  EXPECT_EQ(box_text({{0, 2}, {3, 4}}), "[0:2, 3:4]");
  EXPECT_EQ(box_text({{0, 0}}), "nothing");
}

}  // namespace
}  // namespace tessera::repl
