#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "runtime/io/files.hpp"
#include "runtime/io/npy.hpp"
#include "runtime/kinds.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

bool is_refused(const FilePolicy& policy, const std::string& path) {
  const auto resolved = resolve(policy, path);
  return !resolved.ok() && resolved.errors()[0].kind == Kind::file_not_allowed;
}

TEST(FilePolicy, None) { EXPECT_TRUE(is_refused({FilePolicy::Kind::none, ""}, "a.npy")); }

TEST(FilePolicy, AllowedIsRelativeToTheRoot) {
  EXPECT_EQ(*resolve({FilePolicy::Kind::allowed, ""}, "a/../b.npy"), "a/../b.npy");
  EXPECT_EQ(*resolve({FilePolicy::Kind::allowed, "/data"}, "a.npy"), "/data/a.npy");
  EXPECT_EQ(*resolve({FilePolicy::Kind::allowed, "/data"}, "/tmp/a.npy"), "/tmp/a.npy");
}

TEST(FilePolicy, NamesThatAreNone) {
  EXPECT_TRUE(is_refused({FilePolicy::Kind::allowed, ""}, ""));
  EXPECT_TRUE(is_refused({FilePolicy::Kind::allowed, ""}, std::string("a.npy\0.txt", 10)));
}

TEST(FilePolicy, RootedStaysBelowTheRoot) {
  const Folder outside;
  const Folder folder;
  std::filesystem::create_directory(folder / "in");
  write_text(outside / "secret.npy", "x");
  write_text(folder / "in/a.npy", "x");
  write_text(folder / "a.npy", "x");
  const FilePolicy policy{FilePolicy::Kind::rooted, folder / "in"};
  const std::string root = folder / "in";

  EXPECT_EQ(*resolve(policy, "a.npy"), root + "/a.npy");
  EXPECT_EQ(*resolve(policy, "new.npy"), root + "/new.npy");
  EXPECT_EQ(*resolve(policy, "./b/../a.npy"), root + "/a.npy");
  EXPECT_EQ(*resolve(policy, root + "/a.npy"), root + "/a.npy");
  EXPECT_TRUE(is_refused(policy, "../a.npy"));
  EXPECT_TRUE(is_refused(policy, "none/../../a.npy"));
  EXPECT_TRUE(is_refused(policy, "."));
  EXPECT_TRUE(is_refused(policy, outside / "secret.npy"));
  EXPECT_TRUE(is_refused(policy, root + "side/a.npy"));
  EXPECT_TRUE(is_refused({FilePolicy::Kind::rooted, folder / "none"}, "a.npy"));
}

TEST(FilePolicy, RootedFollowsLinksFirst) {
  const Folder outside;
  const Folder folder;
  write_text(outside / "secret.npy", "x");
  write_text(folder / "a.npy", "x");
  const FilePolicy policy{FilePolicy::Kind::rooted, folder.path().string()};
  ASSERT_EQ(symlink("a.npy", (folder / "good").c_str()), 0);
  ASSERT_EQ(symlink((outside / "secret.npy").c_str(), (folder / "bad").c_str()), 0);
  ASSERT_EQ(symlink(outside.path().c_str(), (folder / "out").c_str()), 0);
  ASSERT_EQ(symlink((outside / "new.npy").c_str(), (folder / "dangling").c_str()), 0);
  EXPECT_EQ(*resolve(policy, "good"), folder / "a.npy");
  EXPECT_TRUE(is_refused(policy, "bad"));
  EXPECT_TRUE(is_refused(policy, "out/secret.npy"));
  EXPECT_TRUE(is_refused(policy, "out/new.npy"));
  EXPECT_TRUE(is_refused(policy, "out/../x.npy"));
  // A link that leads nowhere yet is neither read nor written through.
  const auto fill = [](const synth::Box&, const TileOut& out) { std::fill_n(out.data, 4, std::byte{0}); };
  EXPECT_FALSE(save_npy(policy, "dangling", ElementType::f32, Shape{}, fill).ok());
  EXPECT_FALSE(std::filesystem::exists(outside / "new.npy"));
  EXPECT_FALSE(NpyReader::open(policy, "dangling", ElementType::f32, Shape{}).ok());
}

}  // namespace
}  // namespace tessera::runtime::test
