// The functions about texts: formatting, the error index, the version.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/nearest.hpp"
#include "base/registry.hpp"
#include "base/sorted.hpp"
#include "embed/host/convert.hpp"
#include "embed/kinds.hpp"
#include "embed/manual/error_index.hpp"
#include "frontend/foreign.hpp"
#include "frontend/parse.hpp"
#include "frontend/print.hpp"
#include "tessera/analysis.hpp"
#include "typeck/text/stages.hpp"

namespace tessera {

static_assert(text_bytes_max == frontend::kSourceBytesMax);

Result<std::string> format(std::string_view text, std::string_view name) {
  return embed::safely([&]() -> Result<std::string> {
    embed::Texts texts;
    auto ast = frontend::parse(texts.sources, texts.add(std::string(name), std::string(text)));
    if (!ast) return embed::to_public(texts, ast.errors());
    return frontend::print(*ast, &texts.sources);
  });
}

bool is_incomplete(std::string_view text) { return frontend::is_incomplete(text); }

Result<std::string> explain(std::string_view slug) {
  return embed::safely([&]() -> Result<std::string> {
    const auto section = embed::error_index_section(embed::error_index_text(), slug);
    if (section) return *section;
    const auto meant = base::nearest(slug, all_slugs());
    base::Diagnostic why = base::make(embed::Kind::unknown_slug, slug);
    if (meant) why.help = fmt::format("did you mean `{}`?", *meant);
    return embed::failure(std::move(why));
  });
}

std::optional<std::string> written_here(std::string_view word) {
  std::optional<std::string_view> help = frontend::help_for_function(word);
  if (const auto* foreign = frontend::find_foreign(word); !help && foreign != nullptr) help = foreign->help;
  if (!help) help = frontend::help_for_constant(word);
  return help ? std::optional(std::string(*help)) : std::nullopt;
}

const std::vector<std::string>& stages() {
  static const std::vector<std::string> names = typeck::stage_names();
  return names;
}

const std::vector<std::string>& all_slugs() {
  static const std::vector<std::string> slugs = [] {
    std::vector<std::string> result;
    for (const base::KindInfo& kind : base::all_kinds()) result.emplace_back(kind.slug);
    base::keep_one_of_each(result);
    return result;
  }();
  return slugs;
}

std::string_view version() { return TESSERA_VERSION; }

}  // namespace tessera
