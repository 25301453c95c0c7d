// Program text and places in it. Texts are immutable; a span names its text by id, so that a function typed at one REPL
// prompt can be blamed from another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/persistent_map.hpp"

namespace tessera::base {

using SourceId = Id<struct SourceTag>;

// Byte offsets [begin, end) into one text. A span without a source means "no place".
struct Span {
  SourceId source;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool known() const { return source.valid(); }
  friend auto operator<=>(const Span&, const Span&) = default;
};

// The smallest span that covers both; either may be unknown.
Span join(Span a, Span b);

// Line and column count from 1; columns count code points (a byte that is not valid UTF-8 counts as one).
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

class Source {
 public:
  Source(std::string name, std::string text);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  Position position(std::uint32_t offset) const;
  // The text of a line (from 1) without its line end.
  std::string_view line(std::uint32_t number) const;
  // Of memory, about.
  std::int64_t bytes() const;
  std::uint32_t line_count() const { return static_cast<std::uint32_t>(line_starts_.size()); }

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_starts_;
};

// All texts of a session, in the order they came. Copying is cheap: texts are shared.
class SourceMap {
 public:
  SourceId add(std::string name, std::string text);
  const Source& operator[](SourceId id) const;
  std::string_view text(Span span) const;
  template <class Visit>
  void for_each(const Visit& visit) const {
    sources_.for_each([&](const auto& entry) { visit(entry.key, entry.value); });
  }
  // No span lies in the text any more. Its id is not given to another.
  void forget(SourceId id);
  std::size_t size() const { return size_; }

 private:
  PersistentMap<SourceId, Source> sources_;
  std::uint32_t size_ = 0;
};

}  // namespace tessera::base
