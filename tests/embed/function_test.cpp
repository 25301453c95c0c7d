// Functions that are compiled once: what they take, what they give, and that they change nothing.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <tessera/function.hpp>
#include <thread>
#include <vector>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

constexpr const char* kProgram =
    "mesh m = [x: 4]\n"
    "let scale = 3.0\n"
    "fn twice(a: f32[10@x]) -> f32[10@x] = a * 2.0\n"
    "fn scaled(a: f32[n@x]) = a * scale\n"
    "fn both(a: f32[10@x], b: f32[10@x]) = (a + b, sum(a))\n"
    "fn same(a: f32[10@x]) = a\n"
    "fn inverse(a: i32[4]) = 12 / a\n"
    "fn telling(a: i32) { print a\n a }\n";

Session prepared() {
  Session session;
  EXPECT_TRUE(succeeded(session.run(kProgram)));
  return session;
}

template <class T>
Array array_of(Session& session, const std::string& type, const std::vector<T>& values) {
  // Kept by the array.
  auto keep = std::make_shared<const std::vector<T>>(values);
  auto made = session.array(type, {keep->data()}, keep);
  EXPECT_TRUE(succeeded(made));
  return made.value();
}

std::vector<float> counted(std::size_t count, float factor = 1) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i) * factor;
  return values;
}

std::string complaint(const Diagnostics& why) { return slug_of(why) + ": " + (why.empty() ? "" : why.front().message); }

TEST(Functions, AreCalledAnyNumberOfTimes) {
  Session session = prepared();
  const auto twice = session.function("twice");
  ASSERT_TRUE(succeeded(twice));
  EXPECT_EQ(twice->parameters(), std::vector<std::string>{"f32[10@x]"});
  EXPECT_EQ(twice->results(), std::vector<std::string>{"f32[10@x]"});
  for (int round = 0; round < 100; ++round) {
    const auto values = counted(10, static_cast<float>(round));
    const auto results = twice->call({array_of(session, "f32[10@x]", values)});
    ASSERT_TRUE(succeeded(results));
    EXPECT_EQ(results->front().to_vector<float>().value(), counted(10, static_cast<float>(2 * round)));
  }
}

TEST(Functions, GiveSeveralResultsAndTheirArguments) {
  Session session = prepared();
  const auto both = session.function("both");
  ASSERT_TRUE(succeeded(both));
  const Array a = array_of(session, "f32[10@x]", counted(10));
  const auto results = both->call({a, a});
  ASSERT_TRUE(succeeded(results));
  ASSERT_EQ(results->size(), 2U);
  EXPECT_EQ((*results)[0].to_vector<float>().value(), counted(10, 2));
  EXPECT_EQ((*results)[1].to_vector<float>().value(), std::vector<float>{45});
  const auto same = session.function("same");
  ASSERT_TRUE(succeeded(same));
  EXPECT_EQ(same->call({a})->front().to_vector<float>().value(), counted(10));
}

TEST(Functions, KeepWhatTheyReadOfTheSession) {
  std::optional<Function> scaled;
  std::optional<Array> a;
  {
    Session session = prepared();
    scaled = session.function("scaled", {"f32[6@x]"}).value();
    a = array_of(session, "f32[6@x]", counted(6));
    ASSERT_TRUE(succeeded(session.run("let scale = 5.0\n")));
  }
  EXPECT_EQ(scaled->call({*a})->front().to_vector<float>().value(), counted(6, 3));
}

TEST(Functions, ChangeNothingInTheSession) {
  Session session = prepared();
  const auto names = session.names().size();
  const auto program = session.check("let later = scale\n");
  const auto twice = session.function("twice");
  ASSERT_TRUE(succeeded(twice));
  ASSERT_TRUE(succeeded(twice->call({array_of(session, "f32[10@x]", counted(10))})));
  EXPECT_EQ(session.names().size(), names);
  EXPECT_TRUE(succeeded(session.run(*program)));  // as it was when the program was checked
}

TEST(Functions, TakeExactlyTheDeclaredTypes) {
  Session session = prepared();
  const auto twice = session.function("twice");
  ASSERT_TRUE(succeeded(twice));
  const auto wrong = twice->call({array_of(session, "f32[10]", counted(10))});
  EXPECT_EQ(complaint(wrong.diagnostics()), "bad-call: argument 1 of `twice` is f32[10@x], not f32[10]");
  EXPECT_EQ(complaint(twice->call({}).diagnostics()), "bad-call: `twice` takes 1 argument, not 0");
  Session elsewhere;
  ASSERT_TRUE(succeeded(elsewhere.run("mesh m = [x: 5]\n")));
  EXPECT_EQ(complaint(twice->call({array_of(elsewhere, "f32[10@x]", counted(10))}).diagnostics()),
            "bad-call: argument 1 of `twice` lives on a mesh x:4, not x:5");
  EXPECT_EQ(complaint(session.function("twice", {"f32[10]"}).diagnostics()),
            "bad-call: argument a of twice is declared f32[10@x], not f32[10]: give that type, and "
            "redistribute before the call");
}

TEST(Functions, TakeAndGiveTheFieldsOfRecords) {
  Session session;
  ASSERT_TRUE(succeeded(
      session.run("mesh m = [x: 2]\n"
                  "fn moved(p: {w: f32[4@x], layer: {b: f32}}, by: f32) = ({..p, w: p.w + by}, p.layer.b)\n")));
  const auto moved = session.function("moved");
  ASSERT_TRUE(succeeded(moved));
  EXPECT_EQ(moved->parameters(), (std::vector<std::string>{"f32[4@x]", "f32", "f32"}));
  EXPECT_EQ(moved->parameter_parts()[1].field, "layer.b");
  EXPECT_EQ(moved->parameter_parts()[2].of, 1U);
  EXPECT_EQ(moved->results(), (std::vector<std::string>{"f32[4@x]", "f32", "f32"}));
  EXPECT_EQ(moved->result_parts()[0].field, "w");
  EXPECT_EQ(moved->result_parts()[2].of, 1U);
  const Array w = array_of(session, "f32[4@x]", counted(4));
  const Array one = array_of(session, "f32", std::vector<float>{1});
  const auto results = moved->call({w, one, one});
  ASSERT_TRUE(succeeded(results));
  EXPECT_EQ(results->front().to_vector<float>().value(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(complaint(moved->call({w, w, one}).diagnostics()),
            "bad-call: field `layer.b` of argument 1 of `moved` is f32, not f32[4@x]");
  EXPECT_EQ(complaint(moved->call({w}).diagnostics()),
            "bad-call: `moved` takes 3 arrays, one for each field of its records, not 1");
}

TEST(Functions, SayWhyThereIsNone) {
  Session session = prepared();
  EXPECT_EQ(complaint(session.function("thrice").diagnostics()), "bad-call: there is no function `thrice`");
  EXPECT_EQ(session.function("twise").diagnostics().at(0).help, "did you mean `twice`?");
  EXPECT_EQ(
      complaint(session.function("scaled").diagnostics()),
      "bad-call: the parameter `a` of `scaled` takes arguments of several types (f32[n@x]): give the types of the "
      "arguments");
  EXPECT_EQ(slug_of(session.function("scaled", {"f32[6@y]"}).diagnostics()), "unknown-axis");
  EXPECT_EQ(slug_of(session.function("scaled", {"f32[6]) + zeros(f32[6]"}).diagnostics()), "unmatched-bracket");
  EXPECT_EQ(slug_of(session.function("both", {"f32[10@x]"}).diagnostics()), "bad-call");
}

TEST(Functions, FailAsAProgramDoes) {
  Session session = prepared();
  const auto inverse = session.function("inverse");
  ASSERT_TRUE(succeeded(inverse));
  const auto failed = inverse->call({array_of<std::int32_t>(session, "i32[4]", {1, 2, 0, 3})});
  ASSERT_EQ(slug_of(failed.diagnostics()), "division-by-zero");
  EXPECT_EQ(failed.diagnostics().front().labels.front().place.line, 7U);
  const auto done = inverse->call({array_of<std::int32_t>(session, "i32[4]", {1, 2, 4, 3})});
  ASSERT_TRUE(succeeded(done));
  EXPECT_EQ(done->front().to_vector<std::int32_t>().value(), (std::vector<std::int32_t>{12, 6, 3, 4}));
}

TEST(Functions, AScalarArgumentIsNotTheOneItWasCheckedWith) {
  Recording recording;
  ASSERT_TRUE(succeeded(recording.session.run(kProgram)));
  const auto telling = recording.session.function("telling");
  ASSERT_TRUE(succeeded(telling));
  ASSERT_TRUE(succeeded(telling->call({array_of<std::int32_t>(recording.session, "i32", {7})})));
  EXPECT_EQ(*recording.text, "7\n");
}

TEST(Functions, GiveTheSameBitsFromSeveralThreads) {
  Session session;
  ASSERT_TRUE(succeeded(
      session.run("mesh m = [x: 4]\nfn f(a: f32[64@x], b: f32[64]) = (exp(a) / 3.0, sum((a as [64]) * b))\n")));
  const auto f = session.function("f");
  ASSERT_TRUE(succeeded(f));
  const Array a = array_of(session, "f32[64@x]", counted(64, 0.1F));
  const Array b = array_of(session, "f32[64]", counted(64, 0.3F));
  const auto expected = f->call({a, b});
  ASSERT_TRUE(succeeded(expected));
  constexpr int kThreads = 4;
  constexpr int kCalls = 2500;
  std::atomic<int> different = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kCalls; ++i) {
        const auto results = f->call({a, b});
        if (!results || (*results)[0].bytes() != (*expected)[0].bytes() ||
            (*results)[1].bytes() != (*expected)[1].bytes())
          ++different;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(different, 0);
}

// AddressSanitizer's build says at the end if a cycle left something behind.
TEST(Functions, AreMadeAndLeftAThousandTimes) {
  for (int cycle = 0; cycle < 1000; ++cycle) {
    Session session;
    ASSERT_TRUE(succeeded(session.run("mesh m = [x: 2]\nfn f(a: f32[4@x]) -> f32[4@x] = a + 1.0\n")));
    const auto f = session.function("f");
    ASSERT_TRUE(succeeded(f));
    const auto results = f->call({array_of(session, "f32[4@x]", counted(4))});
    ASSERT_TRUE(succeeded(results));
    EXPECT_EQ(results->front().to_vector<float>()->at(3), 4);
  }
}

TEST(Functions, AStopTokenEndsThemForGood) {
  StopToken token;
  Config config;
  config.stop = token;
  Session session(config);
  ASSERT_TRUE(succeeded(session.run("fn f(a: f32) = a + 1.0\n")));
  const auto f = session.function("f");
  ASSERT_TRUE(succeeded(f));
  const Array a = array_of<float>(session, "f32", {1});
  EXPECT_TRUE(succeeded(f->call({a})));
  token.stop();
  EXPECT_EQ(slug_of(f->call({a}).diagnostics()), "interrupted");
  EXPECT_EQ(slug_of(session.run("let b = 1\n").diagnostics()), "interrupted");
  EXPECT_EQ(slug_of(session.run("let b = 1\n").diagnostics()), "interrupted");
  PlanRequest request{.mesh = "x:4,y:4", .from = "f32[64@x,64]", .to = "f32[64,64@(x,y)]"};
  EXPECT_TRUE(succeeded(make_plan(request)));
  request.stop = token;
  EXPECT_EQ(slug_of(make_plan(request).diagnostics()), "interrupted");
}

}  // namespace
}  // namespace tessera
