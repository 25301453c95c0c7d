#include "tests/generator/program.hpp"

#include <fmt/format.h>

#include <sstream>

#include "tests/generator/random.hpp"

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

std::string tessera_statement(const Statement& statement) { return text(statement, Language::tessera); }

std::string print(const MeshSizes& mesh) { return fmt::format("{}x{}x{}", mesh[0], mesh[1], mesh[2]); }

std::string tessera_text(const Program& program, const MeshSizes& mesh) {
  std::string result = fmt::format("# Generated from seed {}.\n", program.seed);
  result += fmt::format("mesh m = [x: {}, y: {}, z: {}]\n", mesh[0], mesh[1], mesh[2]);
  for (const Statement& statement : program.statements) result += text(statement, Language::tessera) + "\n";
  return result;
}

namespace {

// ` place [[2, 1], [1, 3], [1, 1]]`: two levels, on which each axis lies whole, in an order that is none of the usual.
std::string placement(const MeshSizes& mesh, Random& random) {
  std::string rows;
  for (const std::int64_t size : mesh) {
    const bool is_outside = random.chance(50);
    rows += fmt::format("{}[{}, {}]", rows.empty() ? "" : ", ", is_outside ? size : 1, is_outside ? 1 : size);
  }
  return " place [" + rows + "]";
}

// `mesh m = [x: 2 w(3,1), ...]`, half of them placed by a matrix.
std::string weighted_mesh(const MeshSizes& mesh, Random& random) {
  std::string axes;
  for (std::size_t i = 0; i < mesh.size(); ++i) {
    std::string weights;
    for (std::int64_t k = 0; k < mesh[i]; ++k) {
      weights += fmt::format("{}{}", k == 0 ? "" : ",", random.between(1, 5));
    }
    axes += fmt::format("{}{}: {} w({})", i == 0 ? "" : ", ", "xyz"[i], mesh[i], weights);
  }
  const std::string place = random.chance(50) ? placement(mesh, random) : "";
  return fmt::format("mesh m = [{}]{}\n", axes, place);
}

// The text between brackets with cuts behind most of its axes: `9@(y,x), 3` gives `9@(y.w,x), 3`. Equal texts give
// equal ones, for types that have to be equal.
std::string with_cuts(const std::string& shape, std::uint64_t seed) {
  for (const char c : shape) seed = seed * 31 + static_cast<unsigned char>(c);
  Random random(seed);
  std::string result;
  bool in_list = false;
  bool is_axis = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const char c = shape[i];
    result += c;
    if (c == '@') {
      is_axis = true;
      in_list = i + 1 < shape.size() && shape[i + 1] == '(';
    } else if (is_axis && c >= 'x' && c <= 'z') {
      if (random.chance(70)) result += ".w";
      is_axis = in_list;
    }
    if (is_axis && c == ')') is_axis = false;
  }
  return result;
}

// A shape has no brackets inside, and its `@` no blank before it, as a product has.
std::string with_cuts_in_types(const std::string& text, std::uint64_t seed) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('[', at);
    if (open == std::string::npos) return result + text.substr(at);
    const std::size_t end = text.find_first_of("[]", open + 1);
    result += text.substr(at, open + 1 - at);
    at = open + 1;
    if (end == std::string::npos || text[end] == '[') continue;
    const std::string inside = text.substr(at, end - at);
    result += inside.find(" @") == std::string::npos ? with_cuts(inside, seed) : inside;
    at = end;
  }
  return result;
}

// A text that permutes even tiles, as one that exchanges uneven ones.
std::string exchanging(std::string text) {
  constexpr std::string_view kPermute = "permute(";
  for (std::size_t at = text.find(kPermute); at != std::string::npos; at = text.find(kPermute, at)) {
    text.replace(at, kPermute.size(), "exchange(");
  }
  return text;
}

}  // namespace

std::string weighted_text(const Program& program, const MeshSizes& mesh) {
  Random random(program.seed);
  std::string result =
      fmt::format("# Generated from seed {}, cut by weights, perhaps placed by a matrix.\n", program.seed);
  result += weighted_mesh(mesh, random);
  for (const Statement& statement : program.statements) {
    result += exchanging(with_cuts_in_types(text(statement, Language::tessera), program.seed)) + "\n";
  }
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
