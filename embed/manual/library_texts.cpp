#include "embed/manual/library_texts.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tessera/analysis.hpp"

namespace tessera {

namespace embed {

namespace {

struct LibraryText {
  std::string_view name;
  std::string_view (*text)();
};
constexpr std::array kTexts = {LibraryText{"std/linalg", library_linalg}, LibraryText{"std/nn", library_nn}};

// `# What it gives.` over `fn name(...)`, which stands without what follows the signature. A function right under
// another one is said with it.
std::vector<LibraryFunction> functions_of(const LibraryText& library) {
  std::vector<LibraryFunction> found;
  std::string comment;
  bool goes_on = false;
  std::string_view rest = library.text();
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.empty()) {
      comment.clear();
      goes_on = false;
    } else if (line.starts_with("# ")) {
      if (!std::exchange(goes_on, true)) comment.clear();
      comment += (comment.empty() ? "" : " ") + std::string(line.substr(2));
    } else {
      goes_on = false;
      if (!line.starts_with("fn ")) continue;
      const std::string_view head = line.substr(3, line.find(") =") - 2);
      found.push_back(
          {std::string(head.substr(0, head.find('('))), std::string(library.name), std::string(head), comment});
    }
  }
  return found;
}

}  // namespace

std::string_view library_text_of(std::string_view function) {
  const auto& all = library_functions();
  const auto found = std::ranges::find(all, function, &LibraryFunction::name);
  return found == all.end() ? std::string_view() : std::string_view(found->text);
}

std::optional<std::string_view> find_library_text(std::string_view name) {
  const auto* const found = std::ranges::find(kTexts, name, &LibraryText::name);
  return found == kTexts.end() ? std::nullopt : std::optional(found->text());
}

}  // namespace embed

std::vector<std::string> library_names() {
  std::vector<std::string> names;
  for (const embed::LibraryText& one : embed::kTexts) names.emplace_back(one.name);
  return names;
}

const std::vector<LibraryFunction>& library_functions() {
  static const std::vector<LibraryFunction> all = [] {
    std::vector<LibraryFunction> made;
    for (const embed::LibraryText& one : embed::kTexts) {
      for (LibraryFunction& function : embed::functions_of(one)) made.push_back(std::move(function));
    }
    return made;
  }();
  return all;
}

std::optional<std::string> library_text(std::string_view name) {
  const auto text = embed::find_library_text(name);
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

}  // namespace tessera
