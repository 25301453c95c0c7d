// The session without a terminal: completion, history, commands, pictures, units.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "repl/process/interrupt.hpp"
#include "repl/render/fitted.hpp"
#include "repl/render/picture.hpp"
#include "repl/render/text_cells.hpp"
#include "repl/render/units.hpp"
#include "repl/session/commands.hpp"
#include "repl/session/completion.hpp"
#include "repl/session/history.hpp"
#include "repl/session/interpreter.hpp"
#include "repl/session/progress.hpp"
#include "repl/session/words.hpp"

namespace tessera::repl {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// A folder that is the working directory while the object lives.
class Folder {
 public:
  Folder() : before_(fs::current_path()), path_(fs::temp_directory_path() / fmt::format("tessera_repl_{}", getpid())) {
    fs::create_directories(path_);
    fs::current_path(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    fs::current_path(before_);
    fs::remove_all(path_);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path before_;
  fs::path path_;
};

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// An interpreter whose screen is a text.
struct Desk {
  Desk() : interpreter(Config{.files = {FilePolicy::Kind::allowed, {}}}, screen(), "input") {}

  Screen screen() {
    Screen result;
    result.out = [this](std::string_view answer) { text += answer; };
    result.err = result.out;
    return result;
  }
  std::string answer(const std::string& line) {
    text.clear();
    interpreter.take(line);
    return text;
  }

  std::string text;
  Interpreter interpreter;
};

Words completed(std::string_view line, Desk& desk) {
  return complete(line, desk.interpreter.state().session).candidates;
}

TEST(WordsOfTheLanguage, AreAllExplained) {
  Words explained;
  for (const WordHelp& word : words()) explained.emplace_back(word.word);
  // These are words of forms only where one begins, and names elsewhere.
  const Words forms{"grad", "again", "pipeline", "scan", "const", "each", "auto", "over", "use"};
  const auto of_forms = std::erase_if(
      explained, [&](const auto& word) { return std::find(forms.begin(), forms.end(), word) != forms.end(); });
  EXPECT_EQ(of_forms, forms.size());
  EXPECT_EQ(explained, keywords());
  EXPECT_EQ(find_word("sum"), nullptr);
}

TEST(WordsOfTheLanguage, HaveExamplesThatRun) {
  const Folder folder;
  std::vector<WordHelp> all(words().begin(), words().end());
  all.insert(all.end(), signs().begin(), signs().end());
  for (const WordHelp& word : all) {
    Session session(Config{.output = [](std::string_view) {}, .files = {FilePolicy::Kind::allowed, {}}});
    const auto done = session.run(std::string(kWordSetting) + std::string(word.example), "example");
    EXPECT_TRUE(done.ok()) << word.word << ": " << (done ? "" : done.diagnostics().front().message);
    EXPECT_TRUE(word.example.empty() || word.example.find(word.word) != std::string_view::npos) << word.word;
  }
}

TEST(Completion, OfNamesAndOperations) {
  Desk desk;
  desk.answer("let softness = 1");
  desk.answer("fn soften(x: i64) -> i64 = x");
  EXPECT_EQ(completed("print sof", desk), (Words{"soften(", "softmax(", "softness"}));
  EXPECT_EQ(completed("print softn", desk), Words{"softness"});
  EXPECT_EQ(completed("me", desk), (Words{"mean(", "mesh"}));
  EXPECT_TRUE(completed("nothing_like_it", desk).empty());
  EXPECT_EQ(complete("1 + sof", desk.interpreter.state().session).begin, 4U);
  // No record has that name, and the word behind the dot is none of ours.
  EXPECT_TRUE(complete("np.", desk.interpreter.state().session).candidates.empty());
  EXPECT_TRUE(complete("print jnp.so", desk.interpreter.state().session).candidates.empty());
}

TEST(Completion, OfRecordsAndTheirFields) {
  Desk desk;
  desk.answer("let layer = {weights: zeros(f32[2]), shift: {first: 1.0}}");
  EXPECT_EQ(completed("print lay", desk), (Words{"layer", "layer.shift.first", "layer.weights"}));
  EXPECT_EQ(completed("print layer.", desk), (Words{"layer.shift.first", "layer.weights"}));
  EXPECT_EQ(completed("print 1.0 + layer.w", desk), Words{"layer.weights"});
  EXPECT_EQ(completed("{..lay", desk), (Words{"layer", "layer.shift.first", "layer.weights"}));
  EXPECT_EQ(completed(":type layer.sh", desk), Words{"layer.shift.first"});
}

TEST(Completion, OfWhatHelpTells) {
  Desk desk;
  EXPECT_EQ(completed(":help :co", desk), Words{":compare"});
  const Words with_co = completed(":help co", desk);
  EXPECT_NE(std::find(with_co.begin(), with_co.end(), "compare"), with_co.end());
  EXPECT_NE(std::find(with_co.begin(), with_co.end(), "concat"), with_co.end());
  EXPECT_EQ(completed(":help compa", desk), Words{"compare"});
}

TEST(Completion, OfAxes) {
  Desk desk;
  desk.answer("mesh m = [rows: 2, columns: 3]");
  EXPECT_EQ(completed("let a = iota(f32[4@", desk), (Words{"columns", "rows"}));
  EXPECT_EQ(completed("let a = iota(f32[4@ro", desk), Words{"rows"});
  EXPECT_EQ(completed("let a = iota(f32[4@(rows, ", desk), (Words{"columns", "rows"}));
  EXPECT_EQ(completed("let a = iota(f32[4]{+co", desk), Words{"columns"});
  EXPECT_EQ(completed("let a = iota(f32[4]{*co", desk), Words{"columns"});
  EXPECT_EQ(completed("all_reduce(a, row", desk), Words{"rows"});
}

TEST(Completion, OfCommandsAndWhatTheyTake) {
  Desk desk;
  desk.answer("let value = 1");
  EXPECT_EQ(completed(":me", desk), (Words{":mem", ":mesh"}));
  EXPECT_EQ(completed(":why val", desk), Words{"value"});
  EXPECT_EQ(completed(":doc axis-u", desk), Words{"axis-used-twice"});
  EXPECT_EQ(completed(":doc all_r", desk), Words{"all_reduce"});
  EXPECT_EQ(completed(":set r", desk), Words{"reshard"});
  EXPECT_EQ(completed(":help :un", desk), Words{":undo"});
  EXPECT_EQ(completed(":type val", desk), Words{"value"});
  EXPECT_TRUE(completed(":mem a", desk).empty());
  EXPECT_TRUE(completed(":nothing a", desk).empty());
}

TEST(Completion, OfFiles) {
  const Folder folder;
  Desk desk;
  fs::create_directories(folder.path() / "data");
  std::ofstream("deep.tess") << "";
  std::ofstream(".hidden") << "";
  std::ofstream("data/a b.npy") << "";
  EXPECT_EQ(completed(":load d", desk), (Words{"data/", "deep.tess"}));
  EXPECT_EQ(completed(":load ", desk), (Words{"data/", "deep.tess"}));
  EXPECT_EQ(completed(":load .", desk), Words{".hidden"});
  EXPECT_EQ(completed("let a = load(\"data/", desk), Words{"data/a b.npy"});
  EXPECT_EQ(completed("let a = load(\"data/a ", desk), Words{"data/a b.npy"});
  EXPECT_TRUE(completed(":load no/such/folder/", desk).empty());
  EXPECT_TRUE(completed("print \"d", desk).empty());
}

TEST(Completion, TheCommonBeginningEndsBetweenCodePoints) {
  EXPECT_EQ(common_beginning({"transpose(", "tranquil"}), "tran");
  EXPECT_EQ(common_beginning({"é", "è"}), "");
  EXPECT_EQ(common_beginning({"one"}), "one");
  EXPECT_EQ(common_beginning({}), "");
}

TEST(SessionHistory, KeepsLinesBetweenSessions) {
  const Folder folder;
  const std::string path = (folder.path() / "state" / "tessera" / "history").string();
  {
    SessionHistory history(path);
    EXPECT_TRUE(history.texts().empty());
    EXPECT_TRUE(history.add("let a = 1"));
    EXPECT_FALSE(history.add("let a = 1"));
    EXPECT_FALSE(history.add("  "));
    EXPECT_TRUE(history.add("é"));
    EXPECT_TRUE(history.add("fn f() {\n\tg()\n}"));
  }
  EXPECT_EQ(SessionHistory(path).texts(), (Words{"let a = 1", "é", "fn f() {\n\tg()\n}"}));
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(SessionHistory, ForgetsTheOldest) {
  const Folder folder;
  const std::string path = (folder.path() / "history").string();
  {
    std::ofstream out(path);
    for (std::size_t i = 0; i < 2 * SessionHistory::kTextsMax + 1; ++i) out << i << '\n';
  }
  const SessionHistory history(path);
  ASSERT_EQ(history.texts().size(), SessionHistory::kTextsMax);
  EXPECT_EQ(history.texts().back(), fmt::format("{}", 2 * SessionHistory::kTextsMax));
  EXPECT_EQ(SessionHistory(path).texts().size(), SessionHistory::kTextsMax);
  const std::string kept = read(path);
  EXPECT_EQ(std::count(kept.begin(), kept.end(), '\n'), static_cast<std::ptrdiff_t>(SessionHistory::kTextsMax));
}

TEST(SessionHistory, DoesWithoutAFile) {
  SessionHistory nowhere("");
  EXPECT_TRUE(nowhere.add("a"));
  SessionHistory in_a_file("/dev/null/history");
  EXPECT_TRUE(in_a_file.add("a"));
  EXPECT_TRUE(in_a_file.texts().empty());
}

TEST(Commands, AreFoundByABeginning) {
  EXPECT_EQ(find_command(":q")->name, ":quit");
  EXPECT_EQ(find_command(":me"), nullptr);
  EXPECT_EQ(find_command(":mem")->name, ":mem");
  EXPECT_EQ(find_command(":"), nullptr);
}

TEST(Commands, AreAllInTheHelp) {
  Desk desk;
  const std::string help = desk.answer(":help");
  for (const CommandInfo& command : commands()) {
    EXPECT_NE(help.find(fmt::format("\n  {}", command.name)), std::string::npos) << command.name;
    EXPECT_FALSE(command.does.empty());
  }
}

TEST(Commands, AreAllInTheReference) {
  const std::string reference = read(fs::path(TESSERA_SOURCE_DIR) / "docs" / "language.md");
  for (const CommandInfo& command : commands()) {
    const std::string blank = command.argument.empty() ? "" : " ";
    const std::string row = fmt::format("\n| `{}{}{}` | ", command.name, blank, command.argument);
    EXPECT_NE(reference.find(row), std::string::npos) << row;
  }
}

// Each command, without and with something after it, on a session that holds something and on one that does not.
TEST(Commands, NeverFailWithoutSayingWhy) {
  const Folder folder;
  for (const bool with_names : {false, true}) {
    for (const CommandInfo& command : commands()) {
      for (const char* argument : {"", " a", " a as [8]", " 1 +", " no/such/file", " \xFF", " print 1", " 1; 2"}) {
        Desk desk;
        if (with_names) desk.answer("mesh m = [x: 2]; let a = iota(f32[8@x])");
        const std::string answer = desk.answer(fmt::format("{}{}", command.name, argument));
        desk.interpreter.end();
        EXPECT_TRUE(!desk.interpreter.any_failed() || !desk.text.empty()) << command.name << argument;
        EXPECT_EQ(answer.find("internal"), std::string::npos) << command.name << argument << answer;
      }
    }
  }
}

TEST(Commands, SaveWritesAScriptThatLoadRuns) {
  const Folder folder;
  Desk desk;
  desk.answer("mesh m = [x: 2]");
  desk.answer("let a = iota(f32[4@x])");
  desk.answer("let b = nothing");
  desk.answer("let é = 1;  sum(a); é + 1");
  desk.answer("let c = 2");
  desk.answer(":undo");
  EXPECT_EQ(desk.answer(":save s.tess"), "");
  EXPECT_EQ(read("s.tess"), "mesh m = [x: 2]\nlet a = iota(f32[4@x])\nlet é = 1;  print sum(a); print é + 1\n");
  Desk other;
  EXPECT_EQ(other.answer(":load s.tess"), "a : f32[4@x]\n6.0\n2\né : i64\n");
  EXPECT_NE(other.answer(":load no.tess").find("cannot read no.tess"), std::string::npos);
  EXPECT_TRUE(other.interpreter.any_failed());
}

TEST(Commands, SaveNamesWhatIsUsedFromTheScriptsFolder) {
  const Folder folder;
  std::filesystem::create_directories("models/deep");
  std::filesystem::create_directory("saved");
  std::ofstream("layers.tess") << "fn twice(a: f32[N]?) = a * 2.0\n";
  std::ofstream("models/more.tess") << "fn thrice(a: f32[N]?) = a * 3.0\n";
  std::ofstream("models/deep/main.tess") << "use \"std/nn\"; use \"../more.tess\"  # use \"no\"\n";
  Desk desk;
  desk.answer("use \"layers.tess\"");
  desk.answer(":load models/deep/main.tess");
  desk.answer("print \"; use \", twice(ones(f32[1])), thrice(ones(f32[1]))");
  EXPECT_EQ(desk.answer(":save saved/s.tess"), "");
  EXPECT_EQ(read("saved/s.tess"),
            "use \"../layers.tess\"\nuse \"std/nn\"; use \"../models/more.tess\"  # use \"no\"\n"
            "print \"; use \", twice(ones(f32[1])), thrice(ones(f32[1]))\n");
  Desk other;
  EXPECT_EQ(other.answer(":load saved/s.tess"), "; use  [2.] [3.]\n");
  EXPECT_EQ(desk.answer(":save s.tess"), "");
  EXPECT_NE(read("s.tess").find("use \"layers.tess\"\nuse \"std/nn\"; use \"models/more.tess\""), std::string::npos);
}

TEST(Commands, AFileThatFailsChangesNothing) {
  const Folder folder;
  std::ofstream("bad.tess") << "let a = 1\nlet b = nothing\n";
  Desk desk;
  EXPECT_NE(desk.answer(":load bad.tess").find("bad.tess:2:9"), std::string::npos);
  EXPECT_TRUE(desk.interpreter.state().session.names().empty());
}

TEST(Commands, AMachineChangesPrices) {
  const Folder folder;
  std::ofstream("slow.json") << R"([{"name": "node", "count": 4, "bandwidth": 1000, "latency": 1}])";
  Desk desk;
  desk.answer("mesh m = [x: 4]; let a = iota(f32[8@x])");
  EXPECT_EQ(desk.answer(":plan a as [8]").find(" s by the machine model"), std::string::npos);
  EXPECT_NE(desk.answer(":machine slow.json").find("node"), std::string::npos);
  EXPECT_NE(desk.answer(":compare a as [8]").find("tessera      1"), std::string::npos);
  EXPECT_NE(desk.answer(":why a as [8]").find(" s by the machine model"), std::string::npos);
  EXPECT_NE(desk.answer(":devices").find("node"), std::string::npos);
  EXPECT_NE(desk.answer(":type a").find("f32[8@x]"), std::string::npos);
}

TEST(Commands, TimeRunsAgainAndAgain) {
  Desk desk;
  const std::string answer = desk.answer(":time 1 + 1");
  EXPECT_TRUE(answer.starts_with("best ")) << answer;
  EXPECT_NE(answer.find(" runs\n"), std::string::npos) << answer;
  EXPECT_TRUE(desk.interpreter.state().session.names().empty());
}

TEST(Interpreter, UndoKeepsSoManyInputs) {
  Desk desk;
  for (int i = 0; i < 30; ++i) desk.answer(fmt::format("let a = {}", i));
  for (int i = 0; i < 20; ++i) desk.answer(":undo");
  EXPECT_EQ(desk.answer("a"), "9\n");
  EXPECT_NE(desk.answer(":undo").find("nothing to take back"), std::string::npos);
}

TEST(Picture, CellsHaveTheColoursOfTheirDevices) {
  const std::string picture =
      "a: f32[2@x]\n +----------+----------+\n | device 0 | device 1 |\n +----------+----------+\n";
  EXPECT_EQ(paint_picture(picture, Colour::no, false), picture);
  const std::string painted = paint_picture(picture, Colour::yes, false);
  EXPECT_NE(painted.find("|\x1B[38;5;30m device 0 \x1B[0m|\x1B[38;5;166m device 1 \x1B[0m|"), std::string::npos)
      << painted;
  EXPECT_EQ(paint_picture(picture, Colour::no, true),
            "a: f32[2@x]\n ┌──────────┬──────────┐\n │ device 0 │ device 1 │\n └──────────┴──────────┘\n");
}

TEST(Picture, OnANarrowScreenIsFolded) {
  const std::string picture =
      "a: f32[2, 4@x] on [x:3]\n"
      "      0:1     1:2     2:4\n"
      "    +-----+---------+-----+\n"
      "0:2 | one | two     | 3   |\n"
      "    +-----+---------+-----+\n"
      "after\n";
  EXPECT_EQ(fold_pictures(picture, 27), picture);
  EXPECT_EQ(fold_pictures(picture, 21),
            "a: f32[2, 4@x] on\n"
            "[x:3]\n"
            "      0:1     1:2\n"
            "    +-----+---------+\n"
            "0:2 | one | two     |\n"
            "    +-----+---------+\n"
            "      2:4\n"
            "    +-----+\n"
            "0:2 | 3   |\n"
            "    +-----+\n"
            "after\n");
}

TEST(Picture, IsFoldedAndNotWrappedAsWords) {
  const std::string page =
      "Words that are many.\n"
      "      0:1     1:2\n"
      "    +-----+---------+\n"
      "0:2 | one | two     |\n"
      "    +-----+---------+\n";
  EXPECT_EQ(wrapped_around_pictures(page, 16),
            "Words that are\nmany.\n"
            "      0:1\n    +-----+\n0:2 | one |\n    +-----+\n"
            "        1:2\n    +---------+\n0:2 | two     |\n    +---------+\n");
}

TEST(Picture, HasItsHeadingInALineOfItsOwn) {
  const std::string page =
      "Words that are many.\n"
      "a: f32[2]\n"
      "      0:1\n"
      "    +-----+\n"
      "0:2 | one |\n"
      "    +-----+\n";
  EXPECT_EQ(wrapped_around_pictures(page, 16),
            "Words that are\nmany.\na: f32[2]\n      0:1\n    +-----+\n0:2 | one |\n    +-----+\n");
}

TEST(Tables, AreContinuedBelowThemselvesOnANarrowTerminal) {
  const std::string text =
      "f32[3@x, 4] -> f32[3, 4@x]\n"
      "  step        axes               local shape       peak\n"
      "  all_to_all  x: dim 0 -> dim 1  [2, 4] -> [3, 2]  56 B\n"
      "  received  24 B in all (at least 24 B; gather: 48 B)\n";
  EXPECT_EQ(fitted(text, 55), text);
  EXPECT_EQ(fitted(text, 54),
            "f32[3@x, 4] -> f32[3, 4@x]\n"
            "  step        axes               local shape\n"
            "  all_to_all  x: dim 0 -> dim 1  [2, 4] -> [3, 2]\n"
            "  step        peak\n"
            "  all_to_all  56 B\n"
            "  received  24 B in all (at least 24 B; gather: 48 B)\n");
  EXPECT_EQ(fitted("planner  launches  received\ntessera         2    20 KiB", 20),
            "planner  launches\ntessera         2\nplanner  received\ntessera    20 KiB");
  // Of what programs write, only plans.
  EXPECT_EQ(with_fitted_plans(text, 54), text);
  EXPECT_NE(with_fitted_plans("asked for by `as` at line 6, column 6\n" + text, 54), text);
}

TEST(Tables, LeaveTheNamesOfMpiOutFirst) {
  const std::string text =
      "  step        axes               MPI            local shape       peak\n"
      "  all_to_all  x: dim 0 -> dim 1  MPI_Alltoallv  [2, 4] -> [3, 2]  56 B\n";
  EXPECT_EQ(fitted(text, 70), text);
  EXPECT_EQ(fitted(text, 69),
            "  step        axes               local shape       peak\n"
            "  all_to_all  x: dim 0 -> dim 1  [2, 4] -> [3, 2]  56 B\n");
  EXPECT_EQ(fitted(text, 54),
            "  step        axes               local shape\n"
            "  all_to_all  x: dim 0 -> dim 1  [2, 4] -> [3, 2]\n"
            "  step        peak\n"
            "  all_to_all  56 B\n");
}

TEST(Timelines, HaveAsManyColumnsAsTheScreen) {
  const std::string text =
      "pipeline of 2 microbatches on 2 stages by auto at line 4, column 3\n"
      "  0 |00001111....|\n"
      "  1 |....00001111|\n";
  EXPECT_EQ(with_fitted_plans(text, 66), text);
  EXPECT_EQ(fitted("  0 |00001111....|\n  1 |....00001111|\n", 12), "  0 |0011..|\n  1 |..0011|\n");
}

TEST(Words, AreKeptWhereLinesAreBroken) {
  EXPECT_EQ(wrapped_at_words("  :plan E   the steps it would take, in bytes\nshort", 30),
            "  :plan E   the steps it would\n            take, in bytes\nshort");
  EXPECT_EQ(wrapped_at_words("one two three\nfour five\n\nsix\n", 10), "one two\nthree four\nfive\n\nsix\n");
  EXPECT_EQ(wrapped_at_words("aaaaaaaaaaaa bb", 5), "aaaaaaaaaaaa\nbb");
  EXPECT_EQ(wrapped_at_words("  :plan EXPRESSION   the steps that it takes", 24),
            "  :plan EXPRESSION\n    the steps that it\n    takes");
}

TEST(Picture, OtherTextStaysAsItIs) {
  for (const char* text : {"", "\n", "1 | 2", "+\n| a |\n", "--+--\n", "[-1. 2.]\n\n", "+---+"}) {
    EXPECT_EQ(paint_picture(text, Colour::yes, false), text);
  }
}

TEST(Progress, IsDrawnAfterASecondAndTakenAway) {
  double now = 0;
  std::string drawn;
  ProgressLine line([&](std::string_view text) { drawn += text; }, [&] { return now; });
  line.begin();
  line.tell({1, 9, 0});
  line.clear();
  EXPECT_EQ(drawn, "");
  now = 1.5;
  line.tell({2, 9, 2048});
  EXPECT_EQ(drawn, "\r\x1B[Kstep 2 of 9, 2 KiB received");
  line.tell({3, 9, 2048});
  EXPECT_EQ(drawn, "\r\x1B[Kstep 2 of 9, 2 KiB received");
  line.clear();
  line.clear();
  EXPECT_TRUE(drawn.ends_with("received\r\x1B[K"));
}

// An interrupt of a line that was read but does not run yet.
TEST(Interrupts, ThatComeEarlyStopWhatBegins) {
  Session session;
  const InterruptibleReading reading;
  ASSERT_EQ(std::raise(SIGINT), 0);
  const auto stopped = run_stoppable(session, "let a = loop w = 0.0 for i < 1000000000 { w + 1.0 }", "input");
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.diagnostics().front().slug, "interrupted");
  EXPECT_TRUE(run_stoppable(session, "let a = 1", "input").ok());
}

TEST(Units, AreThoseOfPeople) {
  EXPECT_EQ(modelled_line({}, "HELP"), "modelled: links of 100 GB/s and 1 us, assumed; HELP\n");
  EXPECT_EQ(modelled_line({{{"node", 2, 25e9, 5e-6}}}, "HELP"), "modelled: node 25 GB/s and 5 us, as given\n");
  EXPECT_EQ(extents_text({8, 16, 4}), "8x16x4");
  EXPECT_EQ(counted(1, "copy", "copies"), "1 copy");
  EXPECT_EQ(counted(0, "copy", "copies"), "0 copies");
}

}  // namespace
}  // namespace tessera::repl
