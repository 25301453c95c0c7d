// The registry of diagnostics, the error index docs/errors.md and the tests keep up with each other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.hpp"

namespace tessera::base {
namespace {

namespace fs = std::filesystem;

const fs::path& project() {
  static const fs::path path = TESSERA_SOURCE_DIR;
  return path;
}

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: return "error";
  }
  return "";
}

// The identifiers themselves, which the registry does not keep, in its order.
const std::vector<std::string_view>& identifiers() {
  static const std::vector<std::string_view> names = {
#define KIND(identifier, slug, severity, blame, message) #identifier,
#include "base/diagnostics/all.def"
#undef KIND
  };
  return names;
}

// `## slug` sections of the error index, by slug.
std::map<std::string, std::string> index_sections() {
  std::map<std::string, std::string> sections;
  std::ifstream in(project() / "docs" / "errors.md");
  std::string line;
  std::string* section = nullptr;
  while (std::getline(in, line)) {
    if (line.starts_with("## ")) {
      section = &sections[line.substr(3)];
    } else if (section != nullptr) {
      *section += line + '\n';
    }
  }
  return sections;
}

// The place in the section that shows the diagnostic: a program or a command line that fails with it (or says so in
// JSON).
std::size_t example_position(const KindInfo& kind, std::string_view section) {
  const std::string header = fmt::format("{}[{}]", name(kind.severity), kind.slug);
  const std::size_t program = section.find("```tessera " + header);
  if (program != std::string_view::npos) return program;
  const std::size_t command = section.find("```console");
  if (command == std::string_view::npos) return command;
  const std::size_t shown = section.find(header, command);
  return shown == std::string_view::npos ? section.find(fmt::format("\"{}\"", kind.slug), command) : shown;
}

// Kinds that only a host that embeds us or a launcher can provoke, or a text that is no program but one of our own
// formats, read back.
constexpr auto kNotFromPrograms = std::to_array<std::string_view>({
    "bad-axis-part",
    "bad-call",
    "bad-device-kind",
    "bad-machine",
    "bad-mesh-text",
    "bad-plan-text",
    "bad-program-text",
    "bad-type-text",
    "file-extent-unknown",
    "layout-rank",
    "mpi-missing",
    "wrong-launcher",
});

// A kind that a person can provoke by typing has an example; a lost disk or a bug of ours has only its explanation.
bool wants_example(const KindInfo& kind) {
  const bool can_be_typed =
      std::find(kNotFromPrograms.begin(), kNotFromPrograms.end(), kind.slug) == kNotFromPrograms.end();
  return can_be_typed && (kind.blame == Blame::program || kind.blame == Blame::command);
}

// The first heading of the index after which a repair is given: a program that works, or a line that says what to do.
bool has_repair(std::string_view rest) { return holds(rest, "```tessera\n") || holds(rest, "\nRepair: "); }

TEST(ErrorIndex, HasASectionForEveryKind) {
  const auto sections = index_sections();
  for (const KindInfo& kind : all_kinds()) {
    const auto section = sections.find(std::string(kind.slug));
    if (section == sections.end()) {
      ADD_FAILURE() << "docs/errors.md has no section `## " << kind.slug << "`";
      continue;
    }
    const std::size_t example = example_position(kind, section->second);
    if (wants_example(kind)) {
      EXPECT_NE(example, std::string::npos) << "docs/errors.md shows no failing example of " << kind.slug;
    }
    const std::size_t from = example == std::string::npos ? 0 : example;
    EXPECT_TRUE(has_repair(std::string_view(section->second).substr(from)))
        << "docs/errors.md: no repair for " << kind.slug;
  }
}

TEST(ErrorIndex, HasNoSectionWithoutAKind) {
  for (const auto& [slug, text] : index_sections()) EXPECT_TRUE(kind_by_slug(slug).has_value()) << slug;
}

TEST(ErrorIndex, IsInAlphabeticalOrder) {
  std::ifstream in(project() / "docs" / "errors.md");
  std::string line;
  std::string last;
  while (std::getline(in, line)) {
    if (!line.starts_with("## ")) continue;
    EXPECT_LT(last, line);
    last = line;
  }
}

// The text of all tests but this one: .cpp files and programs with what is expected of them.
std::string all_tests() {
  std::string text;
  for (const auto& entry : fs::recursive_directory_iterator(project() / "tests")) {
    const fs::path& path = entry.path();
    const bool is_test = path.extension() == ".case" || path.extension() == ".cpp" || path.extension() == ".py";
    if (is_test && path.filename() != "error_index_test.cpp") text += read(path);
  }
  return text;
}

TEST(Coverage, EveryKindIsExpectedByATest) {
  const std::string tests = all_tests();
  for (std::size_t i = 0; i < all_kinds().size(); ++i) {
    const std::string_view slug = all_kinds()[i].slug;
    const bool covered = holds(tests, fmt::format("[{}]", slug)) || holds(tests, fmt::format("\"{}\"", slug)) ||
                         holds(tests, fmt::format("Kind::{}", identifiers()[i]));
    EXPECT_TRUE(covered) << "no test expects " << slug;
  }
}

}  // namespace
}  // namespace tessera::base
