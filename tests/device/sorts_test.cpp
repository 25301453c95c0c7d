// Rows sorted on a GPU are those of the host's kernels.
#include "runtime/device/steps/sorts.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "runtime/kernels/sort.hpp"
#include "tests/device/host_launcher.hpp"
#include "tests/device/test_tiles.hpp"

namespace tessera::device {
namespace {

using synth::ElementType;

// Many equal elements, both zeros, infinities and NaN.
void make_equals(Random& random, TestTile& tile, ElementType element) {
  synth::visit_element(element, [&](auto zero) {
    using T = decltype(zero);
    using Limits = std::numeric_limits<T>;
    for (std::size_t i = 0; i < tile.elements(); i += 2) {
      [[maybe_unused]] T& value = tile.data<T>()[i];
      if constexpr (runtime::Float<T>) {
        const T some[] = {T{0}, -T{0}, Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), T{1}};
        value = some[random() % 6];
      } else if constexpr (runtime::Integer<T>) {
        const T some[] = {T{0}, Limits::max(), Limits::min(), T{1}, T{-1}};
        value = some[random() % 5];
      }
    }
  });
}

synth::Shape with_last(synth::Shape shape, std::int64_t extent) {
  shape.back() = extent;
  return shape;
}

class SortOn {
 public:
  void compare(ElementType element, Lies lies, const synth::Shape& shape, std::int64_t greatest) {
    launcher_.set_seed(random_() % 1000);
    TestTile operand(random_, element, shape, lies);
    if (lies != Lies::shifted) make_equals(random_, operand, element);
    for (const bool positions : {false, true}) {
      compare_all(element, operand, positions, shape);
      compare_greatest(element, operand, positions, with_last(shape, greatest), shape, lies);
      launcher_.step_ends();
    }
  }

 private:
  void compare_all(ElementType element, TestTile& operand, bool positions, const synth::Shape& shape) {
    TestOut wanted(positions ? ElementType::i64 : element, shape);
    TestOut got(positions ? ElementType::i64 : element, shape);
    positions ? runtime::sort_positions(operand.view(), wanted.out())
              : runtime::sort_elements(operand.view(), wanted.out());
    ASSERT_TRUE(sort(launcher_, positions, false, {{operand.view(), got.out()}}).ok());
    ASSERT_EQ(got.difference(wanted), -1) << synth::name(element) << " " << positions << " " << shape.back();
  }
  void compare_greatest(ElementType element, TestTile& operand, bool positions, const synth::Shape& some,
                        const synth::Shape& shape, Lies lies) {
    TestOut wanted(positions ? ElementType::i64 : element, some);
    TestOut got(positions ? ElementType::i64 : element, some);
    TestTile places(random_, ElementType::i64, shape, lies);
    const bool by_places = positions && random_() % 2 == 0;
    const std::int64_t first = positions && !by_places ? 1000 : 0;
    positions ? runtime::greatest_positions(operand.view(), wanted.out(), first)
              : runtime::greatest_elements(operand.view(), wanted.out());
    if (by_places) runtime::positions_for_places(places.view(), wanted.out());
    SortPart part{operand.view(), got.out(), first};
    if (by_places) part.places = places.view();
    ASSERT_TRUE(sort(launcher_, positions, true, {part}).ok());
    ASSERT_EQ(got.difference(wanted), -1) << synth::name(element) << " " << positions << " " << shape.back();
  }

  Random random_{31};
  HostLauncher launcher_{3};
};

TEST(Sorts, AreThoseOfTheHost) {
  SortOn on;
  for (const ElementType element : {ElementType::f32, ElementType::i64, ElementType::boolean}) {
    for (const Lies lies : {Lies::dense, Lies::turned, Lies::shifted}) {
      on.compare(element, lies, {1}, 1);
      on.compare(element, lies, {50}, 7);
      on.compare(element, lies, {3, 5, 64}, 64);
      on.compare(element, lies, {4, 300}, 10);
      on.compare(element, lies, {0, 30}, 10);
      on.compare(element, lies, {2, 5000}, 100);
    }
  }
}

}  // namespace
}  // namespace tessera::device
