#include "tests/cases/expectation.hpp"

#include <fmt/format.h>

#include <sstream>

namespace tessera::cases {

namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(text)};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool any_line_starts_with(std::string_view text, std::string_view start) {
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with(start)) return true;
  }
  return false;
}

// `name N` a line. An empty section asks for everything that is not zero.
std::optional<std::string> count_text(std::string_view asked, const Outcome& outcome) {
  std::string text;
  if (asked.empty()) {
    for (const auto& [name, number] : outcome.counts) {
      if (number != 0) text += fmt::format("{} {}\n", name, number);
    }
    return text;
  }
  for (const std::string& line : lines_of(asked)) {
    const std::string name = line.substr(0, line.find(' '));
    const auto found = outcome.counts.find(name);
    if (found == outcome.counts.end()) return std::nullopt;
    text += fmt::format("{} {}\n", name, found->second);
  }
  return text;
}

// Help and other places are written only where the section has some already, or nothing at all.
std::string errors_text(std::string_view now, const Outcome& outcome) {
  const bool with_also = now.empty() || any_line_starts_with(now, "also: ");
  const bool with_help = now.empty() || any_line_starts_with(now, "help: ");
  std::string text;
  for (const ReportedDiagnostic& diagnostic : outcome.diagnostics) {
    text += diagnostic.header + "\n";
    for (const std::string& line : diagnostic.also) text += with_also ? "also: " + line + "\n" : "";
    for (const std::string& line : diagnostic.help) text += with_help ? "help: " + line + "\n" : "";
  }
  return text;
}

}  // namespace

std::optional<std::string> expected_text(const Section& section, const Outcome& outcome) {
  if (section.kind == SectionKind::errors) return errors_text(content(section), outcome);
  const auto found = outcome.texts.find(section.kind);
  if (section.kind == SectionKind::count) return count_text(content(section), outcome);
  if (found == outcome.texts.end()) return std::nullopt;
  return found->second;
}

CaseFile blessed(CaseFile file, const Outcome& outcome) {
  for (Section& section : file.sections) {
    if (use(section.kind) != SectionUse::expectation) continue;
    const auto text = expected_text(section, outcome);
    if (!text.has_value() || *text == content(section)) continue;
    const bool is_last = &section == &file.sections.back();
    section.body = is_last ? *text : *text + "\n";
  }
  return file;
}

}  // namespace tessera::cases
