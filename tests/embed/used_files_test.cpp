// `use` through the library: which files may be read, what counts against the limits, and what a session keeps.
#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <tessera/analysis.hpp>
#include <tessera/function.hpp>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

// A folder of texts, which goes with this object.
class TextFolder {
 public:
  TextFolder() : path_((fs::temp_directory_path() / "tessera-used-XXXXXX").string()) {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
  }
  TextFolder(const TextFolder&) = delete;
  TextFolder& operator=(const TextFolder&) = delete;
  ~TextFolder() { fs::remove_all(path_); }

  void write(const std::string& name, std::string_view text) const {
    const fs::path file = fs::path(path_) / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  Config config(FilePolicy::Kind kind = FilePolicy::Kind::rooted) const {
    Config config;
    config.files = {kind, path_};
    return config;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

constexpr std::string_view kTwice = "fn twice(v: f32[N]?) = v + v\n";

std::string why(const Result<RunReport>& report) {
  return report ? "it runs" : report.diagnostics().front().slug + ": " + report.diagnostics().front().message;
}

TEST(UsedFiles, OnlyThoseBelowTheRootAreRead) {
  const TextFolder outside;
  outside.write("twice.tess", kTwice);
  const TextFolder folder;
  folder.write("models/twice.tess", kTwice);
  fs::create_symlink(outside.path() + "/twice.tess", folder.path() + "/link.tess");
  Recording here(folder.config());
  EXPECT_TRUE(here.session.run("use \"models/twice.tess\"\nprint twice([1.0])\n"));
  EXPECT_EQ(*here.text, "[2.]\n");
  const std::vector<std::string> refused = {"../x/twice.tess", outside.path() + "/twice.tess", "link.tess", "models"};
  for (const std::string& name : refused) {
    const auto report = here.session.run("use \"" + name + "\"\n");
    EXPECT_TRUE(why(report).starts_with("use-unread: ")) << name << ": " << why(report);
  }
}

TEST(UsedFiles, NoneAreReadWhereNoFilesAreAllowed) {
  Recording none;
  EXPECT_TRUE(why(none.session.run("use \"twice.tess\"\n")).starts_with("use-unread: "));
  EXPECT_TRUE(none.session.run("use \"std/nn\"\nprint squared_error([[1.0]], [[3.0]])\n"));
  EXPECT_EQ(*none.text, "4.0\n");
}

TEST(UsedFiles, TheHostOpensThemByTheirNames) {
  std::vector<std::string> asked;
  Config config;
  config.files.kind = FilePolicy::Kind::host;
  config.files.open = [&asked](const std::string& name, FileUse use) -> HostFile {
    EXPECT_EQ(use, FileUse::read);
    asked.push_back(name);
    if (name == "secret.tess") return {-1, "it is nobody's business"};
    const std::string text =
        name == "a/b.tess" ? "use \"../c.tess\"\nfn b(v: f32[N]?) = twice(v)\n" : std::string(kTwice);
    const int descriptor = memfd_create("used", MFD_CLOEXEC);
    EXPECT_EQ(write(descriptor, text.data(), text.size()), std::ssize(text));
    return {descriptor};
  };
  Recording here(config);
  EXPECT_TRUE(here.session.run("use \"a/b.tess\"\nuse \"c.tess\"\nprint b([1.0]), twice([2.0])\n", "main.tess"));
  EXPECT_EQ(*here.text, "[2.] [4.]\n");
  EXPECT_EQ(asked, (std::vector<std::string>{"a/b.tess", "c.tess"}));
  EXPECT_NE(why(here.session.run("use \"secret.tess\"\n")).find("nobody's business"), std::string::npos);
}

TEST(UsedFiles, NamesAreRelativeToTheFileThatHasThem) {
  const TextFolder folder;
  folder.write("models/parts/twice.tess", kTwice);
  folder.write("models/net.tess", "use \"parts/twice.tess\"\nfn net(v: f32[N]?) = twice(v)\n");
  Recording here(folder.config(FilePolicy::Kind::allowed));
  EXPECT_TRUE(here.session.run("use \"net.tess\"\nprint net([1.0])\n", "models/main.tess"));
  EXPECT_TRUE(here.session.run("use \"" + folder.path() + "/models/parts/twice.tess\"\nprint twice([1.0])\n"));
  EXPECT_EQ(*here.text, "[2.]\n[2.]\n");
}

TEST(UsedFiles, CountAgainstTheLimitsOfATextTogether) {
  const TextFolder folder;
  folder.write("a.tess", std::string(kTwice) + std::string(600, '#') + "\n");
  folder.write("b.tess", std::string(600, '#') + "\nfn b(v: f32[N]?) = v\n");
  Config config = folder.config();
  config.text_bytes_max = 1000;
  Recording here(config);
  EXPECT_TRUE(here.session.run("use \"a.tess\"\n"));
  EXPECT_TRUE(here.session.run("use \"b.tess\"\n"));
  const auto report = here.session.run("use \"a.tess\"\nuse \"b.tess\"\n");
  EXPECT_NE(why(report).find("longer than is allowed"), std::string::npos) << why(report);
}

TEST(UsedFiles, WordsOfAllCountTogether) {
  const TextFolder folder;
  std::string half = "fn f(v: f32[N]?) = v\nlet a = [";
  for (int i = 0; i < 10000; ++i) half += "1,";
  folder.write("a.tess", half + "1]\n");
  folder.write("b.tess", half + "2]\n");
  Config config = folder.config();
  config.memory_bytes_max = 16 << 20;  // 32,768 words
  Recording here(config);
  EXPECT_TRUE(here.session.run("use \"a.tess\"\n"));
  EXPECT_TRUE(why(here.session.run("use \"a.tess\"\nuse \"b.tess\"\n")).starts_with("source-too-large: "));
}

TEST(UsedFiles, ChainsAndCrowdsOfFilesEnd) {
  const TextFolder folder;
  for (int i = 0; i < 100; ++i) {
    folder.write("chain" + std::to_string(i) + ".tess", "use \"chain" + std::to_string(i + 1) + ".tess\"\n");
  }
  Recording here(folder.config());
  EXPECT_NE(why(here.session.run("use \"chain0.tess\"\n")).find("64 deep"), std::string::npos);
  fs::create_directory_symlink(folder.path(), folder.path() + "/again");
  folder.write("circle.tess", "use \"again/circle.tess\"\n");
  Recording anywhere(folder.config(FilePolicy::Kind::allowed));
  EXPECT_TRUE(why(anywhere.session.run("use \"circle.tess\"\n")).starts_with("use-unread: "));
}

TEST(UsedFiles, ASessionKeepsWhatItBroughtAndForgetsWhatNothingMeans) {
  const TextFolder folder;
  folder.write("f.tess", std::string(kTwice) + "let n = 3\nlet long = \"" + std::string(20000, 'x') + "\"\n");
  Config config = folder.config();
  config.memory_bytes_max = 1 << 20;
  Recording here(config);
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(here.session.run("use \"f.tess\"\n")) << i;
  EXPECT_TRUE(here.session.run("print twice([1.0]), n\n"));
  folder.write("f.tess", "fn twice(v: f32[N]?) = v * 3.0\n");
  EXPECT_TRUE(here.session.run("use \"f.tess\"\nprint twice([1.0]), n\n"));
  EXPECT_EQ(*here.text, "[2.] 3\n[3.] 3\n");
  const auto made = here.session.function("twice", {"f32[2]"});
  EXPECT_TRUE(made);
}

TEST(UsedFiles, MistakesOfOthersAreToldInTheTextThatUsesThem) {
  const TextFolder folder;
  folder.write("f.tess", "fn f(v: f32[4]) -> f32[4] = v + w\n");
  Analyst analyst(folder.config(FilePolicy::Kind::allowed));
  const auto analysis = analyst.analyse("use \"f.tess\"\nlet a = f(ones(f32[4]))\n", folder.path() + "/main.tess");
  ASSERT_TRUE(analysis);
  ASSERT_FALSE(analysis->diagnostics.empty());
  const Diagnostic& first = analysis->diagnostics.front();
  EXPECT_EQ(first.slug, "unknown-name");
  EXPECT_EQ(first.labels.front().place.file, folder.path() + "/f.tess");
}

}  // namespace
// `explain cross_entropy` and the help of a call of what was not brought read these.
TEST(Library, FunctionsStandWithTheirTextAndWhatTheyGive) {
  const auto& all = library_functions();
  for (const LibraryFunction& one : all) {
    EXPECT_FALSE(one.does.empty()) << one.name;
    EXPECT_TRUE(one.signature.starts_with(one.name + "(") && one.signature.ends_with(")")) << one.signature;
    EXPECT_NE(library_text(one.text).value_or("").find("fn " + one.signature + " ="), std::string::npos) << one.name;
  }
  const auto found = std::ranges::find(all, "squared_error", &LibraryFunction::name);
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->text, "std/nn");
  EXPECT_EQ(found->signature, "squared_error(a: f32[N, D]?, b: f32[N, D]?)");
  EXPECT_EQ(found->does, "The mean of the squared differences.");
}

}  // namespace tessera
