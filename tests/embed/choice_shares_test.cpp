// Chosen layouts on unequal devices: what others would choose, and shares that are chosen, too.
#include <gtest/gtest.h>
#include <tessera/choice.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/embed/choice_support.hpp"

namespace tessera {
namespace {

// Devices of two speeds, with so much memory each.
Config of_two_speeds(double ratio, std::int64_t memory_bytes) {
  Config config;
  config.machine.levels = {{"device", 4, 10e9, 1e-6}};
  config.machine.devices = {{2, 1e12, 1e11, memory_bytes}, {2, ratio * 1e12, ratio * 1e11, memory_bytes}};
  return config;
}

std::string training_step(const std::string& mesh, const std::string& x, const std::string& w, const std::string& v) {
  return "mesh m = [" + mesh +
         "]\nfn loss(x: f32[B, D]?, w: f32[D, F]?, v: f32[F, D]?) = sum(relu(x @ w) @ v * x) / 65536.0\n"
         "auto fn step(x: f32[" +
         x + ", w: f32[" + w + ", v: f32[" + v +
         ") -> (f32, f32[D, F] as w, f32[F, D] as v) {\n"
         "  let (l, g, h) = grad(loss, wrt=[w, v])(x, w, v)\n"
         "  (l, w - 0.01 * g, v - 0.01 * h)\n}\n"
         "let (r, s, t) = step(zeros(f32[8192, 512]), zeros(f32[512, 2048]), zeros(f32[2048, 512]))\n";
}

// Data parallelism is what a text says that has it written out, evenly and by speed; in turns the best program for
// shares by speed is looked at first, so that it is no worse.
TEST(Choice, RivalsAreTextsWithLayouts) {
  for (const double ratio : {1.0, 3.0}) {
    for (const std::int64_t memory : {std::int64_t{0}, std::int64_t{40} << 20}) {
      const Config config = of_two_speeds(ratio, memory);
      const auto chosen =
          choose_layouts(training_step("d: 4", "B, D] auto", "D, F] auto", "F, D] auto"), "t.tess", config);
      ASSERT_TRUE(chosen) << chosen.diagnostics().front().message;
      const std::vector<Choice::Rival>& rivals = chosen->choices.at(0).rivals;
      ASSERT_EQ(rivals.size(), 4U);
      const std::vector<std::string> others = {training_step("d: 4", "B@d, D]", "D, F]", "F, D]"),
                                               training_step("d: 4 work(speed)", "B@d.work, D]", "D, F]", "F, D]")};
      for (std::size_t k = 0; k < others.size(); ++k) {
        Config unlimited = config;
        for (DeviceKind& kind : unlimited.machine.devices) kind.memory_bytes = 0;
        const auto other = choose_layouts(others[k], "t.tess", unlimited, {"", 60, false, false, false});
        ASSERT_TRUE(other) << others[k] << other.diagnostics().front().message;
        ASSERT_TRUE(rivals[k].seconds.has_value());
        EXPECT_NEAR(other->choices.at(0).seconds, *rivals[k].seconds, 1e-6 * *rivals[k].seconds) << rivals[k].name;
        EXPECT_EQ(other->choices[0].peak_bytes, rivals[k].peak_bytes) << rivals[k].name;
        const std::int64_t most = *std::max_element(rivals[k].peak_bytes.begin(), rivals[k].peak_bytes.end());
        EXPECT_EQ(rivals[k].fits, memory == 0 || most <= memory) << rivals[k].name << " needs " << most;
      }
      EXPECT_EQ(rivals[1].name, "data-speed");
      EXPECT_EQ(rivals[2].name, "hap");
      EXPECT_LE(*rivals[2].seconds, *rivals[1].seconds * (1 + 1e-9));
      EXPECT_EQ(*rivals[1].seconds < *rivals[0].seconds * 0.9, ratio > 1);
    }
  }
}

// Shares that a text leaves open take no more than any others of a grid, and are what a text says that writes them out;
// so is the closed form. Whole numbers make a little difference.
TEST(Choice, WeightsAreTheJointOptimum) {
  std::mt19937 random(3);
  const auto below = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  std::size_t uneven = 0;
  for (int i = 0; i < 6; ++i) {
    Config config;
    config.machine.levels = {{"device", 3, 1e9 * (1 + below(30)), 1e-6}};
    for (int d = 0; d < 3; ++d) {
      const double speed = 1e12 * (1 + below(6));
      config.machine.devices.push_back({1, speed, speed / 10, 0});
    }
    const std::string rows = std::to_string(512U << below(4));
    const std::string inner = std::to_string(256U << below(3));
    const auto step = [&](const std::string& mesh) {
      return "mesh m = [" + mesh +
             "]\nfn loss(x: f32[B, D]?, w: f32[D, F]?) = sum(relu(x @ w)) / 65536.0\n"
             "auto fn step(x: f32[B, D] auto, w: f32[D, F] auto) -> (f32, f32[D, F] as w) {\n"
             "  let (l, g) = grad(loss, wrt=w)(x, w)\n  (l, w - 0.01 * g)\n}\n"
             "let (r, s) = step(zeros(f32[" +
             rows + ", 512]), zeros(f32[512, " + inner + "]))\n";
    };
    const ChooseRequest quick{"", 60, false, false, true};
    const auto chosen = choose_layouts(step("d: 3 work(auto)"), "t.tess", config, quick);
    ASSERT_TRUE(chosen) << chosen.diagnostics().front().message;
    const Choice& choice = chosen->choices.at(0);
    SCOPED_TRACE(step("d: 3 work(auto)"));
    ASSERT_TRUE(choice.weights.has_value());
    EXPECT_EQ(choice.weights->proof, "exact");
    EXPECT_EQ(choice.weights->axis, "d");
    uneven += choice.weights->weights != std::vector<std::int64_t>{1, 1, 1} ? 1 : 0;
    std::string cut;
    for (const std::int64_t one : choice.weights->weights) cut += (cut.empty() ? "" : ",") + std::to_string(one);
    for (const std::string& same : {step("d: 3 work(" + cut + ")"), chosen->closed}) {
      Session session(config);
      const auto program = session.check(same);
      ASSERT_TRUE(program) << program.diagnostics().front().message << "\n" << same;
      EXPECT_EQ(moves_in(*program), moves_in(*Session(config).check(step("d: 3 work(auto)"))));
    }
    for (int a = 1; a < 8; ++a) {
      for (int b = 1; a + b < 9; ++b) {
        const std::string other =
            "d: 3 work(" + std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(9 - a - b) + ")";
        const auto there = choose_layouts(step(other), "t.tess", config, {"", 60, false, false, false});
        ASSERT_TRUE(there) << other;
        EXPECT_FALSE(there->choices.at(0).weights.has_value());
        EXPECT_LE(choice.seconds, there->choices[0].seconds * 1.02) << other << " against " << cut;
      }
    }
  }
  EXPECT_GT(uneven, 1U);
}

// The rules leave a pending sum as a result, which a choice never does.
TEST(Choice, RulesFinishTheirResults) {
  const auto chosen = choose_layouts(
      "mesh m = [d: 4]\n"
      "auto fn f(a: f32[N, K@d], b: f32[K@d, M]) = a @ b\n"
      "let c = f(ones(f32[512, 512@d]), ones(f32[512@d, 512]))\n",
      "t.tess", Config{});
  ASSERT_TRUE(chosen) << chosen.diagnostics().front().message;
  const Choice& choice = chosen->choices.at(0);
  ASSERT_EQ(choice.rivals.at(3).name, "greedy");
  EXPECT_NEAR(choice.rivals[3].seconds.value(), choice.seconds, 1e-9 * choice.seconds);
}

}  // namespace
}  // namespace tessera
