#include "embed/manual/reference.hpp"

#include <algorithm>
#include <string>

#include "base/nearest.hpp"
#include "frontend/token.hpp"
#include "typeck/elaborate/table.hpp"

namespace tessera {

namespace embed {

namespace {

constexpr std::string_view kSection = "\n## 11. All operations\n";
constexpr std::string_view kBorder = " | ";

std::string_view section_of(std::string_view text) {
  const std::size_t begin = text.find(kSection);
  if (begin == std::string_view::npos) return {};
  const std::size_t inside = begin + kSection.size();
  return text.substr(inside, text.find("\n## ", inside) - inside);
}

// The cells of `| a | b | c |`.
std::vector<std::string_view> cells_of(std::string_view row) {
  row.remove_prefix(2);
  row.remove_suffix(std::min<std::size_t>(2, row.size()));
  std::vector<std::string_view> cells;
  for (std::size_t end = row.find(kBorder); end != std::string_view::npos; end = row.find(kBorder)) {
    cells.push_back(row.substr(0, end));
    row.remove_prefix(end + kBorder.size());
  }
  cells.push_back(row);
  return cells;
}

// The signature of the operation among those of a first cell, `sin(a)` of "`sin(a)` `cos(a)`"; empty if it has none.
std::string_view signature_in(std::string_view cell, std::string_view name) {
  const std::size_t begin = cell.find("`" + std::string(name) + "(");
  if (begin == std::string_view::npos) return {};
  return cell.substr(begin + 1, cell.find('`', begin + 1) - begin - 1);
}

}  // namespace

std::vector<OperationHelp> operation_rows(std::string_view text, std::string_view name) {
  std::vector<OperationHelp> result;
  std::string_view rest = section_of(text);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (!line.starts_with("| `")) continue;
    const auto cells = cells_of(line);
    const std::string_view signature = signature_in(cells[0], name);
    if (signature.empty() || cells.size() < 2) continue;
    const std::string_view layouts = cells.size() > 2 && cells[2] != "-" ? cells[2] : "";
    result.push_back({std::string(name), std::string(signature), std::string(cells[1]), std::string(layouts)});
  }
  return result;
}

}  // namespace embed

const std::vector<OperationHelp>& operations() {
  static const std::vector<OperationHelp> all = [] {
    std::vector<OperationHelp> result;
    for (const typeck::OperationInfo& operation : typeck::operations()) {
      const auto rows = embed::operation_rows(embed::reference_text(), operation.name);
      result.insert(result.end(), rows.begin(), rows.end());
    }
    return result;
  }();
  return all;
}

const std::vector<std::string>& keywords() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> result;
#define WORD(identifier, lexer_name, text, token_role) \
  if (frontend::is_keyword(frontend::TokenKind::identifier)) result.emplace_back(text);
    TESSERA_TOKENS(WORD)
#undef WORD
    return result;
  }();
  return all;
}

std::optional<std::string> nearest_spelling(std::string_view word, const std::vector<std::string>& known) {
  return base::nearest(word, known);
}

}  // namespace tessera
