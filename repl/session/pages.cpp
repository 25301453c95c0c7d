#include "repl/session/pages.hpp"

#include <algorithm>

namespace tessera::repl {

const Page* find_page(std::string_view name) {
  if (name.starts_with("docs/")) name.remove_prefix(5);
  if (name.ends_with(".md")) name.remove_suffix(3);
  const auto found = std::ranges::find(pages(), name, &Page::name);
  return found == pages().end() ? nullptr : &*found;
}

std::string page_names() {
  std::string names;
  for (const Page& page : pages()) names.append(names.empty() ? "" : ", ").append(page.name);
  return names;
}

}  // namespace tessera::repl
