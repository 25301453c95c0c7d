// The time of a gradient in proportion to its forward pass, in seconds of all cores together. Both are measured in
// turns, so that a slow spell of the machine meets both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <tessera/function.hpp>
#include <vector>

#include "tests/limits/yardstick.hpp"

namespace tessera::limits {
namespace {

struct Argument {
  std::string type;
  std::size_t elements = 0;
};

double seconds_of(const Function& function, const std::vector<Array>& arguments) {
  const double begin = process_seconds();
  EXPECT_TRUE(function.call(arguments).ok());
  return process_seconds() - begin;
}

// The time after the forward pass, in multiples of it: the best of some turns, until it is clear.
double reverse_of_forward(Session& session, const std::vector<Argument>& of) {
  std::vector<std::string> types;
  std::vector<Array> arguments;
  std::vector<std::vector<float>> values;
  for (const Argument& argument : of) {
    values.emplace_back(argument.elements);
    // Spread like those of a training: where a row of softmax is nearly all one weight, the others are subnormal, and
    // some processors take a hundred cycles for an operation on one.
    for (std::size_t i = 0; i < argument.elements; ++i) {
      const auto mixed = static_cast<std::uint32_t>(i * 2654435761U) >> 8U;
      values.back()[i] = static_cast<float>(mixed) / float{1U << 26U} - 0.125F;
    }
    const auto array = session.array(argument.type, {values.back().data()}, nullptr);
    EXPECT_TRUE(array.ok()) << argument.type;
    types.push_back(argument.type);
    arguments.push_back(*array);
  }
  const auto loss = session.function("loss", types);
  const auto both = session.function("both", types);
  EXPECT_TRUE(loss.ok() && both.ok());
  double forward = 1e9;
  double whole = 1e9;
  for (int turn = 0; turn < 100 && (turn < 8 || whole > 4 * forward); ++turn) {
    forward = std::min(forward, seconds_of(*loss, arguments));
    whole = std::min(whole, seconds_of(*both, arguments));
  }
  return (whole - forward) / forward;
}

class GradientsAlone : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef NDEBUG
    GTEST_SKIP() << "the build is not the one that users get";
#endif
  }
};

TEST_F(GradientsAlone, OfAPerceptronTakeThreeTimesItsForwardPassAtMost) {
  Session session;
  ASSERT_TRUE(
      session.run("mesh m = [d: 4]\n"
                  "fn loss(x: f32[N, D]?, t: f32[N, D]?, w1: f32[D, F]?, w2: f32[F, D]?) =\n"
                  "  sum((gelu(x @ w1) @ w2 - t)**2.0) / f32(N)\n"
                  "fn both(x: f32[N, D]?, t: f32[N, D]?, w1: f32[D, F]?, w2: f32[F, D]?) =\n"
                  "  grad(loss, wrt=[w1, w2])(x, t, w1, w2)\n"));
  constexpr std::size_t kBatch = 512;
  constexpr std::size_t kFeatures = 256;
  constexpr std::size_t kHidden = 1024;
  const double times = reverse_of_forward(session, {{"f32[512@d, 256]", kBatch * kFeatures},
                                                    {"f32[512@d, 256]", kBatch * kFeatures},
                                                    {"f32[256, 1024]", kFeatures * kHidden},
                                                    {"f32[1024, 256]", kHidden * kFeatures}});
  RecordProperty("reverse_of_forward", std::to_string(times));
  EXPECT_LE(times, 3);
}

// The block of the example, in which attention is computed a second time.
TEST_F(GradientsAlone, OfATransformerBlockTakeThreeTimesItsForwardPassAtMost) {
  std::ifstream in(TESSERA_SOURCE_DIR "/examples/transformer_block.tess");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t functions_end = text.find("fn trained");
  ASSERT_NE(functions_end, std::string::npos);
  Config config;
  config.defines = {{"B", "8"}, {"S", "64"}, {"H", "8"}, {"E", "128"}, {"K", "16"}};
  Session session(config);
  const std::string parameters =
      "(x: f32[B, S, E]?, q: f32[E, H, K]?, k: f32[E, H, K]?, v: f32[E, H, K]?, o: f32[H, K, E]?,\n"
      "        up: f32[E, F]?, down: f32[F, E]?, target: f32[B, S, E]?) =\n";
  const auto done = session.run(text.substr(0, functions_end) + "fn both" + parameters +
                                "  grad(loss, wrt=[q, k, v, o, up, down])(x, q, k, v, o, up, down, target)\n");
  ASSERT_TRUE(done.ok()) << done.diagnostics().front().message;
  constexpr std::size_t kInput = std::size_t{8} * 64 * 128;
  constexpr std::size_t kHeads = std::size_t{128} * 8 * 16;
  constexpr std::size_t kHidden = std::size_t{128} * 512;
  const double times = reverse_of_forward(session, {{"f32[8@d, 64, 128]", kInput},
                                                    {"f32[128, 8@t, 16]", kHeads},
                                                    {"f32[128, 8@t, 16]", kHeads},
                                                    {"f32[128, 8@t, 16]", kHeads},
                                                    {"f32[8@t, 16, 128]", kHeads},
                                                    {"f32[128, 512@t]", kHidden},
                                                    {"f32[512@t, 128]", kHidden},
                                                    {"f32[8@d, 64, 128]", kInput}});
  RecordProperty("reverse_of_forward", std::to_string(times));
  EXPECT_LE(times, 3);
}

}  // namespace
}  // namespace tessera::limits
