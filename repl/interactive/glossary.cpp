#include "repl/interactive/glossary.hpp"

#include <algorithm>
#include <utility>

#include "repl/interactive/pages.hpp"

namespace tessera::repl {

namespace {

// `| major, minor | sense |`: each word with its sense. The heading and the rule below it are no rows.
std::vector<std::pair<std::string, std::string>> rows_of_glossary() {
  std::vector<std::pair<std::string, std::string>> rows;
  std::string_view text = find_page("glossary")->text;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t bar = line.find(" | ");
    const bool is_row = line.starts_with("| ") && line.ends_with(" |") && bar != std::string_view::npos;
    if (!is_row || line.starts_with("| word |")) continue;
    std::string_view words = line.substr(2, bar - 2);
    const std::string sense(line.substr(bar + 3, line.size() - bar - 5));
    while (!words.empty()) {
      const std::size_t comma = std::min(words.find(", "), words.size());
      std::string word(words.substr(0, comma));
      std::erase(word, '`');
      rows.emplace_back(std::move(word), sense);
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
