#include "tests/generator/program.hpp"

#include <fmt/format.h>

#include <sstream>

namespace tessera::generator {

namespace {

// Without the parentheses around the whole.
std::string bare(const std::string& text) {
  if (text.empty() || text.front() != '(') return text;
  std::size_t open = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(') ++open;
    if (text[at] == ')') --open;
    if (open == 0 && at + 1 < text.size()) return text;
  }
  return text.substr(1, text.size() - 2);
}

std::string text(const Statement& statement, Language language) {
  const std::string& form = language == Language::tessera ? statement.tessera : statement.numpy;
  std::vector<std::string> parts;
  if (statement.value != nullptr) parts.push_back(text(*statement.value, language));
  if (!parts.empty() && form.ends_with("= $0")) parts[0] = bare(parts[0]);
  return filled(form, parts);
}

}  // namespace

std::string print(const MeshSizes& mesh) { return fmt::format("{}x{}x{}", mesh[0], mesh[1], mesh[2]); }

std::string tessera_text(const Program& program, const MeshSizes& mesh) {
  std::string result = fmt::format("# Generated from seed {}.\n", program.seed);
  result += fmt::format("mesh m = [x: {}, y: {}, z: {}]\n", mesh[0], mesh[1], mesh[2]);
  for (const Statement& statement : program.statements) result += text(statement, Language::tessera) + "\n";
  return result;
}

std::string numpy_text(const Program& program) {
  std::string result;
  for (const Statement& statement : program.statements) {
    std::istringstream lines(text(statement, Language::numpy));
    for (std::string line; std::getline(lines, line);) result += "    " + line + "\n";
  }
  return result;
}

}  // namespace tessera::generator
