#include "base/diagnostic.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tessera::base {

const std::vector<KindInfo>& all_kinds() {
  static const std::vector<KindInfo> kinds = {
#define KIND(identifier, slug, severity, blame, message) \
  KindInfo{Kind::identifier, slug, Severity::severity, Blame::blame, message},
#include "base/diagnostics/all.def"
#undef KIND
  };
  return kinds;
}

const KindInfo& info(Kind kind) {
  const auto index = static_cast<std::size_t>(kind);
  TESSERA_CHECK(index < all_kinds().size(), "an unregistered diagnostic kind");
  return all_kinds()[index];
}

std::optional<Kind> kind_by_slug(std::string_view slug) {
  const auto& kinds = all_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const KindInfo& k) { return k.slug == slug; });
  if (found == kinds.end()) return std::nullopt;
  return found->kind;
}

Diagnostic Diagnostic::at(Span span, std::string text) && {
  labels.insert(labels.begin(), Label{span, std::move(text), true});
  return std::move(*this);
}

Diagnostic Diagnostic::also(Span span, std::string text) && {
  labels.push_back(Label{span, std::move(text), false});
  return std::move(*this);
}

Diagnostic Diagnostic::suggest(std::string text) && {
  help = std::move(text);
  return std::move(*this);
}

Diagnostic Diagnostic::from_step(std::uint32_t step_origin) && {
  origin = step_origin;
  return std::move(*this);
}

bool has_error(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& d) { return info(d.kind).severity == Severity::error; });
}

}  // namespace tessera::base
