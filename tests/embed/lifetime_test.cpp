// A session that lives long: what it keeps is what can still be reached, and what it keeps counts.
#include <gtest/gtest.h>
#include <malloc.h>

#include <string>
#include <tessera/function.hpp>
#include <vector>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

double megabytes_in_use() { return static_cast<double>(mallinfo2().uordblks) / 1e6; }

// A line that says nothing, of so many bytes.
std::string remark(std::size_t bytes) { return "# " + std::string(bytes, 'x') + "\n"; }

// Texts of all sorts, the n-th of each; those of one sort bind the same names every time.
std::vector<std::string> texts_of(int n) {
  const std::string number = std::to_string(n);
  return {"let b = " + number + "\n",
          "mesh m = [x: 2]\nlet a = iota(f32[8@x]) * " + number + ".0\n",
          "fn f(v: f32[N]?) = sum(v) + f32(" + number + ")\nlet r = f(iota(f32[6]))\n",
          "fn g(v: f32) = v * 2.0\nfn h(v: f32) = g(v) + g(v)\nlet s = h(1.0)\n",
          "let k = " + number + "\nfn reads() = k + 1\nprint reads()\n",
          "plan iota(f32[8@x] on m) as [8]\n",
          "let name = \"file{b}\"\n",
          "let wrong = missing + " + number + "\n",
          "let c = 1 / (b - b)\n",
          "assert b > " + number + "\n"};
}

// Memory in use, after so many rounds more.
double after_rounds(Session& session, int from, int to, std::size_t remark_bytes) {
  for (int n = from; n < to; ++n) {
    for (const std::string& text : texts_of(n)) static_cast<void>(session.run(remark(remark_bytes) + text));
    const std::vector<float> host(8, 1);
    EXPECT_TRUE(succeeded(session.set("given", host, {8})));
    EXPECT_TRUE(succeeded(session.array("f32[8@x]", {host.data()}, nullptr)));
    EXPECT_TRUE(succeeded(session.function("h", {"f32"})));
    EXPECT_TRUE(succeeded(session.check("print s\n")));
  }
  malloc_trim(0);
  return megabytes_in_use();
}

TEST(Lifetime, TextsThatBindTheSameNamesTakeNoMore) {
  Session session;
  after_rounds(session, 1, 60, 10);
  const double before = megabytes_in_use();
  const double after = after_rounds(session, 60, 400, 10);
  EXPECT_LT(after, before + 0.5) << "megabytes in use before: " << before;
  EXPECT_EQ(session.get("b")->to_vector<std::int64_t>()->front(), 399);
  EXPECT_EQ(session.get("s")->to_vector<float>()->front(), 4);
}

TEST(Lifetime, LongTextsAreForgotten) {
  Session session;
  after_rounds(session, 1, 6, 50'000);
  const double before = megabytes_in_use();
  EXPECT_LT(after_rounds(session, 6, 36, 50'000), before + 3);
}

TEST(Lifetime, AForkKeepsWhatItHas) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("let a = 1\nfn f(v: i64) = v + a\n")));
  Session fork = session.fork();
  for (int n = 0; n < 300; ++n) ASSERT_TRUE(succeeded(session.run("let a = 2\nfn f(v: i64) = v * 100\n")));
  EXPECT_EQ(session.functions(), std::vector<std::string>{"f"});
  ASSERT_TRUE(succeeded(fork.run("let r = f(5)\n")));
  EXPECT_EQ(fork.get("r")->to_vector<std::int64_t>()->front(), 6);
  EXPECT_EQ(fork.names().front().line, 1U);
}

// What functions mean was bound before them, however often it is bound anew, and by way of other functions.
TEST(Lifetime, FunctionsMeanWhatTheyMeant) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("mesh m = [x: 2]\nlet k = 3\nlet dir = \"there\"\nfn inner(v: i64) = v + k\n")));
  ASSERT_TRUE(succeeded(session.run("fn outward(v: i64) = inner(v) * 10\nfn wide(v: f32[8@x]) = v as [8@x] on m\n")));
  ASSERT_TRUE(succeeded(session.run("fn cube(v: f32) = v * v * v\nfn slope(v: f32) = grad(cube)(v)\n")));
  for (int n = 0; n < 500; ++n) {
    ASSERT_TRUE(succeeded(session.run("mesh m = [y: 3]\nlet k = " + std::to_string(n) +
                                      "\nfn inner(v: i64) = v\nfn cube(v: f32) = v\nlet dir = 5\n")));
  }
  ASSERT_TRUE(succeeded(session.run("let r = outward(1)\nlet (p, s) = slope(2.0)\nlet i = inner(1)\n")));
  EXPECT_EQ(session.get("r")->to_vector<std::int64_t>()->front(), 40);
  EXPECT_EQ(session.get("s")->to_vector<float>()->front(), 12);
  EXPECT_EQ(session.get("i")->to_vector<std::int64_t>()->front(), 1);
  EXPECT_EQ(session.get("k")->to_vector<std::int64_t>()->front(), 499);
  // Mistakes in old texts still have their place.
  const auto wrong = session.run("let t = outward(1.0)\n");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.diagnostics().front().labels.front().place.line, 1U);
}

TEST(Lifetime, TextsCountAgainstTheMemoryThatIsAllowed) {
  Config config;
  config.memory_bytes_max = 16 << 20;
  Session session(config);
  const double before = megabytes_in_use();
  // One name: no text is kept.
  for (int n = 0; n < 300; ++n) ASSERT_TRUE(succeeded(session.run(remark(200'000) + "let a = 1\n"))) << n;
  EXPECT_LT(megabytes_in_use(), before + 16);
  // A name from each: they are refused at the limit, and the session goes on.
  int kept = 0;
  std::string slug;
  for (; kept < 300 && slug.empty(); ++kept) {
    const auto done = session.run(remark(200'000) + "let a" + std::to_string(kept) + " = 1\n");
    if (!done) slug = slug_of(done.diagnostics());
  }
  EXPECT_EQ(slug, "out-of-memory-plan");
  EXPECT_LT(kept, 90);
  EXPECT_GT(kept, 60);
  EXPECT_LT(megabytes_in_use(), before + 3 * 16);
  EXPECT_EQ(session.get("a")->to_vector<std::int64_t>()->front(), 1);
}

TEST(Lifetime, PlansOfEverNewShapesDoNotPileUp) {
  Config config;
  config.memory_bytes_max = 64 << 20;
  Session session(config);
  const auto plan_some = [&](int from, int to) {
    for (int n = from; n < to; ++n) {
      const std::string text = "mesh m = [x: 4]\nplan zeros(f32[" + std::to_string(4 * n) + "@x, 8]) as [_, 8@x]\n";
      std::string written = text;
      written.replace(written.find('_'), 1, std::to_string(4 * n));
      ASSERT_TRUE(succeeded(session.run(written)));
    }
  };
  plan_some(1, 1500);
  const double before = megabytes_in_use();
  plan_some(1500, 6000);
  EXPECT_LT(megabytes_in_use(), before + 32);
}

}  // namespace
}  // namespace tessera
