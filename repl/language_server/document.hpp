// A text that is open in the editor, and what is known of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "repl/language_server/lines.hpp"
#include "tessera/analysis.hpp"

namespace tessera::repl {

// The client's wishes.
struct EditorSettings {
  enum class Hints : std::uint8_t { off, bytes, all };
  Hints hints = Hints::all;
  std::int64_t least_bytes = 1;  // moves of fewer have no hint
  std::string machine_file;      // empty: the one that lies beside the text
};

// A text with its analysis; what a request is answered from.
struct View {
  View(std::string uri_of_text, std::string whole, Units units, Analysis known, const Machine& of)
      : uri(std::move(uri_of_text)),
        text(std::move(whole)),
        lines(text, units),
        analysis(std::move(known)),
        machine(of) {}
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  std::string uri;
  std::string text;
  Lines lines;  // of text
  Analysis analysis;
  Machine machine;

  std::string_view part(TextRange range) const {
    return std::string_view(text).substr(range.begin, range.end - range.begin);
  }
};

inline bool holds(TextRange outer, std::uint32_t offset) { return outer.begin <= offset && offset <= outer.end; }
inline bool holds(TextRange outer, TextRange inner) { return outer.begin <= inner.begin && inner.end <= outer.end; }
inline bool meet(TextRange a, TextRange b) { return a.begin <= b.end && b.begin <= a.end; }
inline std::uint32_t length(TextRange range) { return range.end - range.begin; }

// How many mistakes the text has.
std::size_t errors_of(const Analysis& analysis);
// The name that stands at the offset, or ends there; nullptr without any.
const TextName* name_at(const Analysis& analysis, std::uint32_t offset);
// The name that binds it; nullptr where none does.
const TextName* definition_of(const Analysis& analysis, const TextName& name);
// The statement of the top level at the offset; nullptr without any.
const TextStatement* statement_at(const Analysis& analysis, std::uint32_t offset);
// Everything that may be meant at the offset.
std::vector<const TextName*> visible_at(const Analysis& analysis, std::uint32_t offset);
// The innermost statement, block, expression or type around the range.
TextRange part_around(const Analysis& analysis, TextRange range);

}  // namespace tessera::repl
