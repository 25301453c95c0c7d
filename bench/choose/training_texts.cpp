#include "bench/choose/training_texts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>

namespace tessera::bench {

namespace {

constexpr const char* kChosen = "chosen";
constexpr const char* kData = "data, evenly";
constexpr const char* kDataBySpeed = "data, by speed";
constexpr const char* kSharded = "fully sharded";
constexpr const char* kTensor = "tensor parallel";
constexpr const char* kWhole = "all whole";

// The ways to lay a step out. `types` gives the arguments' types, with a mark behind the samples, one behind the first
// dimension of every weight, and one behind the features of layers.
template <class F>
std::vector<HandLayout> layouts_by(const F& types) {
  return {{kChosen, "work(auto)", true, {}, false},
          {kData, "", false, types("@d", "", ""), false},
          {kDataBySpeed, "work(speed)", false, types("@d.work", "", ""), false},
          {kSharded, "", false, types("@d", "@d", ""), true},
          {kTensor, "", false, types("", "", "@d"), false},
          {kWhole, "", false, types("", "", ""), false}};
}

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

// `extents`: samples, the input's width, and each layer's.
TrainingText perceptron_text(const std::string& name, const std::vector<std::int64_t>& extents) {
  const std::size_t layers = extents.size() - 2;
  TrainingText text{name, perceptron_functions(layers), {"x"}, 1, {}, {}, {}};
  // Columns and rows in turns are the features.
  const auto types = [&](const std::string& rows, const std::string& first, const std::string& features) {
    std::vector<std::string> all{fmt::format("f32[{}{}, {}]", extents[0], rows, extents[1])};
    for (std::size_t k = 1; k <= layers; ++k)
      all.push_back(fmt::format("f32[{}{}{}, {}{}]", extents[k], first, k % 2 == 0 ? features : "", extents[k + 1],
                                k % 2 == 1 ? features : ""));
    return all;
  };
  text.types = types("", "", "");
  for (std::size_t k = 0; k <= layers; ++k) {
    if (k > 0) text.arguments.push_back(weight(k));
    text.values.push_back(fmt::format("0.02 * normal({}, seed={})", text.types[k], k + 1));
  }
  text.layouts = layouts_by(types);
  return text;
}

// ---- Towers, and a stencil ----

// Two products each, of inputs of unlike widths, that meet in a score.
TrainingText towers_text(std::int64_t samples, std::int64_t width) {
  TrainingText text{"two towers",
                    R"(fn tower(x: f32[B, D]?, w: f32[D, F]?, v: f32[F, K]?) -> f32[B, K]? = relu(x @ w) @ v
fn loss(q: f32[B, D]?, i: f32[B, E]?, qw: f32[D, F]?, qv: f32[F, K]?, iw: f32[E, G]?, iv: f32[G, K]?) -> f32 {
  let score = sum(tower(q, qw, qv) * tower(i, iw, iv), dim=1)
  sum(score * score) / 1000.0
}
)",
                    {"q", "i", "qw", "qv", "iw", "iv"},
                    2,
                    {},
                    {},
                    {}};
  const auto types = [&](const std::string& rows, const std::string& first, const std::string& features) {
    const std::string down = first + features;
    return std::vector<std::string>{fmt::format("f32[{}{}, {}]", samples, rows, width / 16),
                                    fmt::format("f32[{}{}, {}]", samples, rows, width / 2),
                                    fmt::format("f32[{}{}, {}{}]", width / 16, first, width / 8, features),
                                    fmt::format("f32[{}{}, 64]", width / 8, down),
                                    fmt::format("f32[{}{}, {}{}]", width / 2, first, width, features),
                                    fmt::format("f32[{}{}, 64]", width, down)};
  };
  text.types = types("", "", "");
  for (std::size_t k = 0; k < text.types.size(); ++k)
    text.values.push_back(fmt::format("0.05 * normal({}, seed={})", text.types[k], k + 1));
  text.layouts = layouts_by(types);
  return text;
}

// Steps of a stencil, which wants columns, before products.
TrainingText stencil_text(std::int64_t rows, std::int64_t columns) {
  TrainingText text{"stencil and products",
                    R"(fn smooth(u: f32[N, M]?) -> f32[N, M]? {
  let p = pad(u, [[1, 1], [0, 0]])
  0.5 * u + 0.25 * p[0:size(u, 0), :] + 0.25 * p[2:size(u, 0) + 2, :]
}
fn features(u: f32[N, M]?, a: f32[M, K]?, b: f32[K, L]?) = relu((loop v = u for i < 3 { smooth(v) }) @ a) @ b
)",
                    {"u", "a", "b"},
                    1,
                    {},
                    {},
                    {},
                    "features(u, a, b)"};
  const auto types = [&](const std::string& batch, const std::string& first, const std::string& features) {
    return std::vector<std::string>{fmt::format("f32[{}{}, {}]", rows, batch, columns),
                                    fmt::format("f32[{}{}, {}{}]", columns, first, 4 * columns, features),
                                    fmt::format("f32[{}{}{}, {}]", 4 * columns, first, features, columns / 2),
                                    fmt::format("f32[{}{}, {}]", rows, batch, columns / 2)};
  };
  text.types = types("", "", "");
  for (std::size_t k = 0; k < text.arguments.size(); ++k)
    text.values.push_back(fmt::format("0.1 * normal({}, seed={})", text.types[k], k + 1));
  text.layouts = layouts_by(types);
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
  const auto types = [&](const std::string& batch, const std::string& first, const std::string& parts) {
    const std::string in = fmt::format("f32[{}{}, 8{}, {}]", width, first, parts, each);
    return std::vector<std::string>{fmt::format("f32[{}{}, 32, {}]", samples, batch, width),
                                    in,
                                    in,
                                    in,
                                    fmt::format("f32[8{}{}, {}, {}]", first, parts, each, width),
                                    fmt::format("f32[{}{}, {}{}]", width, first, 4 * width, parts),
                                    fmt::format("f32[{}{}{}, {}]", 4 * width, first, parts, width)};
  };
  TrainingText text{name, kBlock, {"h", "q", "k", "v", "o", "w", "z"}, 1, types("", "", ""), {}, {}};
  for (std::size_t k = 0; k < text.types.size(); ++k)
    text.values.push_back(fmt::format("0.05 * normal({}, seed={})", text.types[k], k + 1));
  text.layouts = layouts_by(types);
  return text;
}

}  // namespace

std::string TrainingText::declarations(const HandLayout& layout) const {
  std::vector<std::string> parameters;
  std::vector<std::string> results{"f32"};
  std::vector<std::string> weights(arguments.begin() + static_cast<std::ptrdiff_t>(data), arguments.end());
  std::vector<std::string> gradients{"l"};
  std::vector<std::string> next{"l"};
  std::vector<std::string> used = arguments;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    parameters.push_back(fmt::format("{}: {}", arguments[k], layout.is_chosen ? types[k] + " auto" : layout.types[k]));
    if (k < data) continue;
    if (layout.is_sharded) used[k] = fmt::format("{} as {}", arguments[k], types[k]);
    results.push_back(layout.is_chosen ? fmt::format("{} as {}", types[k], arguments[k]) : layout.types[k]);
    gradients.push_back("g" + arguments[k]);
    next.push_back(fmt::format("{0} - 0.01 * g{0}", arguments[k]));
  }
  const std::string head = fmt::format("mesh m = [d: 8{}]\n{}{}fn step({})", layout.cut.empty() ? "" : " " + layout.cut,
                                       functions, layout.is_chosen ? "auto " : "", fmt::join(parameters, ", "));
  if (!forward.empty() && layout.is_chosen) return fmt::format("{} = {}\n", head, forward);
  if (!forward.empty()) {
    std::string brought;
    for (std::size_t k = data; k < arguments.size() && layout.is_sharded; ++k)
      brought += fmt::format("  let {} = {}\n", arguments[k], used[k]);
    return fmt::format("{} -> {} {{\n{}  {}\n}}\n", head, layout.types.back(), brought, forward);
  }
  return fmt::format("{} -> ({}) {{\n  let ({}) = grad(loss, wrt=[{}])({})\n  ({})\n}}\n", head,
                     fmt::join(results, ", "), fmt::join(gradients, ", "), fmt::join(weights, ", "),
                     fmt::join(used, ", "), fmt::join(next, ", "));
}

std::string TrainingText::call() const {
  if (!forward.empty()) return fmt::format("let next = step({})\n", fmt::join(arguments, ", "));
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
          block_text("block, 8 samples", 8, 256),
          towers_text(256, 1024),
          stencil_text(2048, 256)};
}

}  // namespace tessera::bench
