// Running sums and their kin on a GPU give the bits of the host's kernels.
#include "runtime/device/steps/scans.hpp"

#include <gtest/gtest.h>

#include "runtime/kernels/reduce.hpp"
#include "tests/device/host_launcher.hpp"
#include "tests/device/test_tiles.hpp"

namespace tessera::device {
namespace {

using synth::ElementType;
using synth::ReduceOp;

void compare_scan(HostLauncher& launcher, Random& random, ElementType element, ReduceOp op, Lies lies,
                  const synth::Shape& shape, std::uint8_t dimension) {
  for (const bool reverse : {false, true}) {
    const synth::Scan how{dimension, reverse, op};
    std::vector<TestTile> operands;
    std::vector<TestOut> wanted, got;
    for (int k = 0; k < 2; ++k) {
      operands.emplace_back(random, element, shape, lies);
      wanted.emplace_back(element, shape);
      got.emplace_back(element, shape, k == 1);
    }
    std::vector<ScanPart> parts;
    for (std::size_t k = 0; k < 2; ++k) {
      runtime::scan(op, operands[k].view(), dimension, wanted[k].out(),
                    reverse ? runtime::Direction::backward : runtime::Direction::forward);
      parts.push_back({operands[k].view(), got[k].out()});
    }
    ASSERT_TRUE(scan(launcher, how, parts).ok());
    launcher.step_ends();
    for (std::size_t k = 0; k < 2; ++k)
      ASSERT_EQ(got[k].difference(wanted[k]), -1)
          << synth::name(element) << " " << static_cast<int>(op) << " dimension " << int{dimension} << " of "
          << shape[0] << ", " << shape.back() << " reverse " << reverse;
  }
}

TEST(Scans, AreThoseOfTheHost) {
  Random random(21);
  HostLauncher launcher(3);
  const std::pair<ElementType, ReduceOp> kinds[] = {
      {ElementType::f32, ReduceOp::sum}, {ElementType::f32, ReduceOp::max}, {ElementType::f64, ReduceOp::product},
      {ElementType::f64, ReduceOp::sum}, {ElementType::i64, ReduceOp::min}, {ElementType::i32, ReduceOp::sum}};
  for (const auto& [element, op] : kinds) {
    for (const Lies lies : {Lies::dense, Lies::turned}) {
      launcher.set_seed(random() % 1000);
      compare_scan(launcher, random, element, op, lies, {1}, 0);
      compare_scan(launcher, random, element, op, lies, {256}, 0);
      compare_scan(launcher, random, element, op, lies, {5000}, 0);
      compare_scan(launcher, random, element, op, lies, {0}, 0);
      compare_scan(launcher, random, element, op, lies, {37, 600}, 1);
      compare_scan(launcher, random, element, op, lies, {600, 37}, 0);
      compare_scan(launcher, random, element, op, lies, {5, 257, 3}, 1);
      compare_scan(launcher, random, element, op, lies, {3, 0, 3}, 1);
      compare_scan(launcher, random, element, op, lies, {300, 5, 17}, 2);
    }
  }
}

}  // namespace
}  // namespace tessera::device
