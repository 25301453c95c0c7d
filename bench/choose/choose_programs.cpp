#include "bench/choose/choose_programs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bench/timing.hpp"
#include "tessera/choice.hpp"

namespace tessera::bench {

namespace {

struct ProgramRow {
  std::string name;
  std::string text;
  std::string machine = {};  // as a machine file; empty: the assumed one
  bool untied = false;
  bool rivals = true;
};

std::string example_text(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<ProgramRow> examples() {
  std::vector<ProgramRow> rows;
  for (const auto& entry : std::filesystem::directory_iterator(TESSERA_BENCH_EXAMPLES))
    rows.push_back({entry.path().stem().string(), example_text(entry.path())});
  std::ranges::sort(rows, {}, &ProgramRow::name);
  return rows;
}

// ---- The classifier of VGG19 ----

constexpr const char* kTenGigabit =
    R"({"levels": [{"name": "device", "count": 8, "bandwidth": 1.25e9, "latency": 5e-6}],)"
    R"( "devices": [{"count": 8, "flops": 3.9e12, "bandwidth": 1e11}]})";

// Its training step for 512 samples, with these types of the input and the weights.
std::string classifier(const std::string& mesh, const std::string& x, const std::string& w1, const std::string& w2,
                       const std::string& w3) {
  return fmt::format(
      R"(mesh m = [{}]
fn loss(x: f32[B, I]?, t: f32[B, O]?, w1: f32[I, H]?, w2: f32[H, G]?, w3: f32[G, O]?) -> f32 {{
  let h = relu(relu(x @ w1) @ w2)
  -sum(t * log(softmax(h @ w3, dim=1) + 1e-6)) / 512.0
}}
auto fn step(x: {}, t: f32[B, O] auto, w1: {}, w2: {}, w3: {}) -> (f32, f32[I, H] as w1, f32[H, G] as w2, f32[G, O] as w3) {{
  let (l, g1, g2, g3) = grad(loss, wrt=[w1, w2, w3])(x, t, w1, w2, w3)
  (l, w1 - 0.01 * g1, w2 - 0.01 * g2, w3 - 0.01 * g3)
}}
let a = zeros(f32[25088, 4096])
let b = zeros(f32[4096, 4096])
let c = zeros(f32[4096, 1000])
let (l, a2, b2, c2) = step(zeros(f32[512, 25088]), zeros(f32[512, 1000]), a, b, c)
)",
      mesh, x, w1, w2, w3);
}

std::vector<ProgramRow> classifiers() {
  const std::string one = "d: 8";
  return {
      {"classifier, d:8", classifier(one, "f32[B, I] auto", "f32[I, H] auto", "f32[H, G] auto", "f32[G, O] auto"),
       kTenGigabit},
      {"classifier, d:8, all split along their first dimension",
       classifier(one, "f32[B@d, I]", "f32[I@d, H]", "f32[H@d, G]", "f32[G@d, O]"), kTenGigabit, false, false},
      {"classifier, d:8, columns, rows, columns",
       classifier(one, "f32[B, I] auto", "f32[I, H@d]", "f32[H@d, G]", "f32[G, O@d]"), kTenGigabit, false, false},
      {"classifier, x:2, y:4",
       classifier("x: 2, y: 4", "f32[B, I] auto", "f32[I, H] auto", "f32[H, G] auto", "f32[G, O] auto"), kTenGigabit},
  };
}

// ---- Blocks of a transformer ----

std::string list_of(int layers, const std::string& each) {
  std::string all;
  for (int k = 0; k < layers; ++k) all += fmt::format(fmt::runtime(each), fmt::arg("k", k));
  return all;
}

std::string parameters(int layers, const std::string& how) {
  return list_of(layers,
                 fmt::format(", q{{k}}: f32[D, H, K]{0}, k{{k}}: f32[D, H, K]{0}, v{{k}}: f32[D, H, K]{0}, o{{k}}: "
                             "f32[H, K, D]{0}, w{{k}}: f32[D, F]{0}, z{{k}}: f32[F, D]{0}",
                             how));
}

std::string arguments(int layers, int samples) {
  return fmt::format("zeros(f32[{}, 128, 1024])", samples) +
         list_of(layers,
                 ", zeros(f32[1024, 16, 64]), zeros(f32[1024, 16, 64]), zeros(f32[1024, 16, 64]), "
                 "zeros(f32[16, 64, 1024]), zeros(f32[1024, 4096]), zeros(f32[4096, 1024])");
}

// A step of gradient descent.
std::string step_text(int layers, int samples) {
  const std::string weights = list_of(layers, ", q{k}, k{k}, v{k}, o{k}, w{k}, z{k}");
  std::string text = fmt::format("auto fn step(h: f32[B, T, D] auto{}) -> (f32{}) {{\n", parameters(layers, " auto"),
                                 list_of(layers,
                                         ", f32[D, H, K] as q{k}, f32[D, H, K] as k{k}, f32[D, H, K] as v{k}, "
                                         "f32[H, K, D] as o{k}, f32[D, F] as w{k}, f32[F, D] as z{k}"));
  text += fmt::format("  let (l{}) = grad(loss, wrt=[{}])(h{})\n",
                      list_of(layers, ", gq{k}, gk{k}, gv{k}, go{k}, gw{k}, gz{k}"), weights.substr(2), weights);
  text += fmt::format("  (l{})\n}}\n",
                      list_of(layers,
                              ", q{k} - 0.1 * gq{k}, k{k} - 0.1 * gk{k}, v{k} - 0.1 * gv{k}, o{k} - 0.1 * go{k}"
                              ", w{k} - 0.1 * gw{k}, z{k} - 0.1 * gz{k}"));
  return text + fmt::format("let (l{}) = step({})\n", weights, arguments(layers, samples));
}

// So many blocks, each with weights of its own: the forward pass alone, or with gradients and new weights.
std::string blocks_text(int layers, int samples, bool trains) {
  std::string text = R"(mesh m = [d: 8]
fn normalized(h: f32[B, T, D]?) = h * rsqrt(mean(h * h, dim=2, keep=true) + 1e-5)
fn block(h: f32[B, T, D]?, q: f32[D, H, K]?, k: f32[D, H, K]?, v: f32[D, H, K]?, o: f32[H, K, D]?,
         w: f32[D, F]?, z: f32[F, D]?) {
  let n = normalized(h)
  let s = einsum("bthk,bshk->bhts", einsum("btd,dhk->bthk", n, q), einsum("btd,dhk->bthk", n, k))
  let a = h + einsum("bhts,bshk,hkd->btd", softmax(s, dim=3), einsum("btd,dhk->bthk", n, v), o)
  a + relu(normalized(a) @ w) @ z
}
)";
  text += fmt::format("{}fn loss(h: f32[B, T, D]{}{}) -> f32 {{\n", trains ? "" : "auto ", trains ? "?" : " auto",
                      parameters(layers, trains ? "?" : " auto"));
  for (int k = 0; k < layers; ++k)
    text += fmt::format("  let h{1} = block({0}, q{2}, k{2}, v{2}, o{2}, w{2}, z{2})\n",
                        k == 0 ? std::string("h") : fmt::format("h{}", k), k + 1, k);
  text += fmt::format("  sum(h{0} * h{0})\n}}\n", layers);
  return text + (trains ? step_text(layers, samples) : fmt::format("let l = loss({})\n", arguments(layers, samples)));
}

std::vector<ProgramRow> rows_of_blocks() {
  constexpr int kLayers = 24;
  constexpr int kSamples = 64;
  return {{"1 block, d:8", blocks_text(1, kSamples, true)},
          {"24 blocks, laid out alike, d:8", blocks_text(kLayers, kSamples, true), "", false, false},
          {"24 blocks, each by itself, d:8", blocks_text(kLayers, kSamples, true), "", true, false},
          {"1 block forward, d:8", blocks_text(1, kSamples, false), "", false, false},
          {"24 blocks forward, laid out alike, d:8", blocks_text(kLayers, kSamples, false), "", false, false},
          {"24 blocks forward, each by itself, d:8", blocks_text(kLayers, kSamples, false), "", true, false}};
}

// ---- Lines ----

std::string rival_text(const Choice& choice, const std::string& name) {
  const auto found = std::ranges::find(choice.rivals, name, &Choice::Rival::name);
  if (found == choice.rivals.end() || !found->seconds) return "-";
  return fmt::format("{:.4g}", *found->seconds);
}

bool print_program(const ProgramRow& row) {
  Config config;
  if (!row.machine.empty()) {
    const auto machine = parse_machine(row.machine, row.name);
    if (machine) config.machine = *machine;
  }
  const ChooseRequest request{"", 60, row.untied, false, false};
  Result<ChosenProgram> chosen = ChosenProgram{};
  const double took = seconds_of([&] { chosen = choose_layouts(row.text, row.name, config, request); }, Clock::cpu);
  if (chosen && row.rivals) chosen = choose_layouts(row.text, row.name, config, {"", 60, row.untied, true, false});
  if (!chosen) {
    fmt::print("{}: {}\n", row.name, chosen.diagnostics().front().message);
    return false;
  }
  const Choice& own = chosen->choices.front();
  fmt::print("| {} | {} | {} | {:.2f} s | {:.4g} | {:.1e} | {} | {} | {} | {} | {} |\n", row.name, own.operations,
             own.plans, took, own.seconds, own.gap, own.proof, rival_text(own, "data"), rival_text(own, "hap"),
             rival_text(own, "greedy"), own.verified);
  return own.verified;
}

}  // namespace

bool print_programs(const ChooseBench& options) {
  fmt::print(
      "\n| program | operations | plans | check and choice (CPU) | seconds | gap | proof | data | hap | greedy | "
      "verified |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  bool all_well = true;
  for (const auto& rows : {examples(), classifiers(), rows_of_blocks()}) {
    for (const ProgramRow& row : rows) {
      if (row.name.find(options.only) != std::string::npos) all_well = print_program(row) && all_well;
    }
  }
  return all_well;
}

}  // namespace tessera::bench
