#include "runtime/text/show.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/text/format.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

std::string layout(std::string_view type, std::string_view mesh) { return format_layout(type_of(type, mesh_of(mesh))); }

TEST(DeviceList, RunsAndSteps) {
  EXPECT_EQ(device_list({0}), "0");
  EXPECT_EQ(device_list({0, 1, 2, 3}), "0-3");
  EXPECT_EQ(device_list({0, 2, 5, 6, 7}), "0,2,5-7");
  EXPECT_EQ(device_list({0, 4, 8, 12}), "0-12 by 4");
  EXPECT_EQ(device_list({1, 3}), "1,3");
}

TEST(Layout, ADimensionByEach) {
  EXPECT_EQ(layout("f32[4@x, 6@y]", "x:2,y:2"),
            "        0:3        3:6\n"
            "    +----------+----------+\n"
            "0:2 | device 0 | device 1 |\n"
            "    +----------+----------+\n"
            "2:4 | device 2 | device 3 |\n"
            "    +----------+----------+\n");
}

TEST(Layout, ReplicasAreNamedTogether) {
  EXPECT_EQ(layout("f32[2@x]", "x:2,y:4"),
            "       0:1           1:2\n"
            " +-------------+-------------+\n"
            " | devices 0-3 | devices 4-7 |\n"
            " +-------------+-------------+\n");
}

TEST(Layout, UnevenTilesAreTrueToTheirSizes) {
  EXPECT_EQ(layout("f32[5@x]", "x:2"),
            "     0:2        2:5\n"
            " +----------+----------+\n"
            " | device 0 | device 1 |\n"
            " +----------+----------+\n");
  EXPECT_EQ(layout("f32[5@x, 1]", "x:2"),
            "        0:1\n"
            "    +----------+\n"
            "0:2 | device 0 |\n"
            "    |          |\n"
            "    +----------+\n"
            "2:5 | device 1 |\n"
            "    |          |\n"
            "    |          |\n"
            "    +----------+\n");
}

TEST(Layout, PendingSumsAndIdleDevices) {
  EXPECT_EQ(layout("f32[1@y]{+x}", "x:2,y:2"),
            "           0:1\n"
            " +---------------------+\n"
            " | sum of devices 1, 3 |\n"
            " +---------------------+\n"
            "devices 0,2 hold nothing\n");
  EXPECT_EQ(layout("f32[]{max x}", "x:2"),
            "\n"
            " +-------------------------+\n"
            " | maximum of devices 0, 1 |\n"
            " +-------------------------+\n");
  EXPECT_EQ(layout("f32[]{+x}", "x:2,y:2"),
            "\n"
            " +-------------------------+\n"
            " | sum of devices 0-1; 2-3 |\n"
            " +-------------------------+\n");
}

TEST(Layout, SlicesOfMoreDimensions) {
  EXPECT_EQ(layout("f32[2@x, 1, 2]", "x:2"),
            "[0:1, :, :]\n"
            "        0:2\n"
            "    +----------+\n"
            "0:1 | device 0 |\n"
            "    +----------+\n"
            "[1:2, :, :]\n"
            "        0:2\n"
            "    +----------+\n"
            "0:1 | device 1 |\n"
            "    +----------+\n");
}

TEST(Layout, LargeMeshesAreSummarisedByTheirPattern) {
  EXPECT_EQ(layout("f32[100@x, 7]", "x:64,y:2"),
            "dimension 0: 100 over x, 64 tiles of 1 or 2\n"
            "dimension 1: 7, whole on every device\n"
            "every tile is on 2 devices\n"
            "device 0 (x=0, y=0): [0:1, 0:7]\n"
            "device 1 (x=0, y=1): [0:1, 0:7]\n"
            "device 2 (x=1, y=0): [1:3, 0:7]\n"
            "...\n"
            "device 125 (x=62, y=1): [96:98, 0:7]\n"
            "device 126 (x=63, y=0): [98:100, 0:7]\n"
            "device 127 (x=63, y=1): [98:100, 0:7]\n");
}

TEST(Show, SmallArraysAreDrawnWithTheirElements) {
  const Value value = value_of(counting<std::int64_t>(Shape{2, 5}), "i64[2, 5@x]", mesh_of("x:2"));
  EXPECT_EQ(*format_show(value, "a"),
            "a: i64[2, 5@x] on [x:2]\n"
            "        0:2        2:5\n"
            "    +----------+----------+\n"
            "0:2 | device 0 | device 1 |\n"
            "    | 0 1      | 2 3 4    |\n"
            "    | 5 6      | 7 8 9    |\n"
            "    +----------+----------+\n");
}

TEST(Show, PendingPartsAreDrawnApart) {
  const Value value = value_of(Array<float>(Shape{2}, {1.5F, 2.0F}), "f32[2]{+x}", mesh_of("x:2"));
  EXPECT_EQ(*format_show(value, ""),
            "f32[2]{+x} on [x:2]\n"
            "           0:2\n"
            " +---------------------+\n"
            " | sum of devices 0, 1 |\n"
            " | device 0:           |\n"
            " | 1.5 2.              |\n"
            " | device 1:           |\n"
            " | 0.  0.              |\n"
            " +---------------------+\n");
}

TEST(Show, LongRowsAreNotDrawn) {
  const Value value = value_of(counting<std::int64_t>(Shape{64}), "i64[64@x]", mesh_of("x:2"));
  EXPECT_EQ(*format_show(value, "a"),
            "a: i64[64@x] on [x:2]\n" + format_layout(value.type()) + "elements left out: too wide with them\n");
}

TEST(Show, WithoutAMesh) {
  const Value value = value_of(Array<bool>::scalar(true), "bool[]", mesh_of(""));
  EXPECT_EQ(*format_show(value, "yes"),
            "yes: bool\n"
            "\n"
            " +----------+\n"
            " | device 0 |\n"
            " | True     |\n"
            " +----------+\n");
}

}  // namespace
}  // namespace tessera::runtime::test
