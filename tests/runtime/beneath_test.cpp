// Files below a root, while others exchange folders and links there: never outside.
#include "runtime/io/beneath.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/io/npy.hpp"
#include "runtime/io/staging.hpp"
#include "runtime/kinds.hpp"
#include "tests/runtime/support.hpp"

namespace tessera::runtime::test {
namespace {

namespace fs = std::filesystem;

BoxSource filled_with(float number) {
  return [number](const synth::Box&, const TileOut& out) { std::memcpy(out.data, &number, sizeof(number)); };
}

base::Status save_number(const FilePolicy& policy, const std::string& path, float number) {
  return save_npy(policy, path, ElementType::f32, Shape{}, filled_with(number));
}

std::optional<float> load_number(const FilePolicy& policy, const std::string& path) {
  const auto reader = NpyReader::open(policy, path, ElementType::f32, Shape{});
  if (!reader.ok()) return std::nullopt;
  Array<float> read(Shape{});
  if (!reader->read({}, read.out()).ok()) return std::nullopt;
  return read[0];
}

std::size_t files_in(const std::string& folder) {
  const fs::directory_iterator all(folder);
  return static_cast<std::size_t>(std::distance(fs::begin(all), fs::end(all)));
}

constexpr float kInside = 1;
constexpr float kOutside = 2;

// Exchanges two names, as long as it lives.
class Exchanging {
 public:
  Exchanging(std::string a, std::string b)
      : thread_([this, a = std::move(a), b = std::move(b)] {
          while (!done_) syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
        }) {}
  Exchanging(const Exchanging&) = delete;
  Exchanging& operator=(const Exchanging&) = delete;
  ~Exchanging() {
    done_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

// A root with a folder `r` in it, a link of another name to a folder outside, and the same names in all.
struct Roots {
  Roots() {
    for (const std::string& made : {root + "/r", root + "/r/deep", outside.path().string() + "/deep"})
      fs::create_directories(made);
    for (const char* name : {"s.npy", "deep/s.npy"}) {
      EXPECT_TRUE(save_number({}, root + "/r/" + name, kInside).ok());
      EXPECT_TRUE(save_number({}, outside / name, kOutside).ok());
    }
    EXPECT_EQ(symlink(outside.path().c_str(), (root + "/link").c_str()), 0);
    EXPECT_EQ(symlink((outside / "deep").c_str(), (root + "/r/deep_link").c_str()), 0);
    EXPECT_EQ(symlink((outside / "s.npy").c_str(), (root + "/r/s_link").c_str()), 0);
  }
  Folder outside;
  Folder folder;
  std::string root = folder.path().string();
  FilePolicy policy{FilePolicy::Kind::rooted, root};
};

const std::pair<std::string, std::string> kExchanged[] = {
    {"/r", "/link"}, {"/r/deep", "/r/deep_link"}, {"/r/s.npy", "/r/s_link"}};

TEST(Beneath, NothingIsReadOutsideWhileLinksComeAndGo) {
  for (const auto& [a, b] : kExchanged) {
    const Roots roots;
    int read = 0;
    const Exchanging exchanging(roots.root + a, roots.root + b);
    for (int n = 0; n < 3000; ++n) {
      for (const char* name : {"r/s.npy", "r/deep/s.npy"}) {
        const auto number = load_number(roots.policy, name);
        ASSERT_EQ(number.value_or(kInside), kInside) << name << " while " << a << " is exchanged";
        read += number ? 1 : 0;
      }
    }
    EXPECT_GT(read, 0) << a;
  }
}

TEST(Beneath, NothingIsWrittenOutsideWhileLinksComeAndGo) {
  for (const auto& [a, b] : kExchanged) {
    const Roots roots;
    const std::size_t before = files_in(roots.outside.path());
    const std::size_t deep_before = files_in(roots.outside / "deep");
    int written = 0;
    {
      const Exchanging exchanging(roots.root + a, roots.root + b);
      for (int n = 0; n < 120; ++n) {
        for (const char* name : {"r/w.npy", "r/deep/w.npy", "r/s.npy"})
          written += save_number(roots.policy, name, kInside).ok() ? 1 : 0;
      }
    }
    EXPECT_GT(written, 0) << a;
    EXPECT_EQ(files_in(roots.outside.path()), before) << a;
    EXPECT_EQ(files_in(roots.outside / "deep"), deep_before) << a;
    EXPECT_EQ(load_number({}, roots.outside / "s.npy"), kOutside) << a;
    EXPECT_EQ(load_number({}, roots.outside / "deep/s.npy"), kOutside) << a;
  }
}

// Files that take their places together, as a move of arrays writes them.
base::Status stage_number(Staging& staging, const char* file, float number) {
  TESSERA_TRY(place, staging.place_of(file));
  TESSERA_TRY(writer, NpyWriter::create_at(std::move(place), file, ElementType::f32, Shape{}));
  TESSERA_TRY_STATUS(save_npy(std::move(writer), ElementType::f32, filled_with(number)));
  staging.add(file);
  return base::Done{};
}

base::Status stage_numbers(const FilePolicy& policy, const std::string& folder, float number) {
  TESSERA_TRY(into, open_folder(policy, folder));
  Staging::sweep(into);
  Staging staging(into, Staging::new_job(), 0);
  TESSERA_TRY_STATUS(staging.open());
  for (const char* file : {"s.npy", "w.npy"}) TESSERA_TRY_STATUS(stage_number(staging, file, number));
  TESSERA_TRY_STATUS(staging.put());
  return staging.settle();
}

TEST(Beneath, NothingIsStagedOutsideWhileLinksComeAndGo) {
  for (const auto& [a, b] : kExchanged) {
    const Roots roots;
    const std::size_t before = files_in(roots.outside.path());
    const std::size_t deep_before = files_in(roots.outside / "deep");
    int staged = 0;
    {
      const Exchanging exchanging(roots.root + a, roots.root + b);
      for (int n = 0; n < 60; ++n) {
        for (const char* folder : {"r", "r/deep"}) staged += stage_numbers(roots.policy, folder, kInside).ok() ? 1 : 0;
      }
    }
    EXPECT_GT(staged, 0) << a;
    EXPECT_EQ(files_in(roots.outside.path()), before) << a;
    EXPECT_EQ(files_in(roots.outside / "deep"), deep_before) << a;
    EXPECT_EQ(load_number({}, roots.outside / "s.npy"), kOutside) << a;
    EXPECT_EQ(load_number({}, roots.outside / "deep/s.npy"), kOutside) << a;
  }
}

// Every moment at which the folder may become a link: what is staged goes where it was opened, or is undone there.
TEST(Beneath, AFolderThatBecomesALinkWhileFilesAreStagedIsStillTheOneThatWasOpened) {
  for (int moment = 0; moment < 6; ++moment) {
    const Roots roots;
    const std::size_t before = files_in(roots.outside.path());
    const auto exchange_at = [&](int now) {
      if (now == moment) {
        fs::rename(roots.root + "/r", roots.root + "/elsewhere");
        fs::create_directory_symlink(roots.outside.path(), roots.root + "/r");
      }
    };
    const auto into = open_folder(roots.policy, "r");
    ASSERT_TRUE(into.ok());
    {
      exchange_at(0);
      Staging staging(*into, Staging::new_job(), 0);
      ASSERT_TRUE(staging.open().ok());
      exchange_at(1);
      ASSERT_TRUE(stage_number(staging, "s.npy", 3).ok());
      exchange_at(2);
      ASSERT_TRUE(staging.put().ok());
      exchange_at(3);
      if (moment != 4) {
        ASSERT_TRUE(staging.settle().ok());
      }
      exchange_at(4);
    }
    exchange_at(5);
    EXPECT_EQ(load_number({}, roots.root + "/elsewhere/s.npy"), moment == 4 ? kInside : 3) << moment;
    EXPECT_EQ(files_in(roots.root + "/elsewhere"), 4U) << moment;
    EXPECT_EQ(files_in(roots.outside.path()), before) << moment;
    EXPECT_EQ(load_number({}, roots.outside / "s.npy"), kOutside) << moment;
  }
}

TEST(Beneath, ALinkThatLeadsNowhereIsNoFile) {
  const Roots roots;
  ASSERT_EQ(symlink("nowhere.npy", (roots.root + "/dangling").c_str()), 0);
  ASSERT_EQ(symlink("nowhere", (roots.root + "/folder").c_str()), 0);
  for (const char* name : {"dangling", "folder/a.npy", "nothing.npy", "nothing/a.npy"}) {
    const auto reader = NpyReader::open(roots.policy, name, ElementType::f32, Shape{});
    ASSERT_FALSE(reader.ok());
    EXPECT_EQ(reader.errors()[0].kind, Kind::file_missing) << name;
  }
}

std::string found(int descriptor) {
  if (descriptor < 0) return "none";
  struct stat status{};
  fstat(descriptor, &status);
  close(descriptor);
  return std::to_string(status.st_ino);
}

// Step by step as at once, on any path of any tree.
TEST(Beneath, WalkingFindsWhatTheSystemFinds) {
  const Roots roots;
  const int root = open(roots.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  std::mt19937 random(3);
  const std::vector<std::string> parts = {"r",      "deep", "s.npy", "link",    "deep_link",
                                          "s_link", ".",    "..",    "nothing", ""};
  int opened = 0;
  for (int n = 0; n < 4000; ++n) {
    std::string path = parts[random() % parts.size()];
    for (unsigned more = random() % 4; more > 0; --more) path += "/" + parts[random() % parts.size()];
    if (path.empty() || path.front() == '/' || path.find("..") != std::string::npos || path.back() == '/') continue;
    for (const int flags : {O_RDONLY, O_PATH | O_DIRECTORY, O_WRONLY}) {
      const std::string at_once = found(open_beneath(root, path, flags));
      EXPECT_EQ(found(walk_beneath(root, path, flags)), at_once) << path << ' ' << flags;
      opened += at_once == "none" ? 0 : 1;
    }
  }
  EXPECT_GT(opened, 50);
  for (const char* path : {"..", "r/..", "r/../r/s.npy", "../x"})
    EXPECT_LT(walk_beneath(root, path, O_PATH), 0) << path;
  close(root);
}

}  // namespace
}  // namespace tessera::runtime::test
