#include "repl/session/glossary.hpp"

#include <algorithm>
#include <utility>

#include "repl/session/page_tables.hpp"

namespace tessera::repl {

namespace {

// `major, minor` in the first cell, the sense in the second: each word with its sense.
std::vector<std::pair<std::string, std::string>> rows_of_glossary() {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const TableRow& row : table_rows("glossary")) {
    std::string_view words = row.cells.front();
    while (!words.empty()) {
      const std::size_t comma = std::min(words.find(", "), words.size());
      std::string word(words.substr(0, comma));
      std::erase(word, '`');
      rows.emplace_back(std::move(word), row.cells.back());
      words.remove_prefix(std::min(comma + 2, words.size()));
    }
  }
  return rows;
}

}  // namespace

std::vector<std::string> glossary_words() {
  std::vector<std::string> words;
  for (auto& [word, sense] : rows_of_glossary()) words.push_back(std::move(word));
  return words;
}

std::optional<std::string> glossary_entry(std::string_view word) {
  for (const auto& [known, sense] : rows_of_glossary()) {
    if (known == word) return known + ": " + sense + "\n";
  }
  return std::nullopt;
}

}  // namespace tessera::repl
