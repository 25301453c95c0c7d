#include "embed/manual/library_texts.hpp"

#include <algorithm>
#include <array>

#include "tessera/analysis.hpp"

namespace tessera {

namespace embed {

namespace {

struct LibraryText {
  std::string_view name;
  std::string_view (*text)();
};
constexpr std::array kTexts = {LibraryText{"std/linalg", library_linalg}, LibraryText{"std/nn", library_nn}};

}  // namespace

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

std::optional<std::string> library_text(std::string_view name) {
  const auto text = embed::find_library_text(name);
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

}  // namespace tessera
