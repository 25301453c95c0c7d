// Chosen layouts through the public header: values are those of the same program without `auto`, and the closed form is
// the same program. The programs are random, on one axis, on two and on an axis with a cut by weights.
#include <gtest/gtest.h>
#include <tessera/choice.hpp>
#include <tessera/function.hpp>
#include <tessera/tessera.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/embed/choice_support.hpp"

namespace tessera {
namespace {

// A random function of square arrays, and the same without `auto` on one device.
struct ChosenCase {
  std::string chosen;  // with `auto`
  std::string plain;
};

class CaseMaker {
 public:
  explicit CaseMaker(std::uint32_t seed) : random_(seed) {}

  ChosenCase make() {
    const std::vector<std::string> meshes = {"mesh m = [d: 2]", "mesh m = [d: 3]", "mesh m = [x: 2, y: 2]",
                                             "mesh m = [d: 3 work(3,2,1)]"};
    const std::string mesh = one_of(meshes);
    const std::string axis = mesh.find("x:") == std::string::npos ? "d" : "x";
    std::string body;
    std::vector<std::string> values = {"a", "b", "w"};
    for (int k = 0; k < 5; ++k) {
      const std::string name = "t" + std::to_string(k);
      body += "  let " + name + " = " + step(values, axis) + "\n";
      values.push_back(name);
    }
    const std::string loss = "fn loss(a: f32[N, N]?, b: f32[N, N]?, w: f32[N, N]?) -> f32 {\n" + body + "  sum(" +
                             values.back() + " * tanh(" + values[values.size() - 2] + " + w)) / 1000.0\n}\n";
    const std::string inner = below(2) == 0
                                  ? "  let (l, g) = grad(loss, wrt=w)(a, b, w)\n  (l, w - 0.01 * g)\n"
                                  : body + "  (sum(" + values.back() + "), tanh(" + values.back() + " + w))\n";
    const std::string lies = below(2) == 0 ? "" : "@" + axis;
    const std::string end = "let (l, r) = f(0.3 * normal(f32[12, 12" + lies + "], seed=1), 0.3 * normal(f32[12" + lies +
                            ", 12], seed=2), 0.3 * normal(f32[12, 12], seed=3))\n";
    const std::string head = mesh + "\n" + loss;
    return {head + "auto fn f(a: f32[N, N]?, b: f32[N, N] auto, w: f32[N, N] auto) -> (f32, f32[N, N] as w) {\n" +
                inner + "}\n" + end,
            (axis == "d" ? "mesh m = [d: 1]\n" : "mesh m = [x: 1, y: 1]\n") + loss +
                "fn f(a: f32[N, N]?, b: f32[N, N]?, w: f32[N, N]?) {\n" + inner + "}\n" + end};
  }

 private:
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }
  const std::string& one_of(const std::vector<std::string>& all) {
    return all[below(static_cast<std::uint32_t>(all.size()))];
  }

  std::string step(const std::vector<std::string>& values, const std::string& axis) {
    const std::string& a = one_of(values);
    const std::string& b = one_of(values);
    switch (below(16)) {
      case 0:
      case 1:
      case 2: return a + " @ " + b;
      case 3: return a + " + " + b;
      case 4: return a + " * " + b;
      case 5: return "tanh(" + a + ")";
      case 6: return "softmax(" + a + ", dim=1)";
      case 7: return "transpose(" + a + ")";
      case 8: return a + " - broadcast(sum(" + b + ", dim=0) / 12.0, [12, 12])";
      case 9: return "loop s = " + a + " for i < 2 { tanh(s @ " + b + ") }";
      case 10: return "concat([" + a + "[2:12, :], " + b + "[0:2, :]], dim=0)";
      case 11: return "(" + a + " * 0.5) as [12, 12@" + axis + "]";
      case 12: return "pad(" + a + ", [[1, 1], [0, 0]])[2:14, :] + roll(" + b + ", 1, 0)";
      case 13: return a + "[::-1, :] - 0.5 * broadcast(" + b + "[5, :], [12, 12])";
      case 14: return "update(" + a + ", 3, " + b + "[1:6, :])";
      default: return "if sum(" + a + ") > 0.0 { " + a + " + " + b + " } else { " + b + " }";
    }
  }

  std::mt19937 random_;
};

std::map<std::string, std::vector<float>> values_of(const std::string& text) {
  Session session(Config{});
  const auto run = session.run(text);
  EXPECT_TRUE(run) << text << (run ? "" : run.diagnostics().front().message);
  std::map<std::string, std::vector<float>> all;
  for (const char* name : {"l", "r"}) {
    const auto array = session.get(name);
    if (array) all[name] = array->to_vector<float>().value();
  }
  return all;
}

void expect_close(const std::string& text, const std::map<std::string, std::vector<float>>& a,
                  const std::map<std::string, std::vector<float>>& b) {
  ASSERT_EQ(a.size(), 2U) << text;
  ASSERT_EQ(b.size(), 2U) << text;
  for (const auto& [name, values] : a) {
    const std::vector<float>& others = b.at(name);
    ASSERT_EQ(values.size(), others.size());
    float largest = 0.0F;
    for (const float value : values) largest = std::max(largest, std::abs(value));
    for (std::size_t k = 0; k < values.size(); ++k)
      ASSERT_NEAR(values[k], others[k], 1e-4F * largest + 1e-5F) << name << " " << k << "\n" << text;
  }
}

std::vector<std::string> moves_of(const std::string& text) {
  Session session(Config{});
  const auto program = session.check(text);
  EXPECT_TRUE(program) << text << (program ? "" : program.diagnostics().front().message);
  return program ? moves_in(*program) : std::vector<std::string>();
}

std::vector<std::string> types_of(const std::string& text) {
  Session session(Config{});
  const auto program = session.check(text);
  std::vector<std::string> all;
  if (!program) return all;
  for (const Binding& binding : program->bindings()) all.push_back(binding.name + ": " + binding.type);
  return all;
}

TEST(Choice, ValuesAreThoseOfTheProgramWithoutAuto) {
  for (std::uint32_t seed = 0; seed < 25; ++seed) {
    const ChosenCase one = CaseMaker(seed).make();
    SCOPED_TRACE(seed);
    expect_close(one.chosen, values_of(one.chosen), values_of(one.plain));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Choice, TheClosedFormIsTheSameProgram) {
  for (std::uint32_t seed = 0; seed < 25; ++seed) {
    const ChosenCase one = CaseMaker(seed).make();
    const auto chosen = choose_layouts(one.chosen, "t.tess", Config{}, {"", 60, false, false, true});
    SCOPED_TRACE(seed);
    ASSERT_TRUE(chosen) << one.chosen << chosen.diagnostics().front().message;
    EXPECT_EQ(chosen->closed.find("auto"), std::string::npos);
    ASSERT_EQ(types_of(chosen->closed), types_of(one.chosen)) << one.chosen << chosen->closed;
    ASSERT_EQ(moves_of(chosen->closed), moves_of(one.chosen)) << one.chosen << chosen->closed;
    expect_close(chosen->closed, values_of(chosen->closed), values_of(one.chosen));
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Records in records, lets of records, a second record among the results, and names that others have.
TEST(Choice, TheClosedFormHasTheRecordsOfItsFunction) {
  const std::string text = R"(mesh m = [d: 4]
let g_w = 1.0
fn loss(p: {w: f32[D, F]?, out: {v: f32[F, C]?}}, x: f32[B, D]?) -> f32 = sum(relu(x @ p.w) @ p.out.v)
fn down(w: f32[..]?, g: f32[..]?) = w - 0.01 * g
auto fn f(p: {w: f32[D, F], out: {v: f32[F, C]}} auto, v1: {x: f32[B, D]} auto) -> (
  f32, {out: {v: f32[F, C]}, w: f32[D, F]} as p, {x: f32[B, D]?, n: f32}) {
  let (l, g) = grad(loss, wrt=p)(p, v1.x)
  let p_w = l * 2.0
  (p_w, each(down, p, g), {x: v1.x * 2.0, n: sum(g.out.v)})
}
let start = {w: 0.1 * normal(f32[16, 64], seed=1), out: {v: 0.1 * normal(f32[64, 8], seed=2)}}
let (l, next, more) = f(start, {x: normal(f32[32, 16], seed=3)})
let r = next.w @ next.out.v + more.n
)";
  const auto chosen = choose_layouts(text, "t.tess", Config{}, {"", 60, false, false, true});
  ASSERT_TRUE(chosen) << chosen.diagnostics().front().message;
  EXPECT_EQ(types_of(chosen->closed), types_of(text)) << chosen->closed;
  EXPECT_EQ(moves_of(chosen->closed), moves_of(text)) << chosen->closed;
  expect_close(chosen->closed, values_of(chosen->closed), values_of(text));
  std::vector<std::string> results;
  for (const Choice::Value& value : chosen->choices.at(0).values) {
    if (value.role == Choice::Role::result) results.push_back(value.name + " " + value.lies_as);
  }
  EXPECT_EQ(results, (std::vector<std::string>{" ", "2.out.v p.out.v", "2.w p.w", "3.x ", "3.n "}));
}

TEST(Choice, IsVerifiedAndNotDearerThanRivals) {
  for (std::uint32_t seed = 0; seed < 25; ++seed) {
    const ChosenCase one = CaseMaker(seed).make();
    const auto chosen = choose_layouts(one.chosen, "t.tess", Config{});
    ASSERT_TRUE(chosen) << one.chosen << chosen.diagnostics().front().message;
    const Choice& choice = chosen->choices.at(0);
    EXPECT_TRUE(choice.verified) << one.chosen;
    EXPECT_LE(choice.bound_seconds, choice.seconds * (1 + 1e-9));
    double sum = choice.local_seconds;
    for (const Choice::Conversion& move : choice.conversions) sum += move.seconds * move.executions;
    EXPECT_NEAR(sum, choice.seconds, 1e-9 * choice.seconds) << one.chosen;
    for (const Choice::Rival& rival : choice.rivals) {
      EXPECT_GE(rival.seconds.value_or(1e9), choice.bound_seconds * (1 - 1e-9)) << rival.name << "\n" << one.chosen;
    }
  }
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Each asserts that its values are those of layouts written by hand.
TEST(Choice, ExamplesRunAndSoDoTheirClosedForms) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TESSERA_SOURCE_DIR "/examples/auto")) {
    SCOPED_TRACE(entry.path().string());
    const std::string text = text_of(entry.path());
    const auto chosen = choose_layouts(text, "t.tess", Config{}, {"", 60, false, true, true});
    ASSERT_TRUE(chosen) << chosen.diagnostics().front().message;
    for (const Choice::Rival& rival : chosen->choices.at(0).rivals)
      EXPECT_GE(rival.seconds.value_or(1e9), chosen->choices[0].seconds * (1 - 1e-9)) << rival.name;
    std::vector<std::vector<std::string>> moves;
    for (const std::string& program : {text, chosen->closed}) {
      Session session(Config{});
      const auto run = session.run(program);
      ASSERT_TRUE(run) << run.diagnostics().front().message << "\n" << program;
      moves.push_back(moves_in(run->program));
    }
    EXPECT_EQ(moves[1], moves[0]) << chosen->closed;
    ++count;
  }
  EXPECT_EQ(count, 5U);
}

TEST(Choice, IsTheSameEachTime) {
  const ChosenCase one = CaseMaker(7).make();
  const auto first = choose_layouts(one.chosen, "t.tess", Config{});
  const auto second = choose_layouts(one.chosen, "t.tess", Config{});
  ASSERT_TRUE(first && second);
  for (std::size_t k = 0; k < first->choices[0].values.size(); ++k)
    EXPECT_EQ(first->choices[0].values[k].type, second->choices[0].values[k].type);
}

// What comes of a text in which a value of `f` is annotated; nothing where the annotation may not be made so, as that
// of a loop, which is one behind it.
std::string annotated_text(const std::string& text, const Choice::Value& value, const std::string& type) {
  const std::size_t function = text.find("auto fn f(");
  std::string from = value.name + ": f32[N, N] auto";
  if (value.role == Choice::Role::let) from = "let " + value.name + " = ";
  const std::size_t at = text.find(from, function);
  if (at == std::string::npos) return "";
  const std::string rest = text.substr(at + from.size(), text.find('\n', at) - at - from.size());
  const bool is_let = value.role == Choice::Role::let;
  if (is_let && (rest.rfind("loop", 0) == 0 || rest.find(") as [") != std::string::npos)) return "";
  return text.substr(0, at) + (is_let ? "let " : "") + value.name + ": " + type + (is_let ? " = " : "") +
         text.substr(at + from.size());
}

// Every figure of every value is that of a choice in which the text says so. The chosen layout's is that of the choice.
TEST(Choice, PricesOfLayoutsAreThoseOfAnnotations) {
  std::size_t compared = 0;
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    const std::string text = CaseMaker(seed).make().chosen;
    SCOPED_TRACE(text);
    Session session(Config{});
    const auto program = session.check(text);
    ASSERT_TRUE(program);
    const Choice choice = choices_of(*program).value().at(0);
    for (const Choice::Value& value : choice.values) {
      if (value.role == Choice::Role::result) continue;
      SCOPED_TRACE(value.name);
      const auto told = explain_value(*program, "f", value.name);
      ASSERT_TRUE(told) << told.diagnostics().front().message;
      EXPECT_EQ(told->type, value.type);
      ASSERT_FALSE(told->layouts.empty());
      for (const LayoutPrice& price : told->layouts) {
        EXPECT_LE(price.bound_seconds, price.seconds * (1 + 1e-9));
        EXPECT_TRUE(!price.is_chosen || price.seconds <= choice.seconds * (1 + 1e-6));
        const std::string other = annotated_text(text, value, price.type);
        if (other.empty() || price.bound_seconds < price.seconds * (1 - 1e-6)) continue;
        const auto there = choose_layouts(other, "t.tess", Config{}, {"", 60, false, false, false});
        ASSERT_TRUE(there) << price.type << ": " << there.diagnostics().front().message;
        if (there->choices.at(0).proof == "limit") continue;
        EXPECT_NEAR(there->choices[0].seconds, price.seconds, 2e-6 * price.seconds) << price.type;
        ++compared;
      }
    }
    EXPECT_FALSE(explain_value(*program, "f", "nothing"));
  }
  EXPECT_GT(compared, 40U);
}

// Readers are told with the layout that they take, and with what brings it there.
TEST(Choice, SaysWhoReadsAValue) {
  Session session(Config{});
  const auto program = session.check(
      "mesh m = [d: 4]\n"
      "auto fn f(x: f32[N@d, K], w: f32[K@d, M]) -> f32[N, M] = relu(x @ w) + x @ w\n"
      "let y = f(ones(f32[4096@d, 64]), ones(f32[64@d, 64]))\n");
  ASSERT_TRUE(program) << program.diagnostics().front().message;
  const ExplainedValue w = explain_value(*program, "f", "w").value();
  EXPECT_EQ(w.type, "f32[64@d, 64]");
  ASSERT_EQ(w.readers.size(), 2U);
  EXPECT_EQ(w.readers[0].type, "f32[64, 64]");
  EXPECT_EQ(w.readers[0].reader, "x @ w");
  EXPECT_EQ(w.readers[0].place.column, 63U);
  EXPECT_GT(w.readers[0].seconds, 0);
  EXPECT_EQ(w.readers[1].place.column, 72U);
  const ExplainedValue x = explain_value(*program, "f", "x").value();
  ASSERT_EQ(x.readers.size(), 2U);
  EXPECT_EQ(x.readers[1].type, x.type);
  EXPECT_EQ(x.readers[1].seconds, 0);
  EXPECT_EQ(x.layouts.size(), 1U);
}

TEST(Choice, OfNoSuchFunctionSaysWhichThereAre) {
  const std::string text = "mesh m = [d: 2]\nauto fn f(a: f32[N] auto) = a * 2.0\nlet b = f(ones(f32[4]))\n";
  const auto wrong = choose_layouts(text, "t.tess", Config{}, {"g", 60, false, false, false});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.diagnostics().front().slug, "nothing-chosen");
  EXPECT_NE(wrong.diagnostics().front().help.find("`f`"), std::string::npos);
  const auto none = choose_layouts("let a = 1\n", "t.tess", Config{});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.diagnostics().front().slug, "nothing-chosen");
}

TEST(Choice, OfSeveralTypesHasNoClosedForm) {
  const std::string text =
      "mesh m = [d: 2]\nauto fn f(a: f32[N] auto) = a * 2.0\nlet b = f(ones(f32[4]))\nlet c = f(ones(f32[6]))\n";
  const auto closed = choose_layouts(text, "t.tess", Config{}, {"", 60, false, false, true});
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.diagnostics().front().slug, "no-closed-form");
  const auto open = choose_layouts(text, "t.tess", Config{});
  ASSERT_TRUE(open);
  EXPECT_EQ(open->choices.size(), 2U);
}

// The peak is compared with what the machine file says of each device, to the byte.
TEST(Choice, SaysWhetherItFits) {
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    const std::string text = CaseMaker(seed).make().chosen;
    const auto unlimited = choose_layouts(text, "t.tess", Config{});
    ASSERT_TRUE(unlimited) << text;
    const std::vector<std::int64_t>& peaks = unlimited->choices.at(0).peak_bytes;
    EXPECT_TRUE(unlimited->choices[0].fits);
    EXPECT_EQ(unlimited->choices[0].memory_bytes, std::vector<std::int64_t>(peaks.size(), 0));
    ASSERT_FALSE(peaks.empty());
    for (std::size_t device = 0; device < peaks.size(); ++device) {
      for (const std::int64_t less : {0, 1}) {
        Config config;
        for (std::size_t d = 0; d < peaks.size(); ++d)
          config.machine.devices.push_back({1, 1e12, 100e9, peaks[d] - (d == device ? less : 0)});
        config.machine.levels = {{"device", static_cast<std::int64_t>(peaks.size()), 100e9, 1e-6}};
        const auto chosen = choose_layouts(text, "t.tess", config);
        ASSERT_TRUE(chosen) << text << chosen.diagnostics().front().message;
        EXPECT_EQ(chosen->choices[0].memory_bytes.at(device), peaks[device] - less);
        const Choice& choice = chosen->choices[0];
        bool has_room = true;
        for (std::size_t d = 0; d < peaks.size(); ++d) {
          has_room = has_room && choice.peak_bytes.at(d) <= choice.memory_bytes[d];
        }
        EXPECT_EQ(choice.fits, has_room) << device << "\n" << text;
        if (less != 0) continue;
        // The fastest fits, so it is taken.
        EXPECT_TRUE(choice.fits) << text;
        EXPECT_EQ(choice.peak_bytes, peaks) << text;
      }
    }
  }
}

// Where no warning says otherwise, what was chosen fits: the plan of the run's memory is the judge.
TEST(Choice, FitsTheMemoryOfDevicesOrSaysSo) {
  std::size_t warned = 0;
  for (std::uint32_t seed = 18; seed < 25; ++seed) {
    const std::string text = CaseMaker(seed).make().chosen;
    const auto unlimited = choose_layouts(text, "t.tess", Config{}, {"", 60, false, false, false});
    ASSERT_TRUE(unlimited) << text;
    const std::vector<std::int64_t>& peaks = unlimited->choices.at(0).peak_bytes;
    for (const double share : {1.0, 0.9, 0.8, 0.6}) {
      Config config;
      const double most = static_cast<double>(*std::max_element(peaks.begin(), peaks.end()));
      config.machine.devices = {
          {static_cast<std::int64_t>(peaks.size()), 1e12, 100e9, static_cast<std::int64_t>(share * most)}};
      const auto chosen = choose_layouts(text, "t.tess", config, {"", 60, false, false, false});
      ASSERT_TRUE(chosen) << text << chosen.diagnostics().front().message;
      const bool is_warned = std::any_of(chosen->notes.begin(), chosen->notes.end(),
                                         [](const Diagnostic& own) { return own.slug == "auto-memory"; });
      warned += is_warned ? 1 : 0;
      EXPECT_LE(chosen->choices[0].bound_seconds, unlimited->choices[0].seconds * (1 + 1e-6)) << seed << "\n" << text;
      EXPECT_EQ(chosen->choices[0].proof == "memory", is_warned) << seed;
      EXPECT_NE(chosen->choices[0].fits, is_warned) << seed << " at " << share << " of " << most << "\n" << text;
    }
  }
  EXPECT_GT(warned, 0U);
  EXPECT_LT(warned, 14U);
}

std::vector<std::string> json_of(const Result<std::vector<Choice>>& choices) {
  std::vector<std::string> all;
  EXPECT_TRUE(choices);
  for (const Choice& one : *choices) all.push_back(choice_json(one));
  return all;
}

// What a session tells is what the program that ran says of itself; a text without choices, one that fails and one
// that is only checked change nothing, and forks go their own ways.
TEST(Choice, OfASessionAreThoseOfItsLastText) {
  Session session(Config{});
  EXPECT_TRUE(session.choices()->empty());
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    const auto checked = session.fork().check(CaseMaker(seed + 100).make().chosen);
    const auto run = session.run(CaseMaker(seed).make().chosen);
    ASSERT_TRUE(checked && run) << seed;
    const auto own = json_of(session.choices());
    EXPECT_EQ(own, json_of(choices_of(run->program)));
    ASSERT_EQ(own.size(), 1U);
    EXPECT_NE(own, json_of(choices_of(*checked)));
    Session fork = session.fork();
    ASSERT_TRUE(session.run("let z = l + 1.0\n"));
    ASSERT_FALSE(session.run("let (l, r) = f(oops, oops, oops)\n"));
    EXPECT_EQ(json_of(session.choices()), own);
    ASSERT_TRUE(fork.run("let (l, r) = f(ones(f32[12, 12]), ones(f32[12, 12]), ones(f32[12, 12]))\n"));
    EXPECT_NE(json_of(fork.choices()), own);
    EXPECT_EQ(json_of(session.choices()), own);
  }
}

// A compiled function runs in the layouts that are told.
TEST(Choice, OfASessionAreThoseOfACompiledFunction) {
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    Session session(Config{});
    ASSERT_TRUE(session.run(CaseMaker(seed).make().chosen));
    const std::string type = "f32[12, 12]";
    const auto function = session.function("f", {type, type, type});
    ASSERT_TRUE(function) << function.diagnostics().front().message;
    const auto choices = session.choices();
    ASSERT_TRUE(choices);
    ASSERT_EQ(choices->size(), 1U);
    std::vector<std::string> results;
    for (const Choice::Value& value : choices->front().values) {
      EXPECT_TRUE(value.role != Choice::Role::parameter || value.type.rfind("f32[12", 0) == 0) << value.type;
      if (value.role == Choice::Role::result) results.push_back(value.type);
    }
    EXPECT_EQ(results, function->results());
    EXPECT_FALSE(session.function("f", {type}));
    EXPECT_EQ(json_of(session.choices()), json_of(choices));
  }
}

TEST(Choice, EndsWhenItIsStopped) {
  StopToken stop;
  stop.stop();
  Config config;
  config.stop = stop;
  const auto stopped = choose_layouts(CaseMaker(3).make().chosen, "t.tess", config);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.diagnostics().front().slug, "interrupted");
}

}  // namespace
}  // namespace tessera
