#include "runtime/kernels/spread.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

using testing::ElementsAre;

TEST(ExampleOf, Spread) {
  Array<float> tile(Shape{2, 4}, {1, 2, 3, 4, 9, 9, 9, 9});
  spread(tile.out(), Shape{0, 1}, Shape{2, 2});
  EXPECT_THAT(tile.values(), ElementsAre(0, 1, 2, 0, 0, 3, 4, 0));
  EXPECT_TRUE(std::signbit(tile[0]));
}

// What a tile holds where a box lies in it whose elements are 1, 2, ..., and 0 elsewhere.
std::vector<std::int64_t> laid(const Shape& tile, const Shape& begin, const Shape& box) {
  std::vector<std::int64_t> all;
  std::int64_t next = 0;
  for (std::int64_t number = 0; number < count(tile); ++number) {
    bool is_inside = true;
    std::int64_t rest = number;
    for (std::size_t d = tile.size(); d-- > 0; rest /= tile[d]) {
      const std::int64_t at = rest % tile[d];
      is_inside = is_inside && begin[d] <= at && at < begin[d] + box[d];
    }
    all.push_back(is_inside ? ++next : 0);
  }
  return all;
}

TEST(Spread, PutsEveryBoxOfATileIntoItsPlace) {
  for (const Shape& shape : {Shape{}, Shape{5}, Shape{3, 4}, Shape{2, 3, 3}}) {
    // Digits of a number in base 25 say where each interval begins and how long it is.
    std::int64_t boxes = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) boxes *= 25;
    for (std::int64_t number = 0; number < boxes; ++number) {
      Shape begin, box;
      bool fits = true;
      std::int64_t rest = number;
      for (std::size_t d = 0; d < shape.size(); ++d, rest /= 25) {
        begin.push_back(rest % 25 / 5);
        box.push_back(rest % 5 + (shape[d] == 5 ? 1 : 0));
        fits = fits && begin[d] + box[d] <= shape[d];
      }
      if (!fits) continue;
      Array<std::int64_t> tile(shape);
      for (std::int64_t i = 0; i < tile.size(); ++i) tile.data()[i] = i < count(box) ? i + 1 : -1;
      spread(tile.out(), begin, box);
      EXPECT_EQ(std::vector<std::int64_t>(tile.data(), tile.data() + tile.size()), laid(shape, begin, box));
    }
  }
}

}  // namespace
}  // namespace tessera::runtime::test
