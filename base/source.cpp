#include "base/source.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/utf8.hpp"

namespace tessera::base {

Span join(Span a, Span b) {
  if (!a.known()) return b;
  if (!b.known() || b.source != a.source) return a;
  return Span{a.source, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

Source::Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  TESSERA_CHECK(text_.size() < Id<struct SourceTag>::kNone, "a source text is larger than 4 GiB");
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_starts_.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

Position Source::position(std::uint32_t offset) const {
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<std::uint32_t>(after - line_starts_.begin());
  const std::uint32_t start = line_starts_[line - 1];
  const auto before = std::string_view(text_).substr(start, offset - start);
  return Position{line, static_cast<std::uint32_t>(count_code_points(before)) + 1};
}

std::string_view Source::line(std::uint32_t number) const {
  TESSERA_CHECK(number >= 1 && number <= line_starts_.size(), "a line number is out of range");
  const std::size_t begin = line_starts_[number - 1];
  std::size_t end = number < line_starts_.size() ? line_starts_[number] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

std::int64_t Source::bytes() const {
  return static_cast<std::int64_t>(sizeof(Source) + name_.capacity() + text_.capacity() +
                                   line_starts_.capacity() * sizeof(line_starts_[0]));
}

void SourceMap::forget(SourceId id) { sources_.erase(id); }

SourceId SourceMap::add(std::string name, std::string text) {
  const SourceId id{size_++};
  sources_.set(id, Source(std::move(name), std::move(text)));
  return id;
}

const Source& SourceMap::operator[](SourceId id) const {
  const Source* source = sources_.find(id);
  TESSERA_CHECK(source != nullptr, "a source id belongs to another session");
  return *source;
}

std::string_view SourceMap::text(Span span) const {
  const auto all = (*this)[span.source].text();
  const std::size_t begin = std::min<std::size_t>(span.begin, all.size());
  return all.substr(begin, std::min<std::size_t>(span.end, all.size()) - begin);
}

}  // namespace tessera::base
