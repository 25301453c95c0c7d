// Rows that ids name, on a GPU: bits and failures are those of the host's kernels.
#include "runtime/device/steps/rows.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime/kernels/take.hpp"
#include "runtime/kinds.hpp"
#include "tests/device/host_launcher.hpp"
#include "tests/device/test_tiles.hpp"

namespace tessera::device {
namespace {

using synth::ElementType;

constexpr ElementType kRowElements[] = {ElementType::f32, ElementType::f64, ElementType::i32, ElementType::i64,
                                        ElementType::boolean};

// Ids in [low, high), i64 or i32.
TestTile random_ids(Random& random, ElementType element, const synth::Shape& shape, std::int64_t low, std::int64_t high,
                    Lies lies = Lies::dense) {
  TestTile ids(random, element, shape, lies);
  const std::size_t all = ids.elements() - (lies == Lies::shifted ? 1 : 0);
  for (std::size_t i = 0; i < all; ++i) {
    const std::int64_t id = chosen(random, low, high - 1);
    if (element == ElementType::i64)
      ids.data<std::int64_t>()[i] = id;
    else
      ids.data<std::int32_t>()[i] = static_cast<std::int32_t>(id);
  }
  return ids;
}

FaultReport told() {
  return [](std::int64_t part, std::int64_t position, std::int64_t id) {
    return base::make(runtime::Kind::index_out_of_range, id, fmt::format("part {} position {}", part, position));
  };
}

synth::Shape joined_shapes(const synth::Shape& a, const synth::Shape& b) {
  synth::Shape all = a;
  for (const std::int64_t extent : b) all.push_back(extent);
  return all;
}

void compare_take(HostLauncher& launcher, Random& random, ElementType element, ElementType id_element, Lies lies,
                  const synth::Shape& ids_shape, std::int64_t rows, const synth::Shape& row) {
  const std::int64_t first = chosen(random, 0, rows / 2);
  const std::int64_t held = chosen(random, 0, rows - first);
  std::vector<TestTile> tables, ids;
  std::vector<TestOut> wanted, got;
  std::vector<TakePart> parts;
  for (int k = 0; k < 3; ++k) {
    tables.emplace_back(random, element, joined_shapes({k == 1 ? held : rows}, row), lies);
    ids.push_back(random_ids(random, id_element, ids_shape, -rows, rows, lies));
    wanted.emplace_back(element, joined_shapes(ids_shape, row));
    got.emplace_back(element, joined_shapes(ids_shape, row), k == 2 && lies == Lies::shifted);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const std::int64_t begin = k == 1 ? first : 0;
    ASSERT_FALSE(runtime::take(tables[k].view(), begin, rows, ids[k].view(), wanted[k].out()));
    parts.push_back({{{tables[k].view(), begin}}, ids[k].view(), got[k].out()});
  }
  ASSERT_TRUE(take(launcher, parts, rows, told()).ok());
  ASSERT_FALSE(launcher.failure());
  launcher.step_ends();
  for (std::size_t k = 0; k < 3; ++k)
    ASSERT_EQ(got[k].difference(wanted[k]), -1) << synth::name(element) << " " << rows << " " << k;
}

TEST(Rows, Take) {
  Random random(11);
  HostLauncher launcher(3);
  for (const ElementType element : kRowElements) {
    for (const Lies lies : {Lies::dense, Lies::apart, Lies::turned, Lies::shifted}) {
      const ElementType id_element = random() % 2 == 0 ? ElementType::i64 : ElementType::i32;
      launcher.set_seed(random() % 1000);
      compare_take(launcher, random, element, id_element, lies, {40}, 9, {});
      compare_take(launcher, random, element, id_element, lies, {5, 30}, 50, {3, 7});
      compare_take(launcher, random, element, id_element, lies, {100}, 20, {64});
      compare_take(launcher, random, element, id_element, lies, {}, 20, {65});
      compare_take(launcher, random, element, id_element, lies, {0}, 20, {6});
      compare_take(launcher, random, element, id_element, lies, {7}, 20, {0});
    }
  }
}

TEST(Rows, TakeFromManyTiles) {
  Random random(12);
  HostLauncher launcher(4);
  TestTile table(random, ElementType::f32, {30, 12});
  TestTile ids = random_ids(random, ElementType::i32, {50}, -30, 30);
  TestOut wanted(ElementType::f32, {50, 12});
  TestOut got(ElementType::f32, {50, 12});
  ASSERT_FALSE(runtime::take(table.view(), 0, 30, ids.view(), wanted.out()));
  TakePart part{{}, ids.view(), got.out()};
  for (const auto& [begin, end] : {std::pair<std::int64_t, std::int64_t>{0, 7}, {7, 7}, {7, 20}, {20, 30}})
    part.sources.push_back({runtime::part_of(table.view(), {begin, 0}, {end - begin, 12}), begin});
  ASSERT_TRUE(take(launcher, {part}, 30, told()).ok());
  EXPECT_EQ(got.difference(wanted), -1);
}

TEST(Rows, LeastBadIdIsReported) {
  Random random(13);
  for (const std::uint64_t seed : {1U, 5U, 900U}) {
    HostLauncher launcher(seed);
    for (const std::int64_t length : {8, 0}) {
      TestTile table(random, ElementType::f32, {30, length});
      TestTile good = random_ids(random, ElementType::i64, {3000}, -30, 30);
      TestTile bad = random_ids(random, ElementType::i64, {3000}, -30, 30);
      bad.data<std::int64_t>()[2999] = -31;
      bad.data<std::int64_t>()[1234] = 30;
      bad.data<std::int64_t>()[1235] = 99;
      TestOut out(ElementType::f32, {3000, length});
      std::vector<TakePart> parts;
      for (TestTile* ids : {&good, &bad, &bad}) parts.push_back({{{table.view(), 0}}, ids->view(), out.out()});
      ASSERT_TRUE(take(launcher, parts, 30, told()).ok());
      const auto failure = launcher.failure();
      ASSERT_TRUE(failure);
      EXPECT_EQ(failure->message, base::make(runtime::Kind::index_out_of_range, 30, "part 1 position 1234").message);
      ASSERT_TRUE(take(launcher, {parts[0]}, 30, told()).ok());
      EXPECT_FALSE(launcher.failure());
    }
  }
}

TEST(Rows, OneHot) {
  Random random(14);
  HostLauncher launcher(7);
  for (const ElementType element : kRowElements) {
    for (const std::int64_t n : {1, 3, 10, 300}) {
      TestTile ids = random_ids(random, ElementType::i32, {4, 50}, 0, n, n == 3 ? Lies::turned : Lies::dense);
      TestOut wanted(element, {4, 50, n});
      TestOut got(element, {4, 50, n}, n == 10);
      ASSERT_FALSE(runtime::one_hot(ids.view(), n, wanted.out()));
      ASSERT_TRUE(one_hot(launcher, {{ids.view(), got.out()}}, n, told()).ok());
      ASSERT_FALSE(launcher.failure());
      ASSERT_EQ(got.difference(wanted), -1);
    }
    TestTile ids = random_ids(random, ElementType::i32, {4}, 0, 5);
    TestOut none(element, {4, 0});
    ASSERT_TRUE(one_hot(launcher, {{ids.view(), none.out()}}, 0, told()).ok());
    EXPECT_TRUE(launcher.failure());
  }
}

void compare_scatter(HostLauncher& launcher, Random& random, ElementType element, Lies lies,
                     const synth::Shape& ids_shape, std::int64_t rows, std::int64_t named, const synth::Shape& row) {
  const std::int64_t first = chosen(random, 0, rows / 2);
  std::vector<TestTile> values, ids;
  std::vector<TestOut> wanted, got;
  std::vector<ScatterPart> parts;
  for (int k = 0; k < 2; ++k) {
    const std::int64_t held = k == 0 ? rows : rows - first;
    values.emplace_back(random, element, joined_shapes(ids_shape, row), lies);
    ids.push_back(random_ids(random, k == 0 ? ElementType::i64 : ElementType::i32, ids_shape, -named, named, lies));
    wanted.emplace_back(element, joined_shapes({held}, row));
    got.emplace_back(element, joined_shapes({held}, row));
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const std::int64_t begin = k == 0 ? 0 : first;
    ASSERT_FALSE(runtime::scatter_add(values[k].view(), ids[k].view(), begin, rows, wanted[k].out()));
    parts.push_back({{{values[k].view(), ids[k].view()}}, begin, got[k].out()});
  }
  ASSERT_TRUE(scatter_add(launcher, parts, rows, told()).ok());
  ASSERT_FALSE(launcher.failure());
  launcher.step_ends();
  for (std::size_t k = 0; k < 2; ++k)
    ASSERT_EQ(got[k].difference(wanted[k]), -1) << synth::name(element) << " " << rows << " " << k;
}

TEST(Rows, ScatterAdd) {
  Random random(15);
  HostLauncher launcher(8);
  for (const ElementType element : {ElementType::f32, ElementType::f64, ElementType::i32, ElementType::i64}) {
    for (const Lies lies : {Lies::dense, Lies::apart, Lies::turned, Lies::shifted}) {
      launcher.set_seed(random() % 1000);
      compare_scatter(launcher, random, element, lies, {40}, 9, 9, {});
      compare_scatter(launcher, random, element, lies, {5, 3000}, 50, 50, {3});
      compare_scatter(launcher, random, element, lies, {5000}, 700, 2, {8});
      compare_scatter(launcher, random, element, lies, {0}, 20, 20, {6});
      compare_scatter(launcher, random, element, lies, {7}, 20, 20, {0});
      compare_scatter(launcher, random, element, lies, {100}, 5000, 5000, {2, 2});
    }
  }
}

TEST(Rows, ScatterAddOfManyTilesIsThatOfOne) {
  Random random(16);
  HostLauncher launcher(9);
  TestTile values(random, ElementType::f32, {90, 12});
  TestTile ids = random_ids(random, ElementType::i32, {90}, -7, 7);
  TestOut wanted(ElementType::f32, {7, 12});
  TestOut got(ElementType::f32, {7, 12});
  ASSERT_FALSE(runtime::scatter_add(values.view(), ids.view(), 0, 7, wanted.out()));
  ScatterPart part{{}, 0, got.out()};
  for (const auto& [begin, end] : {std::pair<std::int64_t, std::int64_t>{0, 17}, {17, 17}, {17, 50}, {50, 90}})
    part.sources.push_back({runtime::part_of(values.view(), {begin, 0}, {end - begin, 12}),
                            runtime::part_of(ids.view(), {begin}, {end - begin})});
  ASSERT_TRUE(scatter_add(launcher, {part}, 7, told()).ok());
  EXPECT_EQ(got.difference(wanted), -1);
}

TEST(Rows, Search) {
  Random random(17);
  HostLauncher launcher(10);
  for (const ElementType element : {ElementType::f32, ElementType::f64, ElementType::i32, ElementType::i64}) {
    for (const std::int64_t n : {0, 1, 5, 100}) {
      TestTile edges(random, element, {n});
      synth::visit_element(element, [&](auto zero) {
        using T = decltype(zero);
        if constexpr (!runtime::Boolean<T>) {
          std::sort(edges.data<T>(), edges.data<T>() + n);
          if constexpr (runtime::Float<T>) {
            if (n == 100) edges.data<T>()[98] = edges.data<T>()[99] = std::numeric_limits<T>::quiet_NaN();
          }
        }
      });
      for (const bool right : {false, true}) {
        TestTile values(random, element, {20, 17}, n == 5 ? Lies::turned : Lies::dense);
        if (element == ElementType::f32) values.data<float>()[3] = std::numeric_limits<float>::quiet_NaN();
        if (element == ElementType::f32 && n > 2) values.data<float>()[5] = edges.data<float>()[n / 2];
        TestOut wanted(ElementType::i64, {20, 17});
        TestOut got(ElementType::i64, {20, 17});
        runtime::search(edges.view(), values.view(), right, wanted.out());
        ASSERT_TRUE(search(launcher, {{edges.view(), values.view(), got.out()}}, right).ok());
        ASSERT_EQ(got.difference(wanted), -1);
      }
    }
  }
}

}  // namespace
}  // namespace tessera::device
