// Reading lines and replacing files.
#include "repl/process/files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace tessera::repl {
namespace {

// The lines that come out of a pipe into which `text` is written.
std::vector<std::string> lines_of(const std::string& text) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  std::thread writer([&] {
    std::size_t written = 0;
    while (written < text.size()) {
      const ssize_t count = ::write(ends[1], text.data() + written, text.size() - written);
      if (count <= 0) break;
      written += static_cast<std::size_t>(count);
    }
    ::close(ends[1]);
  });
  LineReader reader(ends[0]);
  std::vector<std::string> result;
  std::string line;
  while (reader.next(line) == LineReader::Outcome::line) result.push_back(line);
  writer.join();
  ::close(ends[0]);
  return result;
}

TEST(LineReader, GivesLinesWithoutTheirEnds) {
  EXPECT_EQ(lines_of("a\n\nbc\n"), (std::vector<std::string>{"a", "", "bc"}));
  EXPECT_EQ(lines_of("a\nno end"), (std::vector<std::string>{"a", "no end"}));
  EXPECT_TRUE(lines_of("").empty());
  EXPECT_EQ(lines_of("\n"), std::vector<std::string>{""});
}

TEST(LineReader, CutsLinesThatNeverEnd) {
  const std::string text(LineReader::kLineBytesMax * 2 + 10, 'a');
  const auto lines = lines_of(text + "\nb\n");
  std::string joined;
  for (const std::string& line : lines) {
    EXPECT_LT(line.size(), LineReader::kLineBytesMax + (1U << 17U));
    joined += line;
  }
  EXPECT_GE(lines.size(), 3U);
  EXPECT_EQ(joined, text + "b");
}

TEST(LineReader, FailsWhereNothingCanBeRead) {
  LineReader reader(-1);
  std::string line;
  EXPECT_EQ(reader.next(line), LineReader::Outcome::failed);
  EXPECT_EQ(reader.why(), "Bad file descriptor");
}

TEST(LineReader, WaitsWhereReadingDoesNot) {
  std::array<int, 2> ends = {-1, -1};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK), 0);
  std::thread writer([&] {
    for (const char* piece : {"one", " line\n", "another"}) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      EXPECT_TRUE(write_all(ends[1], piece));
    }
    ::close(ends[1]);
  });
  LineReader reader(ends[0]);
  std::string line;
  EXPECT_EQ(reader.next(line), LineReader::Outcome::line);
  EXPECT_EQ(line, "one line");
  EXPECT_EQ(reader.next(line), LineReader::Outcome::line);
  EXPECT_EQ(line, "another");
  EXPECT_EQ(reader.next(line), LineReader::Outcome::end);
  writer.join();
  ::close(ends[0]);
}

class ReplaceFile : public ::testing::Test {
 protected:
  ReplaceFile() : folder_(std::filesystem::temp_directory_path() / ("tessera_files_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~ReplaceFile() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

  std::filesystem::path folder_;
};

TEST_F(ReplaceFile, LeavesNothingElseBehind) {
  std::ofstream(path("a")) << "old";
  EXPECT_FALSE(replace_file(path("a"), "new").has_value());
  EXPECT_EQ(content(path("a")), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(ReplaceFile, GivesPermissionsAsOthersDo) {
  using std::filesystem::perms;
  const auto permissions = [&](const std::string& name) { return std::filesystem::status(path(name)).permissions(); };
  std::ofstream(path("usual")) << "as the system does";
  EXPECT_FALSE(replace_file(path("new"), "new").has_value());
  EXPECT_EQ(permissions("new"), permissions("usual"));
  std::filesystem::permissions(path("new"), perms::owner_read | perms::owner_write);
  EXPECT_FALSE(replace_file(path("new"), "newer").has_value());
  EXPECT_EQ(permissions("new"), perms::owner_read | perms::owner_write);
}

TEST_F(ReplaceFile, SaysWhyNot) {
  EXPECT_EQ(replace_file(path("missing/a"), "new"),
            "cannot write " + path("missing/a") + ": No such file or directory");
  std::filesystem::create_directories(path("folder/inner"));
  EXPECT_TRUE(replace_file(path("folder"), "new").has_value());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace tessera::repl
