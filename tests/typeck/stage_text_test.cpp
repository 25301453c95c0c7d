// The stages of a check as text: what was printed is read back, and is the same program.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "frontend/parse.hpp"
#include "tests/generator/generator.hpp"
#include "typeck/check.hpp"
#include "typeck/insert/inserter.hpp"
#include "typeck/kinds.hpp"
#include "typeck/open/open.hpp"
#include "typeck/typed/graph_text.hpp"
#include "typeck/typed/lower.hpp"

namespace tessera::typeck {
namespace {

// A text that has been checked; nothing where it is wrong.
struct Stages {
  base::SourceMap sources;
  std::shared_ptr<const frontend::Ast> ast;
  std::optional<Typed> typed;
};

CheckOptions keeping_text() {
  CheckOptions options;
  options.text_after = Stage::elaborate;
  options.file_header = [](const std::string&) -> base::Result<FileHeader> {
    return FileHeader{synth::ElementType::f32, {8, 8}};
  };
  return options;
}

Stages stages_of(const std::string& program) {
  Stages made;
  auto ast = frontend::parse(made.sources, made.sources.add("test", program));
  if (!ast.ok()) return made;
  made.ast = std::make_shared<const frontend::Ast>(std::move(ast).value());
  synth::PlanCache plans{synth::Machine{}};
  auto typed = check(made.ast, made.sources, Environment(), plans, keeping_text());
  if (typed.ok()) {
    made.typed = std::move(typed).value();
  } else {
    EXPECT_NE(typed.errors()[0].kind.slug, "internal") << typed.errors()[0].message << "\n" << program;
  }
  return made;
}

std::string device_program(const Typed& typed) {
  const auto lowered = lower(typed, Keep::nothing);
  return lowered.ok() ? print(lowered->program) : lowered.errors()[0].message;
}

struct Closed {
  Typed typed;
  Assignment layouts;  // that were found
};

// What an open program is closed to, in the layouts that are given, or in those that the rules find.
Closed closed(open::Program program, Stages& of, Assignment* given = nullptr) {
  program.ast = of.ast;
  base::Store<open::Instance, open::InstanceId> instances;
  for (open::Instance one : program.instances.items()) {
    one.ast = of.ast;
    instances.add(std::move(one));
  }
  program.instances = std::move(instances);
  Messages messages;
  Environment environment = of.typed->after;
  synth::PlanCache plans{synth::Machine{}};
  CheckOptions options = keeping_text();
  options.text_after = Stage::assign;
  Inserter inserter(program, of.sources, environment, plans, options, messages, given);
  Typed typed = inserter.run();
  return {std::move(typed), inserter.assignment()};
}

// The body of a loop is closed twice where a start takes the layout that the body found. What was closed first is
// listed nowhere; where the layouts are given it is not made at all.
bool may_close_bodies_twice(const open::Program& program) {
  return std::ranges::any_of(program.nodes.items(), [](const open::Node& node) {
    const auto* loop = std::get_if<open::Loop>(&node.body);
    return loop != nullptr && !loop->fresh.empty();
  });
}

// The lines of literals that something else names: a body that was closed first may have made others.
std::string without_unused_literals(const std::string& graph) {
  const std::regex literal("\\bl[0-9]+\\b");
  std::map<std::string, int> named;
  for (std::sregex_iterator each(graph.begin(), graph.end(), literal); each != std::sregex_iterator(); ++each)
    ++named[each->str()];
  std::string kept;
  for (std::size_t from = 0; from < graph.size();) {
    const std::size_t end = std::min(graph.find('\n', from), graph.size() - 1) + 1;
    const std::string line = graph.substr(from, end - from);
    std::smatch found;
    const bool is_unused =
        line.starts_with("literal ") && std::regex_search(line, found, literal) && named[found.str()] == 1;
    if (!is_unused) kept += line;
    from = end;
  }
  return kept;
}

// The functions that something calls: a body that was closed first may have called others.
std::string without_unused_functions(std::string graph) {
  const std::string_view begins = "\nfunction ";
  for (std::size_t begin = graph.find(begins); begin != std::string::npos;) {
    const std::size_t name = begin + begins.size();
    const std::size_t end = graph.find('\n', graph.find("\n} results", begin) + 1);
    const std::string call = "call " + graph.substr(name, graph.find(' ', name) - name) + " ";
    if (graph.find(call) == std::string::npos) {
      graph.erase(begin, end - begin);
      begin = graph.find(begins);  // what it called may be called by nothing else
    } else {
      begin = graph.find(begins, end);
    }
  }
  return graph;
}

// A printed graph without the values, literals and functions that nothing lists and without plans, whose numbers theirs
// are among; other values, literals, functions and plans are numbered in the order in which they are named.
std::string what_is_listed(std::string graph) {
  const std::size_t begin = graph.find("others {\n");
  const std::size_t end = graph.find("\n}\n", begin);
  graph = graph.substr(graph.find('\n'), begin - graph.find('\n')) + graph.substr(end);
  graph = without_unused_literals(without_unused_functions(graph.substr(0, graph.find("\nplan p"))));
  // Parts and items name operands of their own node by its numbers.
  graph = std::regex_replace(graph, std::regex("part %"), "part operand ");
  int brackets = 0;
  for (char& one : graph) {
    brackets += one == '[' ? 1 : one == ']' ? -1 : 0;
    if (brackets > 0 && one == '%') one = '#';
  }
  std::map<std::string, std::size_t> numbers;
  std::string all;
  graph = std::regex_replace(graph, std::regex("\\b(function|call) f([0-9]+)"), "$1 g$2");
  const std::regex value("%[0-9]+|\\b[plg][0-9]+\\b");
  std::sregex_iterator each(graph.begin(), graph.end(), value);
  std::size_t from = 0;
  for (; each != std::sregex_iterator(); ++each) {
    const std::size_t at = numbers.try_emplace(each->str(), numbers.size()).first->second;
    all += graph.substr(from, static_cast<std::size_t>(each->position()) - from) + each->str()[0] + std::to_string(at);
    from = static_cast<std::size_t>(each->position() + each->length());
  }
  return all + graph.substr(from);
}

// The layouts as text are read back, and with those that were read a program is closed to the same graph.
void expect_layouts_read_back(const open::Program& program, const Closed& found, Stages& of, const std::string& text) {
  const std::string printed = print(found.layouts);
  auto again = read_assignment(printed);
  ASSERT_TRUE(again.ok()) << again.errors()[0].message << "\n" << printed << text;
  EXPECT_EQ(print(*again), printed) << text;
  const auto verified = verify(program, *again);
  EXPECT_TRUE(verified.ok()) << (verified.ok() ? "" : verified.errors()[0].message) << "\n" << text;
  const std::string laid = print_graph(closed(program, of, &*again).typed);
  if (may_close_bodies_twice(program)) {
    EXPECT_EQ(what_is_listed(laid), what_is_listed(print_graph(found.typed))) << text;
  } else {
    EXPECT_EQ(laid, print_graph(found.typed)) << text;
  }
}

// What a gradient copies lies as its original; where nothing says what it copies, the rules find the same.
open::Program without_copies(open::Program program) {
  for (std::uint32_t k = 0; k < program.nodes.size(); ++k) {
    program.nodes[open::ValueId{k}].copy_of = {};
    program.nodes[open::ValueId{k}].made_for = {};
    program.nodes[open::ValueId{k}].entered = {};
  }
  return program;
}

// Both stages of a program that can be checked: printed, read and printed again they are the same; what was read makes
// the same next stage.
bool expect_read_back(const std::string& program) {
  Stages made = stages_of(program);
  if (!made.typed.has_value()) return false;
  const std::string& open_text = made.typed->stage_text;
  const auto open_again = open::read(open_text);
  EXPECT_TRUE(open_again.ok()) << (open_again.ok() ? "" : open_again.errors()[0].message) << "\n" << program;
  if (!open_again.ok()) return false;
  EXPECT_EQ(open::print(*open_again), open_text) << program;
  EXPECT_TRUE(open::verify(*open_again).ok()) << program;
  const std::string graph = print_graph(*made.typed);
  if (made.typed->placed_by_search.empty()) {
    const Closed found = closed(*open_again, made);
    EXPECT_EQ(print_graph(found.typed), graph) << program;
    expect_layouts_read_back(*open_again, found, made, program);
    EXPECT_EQ(print_graph(closed(without_copies(*open_again), made).typed), graph) << program;
  }
  const auto typed_again = read_graph(graph, synth::Machine{});
  EXPECT_TRUE(typed_again.ok()) << (typed_again.ok() ? "" : typed_again.errors()[0].message) << "\n" << program;
  if (!typed_again.ok()) return false;
  EXPECT_EQ(print_graph(*typed_again), graph) << program;
  EXPECT_TRUE(verify(*typed_again).ok()) << program;
  EXPECT_EQ(device_program(*typed_again), device_program(*made.typed)) << program;
  return true;
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The program of a case; empty where it has none.
std::string source_of_case(const std::string& text) {
  const std::size_t begin = text.find("--- source");
  if (begin == std::string::npos) return "";
  const std::size_t first = text.find('\n', begin) + 1;
  return text.substr(first, text.find("\n--- ", first) + 1 - first);
}

// The programs below a folder.
std::vector<std::string> stored_programs(const char* folder) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root = TESSERA_SOURCE_DIR;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> all;
  for (const auto& file : files) {
    if (file.extension() == ".case") all.push_back(source_of_case(text_of(file)));
    if (file.extension() == ".tess") all.push_back(text_of(file));
  }
  return all;
}

TEST(StageText, OfGeneratedProgramsIsReadBack) {
  const std::uint64_t wanted = std::getenv("TESSERA_FULL") == nullptr ? 40 : 2'000;
  for (std::uint64_t seed = 1; seed <= wanted; ++seed) {
    const generator::Program program = generator::generate(seed);
    expect_read_back(tessera_text(program, program.mesh));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(StageText, OfEveryWayToAnotherMeshIsReadBack) {
  EXPECT_TRUE(
      expect_read_back("mesh m = [x: 4]\nfn grown(a: f32[N@x]) = (a as [N]) + (a as [N])\nmesh n = [a: 2, b: 2]\nlet p "
                       "= iota(f32[8@x] on m)\nlet q = exchange(p, f32[8@b] on n)\n"
                       "let r = q as [8@x] on m\nplan r as [8@a] on n\nplan exchange(q, f32[8@x] on m)\n"
                       "plan grown(r)\nprint q\n"));
}

// A text with a byte changed, one left out, or a line said twice.
std::string changed(std::string text, std::mt19937_64& random) {
  const std::size_t at = random() % text.size();
  switch (random() % 4) {
    case 0: text[at] = static_cast<char>(random() % 256); break;
    case 1: text.erase(at, 1 + random() % 4); break;
    case 2: text.insert(at, std::string(1, "(){}[]@%,.-0123456789"[random() % 21])); break;
    default: {
      const std::size_t end = text.find('\n', at);
      text.insert(end == std::string::npos ? text.size() : end, text.substr(at, end - at));
    }
  }
  return text;
}

// What is read of a spoiled text is refused with an error, or may be asked whether it makes sense.
template <class Read>
void expect_no_crash(const std::string& text, std::mt19937_64& random, const Read& read) {
  for (int k = 0; k < 150; ++k) {
    const auto program = read(changed(text, random));
    if (program.ok()) {
      (void)verify(*program);
    } else {
      EXPECT_NE(program.errors().at(0).kind.slug, "internal") << program.errors().at(0).message;
    }
  }
}

TEST(StageText, ThatIsSpoiledIsRefused) {
  std::mt19937_64 random(1);
  for (const std::string& program : stored_programs("examples")) {
    const Stages made = stages_of(program);
    if (!made.typed.has_value()) continue;
    expect_no_crash(made.typed->stage_text, random, open::read);
    expect_no_crash(print_graph(*made.typed), random,
                    [](std::string_view text) { return read_graph(text, synth::Machine{}); });
  }
}

// One thing of a program in order is changed to another.
TEST(OpenVerify, FindsWhatIsOutOfOrder) {
  const Stages made = stages_of(
      "mesh m = [x: 2]\nlet a = iota(f32[4@x, 2])\nlet b = sum(a, dim=1)\nlet c = loop s = b for i < 3 { s + b "
      "}\nprint c\n");
  ASSERT_TRUE(made.typed.has_value());
  const std::string text = made.typed->stage_text;
  const auto fault = [&](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from << "\n" << text;
    const auto program = open::read(std::string(text).replace(at, from.size(), to));
    if (!program.ok()) return program.errors().at(0).message;
    const auto verified = open::verify(*program);
    return verified.ok() ? std::string() : verified.errors().at(0).message;
  };
  EXPECT_EQ(fault("print", "print"), "");
  for (const auto& [from, to, why] : std::vector<std::array<std::string, 3>>{
           {"reduce (%3)", "reduce (%10)", "an operand is used before it is computed"},
           {"finish (%10)", "finish (%9)", "an operand is used outside the region that computes it"},
           {"let (\"c\" %10", "let (\"c\" %12", "a bound name is used before it is computed"},
           {"sum [1]", "sum [0]", "its shapes do not fit"},
           {"%5: f32[4] =", "%5: i64[4] =", "element type"},
           {"iota [@x, _]", "iota [@x]", "a written layout is not one of its mesh"},
           {"results (%9)", "results (%3)", "a result of another type"},
           {"initial (%5)", "initial (%3)", "a carried value of another type"},
           {"initial (%5)", "initial (%5, %5)", "is missing"},
           {"= constant () l4", "= constant () l3 incomplete", "a node is not complete"},
           {"map (%7, %5)", "map (%7, %3)", ""}}) {
    const std::string found = fault(from, to);
    EXPECT_NE(found, "") << from << " -> " << to;
    EXPECT_NE(found.find(why), std::string::npos) << from << " -> " << to << ": " << found;
  }
}

constexpr const char* kSummed = "mesh m = [x: 4]\nlet a = iota(f32[8@x, 8])\nlet b = sum(a, dim=1) as [8]\n";

TEST(ExampleOf, Form) {
  const Stages made = stages_of(kSummed);
  ASSERT_TRUE(made.typed.has_value());
  const std::string& text = made.typed->stage_text;
  EXPECT_NE(text.find(R"(
statement 2 {
  %3: f32[8, 8] = make () iota [@x, _] who "`iota`" @24..41 (29..40)
} results () let ("a" %3 slot 0) @16..41 (20..21)
statement 3 {
  %6: f32[8] = reduce (%3) sum [1] who "`sum`" takes_wish wish on m0 lies [_] @50..63 (54..55 #4, 67..70)
  %7: f32[8] = as %6 [_] is_as begins %5 who "`as`" @50..63 (50..63 #6, 50..70, 67..70)
} results () let ("b" %7 slot 1) @42..70 (46..47)
lets (%3 statement 1 moment 3, %7 statement 2 moment 4)
)"),
            std::string::npos)
      << text;
}

TEST(ExampleOf, GraphForm) {
  const Stages made = stages_of(kSummed);
  ASSERT_TRUE(made.typed.has_value());
  const std::string text = print_graph(*made.typed);
  EXPECT_NE(text.find(R"(
statement {
  %1: f32[8@x] = reduce (%0) sum [1] @50..63
  %2: f32[8] = redistribute %1 p0 all_gather asked annotation who "`as`" @50..63 (50..70, 67..70)
} results () let ("b" %2 slot 1) @42..70 (46..47)
plan p0 {"mesh": "x:4", "from": "f32[8@x]", "to": "f32[8]", )"),
            std::string::npos)
      << text;
}

TEST(ExampleOf, Assignment) {
  Stages made =
      stages_of("mesh m = [x: 2]\nlet a = iota(f32[8@x, 4])\nlet b = iota(f32[4@x, 6])\nlet c = a @ b\nprint c\n");
  ASSERT_TRUE(made.typed.has_value());
  const auto program = open::read(made.typed->stage_text);
  ASSERT_TRUE(program.ok());
  const std::string layouts = print(closed(*program, made).layouts);
  EXPECT_NE(layouts.find(": (f32[8@x, 6]) uses ((), (f32[4, 6] asked operation who \"`@`\""), std::string::npos)
      << layouts;
}

// Layouts that no rule of the language would choose are inserted as they are given.
TEST(Assignment, IsInsertedAsItIsGiven) {
  Stages made =
      stages_of("mesh m = [x: 2]\nlet a = iota(f32[4@x, 2])\nlet b = iota(f32[4, 2])\nlet c = a + b\nprint c\n");
  ASSERT_TRUE(made.typed.has_value());
  const auto program = open::read(made.typed->stage_text);
  ASSERT_TRUE(program.ok());
  std::string layouts = print(closed(*program, made).layouts);
  const std::string from = ": (f32[4@x, 2]) uses ((), (f32[4@x, 2] asked operation who \"`+`\"";
  const std::size_t at = layouts.find(from);
  ASSERT_NE(at, std::string::npos) << layouts;
  const std::size_t end = layouts.find('\n', at);
  layouts.replace(at, end - at, ": (f32[4, 2]) uses ((f32[4, 2] asked operation who \"`+`\"), ()) at (-, -)");
  auto given = read_assignment(layouts);
  ASSERT_TRUE(given.ok()) << given.errors()[0].message;
  const Closed other = closed(*program, made, &*given);
  EXPECT_TRUE(verify(other.typed).ok());
  EXPECT_NE(print_graph(other.typed).find("all_gather asked operation who \"`+`\""), std::string::npos)
      << print_graph(other.typed);
  EXPECT_NE(device_program(other.typed), device_program(*made.typed));
}

TEST(Assignment, ThatIsSpoiledIsRefused) {
  std::mt19937_64 random(2);
  for (const std::string& program : stored_programs("examples")) {
    Stages made = stages_of(program);
    if (!made.typed.has_value()) continue;
    const auto open_again = open::read(made.typed->stage_text);
    ASSERT_TRUE(open_again.ok());
    const std::string text = print(closed(*open_again, made).layouts);
    for (int k = 0; k < 150; ++k) {
      const auto layouts = read_assignment(changed(text, random));
      if (layouts.ok()) {
        (void)verify(*open_again, *layouts);
      } else {
        EXPECT_NE(layouts.errors().at(0).kind.slug, "internal") << layouts.errors().at(0).message;
      }
    }
  }
}

TEST(StageText, SaysInWhichLineItIsWrong) {
  const auto fault = [](const std::string& text) { return open::read(text).errors().at(0).message; };
  EXPECT_EQ(fault("shut"), "this is not an open program: line 1: `open` is missing");
  EXPECT_EQ(fault("open 0 values\nothers {\n}\nmore"), "this is not an open program: line 4: nothing may follow");
  EXPECT_EQ(read_graph("typed 0 values\nplan p0 {}", synth::Machine{}).errors().at(0).message,
            "this is not a typed program: line 2: `others` is missing");
}

TEST(StageText, OfCasesAndExamplesIsReadBack) {
  std::size_t read_back = 0;
  for (const char* folder : {"tests/cases", "examples"}) {
    for (const std::string& program : stored_programs(folder)) {
      if (expect_read_back(program)) ++read_back;
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(read_back, 500U);
}

}  // namespace
}  // namespace tessera::typeck
