#include "embed/manual/error_index.hpp"

namespace tessera::embed {

namespace {

constexpr std::string_view kHeading = "\n## ";

// Offset of the line `## slug`.
std::optional<std::size_t> find_heading(std::string_view text, std::string_view slug) {
  const std::string line = std::string(kHeading) + std::string(slug);
  for (std::size_t at = text.find(line); at != std::string_view::npos; at = text.find(line, at + 1)) {
    const std::size_t end = at + line.size();
    if (end == text.size() || text[end] == '\n') return at + 1;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> error_index_section(std::string_view text, std::string_view slug) {
  const auto begin = slug.find('\n') == std::string_view::npos ? find_heading(text, slug) : std::nullopt;
  if (!begin) return std::nullopt;
  std::string_view section = text.substr(*begin, text.find(kHeading, *begin) - *begin);
  const std::size_t last = section.find_last_not_of('\n');
  return std::string(section.substr(0, last + 1)) + '\n';
}

}  // namespace tessera::embed
