// Recurrences on a GPU give the bits of the host's kernels.
#include "runtime/device/steps/recurrences.hpp"

#include <gtest/gtest.h>

#include "runtime/device/text/recur.hpp"
#include "runtime/kernels/recur.hpp"
#include "tests/device/host_launcher.hpp"
#include "tests/device/test_tiles.hpp"

namespace tessera::device {
namespace {

using synth::ElementType;

struct Shapes {
  synth::Shape a, b, y;
};

void compare_recur(HostLauncher& launcher, Random& random, ElementType element, Lies lies, const Shapes& shapes,
                   std::uint8_t dimension) {
  for (const bool reverse : {false, true}) {
    const synth::Recur how{dimension, reverse};
    std::vector<TestTile> a, b;
    std::vector<TestOut> wanted, got;
    for (int k = 0; k < 2; ++k) {
      a.emplace_back(random, element, shapes.a, lies);
      b.emplace_back(random, element, shapes.b, lies);
      wanted.emplace_back(element, shapes.y);
      got.emplace_back(element, shapes.y, k == 1);
    }
    std::vector<RecurPart> parts;
    for (std::size_t k = 0; k < 2; ++k) {
      runtime::RecurTile(a[k].view(), b[k].view(), how, wanted[k].out(), {}).run_inside();
      parts.push_back({a[k].view(), b[k].view(), got[k].out()});
    }
    ASSERT_TRUE(recur(launcher, how, parts).ok());
    launcher.step_ends();
    for (std::size_t k = 0; k < 2; ++k)
      ASSERT_EQ(got[k].difference(wanted[k]), -1) << synth::name(element) << " dimension " << int{dimension} << " of "
                                                  << shapes.y[0] << ", " << shapes.y.back() << " reverse " << reverse;
  }
}

TEST(Recurrences, AreThoseOfTheHost) {
  Random random(22);
  HostLauncher launcher(3);
  const auto alike = [](const synth::Shape& shape) { return Shapes{shape, shape, shape}; };
  for (const ElementType element : {ElementType::f32, ElementType::f64, ElementType::i32, ElementType::i64}) {
    for (const Lies lies : {Lies::dense, Lies::turned}) {
      launcher.set_seed(random() % 1000);
      for (const std::int64_t length : {0, 1, 8, 9, 16, 17, 600})
        compare_recur(launcher, random, element, lies, alike({length}), 0);
      compare_recur(launcher, random, element, lies, alike({37, 100}), 1);
      compare_recur(launcher, random, element, lies, alike({100, 37}), 0);
      compare_recur(launcher, random, element, lies, alike({130, 33}), 1);
      compare_recur(launcher, random, element, lies, alike({5, 57, 30}), 1);
      compare_recur(launcher, random, element, lies, alike({3, 0, 3}), 1);
      compare_recur(launcher, random, element, lies, {{}, {40, 7}, {40, 7}}, 0);
      compare_recur(launcher, random, element, lies, {{40, 7}, {7}, {40, 7}}, 1);
      compare_recur(launcher, random, element, lies, {{4, 1, 1}, {1, 70, 3}, {4, 70, 3}}, 1);
    }
  }
}

}  // namespace
}  // namespace tessera::device

namespace tessera::kernel {
namespace {

TEST(ExampleOf, Recur) {
  RecurTile tile;
  tile.lines = 3;
  tile.length = 40;
  const RecurArgs args{reinterpret_cast<std::uint64_t>(&tile), 1};
  EXPECT_EQ((RunRecurrence<float, false>::turns(args, 0)), 1 + 3);
  EXPECT_EQ((RunRecurrence<float, true>::turns(args, 0)), 1);
}

}  // namespace
}  // namespace tessera::kernel
