// Hostile texts and values through the public interface: the answer is a value or diagnostics, and the session lives
// on.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/limits/expect.hpp"

namespace tessera::limits {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t k = 0; k < times; ++k) result += text;
  return result;
}

std::vector<std::string> hostile_texts() {
  constexpr std::size_t kMany = 100'000;
  return {"",
          std::string(1, '\0'),
          std::string("let a = 1\0let b = 2", 19),
          "\xff\xfe",
          "\xed\xa0\x80",
          repeated("(", kMany),
          repeated("[", kMany),
          repeated("{", kMany),
          repeated(")", kMany),
          repeated("-", kMany),
          repeated("!", kMany),
          repeated("a as ", kMany),
          repeated("f32[", kMany),
          repeated("x:", kMany),
          repeated("9", kMany),
          repeated("\"", kMany),
          repeated("\\", kMany),
          repeated("{\"mesh\":", kMany),
          repeated("f(", kMany),
          "f32[9223372036854775807, 9223372036854775807]",
          "f32[8@x]{+x}",
          "x:9223372036854775807,y:9223372036854775807"};
}

TEST(HostileTexts, OfPrograms) {
  for (const std::string& text : hostile_texts()) {
    const std::string shown = text.substr(0, 40);
    Session session;
    expect_no_bug(session.check(text, text), shown);
    expect_no_bug(session.run(text), shown);
    expect_no_bug(format(text), shown);
    (void)is_incomplete(text);
    const auto done = session.run("let a = sum(iota(i64[4]))");
    EXPECT_TRUE(done.ok()) << shown;
  }
}

PlanRequest request(std::string mesh, std::string from, std::string to, std::string planner = "tessera") {
  PlanRequest made;
  made.mesh = std::move(mesh);
  made.from = std::move(from);
  made.to = std::move(to);
  made.planner = std::move(planner);
  return made;
}

TEST(HostileTexts, OfPlansAndFiles) {
  for (const std::string& text : hostile_texts()) {
    const std::string shown = text.substr(0, 40);
    expect_no_bug(make_plan(request(text, "f32[8@x]", "f32[8]")), shown);
    expect_no_bug(make_plan(request("x:4", text, "f32[8]")), shown);
    expect_no_bug(make_plan(request("x:4", "f32[8@x]", text)), shown);
    expect_no_bug(make_plan(request("x:4", "f32[8@x]", "f32[8]", text)), shown);
    expect_no_bug(parse_machine(text, text), shown);
    expect_no_bug(parse_plan_request(text), shown);
    expect_no_bug(parse_size(text), shown);
    expect_no_bug(explain(text), shown);
  }
}

TEST(HostileTexts, AsNamesAndDefines) {
  for (const std::string& text : hostile_texts()) {
    const std::string shown = text.substr(0, 40);
    Session session(Config{.defines = {{"n", text}}});
    expect_no_bug(session.check("let n = 4\nlet a = iota(f32[n])"), shown);
    expect_no_bug(session.set(text, std::vector<float>{1}, {1}), shown);
    expect_no_bug(session.get(text), shown);
  }
}

TEST(HostileValues, DoNotFitTheirShape) {
  Session session;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::vector<std::int64_t>& shape : std::vector<std::vector<std::int64_t>>{
           {2}, {-1}, {kMost, kMost}, {kMost, 0}, std::vector<std::int64_t>(100, 1)}) {
    expect_no_bug(session.set("a", std::vector<float>{1}, shape), testing::PrintToString(shape));
  }
}

// Everything is refused or limited before memory is asked for.
TEST(HostilePrograms, WantMoreMemoryThanTheyMayHave) {
  Session session(Config{.memory_bytes_max = 1 << 20});
  const auto done = session.run("let a = iota(f32[1000000])\nprint a");
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.diagnostics()[0].blame, Blame::world);
  EXPECT_TRUE(session.run("let a = iota(f32[1000])").ok());
}

}  // namespace
}  // namespace tessera::limits
