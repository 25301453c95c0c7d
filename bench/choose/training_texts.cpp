#include "bench/choose/training_texts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>

namespace tessera::bench {

namespace {

// ---- Perceptrons ----

std::string weight(std::size_t k) { return fmt::format("w{}", k); }

// relu between the layers, and the sum of squares of what comes out.
std::string perceptron_functions(std::size_t layers) {
  std::string parameters = "x: f32[B, D0]?";
  std::string value = "x";
  for (std::size_t k = 1; k <= layers; ++k) {
    parameters += fmt::format(", {}: f32[D{}, D{}]?", weight(k), k - 1, k);
    value = k == 1 ? fmt::format("x @ {}", weight(k)) : fmt::format("relu({}) @ {}", value, weight(k));
  }
  return fmt::format("fn loss({}) -> f32 {{\n  let y = {}\n  sum(y * y) / 1000.0\n}}\n", parameters, value);
}

// The input, and then the weights, with these marks behind their dimensions: {"@d", ""} splits the first one.
using Marks = std::vector<std::pair<std::string, std::string>>;
HandLayout perceptron_layout(const std::string& name, const std::string& cut, const std::vector<std::int64_t>& extents,
                             const Marks& marks) {
  HandLayout layout{name, cut, false, {}};
  for (std::size_t k = 0; k + 1 < extents.size(); ++k)
    layout.types.push_back(fmt::format("f32[{}{}, {}{}]", extents[k], marks[k].first, extents[k + 1], marks[k].second));
  return layout;
}

// Columns and rows in turns.
Marks tensor_parallel(std::size_t layers) {
  Marks marks{{"", ""}};
  for (std::size_t k = 0; k < layers; ++k)
    marks.push_back(k % 2 == 0 ? std::pair<std::string, std::string>("", "@d")
                               : std::pair<std::string, std::string>("@d", ""));
  return marks;
}

// `extents`: samples, the input's width, and each layer's.
TrainingText perceptron_text(const std::string& name, const std::vector<std::int64_t>& extents) {
  const std::size_t layers = extents.size() - 2;
  TrainingText text{name, perceptron_functions(layers), {"x"}, 1, {}, {}, {}};
  for (std::size_t k = 0; k + 1 < extents.size(); ++k) {
    if (k > 0) text.arguments.push_back(weight(k));
    text.types.push_back(fmt::format("f32[{}, {}]", extents[k], extents[k + 1]));
    text.values.push_back(fmt::format("0.02 * normal({}, seed={})", text.types.back(), k + 1));
  }
  const Marks whole(layers + 1);
  const auto data = [&](const std::string& mark) {
    Marks marks = whole;
    marks[0].first = mark;
    return marks;
  };
  text.layouts = {{"chosen", "work(auto)", true, {}},
                  perceptron_layout("data, evenly", "", extents, data("@d")),
                  perceptron_layout("data, by speed", "work(speed)", extents, data("@d.work")),
                  perceptron_layout("tensor parallel", "", extents, tensor_parallel(layers))};
  return text;
}

// ---- A block ----

constexpr const char* kBlock = R"(fn normalized(h: f32[B, T, D]?) = h * rsqrt(mean(h * h, dim=2, keep=true) + 1e-5)
fn loss(h: f32[B, T, D]?, q: f32[D, H, K]?, k: f32[D, H, K]?, v: f32[D, H, K]?, o: f32[H, K, D]?, w: f32[D, F]?,
        z: f32[F, D]?) -> f32 {
  let n = normalized(h)
  let s = einsum("bthk,bshk->bhts", einsum("btd,dhk->bthk", n, q), einsum("btd,dhk->bthk", n, k))
  let a = h + einsum("bhts,bshk,hkd->btd", softmax(s, dim=3), einsum("btd,dhk->bthk", n, v), o)
  let y = a + relu(normalized(a) @ w) @ z
  sum(y * y) / 1000.0
}
)";

TrainingText block_text(const std::string& name, std::int64_t samples, std::int64_t width) {
  const std::int64_t each = width / 8;
  const auto types = [&](const std::string& batch, const std::string& heads, const std::string& hidden) {
    const std::string in = fmt::format("f32[{}, 8{}, {}]", width, heads, each);
    return std::vector<std::string>{fmt::format("f32[{}{}, 32, {}]", samples, batch, width),
                                    in,
                                    in,
                                    in,
                                    fmt::format("f32[8{}, {}, {}]", heads, each, width),
                                    fmt::format("f32[{}, {}{}]", width, 4 * width, hidden),
                                    fmt::format("f32[{}{}, {}]", 4 * width, hidden, width)};
  };
  TrainingText text{name, kBlock, {"h", "q", "k", "v", "o", "w", "z"}, 1, types("", "", ""), {}, {}};
  for (std::size_t k = 0; k < text.types.size(); ++k)
    text.values.push_back(fmt::format("0.05 * normal({}, seed={})", text.types[k], k + 1));
  text.layouts = {{"chosen", "work(auto)", true, {}},
                  {"data, evenly", "", false, types("@d", "", "")},
                  {"data, by speed", "work(speed)", false, types("@d.work", "", "")},
                  {"tensor parallel", "", false, types("", "@d", "@d")}};
  return text;
}

}  // namespace

std::string TrainingText::declarations(const HandLayout& layout) const {
  std::vector<std::string> parameters;
  std::vector<std::string> results{"f32"};
  std::vector<std::string> weights(arguments.begin() + static_cast<std::ptrdiff_t>(data), arguments.end());
  std::vector<std::string> gradients{"l"};
  std::vector<std::string> next{"l"};
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    parameters.push_back(fmt::format("{}: {}", arguments[k], layout.is_chosen ? types[k] + " auto" : layout.types[k]));
    if (k < data) continue;
    results.push_back(layout.is_chosen ? fmt::format("{} as {}", types[k], arguments[k]) : layout.types[k]);
    gradients.push_back("g" + arguments[k]);
    next.push_back(fmt::format("{0} - 0.01 * g{0}", arguments[k]));
  }
  return fmt::format(
      "mesh m = [d: 8{}]\n{}{}fn step({}) -> ({}) {{\n  let ({}) = grad(loss, wrt=[{}])({})\n  ({})\n}}\n",
      layout.cut.empty() ? "" : " " + layout.cut, functions, layout.is_chosen ? "auto " : "",
      fmt::join(parameters, ", "), fmt::join(results, ", "), fmt::join(gradients, ", "), fmt::join(weights, ", "),
      fmt::join(arguments, ", "), fmt::join(next, ", "));
}

std::string TrainingText::call() const {
  std::vector<std::string> names{"l"};
  for (std::size_t k = data; k < arguments.size(); ++k) names.push_back("next_" + arguments[k]);
  return fmt::format("let ({}) = step({})\n", fmt::join(names, ", "), fmt::join(arguments, ", "));
}

std::vector<TrainingText> training_texts() {
  return {perceptron_text("classifier, 512 samples", {512, 3136, 512, 512, 125}),
          perceptron_text("classifier, 64 samples", {64, 3136, 512, 512, 125}),
          perceptron_text("perceptron, 1024 samples", {1024, 256, 512, 256}),
          perceptron_text("perceptron, 2048 samples", {2048, 256, 256}),
          perceptron_text("perceptron, wide", {128, 512, 2048, 512}),
          perceptron_text("perceptron, narrow", {4096, 64, 128, 64}),
          block_text("block, 32 samples", 32, 128),
          block_text("block, 8 samples", 8, 256)};
}

}  // namespace tessera::bench
