// What is known about a name: `:doc` and `tessera explain`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tessera::repl {

// The text about an operation, a word of the language, the glossary or another system, an error, or a page of the
// manual, which may hold Markdown; empty if the name is none of them.
std::string doc_text(std::string_view name);

// The nearest of all that can be asked about.
std::optional<std::string> topic_near(std::string_view name);

}  // namespace tessera::repl
