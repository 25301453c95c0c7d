// Without OpenBLAS a program with a product fails, as the world's fault, and no other does; a library beside the
// executable is found before the one that it was built with.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <tessera/tessera.hpp>

namespace tessera {
namespace {

constexpr const char* kProduct = "let a = ones(f32[40, 40]) @ ones(f32[40, 40])\n";

TEST(NoBlas, EndsProgramsWithAProductOnly) {
  Session session;
  EXPECT_TRUE(session.run("mesh m = [x: 4]\nlet s = sum(iota(f32[10@x]) * 2.0)\n"));
  for (const char* const product : {kProduct, "let a = einsum(\"ij,j->i\", ones(f32[3, 2]), ones(f32[2]))\n"}) {
    const auto done = session.run(product);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.diagnostics().front().slug, "no-blas");
    EXPECT_EQ(done.diagnostics().front().blame, Blame::world);
    EXPECT_NE(done.diagnostics().front().message.find("/nowhere/libopenblas.so.0"), std::string::npos);
    EXPECT_NE(done.diagnostics().front().help.find("libopenblas0-serial"), std::string::npos);
  }
  EXPECT_TRUE(session.get("s"));
  EXPECT_TRUE(session.run("let t = s + 1.0\n"));
}

// Run by the next one, in a folder of its own.
TEST(DISABLED_BlasBeside, Multiplies) {
  Session session;
  ASSERT_TRUE(session.run(kProduct));
  EXPECT_EQ(session.get("a")->to_vector<float>()->front(), 40.0F);
}

TEST(NoBlas, IsFoundBesideTheLibrary) {
  namespace files = std::filesystem;
  const files::path folder = files::path(testing::TempDir()) / ("blas_beside_" + std::to_string(std::rand()));
  files::create_directories(folder);
  files::copy_file("/proc/self/exe", folder / "tests", files::copy_options::overwrite_existing);
  const auto run = [&] {
    const std::string command =
        (folder / "tests").string() + " --gtest_also_run_disabled_tests --gtest_filter='*BlasBeside*' > /dev/null 2>&1";
    return std::system(command.c_str());
  };
  EXPECT_NE(run(), 0);
  files::create_symlink(files::canonical(TESSERA_BLAS_FILE), folder / "libtessera_openblas.so");
  EXPECT_EQ(run(), 0);
  files::remove_all(folder);
}

}  // namespace
}  // namespace tessera
