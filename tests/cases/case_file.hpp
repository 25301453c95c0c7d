// A .case file: a program, its settings, and its expected outcome, in sections that each begin with a line `--- name`
// (README.md describes them). A file is kept as it was written: printing what was read gives the same bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tessera::cases {

// FOREACH(identifier, "name", use): an input says what to run, an expectation what must come of it.
#define TESSERA_CASE_SECTIONS(FOREACH)     \
  FOREACH(source, "source", input)         \
  FOREACH(define, "define", input)         \
  FOREACH(reshard, "reshard", input)       \
  FOREACH(machine, "machine", input)       \
  FOREACH(files, "files", input)           \
  FOREACH(text, "text", input)             \
  FOREACH(tolerance, "tolerance", input)   \
  FOREACH(skip, "skip", input)             \
  FOREACH(errors, "errors", expectation)   \
  FOREACH(types, "types", expectation)     \
  FOREACH(plan, "plan", expectation)       \
  FOREACH(count, "count", expectation)     \
  FOREACH(typed, "typed", expectation)     \
  FOREACH(program, "program", expectation) \
  FOREACH(run, "run", expectation)         \
  FOREACH(repl, "repl", expectation)

enum class SectionKind : std::uint8_t {
#define MEMBER(identifier, name, use) identifier,
  TESSERA_CASE_SECTIONS(MEMBER)
#undef MEMBER
};
enum class SectionUse : std::uint8_t { input, expectation };
std::string_view name(SectionKind kind);
SectionUse use(SectionKind kind);

// FOREACH(identifier, "name"): what is checked of every case beside what its sections say. A case opts out of one with
// `--- skip NAME: reason`.
#define TESSERA_CASE_CHECKS(FOREACH)      \
  FOREACH(parse_print, "parse-print")     \
  FOREACH(typed_print, "typed-print")     \
  FOREACH(program_print, "program-print") \
  FOREACH(verify_plans, "verify-plans")   \
  FOREACH(run, "run")                     \
  FOREACH(one_device, "one-device")       \
  FOREACH(other_mesh, "other-mesh")

enum class Check : std::uint8_t {
#define MEMBER(identifier, name) identifier,
  TESSERA_CASE_CHECKS(MEMBER)
#undef MEMBER
};
std::string_view name(Check check);

struct Section {
  SectionKind kind = SectionKind::source;
  std::string options;  // the rest of the line that opens it
  std::string body;     // all lines up to the next section, blank ones at its end included
  std::uint32_t line = 0;
};

struct CaseFile {
  std::string preamble;  // before the first section: comments and blank lines
  std::vector<Section> sections;

  // The first section of a kind, if there is one.
  const Section* find(SectionKind kind) const;
  // Why this check is left out, if it is.
  std::optional<std::string> skipped(Check check) const;
};

// The body without the blank lines at its end, which only set it off from the next section.
std::string_view content(const Section& section);
// The text on the opening line or, if nothing stands there, in the body; without white space around it.
std::string setting(const Section& section);

// A case file, or what is wrong with it, one `LINE: message` each.
using Faults = std::vector<std::string>;
std::variant<CaseFile, Faults> read_case(std::string_view text);
std::string print(const CaseFile& file);

}  // namespace tessera::cases
