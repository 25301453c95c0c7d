// The stages of a check as text: what was printed is read back, and is the same program.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
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

// The graph that an open program is closed to.
std::string closed(open::Program program, Stages& of) {
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
  const CheckOptions options = keeping_text();
  return print_graph(Inserter(program, of.sources, environment, plans, options, messages).run());
}

// Both stages of a program: printed, read and printed again they are the same; what was read makes the same next stage.
void expect_read_back(const std::string& program) {
  Stages made = stages_of(program);
  if (!made.typed.has_value()) return;
  const std::string& open_text = made.typed->stage_text;
  const auto open_again = open::read(open_text);
  ASSERT_TRUE(open_again.ok()) << open_again.errors()[0].message << "\n" << open_text << program;
  EXPECT_EQ(open::print(*open_again), open_text) << program;
  EXPECT_TRUE(open::verify(*open_again).ok());
  const std::string graph = print_graph(*made.typed);
  if (made.typed->placed_by_search.empty()) EXPECT_EQ(closed(*open_again, made), graph) << program;
  const auto typed_again = read_graph(graph, synth::Machine{});
  ASSERT_TRUE(typed_again.ok()) << typed_again.errors()[0].message << "\n" << graph << program;
  EXPECT_EQ(print_graph(*typed_again), graph) << program;
  EXPECT_TRUE(verify(*typed_again).ok()) << program;
  EXPECT_EQ(device_program(*typed_again), device_program(*made.typed)) << program;
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

std::vector<std::string> stored_programs() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path root = TESSERA_SOURCE_DIR;
  for (const auto& folder : {root / "tests/cases", root / "examples"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> all;
  for (const auto& file : files) {
    if (file.extension() == ".case") all.push_back(source_of_case(text_of(file)));
    if (file.extension() == ".tess") all.push_back(text_of(file));
  }
  return all;
}

TEST(StageText, OfCasesAndExamplesIsReadBack) {
  const auto programs = stored_programs();
  EXPECT_GT(programs.size(), 500U);
  for (const std::string& program : programs) expect_read_back(program);
}

}  // namespace
}  // namespace tessera::typeck
