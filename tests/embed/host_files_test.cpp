// Files that the host opens for a program.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

// Files in memory, by the names that programs give them; what was asked for is noted.
class Shelf {
 public:
  Shelf() = default;
  Shelf(const Shelf&) = delete;
  Shelf& operator=(const Shelf&) = delete;
  ~Shelf() {
    for (const auto& [name, descriptor] : files_) close(descriptor);
  }

  Config config() {
    Config config;
    config.files.kind = FilePolicy::Kind::host;
    config.files.open = [this](const std::string& name, FileUse use) { return open(name, use); };
    return config;
  }
  std::vector<std::pair<std::string, FileUse>> asked;

 private:
  HostFile open(const std::string& name, FileUse use) {
    asked.emplace_back(name, use);
    if (name == "secret.npy") return {-1, "it is nobody's business"};
    if (name == "pipe.npy") {
      int ends[2];
      if (pipe2(ends, O_CLOEXEC) != 0) return {};
      close(ends[1]);
      return {ends[0]};
    }
    if (use == FileUse::create && !files_.contains(name)) files_[name] = memfd_create("shelf", MFD_CLOEXEC);
    if (!files_.contains(name)) return {};
    return {fcntl(files_[name], F_DUPFD_CLOEXEC, 0)};
  }

  std::map<std::string, int> files_;
};

int open_descriptors() {
  int count = 0;
  for (int descriptor = 0; descriptor < 1000; ++descriptor) count += fcntl(descriptor, F_GETFD) >= 0 ? 1 : 0;
  return count;
}

TEST(HostFiles, AreWhatAProgramSavesAndLoads) {
  Shelf shelf;
  Recording recording(shelf.config());
  ASSERT_TRUE(succeeded(recording.session.run("save(iota(i32[6, 2]), \"../a b\")\nsave_shards([1.0], \"s\")\n")));
  const auto report = recording.session.run("mesh m = [x: 2]\nlet a = load(\"../a b\", i32[_@x, 2])\nprint sum(a)\n");
  ASSERT_TRUE(succeeded(report));
  EXPECT_EQ(report->bindings[0].type, "i32[6@x, 2]");
  EXPECT_EQ(*recording.text, "66\n");
  const std::vector<std::pair<std::string, FileUse>> asked = {
      {"../a b", FileUse::create},
      {"s.dev0.npy", FileUse::create},
      {"../a b", FileUse::read},   // its header, as it is checked
      {"../a b", FileUse::read}};  // as it is run
  EXPECT_EQ(shelf.asked, asked);
  // A file that is saved again is as long as it has to be.
  ASSERT_TRUE(succeeded(recording.session.run("save([1.0, 2.0], \"../a b\")\n")));
  ASSERT_TRUE(succeeded(recording.session.run("let b = load(\"../a b\", f32[2])\nassert b[1] == 2.0, \"b\"\n")));
}

TEST(HostFiles, AreRefusedWithTheHostsWords) {
  Shelf shelf;
  Session session(shelf.config());
  const auto secret = session.run("let a = load(\"secret.npy\", f32[4])\n");
  EXPECT_EQ(slug_of(secret.diagnostics()), "file-not-allowed");
  EXPECT_NE(secret.diagnostics().front().message.find("it is nobody's business"), std::string::npos);
  EXPECT_EQ(slug_of(session.run("let a = load(\"unknown\", f32[4])\n").diagnostics()), "file-not-allowed");
  EXPECT_EQ(slug_of(session.run("let a = load(\"pipe.npy\", f32[4])\n").diagnostics()), "cannot-read");
  EXPECT_EQ(slug_of(session.run("save([1.0], \"secret.npy\")\n").diagnostics()), "file-not-allowed");
  EXPECT_EQ(slug_of(session.run("save([1.0], \"pipe.npy\")\n").diagnostics()), "cannot-write");
  Config none;
  none.files.kind = FilePolicy::Kind::host;
  EXPECT_EQ(slug_of(Session(none).run("save([1.0], \"a\")\n").diagnostics()), "file-not-allowed");
}

TEST(HostFiles, AreClosedWhateverComesOfTheRun) {
  Shelf shelf;
  Session session(shelf.config());
  ASSERT_TRUE(succeeded(session.run("save([1.0, 2.0], \"a\")\n")));
  const int before = open_descriptors();
  ASSERT_TRUE(succeeded(session.run("let a = load(\"a\", f32[2])\n")));
  EXPECT_FALSE(session.run("let b = load(\"a\", f32[3])\n").ok());
  EXPECT_FALSE(session.run("let b = load(\"pipe.npy\", f32[3])\n").ok());
  EXPECT_FALSE(session.run("save([1.0], \"pipe.npy\")\n").ok());
  ASSERT_TRUE(succeeded(session.run("save([1.0], \"a\")\n")));
  EXPECT_EQ(open_descriptors(), before);
}

TEST(HostFiles, WhatTheHostThrowsComesOut) {
  Config config;
  config.files.kind = FilePolicy::Kind::host;
  config.files.open = [](const std::string&, FileUse) -> HostFile { throw 7; };
  Session session(config);
  EXPECT_THROW(static_cast<void>(session.run("save([1.0], \"a\")\n")), int);
  EXPECT_THROW(static_cast<void>(session.check("let a = load(\"a\", f32[_])\n")), int);
  EXPECT_THROW(static_cast<void>(session.run("let a = load(\"a\", f32[4])\n")), int);
  EXPECT_TRUE(succeeded(session.run("let a = 1\n")));
}

}  // namespace
}  // namespace tessera
