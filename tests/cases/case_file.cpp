#include "tests/cases/case_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tessera::cases {

namespace {

constexpr std::string_view kOpening = "--- ";

struct SectionInfo {
  SectionKind kind;
  std::string_view name;
  SectionUse use;
};
constexpr auto kSections = std::to_array<SectionInfo>({
#define ENTRY(identifier, name, use) {SectionKind::identifier, name, SectionUse::use},
    TESSERA_CASE_SECTIONS(ENTRY)
#undef ENTRY
});
constexpr auto kChecks = std::to_array<std::string_view>({
#define ENTRY(identifier, name) name,
    TESSERA_CASE_CHECKS(ENTRY)
#undef ENTRY
});

// The next line of the text, its end included; it is taken off the text.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  return line;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

const SectionInfo* section_by_name(std::string_view name) {
  const auto* found =
      std::find_if(kSections.begin(), kSections.end(), [&](const SectionInfo& info) { return info.name == name; });
  return found == kSections.end() ? nullptr : found;
}

// `--- name options`: a section without its body, or nothing if no section has that name.
std::optional<Section> opened_by(std::string_view line, std::uint32_t number) {
  const std::string_view rest = trimmed(line.substr(kOpening.size()));
  const std::size_t blank = rest.find(' ');
  const SectionInfo* info = section_by_name(rest.substr(0, blank));
  if (info == nullptr) return std::nullopt;
  const std::string_view options = blank == std::string_view::npos ? "" : trimmed(rest.substr(blank));
  return Section{info->kind, std::string(options), "", number};
}

// `one-device: the program prints the mesh`: the check and the reason.
std::pair<std::string_view, std::string_view> split_skip(std::string_view options) {
  const std::size_t colon = options.find(':');
  if (colon == std::string_view::npos) return {trimmed(options), {}};
  return {trimmed(options.substr(0, colon)), trimmed(options.substr(colon + 1))};
}

void check_skip(const Section& section, Faults& faults) {
  const auto [check, reason] = split_skip(section.options);
  if (std::find(kChecks.begin(), kChecks.end(), check) == kChecks.end()) {
    faults.push_back(
        fmt::format("{}: no check is called `{}`; there are {}", section.line, check, fmt::join(kChecks, ", ")));
  } else if (reason.empty()) {
    faults.push_back(fmt::format("{}: say why, as in `--- skip {}: reason`", section.line, check));
  }
  if (!trimmed(section.body).empty()) faults.push_back(fmt::format("{}: a skip has no text", section.line));
}

bool may_repeat(SectionKind kind) { return kind == SectionKind::skip || kind == SectionKind::text; }

void check_sections(const CaseFile& file, Faults& faults) {
  for (const Section& section : file.sections) {
    if (section.kind == SectionKind::skip) check_skip(section, faults);
    if (use(section.kind) == SectionUse::expectation && !section.options.empty()) {
      faults.push_back(fmt::format("{}: `{}` takes no options", section.line, name(section.kind)));
    }
    if (!may_repeat(section.kind) && file.find(section.kind) != &section) {
      faults.push_back(fmt::format("{}: a second `{}`", section.line, name(section.kind)));
    }
  }
}

void check_whole(const CaseFile& file, Faults& faults) {
  const Section* source = file.find(SectionKind::source);
  const bool is_session = source == nullptr && file.find(SectionKind::repl) != nullptr;
  if (!is_session && (source == nullptr || trimmed(source->body).empty()))
    faults.push_back("1: there is no program (`--- source`)");
  const bool expects = std::any_of(file.sections.begin(), file.sections.end(),
                                   [](const Section& section) { return use(section.kind) == SectionUse::expectation; });
  if (!expects) faults.push_back("1: nothing is expected of the program");
}

void read_preamble_line(std::string_view line, std::uint32_t number, CaseFile& file, Faults& faults) {
  if (!trimmed(line).empty() && !line.starts_with('#')) {
    faults.push_back(fmt::format("{}: before the first section there are only comments", number));
  }
  file.preamble += line;
}

}  // namespace

std::string_view name(SectionKind kind) { return kSections[static_cast<std::size_t>(kind)].name; }
SectionUse use(SectionKind kind) { return kSections[static_cast<std::size_t>(kind)].use; }
std::string_view name(Check check) { return kChecks[static_cast<std::size_t>(check)]; }

const Section* CaseFile::find(SectionKind kind) const {
  const auto found = std::find_if(sections.begin(), sections.end(), [&](const Section& s) { return s.kind == kind; });
  return found == sections.end() ? nullptr : &*found;
}

std::optional<std::string> CaseFile::skipped(Check check) const {
  for (const Section& section : sections) {
    if (section.kind != SectionKind::skip) continue;
    const auto [skipped_check, reason] = split_skip(section.options);
    if (skipped_check == name(check)) return std::string(reason);
  }
  return std::nullopt;
}

std::string_view content(const Section& section) {
  std::string_view text = section.body;
  while (text.ends_with("\n\n")) text.remove_suffix(1);
  return text == "\n" ? std::string_view() : text;
}

std::string setting(const Section& section) {
  return std::string(section.options.empty() ? trimmed(section.body) : std::string_view(section.options));
}

std::variant<CaseFile, Faults> read_case(std::string_view text) {
  CaseFile file;
  Faults faults;
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (line.starts_with(kOpening)) {
      if (auto section = opened_by(line, number)) {
        file.sections.push_back(*std::move(section));
      } else {
        faults.push_back(fmt::format("{}: no section is called that: {}", number, trimmed(line)));
      }
    } else if (file.sections.empty()) {
      read_preamble_line(line, number, file, faults);
    } else {
      file.sections.back().body += line;
    }
  }
  check_sections(file, faults);
  check_whole(file, faults);
  if (!faults.empty()) return faults;
  return file;
}

std::string print(const CaseFile& file) {
  std::string text = file.preamble;
  for (const Section& section : file.sections) {
    text += kOpening;
    text += name(section.kind);
    if (!section.options.empty()) text += " " + section.options;
    text += "\n" + section.body;
  }
  return text;
}

}  // namespace tessera::cases
