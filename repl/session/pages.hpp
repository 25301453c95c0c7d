// The pages of the manual, docs/*.md, which the build makes part of the executable: what messages and lessons refer to
// is there wherever the command is installed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::repl {

struct Page {
  std::string_view name;  // of the file, without `.md`
  std::string_view text;  // Markdown
};

// In the order of their names.
const std::vector<Page>& pages();

// By the name of the page or of its file: `meshes`, `meshes.md`, `docs/meshes.md`. None: nullptr.
const Page* find_page(std::string_view name);

// `architecture, embedding, ...`
std::string page_names();

}  // namespace tessera::repl
