#include "embed/host/texts.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.hpp"

namespace tessera::embed {

namespace {

// A Place carries its line; lines longer than this are cut to the part around the place.
constexpr std::size_t kLineBytesMax = 4096;
constexpr std::size_t kBytesBefore = 1024;
constexpr std::size_t kBytesAfter = 2048;

std::uint32_t count(std::string_view text) { return static_cast<std::uint32_t>(base::count_code_points(text)); }

// The nearest offset at or after `offset` where a code point begins.
std::size_t boundary(std::string_view line, std::size_t offset) {
  while (offset < line.size() && (static_cast<unsigned char>(line[offset]) & 0xC0U) == 0x80U) ++offset;
  return std::min(offset, line.size());
}

// The part of the line around byte `offset`, which is at `column`, goes into the place.
void put_line(Place& place, std::string_view line, std::size_t offset) {
  if (line.size() <= kLineBytesMax) {
    place.line_text = line;
    return;
  }
  const std::size_t begin = offset <= kBytesBefore ? 0 : std::min(offset, boundary(line, offset - kBytesBefore));
  const std::size_t end = boundary(line, offset + kBytesAfter);
  place.line_text = line.substr(begin, end - begin);
  place.line_text_column = place.column - count(line.substr(begin, offset - begin));
}

}  // namespace

base::SourceId Texts::add(std::string name, std::string text, std::uint32_t first_line) {
  const base::SourceId id = sources.add(std::move(name), std::move(text));
  if (first_line != 1) first_lines.set(id, first_line);
  weigh(id, sources[id].bytes());
  return id;
}

void Texts::weigh(base::SourceId source, std::int64_t bytes) {
  const std::int64_t* const before = weights_.find(source);
  weights_.set(source, (before == nullptr ? 0 : *before) + bytes);
  bytes_ += bytes;
}

void Texts::keep_only(const std::set<base::SourceId>& used) {
  std::vector<base::SourceId> unused;
  sources.for_each([&](base::SourceId id, const base::Source&) {
    if (!used.contains(id)) unused.push_back(id);
  });
  for (const base::SourceId id : unused) {
    sources.forget(id);
    first_lines.erase(id);
    if (const std::int64_t* const weight = weights_.find(id)) bytes_ -= *weight;
    weights_.erase(id);
  }
}

std::uint32_t Texts::first_line(base::SourceId source) const {
  const std::uint32_t* line = first_lines.find(source);
  return line == nullptr ? 1 : *line;
}

Place place(const Texts& texts, base::Span span) {
  const base::Source& source = texts.sources[span.source];
  const auto size = static_cast<std::uint32_t>(source.text().size());
  const std::uint32_t begin = std::min(span.begin, size);
  const base::Position position = source.position(begin);
  const std::string_view line = source.line(position.line);
  // The line's own offset: both views are of one text. A place at the line's end may lie on its line break.
  const auto line_begin = static_cast<std::size_t>(line.data() - source.text().data());
  const std::size_t offset = std::min(begin - line_begin, line.size());
  const std::size_t end = std::clamp(std::size_t{span.end} - std::min(span.end, begin) + offset, offset, line.size());
  Place result{source.name(), position.line, position.column, 1, {}, 1};
  result.length = std::max<std::uint32_t>(1, count(line.substr(offset, end - offset)));
  put_line(result, line, offset);
  result.line += texts.first_line(span.source) - 1;
  return result;
}

}  // namespace tessera::embed
