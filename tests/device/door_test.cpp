// The door: where libraries are looked for, and what is said where they are not.
#include "runtime/device/door/door.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "runtime/device/gpu/digest.hpp"
#include "runtime/device/gpu/open.hpp"

namespace tessera::device {
namespace {

Folders emulated_folders() { return {TESSERA_EMULATED_FOLDER, "", {}}; }

TEST(Door, OpensWhatAFolderHolds) {
  const Cuda cuda = open_cuda(emulated_folders());
  ASSERT_TRUE(cuda.is_there()) << cuda.missing << "\n" << text_of(cuda.search);
  EXPECT_EQ(cuda.version, 13000);
  EXPECT_EQ(version_text(cuda.version), "13.0");
  EXPECT_EQ(cuda.search.found, std::string(TESSERA_EMULATED_FOLDER) + "/libcuda.so.1");
  const Nvrtc nvrtc = open_nvrtc(emulated_folders(), cuda.version);
  ASSERT_TRUE(nvrtc.is_there()) << nvrtc.missing << "\n" << text_of(nvrtc.search);
  EXPECT_EQ(nvrtc.version, 13990);
  const Cublas cublas = open_cublas(emulated_folders(), cuda.version);
  ASSERT_TRUE(cublas.is_there()) << cublas.missing << "\n" << text_of(cublas.search);
}

TEST(Door, SaysWhatTheGpuIs) {
  const Cuda cuda = open_cuda(emulated_folders());
  ASSERT_TRUE(cuda.is_there());
  const auto facts = facts_of(cuda, 0);
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->name, "Emulated GPU");
  EXPECT_EQ(facts->architecture, 90);
  EXPECT_EQ(facts->processors, 4);
  EXPECT_GT(facts->free, 0);
  EXPECT_FALSE(facts_of(cuda, 7).ok());
}

TEST(Door, ListsAllPlacesThatItLookedAt) {
  Search search{"a library", "", {}};
  EXPECT_EQ(open_toolkit({"/nowhere", "/elsewhere", {"/beside"}}, "unheard", 13, {}, search), nullptr);
  const std::string text = text_of(search);
  for (const char* const place : {"/nowhere/libunheard.so.13", "libunheard.so.13: ",
                                  "/elsewhere/lib64/libunheard.so.12", "/beside/libunheard.so.12: no such file"}) {
    EXPECT_NE(text.find(place), std::string::npos) << text;
  }
}

TEST(Door, ANewerCompilerThanTheDriverIsNone) {
  Nvrtc nvrtc = open_nvrtc(emulated_folders(), 12040);
  EXPECT_FALSE(nvrtc.is_there());
}

TEST(ExampleOf, Digest) {
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest(std::string(1000, 'a')), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
}

}  // namespace
}  // namespace tessera::device
