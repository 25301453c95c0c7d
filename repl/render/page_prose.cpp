#include "repl/render/page_prose.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tessera::repl {

namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// The words of `[words](target)`; what stands between backticks is code, and stays.
std::string without_links(std::string_view line) {
  std::string text;
  bool is_code = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '`') is_code = !is_code;
    const std::size_t middle = line[at] == '[' && !is_code ? line.find("](", at) : std::string_view::npos;
    const std::size_t end = middle == std::string_view::npos ? middle : line.find(')', middle);
    if (end == std::string_view::npos) {
      text += line[at];
      continue;
    }
    text += line.substr(at + 1, middle - at - 1);
    at = end;
  }
  return text;
}

// `| a | b \| c |`: the cells, with their bars.
std::vector<std::string> cells_of_row(std::string_view row) {
  std::vector<std::string> cells;
  std::string cell;
  row = trimmed(row);
  for (std::size_t at = 1; at < row.size(); ++at) {
    if (row[at] == '|') {
      cells.push_back(without_links(trimmed(cell)));
      cell.clear();
      continue;
    }
    if (row[at] == '\\' && at + 1 < row.size() && row[at + 1] == '|') ++at;
    cell += row[at];
  }
  return cells;
}

bool is_rule(std::string_view row) { return row.find_first_not_of("|-: ") == std::string_view::npos; }

class PageProse {
 public:
  std::string of(std::string_view markdown) {
    while (!markdown.empty()) {
      const std::size_t end = std::min(markdown.find('\n'), markdown.size());
      line(markdown.substr(0, end));
      markdown.remove_prefix(std::min(end + 1, markdown.size()));
    }
    end_item();
    return std::move(text_);
  }

 private:
  void line(std::string_view line) {
    if (line.starts_with("```")) is_program_ = !is_program_;
    const bool continues = !item_.empty() && line.starts_with("  ") && !trimmed(line).starts_with("- ");
    if (!is_program_ && continues) {
      item_.append(" ").append(trimmed(line));
      return;
    }
    end_item();
    if (is_program_ || !line.starts_with("|")) heading_.clear();
    if (is_program_ || line.starts_with("```")) {
      text_.append(line) += '\n';
    } else if (line.starts_with("|")) {
      row(line);
    } else if (line.starts_with("#")) {
      text_.append("## ").append(trimmed(line.substr(line.find_first_not_of('#')))) += '\n';
    } else if (line.starts_with("- ")) {
      item_ = line;
    } else {
      text_ += without_links(line) + '\n';
    }
  }

  void row(std::string_view line) {
    if (is_rule(line)) return;
    const std::vector<std::string> cells = cells_of_row(line);
    if (heading_.empty()) {
      heading_ = cells;
      return;
    }
    if (cells.empty()) return;
    text_ += "  " + cells[0] + '\n';
    for (std::size_t k = 1; k < cells.size(); ++k) {
      const bool says_what = cells.size() > 2 && k < heading_.size() && !heading_[k].empty();
      if (!cells[k].empty()) text_ += "      " + (says_what ? heading_[k] + ": " : std::string()) + cells[k] + '\n';
    }
  }

  void end_item() {
    if (!item_.empty()) text_ += "  " + without_links(item_) + '\n';
    item_.clear();
  }

  std::string text_;
  std::string item_;                  // of a list, not yet in text_
  std::vector<std::string> heading_;  // of the table that this line is in
  bool is_program_ = false;
};

}  // namespace

std::string page_prose(std::string_view markdown) { return PageProse().of(markdown); }

}  // namespace tessera::repl
