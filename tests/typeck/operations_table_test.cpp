// Section 11 of docs/language.md and the table of operations say the same; what the table shows is right.
#include "typeck/elaborate/table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "frontend/parse.hpp"
#include "synth/kinds.hpp"
#include "typeck/check.hpp"
#include "typeck/kinds.hpp"

namespace tessera::typeck {
namespace {

using Parameters = std::vector<std::string>;

// `a, b, rtol=` apart.
Parameters parts(const std::string& list) {
  Parameters all;
  bool quoted = false;
  bool next = true;
  for (const char c : list) {
    if (c == '"') quoted = !quoted;
    const bool ends = c == ',' && !quoted;
    if (!ends && c != ' ') {
      if (next) all.emplace_back();
      all.back() += c;
    }
    next = ends || (next && c == ' ');
  }
  return all;
}

// Puts what `name(parameters)` adds to what is known of the operation: `max` stands there as two.
void add(const std::string& signature, std::map<std::string, Parameters>& operations) {
  const std::size_t open = signature.find('(');
  if (open == std::string::npos || !signature.ends_with(')')) return;
  Parameters& known = operations[signature.substr(0, open)];
  for (std::string& part : parts(signature.substr(open + 1, signature.size() - open - 2))) {
    if (std::find(known.begin(), known.end(), part) == known.end()) known.push_back(std::move(part));
  }
}

// What the first columns of the section's tables name between backticks.
std::map<std::string, Parameters> documented() {
  std::ifstream in(TESSERA_SOURCE_DIR "/docs/language.md");
  std::map<std::string, Parameters> operations;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("## ")) inside = line == "## 11. All operations";
    if (!inside || !line.starts_with("| `")) continue;
    const std::string column = line.substr(2, line.find(" |", 2) - 2);
    std::size_t open = column.find('`');
    while (open != std::string::npos) {
      const std::size_t close = column.find('`', open + 1);
      add(column.substr(open + 1, close - open - 1), operations);
      open = column.find('`', close + 1);
    }
  }
  return operations;
}

// The parameters as the document writes them; of einsum, whose operands have no names, only how many it has at least.
Parameters written(const OperationInfo& operation) {
  Parameters all;
  for (const ParameterInfo& parameter : operation.parameters) {
    if (parameter.kind == ArgumentKind::rest) return {"\"ij,jk->ik\"", "a", "b", "..."};
    all.push_back(std::string(parameter.name) + (parameter.named_only ? "=" : ""));
  }
  return all;
}

TEST(OperationsTable, IsWhatTheReferenceSays) {
  auto reference = documented();
  for (const OperationInfo& operation : operations()) {
    const auto found = reference.find(std::string(operation.name));
    if (found == reference.end()) {
      ADD_FAILURE() << "docs/language.md has no row for " << operation.name;
      continue;
    }
    EXPECT_EQ(found->second, written(operation)) << operation.name;
    reference.erase(found);
  }
  for (const auto& [name, parameters] : reference)
    ADD_FAILURE() << "docs/language.md tells of " << name << ", which is no operation";
}

TEST(OperationsTable, SaysWhatEachOperationDoes) {
  for (const OperationInfo& operation : operations()) EXPECT_FALSE(operation.does.empty()) << operation.name;
}

// What is shown to whoever got a call wrong is itself a call: all names are bound, and each argument is of the kind
// that the operation takes. Shapes and elements may not go together.
TEST(OperationsTable, ShowsCallsThatAreCalls) {
  for (const OperationInfo& operation : operations()) {
    std::string program = "mesh m = [x: 2]\n";
    for (const char* name : {"a", "b", "c", "low", "high", "i", "v", "table", "ids", "seed", "s", "w"})
      program += fmt::format("let {} = iota(i64[8@x])\n", name);
    program += fmt::format("let result = {}\n", example_call(operation));
    base::SourceMap sources;
    auto ast = frontend::parse(sources, sources.add("test", program));
    ASSERT_TRUE(ast.ok()) << program;
    synth::PlanCache plans{synth::Machine{}};
    const auto typed =
        check(std::make_shared<const frontend::Ast>(std::move(ast).value()), sources, Environment(), plans);
    if (typed.ok()) continue;
    for (const base::Diagnostic& error : typed.errors()) {
      const bool is_of_the_call = error.kind == Kind::wrong_arguments || error.kind == Kind::type_here ||
                                  error.kind == Kind::unknown_name || error.kind == synth::Kind::unknown_axis;
      EXPECT_FALSE(is_of_the_call) << example_call(operation) << ": " << error.message;
    }
  }
}

}  // namespace
}  // namespace tessera::typeck
