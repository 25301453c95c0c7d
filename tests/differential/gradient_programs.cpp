#include "tests/differential/gradient_programs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "tests/generator/random.hpp"

namespace tessera::differential {

namespace {

using Extents = std::vector<std::int64_t>;

std::string list(const Extents& extents) { return fmt::format("[{}]", fmt::join(extents, ", ")); }

struct Named {
  std::string name;
  Extents shape;
};

constexpr std::int64_t kInputs = 12;
constexpr std::int64_t kElementsMost = 48;

class Body {
 public:
  // The same function in other layouts has another second seed.
  Body(std::uint64_t seed, std::uint64_t layouts_seed) : random_(seed), layouts_(layouts_seed) {
    bind("reshape(v, [3, 4])", {3, 4});
    bind("v[0:6]", {6});
    bind("reshape(v[2:10], [2, 2, 2])", {2, 2, 2});
  }

  std::string text() {
    const std::int64_t steps = random_.between(4, 10);
    for (std::int64_t k = 0; k < steps; ++k) step();
    std::string loss;
    for (std::size_t k = values_.size() - 3; k < values_.size(); ++k)
      loss += fmt::format("{}sum({} * random(f64{}, {}))", loss.empty() ? "" : " + ", values_[k].name,
                          list(values_[k].shape), k);
    return lines_ + "  " + loss + "\n";
  }

 private:
  static std::int64_t elements(const Extents& shape) {
    std::int64_t all = 1;
    for (const std::int64_t extent : shape) all *= extent;
    return all;
  }

  // Through tanh, so that what is made of it stays small.
  void bind(const std::string& expression, Extents shape) {
    if (elements(shape) > kElementsMost || shape.empty()) return;
    const std::string name = fmt::format("t{}", values_.size());
    lines_ += fmt::format("  let {} = tanh({})\n", name, expression);
    values_.push_back({name, std::move(shape)});
  }

  const Named& any() { return random_.pick(values_); }
  std::size_t dimension(const Named& a) { return random_.index(a.shape); }

  // In a random layout, over each axis once at most.
  std::string laid(const Named& a) {
    if (layouts_.chance(40)) return a.name;
    std::vector<std::string> extents;
    for (const std::int64_t extent : a.shape) extents.push_back(std::to_string(extent));
    for (const std::string_view axis : {"x", "y"}) {
      if (!layouts_.chance(60)) continue;
      std::string& extent = extents[layouts_.index(extents)];
      if (extent.find('@') == std::string::npos) extent += fmt::format("@{}", axis);
    }
    return fmt::format("({} as [{}])", a.name, fmt::join(extents, ", "));
  }
  static std::string whole(const Named& a) { return fmt::format("({} as {})", a.name, list(a.shape)); }

  void step() {
    switch (random_.below(13)) {
      case 0: return unary();
      case 1: return two_alike();
      case 2: return repeated();
      case 3: return reduced();
      case 4: return along();
      case 5: return moved();
      case 6: return product();
      case 7: return part();
      case 8: return table();
      case 9: return branch();
      case 10: return turns();
      case 11: return matrices();
      default: return again();
    }
  }

  void unary() {
    constexpr std::array kForms = {"sin({})",          "exp({})",
                                   "cos({})",          "sigmoid({})",
                                   "erf({})",          "gelu({})",
                                   "exp2({})",         "log({0} * {0} + 1.0)",
                                   "sqrt({} + 2.0)",   "rsqrt({} + 2.0)",
                                   "({})**3.0",        "2.0 / ({} + 2.0)",
                                   "({} + 2.0)**0.5",  "relu({})",
                                   "abs({})",          "clip({}, -0.5, 0.4)",
                                   "({} * 3.0) % 0.9", "-{}"};
    const Named a = any();
    bind(fmt::format(fmt::runtime(random_.pick(kForms)), laid(a)), a.shape);
  }

  void two_alike() {
    constexpr std::array kForms = {"{} + {}",     "{} - {}",         "{} * {}",       "max({}, {})",
                                   "min({}, {})", "{} / ({} + 2.0)", "({} + 2.0)**{}"};
    const Named a = any();
    Named b = any();
    if (a.shape != b.shape) b = {fmt::format("cos({})", a.name), a.shape};
    bind(fmt::format(fmt::runtime(random_.pick(kForms)), laid(a), whole(b)), a.shape);
  }

  void repeated() {
    const Named a = any();
    const std::size_t d = dimension(a);
    Extents kept = a.shape;
    kept[d] = 1;
    const std::string small = fmt::format("reshape(sum({}, dim={}), {})", a.name, d, list(kept));
    bind(fmt::format("{} * ({} as {})", laid(a), small, list(kept)), a.shape);
  }

  void reduced() {
    constexpr std::array kNames = {"sum", "mean", "max", "min", "prod"};
    const Named a = any();
    const std::size_t d = dimension(a);
    Extents shape = a.shape;
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(d));
    bind(fmt::format("{}({}, dim={})", random_.pick(kNames), laid(a), d), shape);
  }

  void along() {
    const Named a = any();
    constexpr std::array kNames = {"softmax", "softmax", "cumsum", "cumprod"};
    bind(fmt::format("{}({}, {})", random_.pick(kNames), laid(a), dimension(a)), a.shape);
  }

  void moved() {
    const Named a = any();
    Extents shape = a.shape;
    const std::size_t d = dimension(a);
    std::reverse(shape.begin(), shape.end());
    switch (random_.below(5)) {
      case 0: return bind(fmt::format("transpose({})", laid(a)), shape);
      case 1: return bind(fmt::format("reshape({}, [{}])", laid(a), elements(shape)), {elements(shape)});
      case 2: return bind(fmt::format("concat([{}, {}], 0)", laid(a), whole(a)), doubled(a));
      case 3: return bind(fmt::format("roll({}, {}, {})", laid(a), random_.between(-5, 5), d), a.shape);
      default: break;
    }
    Extents longer = a.shape;
    longer[d] += 3;
    std::string widths;
    for (std::size_t k = 0; k < longer.size(); ++k)
      widths += fmt::format("{}{}", k == 0 ? "" : ", ", k == d ? "[1, 2]" : "[0, 0]");
    bind(fmt::format("pad({}, [{}], sum({}))", laid(a), widths, a.name), longer);
  }

  static Extents doubled(const Named& a) {
    Extents shape = a.shape;
    shape[0] *= 2;
    return shape;
  }

  void product() {
    const Named a = any();
    const Named b = any();
    const bool fits = a.shape.back() == b.shape[0] && a.shape.size() <= 2 && b.shape.size() == 2;
    if (!fits) {
      Extents shape(a.shape.begin(), a.shape.end() - 1);
      return bind(fmt::format("{} @ cos({})", laid(a), flat_row(a)), shape);
    }
    Extents shape = a.shape;
    shape.back() = b.shape[1];
    bind(fmt::format("{} @ {}", laid(a), whole(b)), shape);
  }

  // Of a matrix m whose symmetric part is positive definite: its diagonal is larger than all beside it.
  void matrices() {
    constexpr std::array kForms = {"solve({0}, {1})", "inv({0}) @ {1}", "solve_triangular({0}, {1}, lower=true)",
                                   "cholesky({0} + transpose({0})) @ {1}", "(det({0} / {2}) * {1})"};
    const Named a = any();
    const std::int64_t n = a.shape[0];
    if (n > 6 || a.shape.size() > 2) return;
    const std::string row = fmt::format("reshape({}, [-1])[0:{}]", whole(a), n);
    const std::string m = fmt::format("(outer(sin({}), cos({})) + {}.0 * eye(f64[{}, {}]))", row, row, n + 2, n, n);
    bind(fmt::format(fmt::runtime(random_.pick(kForms)), m, laid(a), fmt::format("{}.0", n + 2)), a.shape);
  }

  // A vector as long as the last dimension, whole.
  static std::string flat_row(const Named& a) {
    std::string positions;
    for (std::size_t k = 0; k + 1 < a.shape.size(); ++k) positions += "0, ";
    return fmt::format("({}[{}:] as [{}])", a.name, positions, a.shape.back());
  }

  void part() {
    const Named a = any();
    if (a.shape[0] < 2) return;
    Extents shape = a.shape;
    const std::int64_t start = random_.below(shape[0]);
    const std::int64_t stop = random_.between(start + 1, shape[0]);
    if (random_.chance(30)) {
      const std::string row = fmt::format("{}[{}:{}]", a.name, start, stop);
      return bind(fmt::format("update({}, {}, sin({}))", laid(a), shape[0] - (stop - start), row), shape);
    }
    shape[0] = stop - start;
    bind(fmt::format("{}[{}:{}]", laid(a), start, stop), shape);
  }

  void table() {
    const Named a = any();
    Extents ids;
    for (std::int64_t k = 0; k < 3; ++k) ids.push_back(random_.between(-a.shape[0], a.shape[0] - 1));
    Extents shape = a.shape;
    shape[0] = 3;
    const char* const layout = layouts_.chance(50) ? " as [3@x]" : "";
    const std::string rows = *layout == '\0' ? laid(a) : whole(a);
    bind(fmt::format("take({}, {}{})", rows, list(ids), layout), shape);
  }

  void branch() {
    const Named a = any();
    const Named b = any();
    bind(fmt::format("if sum({}) > 0.1 {{ {} * {} }} else {{ exp({}) }}", b.name, a.name, a.name, laid(a)), a.shape);
  }

  void turns() {
    const Named a = any();
    bind(fmt::format("loop c = {} + 0.0 for i < {} {{ sin(c + {}) * f64(i + 1) }}", whole(a), random_.below(4),
                     whole(a)),
         a.shape);
  }

  void again() {
    const Named a = any();
    bind(fmt::format("again {{ let u = exp({}); u * sin(u) }}", laid(a)), a.shape);
  }

  generator::Random random_;
  generator::Random layouts_;
  std::vector<Named> values_;
  std::string lines_;
};

std::string head(std::uint64_t seed, std::uint64_t layouts_seed, const generator::MeshSizes& mesh) {
  return fmt::format("mesh m = [x: {}, y: {}]\nlet n = {}\nfn f(v: f64[N]?) = {{\n{}}}\n", mesh[0], mesh[1], kInputs,
                     Body(seed, layouts_seed).text());
}

constexpr std::array<std::string_view, 4> kLayouts = {"", " as [12@x]", " as [12@(y,x)]", " as [12@y]"};

}  // namespace

std::string gradient_program(std::uint64_t seed, const generator::MeshSizes& mesh) {
  constexpr std::string_view kRest = R"(let at = (random(f64[n], {}) * 2.0 - 1.0){}
let h: f64 = 1e-6
let slopes = loop d = zeros(f64[n]) for i < n {{
  let step = f64(one_hot(i, n)) * h
  update(d, i, reshape((f(at + step) - f(at - step)) / (2.0 * h), [1]))
}}
let (loss, gradient) = grad(f)(at)
let distance = max(abs(gradient - slopes)) / (1.0 + max(abs(slopes)))
assert distance < 1e-6, "the gradient is not the slope"
)";
  return head(seed, ~seed, mesh) + fmt::format(kRest, seed, kLayouts[seed % kLayouts.size()]);
}

std::string gradient_program_f32(std::uint64_t seed, std::uint64_t layouts_seed, const generator::MeshSizes& mesh) {
  constexpr std::string_view kRest = R"(let at = (random(f64[n], {}) * 2.0 - 1.0){}
let (loss, gradient) = grad(f)(at)
)";
  std::string text =
      head(seed, layouts_seed, mesh) + fmt::format(kRest, seed, kLayouts[layouts_seed % kLayouts.size()]);
  for (std::size_t at = text.find("f64"); at != std::string::npos; at = text.find("f64", at))
    text.replace(at, 3, "f32");
  return text;
}

}  // namespace tessera::differential
