// The promises of sessions: results are kept, failures change nothing, forks go their own ways.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/embed/helpers.hpp"

namespace tessera {
namespace {

std::vector<std::string> names_of(const Session& session) {
  std::vector<std::string> result;
  for (const Binding& binding : session.names()) result.push_back(binding.name);
  return result;
}

std::vector<float> floats(const Session& session, std::string_view name) {
  return session.get(name).value().to_vector<float>().value();
}

TEST(Session, TheExampleOfTheHeader) {
  Recording recording;
  ASSERT_TRUE(succeeded(recording.session.run("mesh m = [x: 4]\nlet a = iota(f32[16@x])\nprint sum(a)\n")));
  EXPECT_EQ(*recording.text, "120.0\n");
  const std::vector<float> a = floats(recording.session, "a");
  ASSERT_EQ(a.size(), 16U);
  EXPECT_EQ(a[15], 15.0F);
}

TEST(Session, KeepsNamesBetweenRuns) {
  Recording recording;
  ASSERT_TRUE(succeeded(recording.session.run("mesh m = [x: 2]\nlet a = iota(f32[4@x])")));
  ASSERT_TRUE(succeeded(recording.session.run("fn double(v: f32[4@x]) -> f32[4@x] = v * 2.0")));
  ASSERT_TRUE(succeeded(recording.session.run("print double(a)")));
  EXPECT_EQ(*recording.text, "[0. 2. 4. 6.]\n");
}

TEST(Session, ReportsWhatWasBoundAndWhere) {
  Session session;
  const auto report = session.run("mesh m = [x: 2]\nlet a = iota(f32[4@x])\nlet a = a + 1.0\n", "demo.tess", 11);
  ASSERT_TRUE(succeeded(report));
  ASSERT_EQ(report->bindings.size(), 2U);
  EXPECT_EQ(report->bindings[0].name, "a");
  EXPECT_EQ(report->bindings[0].type, "f32[4@x]");
  EXPECT_EQ(report->bindings[0].line, 12U);
  EXPECT_EQ(report->bindings[0].column, 5U);
  EXPECT_EQ(report->bindings[1].line, 13U);
}

TEST(Session, NamesAreInAlphabeticalOrder) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("let z = 1\nlet b = 2.5\nlet a = true\nlet b = 3")));
  EXPECT_EQ(names_of(session), (std::vector<std::string>{"a", "b", "z"}));
  EXPECT_EQ(session.names()[1].type, "i64");
}

TEST(Session, AFailedCheckChangesNothing) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("let a = 1")));
  EXPECT_FALSE(session.run("let a = 2\nlet b = nothing_of_that_name").ok());
  EXPECT_FALSE(session.run("let b = (").ok());
  EXPECT_EQ(names_of(session), std::vector<std::string>{"a"});
  EXPECT_EQ(session.get("a").value().to_vector<std::int64_t>().value(), std::vector<std::int64_t>{1});
}

TEST(Session, AFailedRunChangesNothing) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("let a = 1")));
  const auto failed = session.run("let a = 2\nlet b = 3\nassert a == 1, \"as before\"", "demo.tess");
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(slug_of(failed.diagnostics()), "assertion-failed");
  EXPECT_EQ(failed.diagnostics()[0].blame, Blame::program);
  ASSERT_FALSE(failed.diagnostics()[0].labels.empty());
  EXPECT_EQ(failed.diagnostics()[0].labels[0].place.file, "demo.tess");
  EXPECT_EQ(failed.diagnostics()[0].labels[0].place.line, 3U);
  EXPECT_EQ(names_of(session), std::vector<std::string>{"a"});
  EXPECT_EQ(session.get("a").value().to_vector<std::int64_t>().value(), std::vector<std::int64_t>{1});
}

TEST(Session, ForksGoSeparateWays) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("mesh m = [x: 2]\nlet a = iota(f32[4@x])")));
  Session fork = session.fork();
  ASSERT_TRUE(succeeded(fork.run("let a = a + 10.0\nlet only_in_fork = 1")));
  ASSERT_TRUE(succeeded(session.run("let a = a * 2.0\nlet only_here = 1")));
  EXPECT_EQ(floats(fork, "a"), (std::vector<float>{10, 11, 12, 13}));
  EXPECT_EQ(floats(session, "a"), (std::vector<float>{0, 2, 4, 6}));
  EXPECT_FALSE(session.get("only_in_fork").ok());
  EXPECT_FALSE(fork.get("only_here").ok());
}

TEST(Session, AForkOutlivesItsOrigin) {
  Session fork;
  {
    Session session;
    ASSERT_TRUE(succeeded(session.run("let a = [1.5, 2.5]")));
    fork = session.fork();
  }
  EXPECT_EQ(floats(fork, "a"), (std::vector<float>{1.5F, 2.5F}));
}

TEST(Session, ArraysOutliveTheirSession) {
  Session session;
  ASSERT_TRUE(succeeded(session.run("let a = [1.5, 2.5]")));
  const Array array = session.get("a").value();
  ASSERT_TRUE(succeeded(session.run("let a = 0")));
  session = Session();
  EXPECT_EQ(array.to_vector<float>().value(), (std::vector<float>{1.5F, 2.5F}));
}

TEST(Session, FunctionsKeepWhatTheySaw) {
  Recording recording;
  ASSERT_TRUE(succeeded(recording.session.run("let k = [10.0, 20.0]\nfn f(v: f32[2]) = v + k")));
  ASSERT_TRUE(succeeded(recording.session.run("let k = [0.0, 0.0]")));
  ASSERT_TRUE(succeeded(recording.session.run("print f([1.0, 2.0])")));
  EXPECT_EQ(*recording.text, "[11. 22.]\n");
}

TEST(Session, KeepsOnlyWhatANameOrAFunctionReaches) {
  Recording recording(Config{.memory_bytes_max = 20 * 4096});
  ASSERT_TRUE(succeeded(recording.session.run("let x = ones(f32[1024])\nfn twice(x: f32[N]) = x + x")));
  ASSERT_TRUE(succeeded(recording.session.run("let kept = twice(x)")));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(succeeded(recording.session.run("let x = twice(x) * 0.5")));
  ASSERT_TRUE(succeeded(recording.session.run("print twice(x)[0] == kept[0]")));
  EXPECT_EQ(*recording.text, "True\n");
}

TEST(Session, RefusesTextsLongerThanAllowed) {
  const std::string fits = "let a = 1";
  Recording recording(Config{.text_bytes_max = std::ssize(fits)});
  ASSERT_TRUE(succeeded(recording.session.run(fits)));
  const auto longer = recording.session.run("let b = 10");
  ASSERT_FALSE(longer.ok());
  EXPECT_EQ(longer.diagnostics().front().slug, "bad-call");
  EXPECT_NE(longer.diagnostics().front().message.find("has 10 bytes"), std::string::npos);
  EXPECT_FALSE(recording.session.check("let b = 10").ok());
  EXPECT_FALSE(recording.session.get("b").ok());
  ASSERT_TRUE(succeeded(recording.session.run("print a")));
  EXPECT_EQ(*recording.text, "1\n");
}

TEST(Session, ACheckedProgramRuns) {
  Recording recording;
  ASSERT_TRUE(succeeded(recording.session.run("let a = 1")));
  const auto program = recording.session.check("print a\nlet b = a + 1");
  ASSERT_TRUE(succeeded(program));
  EXPECT_EQ(*recording.text, "");
  Session fork = recording.session.fork();
  EXPECT_TRUE(succeeded(fork.run(*program)));
  EXPECT_TRUE(succeeded(recording.session.run(*program)));
  EXPECT_EQ(*recording.text, "1\n1\n");
  // The session is no longer the one that checked it.
  const auto again = recording.session.run(*program);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(slug_of(again.diagnostics()), "bad-call");
}

TEST(Session, DefinesReplaceAValue) {
  Config config;
  config.defines = {{"N", "2 * 4"}};
  Recording recording(config);
  ASSERT_TRUE(succeeded(recording.session.run("let N = 4\nprint sum(ones(f32[N]))")));
  EXPECT_EQ(*recording.text, "8.0\n");
  EXPECT_EQ(slug_of(recording.session.run("let M = 4").diagnostics()), "define-unused");
}

TEST(Session, BareExpressionsAreShownOnlyWhereWanted) {
  Recording script;
  EXPECT_EQ(slug_of(script.session.run("1 + 2").diagnostics()), "unused-value");
  Config config;
  config.bare_expressions = true;
  Recording repl(config);
  ASSERT_TRUE(succeeded(repl.session.run("1 + 2")));
  EXPECT_EQ(*repl.text, "3\n");
  ASSERT_TRUE(succeeded(repl.session.run("_ * 2\n_ + 1")));
  EXPECT_EQ(*repl.text, "3\n6\n7\n");
}

TEST(Session, AScriptKeepsNoValues) {
  Config config;
  config.keep_values = false;
  Recording recording(config);
  ASSERT_TRUE(succeeded(recording.session.run("let a = [1.0]\nprint a")));
  EXPECT_EQ(*recording.text, "[1.]\n");
  EXPECT_EQ(slug_of(recording.session.get("a").diagnostics()), "bad-call");
  EXPECT_EQ(slug_of(recording.session.run("print a").diagnostics()), "bad-call");
  EXPECT_TRUE(succeeded(recording.session.run("print 1")));
}

TEST(Session, AProgramOfAnotherSessionIsRefused) {
  Session one;
  Session other;
  const auto program = one.check("let a = 1");
  ASSERT_TRUE(succeeded(program));
  EXPECT_EQ(slug_of(other.run(*program).diagnostics()), "bad-call");
  one = Session();
  EXPECT_EQ(slug_of(one.run(*program).diagnostics()), "bad-call");
  EXPECT_EQ(program->bindings()[0].type, "i64");
}

TEST(Session, InsertedCommunicationIsLogged) {
  constexpr const char* text = "mesh m = [x: 2]\nlet a = ones(f32[4@x, 4])\nlet b = ones(f32[4, 4@x])\nlet c = a + b\n";
  std::vector<std::string> logged;
  Config config;
  config.reshard = Reshard::warn;
  config.log = [&](const Diagnostic& diagnostic) { logged.push_back(diagnostic.slug); };
  Session warned(config);
  ASSERT_TRUE(succeeded(warned.run(text)));
  EXPECT_EQ(logged, std::vector<std::string>{"reshard"});
  config.reshard = Reshard::error;
  Session refused(config);
  EXPECT_EQ(slug_of(refused.run(text).diagnostics()), "reshard-refused");
}

TEST(Session, StatisticsNameTheStatementsThatCommunicated) {
  Session session;
  const auto report = session.run("mesh m = [x: 4]\nlet a = iota(f32[8@x])\nlet b = a as [8]\n", "demo.tess");
  ASSERT_TRUE(succeeded(report));
  ASSERT_EQ(report->statistics.size(), 1U);
  const StatementStatistics& statement = report->statistics[0];
  EXPECT_EQ(statement.place.line, 3U);
  EXPECT_EQ(statement.steps, 1);
  EXPECT_EQ(statement.received_bytes, 4 * 6 * 4);
  EXPECT_EQ(statement.peak_bytes, 8 + 32);
  EXPECT_EQ(statement.seconds, 0.0);  // no clock was given
}

TEST(Session, ProfilesWhatStatementsComputeAndMove) {
  Config config;
  double seconds = 0;
  config.clock = [&seconds] { return seconds += 1; };  // each look at it takes a second, and nothing else takes time
  Session session(config);
  const auto report =
      session.run("mesh m = [x: 4]\nlet a = iota(f32[8@x])\nlet b = a as [8]\nprint sum(b * b)\n", "demo.tess");
  ASSERT_TRUE(succeeded(report));
  ASSERT_EQ(report->profile.size(), 3U);
  const StatementProfile& made = report->profile[0];
  const StatementProfile& moved = report->profile[1];
  const StatementProfile& printed = report->profile[2];
  EXPECT_EQ(made.place.line, 2U);
  EXPECT_EQ(made.place.line_text, "let a = iota(f32[8@x])");
  EXPECT_EQ(made.statement, 1U);
  EXPECT_GT(made.computing.least, 0);
  EXPECT_EQ(made.moving.most, 0);
  EXPECT_GT(moved.moving.least, 0);
  EXPECT_EQ(moved.computing.most, 0);
  EXPECT_GT(printed.computing.least, 0);
  for (const StatementProfile& one : report->profile) {
    EXPECT_EQ(one.waiting.most, 0);  // there are no other ranks
    EXPECT_EQ(one.computing.least, one.computing.most);
  }
}

// ---- Files
// ------------------------------------------------------------------------------------------------------------

TEST(Session, TellsWhatARunThatFailedHasCounted) {
  Session session;
  EXPECT_TRUE(session.statistics().empty());
  const auto failed = session.run("mesh m = [x: 4]\nlet b = all_gather(iota(f32[8@x]), 0, x)\nassert b[1] == 2.0\n");
  EXPECT_EQ(slug_of(failed.diagnostics()), "assertion-failed");
  ASSERT_EQ(session.statistics().size(), 1U);
  EXPECT_EQ(session.statistics()[0].place.line, 2U);
  EXPECT_EQ(session.statistics()[0].received_bytes, 96);
  // What is not run counts nothing; the next run begins anew.
  EXPECT_FALSE(session.run("nothing").ok());
  EXPECT_TRUE(session.statistics().empty());
  const auto done = session.run("mesh m = [x: 4]\nprint sum(iota(f32[8@x]))\n");
  ASSERT_TRUE(succeeded(done));
  EXPECT_EQ(session.statistics().size(), done->statistics.size());
}

TEST(Session, DrawsForTheColumnsOfAScreen) {
  int columns = 40;
  Config config;
  config.picture_columns = [&columns] { return columns; };
  Recording recording(config);
  ASSERT_TRUE(succeeded(recording.session.run("mesh m = [x: 2]\nlet a = iota(f32[2@x, 16])\nshow a\n")));
  EXPECT_EQ(recording.text->find("15."), std::string::npos) << *recording.text;
  columns = 100;
  ASSERT_TRUE(succeeded(recording.session.run("show a\n")));
  EXPECT_NE(recording.text->find("15."), std::string::npos) << *recording.text;
}

class Files : public ::testing::Test {
 protected:
  Files() : folder_(std::filesystem::temp_directory_path() / ("tessera_embed_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~Files() override { std::filesystem::remove_all(folder_); }

  Session session(FilePolicy::Kind kind, bool with_root = true) const {
    Config config;
    config.files = {kind, with_root ? folder_.string() : ""};
    return Session(config);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(Files, NoneUnlessAllowed) {
  Session session;
  EXPECT_EQ(slug_of(session.run("save([1.0], \"" + path("a.npy") + "\")").diagnostics()), "file-not-allowed");
  EXPECT_FALSE(std::filesystem::exists(path("a.npy")));
}

TEST_F(Files, RelativePathsStartAtTheRoot) {
  Session writer = session(FilePolicy::Kind::allowed);
  ASSERT_TRUE(succeeded(writer.run("save([1.0, 2.0, 3.0], \"a.npy\")")));
  EXPECT_TRUE(std::filesystem::exists(path("a.npy")));
  Session reader = session(FilePolicy::Kind::allowed, false);
  ASSERT_TRUE(succeeded(reader.run("let a = load(\"" + path("a.npy") + "\", f32[3])")));
  EXPECT_EQ(floats(reader, "a"), (std::vector<float>{1, 2, 3}));
}

TEST_F(Files, ExtentsMayComeFromTheFile) {
  Session writer = session(FilePolicy::Kind::rooted);
  ASSERT_TRUE(succeeded(writer.run("save(iota(i32[5, 2]), \"a.npy\")")));
  const auto report = writer.run("mesh m = [x: 2]\nlet a = load(\"a.npy\", i32[_@x, 2])");
  ASSERT_TRUE(succeeded(report));
  EXPECT_EQ(report->bindings[0].type, "i32[5@x, 2]");
}

TEST_F(Files, AMissingFileIsTheWorldsFault) {
  Session reader = session(FilePolicy::Kind::rooted);
  const auto failed = reader.check("let a = load(\"missing.npy\", f32[_])");
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(slug_of(failed.diagnostics()), "file-missing");
  EXPECT_EQ(failed.diagnostics()[0].blame, Blame::world);
}

TEST_F(Files, NothingOutsideTheRoot) {
  std::filesystem::create_directories(folder_ / "root");
  Config config;
  config.files = {FilePolicy::Kind::rooted, path("root")};
  Session rooted(config);
  EXPECT_EQ(slug_of(rooted.run("save([1.0], \"../a.npy\")").diagnostics()), "file-not-allowed");
  EXPECT_EQ(slug_of(rooted.run("save([1.0], \"" + path("a.npy") + "\")").diagnostics()), "file-not-allowed");
  EXPECT_FALSE(std::filesystem::exists(path("a.npy")));
}

}  // namespace
}  // namespace tessera
