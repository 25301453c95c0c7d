#include "runtime/memory/machine_memory.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "runtime/memory/bytes.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

void write(const std::filesystem::path& path, const char* text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text << "\n";
}

TEST(ExampleOf, MachineMemory) {
  const Folder folder;
  const std::string mount = folder / "cgroup";
  const auto limit_with = [&](const std::string& file, const char* groups) {
    std::filesystem::remove_all(mount);
    write(mount + file, "1000");
    return limit_of_groups(groups, mount);
  };
  for (const char* file : {"/jobs/seven/memory.max", "/jobs/memory.max", "/memory.max"})
    EXPECT_EQ(limit_with(file, "0::/jobs/seven\n"), 1000) << file;
  for (const char* file : {"/memory/jobs/seven/memory.limit_in_bytes", "/memory/jobs/memory.limit_in_bytes",
                           "/memory/memory.limit_in_bytes"})
    EXPECT_EQ(limit_with(file, "4:memory:/jobs/seven\n"), 1000) << file;
}

TEST(LimitOfGroups, IsTheLeastOnTheWayToTheRoot) {
  const Folder folder;
  const std::string mount = folder / "cgroup";
  write(mount + "/memory.max", "max");
  write(mount + "/jobs/memory.max", "3000");
  write(mount + "/jobs/seven/memory.max", "4000");
  EXPECT_EQ(limit_of_groups("0::/jobs/seven\n", mount), 3000);
  EXPECT_EQ(limit_of_groups("0::/other\n", mount), kBytesMax);
  write(mount + "/memory.max", "2000");
  EXPECT_EQ(limit_of_groups("0::/somewhere/outside\n", mount), 2000);
  EXPECT_EQ(limit_of_groups("0::/\n", mount), 2000);
}

TEST(LimitOfGroups, IsThatOfTheControllerOfMemoryInVersionOne) {
  const Folder folder;
  const std::string mount = folder / "cgroup";
  write(mount + "/memory/memory.limit_in_bytes", "9223372036854771712");
  write(mount + "/memory/jobs/memory.limit_in_bytes", "500");
  write(mount + "/memory.max", "7");
  EXPECT_EQ(limit_of_groups("5:cpu,memory:/jobs\n4:pids:/jobs\n", mount), 500);
  EXPECT_EQ(limit_of_groups("5:cpu:/jobs\n", mount), kBytesMax);
}

TEST(LimitOfGroups, IsNoneWhereThereIsNothingToRead) {
  const Folder folder;
  for (const char* const groups : {"", "0::", "nonsense\n", "::::\n", "0::relative\n", "1:memory\n"}) {
    EXPECT_EQ(limit_of_groups(groups, folder / "none"), kBytesMax) << groups;
  }
}

TEST(MachineMemory, IsWhatAProcessCanHave) {
  EXPECT_GT(machine_memory_bytes(), 1 << 20U);
  EXPECT_GT(address_space_bytes(), 1 << 20U);
}

}  // namespace
}  // namespace tessera::runtime::test
