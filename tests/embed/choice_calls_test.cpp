// Calls of one function, also within gradients, are laid out alike: the choice is found as fast for many as for one,
// values stay what they are, and the closed form is the same program.
#include <gtest/gtest.h>
#include <tessera/choice.hpp>
#include <tessera/tessera.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/embed/choice_support.hpp"

namespace tessera {
namespace {

std::string for_each(int count, const std::string& before, const std::string& after = "") {
  std::string all;
  for (int k = 0; k < count; ++k) all += before + std::to_string(k) + after;
  return all;
}

// A training step of layers that follow each other, each with a weight of its own.
std::string layers(int count) {
  std::string text =
      "mesh m = [d: 4]\n"
      "fn layer(h: f32[B, D]?, w: f32[D, D]?) = h + tanh(h @ w)\n"
      "fn next(w: f32[D, D]?, g: f32[D, D]?) = w - 0.1 * g\n"
      "fn loss(h: f32[B, D]?" +
      for_each(count, ", w", ": f32[D, D]?") + ") -> f32 {\n";
  for (int k = 0; k < count; ++k) text += "  let h = layer(h, w" + std::to_string(k) + ")\n";
  text += "  sum(h * h) / 100.0\n}\nauto fn step(h: f32[B, D] auto" + for_each(count, ", w", ": f32[D, D] auto") +
          ") -> (f32" + for_each(count, ", f32[D, D] as w") + ") {\n  let (l" + for_each(count, ", g") +
          ") = grad(loss, wrt=[" + for_each(count, ", w").substr(2) + "])(h" + for_each(count, ", w") + ")\n  (l";
  for (int k = 0; k < count; ++k) text += ", next(w" + std::to_string(k) + ", g" + std::to_string(k) + ")";
  text += ")\n}\nlet (l" + for_each(count, ", w") + ") = step(normal(f32[32, 16], seed=1)";
  for (int k = 0; k < count; ++k) text += ", 0.1 * normal(f32[16, 16], seed=" + std::to_string(2 + k) + ")";
  return text + ")\n";
}

Choice choice_of(const std::string& text, bool is_untied, const Config& config = {}) {
  const auto chosen = choose_layouts(text, "t.tess", config, {"", 60, is_untied, false, false, 0});
  EXPECT_TRUE(chosen) << text << (chosen ? "" : chosen.diagnostics().front().message);
  return chosen ? chosen->choices.at(0) : Choice{};
}

TEST(Choice, AsksOfManyCallsInAGradientAsMuchAsOfAFew) {
  const Choice few = choice_of(layers(3), false);
  const Choice many = choice_of(layers(12), false);
  EXPECT_TRUE(few.verified && many.verified);
  // Weights and their steps are laid out alike, too.
  EXPECT_EQ(many.operations, few.operations);
  EXPECT_LE(many.plans, few.plans);
  EXPECT_GT(choice_of(layers(12), true).operations, 3 * many.operations);
}

// Steps with momentum, which all have the same rate; those of the first `other` weights are twice as large.
std::string with_momentum(int count, int other, bool is_auto) {
  std::string text = layers(count);
  const std::size_t begin = text.find("auto fn step");
  text.resize(begin);
  if (!is_auto) text.replace(text.find("d: 4"), 4, "d: 1");
  const std::string open = is_auto ? " auto" : "?";
  const auto types = [&](const std::string& name) {
    return is_auto ? for_each(count, ", f32[D, D] as " + name) : std::string();
  };
  text += std::string(is_auto ? "auto " : "") + "fn step(h: f32[B, D]" + open +
          for_each(count, ", w", ": f32[D, D]" + open) + for_each(count, ", v", ": f32[D, D]" + open) + ", rate: f32)" +
          (is_auto ? " -> (f32" + types("w") + types("v") + ")" : "") + " {\n  let (l" + for_each(count, ", g") +
          ") = grad(loss, wrt=[" + for_each(count, ", w").substr(2) + "])(h" + for_each(count, ", w") + ")\n";
  for (int k = 0; k < count; ++k) {
    const std::string n = std::to_string(k);
    text += "  let m" + n + " = 0.9 * v" + n + " + g" + n + "\n  let x" + n + " = w" + n + " - rate * m" + n +
            (k < other ? " * 2.0\n" : "\n");
  }
  text += "  (l" + for_each(count, ", x") + for_each(count, ", m") + ")\n}\nlet (l" + for_each(count, ", w") +
          for_each(count, ", v") + ") = step(normal(f32[32, 16], seed=1)";
  for (int k = 0; k < 2 * count; ++k) text += ", 0.1 * normal(f32[16, 16], seed=" + std::to_string(2 + k) + ")";
  return text + ", 0.05)\nlet r = " + for_each(count, "+ w", " + v0 ").substr(2) + "\n";
}

TEST(Choice, LaysEqualStepsOutAlike) {
  for (const int other : {0, 2}) {
    EXPECT_EQ(choice_of(with_momentum(4, other, true), false).operations,
              choice_of(with_momentum(9, other, true), false).operations);
  }
}

TEST(Choice, LaysEqualLayersOutAsWellAsEachByItself) {
  for (const int count : {1, 2, 6}) {
    const Choice tied = choice_of(layers(count), false);
    const Choice untied = choice_of(layers(count), true);
    EXPECT_LE(untied.bound_seconds, tied.seconds * (1 + 1e-9)) << count;
    EXPECT_NEAR(tied.seconds, untied.seconds, 0.02 * untied.seconds) << count;
    EXPECT_LT(tied.gap, 1e-6) << count;
  }
}

// Random steps whose loss calls two functions in loops, in branches, with themselves, and in blocks that are computed
// again.
class CallsMaker {
 public:
  explicit CallsMaker(std::uint32_t seed) : random_(seed) {}

  std::string make(bool is_auto) {
    const std::vector<std::string> meshes = {"[d: 2]", "[d: 3]", "[d: 2, y: 2]", "[d: 3 work(3,2,1)]"};
    const std::string mesh = meshes[below(4)];
    std::string body;
    values_ = {"a", "b", "w"};
    for (int k = 0; k < 4; ++k) {
      const std::string value = step();
      body += "  let t" + std::to_string(k) + " = " + value + "\n";
      values_.push_back("t" + std::to_string(k));
    }
    const std::string type = is_auto ? " auto" : "?";
    return "mesh m = " + (is_auto ? mesh : std::string("[d: 1, y: 1]")) +
           "\nfn inner(a: f32[N, N]?) = tanh(a) - 0.5\n"
           "fn called(a: f32[N, N]?, b: f32[N, N]?) {\n"
           "  let s = loop t = inner(a @ b) for i < 2 { inner(t) * 0.5 + b }\n"
           "  s + inner(b)\n}\n"
           "fn loss(a: f32[N, N]?, b: f32[N, N]?, w: f32[N, N]?) -> f32 {\n" +
           body + "  sum((t0 + t1 + t2 + t3) * tanh(" + values_[values_.size() - 2] + " + w)) / 1000.0\n}\n" +
           (is_auto ? "auto fn" : "fn") + " f(a: f32[N, N]?, b: f32[N, N]" + type + ", w: f32[N, N]" + type + ")" +
           (is_auto ? " -> (f32, f32[N, N] as w)" : "") +
           " {\n  let (l, g) = grad(loss, wrt=w)(a, b, w)\n  (l, w - 0.01 * g)\n}\n"
           "let (l, r) = f(0.3 * normal(f32[12, 12@d], seed=1), 0.3 * normal(f32[12, 12], seed=2), "
           "0.3 * normal(f32[12, 12], seed=3))\n";
  }

 private:
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }
  std::string one() { return values_[below(static_cast<std::uint32_t>(values_.size()))]; }
  std::string step() {
    const std::string a = one();
    const std::string b = one();
    const std::string call = "called(" + a + ", " + b + ")";
    switch (below(7)) {
      case 0: return a + " @ " + b;
      case 1: return "inner(" + a + ") + " + b;
      case 2: return "loop s = " + a + " for i < 2 { called(s, " + b + ") }";
      case 3: return "if sum(" + a + ") > 0.0 { " + call + " } else { inner(" + b + ") }";
      case 4: return "again { " + call + " }";
      default: return call;
    }
  }

  std::mt19937 random_;
  std::vector<std::string> values_;
};

std::vector<float> results_of_run(const std::string& text) {
  Session session(Config{});
  const auto run = session.run(text);
  EXPECT_TRUE(run) << text << (run ? "" : run.diagnostics().front().message);
  std::vector<float> all;
  for (const char* name : {"l", "r"}) {
    const auto array = session.get(name);
    if (!array) continue;
    const std::vector<float> own = array->to_vector<float>().value();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

// What moves: in a text, and in a choice. A choice says once what all calls move.
std::set<std::string> moves_in_text(const std::string& text) {
  Session session(Config{});
  const auto program = session.check(text);
  EXPECT_TRUE(program) << text << (program ? "" : program.diagnostics().front().message);
  if (!program) return {};
  const std::vector<std::string> moves = moves_in(*program);
  return {moves.begin(), moves.end()};
}
std::set<std::string> moves_of(const Choice& choice) {
  std::set<std::string> all;
  for (const auto* list : {&choice.conversions, &choice.arrivals}) {
    for (const Choice::Conversion& one : *list) all.insert(one.from + " -> " + one.to);
  }
  return all;
}

void expect_results_near(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  float largest = 0.0F;
  for (const float value : b) largest = std::max(largest, std::abs(value));
  for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], 1e-4F * largest + 1e-5F) << k;
}

void expect_same_program(const std::string& text, const std::string& plain) {
  SCOPED_TRACE(text);
  const auto chosen = choose_layouts(text, "t.tess", Config{}, {"", 60, false, false, true, 0});
  ASSERT_TRUE(chosen) << chosen.diagnostics().front().message;
  const Choice& own = chosen->choices.at(0);
  EXPECT_TRUE(own.verified);
  double sum = own.local_seconds;
  for (const Choice::Conversion& move : own.conversions) sum += move.seconds * move.executions;
  EXPECT_NEAR(sum, own.seconds, 1e-9 * own.seconds);
  const Choice untied = choice_of(text, true);
  EXPECT_LE(untied.bound_seconds, own.seconds * (1 + 1e-9));
  EXPECT_LE(own.operations, untied.operations);
  ASSERT_EQ(moves_in_text(chosen->closed), moves_of(own)) << chosen->closed;
  expect_results_near(results_of_run(text), results_of_run(plain));
  expect_results_near(results_of_run(chosen->closed), results_of_run(text));
}

TEST(Choice, OfRandomCallsInGradientsIsTheSameProgram) {
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    expect_same_program(CallsMaker(seed).make(true), CallsMaker(seed).make(false));
    if (HasFatalFailure()) return;
  }
}

TEST(Choice, OfEqualStepsIsTheSameProgram) {
  for (const int other : {0, 1, 2}) expect_same_program(with_momentum(4, other, true), with_momentum(4, other, false));
}

// Within what devices hold, too, where every call has lives of its own.
TEST(Choice, OfCallsInGradientsFitsOrSaysSo) {
  for (std::uint32_t seed = 20; seed < 22; ++seed) {
    const std::string text = CallsMaker(seed).make(true);
    const Choice unlimited = choice_of(text, false);
    const auto most = static_cast<double>(*std::ranges::max_element(unlimited.peak_bytes));
    for (const double share : {1.0, 0.8}) {
      Config config;
      config.machine.devices = {
          {std::ssize(unlimited.peak_bytes), 1e12, 100e9, static_cast<std::int64_t>(share * most)}};
      const auto chosen = choose_layouts(text, "t.tess", config, {"", 60, false, false, false, 0});
      ASSERT_TRUE(chosen) << text << chosen.diagnostics().front().message;
      const bool is_warned =
          std::ranges::any_of(chosen->notes, [](const Diagnostic& own) { return own.slug == "auto-memory"; });
      EXPECT_TRUE(chosen->choices.at(0).verified) << text;
      EXPECT_NE(chosen->choices[0].fits, is_warned) << share << "\n" << text;
    }
  }
}

}  // namespace
}  // namespace tessera
