// Diagnostics as data. Every kind is registered once, in the .def file of the room that reports it; the registry gives
// its slug, severity, blame and the text of its message, and the error index and the coverage test are checked against
// it.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/source.hpp"

namespace tessera::base {

enum class Severity : std::uint8_t { note, warning, error };

// Who has to act; it decides the exit status of the command line.
enum class Blame : std::uint8_t {
  program,  // 1: the program is wrong, at compile or at run time
  command,  // 2: the command line is wrong
  world,    // 3: a file, memory or a peer failed
  us,       // 4: our bug
};

// KIND(identifier, "slug", severity, blame, "message with {} for each argument")
enum class Kind : std::uint16_t {
#define KIND(identifier, slug, severity, blame, message) identifier,
#include "base/diagnostics/all.def"
#undef KIND
};

struct KindInfo {
  Kind kind;
  std::string_view slug;
  Severity severity;
  Blame blame;
  std::string_view message;
};

const KindInfo& info(Kind kind);
const std::vector<KindInfo>& all_kinds();
std::optional<Kind> kind_by_slug(std::string_view slug);

struct Label {
  Span span;
  std::string text;      // may be empty
  bool primary = false;  // exactly one label of a diagnostic is primary; its position is the diagnostic's
};

struct Diagnostic {
  Kind kind;
  std::string message;
  std::vector<Label> labels;
  std::string help;  // what to type instead; may hold several lines; empty if there is nothing to say
  std::optional<std::uint32_t> origin;  // set by rooms that know no spans: the opaque origin of the step that failed

  // Each gives the changed diagnostic by value, so that `d = std::move(d).also(...)` is safe.
  Diagnostic at(Span span, std::string text = "") &&;  // adds the primary label
  Diagnostic also(Span span, std::string text) &&;     // adds another label
  Diagnostic suggest(std::string text) &&;             // sets help
  Diagnostic from_step(std::uint32_t step_origin) &&;  // sets origin
};

using Diagnostics = std::vector<Diagnostic>;

// make(Kind::unknown_axis, "z"): the registered message with its arguments filled in.
template <class... Args>
Diagnostic make(Kind kind, const Args&... args) {
  return Diagnostic{kind, fmt::vformat(info(kind).message, fmt::make_format_args(args...)), {}, {}, {}};
}

bool has_error(const Diagnostics& diagnostics);

}  // namespace tessera::base
