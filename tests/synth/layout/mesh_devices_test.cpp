// Meshes on devices of a run: where they lie, how they number them, and what is refused.
#include "tests/synth/support.hpp"

namespace tessera::synth::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::uint32_t> devices_of(const Mesh& mesh) {
  std::vector<std::uint32_t> all;
  for (std::int64_t d = 0; d < mesh.devices(); ++d) all.push_back(mesh.device_of_run(d).value);
  return all;
}

TEST(MeshDevicesTest, AreTheFirstUnlessTheMeshSaysWhich) {
  EXPECT_THAT(devices_of(*mesh("x:4")), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(mesh("x:4")->devices_end(), 4);
  EXPECT_THAT(devices_of(*mesh("x:4 on 8:12")), ElementsAre(8, 9, 10, 11));
  EXPECT_EQ(mesh("x:4 on 8:12")->devices_end(), 12);
  EXPECT_EQ(mesh("x:4 on 8:12")->number_of(DeviceId{9}), std::optional<std::int64_t>(1));
  EXPECT_EQ(mesh("x:4 on 8:12")->number_of(DeviceId{12}), std::nullopt);
  EXPECT_EQ(mesh("x:4")->number_of(DeviceId{4}), std::nullopt);
}

TEST(MeshDevicesTest, HaveTheirPlacesInTheOrderOfTheRanges) {
  const MeshRef on = mesh("x:4 on (4:6,0:2)");
  EXPECT_THAT(devices_of(*on), ElementsAre(0, 1, 4, 5));
  EXPECT_EQ(on->place(0), 2);
  EXPECT_EQ(on->device_at(0), 2);
  EXPECT_EQ(on->coordinate(3, 0), 1);
}

TEST(MeshDevicesTest, AreOrderedByAMatrixAmongTheRanges) {
  const MeshRef first = mesh("x:2,y:4 place [[1,2],[2,2]]");
  const MeshRef on = mesh("x:2,y:4 on 8:16 place [[1,2],[2,2]]");
  for (std::int64_t d = 0; d < 8; ++d) EXPECT_EQ(on->place(d), first->place(d));
  EXPECT_EQ(on->device_of_run(0), DeviceId{8});
}

TEST(MeshDevicesTest, ArePartOfEqualityAndText) {
  for (const char* text : {"x:2,y:4 on 8:16", "x:4 on (4:6,0:2)", "on 3:4", "d:4 on(4,2,1,1) on 4:8",
                           "x:2,y:4 on (8:12,0:4) place [[1,2],[2,2]]"}) {
    EXPECT_EQ(print(*mesh(text)), text);
  }
  EXPECT_EQ(print(*mesh("x:4 on 0:4")), "x:4");
  EXPECT_EQ(print(*mesh(" x : 4 on ( 2 : 4 , 4 : 6 ) ")), "x:4 on 2:6");
  EXPECT_TRUE(*mesh("x:4 on 0:4") == *mesh("x:4"));
  EXPECT_FALSE(*mesh("x:4 on 4:8") == *mesh("x:4"));
  EXPECT_FALSE(*mesh("x:4 on (2:4,0:2)") == *mesh("x:4"));
  EXPECT_TRUE(mesh("x:4 on (2:4,0:2)")->has_devices_of(*mesh("y:4")));
}

TEST(MeshDevicesTest, AreAsManyAsTheMeshHas) {
  for (const char* text : {"x:4 on 4:4", "x:4 on 3:1", "x:4 on (0:2,1:3)", "x:4 on 0:3", "x:4 on 65534:65538",
                           "x:4 on -1:3", "x:4 on 0:99999999999999999999"}) {
    EXPECT_EQ(first_error(parse_mesh(text)), "mesh-devices") << text;
  }
  EXPECT_THAT(first_message(parse_mesh("x:2,y:4 on 8:12")), HasSubstr("the mesh has 8"));
  for (const char* text : {"x:4 on", "x:4 on x", "x:4 on (1:2", "x:4 on 1:2,", "x:4 on 1-2"}) {
    EXPECT_EQ(first_error(parse_mesh(text)), "bad-mesh-text") << text;
  }
}

}  // namespace
}  // namespace tessera::synth::test
