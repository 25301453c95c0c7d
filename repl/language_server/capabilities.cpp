#include "repl/language_server/capabilities.hpp"

#include "repl/language_server/answers.hpp"

namespace tessera::repl {

Units wished_units(const nlohmann::json& client) {
  const nlohmann::json* at = &client;
  for (const char* const key : {"general", "positionEncodings"}) {
    if (!at->is_object() || !at->contains(key)) return Units::utf16;
    at = &(*at)[key];
  }
  return at->is_array() && !at->empty() && at->front() == "utf-8" ? Units::utf8 : Units::utf16;
}

nlohmann::json server_capabilities(Units units) {
  constexpr int kIncremental = 2;
  return {{"positionEncoding", units == Units::utf8 ? "utf-8" : "utf-16"},
          {"textDocumentSync", {{"openClose", true}, {"change", kIncremental}, {"save", true}}},
          {"inlayHintProvider", true},
          {"hoverProvider", true},
          {"codeActionProvider", {{"codeActionKinds", {"quickfix", "refactor.rewrite"}}}},
          {"completionProvider", {{"triggerCharacters", {"@", "+", "(", ","}}}},
          {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}}},
          {"definitionProvider", true},
          {"referencesProvider", true},
          {"documentHighlightProvider", true},
          {"renameProvider", {{"prepareProvider", true}}},
          {"documentSymbolProvider", true},
          {"foldingRangeProvider", true},
          {"selectionRangeProvider", true},
          {"semanticTokensProvider", {{"legend", semantic_legend()}, {"full", true}, {"range", true}}},
          {"documentFormattingProvider", true},
          {"documentRangeFormattingProvider", true},
          {"executeCommandProvider",
           {{"commands", {"tessera.plan", "tessera.compare", "tessera.draw", "tessera.explain"}}}}};
}

}  // namespace tessera::repl
