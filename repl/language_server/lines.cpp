#include "repl/language_server/lines.hpp"

#include <algorithm>
#include <limits>

namespace tessera::repl {

namespace {

bool begins_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

// UTF-16 units of the code point that begins with this byte.
std::uint32_t units_of(char first) { return static_cast<unsigned char>(first) >= 0xF0U ? 2 : 1; }

}  // namespace

Lines::Lines(std::string_view text, Units units) : text_(text), units_(units), begins_{0} {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    begins_.push_back(static_cast<std::uint32_t>(at + 1));
}

std::string_view Lines::line(std::uint32_t number) const {
  if (number >= begins_.size()) return {};
  const std::size_t begin = begins_[number];
  const std::size_t end = number + 1 < begins_.size() ? begins_[number + 1] - 1 : text_.size();
  std::string_view line = text_.substr(begin, end - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::uint32_t Lines::offset(TextPosition position) const {
  if (position.line >= begins_.size()) return static_cast<std::uint32_t>(text_.size());
  const std::string_view line = this->line(position.line);
  std::uint32_t at = 0;
  for (std::uint32_t unit = 0; at < line.size() && unit < position.unit;) {
    unit += units_ == Units::utf8 ? 1 : units_of(line[at]);
    ++at;
    while (at < line.size() && units_ == Units::utf16 && !begins_code_point(line[at])) ++at;
  }
  while (at < line.size() && !begins_code_point(line[at])) ++at;
  return begins_[position.line] + at;
}

TextPosition Lines::position(std::uint32_t offset) const {
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), offset);
  const auto number = static_cast<std::uint32_t>(after - begins_.begin() - 1);
  const std::size_t end = std::min<std::size_t>(offset, text_.size());
  if (units_ == Units::utf8) return {number, static_cast<std::uint32_t>(end - begins_[number])};
  std::uint32_t unit = 0;
  for (std::size_t at = begins_[number]; at < end; ++at) unit += begins_code_point(text_[at]) ? units_of(text_[at]) : 0;
  return {number, unit};
}

TextRange Lines::range(const Place& place) const {
  const std::uint32_t number = place.line == 0 ? 0 : place.line - 1;
  if (number >= begins_.size())
    return {static_cast<std::uint32_t>(text_.size()), static_cast<std::uint32_t>(text_.size())};
  const std::string_view line = this->line(number);
  const auto skip = [&](std::size_t at, std::uint32_t points) {
    for (; points > 0 && at < line.size(); --points) {
      ++at;
      while (at < line.size() && !begins_code_point(line[at])) ++at;
    }
    return at;
  };
  const std::size_t begin = skip(0, place.column == 0 ? 0 : place.column - 1);
  const std::size_t end = skip(begin, place.length);
  return {begins_[number] + static_cast<std::uint32_t>(begin), begins_[number] + static_cast<std::uint32_t>(end)};
}

std::uint32_t Lines::offset(const nlohmann::json& position) const {
  const auto number = [&](const char* key) {
    const auto found = position.find(key);
    if (found == position.end() || !found->is_number()) return std::uint32_t{0};
    const auto value = found->get<double>();
    constexpr double kMost = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::uint32_t>(std::clamp(value, 0.0, kMost));
  };
  return offset(TextPosition{number("line"), number("character")});
}

nlohmann::json Lines::json(std::uint32_t offset) const {
  const TextPosition at = position(offset);
  return {{"line", at.line}, {"character", at.unit}};
}

nlohmann::json Lines::json(TextRange range) const { return {{"start", json(range.begin)}, {"end", json(range.end)}}; }

}  // namespace tessera::repl
