// Answers to requests about one text, as the protocol writes them. They look at the view and at nothing else.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repl/language_server/document.hpp"

namespace tessera::repl {

using Json = nlohmann::json;

// Replacements of ranges that do not overlap.
using Edits = std::vector<std::pair<TextRange, std::string>>;
// Another analysis, of a text that an edit would make; nothing if it was stopped.
using Analyse = std::function<std::optional<Analysis>(const std::string& text)>;

// ---- diagnostics.cpp
// The label by which a mistake is marked in the text: of one in a file that the text uses, where it uses it.
const Label* label_here(const View& view, const Diagnostic& one);
Json diagnostics_of(const View& view);

// ---- hints.cpp
Json hints_of(const View& view, TextRange range, const EditorSettings& settings);
// What the move is called in a hint: `all_gather 96 MiB`; empty where nothing is received.
std::string move_text(const Redistribution& move);

// ---- hover.cpp
Json hover_of(const View& view, std::uint32_t offset);
// A move as `plan` prints it, and its reason.
std::string plan_and_reason(const View& view, const Redistribution& move);

// ---- navigation.cpp
Json definition_answer(const View& view, std::uint32_t offset);
Json references_of(const View& view, std::uint32_t offset, bool with_definition);
Json highlights_of(const View& view, std::uint32_t offset);
Json symbols_of(const View& view);
Json folding_of(const View& view);
Json selections_of(const View& view, const std::vector<std::uint32_t>& offsets);

// ---- editing.cpp
Json rename_range(const View& view, std::uint32_t offset);
// The edit, or in `why` the reason for which there is none.
Json rename_of(const View& view, std::uint32_t offset, const std::string& name, const Analyse& analyse,
               std::string& why);
Json formatting_of(const View& view, std::optional<TextRange> range);
// An edit of this text, as a workspace edit.
Json workspace_edit(const View& view, const Edits& edits);
std::string with_edits(const std::string& text, Edits edits);

// ---- actions.cpp
Json actions_of(const View& view, TextRange range, const Analyse& analyse);

// ---- completion.cpp
Json completions_of(const View& view, std::uint32_t offset);
Json signature_of(const View& view, std::uint32_t offset);

// ---- semantic_tokens.cpp
Json semantic_tokens_of(const View& view, TextRange range);
Json semantic_legend();

// ---- statements.cpp: commands on the statement under the cursor
std::string plan_of_statement(const View& view, std::uint32_t offset);
std::string comparison_of_statement(const View& view, std::uint32_t offset);

}  // namespace tessera::repl
