// Diagnostics as data. Every kind is registered once, in the .def file of the room that reports it, and is declared by
// that room's kinds.hpp: this header knows only what a kind consists of, so that a new kind rebuilds the files of its
// room and no others. The error index and the coverage test are checked against base/registry.hpp, which lists all
// kinds.
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

// The party that has to act. It decides the exit status of the command line.
enum class Blame : std::uint8_t {
  program,  // 1: the program is wrong, at compile or at run time
  command,  // 2: the command line is wrong
  world,    // 3: a file, memory or a peer failed
  us,       // 4: our bug
};

// One kind, as its line in a .def file says. Its texts are literals. No two kinds share a slug.
struct KindInfo {
  std::string_view slug;
  Severity severity;
  Blame blame;
  std::string_view message;  // with {} for each argument

  bool operator==(const KindInfo& other) const { return slug == other.slug; }
};

// Each line of a .def file declares one kind: TESSERA_KIND(identifier, "slug", severity, blame, "message").
#define TESSERA_KIND(identifier, slug, severity, blame, message)                                   \
  static constexpr ::tessera::base::KindInfo identifier{slug, ::tessera::base::Severity::severity, \
                                                        ::tessera::base::Blame::blame, message};

// The kinds that any room may report. Each room has a struct of this name for its own, in its kinds.hpp.
struct Kind {
#define KIND TESSERA_KIND
#include "base/diagnostics/base.def"
#undef KIND
};

struct Label {
  Span span;
  std::string text;      // may be empty
  bool primary = false;  // exactly one label of a diagnostic is primary; its position is the diagnostic's
};

struct Diagnostic {
  KindInfo kind;
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

// make(synth::Kind::unknown_axis, "z"): the registered message with its arguments filled in.
template <class... Args>
Diagnostic make(const KindInfo& kind, const Args&... args) {
  return Diagnostic{kind, fmt::vformat(kind.message, fmt::make_format_args(args...)), {}, {}, {}};
}

bool has_error(const Diagnostics& diagnostics);

}  // namespace tessera::base
