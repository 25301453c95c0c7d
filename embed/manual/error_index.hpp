// The error index, docs/errors.md: one section `## slug` for each kind of diagnostic.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tessera::embed {

// The whole file. Its definition is made by the build.
std::string_view error_index_text();

// The section about a slug, heading included, without trailing blank lines.
std::optional<std::string> error_index_section(std::string_view text, std::string_view slug);

}  // namespace tessera::embed
