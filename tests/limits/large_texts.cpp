#include "tests/limits/large_texts.hpp"

#include <array>
#include <functional>
#include <random>

namespace tessera::limits {

namespace {

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  int between(int least, int most) {
    return least + static_cast<int>(random_() % static_cast<unsigned>(most - least + 1));
  }
  template <std::size_t N>
  std::string one_of(const std::array<const char*, N>& words) {
    return words.at(static_cast<std::size_t>(between(0, static_cast<int>(N) - 1)));
  }

 private:
  std::mt19937 random_;
};

std::string number(int value) { return std::to_string(value); }

std::string repeated(int times, const std::function<std::string(int)>& piece) {
  std::string text;
  for (int k = 0; k < times; ++k) text += piece(k);
  return text;
}

// Many statements, or few long ones.
std::string long_text(Random& random) {
  const int pieces = random.between(500, 60'000);
  switch (random.between(0, 4)) {
    case 0: return repeated(pieces, [](int k) { return "let a" + number(k) + " = " + number(k) + "\n"; });
    case 1: return "let a = [" + repeated(pieces, [](int k) { return number(k % 10) + ","; }) + "1]\n";
    case 2:
      return "let x = 1.5\n" + repeated(pieces / 50, [](int) {
               return "let a = x" + repeated(50, [](int k) { return " + " + number(k) + ".0"; }) + "\n";
             });
    case 3:
      return repeated(pieces / 10, [](int k) {
        return "fn fun" + number(k) + "(v: f32[N]?) = sum(v * " + number(k) + ".0)\nlet b" + number(k) + " = fun" +
               number(k) + "(iota(f32[4]))\n";
      });
    default:
      return repeated(pieces / 10, [](int k) { return "print \"" + std::string(50, 'x') + "\", " + number(k) + "\n"; });
  }
}

// Functions that each call the one before several times.
std::string doubling(Random& random, const std::string& last) {
  const int levels = random.between(12, 60);
  const std::string calls = random.one_of(std::array{
      "{f}(v) + {f}(v)", "{f}({f}(v))", "{f}(v) * {f}(v * 0.5) - {f}(1.0)", "loop w = {f}(v) for i < 2 { {f}(w) }",
      "if v > 0.0 { {f}(v) } else { {f}(v * 2.0) }", "again { {f}({f}(v)) }"});
  const std::string first = random.one_of(std::array{"v", "v * v + 1.0", "exp(v)"});
  std::string text = "fn g0(v: f32) = " + first + "\n";
  for (int k = 1; k < levels; ++k) {
    std::string body = calls;
    for (std::size_t at = body.find("{f}"); at != std::string::npos; at = body.find("{f}"))
      body.replace(at, 3, "g" + number(k - 1));
    text += "fn g" + number(k) + "(v: f32) = " + body + "\n";
  }
  std::string use = last;
  use.replace(use.find("{g}"), 3, "g" + number(levels - 1));
  return text + use + "\n";
}

std::string microbatches(Random& random) {
  const int stages = random.between(2, 6);
  std::string text = repeated(
      stages, [](int k) { return "mesh m" + number(k) + " = [x: 1] on " + number(k) + ":" + number(k + 1) + "\n"; });
  text += "let t = ones(f32[2, 8] on m0)\n";
  text += random.one_of(std::array{"plan ", "let s = "});
  text += "pipeline p = zeros(f32[8] on m" + number(stages - 1) + ") for i < " +
          number(random.between(1000, 400'000) / stages);
  text += " by \"" + random.one_of(std::array{"gpipe", "gpipe+late", "1f1b", "eager-1f1b", "auto"}) + "\" {\n";
  text += "  let v0 = t[0]\n";
  for (int k = 1; k < stages; ++k)
    text += "  let v" + number(k) + " = v" + number(k - 1) + " * 2.0 as [8] on m" + number(k) + "\n";
  return text + "  p + v" + number(stages - 1) + "\n}\n";
}

std::string long_loop(Random& random) {
  const std::string turns = number(random.between(10, 30'000)) + "0000";
  const std::string inner = "loop u = w for j < " + turns + " { u * 0.5 + 1.0 }";
  switch (random.between(0, 3)) {
    case 0: return "let e = loop w = 0.0 for i < " + turns + " { w + 1.0 }\n";
    case 1: return "let e = loop w = 0.0 for i < " + turns + " { " + inner + " }\n";
    case 2: return "mesh m = [x: 4]\nlet e = loop w = zeros(f32[64@x]) for i < " + turns + " { w + f32(i) }\n";
    default: return "fn f(v: f32) = loop w = v for i < " + turns + " { w * 0.5 }\nlet (a, b) = grad(f)(1.0)\n";
  }
}

std::string large_array(Random& random) {
  const std::string extent =
      number(random.between(1, 9)) + std::string(static_cast<std::size_t>(random.between(4, 12)), '0');
  const std::string use =
      random.one_of(std::array{"let a = {a}", "print sum(broadcast(1.0, [{n}]) + 1.0)", "plan {a} as [{n}]",
                               "let a = {a} * 2.0 + {a}", "let a = pad({a}, [{n}, {n}])"});
  const std::string array = random.one_of(std::array{"zeros(f32[{n}@x])", "iota(i64[{n}])", "random(f32[{n}@x], 1)"});
  std::string text = "mesh m = [x: 4]\n" + use + "\n";
  for (std::size_t at = text.find("{a}"); at != std::string::npos; at = text.find("{a}")) text.replace(at, 3, array);
  for (std::size_t at = text.find("{n}"); at != std::string::npos; at = text.find("{n}")) text.replace(at, 3, extent);
  return text;
}

}  // namespace

std::vector<LargeText> large_texts(int each) {
  Random random(2026);
  std::vector<LargeText> all;
  const auto add = [&](const std::string& sort, int n, std::string text) {
    all.push_back({sort + number(n), std::move(text)});
  };
  for (int n = 0; n < each; ++n) {
    add("LongText", n, long_text(random));
    add("Calls", n, doubling(random, "print {g}(1.0)"));
    add("Gradient", n, doubling(random, "let (a, b) = grad({g})(1.0)"));
    add("Microbatches", n, microbatches(random));
    add("Loop", n, long_loop(random));
    add("Array", n, large_array(random));
  }
  return all;
}

}  // namespace tessera::limits
