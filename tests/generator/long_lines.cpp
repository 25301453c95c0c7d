#include "tests/generator/long_lines.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

namespace tessera::generator {

namespace {

struct Lines {
  Element element;
  Shape shape;
  std::size_t dimension;  // along which they are sorted

  std::int64_t length() const { return shape[dimension]; }
  // Of each line the elements from `first` to before `last` that are `step` apart.
  std::string part(std::int64_t first, std::int64_t last, std::int64_t step) const {
    const std::string before = dimension == 1 ? ":, " : "";
    return fmt::format("[{}{}:{}:{}]", before, first, last, step);
  }
};

Lines random_lines(Random& random) {
  constexpr auto kElements = std::to_array<Element>({Element::f32, Element::i32, Element::i64, Element::f64});
  Lines lines{random.pick(kElements), {}, 0};
  lines.shape = {16'384 + random.between(1, 6'000)};
  if (random.chance(40)) {
    lines.dimension = static_cast<std::size_t>(random.below(2));
    lines.shape.insert(lines.shape.begin() + (lines.dimension == 1 ? 0 : 1), random.between(1, 3));
  }
  return lines;
}

}  // namespace

void add_sorted_lines(Maker& maker, const AddStatement& add) {
  Random& random = maker.random;
  const Lines lines = random_lines(random);
  const std::int64_t kinds = random.chance(50) ? random.between(1, 40) : random.between(5'000, 100'000);
  const std::int64_t factor = 2 * random.between(1'000, 50'000) + 1;
  const bool positions = random.chance(40);
  const Layout layout = random_layout(random, lines.shape.size(), Pending::none);
  const std::string numbers = maker.type(Element::i64, lines.shape, layout);
  const std::string wanted = random.chance(50) ? " as " + maker.layout(lines.shape, layout) : "";

  const std::int64_t taken = random.between(1, 20);
  const std::int64_t step = random.between(1, lines.length() / taken);
  const std::int64_t first = random.between(0, lines.length() - taken * step);
  const std::string part = lines.part(first, first + taken * step, step);
  Shape shape = lines.shape;
  shape[lines.dimension] = taken;

  const Element element = positions ? Element::i64 : lines.element;
  const double magnitude = static_cast<double>(positions ? lines.length() : kinds);
  const Variable bound{maker.fresh("v"), settled(derived(element, shape, {}), magnitude, 0)};
  const std::string sort = positions ? "argsort" : "sort";
  add({bound},
      fmt::format("let {} = ({}({}(iota({}) * {} % {}), {}){}){}", bound.name, sort, name(lines.element), numbers,
                  factor, kinds, lines.dimension, wanted, part),
      fmt::format("{} = np.{}((np.arange({}, dtype=np.int64).reshape({}) * {} % {}).astype({}), axis={}, "
                  "kind='stable'){}",
                  bound.name, sort, count(lines.shape), list_text(lines.shape), factor, kinds,
                  numpy_name(lines.element), lines.dimension, part),
      nullptr);
}

}  // namespace tessera::generator
