#include "tests/generator/generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tests/generator/edges.hpp"
#include "tests/generator/long_lines.hpp"
#include "tests/generator/maker.hpp"
#include "tests/generator/productions.hpp"
#include "tests/generator/records.hpp"
#include "tests/generator/unrolled.hpp"

namespace tessera::generator {

namespace {

constexpr int kDepthMax = 4;

// Writes statement after statement.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed), maker_(random_, program_) {
    program_.seed = seed;
    program_.mesh = random_.pick(meshes());
  }

  Program write() && {
    for (std::int64_t k = random_.below(3); k > 0; --k) constant();
    for (std::int64_t k = random_.between(3, 9); k > 0; --k) statement();
    random_ = Random(~program_.seed);  // what stands above is as it was before there were records
    const auto append = [this](auto bound, auto tessera, auto numpy, auto value) {
      add(std::move(bound), std::move(tessera), std::move(numpy), std::move(value));
    };
    if (random_.chance(50)) add_records(maker_, append);
    random_ = Random(~program_.seed ^ 0x50F7U);  // likewise before there were long lines
    if (random_.chance(40)) add_sorted_lines(maker_, append);
    random_ = Random(~program_.seed ^ 0xB175U);  // and before there were operators of bits
    maker_.stage = 1;
    if (random_.chance(40)) bits();
    random_ = Random(~program_.seed ^ 0x4ECAU);  // and before there were recurrences
    if (random_.chance(40)) recurrence();
    random_ = Random(~program_.seed ^ 0xC0257U);  // and before there were unrolled loops
    maker_.stage = 2;
    if (random_.chance(60)) unrolled_loops();
    return std::move(program_);
  }

 private:
  void statement() {
    const std::int64_t which = random_.below(20);
    if (which == 0) {
      assertion();
    } else if (which == 1) {
      picture("plan {} as {}");
    } else if (which == 2) {
      picture("show {} as {}");
    } else if (which == 3) {
      two_carried();
    } else if (which == 4) {
      two_results();
    } else if (which == 5) {
      edges();
    } else {
      value();
    }
  }

  void add(std::vector<Variable> bound, std::string tessera, std::string numpy, ExpressionRef value) {
    Statement statement{{}, {}, std::move(tessera), std::move(numpy), std::move(value)};
    for (const Variable& one : bound) {
      statement.names.push_back(one.name);
      statement.facts.push_back(one.facts);
    }
    program_.statements.push_back(std::move(statement));
    for (Variable& one : bound) {
      program_.statements.push_back({{}, {}, fmt::format("print \"= {0}\", {0}", one.name), "", nullptr});
      if (one.facts.finite) maker_.scope.push_back(std::move(one));
    }
  }

  void constant() {
    const std::int64_t number = random_.between(2, 9);
    const Variable bound{maker_.fresh("n"), settled(derived(Element::i64, {}, {}), static_cast<double>(number), 0)};
    add({bound}, fmt::format("let {} = {}", bound.name, number), fmt::format("{} = np.int64({})", bound.name, number),
        nullptr);
    maker_.constants.emplace_back(bound.name, number);
  }

  Want random_want() {
    const Element element = maker_.random_element();
    Shape shape = maker_.random_shape();
    return {element, std::move(shape), random_.chance(40)};
  }

  std::string random_type(const Facts& facts) {
    return maker_.type(facts.element, facts.shape,
                       random_layout(random_, facts.shape.size(), maker_.pending_of(facts.element)));
  }

  void value() {
    const ExpressionRef expression = maker_.make(random_want(), static_cast<int>(random_.between(1, kDepthMax)));
    bind(expression);
  }
  void bind(const ExpressionRef& expression) {
    Variable bound{maker_.fresh("v"), expression->facts};
    std::string annotation;
    if (random_.chance(30)) {
      annotation = ": " + random_type(bound.facts);
      bound.facts.zero_signs =
          bound.facts.zero_signs && !(is_float(bound.facts.element) && annotation.find('{') != std::string::npos);
    }
    add({bound}, fmt::format("let {}{} = $0", bound.name, annotation), fmt::format("{} = $0", bound.name), expression);
  }

  // A loop that carries two values; each becomes the other's next value where their types are alike.
  void two_carried() {
    const Want want = random_want();
    const ExpressionRef a = maker_.make(want, 2);
    const ExpressionRef b = maker_.make(want, 2);
    const std::string type = random_type(settled(derived(Element::boolean, want.shape, {}), 1, 0)).substr(4);
    const std::string element(name(want.element));
    const Facts facts = of_choice(derived(want.element, want.shape, facts_of({a, b})), {a->facts, b->facts});
    const Variable first{maker_.fresh("v"), facts};
    const Variable second{maker_.fresh("v"), facts};
    const std::string tessera = fmt::format("loop u = $0 as {0}, w = $1 as {0} for i < 3 {{ (w, u) }}", element + type);
    add({first, second}, fmt::format("let ({}, {}) = $0", first.name, second.name),
        fmt::format("{}, {} = $0", first.name, second.name),
        node(facts, tessera, "loop2(lambda i, u, w: (w, u), 3, $0, $1)", {a, b}));
  }

  void bits() {
    const Element element = random_.chance(50) ? Element::i32 : Element::i64;
    const Shape shape = maker_.random_shape();
    bind(maker_.make({element, shape, random_.chance(40)}, 3));
  }

  void recurrence() {
    Want want{random_.pick(std::array{Element::f32, Element::f64, Element::i32, Element::i64}), maker_.random_shape()};
    if (want.shape.empty()) want.shape.push_back(maker_.random_extent());
    bind(generator::recurrence(maker_, want, 3));
  }

  void unrolled_loops() {
    for (std::int64_t k = random_.between(1, 3); k > 0; --k) value();
    if (const std::string text = unrolled_statement(maker_); !text.empty()) add({}, text, "", nullptr);
  }

  void edges() {
    const ExpressionRef expression = edge_values(maker_);
    const Variable bound{maker_.fresh("v"), expression->facts};
    add({bound}, fmt::format("let {} = $0", bound.name), fmt::format("{} = $0", bound.name), expression);
  }

  void two_results();
  void assertion() {
    const ExpressionRef any = maker_.make({Element::i64, {}, true}, 2);
    add({}, "assert ($0 % 5) < 5, \"a remainder is smaller than its divisor\"", "", any);
  }

  // A statement whose output depends on the devices.
  void picture(const char* form) {
    if (maker_.scope.empty()) return;
    const Variable& one = random_.pick(maker_.scope);
    const std::string type = random_type(one.facts);
    add({}, fmt::format("print \"=\"; {}", fmt::format(fmt::runtime(form), one.name, type)), "", nullptr);
  }

  Random random_;
  Program program_;
  Maker maker_;
};

// A function of two arrays that gives two.
void Writer::two_results() {
  const Want want = random_want();
  const ExpressionRef a = maker_.make(want, 2);
  const ExpressionRef b = maker_.make({want.element, want.shape, want.certain}, 2);
  const std::string function = maker_.fresh("g");
  const std::string type = random_type(settled(derived(Element::boolean, want.shape, {}), 1, 0));
  const std::string own = std::string(name(want.element)) + type.substr(4);
  program_.statements.push_back(
      {{},
       {},
       fmt::format("fn {0}(a: {1}, b: {1}) -> ({1}, {1}) {{ let t = b; (where(a == b, a, t), a) }}", function, own),
       fmt::format("def {}(a, b):\n    return b, a", function),
       nullptr});
  Variable first{maker_.fresh("v"), b->facts};
  first.facts.zero_signs = a->facts.zero_signs && b->facts.zero_signs;  // of equals a is taken: of 0 and -0, too
  const Variable second{maker_.fresh("v"), a->facts};
  add({first, second}, fmt::format("let ({}, {}) = $0", first.name, second.name),
      fmt::format("{}, {} = $0", first.name, second.name),
      node(a->facts, function + "($0, $1)", function + "($0, $1)", {a, b}));
}

std::vector<MeshSizes> all_meshes() {
  std::vector<MeshSizes> all;
  for (std::int64_t x = 1; x <= 12; ++x) {
    for (std::int64_t y = 1; x * y <= 12; ++y) {
      for (std::int64_t z = 1; x * y * z <= 12; ++z) all.push_back({x, y, z});
    }
  }
  return all;
}

}  // namespace

const std::vector<MeshSizes>& meshes() {
  static const std::vector<MeshSizes> all = all_meshes();
  return all;
}

Program generate(std::uint64_t seed) { return Writer(seed).write(); }

std::vector<MeshSizes> other_meshes(const Program& program, std::size_t wanted) {
  // The meshes that have shown the most: uneven cuts, primes, three axes.
  static const std::vector<MeshSizes> favourites = {{2, 3, 1}, {5, 1, 1}, {1, 7, 1}, {2, 2, 3},
                                                    {4, 1, 2}, {1, 3, 2}, {3, 1, 4}, {1, 1, 11}};
  Random random(program.seed ^ 0x5EEDU);
  std::vector<MeshSizes> chosen;
  while (chosen.size() < wanted) {
    const MeshSizes& mesh = random.chance(70) ? random.pick(favourites) : random.pick(meshes());
    if (mesh != program.mesh && mesh != kOneDevice && std::find(chosen.begin(), chosen.end(), mesh) == chosen.end())
      chosen.push_back(mesh);
  }
  return chosen;
}

}  // namespace tessera::generator
