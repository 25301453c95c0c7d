// The words of docs/glossary.md, for `:doc`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::repl {

std::vector<std::string> glossary_words();
// `tile: ...`; nothing where the glossary does not have the word.
std::optional<std::string> glossary_entry(std::string_view word);

}  // namespace tessera::repl
